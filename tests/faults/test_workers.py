"""Workers die, are many, hear a bell once; sessions are cut off: nothing is lost or done twice."""

import pytest

from tests.faults.conftest import StartPit
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
    bells_at_a_busy_lane(start(beat=False), seed)


def test_sessions_cut_off_within_a_commit_are_asked_again(start: StartPit, seed: int) -> None:
    connections_are_cut(start(), seed)
