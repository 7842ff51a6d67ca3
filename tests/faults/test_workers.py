"""Workers die, are many, hear a bell once; sessions are cut off: nothing is lost or done twice."""

import threading
from typing import Any

import psycopg
import pytest

from progressives.models import Lane
from tables.models import AccessKey
from tables.services import drain
from tables.services.accept import accept_events
from tables.services.drain import Drained, drain_lane
from tests.databases import CommittedDatabase
from tests.faults.conftest import StartPit
from tests.faults.floor import day_of, open_floor
from tests.faults.worker_faults import (
    bells_at_a_busy_lane,
    bells_of_single_events,
    connections_are_cut,
    one_lane_many_workers,
    workers_are_killed,
)

pytestmark = pytest.mark.faults


def test_workers_killed_in_mid_batch_leave_nothing_half_done(start: StartPit, seed: int) -> None:
    workers_are_killed(start(workers=2), seed)


@pytest.mark.slow
def test_workers_killed_five_hundred_times(start: StartPit, seed: int) -> None:
    workers_are_killed(start(workers=2), seed, kills=500)


def test_four_workers_and_drain_at_one_lane_keep_its_order(start: StartPit, seed: int) -> None:
    one_lane_many_workers(start(workers=4, beat=False), seed)


def test_a_single_event_is_announced_after_its_commit(start: StartPit, seed: int) -> None:
    bells_of_single_events(start(beat=False), seed)


def test_a_bell_that_falls_on_a_busy_lane_is_heard(start: StartPit, seed: int) -> None:
    bells_at_a_busy_lane(start(mutant="slow_disk", beat=False), seed)


def test_a_writer_waits_for_one_who_only_looks_at_the_lane(
    breakable_db: CommittedDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_floor()
    day = day_of(10, 7, ("A-1",))
    accept_events([event.document for event in day], key=AccessKey.objects.get())
    sound = drain.read_batch
    with psycopg.connect(breakable_db.database_url) as other:

        def read_while_somebody_looks(*values: Any) -> Any:
            monkeypatch.setattr(drain, "read_batch", sound)
            other.execute("SELECT 1 FROM progressives_lane FOR NO KEY UPDATE")
            threading.Timer(0.3, other.rollback).start()
            return sound(*values)

        monkeypatch.setattr(drain, "read_batch", read_while_somebody_looks)
        run = drain_lane(lane_id=Lane.objects.get(name="ONE").pk, seconds=60)

    assert run == Drained(len(day))


def test_sessions_cut_off_within_a_commit_are_asked_again(start: StartPit, seed: int) -> None:
    connections_are_cut(start(), seed)
