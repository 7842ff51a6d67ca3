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

from audit.copying import NULL, copy_lines, escaped
from progressives.meters import MeterTerms, Movement, RunningMeter
from progressives.models import Meter

ENTRY_COLUMNS = (
    *("meter_id", "sequence", "kind", "amount", "before", "after"),
    *("lane_number", "gaming_day", "round_id", "table", "round", "dealer"),
    *("position", "stake", "hand", "cards"),
)


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


class Entry(NamedTuple):
    """A movement as the log tells it; amounts as text."""

    level: str
    sequence: int
    kind: str
    position: int | None
    amount: str
    before: str
    after: str

    def told(self) -> dict[str, Any]:
        """Return the entry as JSON."""
        return self._asdict()

    def canonical(self) -> str:
        """Return the canonical JSON of ``told``: written out, since every wager makes one.

        Nothing in it needs escaping: kinds and amounts are ours, a level's code is plain text.
        """
        position = "null" if self.position is None else self.position
        return (
            f'{{"after":"{self.after}","amount":"{self.amount}","before":"{self.before}",'
            f'"kind":"{self.kind}","level":"{self.level}","position":{position},'
            f'"sequence":{self.sequence}}}'
        )


class LevelMeter:
    """One meter in the hands of the lane's holder."""

    __slots__ = (
        *("_facts", "_facts_text", "_lines", "begun_at", "meter", "running", "sequence", "told"),
    )

    def __init__(self, meter: Meter, lines: list[str], before: "LevelMeter | None" = None) -> None:
        self.meter = meter
        sequence, value = meter.sequence, meter.value
        if before is not None:
            sequence, value = before.sequence, before.running.value
        self.begun_at: int = sequence
        self.sequence: int = sequence
        terms = MeterTerms(meter.increment_percent, meter.reset)
        self.running: RunningMeter = RunningMeter(value, terms)
        self._lines = lines
        self._facts: RoundFacts | None = None
        self._facts_text = ""
        self.told: list[Entry] = []  # of the round at hand, for the log

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
        if facts is not self._facts:  # the same for all of a round's movements
            self._facts, self._facts_text = facts, text_of(facts)
        kind = moved.kind
        amount, before, after = str(moved.amount), str(moved.before), str(moved.after)
        self._lines.append(
            f"{self.meter.pk}\t{self.sequence}\t{kind}\t{amount}\t{before}\t{after}\t"
            f"{self._facts_text}\t{NULL if position is None else position}\t"
            f"{NULL if stake is None else stake}\t{hand}\t{cards}\n"
        )
        level = self.meter.level
        self.told.append(Entry(level, self.sequence, kind, position, amount, before, after))

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
    """The meters of one held lane, by progressive and level.

    With ``before`` it goes on where that one ends, which need not be written yet.
    """

    def __init__(self, lane_id: int, before: "Ledger | None" = None) -> None:
        self._lines: list[str] = []
        self.meters: dict[tuple[int, str], LevelMeter] = {}
        self._first: dict[int, LevelMeter] = {}
        if before is None:
            for meter in Meter.objects.filter(progressive__lane_id=lane_id).order_by("pk"):
                self._hold(LevelMeter(meter, self._lines))
        else:
            for held in before.meters.values():
                self._hold(LevelMeter(held.meter, self._lines, held))

    def _hold(self, held: LevelMeter) -> None:
        self.meters[held.meter.progressive_id, held.meter.level] = held
        self._first.setdefault(held.meter.progressive_id, held)

    def of(self, progressive_id: int) -> LevelMeter:
        """Return the meter of a progressive that has one level."""
        return self._first[progressive_id]

    def take_told(self, progressive_id: int | None) -> list[Entry]:
        """Return what moved since the last call, as the log tells it."""
        if progressive_id is None:
            return []
        held = self._first[progressive_id]
        told, held.told = held.told, []
        return told

    def store(self) -> None:
        """Copy the entries, then write each moved meter once."""
        copy_lines("progressives_meterentry", ENTRY_COLUMNS, self._lines)
        moved = [held for held in self.meters.values() if held.sequence != held.begun_at]
        with connection.cursor() as cursor:
            for held in moved:
                cursor.execute(
                    "UPDATE progressives_meter SET value = %s, sequence = %s WHERE id = %s",
                    [held.running.value, held.sequence, held.meter.pk],
                )


def text_of(facts: RoundFacts) -> str:
    """Return the columns that a round's facts fill, in COPY's text format."""
    number, day, round_id, table, round_number, dealer = facts
    return (
        f"{number}\t{day}\t{round_id or NULL}\t{escaped(table)}\t"
        f"{NULL if round_number is None else round_number}\t{escaped(dealer)}"
    )
