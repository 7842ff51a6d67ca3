"""Write what a batch came to: COPY for what only grows, one UPDATE for each row that stands."""

from collections.abc import Sequence
from typing import Any

from django.db import connection

from audit.services import chain_of_lane, open_exceptions, record
from progressives.services.claims_open import open_claims, store_envies
from tables.models import OpenRound
from tables.services.batch import Batch

APPLIED = "event_id lane_id number state code path detail gaming_day late".split()
APPLIED_TYPES = "int8 int8 int8 varchar varchar varchar text date bool".split()
ROUND = (
    "id table_id number game state rules dealer floorperson dealer_hand meters flags"
    " lane_number gaming_day occurred_at"
).split()
ROUND_TYPES = (
    "uuid int8 int8 varchar varchar varchar varchar varchar jsonb jsonb jsonb int8 date timestamptz"
).split()
SEAT = "round_id position player cards wagers lines".split()
SEAT_TYPES = "uuid int2 varchar varchar jsonb jsonb".split()


def copy_rows(
    table: str, columns: Sequence[str], types: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Copy ready rows into a table; JSON columns come as bytes."""
    if not rows:
        return
    with connection.cursor() as cursor:
        with cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)


def store(batch: Batch) -> None:
    """Write the whole batch, the log last: its head is locked until commit."""
    batch.ledger.store()
    copy_rows("tables_round", ROUND, ROUND_TYPES, batch.rounds)
    copy_rows("tables_roundposition", SEAT, SEAT_TYPES, batch.seats)
    open_claims(batch.claims)
    store_envies(batch.envies)
    store_open_rounds(batch)
    copy_rows("tables_appliedevent", APPLIED, APPLIED_TYPES, batch.applied)
    open_exceptions(batch.exceptions)
    move_cursors(batch)
    record(chain_of_lane(batch.lane.name), batch.log)


def store_open_rounds(batch: Batch) -> None:
    """Bring the working rows of locked-out rounds up to date."""
    if batch.closed:
        OpenRound.objects.filter(pk__in=batch.closed).delete()
    OpenRound.objects.bulk_create(
        OpenRound(
            table_id=table,
            number=number,
            lockout_id=locked.event_id,
            contributed=[[position, str(amount)] for position, amount in locked.contributed],
        )
        for (table, number), locked in batch.open.items()
        if locked.stored is None
    )


def move_cursors(batch: Batch) -> None:
    """Say which sequence of each table comes next, and what the lane's last number is."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE tables_tablecursor AS c SET expected = n.expected, attempts = 0, last_error = ''"
            " FROM unnest(%s::bigint[], %s::bigint[]) AS n (table_id, expected)"
            " WHERE c.table_id = n.table_id",
            [list(batch.expected), list(batch.expected.values())],
        )
        cursor.execute(
            "UPDATE progressives_lane SET number = %s, gaming_day = %s WHERE id = %s",
            [batch.number, batch.gaming_day, batch.lane.pk],
        )
