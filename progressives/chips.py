"""The chips of the Progressive Payout Wagers by table and dealer: by the lock-outs, and as counted.

Pure. The lock-outs say what must lie there; a person counts it without being told the sum.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

NOTHING = Decimal(0)

Place = tuple[str, int]


class Taken(NamedTuple):
    """What one round put into the rack, and whether it was reported too late for its own day."""

    number: int
    amount: Decimal
    late: bool = False


class Laid(NamedTuple):
    """What lay on the progressive spots of one round when no more bets were taken."""

    dealer: str
    stakes: dict[int, Decimal]
    said: int | None  # how many chips the dealer counted into the rack (§ 670a.8(b)(2))


@dataclass
class Tally:
    """One dealer at one table over a day: what he took in, and what went back to players."""

    taken: Decimal = NOTHING
    returned: Decimal = NOTHING
    rounds: list[Taken] = field(default_factory=list)
    miscounted: list[tuple[int, Decimal]] = field(default_factory=list)  # round, count less wagers

    @property
    def kept(self) -> Decimal:
        """Return what must lie there at the day's end."""
        return self.taken - self.returned


class Chips:
    """A fold over a lane's rounds, in their order."""

    def __init__(self) -> None:
        self.open: dict[Place, Laid] = {}
        self.tallies: dict[tuple[str, str], Tally] = {}
        self.late: dict[tuple[str, str], list[Taken]] = {}  # of this day, reported after its end

    def tell(self, document: Mapping[str, Any], facts: Mapping[str, Any], *, of_day: bool) -> None:
        """Take one event; one of an earlier day only leaves its round open or ends it."""
        place = document["table"], document["round"]
        if document["type"] in ("lockout", "round"):
            self.open[place] = laid = laid_by(document)
            if of_day and laid.stakes:
                self._take(place, laid, bool(facts.get("late")))
        if document["type"] == "lockout":
            return
        laid = self.open.pop(place, Laid("", {}, None))
        if document["type"] == "void":
            back = sum(laid.stakes.values(), NOTHING)
        else:
            lines = facts.get("outcome", {}).get("lines", ())
            gone = {
                line["position"]
                for line in lines
                if line["wager"] == "progressive" and line["result"] == "returned"
            }
            back = sum((laid.stakes.get(position, NOTHING) for position in gone), NOTHING)
        if back and of_day:
            self._tally(place[0], laid.dealer).returned += back

    def _take(self, place: Place, laid: Laid, late: bool) -> None:
        tally = self._tally(place[0], laid.dealer)
        stakes = sum(laid.stakes.values(), NOTHING)
        tally.taken += stakes
        tally.rounds.append(Taken(place[1], stakes, late))
        if laid.said is not None and laid.said != len(laid.stakes):
            unit = stakes / len(laid.stakes)
            tally.miscounted.append((place[1], (laid.said - len(laid.stakes)) * unit))

    def _tally(self, table: str, dealer: str) -> Tally:
        return self.tallies.setdefault((table, dealer), Tally())

    def came_late(self, document: Mapping[str, Any]) -> None:
        """Note a lock-out that was reported after the day's end: its chips lie there already."""
        laid = laid_by(document)
        if laid.stakes:
            taken = Taken(document["round"], sum(laid.stakes.values(), NOTHING), late=True)
            self.late.setdefault((document["table"], laid.dealer), []).append(taken)

    def state(self) -> list[Any]:
        """Return the rounds that are open, as JSON: the next day goes on from here."""
        return [
            [*place, laid.dealer, {str(p): str(stake) for p, stake in laid.stakes.items()}]
            for place, laid in sorted(self.open.items())
            if laid.stakes
        ]

    def resume(self, told: Iterable[Any]) -> None:
        """Go on from where an earlier day's fold ended."""
        for table, number, dealer, stakes in told:
            laid = {int(position): Decimal(stake) for position, stake in stakes.items()}
            self.open[table, number] = Laid(dealer, laid, None)


def laid_by(document: Mapping[str, Any]) -> Laid:
    """Return the progressive wagers of a lock-out, or of a round that was told whole."""
    stakes = {
        int(seat["position"]): Decimal(seat["wagers"]["progressive"])
        for seat in document.get("positions", ())
        if "progressive" in seat.get("wagers", {})
    }
    return Laid(document.get("dealer", ""), stakes, document.get("chip_count"))
