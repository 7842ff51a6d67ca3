"""A gap in a table's events holds that table alone; it alarms, and a person closes it."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from audit.canonical import canonical
from audit.models import ExceptionRecord, User
from audit.services import SYSTEM, log_event, open_exceptions, record, timestamp
from progressives.models import Lane
from tables.models import GamingTable, TableEvent

ALARM_AFTER = timedelta(seconds=10)
MOST_GIVEN_UP = 10_000  # events in one gap; each takes a row for good

GAPS_SQL = """
SELECT t.id, t.code, c.expected, min(e.sequence), min(e.accepted_at)
FROM tables_tablecursor c
JOIN tables_gamingtable t ON t.id = c.table_id
JOIN tables_tableevent e ON e.table_id = c.table_id AND e.sequence > c.expected
WHERE NOT EXISTS (
    SELECT 1 FROM tables_tableevent n WHERE n.table_id = c.table_id AND n.sequence = c.expected
)
GROUP BY t.id, t.code, c.expected
"""


@dataclass(frozen=True)
class Gap:
    """The events ``first`` to ``last`` of a table that never came, though later ones did."""

    table_id: int
    table: str
    first: int
    last: int
    since: object


class NoGap(Exception):
    """There is nothing that could be closed, or no reason was given."""


def open_gaps() -> list[Gap]:
    """Return each table's gap, where it has one."""
    with connection.cursor() as cursor:
        cursor.execute(GAPS_SQL)
        return [
            Gap(table_id, code, expected, present - 1, since)
            for table_id, code, expected, present, since in cursor.fetchall()
        ]


def alarm_gaps() -> int:
    """Raise one alarm for each gap that has stood for ten seconds; return how many stand."""
    late = [gap for gap in open_gaps() if timezone.now() - gap.since > ALARM_AFTER]  # type: ignore[operator]
    open_exceptions(
        ExceptionRecord(
            kind="sequence_gap",
            severity=ExceptionRecord.Severity.ALARM,
            table=gap.table,
            sentence=f"Event {gap.first} of {gap.table} has not come; what followed it is held.",
            facts={"first": gap.first, "last": gap.last},
            once=f"gap/{gap.table}/{gap.first}",
        )
        for gap in late
    )
    return len(late)


@transaction.atomic(durable=True)
def close_gap(*, table: str, by: User, reason: str) -> Gap:
    """Give up the missing events, so that what followed them is applied.

    Each missing sequence is taken in the intake itself: an event that comes for it after all
    meets that row, and is refused as ``sequence_skipped``. Raises NoGap without gap or reason.
    """
    if not reason.strip():
        raise NoGap("Say why these events can be given up.")
    held = GamingTable.objects.get(code=table)
    Lane.objects.select_for_update(no_key=True).get(pk=held.lane_id)
    gap = next((g for g in open_gaps() if g.table_id == held.pk), None)
    if gap is None:
        raise NoGap(f"No event of {table} is missing.")
    if gap.last - gap.first >= MOST_GIVEN_UP:
        raise NoGap(
            f"Events {gap.first} to {gap.last} of {table} are missing: so many are no gap, but a "
            "sender's wrong count. The table goes on when its next event comes."
        )
    now = timezone.now()
    name = by.staff_code or by.username
    rows = []
    for sequence in range(gap.first, gap.last + 1):
        event_id = uuid4()
        body = {
            "by": name,
            "event_id": str(event_id),
            "occurred_at": timestamp(now),
            "reason": reason.strip(),
            "sequence": sequence,
            "table": table,
            "type": "sequence_skipped",
        }
        rows.append(
            TableEvent(
                event_id=event_id,
                table=held,
                sequence=sequence,
                type="sequence_skipped",
                occurred_at=now,
                body=canonical(body),
                key_name=name,
            )
        )
    try:
        TableEvent.objects.bulk_create(rows)
    except IntegrityError as late:
        raise NoGap(f"An event of {table} that was missing has just come; look again.") from late
    ExceptionRecord.objects.filter(
        kind="sequence_gap", table=table, state=ExceptionRecord.State.OPEN
    ).update(state=ExceptionRecord.State.CLOSED, closed_by=by, closed_at=now, reason=reason.strip())
    facts = {"first": gap.first, "last": gap.last, "reason": reason.strip()}
    record(SYSTEM, [log_event("tables.gap_closed", table, facts, by=by)])
    return gap
