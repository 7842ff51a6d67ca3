"""What is odd about a round of Lunar Poker that was played and settled all the same."""

from datetime import datetime
from itertools import pairwise

from tables.rules import flags
from tables.rules.lunar_hands import LOWEST_INSTANT, RANKING
from tables.rules.lunar_shapes import CARDS_EACH, LEFT
from tables.rules.paid import flag_payments
from tables.rules.settle import Reckoning, Seat

MARKS = ("no_more_bets", "decisions_locked", "reveal")


def flag_round(reckoning: Reckoning) -> None:
    """Put before a person what the chapter does not allow, or what asks for a look."""
    flags.flag_discarded(reckoning, "§ 671a.13(a)")
    flags.flag_dealing(reckoning, "§ 671a.9(a)(1)")
    flags.flag_players(reckoning, "§ 671a.7(e)", 1)
    flags.flag_left_count(reckoning, "§ 671a.11(h)(2)", cards_left(reckoning), voids=False)
    flags.flag_lammers(reckoning, {}, "")  # no wager of the chapter asks for one
    flag_marks(reckoning)
    void_by = reckoning.chapter.void_paragraphs - {"671a.13(a)"}  # one card face up does not
    flags.flag_irregularities(reckoning, void_by, {LEFT: "671a.7(b)"})
    flag_payments(reckoning)


def cards_left(reckoning: Reckoning) -> int:
    """Return how many cards the deal and the draws leave of the deck."""
    drawn = sum(len(seat.facts.get("decision", {}).get("draw", ())) for seat in reckoning.seats)
    return len(reckoning.chapter.deck) - (len(reckoning.seats) + 1) * CARDS_EACH - drawn


def flag_marks(reckoning: Reckoning) -> None:
    """Flag moments out of order, and decisions later than "all decisions are locked in"."""
    marks = reckoning.document.get("marks", {})
    moments = [(mark, datetime.fromisoformat(marks[mark])) for mark in MARKS if mark in marks]
    for (earlier, before), (later, after) in pairwise(moments):
        if after < before:
            detail = f"{words(later)} is told as earlier than {words(earlier)}."
            reckoning.flag("marks_order", f"marks.{later}", "§ 671a.11(c)", detail)
    locked = dict(moments).get("decisions_locked")
    for seat in reckoning.seats:
        flag_decision(reckoning, seat, locked)


def words(mark: str) -> str:
    """Return a mark as the chapter's words have it."""
    return {"no_more_bets": '"No more bets"', "decisions_locked": "The lock of decisions"}.get(
        mark, "The dealer's reveal"
    )


def flag_decision(reckoning: Reckoning, seat: Seat, locked: datetime | None) -> None:
    """Flag a decision made after the lock (§ 671a.11(a)(3)), and a fold of an instant hand."""
    decision = seat.facts.get("decision", {})
    path = f"positions[{seat.index}].decision"
    if locked is not None and "at" in decision and datetime.fromisoformat(decision["at"]) > locked:
        detail = f"Position {seat.position} decided after all decisions were locked in."
        reckoning.flag("decision_after_lock", f"{path}.at", "§ 671a.11(a)(3)", detail, seat=seat)
    if decision.get("action") == "fold" and seat.status != LEFT:
        declared = seat.facts.get("declares", True)
        if declared and RANKING.evaluate(seat.cards) >= LOWEST_INSTANT:
            detail = f"Position {seat.position} declared an instant hand and is told to fold it."
            cite = "§ 671a.11(c)(3)"
            reckoning.flag("instant_hand_folded", f"{path}.action", cite, detail, seat=seat)
