"""Rounds of Free Bet Blackjack made for tests."""

from typing import Any

import pytest

from tables.rules import Refusal, Submission, TableTerms
from tests.rules import made

GAME = "free_bet_blackjack"
POSITION_KEYS = ("player", "status", "irregularity", "paid", "even_money", "envy_lammer", "lamp")


def terms(*, positions: int = 6, **choices: Any) -> TableTerms:
    return TableTerms("T-1", GAME, positions, Submission.make(GAME, choices), None)


def hand(cards: str, split: str | None = None, double: str | None = None, **told: Any) -> dict:
    return {"cards": cards.split(), "from_split": split, "double": double, **told}


def seat(position: int, *hands: str | dict, **told: Any) -> dict[str, Any]:
    """A position; keywords that are no keys of a position are its wagers."""
    made_seat: dict[str, Any] = {"position": position}
    made_seat.update({key: told.pop(key) for key in POSITION_KEYS if key in told})
    if hands:
        made_seat["hands"] = [hand(one) if isinstance(one, str) else one for one in hands]
    return {**made_seat, "wagers": {"main": "20.00", **told}}


def event(kind: str, **keys: Any) -> dict[str, Any]:
    return made.event(kind, **{"game": GAME, **keys})


def played(*seats: dict[str, Any], dealer: str = "TD 8C", **keys: Any) -> dict[str, Any]:
    return event("round", positions=list(seats), dealer_hand={"cards": dealer.split()}, **keys)


def settled(document: dict[str, Any], **choices: Any) -> Any:
    return made.settled(document, terms(**choices))


def refused(document: dict[str, Any], **choices: Any) -> tuple[str, str, str | None]:
    """The code, place and paragraph with which a document is refused."""
    with pytest.raises(Refusal) as refusal:
        settled(document, **choices)
    return refusal.value.code, refusal.value.path, refusal.value.cite


lines, flags = made.lines, made.flags
