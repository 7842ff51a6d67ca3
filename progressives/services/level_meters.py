"""Meters in the hands of their lane's holder: each moves in memory and notes its entries."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from audit.copying import NULL, escaped
from progressives.levels import DISPLAY, OVERFLOW, RESERVE, Level, PutIn, Rate
from progressives.meters import MeterTerms, Movement, RunningMeter, increment
from progressives.models import Meter
from progressives.must_hit import MUST_HIT, Draw, pays
from progressives.services.must_hit import Won, current_draw, draw_at, draw_for, draw_numbered
from progressives.services.snapshots import Mark


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

    def canonical(self, progressive: str = "") -> str:
        """Return the canonical JSON of ``told``: written out, since every wager makes one.

        A further progressive of the table is named: the entries of its own one need no name.

        Nothing in it needs escaping: kinds and amounts are ours, a level's code is plain text.
        """
        position = "null" if self.position is None else self.position
        named = f'"progressive":"{progressive}",' if progressive else ""
        return (
            f'{{"after":"{self.after}","amount":"{self.amount}","before":"{self.before}",'
            f'"kind":"{self.kind}","level":"{self.level}","position":{position},{named}'
            f'"sequence":{self.sequence}}}'
        )


class LevelMeter:
    """One meter in the hands of the lane's holder."""

    __slots__ = (
        *(
            "_facts",
            "_facts_text",
            "_lines",
            "begun_at",
            "marks",
            "meter",
            "name",
            "running",
            "sequence",
        ),
        "told",
    )

    def __init__(self, meter: Meter, lines: list[str], before: "LevelMeter | None" = None) -> None:
        self.meter = meter
        self.name: str = meter.name
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
        self.marks: list[Mark] = []  # what is to be read of it: each hit, each reset

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
        self.told.append(Entry(self.name, self.sequence, kind, position, amount, before, after))

    def begin_at(self, sequence: int, value: Decimal) -> None:
        """Stand where the meter stood after an entry, to tell again what followed it."""
        self.sequence, self.running.value = sequence, value

    def every(self) -> "list[LevelMeter]":
        """Return the level's meters, the display first."""
        return [self]

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
        self._mark(sequence)
        return Priced(self.meter.pk, sequence, paid.before, -paid.amount, put_in)

    def contribute_at(
        self, facts: RoundFacts, position: int, stake: Decimal, rate: Rate
    ) -> Decimal:
        """Add a wager's increment at the rate of its paytable and number of decks (§ 633b.17)."""
        if rate.reserve_percent:
            raise ValueError(f"{self.meter} has no reserve")
        moved = self.running.move("contribution", increment(stake, rate.increment_percent))
        self._enter(moved, facts, position, stake)
        return moved.amount

    def _mark(self, award: int) -> None:
        """Have the meter read after an award, and the whole level after what followed it."""
        self.marks.append(Mark(self.meter.pk, award, "hit"))
        if self.sequence > award:
            self.marks += [Mark(h.meter.pk, h.sequence, "reset") for h in self.every()]

    def move(self, kind: str, amount: Decimal, facts: RoundFacts, position: int | None) -> None:
        """Enter a movement that a person ordered, such as a refused award put back."""
        before = self.running.value
        self.running.value = before + amount
        self._enter(Movement(kind, amount, before, before + amount), facts, position)

    def cut(self, facts: RoundFacts) -> None:
        """Move what stands over the limit to the overflow; without a limit there is nothing."""

    def put_back(self, amount: Decimal, put_in: PutIn, facts: RoundFacts, position: int) -> None:
        """Put a refused award back, and take the reset money back that followed it."""
        self.move("award_returned", amount, facts, position)
        if put_in.reset:
            self.move("reset_returned", -put_in.reset, facts, position)


