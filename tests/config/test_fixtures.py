"""The fixtures themselves: who is connected to what, and that nothing leaks from test to test."""

import threading
import urllib.request

import psycopg
import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connection, connections
from django.db.utils import ProgrammingError

from tests.databases import CommittedDatabase, Databases, RunningHouse


@pytest.mark.django_db
def test_plain_tests_run_as_the_application_and_cannot_become_owner() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("app",)
        with pytest.raises(ProgrammingError, match="permission denied to set role"):
            cursor.execute("SET ROLE owner")


@pytest.mark.django_db
def test_the_application_waits_for_nothing_without_end() -> None:
    with connection.cursor() as cursor:
        for name, value in (
            ("lock_timeout", "2s"),
            ("statement_timeout", "10s"),
            ("idle_in_transaction_session_timeout", "5s"),
            ("synchronous_commit", "on"),
            ("client_connection_check_interval", "2s"),
            ("fsync", "on"),
        ):
            cursor.execute("SELECT current_setting(%s)", [name])
            assert cursor.fetchone() == (value,), name


@pytest.mark.parametrize("attempt", [1, 2])
def test_a_committed_row_is_seen_by_threads_and_gone_in_the_next_test(
    committed_db: CommittedDatabase, attempt: int
) -> None:
    kind = {"app_label": "config", "model": "fixture"}
    assert not ContentType.objects.filter(**kind).exists()
    with connection.cursor() as cursor:  # the application may not be able to write this table
        cursor.execute("SELECT current_database()")
        assert cursor.fetchone() == (committed_db.name,)
    seen: list[str] = []

    def look() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_database()")
            seen.extend(cursor.fetchone())
        connections.close_all()

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()

    assert seen == [committed_db.name]


def test_a_database_in_use_can_be_dropped(databases: Databases) -> None:
    clone = databases.clone()
    with psycopg.connect(clone.database_url) as held:
        databases.drop(clone.name)

        with pytest.raises(psycopg.OperationalError):
            held.execute("SELECT 1")


def test_a_whole_house_serves(house: RunningHouse) -> None:
    with urllib.request.urlopen(f"{house.web_url}/health/") as answer:
        assert answer.read() == b"ok\n"
    assert {child.name for child in house.supervisor.children} == {"web", "worker-1", "beat"}
