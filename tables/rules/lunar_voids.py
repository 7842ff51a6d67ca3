"""A void round of Lunar Poker: every wager returned, those already settled too (LP-12)."""

from typing import Any

from tables.rules.cards import UNSEEN
from tables.rules.lunar import instant_line
from tables.rules.lunar_hands import Plan
from tables.rules.lunar_shapes import CARDS_EACH, EXCHANGE
from tables.rules.lunar_supers import (
    DEALER,
    NO_DECISION,
    Hand,
    decide,
    on_target,
    own_super,
    super_on_line,
    supers_of,
)
from tables.rules.settle import Reckoning, Seat, line_of
from tables.rules.wagers import NOTHING

READING = "LP-12"


def give_back(reckoning: Reckoning, seat: Seat, cite: str) -> None:
    """Return a position's wagers, its Options fee and a folded Ante too (§ 671a.13, LP-12).

    Where the submission lets stand what was settled, only the rest is returned.
    """
    plan: Plan = reckoning.terms.submission.plan
    folded = decide(seat).folds
    began = is_past_supers(reckoning)
    if began and plan.settled_stands:
        return_the_rest(reckoning, seat, cite, plan)
        return
    readings = {
        "ante": READING if folded else None,
        "super": READING if folded or began else None,
        "bet": None,
        "options_fee": READING,
    }
    for kind, reading in readings.items():
        if kind in seat.wagers:
            reckoning.give_back(seat, kind, cite, reading=reading)
    for target, stake in supers_of(seat):
        reading = READING if began and target != DEALER else None
        return_super_on(reckoning, seat, target, stake, cite, reading)


def return_super_on(
    reckoning: Reckoning, seat: Seat, target: str, stake: str, cite: str, reading: str | None
) -> None:
    """Return a Super Wager on a hand that is not the player's own."""
    line = line_of(seat, "super_on", "returned", NOTHING, stake, cite, reading=reading)
    reckoning.lines.append(on_target(line, target, stake))


def is_past_supers(reckoning: Reckoning) -> bool:
    """Whether the record shows that Supers and first folds were settled: § 671a.11(c) is over.

    A card drawn, a decision after the draw or a payment tells it.
    """
    return any(
        "paid" in seat.facts or decision.get("draw") or "then" in decision
        for seat in reckoning.seats
        for decision in (seat.facts.get("decision", NO_DECISION),)
    )


def return_the_rest(reckoning: Reckoning, seat: Seat, cite: str, plan: Plan) -> None:
    """Let stand what § 671a.11(c) and (d) had settled before the round was void."""
    table = reckoning.chapter.paytables["super"]
    hands = {
        str(each.position): Hand(each, plan, table)
        for each in reckoning.seats
        if len(set(each.cards) - {UNSEEN}) == len(each.cards) == CARDS_EACH
    }
    mine = hands.get(str(seat.position))
    standing = settled_lines(reckoning, seat, mine)
    for kind in ("ante", "super", "bet", "options_fee"):
        if kind in standing:
            reckoning.lines.append({**standing[kind], "reading": READING})
        elif kind in seat.wagers:
            reckoning.give_back(seat, kind, cite)
    for target, stake in supers_of(seat):
        if target in hands:
            line = super_on_line(seat, target, stake, hands[target].shown)
            reckoning.lines.append({**line, "reading": READING})
        else:
            return_super_on(reckoning, seat, target, stake, cite, None)


def settled_lines(reckoning: Reckoning, seat: Seat, hand: Hand | None) -> dict[str, dict[str, Any]]:
    """Return the lines of a position that were settled before the void, by wager."""
    found = {}
    if hand is not None and "super" in seat.wagers:
        found["super"] = own_super(hand)
    if "ante" not in seat.wagers:
        return found
    decision = decide(seat)
    if hand is not None and hand.instant:
        found["ante"] = instant_line(hand, reckoning.terms)
        return found
    if decision.folds:
        cite = "§ 671a.11(d)(4)" if decision.drew else "§ 671a.11(c)(4)"
        found["ante"] = line_of(seat, "ante", "fold", NOTHING, NOTHING, cite)
    if decision.drew and seat.facts.get("decision", NO_DECISION).get("draw"):
        cite = "§ 671a.11(d)(1)"
        found["options_fee"] = line_of(seat, "options_fee", "lose", NOTHING, NOTHING, cite)
    return found


def flag_void(reckoning: Reckoning) -> None:
    """Flag draws that ask for more cards than the deck holds: the text is silent (LP-13)."""
    deck = len(reckoning.chapter.deck)
    hands = len(reckoning.seats) + 1
    left = deck - hands * CARDS_EACH - len(reckoning.document.get("discarded", ()))
    asked = sum(asked_for(seat) for seat in reckoning.seats)
    if asked > left:
        detail = f"The draws ask for {asked} cards, but {left} were left."
        found = reckoning.flag("deck_exhausted", "positions", "§ 671a.11(d)(1)", detail)
        found["reading"] = "LP-13"


def asked_for(seat: Seat) -> int:
    """Return how many cards a position's decision draws."""
    decision = seat.facts.get("decision", NO_DECISION)
    if decision.get("action") == EXCHANGE:
        return max(len(decision.get("discard", ())), len(decision.get("draw", ())))
    return int(decide(seat).drew)
