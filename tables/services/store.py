"""Write what a batch came to: COPY for what only grows, one UPDATE for each row that stands."""

from django.db import connection

from audit.copying import copy_rows
from audit.services import chain_of_lane, open_exceptions, record
from progressives.levels import written
from progressives.services.claims_open import open_claims, store_envies
from tables.models import OpenRound
from tables.services.batch import Batch

APPLIED = {
    "event_id": "int8",
    "lane_id": "int8",
    "number": "int8",
    "state": "varchar",
    "code": "varchar",
    "path": "varchar",
    "detail": "text",
    "gaming_day": "date",
    "late": "bool",
}
ROUND = {
    "id": "uuid",
    "table_id": "int8",
    "number": "int8",
    "game": "varchar",
    "state": "varchar",
    "rules": "varchar",
    "dealer": "varchar",
    "floorperson": "varchar",
    "dealer_hand": "jsonb",
    "meters": "jsonb",
    "flags": "jsonb",
    "lane_number": "int8",
    "gaming_day": "date",
    "occurred_at": "timestamptz",
}
SEAT = {
    "round_id": "uuid",
    "position": "int2",
    "player": "varchar",
    "cards": "text",
    "wagers": "jsonb",
    "lines": "jsonb",
}


def store(batch: Batch) -> None:
    """Write the whole batch, the log last: its head is locked until commit."""
    batch.ledger.store()
    copy_rows("tables_round", ROUND, batch.rounds)
    copy_rows("tables_roundposition", SEAT, batch.seats)
    open_claims(batch.claims)
    store_envies(batch.envies)
    store_open_rounds(batch)
    copy_rows("tables_appliedevent", APPLIED, batch.applied)
    open_exceptions(batch.exceptions)
    move_cursors(batch)
    batch.watching.store()
    record(chain_of_lane(batch.lane.name), batch.log)


def store_open_rounds(batch: Batch) -> None:
    """Bring the working rows of locked-out rounds up to date."""
    if batch.closed:
        OpenRound.objects.filter(lockout_id__in=batch.closed).delete()
    OpenRound.objects.bulk_create(
        OpenRound(
            table_id=table,
            number=number,
            lockout_id=locked.event_id,
            contributed=[[position, written(amount)] for position, amount in locked.contributed]
            + [[put.position, written(put.amount), *put[2:]] for put in locked.further],
        )
        for (table, number), locked in batch.open.items()
        if not locked.stored
    )


def move_cursors(batch: Batch) -> None:
    """Say which sequence of each table comes next, and what the lane's last number is."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE tables_tablecursor AS c"
            " SET expected = n.expected, attempts = 0, last_error = ''"
            " FROM unnest(%s::bigint[], %s::bigint[]) AS n (table_id, expected)"
            " WHERE c.table_id = n.table_id",
            [list(batch.expected), list(batch.expected.values())],
        )
        cursor.execute(
            "UPDATE progressives_lane SET number = %s, gaming_day = %s WHERE id = %s",
            [batch.number, batch.gaming_day, batch.lane.pk],
        )
