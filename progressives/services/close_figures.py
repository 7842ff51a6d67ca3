"""The lines of a close: what each meter did, compared three ways, and what blocks the signature."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from hashlib import sha256
from typing import Any

from django.db import connection, transaction
from django.db.models import Q
from django.db.models.fields.json import KT

from audit.canonical import canonical
from audit.models import ExceptionRecord
from progressives.causes import FOLLOWS, Cause
from progressives.charts import Bar, Curve, bars_of, curve_of
from progressives.meters import cents
from progressives.models import GamingDayClose, JackpotClaim, Meter, MeterEntry, MeterReading
from progressives.retold import NOTHING, MeterTold, Move
from progressives.services.close_chips import ChipLine, chip_blockers, chip_lines, chips_told
from progressives.services.close_day import close_before, ends_of, meters_by_name
from progressives.services.close_payouts import unsound_slips
from progressives.services.close_retell import Told, retell, retell_for_page
from progressives.variance import explain

COLUMNS = ("opened", "contributions", "reversals", "awards", "resets", "adjustments", "expected")
COLUMN_OF = {
    "contribution": "contributions",
    "reversal": "reversals",
    "award": "awards",
    "reset": "resets",
}
VARIANCE = "meter_variance"


@dataclass(frozen=True)
class Line:
    """One meter's day: the log's sums, the ledger's end, the reading, and why they differ."""

    meter: Meter
    name: str
    sums: dict[str, Decimal]
    late: Decimal  # part of the adjustments: events of an earlier day that joined this one
    ledger: Decimal
    reading: MeterReading | None
    causes: tuple[Cause, ...]
    exception: ExceptionRecord | None = None
    moves: tuple[Move, ...] = field(default=(), repr=False)

    @property
    def expected(self) -> Decimal:
        """Return what the meter must stand at, by our own replay of the log."""
        return self.sums["expected"]

    @property
    def variance(self) -> Decimal | None:
        """Return how far the reading is from the replay."""
        return None if self.reading is None else self.reading.value - self.expected

    @property
    def ledger_gap(self) -> Decimal:
        """Return how far the ledger is from the replay."""
        return self.ledger - self.expected

    @property
    def agrees(self) -> bool:
        return not self.variance and not self.ledger_gap and not self.causes

    @property
    def unread(self) -> bool:
        """Whether a reading is missing: of what a sign shows, since nobody sees a reserve."""
        return self.reading is None and self.meter.purpose == Meter.Purpose.DISPLAY

    @property
    def green(self) -> bool:
        """Whether all agree, or a person has closed the exception with a reason."""
        return not self.unread and (self.agrees or self.explained)

    @property
    def explained(self) -> bool:
        return self.exception is not None and self.exception.state == "closed"

    @property
    def curve(self) -> Curve | None:
        return curve_of(self.sums["opened"], self.moves)

    @property
    def bars(self) -> list[Bar]:
        return bars_of(self.moves)

    def once(self, day: date) -> str:
        """Return what makes this variance one and the same exception."""
        gap = NOTHING if self.variance is None else self.variance
        return f"close/{day}/{self.name}/{cents(gap)}/{cents(self.ledger_gap)}"


@dataclass(frozen=True)
class Blocker:
    """One thing that must be dealt with before the day can be signed."""

    sentence: str
    exception: ExceptionRecord | None = None


@dataclass(frozen=True)
class Figures:
    """All that a close shows, and is signed for."""

    day: date
    close: GamingDayClose | None
    lines: list[Line]
    told: Told
    chips: list[ChipLine]
    blockers: list[Blocker]


