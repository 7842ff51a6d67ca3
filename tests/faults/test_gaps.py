"""Closing a gap while what was missing comes after all, or where no gap is."""

import threading

import psycopg
import pytest
from django.db import connections

from audit.models import AuditEvent
from tables.models import AccessKey, GamingTable, TableEvent
from tables.services.accept import accept_events
from tables.services.apply import apply_lane
from tables.services.gaps import MOST_GIVEN_UP, NoGap, close_gap
from tests.databases import CommittedDatabase
from tests.faults.floor import Event, day_of, open_floor
from tests.faults.houses import wait_for
from tests.make import make_user

pytestmark = pytest.mark.faults

INSERT_SQL = """
INSERT INTO tables_tableevent
    (event_id, table_id, sequence, type, round, occurred_at, body, key_name)
VALUES (%s, %s, %s, %s, %s, %s, %s, 'late')
"""
BLOCKED_SQL = "SELECT count(*) FROM pg_locks WHERE NOT granted"


@pytest.fixture
def day(breakable_db: CommittedDatabase) -> list[Event]:
    """Return the first events of a table, over a floor that has taken all but the third.

    Two are applied, the others wait.
    """
    open_floor()
    day = day_of(10, 7, ("A-1",))[:8]
    key = AccessKey.objects.get()
    accept_events([e.document for e in day if e.sequence != 3], key=key)
    assert apply_lane(lane_id=GamingTable.objects.get(code="A-1").lane_id) == 2
    return day


def test_of_the_late_event_and_the_closing_exactly_one_has_the_place(
    breakable_db: CommittedDatabase, day: list[Event]
) -> None:
    officer = make_user("F900", None, is_superuser=True)
    table, lost = GamingTable.objects.get(code="A-1"), day[2]
    told: list[object] = []

    def close() -> None:
        try:
            told.append(close_gap(table="A-1", by=officer, reason="Lost."))
        except NoGap as refusal:
            told.append(refusal)
        connections.close_all()

    with psycopg.connect(breakable_db.database_url) as sender:
        document = lost.document
        sender.execute(
            INSERT_SQL,
            [lost.event_id, table.pk, 3, document["type"], document.get("round")]
            + [document["occurred_at"], lost.raw],
        )
        closing = threading.Thread(target=close)
        closing.start()
        wait_for(lambda: sender.execute(BLOCKED_SQL).fetchone() != (0,), 2, "there was no race")
    closing.join()

    [refusal] = told
    assert isinstance(refusal, NoGap)
    assert "has just come" in str(refusal)
    assert not AuditEvent.objects.filter(action="tables.gap_closed").exists()
    assert apply_lane(lane_id=table.lane_id) == len(day) - 2


def test_a_wrong_count_is_no_gap(day: list[Event]) -> None:
    officer = make_user("F900", None, is_superuser=True)
    key = AccessKey.objects.get()
    far = {**day[-1].document, "event_id": "6f1de2a7-0000-4000-8000-000000000001"}
    [answer] = accept_events([{**far, "sequence": 2**53}], key=key)
    assert answer.status == "accepted"
    close_gap(table="A-1", by=officer, reason="Lost.")
    apply_lane(lane_id=GamingTable.objects.get(code="A-1").lane_id)

    with pytest.raises(NoGap, match="wrong count"):
        close_gap(table="A-1", by=officer, reason="Lost.")
    assert TableEvent.objects.count() < MOST_GIVEN_UP
