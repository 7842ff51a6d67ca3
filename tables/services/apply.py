"""The whole life of a lane's waiting events, on one screen."""

import structlog
from django.db import DatabaseError, OperationalError, connection, transaction
from django.utils import timezone

from progressives.models import Lane
from progressives.services.ledger import Ledger
from tables.models import GamingTable, TableCursor
from tables.rules import SUPPORTED_GAMES
from tables.services.batch import Batch, Broke, open_lockouts
from tables.services.further import feeds_of
from tables.services.numbering import Pending, next_in_order
from tables.services.store import store
from tables.services.terms import TermsBook

BATCH_LIMIT = 400  # events in one transaction; its lock is held for a fraction of a second
TRIES = 3  # then an event that breaks the engine is set aside for a person

log = structlog.get_logger(__name__)


def apply_lane(*, lane_id: int, limit: int = BATCH_LIMIT) -> int | None:
    """Apply the lane's next waiting events, all or nothing.

    Safe to call twice and side by side: an applied event is never waiting again, and a lane that
    is held by another returns None at once. Otherwise returns how many events are done with; 0
    means that nothing can be done now.
    """
    try:
        return _apply_next(lane_id, limit)
    except OperationalError:
        raise  # the database's trouble, not the event's: the caller tries again
    except Broke as broke:
        if broke.place:  # what stands before it is sound
            return apply_lane(lane_id=lane_id, limit=broke.place)
        return note_attempt(lane_id, broke.pending, str(broke.__cause__))
    except DatabaseError as error:
        if limit > 1:  # find the event that the database refuses
            return apply_lane(lane_id=lane_id, limit=limit // 2)
        first = first_waiting(lane_id)
        return None if first is None else note_attempt(lane_id, first, str(error))


@transaction.atomic(durable=True)
def _apply_next(lane_id: int, limit: int) -> int | None:
    lane = hold_lane(lane_id)
    if lane is None:
        return None
    batch = read_batch(lane, limit)
    if batch is None:
        return 0
    store(batch)
    return len(batch.applied)


def hold_lane(lane_id: int, *, wait: bool = False) -> Lane | None:
    """Take the lane until the transaction ends, or return None: then someone is at it.

    NO KEY UPDATE, since rows that point at the lane must not wait for its holder.
    """
    lanes = Lane.objects.select_for_update(no_key=True, skip_locked=not wait)
    return lanes.filter(pk=lane_id).first()


def read_batch(lane: Lane, limit: int, before: Batch | None = None) -> Batch | None:
    """Read what comes next in a lane and apply it in memory.

    With ``before`` the batch goes on where that one ends, which need not be written yet.
    """
    expected = expected_sequences(lane.pk) | (before.expected if before else {})
    events = next_in_order(expected, limit)
    if not events:
        return None
    if before is None:
        tables = list(GamingTable.objects.filter(pk__in=expected))
        book = TermsBook(tables)
        book.further = feeds_of(tables)
        batch = Batch(lane, book, Ledger(lane.pk), timezone.now())
        batch.open = open_lockouts(list(expected))
        batch.over = rounds_over(events)
    else:
        ledger = Ledger(lane.pk, before.ledger)
        batch = Batch(lane, before.book, ledger, timezone.now(), before)
        batch.open = {key: held._replace(stored=True) for key, held in before.open.items()}
        batch.over = {**rounds_over(events), **before.over}
    batch.apply(events)
    return batch


def expected_sequences(lane_id: int) -> dict[int, int]:
    """Return the next sequence of each of the lane's tables whose game has an engine."""
    cursors = TableCursor.objects.filter(
        table__lane_id=lane_id, table__game__in=SUPPORTED_GAMES
    ).values_list("table_id", "expected")
    return dict(cursors)


def rounds_over(events: list[Pending]) -> dict[tuple[int, int], str]:
    """Return which of the events' rounds are over already, and how."""
    pairs = {(e.table_id, e.round) for e in events if e.round is not None}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT r.table_id, r.number, r.state"
            " FROM unnest(%s::bigint[], %s::bigint[]) AS asked (table_id, number)"
            " JOIN tables_round r USING (table_id, number)",
            [[table for table, _ in pairs], [number for _, number in pairs]],
        )
        return {(table, number): state for table, number, state in cursor.fetchall()}


def first_waiting(lane_id: int) -> Pending | None:
    """Return the lane's next event, without touching it."""
    events = next_in_order(expected_sequences(lane_id), 1)
    return events[0] if events else None


@transaction.atomic(durable=True)
def note_attempt(lane_id: int, pending: Pending, error: str) -> int | None:
    """Count a failed attempt at the event; after the last one set it aside: the lane goes on."""
    lane = hold_lane(lane_id)
    if lane is None:
        return None
    cursor = TableCursor.objects.get(pk=pending.table_id)
    if cursor.expected != pending.sequence:  # someone else got it through meanwhile
        return 0
    cursor.attempts += 1
    cursor.last_error = error[:2000]
    cursor.save(update_fields=["attempts", "last_error"])
    log.error("event_broke", event_id=pending.event_id, attempt=cursor.attempts, error=error)
    if cursor.attempts < TRIES:
        return 0
    tables = list(GamingTable.objects.filter(pk=pending.table_id))
    batch = Batch(lane, TermsBook(tables), Ledger(lane.pk), timezone.now())
    batch.set_aside(pending, error)
    store(batch)
    return 1


def has_waiting(lane_id: int) -> bool:
    """Whether an event could be applied now that no attempt has failed at yet."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM tables_tablecursor c"
            " JOIN tables_gamingtable t ON t.id = c.table_id"
            " JOIN tables_tableevent e ON e.table_id = c.table_id AND e.sequence = c.expected"
            " WHERE t.lane_id = %s AND t.game = ANY(%s) AND c.attempts = 0 LIMIT 1",
            [lane_id, list(SUPPORTED_GAMES)],
        )
        return cursor.fetchone() is not None


def lanes_waiting() -> list[int]:
    """Return the lanes that have something to apply, tried before or not."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT t.lane_id FROM tables_tablecursor c"
            " JOIN tables_gamingtable t ON t.id = c.table_id"
            " JOIN tables_tableevent e ON e.table_id = c.table_id AND e.sequence = c.expected"
            " WHERE t.game = ANY(%s) ORDER BY 1",
            [list(SUPPORTED_GAMES)],
        )
        return [lane_id for (lane_id,) in cursor.fetchall()]
