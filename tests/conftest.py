"""Fixtures: a real PostgreSQL and a real broker, started when the first test needs them.

- ``db`` (pytest-django's): a rolled-back transaction, as role ``app``, for most tests.
- ``committed_db``: a database of the test's own, for tests that commit, use threads or processes.
- ``house`` and ``open_house``: web server, workers and beat as processes over ``committed_db``.
- ``page``: a page of Chromium that fails the test if anything breaks the content policy.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import django
import pytest
from hypothesis import HealthCheck, settings

from config.house import House
from config.supervisor import Supervisor
from tests.databases import (
    CommittedDatabase,
    Databases,
    RunningHouse,
    connected_to,
    ringing_at,
)

# Before Django reads its settings. PostgreSQL runs as nobody when we are root, so the folder is
# one that others may pass through: pytest's own temporary folders are not.
_data_dir = Path(tempfile.mkdtemp(prefix="progressives-test-"))
_data_dir.chmod(0o755)
_told = dict(os.environ)
HOUSE = House(_data_dir)
os.environ.update(HOUSE.environment())
django.setup()

# How long an example takes says more of the machine than of the code.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

CHROMIUM = "/usr/bin/chromium"
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", dest="run_all", help="run the slow tests too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out slow tests unless asked for; refuse what cannot work on append-only tables."""
    for item in items:
        mark = item.get_closest_marker("django_db")
        if mark and (mark.kwargs.get("transaction") or "transactional_db" in item.fixturenames):
            raise pytest.UsageError(f"{item.nodeid}: tables refuse TRUNCATE; use committed_db.")
    if not config.getoption("run_all"):
        slow = [item for item in items if item.get_closest_marker("slow")]
        if slow:
            config.hook.pytest_deselected(items=slow)
            items[:] = [item for item in items if item not in slow]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Let each of several runners (-n 2) open a house of its own, over what we were told."""
    for name in HOUSE.environment():
        os.environ.pop(name, None)
        if name in _told:
            os.environ[name] = _told[name]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """In CI a test that skips has failed: whatever it needs must be installed there."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI"):
        report.outcome = "failed"
        report.longrepr = f"Skipped in CI, where everything must run: {report.longrepr}"


@pytest.fixture(scope="session")
def databases(django_db_blocker: Any) -> Databases:
    """Return the session's databases: servers running, the template migrated."""
    made = Databases(HOUSE)
    with django_db_blocker.unblock():
        made.make_template()
    return made


@pytest.fixture(scope="session")
def django_db_setup(databases: Databases, django_db_blocker: Any) -> Iterator[None]:
    """Give pytest-django's ``db`` a clone, connected to as the application."""
    clone = databases.clone()
    with django_db_blocker.unblock(), connected_to(clone.name):
        yield


@pytest.fixture
def committed_db(databases: Databases, django_db_blocker: Any) -> Iterator[CommittedDatabase]:
    """Give the test a database and a broker of its own, where commits are commits.

    Threads may use Django's connections and must close theirs (``connections.close_all()``).
    """
    clone = databases.clone()
    try:
        with (
            django_db_blocker.unblock(),
            connected_to(clone.name),
            ringing_at(clone.redis_url),
        ):
            yield clone
    finally:
        databases.drop(clone.name)


@pytest.fixture
def open_house(
    committed_db: CommittedDatabase, tmp_path: Path
) -> Iterator[Callable[..., RunningHouse]]:
    """Start processes over ``committed_db``: ``open_house(web=True, workers=2, beat=False)``."""
    opened: list[RunningHouse] = []

    def open_one(*, web: bool = True, workers: int = 1, beat: bool = True) -> RunningHouse:
        supervisor = Supervisor(
            environment=committed_db.environment(),
            logs=tmp_path / f"house-{len(opened) + 1}",
            web=web,
            workers=workers,
            beat=beat,
        )
        supervisor.start()
        opened.append(RunningHouse(committed_db, supervisor))
        return opened[-1]

    yield open_one
    for running in opened:
        running.supervisor.stop(kill=True)


@pytest.fixture
def house(open_house: Callable[..., RunningHouse]) -> RunningHouse:
    """Return a whole house: web server, one worker and beat over a database of the test's own."""
    return open_house()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Return Debian's Chromium, driven by playwright; skip where it is not installed."""
    if not Path(CHROMIUM).exists():
        pytest.skip(f"There is no Chromium at {CHROMIUM}: apt-get install chromium.")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  # heavy, and only for browsers

    # Playwright runs an event loop in this thread; Django would refuse the ORM beside it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    """Return a page as on a tablet; the test fails if it breaks the content policy or a script."""
    context = chromium.new_context(viewport={"width": 820, "height": 1180})
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on(
        "console",
        lambda message: (
            problems.append(message.text) if "Content Security Policy" in message.text else None
        ),
    )
    yield opened
    context.close()
    assert problems == []


def pytest_unconfigure(config: pytest.Config) -> None:
    HOUSE.stop()
    shutil.rmtree(_data_dir, ignore_errors=True)
