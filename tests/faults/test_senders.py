"""Senders repeat, contradict, mix up and lose; one event is poison; a claim is seen at once."""

import pytest

from tests.faults.conftest import StartPit
from tests.faults.sender_faults import (
    an_event_is_lost,
    an_event_is_poison,
    claims_are_seen_at_once,
    events_come_in_any_order,
    everything_comes_twice,
    two_tell_different_stories,
)

pytestmark = pytest.mark.faults


def test_what_comes_many_times_at_once_counts_once(start: StartPit, seed: int) -> None:
    everything_comes_twice(start(workers=2), seed)


def test_of_two_stories_told_at_once_exactly_one_is_taken(start: StartPit, seed: int) -> None:
    two_tell_different_stories(start(), seed)


def test_any_order_comes_to_the_same_meters(start: StartPit, seed: int) -> None:
    events_come_in_any_order(start(), seed)


def test_a_lost_event_holds_its_table_until_a_person_gives_it_up(
    start: StartPit, seed: int
) -> None:
    an_event_is_lost(start(), seed)


def test_a_poison_event_is_set_aside_and_the_lane_goes_on(start: StartPit, seed: int) -> None:
    an_event_is_poison(start(mutant="poison"), seed)


def test_a_claim_stands_in_the_queue_within_a_second(start: StartPit, seed: int) -> None:
    claims_are_seen_at_once(start(), seed)
