"""Drain a lane: while PostgreSQL writes one batch, the next is worked out from it in memory.

A batch is worked out without the lane's lock and written under it, and only if the lane still
stands where the batch begins. Whoever moves anything of a lane takes the lane's next number, so
the number tells: if somebody else was at the lane, what was worked out is thrown away and read
again. Nobody goes while he was the one who held the lane: another may have relied on his look.
"""

from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic
from typing import NamedTuple

from django.db import DatabaseError, OperationalError, connection, transaction

from progressives.models import Lane
from tables.services.apply import BATCH_LIMIT, apply_lane, hold_lane, read_batch
from tables.services.batch import Batch, Broke
from tables.services.store import store


class Drained(NamedTuple):
    """What a drain came to. ``busy``: somebody else is at the lane. ``more``: time was up."""

    done: int
    busy: bool = False
    more: bool = False


def drain_lane(*, lane_id: int, seconds: float, limit: int = BATCH_LIMIT) -> Drained:
    """Apply what waits in the lane, batch after batch, for about so many seconds.

    Safe to call twice and side by side, as ``apply_lane`` is. Anything unusual (an event that
    breaks the engine or the database) is left to ``apply_lane``, one batch at a time.
    """
    until, done = monotonic() + seconds, 0
    with ThreadPoolExecutor(1, thread_name_prefix="writer") as writer:
        try:
            while True:
                run = run_ahead(lane_id, limit, until, writer)
                done += run.done
                if run.late:
                    continue
                if not run.broke:
                    return Drained(done, run.busy, run.more)
                step = apply_lane(lane_id=lane_id)
                if not step:
                    return Drained(done, busy=step is None)
                done += step
        finally:
            writer.submit(close_connection).result()


class Run(NamedTuple):
    """What a run of batches came to. ``late``: somebody else has moved the lane meanwhile."""

    done: int
    busy: bool = False
    more: bool = False
    broke: bool = False
    late: bool = False


def run_ahead(lane_id: int, limit: int, until: float, writer: ThreadPoolExecutor) -> Run:
    """Work out batches one ahead of the writer, until nothing waits or something is unusual."""
    if is_held(lane_id):
        return Run(0, busy=True)
    lane = Lane.objects.get(pk=lane_id)
    done = 0
    writing: Future[bool] | None = None
    before: Batch | None = None
    while True:
        batch, broke = None, False
        more = monotonic() > until
        if not more:
            try:
                batch = read_batch(lane, limit, before)
            except Broke:
                broke = True
        if writing is not None and before is not None:
            try:
                written = writing.result()
            except OperationalError:
                raise  # the database's trouble: the caller tries again
            except DatabaseError:
                return Run(done, broke=True)
            if not written:
                return Run(done, late=True)
            done += len(before.applied)
        if batch is None:
            return Run(done, more=more, broke=broke)
        writing, before = writer.submit(write, batch), batch


def is_held(lane_id: int) -> bool:
    """Whether somebody is at the lane this moment; only to save the work of being second."""
    with transaction.atomic():
        return hold_lane(lane_id) is None


def write(batch: Batch) -> bool:
    """Write a batch if the lane still stands where it begins; runs in the writer's thread.

    It waits for the lane: whoever only looks at it holds it for a moment too.
    """
    try:
        with transaction.atomic(durable=True):
            lane = hold_lane(batch.lane.pk, wait=True)
            if lane is None or lane.number != batch.begun_at:
                return False
            store(batch)
            return True
    except BaseException:
        connection.close()  # whatever state it is in, the next batch gets a fresh one
        raise


def close_connection() -> None:
    """Close the connection of the thread that this runs in."""
    connection.close()
