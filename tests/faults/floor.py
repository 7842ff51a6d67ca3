"""A floor to break things over: its lanes, their tables, and a day's events for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from audit.canonical import canonical
from tables.models import AccessKey, GamingTable
from tables.rules import Submission, TableTerms
from tables.services.keys import make_key
from tables.services.setup import load_setup
from tables.simulator import Start, play

GAME = "six_card_fortune_pai_gow"
CHOICES = {"wagers": ["main", "double_down", "fortune_bonus", "insurance", "progressive"]}
UNITS = {"ONE": Decimal("1.00"), "FIVE": Decimal("5.00"), "TWIN": Decimal("1.00")}
LINKED = {"A-1": "ONE", "A-2": "ONE", "A-3": "ONE", "A-4": "ONE", "B-1": "FIVE", "B-2": "FIVE"}
TABLES = (*LINKED, "C-1")  # the last has no progressive, and so a lane of its own
TWIN = {"T-1": "TWIN"}  # as A-1 and its progressive; plays only where two runs are compared

SETUP: dict[str, Any] = {
    "spec": "setup/1",
    "facility": {"name": "Faults", "time_zone": "America/New_York", "gaming_day_starts": "06:00"},
    "progressives": [
        {
            "code": code,
            "name": f"In units of {unit}",
            "wager_unit": str(unit),
            "levels": [
                {
                    "code": "grand",
                    "initial": f"{20000 * unit:.2f}",
                    "reset": f"{5000 * unit:.2f}",
                    "increment_percent": "21",
                }
            ],
        }
        for code, unit in UNITS.items()
    ],
    "rules_submissions": [
        {"game": GAME, "version": "faults-1", "effective": "2020-01-01", **CHOICES}
    ],
    "tables": [
        {
            "code": code,
            "pit": "1",
            "game": GAME,
            "positions": 6,
            **({"progressive": linked} if linked else {}),
        }
        for code, linked in {**LINKED, "C-1": None, **TWIN}.items()
    ],
}


@dataclass(frozen=True)
class Event:
    """One event on its way: where it belongs, and its bytes."""

    event_id: str
    table: str
    sequence: int
    document: dict[str, Any]
    raw: bytes

    @classmethod
    def of(cls, document: dict[str, Any]) -> "Event":
        return cls(
            document["event_id"],
            document["table"],
            document["sequence"],
            document,
            canonical(document),
        )


def open_floor() -> str:
    """Load the set-up into the connected database; return a gateway's secret for its tables."""
    load_setup(SETUP)
    _, secret = make_key(
        name="faults", kind=AccessKey.Kind.GATEWAY, tables=GamingTable.objects.all()
    )
    return secret


def day_of(
    rounds: int, seed: int, tables: Sequence[str] = TABLES, *, at: datetime | None = None
) -> list[Event]:
    """Return the events of so many rounds, in the order of their times; the same for a seed."""
    submission = Submission.make(GAME, CHOICES)
    starts = [
        Start(TableTerms(code, GAME, 6, submission, UNITS.get(LINKED.get(code, ""))))
        for code in tables
    ]
    begins = at or datetime.now(UTC) - timedelta(hours=1)
    played = play(starts, rounds=rounds, seed=seed, begins=begins, pace=0.01, lucky=True)
    return [Event.of(moment.event) for moment in played]