class SplitMeter(LevelMeter):
    """A level's display with the reserve and the overflow beside it, moved as one."""

    __slots__ = ("level", "pools")

    def __init__(
        self,
        meter: Meter,
        lines: list[str],
        pools: list[Meter],
        before: "LevelMeter | None" = None,
    ) -> None:
        super().__init__(meter, lines, before)
        earlier = before.pools if isinstance(before, SplitMeter) else {}
        self.pools: dict[str, LevelMeter] = {
            pool.purpose: LevelMeter(pool, lines, earlier.get(pool.purpose)) for pool in pools
        }
        at_reset = {pool.purpose: pool.at_reset for pool in pools}
        self.level = Level(
            self.running,
            reserve=self._running(RESERVE),
            overflow=self._running(OVERFLOW),
            limit=meter.limit,
            funds_reset=at_reset.get(RESERVE) == Meter.AtReset.FUNDS,
            overflow_kept=at_reset.get(OVERFLOW) == Meter.AtReset.KEPT,
        )

    def _running(self, purpose: str) -> RunningMeter | None:
        pool = self.pools.get(purpose)
        return None if pool is None else pool.running

    def every(self) -> list[LevelMeter]:
        return [self, *self.pools.values()]

    def _write(
        self,
        facts: RoundFacts,
        position: int | None,
        stake: Decimal | None = None,
        hand: str = "",
        cards: str = "",
    ) -> None:
        """Enter the level's steps, each on its meter; the hand is told where the award is."""
        for purpose, moved in self.level.take_steps():
            held = self if purpose == DISPLAY else self.pools[purpose]
            said = (hand, cards) if moved.kind == "award" else ("", "")
            wagered = stake if moved.kind in ("award", "contribution") else None
            held._enter(moved, facts, position, wagered, *said)

    def contribute(self, facts: RoundFacts, position: int, stake: Decimal) -> Decimal:
        """Divide a wager among the level's meters; return what each was given."""
        return self.contribute_at(facts, position, stake, self.level.rate)

    def contribute_at(
        self, facts: RoundFacts, position: int, stake: Decimal, rate: Rate
    ) -> Decimal:
        """Divide a wager at the rate of its paytable and number of decks (§ 633b.17)."""
        given = self.level.contribute(stake, rate)
        self._write(facts, position, stake)
        return given

    def reverse(self, facts: RoundFacts, position: int, contributed: Decimal) -> None:
        """Take a round's own contribution off the meters it went to (§ 670a.13)."""
        self.level.reverse(contributed)
        self._write(facts, position)

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
        """Pay a share of the display; the whole of it lets the level begin again."""
        sequence = self.sequence + 1  # an award is the first step that it brings about
        paid = self.level.award(percent)
        steps = self.level.peek()
        put_in = sum((m.amount for _, m in steps if m.kind == "reset"), Decimal(0))
        self._write(facts, position, stake, hand, cards)
        self._mark(sequence)
        return Priced(self.meter.pk, sequence, paid.before, -paid.amount, put_in)

    def cut(self, facts: RoundFacts) -> None:
        self.level.cut()
        self._write(facts, None)

    def put_back(self, amount: Decimal, put_in: PutIn, facts: RoundFacts, position: int) -> None:
        """Put a refused award back, and return to each of the level's meters what it had given."""
        self.level.put_back(amount, put_in)
        self._write(facts, position)


class MustHitMeter(LevelMeter):
    """A level that is won, whatever is dealt, by the wager that brings it to what was drawn.

    Whoever contributes asks ``reached`` after each wager, and has it won before the next one.
    """

    __slots__ = ("_draw", "next_draw", "won")

    def __init__(self, meter: Meter, lines: list[str], before: LevelMeter | None = None) -> None:
        super().__init__(meter, lines, before)
        # What a wager of this very round has won is not made less when its wager is returned.
        self.running.terms = MeterTerms(meter.increment_percent, meter.reset, hold_reset=True)
        self._draw: Draw | None = before._draw if isinstance(before, MustHitMeter) else None
        self.next_draw: Callable[[Meter, int], Draw] = draw_for  # one who tells again has others
        self.won: list[Won] = []

    @property
    def draw(self) -> Draw:
        """Return the draw that holds now; it is unsealed when it is first asked for."""
        if self._draw is None:
            self._draw = current_draw(self.meter)
        return self._draw

    def begin_at(self, sequence: int, value: Decimal) -> None:
        """Stand where the meter stood after an entry: what is told again has the draws of then."""
        self.sequence, self.running.value = sequence, value
        self._draw, self.next_draw = draw_at(self.meter, sequence), draw_numbered

    @property
    def reached(self) -> bool:
        """Whether the last wager has brought the level to what was drawn."""
        return self.running.value >= self.draw.value

    def win(self, facts: RoundFacts, position: int, stake: Decimal) -> Priced:
        """Pay the level to the position whose wager reached it, and draw for the next one."""
        at_turn, draw = self.running.value, self.draw
        paid = self.running.move("award", -pays(at_turn, draw.high))
        self._enter(paid, facts, position, stake, MUST_HIT)
        sequence = self.sequence
        if self.meter.reset:
            self._enter(self.running.move("reset", self.meter.reset), facts, position)
        self._mark(sequence)
        self._draw = self.next_draw(self.meter, draw.number + 1)
        self.won.append(Won(sequence, draw, self._draw))
        return Priced(self.meter.pk, sequence, at_turn, -paid.amount, self.meter.reset)


def text_of(facts: RoundFacts) -> str:
    """Return the columns that a round's facts fill, in COPY's text format."""
    number, day, round_id, table, round_number, dealer = facts
    return (
        f"{number}\t{day}\t{round_id or NULL}\t{escaped(table)}\t"
        f"{NULL if round_number is None else round_number}\t{escaped(dealer)}"
    )
