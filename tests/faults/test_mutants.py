"""Each guarantee has a change that breaks it, and the scenario that notices.

The changes are made in the processes from outside (``mutants/``), or in the database by its
owner; the scenarios are those of the other files, shorter. A change that nobody notices would
mean that the test of its guarantee tests nothing.
"""

import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import psycopg
import pytest

from tests.databases import CommittedDatabase
from tests.faults import sender_faults, server_faults, worker_faults
from tests.faults.conftest import StartPit
from tests.faults.houses import Pit

pytestmark = pytest.mark.faults

BARE = {"beat": False}  # no sweep repairs what went wrong
WAIT = {"patience_seconds": 6.0}

# The keys of the intake: without them ON CONFLICT has nothing to find.
KEYS_SQL = """
ALTER TABLE tables_tableevent DROP CONSTRAINT tables_tableevent_event_id_key;
ALTER TABLE tables_tableevent DROP CONSTRAINT table_sequence_once;
"""


class Mutant(NamedTuple):
    """A change, the scenario that must notice it and what it says, and the processes it takes.

    A house that is wrong is not waited for as long as a sound one, but always longer than the
    sound one takes.
    """

    change: str
    scenario: Callable[[Pit, int], Any]
    says: str
    house: dict[str, Any] = {}
    statements: str = ""


MUTANTS = [
    Mutant(
        "no_lock",
        partial(worker_faults.one_lane_many_workers, drain_too=False),
        "two were at a lane",
        {"workers": 3, **BARE},
    ),
    Mutant(
        "slow_disk,no_second_look",
        worker_faults.bells_at_a_busy_lane,
        "bell was not heard",
        BARE,
    ),
    Mutant("rings_early", worker_faults.bells_of_single_events, "bell was not heard", BARE),
    Mutant(
        "piecemeal", partial(worker_faults.workers_are_killed, kills=24), "not what|differ|wait|log"
    ),
    Mutant(
        "forgetful",
        partial(server_faults.postgres_is_stopped, how=signal.SIGKILL, times=2, away=0.0),
        "acknowledged and is lost",
    ),
    Mutant(
        "bell_holds_request", partial(server_faults.broker_is_frozen, seconds=3), "requests|only"
    ),
    Mutant(
        "no_sweep", partial(server_faults.web_dies_before_it_rings, times=1), "waits for ever", WAIT
    ),
    Mutant(
        "answers_early", partial(server_faults.web_is_killed, times=2), "acknowledged and is lost"
    ),
    Mutant("all_is_repeated", partial(sender_faults.two_tell_different_stories, races=2), "taken"),
    Mutant("by_arrival", sender_faults.events_come_in_any_order, "wait|order|past a gap", WAIT),
    Mutant("gap_jumped", partial(sender_faults.an_event_is_lost, rounds=30), "past a gap"),
    Mutant("gap_unsaid", partial(sender_faults.an_event_is_lost, rounds=30), "nobody was told"),
    Mutant(
        "gap_forgotten",
        partial(sender_faults.an_event_is_lost, rounds=30, told_first=False),
        "past a gap|sequence_skipped",
    ),
    Mutant("poison,never_set_aside", sender_faults.an_event_is_poison, "still wait", WAIT),
    Mutant("poison,swallowed", sender_faults.an_event_is_poison, "gaps|not what"),
    Mutant("no_bell", partial(sender_faults.claims_are_seen_at_once, seconds=8), "was seen after"),
    Mutant("", partial(sender_faults.everything_comes_twice, events=2), "409|twice", {}, KEYS_SQL),
]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.change or "no_keys")
def test_mutant_is_caught(
    start: StartPit, breakable_db: CommittedDatabase, seed: int, mutant: Mutant
) -> None:
    if mutant.statements:
        with psycopg.connect(breakable_db.owner_url, autocommit=True) as owner:
            owner.execute(mutant.statements)
    pit = start(mutant=mutant.change, **mutant.house)

    with pytest.raises(AssertionError, match=mutant.says) as caught:
        mutant.scenario(pit, seed)

    sys.stdout.write(f"caught: {str(caught.value).splitlines()[0]}\n")
    logs = pit.logs("")
    for change in filter(None, mutant.change.split(",")):
        assert change == "forgetful" or f"changed: {change}" in logs, "the change was not made"
