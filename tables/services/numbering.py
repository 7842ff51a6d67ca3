"""Which events come next in a lane, and in what order. The order is decided here, once."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from django.db import connection

# The heads of all tables first, without their bodies: a lane may have many tables waiting.
HEADS_SQL = """
SELECT e.table_id, e.sequence, e.id
FROM unnest(%s::bigint[], %s::bigint[]) AS waiting (table_id, expected)
CROSS JOIN LATERAL (
    SELECT table_id, sequence, id FROM tables_tableevent
    WHERE table_id = waiting.table_id AND sequence >= waiting.expected
    ORDER BY sequence LIMIT %s
) AS e
ORDER BY e.table_id, e.sequence
"""

# The times in whole microseconds: to have them read from text would cost as much as all the rest.
EVENTS_SQL = """
SELECT id, event_id::text, table_id, sequence, type, round, body,
       (extract(epoch FROM occurred_at) * 1000000)::bigint,
       (extract(epoch FROM accepted_at) * 1000000)::bigint
FROM tables_tableevent WHERE id = ANY(%s)
"""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Pending(NamedTuple):
    """An accepted event that waits to be applied."""

    id: int
    event_id: str
    table_id: int
    sequence: int
    type: str
    round: int | None
    body: bytes
    occurred_at: datetime
    accepted_at: datetime


def next_in_order(expected: dict[int, int], limit: int) -> list[Pending]:
    """Return the next events of a lane, at most ``limit``, in the order they will be numbered.

    ``expected`` says for each table which of its sequences comes next. Within a table the
    sequence rules and a gap ends it; between tables the intake's order does, so a late filler
    goes after what stood before it.
    """
    if not expected:
        return []
    with connection.cursor() as cursor:
        cursor.execute(HEADS_SQL, [list(expected), list(expected.values()), limit])
        order = merge(cursor.fetchall(), expected, limit)
        if not order:
            return []
        cursor.execute(EVENTS_SQL, [order])
        found = {}
        for *facts, body, occurred_at, accepted_at in cursor.fetchall():
            moments = moment_of(occurred_at), moment_of(accepted_at)
            found[facts[0]] = Pending._make((*facts, bytes(body), *moments))
    return [found[event_id] for event_id in order]


def moment_of(microseconds: int) -> datetime:
    """Return the moment that is so many microseconds after the beginning of 1970."""
    return EPOCH + timedelta(microseconds=microseconds)


def merge(heads: Iterable[tuple[int, int, int]], expected: dict[int, int], limit: int) -> list[int]:
    """Merge (table, sequence, intake id) rows into intake ids in lane order."""
    queues: dict[int, list[int]] = {}
    wanted = dict(expected)
    for table_id, sequence, event_id in heads:
        if sequence == wanted[table_id]:  # past a gap nothing of this table follows
            wanted[table_id] += 1
            queues.setdefault(table_id, []).append(event_id)
    heap = [(queue[0], table_id, 0) for table_id, queue in queues.items()]
    heapify(heap)
    order: list[int] = []
    while heap and len(order) < limit:
        event_id, table_id, place = heappop(heap)
        order.append(event_id)
        if place + 1 < len(queues[table_id]):
            heappush(heap, (queues[table_id][place + 1], table_id, place + 1))
    return order
