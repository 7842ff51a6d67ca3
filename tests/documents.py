"""Round documents for tests, written out by hand: what each pays is plain from its cards."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

SETUP: dict[str, Any] = {
    "spec": "setup/1",
    "facility": {
        "name": "Test Casino",
        "time_zone": "America/New_York",
        "gaming_day_starts": "06:00",
    },
    "progressives": [
        {
            "code": "P-1",
            "wager_unit": "1.00",
            "levels": [
                {
                    "code": "grand",
                    "initial": "20000.00",
                    "reset": "5000.00",
                    "increment_percent": "21",
                }
            ],
        }
    ],
    "rules_submissions": [
        {"game": "six_card_fortune_pai_gow", "version": "t-1", "effective": "2026-01-01"}
    ],
    "tables": [
        {
            "code": code,
            "pit": "1",
            "game": "six_card_fortune_pai_gow",
            "positions": 6,
            "progressive": "P-1",
        }
        for code in ("T-1", "T-2")
    ],
}

NOON = datetime(2026, 3, 14, 16, 0, tzinfo=UTC)  # noon in New York
DEALER = "7D 8C QC 2H 9H 3S".split()  # nothing: queen and nine below it

# Six cards, and the low one of them: hands that no other here shares a card with.
NOTHING = ("4S 6C TD 8H KC 3D".split(), ["TD"])
STRAIGHT = ("5S 6H 7C 8D 9S KD".split(), ["KD"])
ROYAL = ("AS KS QS JS TS 4D".split(), ["4D"])
OTHER_ROYAL = ("AH KH QH JH TH 4C".split(), ["4C"])
FIVE_ACES = ("AS AH AD AC JK KS".split(), ["KS"])


def seat(
    position: int, hand: tuple[list[str], list[str]], *, progressive: bool = True, **changes: Any
) -> dict[str, Any]:
    """Return a position with a main wager and, unless told otherwise, a progressive one."""
    wagers = {"main": "25.00"} | ({"progressive": "1.00"} if progressive else {})
    cards, low = hand
    return {"position": position, "wagers": wagers, "cards": cards, "low": low, **changes}


class Sender:
    """A table controller of one table: gives out event ids and sequences as a real one does."""

    def __init__(self, table: str = "T-1") -> None:
        self.table = table
        self.sequence = 0
        self.round = 0

    def envelope(self, type_: str, **changes: Any) -> dict[str, Any]:
        self.sequence += 1
        sequence = changes.pop("sequence", self.sequence)
        moment = NOON + timedelta(minutes=self.round, seconds=20 * (self.sequence % 3))
        return {
            "spec": "round/1",
            "event_id": str(UUID(int=hash((self.table, self.sequence)) & (2**128 - 1))),
            "table": self.table,
            "sequence": sequence,
            "type": type_,
            "round": self.round,
            "occurred_at": moment.isoformat(),
            "game": "six_card_fortune_pai_gow",
            "dealer": "D100",
            **changes,
        }

    def whole(self, *seats: dict[str, Any], **changes: Any) -> dict[str, Any]:
        """Return a new round, lock-out and settlement in one."""
        self.round += 1
        return self.envelope(
            "round", positions=list(seats), dealer_hand={"cards": DEALER}, **changes
        )

    def lockout(self, *seats: dict[str, Any], **changes: Any) -> dict[str, Any]:
        """Return the lock-out of a new round."""
        self.round += 1
        kept = [{k: s[k] for k in ("position", "player", "wagers") if k in s} for s in seats]
        return self.envelope("lockout", positions=kept, **changes)

    def settlement(self, *seats: dict[str, Any], **changes: Any) -> dict[str, Any]:
        """Return the settlement of the round that was locked out last."""
        return self.envelope(
            "settlement", positions=list(seats), dealer_hand={"cards": DEALER}, **changes
        )

    def void(self, cite: str = "670a.13(e)", **changes: Any) -> dict[str, Any]:
        """Return the void of the round that was locked out last."""
        return self.envelope("void", irregularity={"cite": cite}, **changes)
