"""Hands of Lunar Poker as they were dealt and decided, and the Super Wagers on them.

A Super Wager is the same thing whosever it is: it looks at what a hand shows, § 671a.6(d).
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from tables.rules.cards import EMPTY, KEY
from tables.rules.lunar_hands import LOWEST_INSTANT, RANKING, Plan
from tables.rules.lunar_shapes import BET, BUY, DRAWS, LEFT
from tables.rules.paytables import Line, Paytable
from tables.rules.settle import Seat, line_of
from tables.rules.wagers import AMOUNTS, NOTHING, payout

NO_DECISION: Mapping[str, Any] = {}
DEALER = "dealer"


@lru_cache(maxsize=4096)
def bet_on(ante: str) -> str:
    """Return the Bet Wager that goes with an Ante (§ 671a.11(b)(2))."""
    return str(payout(BET, AMOUNTS[ante]))


# ---- § 671a.11(a)-(b). Hands and decisions ----------------------------------------------------


class Decision(NamedTuple):
    """What a player decided, at first and after a draw."""

    drew: bool
    bets: bool
    folds: bool


def decide(seat: Seat) -> Decision:
    """Read a position's decision, and put the wagers that follow from it beside the others."""
    decision = seat.facts.get("decision", NO_DECISION)
    action = decision.get("action")
    last = decision.get("then") if action in DRAWS else action
    wagers = seat.wagers
    drew = action in DRAWS or "options_fee" in wagers
    bets = last == "bet" or "bet" in wagers
    if drew or bets:
        seat.wagers = wagers = {**wagers}
        ante = wagers.get("ante")  # evidence of a void round may leave it out
        if drew and ante:
            wagers.setdefault("options_fee", ante)
        if bets and ante:
            wagers.setdefault("bet", bet_on(ante))
    return Decision(drew, bets, last == "fold")


class Shown(NamedTuple):
    """What a hand comes to for every Super Wager on it: its line, none where they are lost."""

    line: Line | None
    hand: str
    reading: str | None
    lost: str


class Hand:
    """A position in play: its first five cards, what was decided, what it is to a Super Wager."""

    __slots__ = ("decision", "first", "instant", "left", "seat", "shown", "undeclared")

    def __init__(self, seat: Seat, plan: Plan, table: Paytable) -> None:
        cards = seat.cards
        key = sum(map(KEY.__getitem__, cards), EMPTY)
        value = self.first = RANKING.of_key(key, cards)
        declared = seat.facts.get("declares", True)
        self.seat = seat
        self.shown = shown(plan, table, key, value, LOST, declared)
        self.left = seat.status == LEFT
        high = value >= LOWEST_INSTANT and not self.left
        self.instant = high and (declared or plan.verify)
        self.undeclared = high and not declared
        self.decision = decide(seat)


LOST = "§ 671a.11(c)(1)"
LOST_ON_DEALER = "§ 671a.11(e)(1)"


def shown(
    plan: Plan, table: Paytable, key: int, value: int, lost: str, declared: bool = True
) -> Shown:
    """Return what five cards are to a Super Wager; one not declared loses (LP-7)."""
    hand, reading = plan.super_hand(key, value)
    if hand is None:
        return Shown(None, RANKING.name(value), None, lost)
    if not declared:
        return Shown(None, hand, "LP-7", lost)
    return Shown(table.row[hand], hand, reading, lost)


def final_cards(seat: Seat) -> list[str]:
    """Return the cards that a position plays with: five, or six with one bought."""
    decision = seat.facts["decision"]
    if decision["action"] == BUY:
        return [*seat.cards, *decision["draw"]]
    discard = decision["discard"]
    return [*(card for card in seat.cards if card not in discard), *decision["draw"]]


# ---- § 671a.11(c), (e). Super Wagers, instant payouts, folded Antes ---------------------------


def super_line(
    seat: Seat, kind: str, stake: str, hand: Shown, reading: str | None = None
) -> dict[str, Any]:
    """Return the line of a Super Wager: own, on another position's hand, or on the dealer's."""
    reading = hand.reading or reading
    if hand.line is None:
        return line_of(
            seat, kind, "lose", NOTHING, NOTHING, hand.lost, hand=hand.hand, reading=reading
        )
    return line_of(
        seat,
        kind,
        "win",
        hand.line.pays(stake),
        stake,
        "§ 671a.12(b)",
        hand=hand.hand,
        terms=hand.line.terms_text,
        reading=reading,
    )


def super_on_line(seat: Seat, target: str, stake: str, hand: Shown) -> dict[str, Any]:
    """Return the line of a Super Wager on a hand that is not the player's own."""
    line = super_line(seat, "super_on", stake, hand)
    return on_target(line, target, stake)


def on_target(line: dict[str, Any], target: str, stake: str) -> dict[str, Any]:
    """Say on which hand a Super Wager was, and how much of the position's it was."""
    line["stake"] = stake
    line["on"] = target
    return line


def supers_by_target(hands: list[Hand]) -> dict[str, list[tuple[Seat, str]]]:
    """Return the Super Wagers on others by the hand they are on, clockwise on each (LP-11)."""
    found: dict[str, list[tuple[Seat, str]]] = {}
    for hand in hands:
        if not hand.left:
            for target, stake in supers_of(hand.seat):
                found.setdefault(target, []).append((hand.seat, stake))
    return found


def supers_of(seat: Seat) -> list[tuple[str, str]]:
    """Return a position's Super Wagers on others: the hand, the amount."""
    told: Any = seat.wagers.get("super_on", {})  # the one wager of several sums
    return [(target, stake) for target, stake in told.items() if target[:1] != "_"]


def own_super(hand: Hand) -> dict[str, Any]:
    """Return the line of a player's Super Wager on his own hand, paid even if he folds (LP-8)."""
    seat, won = hand.seat, hand.shown.line is not None
    folded = won and hand.decision.folds and not hand.decision.drew and not hand.instant
    return super_line(seat, "super", seat.wagers["super"], hand.shown, "LP-8" if folded else None)
