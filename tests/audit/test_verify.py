"""The walk over the log names what an insider did to it, with rights the application lacks."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from audit.chain import link_hash
from audit.models import AuditEvent, Chain
from audit.services import record_one
from audit.verify import Fault, verify_chains


@pytest.fixture
def written(committed_db: Any) -> Callable[[str], None]:
    """Write ten events into each of two chains; return an insider's hand (the owner's rights)."""
    for number in range(1, 11):
        record_one("test.written", f"place/{number}", {"n": number})
        record_one("test.written", f"place/{number}", {"n": number}, chain="lane:A")
    assert verify_chains().ok

    def insider(statement: str) -> None:
        with psycopg.connect(committed_db.owner_url, autocommit=True) as owner:
            owner.execute("ALTER TABLE audit_auditevent DISABLE TRIGGER append_only_rows")
            owner.execute("ALTER TABLE audit_chain DISABLE TRIGGER chain_goes_on")
            owner.execute(statement)
            owner.execute("ALTER TABLE audit_auditevent ENABLE ALWAYS TRIGGER append_only_rows")

    return insider


def faults() -> list[tuple[str, int, str]]:
    return [(fault.chain, fault.sequence, fault.kind) for fault in verify_chains().faults]


CHAIN = "chain_id = (SELECT id FROM audit_chain WHERE name = 'lane:A')"


def test_an_untouched_log_verifies(written: Callable[[str], None]) -> None:
    result = verify_chains()
    assert (result.ok, result.events, len(result.head)) == (True, 20, 64)


def test_a_changed_body_is_named(written: Callable[[str], None]) -> None:
    written(f"UPDATE audit_auditevent SET body = body || 'x' WHERE {CHAIN} AND sequence = 4")
    assert faults() == [("lane:A", 4, "changed")]


def test_a_relabelled_event_is_named(written: Callable[[str], None]) -> None:
    written(f"UPDATE audit_auditevent SET subject = 'else' WHERE {CHAIN} AND sequence = 4")
    assert faults() == [("lane:A", 4, "relabelled")]


def test_a_missing_event_is_named(written: Callable[[str], None]) -> None:
    written(f"DELETE FROM audit_auditevent WHERE {CHAIN} AND sequence IN (4, 5)")
    [fault] = verify_chains().faults
    assert fault[:3] == ("lane:A", 4, "missing")
    assert "4-5" in fault.detail


def test_a_cut_tail_is_named(written: Callable[[str], None]) -> None:
    written(f"DELETE FROM audit_auditevent WHERE {CHAIN} AND sequence > 7")
    assert faults() == [("lane:A", 8, "tail_cut")]


def test_a_replaced_event_with_a_right_hash_of_its_own_is_named(
    written: Callable[[str], None],
) -> None:
    row = AuditEvent.objects.get(chain__name="lane:A", sequence=4)
    body = bytes(row.body).replace(b'"n":4', b'"n":5')
    forged = link_hash("lane:A", 4, bytes(row.previous), body)
    written(
        f"UPDATE audit_auditevent SET body = '\\x{body.hex()}', hash = '\\x{forged.hex()}'"
        f" WHERE {CHAIN} AND sequence = 4"
    )
    assert faults() == [("lane:A", 5, "does_not_follow")]


def test_swapped_events_are_named(written: Callable[[str], None]) -> None:
    written(
        f"UPDATE audit_auditevent SET sequence = CASE sequence WHEN 4 THEN 1005 ELSE 1004 END"
        f" WHERE {CHAIN} AND sequence IN (4, 5);"
        f" UPDATE audit_auditevent SET sequence = sequence - 1000 WHERE {CHAIN} AND sequence > 1000"
    )
    assert faults() == [("lane:A", 4, "swapped")]


def test_an_event_put_behind_the_head_is_named(written: Callable[[str], None]) -> None:
    head = Chain.objects.get(name="lane:A")
    written(
        "INSERT INTO audit_auditevent (chain_id, sequence, action, subject, body, previous, hash)"
        f" VALUES ({head.pk}, 11, 'x', 'y', '{{}}', '\\x{bytes(head.head).hex()}', '\\x00')"
    )
    assert faults() == [("lane:A", 11, "beyond_head")]


def test_a_changed_head_is_named(written: Callable[[str], None]) -> None:
    written("UPDATE audit_chain SET head = decode(repeat('00', 32), 'hex') WHERE name = 'lane:A'")
    assert faults() == [("lane:A", 10, "head_differs")]


def test_a_fault_says_its_place_in_a_sentence(written: Callable[[str], None]) -> None:
    written(f"UPDATE audit_auditevent SET body = body || 'x' WHERE {CHAIN} AND sequence = 4")
    [fault] = verify_chains().faults
    assert isinstance(fault, Fault)
    assert fault.detail == "Event 4 (test.written place/4) is not what was written."
