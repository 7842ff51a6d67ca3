"""Round documents made for tests: a whole event, with what a test says of it in place."""

from decimal import Decimal
from typing import Any

from tables.rules import Settled, Submission, TableTerms, check_envelope, check_event, settle

GAME = "six_card_fortune_pai_gow"
DEALER = "2D 3C 5H 7S 9C JD"  # jack-high, nine low


def terms(*, unit: str | None = "1.00", positions: int = 6, **choices: Any) -> TableTerms:
    submission = Submission.make(GAME, choices)
    return TableTerms("T-1", GAME, positions, submission, None if unit is None else Decimal(unit))


def seat(position: int, cards: str | None = None, low: str | None = None, **told: Any) -> dict:
    """A position; keywords that are no keys of a position are its wagers."""
    keys = ("player", "status", "irregularity", "lamp", "envy_lammer", "paid")
    made: dict[str, Any] = {"position": position}
    made.update({key: told.pop(key) for key in keys if key in told})
    if cards is not None:
        made["cards"] = cards.split()
    if low is not None:
        made["low"] = [low]
    return {**made, "wagers": {"main": "25.00", **told}}


def event(kind: str = "round", **keys: Any) -> dict[str, Any]:
    envelope = {
        "spec": "round/1",
        "event_id": "6f0d4a58-0c51-4f1c-9d0e-670a12d30003",
        "table": "T-1",
        "sequence": 1,
        "type": kind,
        "round": 1,
        "occurred_at": "2026-11-12T06:00:15.000-05:00",
        "game": GAME,
    }
    return {**envelope, **keys}


def played(
    *seats: dict[str, Any], dealer: str = DEALER, low: str | None = None, **keys: Any
) -> Any:
    hand = {"cards": dealer.split(), **({} if low is None else {"low": [low]})}
    return event("round", positions=list(seats), dealer_hand=hand, **keys)


def settled(document: dict[str, Any], under: TableTerms | None = None) -> Settled:
    """Check the document as the doors do, and settle it."""
    under = under or terms()
    check_envelope(document)
    check_event(document, under)
    return settle(document, under)


def lines(outcome: Settled, *wagers: str) -> list[str]:
    """The lines of some wagers, or of all, each as a short sentence."""
    found = []
    for line in outcome.outcome["lines"]:
        if not wagers or line["wager"] in wagers:
            parts = [str(line["position"]), line["wager"], line["result"]]
            parts += [line[key] for key in ("hand", "terms") if key in line]
            parts += [f"+{line['pays']}", f"<{line['returned']}"]
            parts += [f"from {line['from_position']}"] if "from_position" in line else []
            parts += [line["cite"].removeprefix("§ ")]
            parts += [line["reading"]] if "reading" in line else []
            found.append(" ".join(parts))
    return found


def flags(outcome: Settled) -> list[tuple[str, str, str]]:
    return [(flag["code"], flag["path"], flag["severity"]) for flag in outcome.flags]
