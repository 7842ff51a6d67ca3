"""PostgreSQL, the broker and the web server stop under load: only time is lost."""

import signal

import pytest

from tests.faults.conftest import StartPit
from tests.faults.server_faults import (
    broker_is_emptied,
    broker_is_frozen,
    broker_is_killed,
    postgres_is_stopped,
    web_dies_before_it_rings,
    web_is_killed,
)

pytestmark = pytest.mark.faults

HOW = pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["stopped", "killed"])


@HOW
def test_postgresql_gone_and_back_loses_nothing(
    start: StartPit, seed: int, how: signal.Signals
) -> None:
    postgres_is_stopped(start(), seed, how=how)


@pytest.mark.slow
@HOW
def test_postgresql_gone_and_back_fifty_times(
    start: StartPit, seed: int, how: signal.Signals
) -> None:
    postgres_is_stopped(start(), seed, how=how, times=50, away=0.1)


def test_an_emptied_broker_loses_nothing(start: StartPit, seed: int) -> None:
    broker_is_emptied(start(), seed)


def test_a_killed_broker_that_comes_back_empty_loses_nothing(start: StartPit, seed: int) -> None:
    broker_is_killed(start(), seed)


def test_a_broker_that_stands_still_holds_no_request(start: StartPit, seed: int) -> None:
    broker_is_frozen(start(), seed)


@pytest.mark.slow
def test_a_broker_that_stands_still_for_a_minute(start: StartPit, seed: int) -> None:
    broker_is_frozen(start(), seed, seconds=60)


def test_what_a_dead_web_server_did_not_announce_is_found(start: StartPit, seed: int) -> None:
    web_dies_before_it_rings(start(), seed)


def test_a_killed_web_server_is_asked_again(start: StartPit, seed: int) -> None:
    web_is_killed(start(), seed)
