"""Snapshots of meters: what each stood at after one of its entries, and all it had counted."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import connection, transaction

from audit.models import User
from audit.services import SYSTEM, log_event, record
from progressives.models import Meter, MeterSnapshot


class Mark(NamedTuple):
    """Which meter is to be read, after which of its entries, and why."""

    meter_id: int
    sequence: int
    reason: str


# Each snapshot goes on from the last one stored, so that no ledger is read from its beginning.
READ_SQL = """
SELECT a.meter_id, a.sequence, a.reason,
       coalesce((SELECT e.after FROM progressives_meterentry e
                 WHERE e.meter_id = a.meter_id AND e.sequence = a.sequence), 0),
       coalesce(r.wagers, 0) + s.wagers, coalesce(r.wagered, 0) + s.wagered,
       coalesce(r.contributed, 0) + s.contributed, coalesce(r.reversed, 0) + s.reversed,
       coalesce(r.hits, 0) + s.hits, coalesce(r.won, 0) + s.won,
       coalesce(r.put_back, 0) + s.put_back
FROM unnest(%s::bigint[], %s::bigint[], %s::text[]) WITH ORDINALITY
    AS a (meter_id, sequence, reason, place)
LEFT JOIN LATERAL (
    SELECT * FROM progressives_metersnapshot r
    WHERE r.meter_id = a.meter_id AND r.sequence <= a.sequence
    ORDER BY r.sequence DESC, r.id DESC LIMIT 1
) r ON true
CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE kind = 'contribution') AS wagers,
           coalesce(sum(stake) FILTER (WHERE kind = 'contribution'), 0) AS wagered,
           coalesce(sum(amount) FILTER (WHERE kind = 'contribution'), 0) AS contributed,
           coalesce(-sum(amount) FILTER (WHERE kind = 'reversal'), 0) AS reversed,
           count(*) FILTER (WHERE kind = 'award') AS hits,
           coalesce(-sum(amount) FILTER (WHERE kind = 'award'), 0) AS won,
           coalesce(sum(amount) FILTER (WHERE kind = 'award_returned'), 0) AS put_back
    FROM progressives_meterentry e
    WHERE e.meter_id = a.meter_id AND e.sequence <= a.sequence
        AND e.sequence > coalesce(r.sequence, 0)
) s
ORDER BY a.place
"""
COLUMNS = (
    *("meter_id", "sequence", "reason", "value", "wagers", "wagered"),
    *("contributed", "reversed", "hits", "won", "put_back"),
)
STORE_SQL = f"INSERT INTO progressives_metersnapshot ({', '.join(COLUMNS)}) {READ_SQL}"


def store_snapshots(marks: Sequence[Mark]) -> None:
    """Store the snapshots asked for; the caller holds the meters' lane."""
    if marks:
        meters, sequences, reasons = (list(column) for column in zip(*marks, strict=True))
        with connection.cursor() as cursor:
            cursor.execute(STORE_SQL, [meters, sequences, reasons])


@transaction.atomic
def take(reason: str, meters: Iterable[Meter] | None = None) -> list[MeterSnapshot]:
    """Take and return a snapshot of each of these meters, or of every one, as they stand now.

    ``reason`` is a ``MeterSnapshot.Reason``. It belongs into the transaction of whatever it is
    taken for, before its audit events: those are the caller's (``told`` words them). Nobody has
    to stop: what is read is one moment of each ledger, after a whole transaction of its lane.
    """
    found = Meter.objects.order_by("pk")
    if meters is not None:
        found = found.filter(pk__in=[meter.pk for meter in meters])
    marks = [Mark(pk, sequence, reason) for pk, sequence in found.values_list("pk", "sequence")]
    store_snapshots(marks)
    ids = [mark.meter_id for mark in marks]
    newest = MeterSnapshot.objects.filter(meter__in=ids).order_by("meter", "-sequence", "-pk")
    return list(newest.distinct("meter").select_related("meter__progressive"))


def take_at(reason: str, ends: Mapping[str, Sequence[Any]]) -> None:
    """Take a snapshot of each meter as of the entry that ``ends`` names for it.

    ``ends``: ``{"P-1:grand": [sequence, ...]}``, as a day's close keeps them.
    """
    ids = {f"{m.progressive.code}:{m.name}": m.pk for m in Meter.objects.select_related()}
    store_snapshots([Mark(ids[name], int(end[0]), reason) for name, end in sorted(ends.items())])


@transaction.atomic(durable=True)
def take_and_tell(reason: str, *, by: User | None = None) -> list[MeterSnapshot]:
    """Take a snapshot of every meter as a deed of its own, and tell the log."""
    taken = take(reason)
    if taken:
        facts = {"reason": reason, "meters": told(taken)}
        record(SYSTEM, [log_event("progressives.meters_read", reason, facts, by=by)])
    return taken


def told(taken: Iterable[MeterSnapshot]) -> list[dict[str, Any]]:
    """Return snapshots as the log tells them."""
    return [
        {
            "meter": f"{one.meter.progressive.code}:{one.meter.name}",
            **{name: getattr(one, name) for name in ("sequence", "wagers", "hits")},
            **{
                name: str(getattr(one, name))
                for name in ("value", "wagered", "contributed", "reversed", "won", "put_back")
            },
        }
        for one in taken
    ]


def read_now(meters: Sequence[Meter]) -> list[MeterSnapshot]:
    """Return snapshots of these meters as they stand, without storing them."""
    ids, sequences = [m.pk for m in meters], [m.sequence for m in meters]
    with connection.cursor() as cursor:
        cursor.execute(READ_SQL, [ids, sequences, [MeterSnapshot.Reason.DEMAND.value] * len(ids)])
        rows = cursor.fetchall()
    found = [MeterSnapshot(**dict(zip(COLUMNS, row, strict=True))) for row in rows]
    for snapshot, meter in zip(found, meters, strict=True):
        snapshot.meter = meter
    return found
