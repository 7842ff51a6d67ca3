"""Rounds of Lunar Poker made for tests."""

from typing import Any

import pytest

from tables.rules import Refusal, Submission, TableTerms
from tests.rules import made

GAME = "lunar_poker"
POSITION_KEYS = ("player", "status", "irregularity", "paid", "declares", "lamp", "envy_lammer")
QUALIFIED = "TD TH 9C 6S 2H"  # a pair of tens
UNQUALIFIED = "2D 4C 6H 8S TD"  # ten-high
LEFT = {"status": "abandoned", "irregularity": {"cite": "671a.7(b)"}}


def terms(*, positions: int = 5, **choices: Any) -> TableTerms:
    return TableTerms("T-1", GAME, positions, Submission.make(GAME, choices), None)


def seat(
    position: int, cards: str | None = None, does: str | dict | None = None, **told: Any
) -> Any:
    """A position; ``does`` is its decision, keywords that are no keys of a position its wagers."""
    made_seat: dict[str, Any] = {"position": position}
    made_seat.update({key: told.pop(key) for key in POSITION_KEYS if key in told})
    if cards is not None:
        made_seat["cards"] = cards.split()
    if does is not None:
        made_seat["decision"] = {"action": does} if isinstance(does, str) else does
    wagers = {"ante": "10.00", "super": told.get("ante", "10.00"), **told}
    return {**made_seat, "wagers": {kind: told for kind, told in wagers.items() if told}}


def buys(card: str, then: str | None = "bet", **told: Any) -> dict[str, Any]:
    after = {} if then is None else {"then": then}
    return {"action": "buy", "draw": card.split(), **after, **told}


def exchanges(discard: str, draw: str, then: str | None = "bet") -> dict[str, Any]:
    return {**buys(draw, then), "action": "exchange", "discard": discard.split()}


def event(kind: str, **keys: Any) -> dict[str, Any]:
    return made.event(kind, **{"game": GAME, **keys})


def played(*seats: dict[str, Any], dealer: str = QUALIFIED, **keys: Any) -> dict[str, Any]:
    return event("round", positions=list(seats), dealer_hand={"cards": dealer.split()}, **keys)


def settled(document: dict[str, Any], **choices: Any) -> Any:
    return made.settled(document, terms(**choices))


def refused(document: dict[str, Any], **choices: Any) -> tuple[str, str, str | None]:
    """The code, place and paragraph with which a document is refused."""
    with pytest.raises(Refusal) as refusal:
        settled(document, **choices)
    return refusal.value.code, refusal.value.path, refusal.value.cite


def brief(outcome: Any, *wagers: str) -> list[str]:
    """The lines as ``position wager [on target] result +pays <returned [reading]``."""
    found = []
    for line in outcome.outcome["lines"]:
        if not wagers or line["wager"] in wagers:
            parts = [str(line["position"]), line["wager"]]
            parts += [f"on {line['on']}"] if "on" in line else []
            parts += [line["result"], f"+{line['pays']}", f"<{line['returned']}"]
            parts += [line["reading"]] if "reading" in line else []
            found.append(" ".join(parts))
    return found


lines, flags = made.lines, made.flags
