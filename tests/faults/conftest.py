"""Houses that may be broken, over servers of their own that may be stopped."""

import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from psycopg.conninfo import conninfo_to_dict

from config.house import House, migrate
from tests.databases import CommittedDatabase, Databases, ringing_at
from tests.faults.houses import Pit, start_pit

StartPit = Callable[..., Pit]


@pytest.fixture
def seed() -> int:
    """Return the seed of a test's chances; printed, and given again by FAULTS_SEED."""
    found = int(os.environ.get("FAULTS_SEED") or random.SystemRandom().randrange(1_000_000))
    sys.stdout.write(f"FAULTS_SEED={found}\n")
    return found


@pytest.fixture
def start(breakable_db: CommittedDatabase, tmp_path: Path) -> Iterator[StartPit]:
    """Start houses whose PostgreSQL and broker may be stopped: nobody else uses them.

    ``start(mutant="", web=True, workers=1, beat=True)`` returns when all processes are ready.
    """
    begun: list[Pit] = []
    numbers = count(1)

    def start_one(**how: Any) -> Pit:
        begun.append(start_pit(breakable_db, tmp_path / f"house-{next(numbers)}", **how))
        return begun[-1]

    yield start_one
    for pit in begun:
        pit.house.supervisor.stop(kill=True)


@pytest.fixture(scope="session")
def breakable_servers() -> Iterator[House]:
    """Return a house of its own servers, migrated once for all tests that stop them."""
    folder = Path(tempfile.mkdtemp(prefix="progressives-faults-"))
    folder.chmod(0o755)
    house = House(folder / "data", outside={})
    house.start_servers()
    migrate(house.environment(), owner_url=house.owner_url)
    yield house
    house.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def breakable_db(breakable_servers: House, django_db_blocker: Any) -> Iterator[CommittedDatabase]:
    """Give the test a database and a broker on servers that it may kill."""
    databases = Databases(breakable_servers)
    databases.template = "house"
    clone = databases.clone()  # never dropped: it goes with its servers
    with (
        django_db_blocker.unblock(),
        django_at(clone.database_url),
        ringing_at(clone.redis_url),
    ):
        yield clone


@contextmanager
def django_at(url: str) -> Iterator[None]:
    """Point Django's connections to another server for a while."""
    parts = conninfo_to_dict(url)
    settings = connection.settings_dict
    wanted = {
        "NAME": parts["dbname"],
        "USER": parts["user"],
        "PASSWORD": parts["password"],
        "HOST": parts["host"],
    }
    before = {key: settings[key] for key in wanted}
    connection.close()
    settings.update(wanted)
    try:
        yield
    finally:
        connection.close()
        settings.update(before)
