"""Rounds of Pai Gow Poker made for tests, under the sample submission."""

from decimal import Decimal
from typing import Any

import pytest

from tables.rules import Refusal, Settled, Submission, TableTerms
from tables.rules.samples import read_sample
from tests.rules import made

GAME = "pai_gow"
DEALER, DEALER_LOW = "KC JD TS 8C 6S 4D 2C", "JD TS"  # king-high over jack-ten
DRAGON, DRAGON_LOW = "QH TS 9D 7C 6S 4H 2D", "TS 9D"  # a Queen's Dragon
LOSER, LOSER_LOW = "QS JH 8D 7S 5S 4H 3D", "JH 8D"  # queen-high
QUADS, QUADS_LOW = "9S 9H 9D 9C KH 5D 3H", "KH 5D"
POSITION_KEYS = (
    "player", "status", "irregularity", "lamp", "envy_lammer", "paid", "surrender", "counted",
)  # fmt: skip


def terms(*, unit: str | None = "1.00", positions: int = 6, **choices: Any) -> TableTerms:
    """A table under the sample, with some choices of its own."""
    submission = Submission.make(GAME, {**read_sample("645a"), **choices})
    progressive = None if unit is None else Decimal(unit)
    return TableTerms("T-1", GAME, positions, submission, progressive)


def seat(position: int, cards: str | None = None, low: str | None = None, **told: Any) -> dict:
    """A position; keywords that are no keys of a position are its wagers."""
    made_seat: dict[str, Any] = {"position": position}
    made_seat.update({key: told.pop(key) for key in POSITION_KEYS if key in told})
    if cards is not None:
        made_seat["cards"] = cards.split()
    if low is not None:
        made_seat["low"] = low.split()
    wagers = {"main": "25.00", **told}
    return {**made_seat, "wagers": {k: amount for k, amount in wagers.items() if amount}}


def red(amount: str = "5.00") -> dict[str, str]:
    return {"amount": amount, "on": "red"}


def event(kind: str, **keys: Any) -> dict[str, Any]:
    return made.event(kind, **{"game": GAME, **keys})


def played(
    *seats: dict[str, Any], dealer: str = DEALER, low: str = DEALER_LOW, **keys: Any
) -> dict[str, Any]:
    hand = {"cards": dealer.split(), "low": low.split()}
    return event("round", positions=list(seats), dealer_hand=hand, **keys)


def settled(document: dict[str, Any], under: TableTerms | None = None) -> Settled:
    return made.settled(document, under or terms())


def refusal_of(document: dict[str, Any], under: TableTerms | None = None) -> tuple[str, str]:
    with pytest.raises(Refusal) as refusal:
        settled(document, under)
    return refusal.value.code, refusal.value.path
