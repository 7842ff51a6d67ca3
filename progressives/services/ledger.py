"""Move the meters of a held lane, one movement after the other, and write what moved.

The lane's holder builds one ``Ledger`` for its transaction: it reads each meter once, keeps it in
memory while a batch of rounds moves it, and at the end copies the entries and writes each meter
once. Nobody else can move these meters meanwhile, since every mover holds the lane.
"""

from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from audit.copying import copy_rows
from progressives.meters import MeterTerms, Movement, RunningMeter
from progressives.models import Meter

ENTRY_COLUMNS = {
    "meter_id": "int8",
    "sequence": "int8",
    "kind": "varchar",
    "amount": "numeric",
    "before": "numeric",
    "after": "numeric",
    "lane_number": "int8",
    "gaming_day": "date",
    "round_id": "uuid",
    "table": "varchar",
    "round": "int8",
    "position": "int2",
    "stake": "numeric",
    "dealer": "varchar",
    "hand": "varchar",
    "cards": "varchar",
}


class RoundFacts(NamedTuple):
    """What a movement says of the round it belongs to, besides its amount."""

    lane_number: int
    gaming_day: date
    round_id: UUID | None
    table: str
    round: int | None
    dealer: str


class Priced(NamedTuple):
    """A meter award at its turn: what the meter showed, what it pays, which entry it is."""

    meter_id: int
    sequence: int
    meter_at_turn: Decimal
    pays: Decimal
    reset_put_in: Decimal


class LevelMeter:
    """One meter in the hands of the lane's holder."""

    __slots__ = ("_rows", "meter", "running", "sequence", "told")

    def __init__(self, meter: Meter, rows: list[tuple[Any, ...]]) -> None:
        self.meter = meter
        self.sequence = meter.sequence
        terms = MeterTerms(meter.increment_percent, meter.reset)
        self.running = RunningMeter(meter.value, terms)
        self._rows = rows
        self.told: list[dict[str, Any]] = []  # of the round at hand, for the log

    def _enter(
        self,
        moved: Movement,
        facts: RoundFacts,
        position: int | None = None,
        stake: Decimal | None = None,
        hand: str = "",
        cards: str = "",
    ) -> None:
        self.sequence += 1
        kind, amount, before, after = moved
        number, day, round_id, table, round_number, dealer = facts
        self._rows.append(
            (self.meter.pk, self.sequence, kind, amount, before, after, number, day, round_id)
            + (table, round_number, position, stake, dealer, hand, cards)
        )
        self.told.append(
            {
                "after": str(after),
                "amount": str(amount),
                "before": str(before),
                "kind": kind,
                "level": self.meter.level,
                "position": position,
                "sequence": self.sequence,
            }
        )

    def contribute(self, facts: RoundFacts, position: int, stake: Decimal) -> Decimal:
        """Add a wager's increment; return what was added."""
        moved = self.running.contribute(stake)
        self._enter(moved, facts, position, stake)
        return moved.amount

    def reverse(self, facts: RoundFacts, position: int, contributed: Decimal) -> None:
        """Take a round's own contribution off again (§ 670a.13)."""
        moved = self.running.reverse(contributed)
        if moved is not None:
            self._enter(moved, facts, position)

    def award(
        self,
        facts: RoundFacts,
        *,
        position: int,
        percent: int,
        stake: Decimal,
        hand: str,
        cards: str,
    ) -> Priced:
        """Pay a share of the meter at the position's turn (§ 670a.12(d)(3))."""
        steps: list[Movement] = []
        self.running.note = steps.append
        paid = self.running.award(percent)
        self.running.note = None
        self._enter(paid, facts, position, stake, hand, cards)
        sequence, put_in = self.sequence, Decimal(0)
        for step in steps[1:]:
            self._enter(step, facts, position)
            put_in += step.amount
        return Priced(self.meter.pk, sequence, paid.before, -paid.amount, put_in)

    def move(self, kind: str, amount: Decimal, facts: RoundFacts, position: int | None) -> None:
        """Enter a movement that a person ordered, such as a refused award put back."""
        before = self.running.value
        self.running.value = before + amount
        self._enter(Movement(kind, amount, before, before + amount), facts, position)


class Ledger:
    """The meters of one held lane, by progressive and level."""

    def __init__(self, lane_id: int) -> None:
        self._rows: list[tuple[Any, ...]] = []
        self.meters: dict[tuple[int, str], LevelMeter] = {}
        self._first: dict[int, LevelMeter] = {}
        for meter in Meter.objects.filter(progressive__lane_id=lane_id).order_by("pk"):
            held = LevelMeter(meter, self._rows)
            self.meters[meter.progressive_id, meter.level] = held
            self._first.setdefault(meter.progressive_id, held)

    def of(self, progressive_id: int) -> LevelMeter:
        """Return the meter of a progressive that has one level."""
        return self._first[progressive_id]

    def take_told(self, progressive_id: int | None) -> list[dict[str, Any]]:
        """Return what moved since the last call, as the log tells it."""
        if progressive_id is None:
            return []
        held = self._first[progressive_id]
        told, held.told = held.told, []
        return told

    def store(self) -> None:
        """Copy the entries, then write each moved meter once."""
        copy_rows("progressives_meterentry", ENTRY_COLUMNS, self._rows)
        moved = [m for m in self.meters.values() if m.sequence != m.meter.sequence]
        with connection.cursor() as cursor:
            for held in moved:
                cursor.execute(
                    "UPDATE progressives_meter SET value = %s, sequence = %s WHERE id = %s",
                    [held.running.value, held.sequence, held.meter.pk],
                )