@contextmanager
def one_moment() -> Iterator[None]:
    """Read everything as it stood at one moment: lanes at work meanwhile make no difference."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def figures_of(day: date, *, fresh: bool = False) -> Figures:
    """Work a gaming day out: from its fence if it was ended, else as it stands at this moment."""
    with one_moment():
        return work_out(day, fresh=fresh)


def work_out(day: date, *, fresh: bool) -> Figures:
    """Tell a gaming day again, and lay it beside the ledger, the readings and the counts."""
    close = GamingDayClose.objects.filter(gaming_day=day).first()
    before = close_before(day)
    if close is not None and not fresh:
        told = retell_for_page(before, close)
    else:
        told = retell(day, before, close)
    ends = ends_of(day) if close is None else close.ends
    begins = before.ends if before is not None else {}
    readings = latest_readings(day)
    lines = []
    for name, meter in meters_by_name().items():
        if name in ends:
            first, last = begins.get(name, [0, "0"])[0], ends[name][0]
            made = line_of(day, name, meter, told, first, last, readings.get(meter.pk))
            lines.append(made)
    chips = chip_lines(day, told.retelling)
    blockers = blockers_of(day, close, lines, told, chips)
    return Figures(day, close, lines, told, chips, blockers)


def latest_readings(day: date) -> dict[int, MeterReading]:
    """Return the reading that counts of each meter: the last one entered."""
    found = MeterReading.objects.filter(gaming_day=day).select_related("by").order_by("pk")
    return {reading.meter_id: reading for reading in found}


def line_of(
    day: date,
    name: str,
    meter: Meter,
    told: Told,
    first: int,
    last: int,
    reading: MeterReading | None,
) -> Line:
    """Make a meter's line: the log's own sums beside the ledger's entries and the reading."""
    log = told.retelling.meters.get(name)
    if log is None:  # the log never heard of it: whatever the ledger has is unexplained
        log = MeterTold(NOTHING, meter.increment_percent, meter.reset, NOTHING)
    opening, moves, closing = entries_of(meter, day, first, last)
    tables = told.retelling.tables_of(meter.progressive.code)
    causes = explain(
        log.moves,
        moves,
        percent=log.percent,
        after=log.after,
        reading=None if reading is None else reading.value,
        published=closing,
        evidence=told.retelling.observer.found().of(tables),
    )
    carried = opening - log.opened
    if carried:
        sentence = "Ledger and log differed already when the day began."
        causes.append(Cause(FOLLOWS, carried, sentence))
    sums, late = sums_of(log)
    made = Line(meter, name, sums, late, closing, reading, tuple(causes), moves=tuple(log.moves))
    return with_exception(made, day)


def with_exception(line: Line, day: date) -> Line:
    """Return the line with the exception that its variance was put before a person as."""
    if line.agrees:
        return line
    found = ExceptionRecord.objects.filter(kind=VARIANCE, once=line.once(day))
    exception = found.select_related("owner", "closed_by").order_by("pk").last()
    return Line(**{**line.__dict__, "exception": exception})


def entries_of(
    meter: Meter, day: date, first: int, last: int
) -> tuple[Decimal, list[Move], Decimal]:
    """Return the ledger's value before the day, its movements of the day, and its value after."""
    rows = MeterEntry.objects.filter(meter=meter, sequence__gt=first, sequence__lte=last)
    columns = ("kind", "table", "round", "position", "amount", "stake", "dealer", "lane_number")
    earlier = MeterEntry.objects.filter(meter=meter, sequence=first)
    opening = earlier.values_list("after", flat=True).first() or NOTHING
    moves: list[Move] = []
    closing = opening
    for counted, after, *facts in (
        rows.order_by("sequence").values_list("gaming_day", "after", *columns).iterator(2000)
    ):
        closing = after
        if counted < day or facts[0] == "initial":
            opening = after
        else:
            moves.append(Move(*facts))
    return opening, moves, closing


def sums_of(log: MeterTold) -> tuple[dict[str, Decimal], Decimal]:
    """Add up what the log says, a column a kind; late events count as adjustments."""
    sums = dict.fromkeys(COLUMNS, NOTHING)
    sums["opened"], late = log.opened, NOTHING
    for moved in log.moves:
        if moved.late:
            late += moved.amount
        column = "adjustments" if moved.late else COLUMN_OF.get(moved.kind, "adjustments")
        sums[column] += moved.amount
    sums["expected"] = sum((sums[column] for column in COLUMNS[:-1]), NOTHING)
    return sums, late


# ---- what blocks the signature --------------------------------------------------------------


