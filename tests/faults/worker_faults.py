"""Workers that die, that are many, that hear a bell once; and a session that is cut off."""

import contextlib
import threading
import time
from io import StringIO
from random import Random

import psycopg
from django.core.management import call_command
from django.db import DatabaseError, connections

from tests.config.processes import descendants
from tests.faults.floor import day_of
from tests.faults.houses import Pit, wait_for
from tests.faults.load import Sent, still_loading
from tests.faults.sound import Found
from tests.faults.watching import (
    at_work,
    cut_transactions,
    database_errors,
    kill,
    names_of,
    ring,
    tell,
    waiting,
)


def workers_are_killed(pit: Pit, seed: int, *, kills: int = 40) -> Found:
    """Kill -9 workers under load: at random moments, and while they write a batch."""
    chance, events = Random(seed), day_of(100 * kills, seed)
    workers = [name for name in names_of(pit) if name.startswith("worker")]
    done = turns = 0
    with (
        psycopg.connect(pit.database.database_url, autocommit=True) as own,
        pit.loaded(events, list_length=50, per_second=120, all_of_them=False) as sent,
    ):
        while done < kills:
            turns += 1
            if turns % 4:
                wait_for(lambda: at_work(own), 30, "no worker ever writes")
                time.sleep(chance.choice((0.0, chance.uniform(0.0, 0.06))))
            else:
                time.sleep(chance.uniform(0.05, 0.3))
            if turns % 8 == 0:  # a whole worker; its pool ends with it
                done += kill(pit.house.pid(chance.choice(workers)))
                continue
            pools = [pid for name in workers for pid in descendants(pit.house.pid(name))]
            done += sum(map(kill, pools))
    found = pit.assert_sound(sent)
    cut = cut_transactions(pit)
    tell(found, sent, killed=done, killed_in_a_transaction=cut)
    assert cut > 0, "no worker was killed at work: nothing was tried"
    return found


def one_lane_many_workers(
    pit: Pit, seed: int, *, rounds: int = 250, drain_too: bool = True
) -> Found:
    """Let all workers, and ``drain`` beside them, at one lane; nobody may run into another."""
    events = day_of(rounds, seed, ("A-1", "A-2", "A-3", "A-4"))
    drained: list[int] = []
    over = threading.Event()

    def drain() -> None:
        with contextlib.suppress(DatabaseError):  # PostgreSQL's log tells of it
            while not over.wait(0.2):
                told = StringIO()
                call_command("drain", stdout=told)
                drained.append(int(told.getvalue().split()[0]))
        connections.close_all()

    beside = threading.Thread(target=drain)
    if drain_too:
        beside.start()
    try:
        with pit.loaded(events, list_length=5) as sent:
            while still_loading(sent, events):
                ring("ONE", times=10)  # bells enough to bring every process there at once
                time.sleep(0.1)
    finally:
        over.set()
        if drain_too:
            beside.join()
    found = pit.assert_sound(sent)
    errors = database_errors(pit)
    workers = len(names_of(pit)) - 1
    tell(found, sent, workers=workers, drained=sum(drained), errors=len(errors))
    assert not errors, f"two were at a lane: {errors[0]}"
    assert bool(sum(drained)) == drain_too
    return found


def bells_at_a_busy_lane(pit: Pit, seed: int, *, times: int = 24, at_a_time: int = 20) -> Found:
    """Let a bell fall while the lane is being written, in a house without beat.

    Who hears it finds the lane busy and goes; whoever has the lane must look once more. The house
    carries the change ``slow_disk``, so that there is time for it.
    """
    chance = Random(seed)
    many, single = day_of(at_a_time * times, seed, ("A-1",)), day_of(times, seed, ("A-2",))
    sent = Sent()
    client, other = pit.client(sent), pit.client(sent)
    other.report(single[0])
    longest = 0.0
    with psycopg.connect(pit.database.database_url, autocommit=True) as own:
        for number in range(times):
            client.report_list(many[at_a_time * number : at_a_time * (number + 1)])
            if number % 3:
                wait_for(lambda: at_work(own) or waiting(pit) == 0, 5.0, "a bell was not heard")
            else:
                time.sleep(chance.uniform(0.0, 0.1))
            other.report(single[1 + number])
            why = "a bell was not heard"
            longest = max(longest, wait_for(lambda: waiting(pit) == 0, 5.0, why))
    client.close()
    other.close()
    found = pit.assert_sound(sent)
    tell(found, sent, bells=times, slowest_to_be_applied=round(longest, 3))
    return found


def bells_of_single_events(pit: Pit, seed: int, *, events: int = 24) -> Found:
    """Post single events to idle lanes of a house without beat: the bell alone must do.

    A bell that rings before the commit finds nothing, and no sweep repairs it.
    """
    days = {table: iter(day_of(events, seed, (table,))) for table in ("A-1", "B-1", "C-1")}
    sent = Sent()
    client = pit.client(sent)
    longest = 0.0
    for number in range(events):
        client.report(next(days[("A-1", "B-1", "C-1")[number % 3]]))
        longest = max(longest, wait_for(lambda: waiting(pit) == 0, 5.0, "a bell was not heard"))
    client.close()
    found = pit.assert_sound(sent)
    tell(found, sent, slowest_to_be_applied=round(longest, 3))
    return found


def connections_are_cut(pit: Pit, seed: int, *, times: int = 60) -> Found:
    """End the application's sessions at random, in the middle of commits too."""
    chance, events = Random(seed), day_of(4000, seed)
    cut = busy = 0
    with (
        psycopg.connect(pit.database.database_url, autocommit=True) as own,
        pit.loaded(events, per_second=150, all_of_them=False) as sent,
    ):
        for _ in range(times):
            time.sleep(chance.uniform(0.01, 0.12))
            rows = own.execute(
                "SELECT pid, state <> 'idle' FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                " AND datname = current_database() AND usename = current_user"
            ).fetchall()
            rows.sort(key=lambda row: not row[1])  # those at work first
            for pid, at_work in rows[:1]:
                [(ended,)] = own.execute("SELECT pg_terminate_backend(%s)", [pid]).fetchall()
                cut += ended
                busy += ended and at_work
    found = pit.assert_sound(sent)
    tell(found, sent, cut=cut, cut_at_work=busy)
    assert busy > 0, "no session was cut at work: nothing was tried"
    assert set(sent.statuses) <= {202, 503}, sent.statuses
    return found
