"""Readings and chip counts: what people saw with their own eyes, entered or imported."""

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from django.utils import timezone

from audit.models import ExceptionRecord, User
from audit.services import SYSTEM, log_event, open_exceptions, record
from progressives import close_errors
from progressives.meters import cents
from progressives.models import GamingDayClose, Meter, MeterReading
from progressives.services.claims import step
from progressives.services.close_chips import chip_record
from progressives.services.close_day import meters_by_name
from progressives.services.close_figures import VARIANCE, Line, figures_of
from progressives.services.close_persons import must_be_allowed_to

LARGEST = Decimal("999999999999")
LARGEST_FILE = 1_000_000  # bytes: a file of readings has a line a meter
HEADER = ("meter", "value")


def read_value(text: str, path: str = "value") -> Decimal:
    """Return a meter value as a person writes it: $20,000.42 or 20000.42."""
    plain = text.strip().removeprefix("$").replace(",", "")
    try:
        value = Decimal(plain)
    except InvalidOperation:
        raise close_errors.ReadingRefused(f"{text!r} is not an amount ({path}).") from None
    if not value.is_finite() or not 0 <= value <= LARGEST:
        raise close_errors.ReadingRefused(f"{text!r} is not an amount ({path}).")
    if value != value.quantize(Decimal("0.000001")):
        raise close_errors.ReadingRefused(f"{text!r} has more than six decimals ({path}).")
    return value


def lock_draft(day: date) -> GamingDayClose:
    """Return the close of a day that was ended and is not signed, held until the end."""
    close = GamingDayClose.objects.select_for_update(no_key=True).filter(gaming_day=day).first()
    if close is None:
        raise close_errors.CloseUnknown
    if close.state != GamingDayClose.State.DRAFT:
        raise close_errors.NotDraft
    return close


@step
def enter_readings(
    *,
    day: date,
    by: User,
    values: Mapping[str, str],
    taken_at: datetime | None = None,
    method: str = MeterReading.Method.SIGN,
    source: str = "",
) -> list[MeterReading]:
    """Enter what was read of each meter at the day's end, and name what varies.

    ``values`` maps a meter's name to what was read; an empty value is left out. Each variance
    becomes an exception with its causes, which blocks the close until a person closes it with a
    reason. A later reading takes the place of an earlier one, which stays on record.
    """
    must_be_allowed_to(by, "prepare")
    lock_draft(day)
    meters = meters_by_name()
    given = {name: text for name, text in values.items() if text.strip()}
    unknown = sorted(given.keys() - meters.keys())
    if unknown:
        raise close_errors.ReadingRefused(f"There is no meter called {unknown[0]}.")
    moment = taken_at or timezone.now()
    made = [
        MeterReading(
            gaming_day=day,
            meter=meters[name],
            value=read_value(text, name),
            taken_at=moment,
            method=method,
            source=source[:120],
            by=by,
        )
        for name, text in sorted(given.items())
    ]
    if not made:
        raise close_errors.ReadingRefused("No reading was given.")
    for reading in made:
        reading.save()
    put_before_a_person(day)
    facts = {
        "gaming_day": day.isoformat(),
        "method": method,
        "readings": {name: cents(read_value(text)) for name, text in sorted(given.items())},
        "source": source[:120],
    }
    record(SYSTEM, [log_event("progressives.readings_entered", str(day), facts, by=by)])
    return made


def import_readings(*, day: date, by: User, content: bytes, name: str) -> list[MeterReading]:
    """Enter the readings of a CSV file: columns ``meter`` and ``value``, all of them or none."""
    values: dict[str, str] = {}
    meters = meters_by_name()
    for number, told in read_rows(content, HEADER):
        meter = whole_name(told["meter"].strip(), meters)
        if meter is None:
            raise close_errors.FileRefused(f"Line {number}: no meter {told['meter']!r}.")
        if meter in values:
            raise close_errors.FileRefused(f"Line {number}: {meter} stands in the file twice.")
        read_value(told["value"], f"line {number}")
        values[meter] = told["value"]
    method = MeterReading.Method.IMPORTED
    return enter_readings(day=day, by=by, values=values, method=method, source=name)


def read_rows(content: bytes, wanted: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of a CSV file with their line numbers; it must have the columns wanted."""
    if len(content) > LARGEST_FILE:
        raise close_errors.FileRefused("This file is too large for a day's entries.")
    try:
        text = content.decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise close_errors.FileRefused(f"This is not a CSV file: {error}.") from None
    found = []
    for number, row in enumerate(rows, 2):
        told = {
            (key or "").strip().casefold(): (value or "")
            for key, value in row.items()
            if isinstance(value, str)
        }
        if not set(wanted) <= told.keys():
            raise close_errors.FileRefused(f"The file needs the columns {' and '.join(wanted)}.")
        found.append((number, told))
    return found


def whole_name(told: str, meters: Mapping[str, Meter]) -> str | None:
    """Return a meter's name; the progressive's code alone will do where it has one meter."""
    if told in meters:
        return told
    found = [
        name
        for name, meter in meters.items()
        if name.partition(":")[0] == told and meter.purpose == Meter.Purpose.DISPLAY
    ]
    return found[0] if len(found) == 1 else None


def put_before_a_person(day: date) -> list[ExceptionRecord]:
    """Open an exception for each variance that nobody was told of yet, of meters and of chips."""
    figures = figures_of(day)
    found = [
        variance_record(line, day)
        for line in figures.lines
        if not line.unread and not line.agrees and line.exception is None
    ]
    found += [
        chip_record(line, day)
        for line in figures.chips
        if line.difference and line.exception is None
    ]
    return open_exceptions(found)


def variance_record(line: Line, day: date) -> ExceptionRecord:
    """Return the exception of a meter whose three values do not agree."""
    parts = []
    if line.variance:
        parts.append(f"was read {cents(abs(line.variance))} {way(line.variance)} the replay")
    if line.ledger_gap:
        parts.append(
            f"stands {cents(abs(line.ledger_gap))} {way(line.ledger_gap)} it by its ledger"
        )
    said = " and ".join(parts) or "comes out right although its movements are not those of the log"
    first = f" {line.causes[0].title}: {line.causes[0].sentence}" if line.causes else ""
    return ExceptionRecord(
        kind=VARIANCE,
        severity=ExceptionRecord.Severity.ALARM,
        sentence=f"{line.name} {said}.{first}",
        facts={
            "gaming_day": day.isoformat(),
            "meter": line.name,
            "expected": cents(line.expected),
            "ledger": cents(line.ledger),
            "reading": None if line.reading is None else cents(line.reading.value),
            "causes": [cause.told() for cause in line.causes],
        },
        once=line.once(day),
    )


def way(amount: Decimal) -> str:
    return "above" if amount > 0 else "below"
