"""Databases for tests: one migrated template, and clones of it.

The log's tables refuse TRUNCATE, so Django's way of emptying a database between tests cannot
work, and must not: a test that commits gets a clone and throws it away.
"""

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import psycopg
from django.core.management import call_command
from django.db import connection
from psycopg import sql

from config.embedded.keeper import VALKEY
from config.embedded.valkey import DATABASES
from config.house import House
from config.supervisor import BASE_DIR, Supervisor

counter = itertools.count(1)


@dataclass(frozen=True)
class CommittedDatabase:
    """A database and a broker of a test's own; the test's connections point to both."""

    name: str
    database_url: str
    owner_url: str
    redis_url: str
    house: House

    def environment(self) -> dict[str, str]:
        """Return the environment in which a process of its own serves this database."""
        return {
            **self.house.environment(),
            "DATABASE_URL": self.database_url,
            "REDIS_URL": self.redis_url,
        }


@dataclass(frozen=True)
class RunningHouse:
    """The processes of one house over a test's own database."""

    database: CommittedDatabase
    supervisor: Supervisor

    @property
    def web_url(self) -> str:
        """Return the address of the web server."""
        return self.supervisor.web_url

    def pid(self, name: str) -> int:
        """Return the pid of web, worker-1, worker-2 or beat."""
        process = self.supervisor.child(name).process
        assert process is not None
        return process.pid

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a management command in a process of its own; its output is text."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            env={**os.environ, **self.database.environment(), "WEB_URL": self.web_url},
            cwd=BASE_DIR,
            capture_output=True,
            text=True,
            check=False,
        )


class Databases:
    """The template and its clones, made by the owner role in the session's house."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.prefix = f"test_{os.getpid()}"
        self.template = f"{self.prefix}_template"

    def make_template(self) -> None:
        """Start the servers and migrate one database as owner."""
        self.house.start_servers()
        self._as_owner("CREATE DATABASE {}", self.template)
        with connected_to(self.template, url=self.url(self.template, owner=True)):
            call_command("migrate", verbosity=0, interactive=False)
            call_command("grant_rights", verbosity=0)

    def clone(self) -> CommittedDatabase:
        """Copy the template: about a tenth of a second."""
        number = next(counter)
        name = f"{self.prefix}_{number}"
        self._as_owner("CREATE DATABASE {} TEMPLATE {}", name, self.template)
        return CommittedDatabase(
            name=name,
            database_url=self.url(name),
            owner_url=self.url(name, owner=True),
            redis_url=self.redis_url(number),
            house=self.house,
        )

    def drop(self, name: str) -> None:
        """Remove a database, whoever is still connected to it."""
        self._as_owner("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)

    def url(self, name: str, *, owner: bool = False) -> str:
        """Return how a role reaches a database."""
        base = self.house.owner_url if owner else self.house.database_url
        return urlsplit(base)._replace(path=f"/{name}").geturl()

    def redis_url(self, number: int) -> str:
        """Return a broker of its own where the broker is embedded; else the one there is."""
        if VALKEY not in self.house.embedded:
            return self.house.redis_url
        return f"{self.house.redis_url}?virtual_host={number % (DATABASES - 1) + 1}"

    def _as_owner(self, statement: str, *names: str) -> None:
        with psycopg.connect(self.house.owner_url, autocommit=True) as owner:
            owner.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


@contextmanager
def connected_to(name: str, *, url: str | None = None) -> Iterator[None]:
    """Point Django's connections, those of threads to come too, to another database for a while."""
    settings = connection.settings_dict
    before = {key: settings[key] for key in ("NAME", "USER", "PASSWORD")}
    connection.close()
    settings["NAME"] = name
    if url is not None:
        parts = urlsplit(url)
        settings["USER"], settings["PASSWORD"] = parts.username, parts.password
    try:
        yield
    finally:
        connection.close()
        settings.update(before)


@contextmanager
def ringing_at(redis_url: str) -> Iterator[None]:
    """Point the Celery app of this process to another broker for a while."""
    from config.celery import app  # noqa: PLC0415  # reads the settings

    def turn_to(url: str) -> None:
        app.pool.force_close_all()
        app.conf.broker_url = url
        app._after_fork()  # forgets the pools, which remember the old address

    before = app.conf.broker_url
    turn_to(redis_url)
    try:
        yield
    finally:
        turn_to(before)
