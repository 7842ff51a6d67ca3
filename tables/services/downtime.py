"""A table's downtime: it begins, its meters are read, and it ends when all is accounted for."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import transaction
from django.db.models import Q, Subquery
from django.utils import timezone

from audit.models import ExceptionRecord, User
from audit.services import SYSTEM, log_event, open_exceptions, record, timestamp
from progressives.meters import cents
from progressives.models import Lane, Meter, MeterEntry, MeterRetirement
from progressives.services.close_readings import read_value
from tables.downtime_errors import DownAlready, NotAccountedFor, NotDown, Said
from tables.models import Downtime, DowntimeEnd, DowntimeReading, GamingTable, TableCursor
from tables.services.paper import RUN, forms_of, guarded, must_be_allowed, table_held

DIFFERS = "downtime_reading_differs"
AHEAD = timedelta(minutes=1)
LONGEST_ID = 18  # digits of a number that PostgreSQL can hold


@guarded
@transaction.atomic
def begin_downtime(*, table: str, began_at: datetime, by: User, reason: str) -> Downtime:
    """Say that a table plays on paper since a moment, which may be past: the house was down then.

    The alarm stays on the exceptions desk until somebody closes it.
    """
    must_be_allowed(by, RUN, "begin a table's downtime")
    if not reason.strip():
        raise Said("reason", "Say what failed.")
    if began_at > timezone.now() + AHEAD:
        raise Said("began_at", "A downtime does not begin in the future.")
    held = table_held(table)
    if Downtime.objects.filter(table=held, end__isnull=True).exists():
        raise DownAlready
    made = Downtime.objects.create(table=held, began_at=began_at, reason=reason.strip(), by=by)
    open_exceptions(
        [
            ExceptionRecord(
                kind="table_down",
                severity=ExceptionRecord.Severity.ALARM,
                table=table,
                sentence=f"{table} plays on paper: {reason.strip()}"[:500],
                facts={"downtime": made.pk, "began_at": timestamp(began_at)},
                once=f"down/{made.pk}",
            )
        ]
    )
    facts = {"began_at": timestamp(began_at), "downtime": made.pk, "reason": reason.strip()}
    record(SYSTEM, [log_event("tables.downtime_began", table, facts, by=by)])
    return made


def displays_of(table: GamingTable) -> list[Meter]:
    """Return the meters that a table's signs show, of every progressive that it feeds."""
    fed = Q(progressive=table.progressive_id) | Q(progressive__also_fed_by__table=table)
    shown = Meter.objects.filter(fed, purpose=Meter.Purpose.DISPLAY).select_related("progressive")
    gone = MeterRetirement.objects.values("meter")
    return list(shown.exclude(pk__in=gone).order_by("pk").distinct())


@guarded
@transaction.atomic
def read_meters(
    *, downtime_id: int, values: dict[int, tuple[str, str]], by: User
) -> list[DowntimeReading]:
    """Set what a person read on the signs beside the ledger, meter by meter.

    ``values``: by meter, the value and the number that stood beside it, "" where none did: then
    it is compared with the ledger as it is now. One that differs is put before a person.
    """
    must_be_allowed(by, RUN, "read meters at the end of a downtime")
    downtime = held_downtime(downtime_id)
    table = downtime.table
    Lane.objects.select_for_update(no_key=True).get(pk=table.lane_id)  # the meters stand still
    meters = {meter.pk: meter for meter in displays_of(table)}
    made, told = [], {}
    for meter_id, (text, number) in values.items():
        if meter_id not in meters:
            raise Said("value", "This table does not show that meter.")
        meter = meters[meter_id]
        entry = entry_of(meter, number)
        value = read_value(text)
        exception = None if value == entry.after else differing(downtime, meter, value, entry)
        made.append(
            DowntimeReading.objects.create(
                downtime=downtime, meter=meter, value=value, ledger=entry.after,
                sequence=entry.sequence, exception=exception, by=by,
            )
        )  # fmt: skip
        told[f"{meter.progressive.code}:{meter.name}"] = {
            "ledger": cents(entry.after), "sequence": entry.sequence, "value": cents(value),
        }  # fmt: skip
    if not made:
        raise Said("value", "Enter what at least one sign shows.")
    facts = {"downtime": downtime.pk, "readings": told}
    record(SYSTEM, [log_event("tables.downtime_read", table.code, facts, by=by)])
    return made


def entry_of(meter: Meter, number: str) -> MeterEntry:
    """Return the entry that a reading is compared with: the one of this number, or the last."""
    if number.strip() and not (number.strip().isdecimal() and len(number.strip()) <= LONGEST_ID):
        raise Said("sequence", "The number beside a meter's value is a whole number.")
    sequence = int(number) if number.strip() else meter.sequence
    found = MeterEntry.objects.filter(meter=meter, sequence=sequence).first()
    if found is None:
        raise Said("sequence", f"{meter.name} has no movement {sequence}.")
    return found


