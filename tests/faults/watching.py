"""What a scenario asks of the house it breaks, from outside: processes, logs, rows, the broker."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from urllib.parse import unquote, urlsplit

import psycopg
import redis

from progressives.models import Lane
from tables.tasks import apply_lane
from tests.faults.floor import Event
from tests.faults.houses import Pit
from tests.faults.load import Sent
from tests.faults.sound import Found

CUT_OFF = "with an open transaction"  # what PostgreSQL logs of a client that died at work


def names_of(pit: Pit) -> list[str]:
    """Return the names of the house's processes."""
    return [child.name for child in pit.house.supervisor.children]


def kill(pid: int, how: signal.Signals = signal.SIGKILL) -> bool:
    """Signal a process; tell whether it was there."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, how)
        return True
    return False


def log_of_postgres(pit: Pit) -> list[str]:
    """Return what PostgreSQL has logged of the house's database."""
    log = pit.database.house.data_dir / "logs" / "postgres.log"
    lines = log.read_text(errors="replace").splitlines()
    return [line for line in lines if f"@{pit.database.name} " in line]


def cut_transactions(pit: Pit) -> int:
    """Count what PostgreSQL says of clients that went away within a transaction."""
    return sum(CUT_OFF in line for line in log_of_postgres(pit))


def database_errors(pit: Pit) -> list[str]:
    """Return the errors that PostgreSQL has answered the house with."""
    return [line for line in log_of_postgres(pit) if " ERROR: " in line]


def at_work(own: psycopg.Connection) -> bool:
    """Tell whether a worker writes a batch just now: it holds a lane and has moved a meter."""
    found = own.execute(
        "SELECT 1 FROM pg_locks holds JOIN pg_locks writes USING (pid)"
        " WHERE holds.relation = 'progressives_lane'::regclass AND holds.mode = 'RowShareLock'"
        " AND writes.relation = 'tables_round'::regclass AND writes.mode = 'RowExclusiveLock'"
    )
    return found.fetchone() is not None


def ring(lane: str, *, times: int = 1) -> None:
    """Deliver a lane's task so many times, as if the broker had been given it so often."""
    lane_id = Lane.objects.get(name=lane).pk
    for _ in range(times):
        apply_lane.delay(lane_id)


def waiting(pit: Pit) -> int:
    """Return how many accepted events nobody has applied."""
    with psycopg.connect(pit.database.database_url) as connection:
        row = connection.execute(
            "SELECT (SELECT count(*) FROM tables_tableevent)"
            " - (SELECT count(*) FROM tables_appliedevent)"
        ).fetchone()
    return int(row[0]) if row else 0


def is_stored(pit: Pit, event: Event) -> bool:
    """Tell whether an event is in the intake, committed."""
    with psycopg.connect(pit.database.database_url) as connection:
        found = connection.execute(
            "SELECT 1 FROM tables_tableevent WHERE event_id = %s", [event.event_id]
        )
        return found.fetchone() is not None


def stored_without_answer(pit: Pit, sent: Sent) -> int:
    """Count the events that are in the intake while their senders still wait for an answer."""
    unclear = [event_id for event_id in list(sent.began) if event_id not in sent.told]
    with psycopg.connect(pit.database.database_url) as connection:
        row = connection.execute(
            "SELECT count(*) FROM tables_tableevent WHERE event_id = ANY(%s::uuid[])", [unclear]
        ).fetchone()
    return int(row[0]) if row else 0


def post_once(pit: Pit, event: Event, sent: Sent, told: list[object]) -> None:
    """Post an event and take what comes, also nothing."""
    client = pit.client(sent)
    found = client.once(f"/api/v1/tables/{event.table}/events/", event.raw)
    client.close()
    if found is not None:
        told.append(found[1])


def post_somehow(pit: Pit, event: Event, sent: Sent, who: int) -> None:
    """Post an event alone, or in a list, or thrice in one list, as the sender's number says."""
    client = pit.client(sent)
    if who % 3 == 0:
        client.report(event)
    else:
        client.report_list([event] * (3 if who % 3 == 1 else 1))
    client.close()


def at_once(number: int, deed: Callable[[int], None]) -> None:
    """Do something in so many threads, let loose together; raise what any of them raised."""
    together = threading.Barrier(number)
    failures: list[BaseException] = []

    def run(who: int) -> None:
        try:
            together.wait(10)
            deed(who)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=[who]) for who in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@contextlib.contextmanager
def broker_of(pit: Pit) -> Iterator[redis.Redis]:
    """Connect to the broker as no part of the house does: to all that it holds."""
    url = urlsplit(pit.database.redis_url)
    where = unquote(url.netloc + url.path)
    number = int(url.query.partition("=")[2] or 0)
    with redis.Redis(unix_socket_path=where, db=number, socket_timeout=5) as client:
        yield client


def answers(pit: Pit) -> bool:
    """Tell whether the broker answers."""
    with contextlib.suppress(redis.RedisError, OSError), broker_of(pit) as broker:
        return bool(broker.ping())
    return False


def forget_what_it_wrote(pit: Pit) -> None:
    """Throw away the broker's append-only file while it is down: it starts empty."""
    for path in (pit.database.house.data_dir / "valkey").rglob("*"):
        if path.is_file():
            path.unlink()


def tell(found: Found, sent: Sent, **injected: object) -> None:
    """Print the figures of a scenario, for people and for the report."""
    figures = {
        "events": found.events,
        "applied": found.applied,
        "awards": found.awards,
        "claims": found.claims,
        "waited": round(found.waited_seconds, 2),
        "unclear": sent.unclear,
        "asked again": sent.asked_again,
        "answers": dict(sent.statuses),
    }
    sys.stdout.write(f"{injected}\n  {figures}\n")
