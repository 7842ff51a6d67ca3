"""Houses to break: the processes over a database, whole or with one thing changed in them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.supervisor import BASE_DIR, Supervisor
from tests.databases import CommittedDatabase, RunningHouse
from tests.faults.floor import Event, open_floor
from tests.faults.load import Client, Sent, under_load
from tests.faults.sound import LATEST_SECONDS, Found, assert_sound

MUTANTS = Path(__file__).parent / "mutants"


@dataclass(frozen=True)
class Pit:
    """A running house with a floor loaded, and the key its controllers post with.

    ``patience_seconds``: how long an event may wait once a fault is over.
    """

    house: RunningHouse
    secret: str
    mutant: str = ""
    patience_seconds: float = LATEST_SECONDS

    @property
    def database(self) -> CommittedDatabase:
        return self.house.database

    def client(self, sent: Sent, *, timeout: float = 15.0) -> Client:
        return Client(self.house.web_url, self.secret, sent, timeout)

    def loaded(self, events: list[Event], **how: Any) -> Any:
        return under_load(self.house.web_url, self.secret, events, **how)

    def logs(self, name: str) -> str:
        """Return what the processes of this name have logged, however often they started."""
        found = sorted(self.house.supervisor.logs.glob(f"{name}*.log"))
        return "".join(path.read_text(errors="replace") for path in found)

    def assert_sound(self, sent: Sent, held: Collection[str] = ()) -> Found:
        """Hold the house to every answer that was given."""
        return assert_sound(self.database, sent, held=held, seconds=self.patience_seconds)

    def manage(self, *arguments: str) -> str:
        """Run a management command as the house would; return what it says."""
        environment = changed(self.database.environment(), self.mutant)
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            env={**os.environ, **environment},
            cwd=BASE_DIR,
            capture_output=True,
            text=True,
            check=True,
        ).stdout


def changed(environment: dict[str, str], mutant: str) -> dict[str, str]:
    """Return the environment in which processes carry the change of this name."""
    if not mutant:
        return environment
    changes = {"PYTHONPATH": os.fspath(MUTANTS), "MUTANT": mutant}
    if "forgetful" in mutant.split(","):  # a commit is answered before it is on disk
        changes["PGOPTIONS"] = "-c synchronous_commit=off"
    return {**environment, **changes}


def start_pit(
    database: CommittedDatabase,
    logs: Path,
    *,
    mutant: str = "",
    web: bool = True,
    workers: int = 1,
    beat: bool = True,
    patience_seconds: float = LATEST_SECONDS,
) -> Pit:
    """Load the floor and start the processes; whoever calls stops the supervisor."""
    secret = open_floor()
    supervisor = Supervisor(
        environment=changed(database.environment(), mutant),
        logs=logs,
        web=web,
        workers=workers,
        beat=beat,
    )
    supervisor.start()
    return Pit(RunningHouse(database, supervisor), secret, mutant, patience_seconds)


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    """Stop a process in its tracks for as long as the block takes."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def wait_for(what: Any, seconds: float, why: str) -> float:
    """Wait until something is true; return how long it took."""
    begun = time.monotonic()
    while not what():
        assert time.monotonic() - begun < seconds, why
        time.sleep(0.005)
    return time.monotonic() - begun