def differing(
    downtime: Downtime, meter: Meter, value: Decimal, entry: MeterEntry
) -> ExceptionRecord:
    """Put a reading that differs before a person; the same difference is put there once."""
    code, gap = downtime.table.code, value - entry.after
    way = "above" if gap > 0 else "below"
    once = f"down/{downtime.pk}/{meter.pk}/{cents(value)}/{entry.sequence}"
    open_exceptions(
        [
            ExceptionRecord(
                kind=DIFFERS,
                table=code,
                sentence=f"After the downtime of {code}, {meter.progressive.code}:{meter.name} was"
                f" read ${cents(abs(gap))} {way} its ledger (movement {entry.sequence}).",
                facts={
                    "difference": f"{gap}", "downtime": downtime.pk, "ledger": cents(entry.after),
                    "meter": f"{meter.progressive.code}:{meter.name}", "read": cents(value),
                    "sequence": entry.sequence,
                },
                once=once,
            )
        ]
    )  # fmt: skip
    return ExceptionRecord.objects.get(once=once, state=ExceptionRecord.State.OPEN)


def held_downtime(downtime_id: int) -> Downtime:
    """Return a downtime that has not ended, its table held."""
    found = Downtime.objects.select_related("table", "by").get(pk=downtime_id)
    table_held(found.table.code)
    if DowntimeEnd.objects.filter(downtime=found).exists():
        raise NotDown
    return found


@dataclass(frozen=True)
class Read:
    """A meter of a table that is down, with the last reading of it, if there is one."""

    meter: Meter
    reading: DowntimeReading | None

    @property
    def name(self) -> str:
        """The progressive's code and the meter's name."""
        return f"{self.meter.progressive.code}:{self.meter.name}"

    @property
    def agrees(self) -> bool:
        """Whether it was read, and as the ledger says."""
        return self.reading is not None and self.reading.value == self.reading.ledger

    @property
    def owned(self) -> bool:
        """Whether somebody owns the exception of what differs, or it is closed with a reason."""
        found = self.reading.exception if self.reading else None
        if found is None:
            return False
        return found.state == ExceptionRecord.State.CLOSED or found.owner_id is not None


def readings_of(downtime: Downtime) -> list[Read]:
    """Return each meter of the table with its last reading."""
    last: dict[int, DowntimeReading] = {}
    for reading in downtime.readings.select_related("exception__owner", "by").order_by("pk"):
        last[reading.meter_id] = reading
    return [Read(meter, last.get(meter.pk)) for meter in displays_of(downtime.table)]


def missing_of(downtime: Downtime) -> list[str]:
    """Say what must be done before the downtime can end, a sentence for each thing."""
    table = downtime.table
    left = [str(form.number) for form in forms_of(table)]
    found = []
    if left:
        which = f"Form {left[0]} is" if len(left) == 1 else f"Forms {', '.join(left)} are"
        found.append(f"{which} neither entered and confirmed nor void.")
    if has_waiting(table):
        found.append(f"Events of {table.code} wait to be applied, or one before them is missing.")
    for read in readings_of(downtime):
        if read.reading is None:
            found.append(f"{read.name} is not read.")
        elif not read.agrees and not read.owned:
            found.append(f"{read.name} was read otherwise, and nobody owns the exception.")
    return found


def has_waiting(table: GamingTable) -> bool:
    """Whether something of the table in the intake is not done with."""
    expected = TableCursor.objects.filter(table=table).values("expected")
    return table.events.filter(sequence__gte=Subquery(expected)).exists()


@guarded
@transaction.atomic
def end_downtime(
    *, downtime_id: int, by: User, note: str = "", ended_at: datetime | None = None
) -> DowntimeEnd:
    """End a downtime: the table takes progressive wagers again.

    Raises NotAccountedFor with everything that is missing; PostgreSQL refuses the same.
    """
    must_be_allowed(by, RUN, "end a table's downtime")
    downtime = held_downtime(downtime_id)
    missing = missing_of(downtime)
    if missing:
        raise NotAccountedFor(missing)
    ended_at = ended_at or timezone.now()
    if not downtime.began_at <= ended_at <= timezone.now() + AHEAD:
        raise Said("ended_at", "A downtime ends after it began, and not in the future.")
    made = DowntimeEnd.objects.create(
        downtime=downtime, ended_at=ended_at, note=note.strip(), by=by
    )
    facts = {"downtime": downtime.pk, "ended_at": timestamp(ended_at), "note": note.strip()}
    record(SYSTEM, [log_event("tables.downtime_ended", downtime.table.code, facts, by=by)])
    return made