def blockers_of(
    day: date,
    close: GamingDayClose | None,
    lines: Iterable[Line],
    told: Told,
    chips: list[ChipLine],
) -> list[Blocker]:
    """Return everything that must be dealt with first."""
    found = [Blocker(sentence) for sentence in told.broken]
    for line in lines:
        if line.unread:
            found.append(Blocker(f"{line.name} has no reading."))
        elif not line.green and line.exception is None:
            found.append(Blocker(f"{line.name} has a variance that nobody was told of."))
    found += [Blocker(sentence) for sentence in chip_blockers(chips)]
    found += [Blocker(sentence) for sentence in unsound_slips(day)]
    found += undecided_payouts(day)
    for exception in open_exceptions(day, close):
        what = exception.kind.replace("_", " ").capitalize()
        where = f" at {exception.table}" if exception.table else ""
        found.append(Blocker(f"{what}{where} is open.", exception))
    return found


def undecided_payouts(day: date) -> list[Blocker]:
    """Return a blocker for the payouts that nobody has validated yet, and one for the disputed."""
    claims = JackpotClaim.objects.filter(gaming_day__lte=day)
    found = []
    if waiting := claims.filter(state__in=JackpotClaim.BEFORE_VALIDATED).count():
        what = "payout still waits" if waiting == 1 else "payouts still wait"
        found.append(Blocker(f"{waiting} progressive {what} for validation."))
    if disputed := claims.filter(state=JackpotClaim.State.DISPUTED).count():
        what = "payout is" if disputed == 1 else "payouts are"
        found.append(Blocker(f"{disputed} progressive {what} disputed."))
    return found


def open_exceptions(day: date, close: GamingDayClose | None) -> list[ExceptionRecord]:
    """Return what is open of this day or of one before it, oldest first.

    What names no gaming day belongs to the day in which it was found.
    """
    of_no_day = Q(day__isnull=True)
    if close is not None:
        of_no_day &= Q(opened_at__lte=close.fenced_at)
    found = ExceptionRecord.objects.filter(state="open").annotate(day=KT("facts__gaming_day"))
    found = found.filter(of_no_day | Q(day__lte=day.isoformat()))
    return list(found.select_related("owner").order_by("opened_at", "pk"))


# ---- what is signed -------------------------------------------------------------------------


def signed_figures(figures: Figures) -> dict[str, Any]:
    """Return what the two people sign for, as JSON: money as text."""
    close = figures.close
    assert close is not None  # noqa: S101  # a day is ended before it is signed
    return {
        "gaming_day": figures.day.isoformat(),
        "fence": close.fence,
        "chains": close.chains,
        "lines": [line_told(line) for line in figures.lines],
        "chips": [chips_told(line) for line in figures.chips],
    }


def close_told(figures: Figures) -> dict[str, Any]:
    """Return a gaming day as it stands now, as JSON: its state, lines, chips and what blocks it."""
    close = figures.close
    signers = (close.prepared_by, close.reviewed_by) if close else (None, None)
    prepared_by, reviewed_by = (str(signer) if signer else None for signer in signers)
    return {
        "gaming_day": figures.day.isoformat(),
        "state": "running" if close is None else close.state,
        "prepared_by": prepared_by,
        "reviewed_by": reviewed_by,
        "digest": "" if close is None else close.digest,
        "lines": [line_told(line) for line in figures.lines],
        "chips": [chips_told(line) for line in figures.chips],
        "blockers": [blocker.sentence for blocker in figures.blockers],
    }


def line_told(line: Line) -> dict[str, Any]:
    """Return one meter's line as JSON."""
    return {
        "meter": line.name,
        **{column: cents(line.sums[column]) for column in COLUMNS},
        "late": cents(line.late),
        "ledger": cents(line.ledger),
        "reading": None if line.reading is None else cents(line.reading.value),
        "reading_id": None if line.reading is None else line.reading.pk,
        "variance": None if line.variance is None else cents(line.variance),
        "causes": [cause.told() for cause in line.causes],
        "exception": None if line.exception is None else line.exception.pk,
    }


def digest_of(told: dict[str, Any]) -> str:
    """Return the hash that a signature is given for."""
    return sha256(canonical(told)).hexdigest()
