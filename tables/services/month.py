"""Simulate a property over gaming days: intake, lanes, claims and the close are the real ones.

What is made up is who plays and what is dealt. The readings come from a witness beside the tables
who has his own arithmetic (``tables.simulator.witness``).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from random import Random
from time import monotonic
from typing import Any
from zoneinfo import ZoneInfo

from progressives.causes import DUPLICATE, LATE, MANUAL, MISSING, RATE
from progressives.services.close_chips import ChipLine
from progressives.services.close_counts import import_counts
from progressives.services.close_day import end_day
from progressives.services.close_figures import Figures, Line, figures_of
from progressives.services.close_readings import import_readings
from progressives.services.close_sign import prepare_close, review_close
from tables.models import AccessKey, Facility, GamingTable, TableEvent
from tables.services.accept import accept_events
from tables.services.apply import lanes_waiting
from tables.services.drain import drain_lane
from tables.services.keys import make_key
from tables.services.month_people import People
from tables.services.setup import load_setup
from tables.services.terms import TermsBook
from tables.simulator.days import EVENT_FAULTS, Events, play_property, sound
from tables.simulator.play import Start
from tables.simulator.property import property_setup
from tables.simulator.witness import MILLION, PERCENT, Witness, dollars_of, millionths

KEY_NAME = "play_day"  # the intake keeps it: simulated rounds are never taken for real ones
LIST_LENGTH = 400
RATE_OFF = MILLION // PERCENT  # a point less than the rate, of each dollar

#: The cause that must come first for each fault, of meters and of chips.
NAMED = {
    "lost_round": MISSING,
    "doubled_round": DUPLICATE,
    "late_event": LATE,
    "wrong_rate": RATE,
    "reading_off": MANUAL,
    "mistyped": MANUAL,
    "miscounted_chips": MANUAL,
}


class CannotSimulate(Exception):
    """The house is not one to simulate in, or a day could not be closed; the text says why."""


@dataclass
class Closed:
    """What one simulated day came to."""

    day: date
    rounds: int
    events: int
    claims: int
    exceptions: int
    variances: list[dict[str, str]]
    unexplained: Decimal
    digest: str
    fault: str = ""
    place: tuple[str, int] | None = None


@dataclass
class Month:
    """A property from before its first day on; ``play`` goes through the days one by one."""

    days: int
    tables: int
    rounds: int  # in all
    seed: int
    first: date | None = None
    faults: dict[int, str] = field(default_factory=dict)  # day's number, from 0: what goes wrong
    seconds: dict[str, float] = field(default_factory=dict)

    def play(self, told: Callable[[int], None] = lambda rounds: None) -> Iterator[Closed]:
        """Set the property up, then yield each gaming day once it is closed."""
        self._open()
        each, rest = divmod(self.rounds, self.days)
        for number in range(self.days):
            day = self.begun + timedelta(days=number)
            yield self._day(day, each + (number < rest), self.faults.get(number, ""), told)

    def _open(self) -> None:
        if TableEvent.objects.exists() or Facility.objects.exists():
            raise CannotSimulate(
                "Days are simulated in a house of their own, and this one is in use: "
                "give another DATA_DIR."
            )
        zone = ZoneInfo("America/New_York")
        today = (datetime.now(zone) - timedelta(hours=6)).date()
        self.begun = self.first or today - timedelta(days=self.days)
        if self.begun + timedelta(days=self.days) > today:
            raise CannotSimulate(f"The days must be over: begin by {today - timedelta(self.days)}.")
        setup = property_setup(self.tables, self.begun)
        load_setup(setup)
        self.witness = Witness.of(setup)
        self.people = People(self.seed)
        self.gaming_tables = list(GamingTable.objects.order_by("code"))
        self.key, _ = make_key(
            name=KEY_NAME, kind=AccessKey.Kind.GATEWAY, tables=self.gaming_tables
        )
        self.facility = Facility.objects.get(pk=1)
        self.before = ""
        self.reached: dict[str, tuple[int, int]] = {}  # table: its last sequence and round

    # ---- one day --------------------------------------------------------------------------

    def _day(self, day: date, rounds: int, fault: str, told: Callable[[int], None]) -> Closed:
        rng = Random(f"{self.seed}/{day}/{fault}")  # noqa: S311 - a play
        dealt = self._timed("tables", lambda: self._deal(day, rounds))
        played = EVENT_FAULTS.get(fault, sound)(dealt, rng)
        if fault == "wrong_rate":
            self._set_sign_wrong(played.seen)
        self._timed("witness", lambda: self.witness.see_all(played.seen))
        self._report(played.sent, told)
        claims = self._timed("claims", self.people.work_the_claims)
        exceptions = self._timed("exceptions", lambda: self._look(frozenset()))
        self._timed("close", lambda: end_day(day=day, by=self.people.preparer))
        if played.held:
            self._report(played.held, told)
            exceptions += self._look(frozenset())
        self._timed("close", lambda: self._write_down(day, fault, rng))
        expected = frozenset(NAMED[name] for name in (fault, self.before) if name)
        self.before = fault if fault == "late_event" else ""  # the next day's racks lack it
        exceptions += self._timed("exceptions", lambda: self._look(expected))
        figures = self._timed("close", lambda: self._sign(day))
        if fault in ("lost_round", "doubled_round", "wrong_rate"):
            self._set_signs_right(figures)
        return Closed(
            day=day,
            rounds=rounds,
            events=len(played.sent) + len(played.held),
            claims=claims,
            exceptions=exceptions,
            variances=[told_of(line) for line in [*figures.lines, *figures.chips] if varies(line)],
            unexplained=sum((gap_of(line) for line in figures.lines if not line.green), Decimal(0)),
            digest=figures.close.digest if figures.close else "",
            fault=fault,
            place=played.place,
        )

    def _look(self, expected: frozenset[str]) -> int:
        return self.people.look_into_exceptions(expected)

    def _deal(self, day: date, rounds: int) -> Events:
        """Let every table play its share; what it reports is numbered on from where it stood."""
        zone = ZoneInfo(self.facility.time_zone)
        begins = datetime.combine(day, self.facility.gaming_day_starts or time(), zone)
        book, starts = TermsBook(), []
        for table in self.gaming_tables:
            sequence, number = self.reached.get(table.code, (0, 0))
            starts.append(Start(book.at(table, begins), sequence + 1, number + 1))
        moments = play_property(starts, rounds=rounds, seed=self.seed, begins=begins, zone=zone)
        return [moment.event for moment in moments]

    def _report(self, events: Events, told: Callable[[int], None]) -> None:
        """Send events to the intake, list by list, and apply them as a worker does."""
        for first in range(0, len(events), LIST_LENGTH):
            some = events[first : first + LIST_LENGTH]
            answers = self._timed("intake", partial(accept_events, some, key=self.key))
            refused = [answer for answer in answers if answer.status != "accepted"]
            if refused:
                raise CannotSimulate(f"The intake refused an event: {refused[0].detail}")
            told(sum(event["type"] in ("settlement", "round", "void") for event in some))
        for event in events:
            sequence, number = self.reached.get(event["table"], (0, 0))
            self.reached[event["table"]] = (
                max(sequence, event["sequence"]),
                max(number, event.get("round", 0)),
            )
        self._timed("lanes", self._drain)

    def _drain(self) -> None:
        while waiting := lanes_waiting():
            for lane_id in waiting:
                drain_lane(lane_id=lane_id, seconds=3600)

    # ---- the close ------------------------------------------------------------------------

    def _write_down(self, day: date, fault: str, rng: Random) -> None:
        """Bring the witness's readings and counts as files, with the slip of the pen asked for."""
        readings = self.witness.readings()
        chosen = rng.choice(sorted(readings))
        if fault == "reading_off":
            readings[chosen] = dollars_of(millionths(readings[chosen]) + millionths("1.00"))
        if fault == "mistyped":
            readings[chosen] = exchange_digits(readings[chosen])
        rows = "".join(f"{code},{value}\n" for code, value in readings.items())
        content = f"meter,value\n{rows}".encode()
        preparer = self.people.preparer
        import_readings(day=day, by=preparer, content=content, name=f"signs-{day}.csv")
        counts = self.witness.count_racks()
        racks = {(table, dealer) for table, dealer, _ in counts}
        asked = [line for line in figures_of(day).chips if line.uncounted]
        counts += [  # whose rack is empty although the lock-outs say otherwise
            (line.table, line.dealer, "0.00")
            for line in asked
            if (line.table, line.dealer) not in racks
        ]
        if fault == "miscounted_chips":
            place = rng.randrange(len(counts))
            table, dealer, amount = counts[place]
            counts[place] = table, dealer, f"{Decimal(amount) + 10:.2f}"
        rows = "".join(f"{table},{dealer},{amount}\n" for table, dealer, amount in counts)
        content = f"table,dealer,amount\n{rows}".encode()
        if counts:
            import_counts(day=day, by=preparer, content=content, name=f"racks-{day}.csv")

    def _sign(self, day: date) -> Figures:
        prepare_close(day=day, by=self.people.preparer)
        review_close(day=day, by=self.people.reviewer)
        return figures_of(day)

    # ---- what can go wrong with a sign ----------------------------------------------------

    def _set_sign_wrong(self, events: Events) -> None:
        """Let the sign of the busiest progressive use a rate that is too low, for an hour."""
        code = "RIVER-1"
        fed = [
            datetime.fromisoformat(event["occurred_at"])
            for event in events
            if self.witness.links.get(event["table"]) == code and "positions" in event
        ]
        begins = fed[len(fed) // 3]
        meter = self.witness.meters[code]
        meter.wrong = begins, begins + timedelta(hours=1), meter.rate - RATE_OFF

    def _set_signs_right(self, figures: Figures) -> None:
        """Set each sign to what the close found, as a technician does afterwards."""
        for line in figures.lines:
            meter = self.witness.meters[line.meter.progressive.code]
            meter.value, meter.wrong = millionths(str(line.expected)), None

    def _timed(self, what: str, work: Callable[[], Any]) -> Any:
        begun = monotonic()
        try:
            return work()
        finally:
            self.seconds[what] = self.seconds.get(what, 0.0) + monotonic() - begun


def varies(line: Line | ChipLine) -> bool:
    return not line.agrees if isinstance(line, Line) else bool(line.difference)


def gap_of(line: Line) -> Decimal:
    """Return by how much a meter's three values differ."""
    return abs(line.variance or Decimal(0)) + abs(line.ledger_gap)


def told_of(line: Line | ChipLine) -> dict[str, str]:
    """Return a variance with its first cause, as JSON."""
    amount = line.variance if isinstance(line, Line) else line.difference
    first = line.causes[0] if line.causes else None
    return {
        "of": line.name if isinstance(line, Line) else f"chips of {line.name}",
        "amount": f"{amount or 0:f}",
        "cause": first.kind if first else "",
        "said": first.sentence if first else "",
        "explained": "yes" if line.explained else "no",
    }


def exchange_digits(value: str) -> str:
    """Write a figure as who exchanges two digits does: the first two neighbours that differ."""
    for place in range(1, len(value)):
        pair = value[place - 1 : place + 1]
        if "." not in pair and pair[0] != pair[1] and place > 1:
            return value[: place - 1] + pair[::-1] + value[place + 1 :]
    return value
