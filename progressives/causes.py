"""What a cause of a variance is, and how it is said."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from progressives.meters import cents
from progressives.retold import Move

SHOWN = 12  # rounds that a cause names; it counts them all

MISSING, DUPLICATE, RATE = "missing_round", "duplicate", "wrong_rate"
LATE, MANUAL, FOLLOWS = "late_event", "manual_entry", "follows_from_it"
OTHER_DEALER, LOCKOUT = "other_dealer", "lockout_count"  # of chips, not of meters
TITLES = {
    MISSING: "Missing round",
    DUPLICATE: "Counted twice",
    RATE: "Wrong rate",
    LATE: "Late event",
    MANUAL: "Manual entry",
    FOLLOWS: "Follows from the above",
    OTHER_DEALER: "Counted with another dealer",
    LOCKOUT: "Counted wrongly at the lock-out",
}
ORDER = {MISSING: 0, DUPLICATE: 0, RATE: 0, LATE: 0, MANUAL: 1, FOLLOWS: 2}


class Cause(NamedTuple):
    """One reason, with how much of the variance it explains and the rounds behind it."""

    kind: str
    amount: Decimal
    sentence: str
    rounds: tuple[tuple[str, int | None], ...] = ()

    @property
    def title(self) -> str:
        return TITLES[self.kind]

    def told(self) -> dict[str, Any]:
        """Return the cause as JSON."""
        shown = [list(place) for place in self.rounds[:SHOWN]]
        told = {"kind": self.kind, "amount": cents(self.amount), "sentence": self.sentence}
        return {**told, "rounds": shown, "round_count": len(self.rounds)}


def places(moves: Iterable[Move]) -> tuple[tuple[str, int | None], ...]:
    """Return the rounds of the movements, each once, in the lane's order."""
    ordered = sorted(moves, key=lambda moved: moved.lane_number)
    return tuple(dict.fromkeys((moved.table, moved.round) for moved in ordered))


def rounds_told(moves: Iterable[Move]) -> str:
    """Write which rounds: the first few by name."""
    found = places(moves)
    named = [
        f"{table} round {number}" if number else table or "an entry" for table, number in found
    ]
    more = f" and {len(found) - 3:,} more" if len(found) > 3 else ""
    return ", ".join(named[:3]) + more


def place_told(moved: Move) -> str:
    """Write one movement's place."""
    return f"{moved.table} round {moved.round}"
