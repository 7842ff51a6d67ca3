"""PostgreSQL, the broker and the web server stop, are emptied, are killed, stand still."""

import os
import signal
import threading
import time
from random import Random

from config.embedded.postgres import GONE, process_state
from tests.config.processes import descendants
from tests.faults.floor import day_of
from tests.faults.houses import Pit, frozen, wait_for
from tests.faults.load import Sent
from tests.faults.sound import Found
from tests.faults.watching import (
    answers,
    broker_of,
    forget_what_it_wrote,
    is_stored,
    kill,
    names_of,
    post_once,
    stored_without_answer,
    tell,
    waiting,
)


def postgres_is_stopped(
    pit: Pit, seed: int, *, how: signal.Signals, times: int = 3, away: float = 0.5
) -> Found:
    """Stop PostgreSQL under load, for a while, and start it again. Who got no answer asks again."""
    chance, events = Random(seed), day_of(4000, seed)
    house = pit.database.house
    before = {name: pit.house.pid(name) for name in names_of(pit)}
    stopped = 0
    with pit.loaded(events, per_second=150, all_of_them=False) as sent:
        for _ in range(times):
            time.sleep(chance.uniform(0.5, 1.0))
            reached = len(sent.told)
            with frozen(house.server_pids()["keeper"]):  # who would start it again at once
                postmaster = house.server_pids()["postgres"]
                servers = [postmaster, *descendants(postmaster)]
                for pid in servers if how == signal.SIGKILL else [postmaster]:
                    stopped += kill(pid, how) and pid == postmaster
                wait_for(lambda p=postmaster: process_state(p) in GONE, 20, "it would not stop")
                time.sleep(away)
            wait_for(lambda n=reached: len(sent.told) > n + 10, 60, "the house did not come back")
    found = pit.assert_sound(sent)
    tell(found, sent, stopped=stopped)
    assert stopped == times
    assert sent.unclear + sent.asked_again > 0, "nobody noticed: nothing was tried"
    assert set(sent.statuses) <= {202, 503}, sent.statuses
    assert {name: pit.house.pid(name) for name in names_of(pit)} == before, "somebody gave up"
    return found


def broker_is_emptied(pit: Pit, seed: int, *, times: int = 25) -> Found:
    """FLUSHALL again and again under load: doorbells, bindings and unacknowledged tasks gone."""
    chance, events = Random(seed), day_of(4000, seed)
    lost = 0
    with broker_of(pit) as broker, pit.loaded(events, per_second=150, all_of_them=False) as sent:
        for _ in range(times):
            time.sleep(chance.uniform(0.05, 0.25))
            lost += broker.dbsize()
            broker.flushall()
    found = pit.assert_sound(sent)
    tell(found, sent, flushed=times, keys_lost=lost)
    assert lost > 0, "there was never anything to lose"
    assert set(sent.statuses) == {202}, sent.statuses
    return found


def broker_is_killed(pit: Pit, seed: int, *, times: int = 3) -> Found:
    """Kill -9 the broker under load and start it again, empty."""
    chance, events = Random(seed), day_of(4000, seed)
    house = pit.database.house
    killed = 0
    with pit.loaded(events, per_second=100, all_of_them=False) as sent:
        for _ in range(times):
            time.sleep(chance.uniform(0.3, 1.5))
            with frozen(house.server_pids()["keeper"]):
                killed += kill(house.server_pids()["valkey"])
                time.sleep(chance.uniform(0.1, 1.0))
                forget_what_it_wrote(pit)
            wait_for(lambda: answers(pit), 10, "the broker did not come back")
    found = pit.assert_sound(sent)
    tell(found, sent, killed=killed, slowest_answer=round(sent.slowest(1), 3))
    assert killed == times
    assert set(sent.statuses) == {202}, sent.statuses
    return found


def broker_is_frozen(pit: Pit, seed: int, *, seconds: float = 6.0) -> Found:
    """Stop the broker in its tracks: the tables must not feel it."""
    events = day_of(2000, seed)
    house = pit.database.house
    with pit.loaded(events, per_second=60, all_of_them=False) as sent:
        time.sleep(1)
        with frozen(house.server_pids()["valkey"]):
            reached = len(sent.told)
            sent.latencies.clear()
            time.sleep(seconds)
            slowest, served = sent.slowest(0.99), len(sent.told) - reached
            assert served > 60 * seconds / 2, f"only {served} events were taken meanwhile"
            assert slowest < 1.0, f"requests took {slowest:.1f} s"
    found = pit.assert_sound(sent)
    tell(found, sent, seconds=seconds, taken_meanwhile=served, p99=round(slowest, 3))
    return found


def web_dies_before_it_rings(pit: Pit, seed: int, *, times: int = 3) -> Found:
    """Kill the web server after a commit and before its bell was heard.

    The broker is frozen meanwhile, so no bell can have been heard, and then killed and emptied,
    so none is heard later. The sweep must find the event; who asks again gets the first answer.
    """
    house = pit.database.house
    events = iter(day_of(times * 4, seed, ("A-1",)))
    sent = Sent()
    for _ in range(times):
        event = next(events)
        told: list[object] = []
        with frozen(house.server_pids()["keeper"]):
            broker = house.server_pids()["valkey"]
            os.kill(broker, signal.SIGSTOP)
            posting = threading.Thread(target=post_once, args=[pit, event, sent, told])
            posting.start()
            wait_for(lambda e=event: is_stored(pit, e), 10, "it was not stored")
            kill(pit.house.pid("web"))
            kill(broker)
            forget_what_it_wrote(pit)
            posting.join()
        wait_for(lambda: answers(pit), 10, "the broker did not come back")
        why = "an event that no bell announced waits for ever"
        wait_for(lambda: waiting(pit) == 0, pit.patience_seconds, why)
        client = pit.client(sent)
        client.report(event)
        client.close()
        sent.told[event.event_id] += [(202, answer) for answer in told]  # if one came in time
    sent.assert_equal_answers()
    found = pit.assert_sound(sent)
    tell(found, sent, killed=times)
    return found


def web_is_killed(pit: Pit, seed: int, *, times: int = 3) -> Found:
    """Kill -9 the web server at random moments under load, with all its threads at work."""
    chance, events = Random(seed), day_of(4000, seed)
    unanswered = 0
    with pit.loaded(events, per_second=150, all_of_them=False) as sent:
        for _ in range(times):
            reached = len(sent.told)
            wait_for(lambda n=reached: len(sent.told) > n + 20, 30, "it did not come back")
            time.sleep(chance.uniform(0.0, 0.4))
            kill(pit.house.pid("web"))
            time.sleep(0.1)
            unanswered += stored_without_answer(pit, sent)
    found = pit.assert_sound(sent)
    tell(found, sent, killed=times, committed_without_an_answer=unanswered)
    assert sent.unclear > 0, "nobody noticed: nothing was tried"
    return found
