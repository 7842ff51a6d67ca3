"""Retention (at least five years): nothing of the evidence can be taken away, however old.

There is no date after which the house deletes: no row of these tables is ever deleted, no table
has partitions that could be detached, and archives are copies.
"""

from typing import Any

import psycopg
import pytest
from django.db import connection

#: What a round, a meter, a payout, a case or the log itself would be told from.
EVIDENCE = (
    *("audit_auditevent", "audit_checkpoint", "audit_exceptionnote"),
    *("tables_tableevent", "tables_appliedevent", "tables_round", "tables_roundposition"),
    *("tables_rulessubmission", "tables_submissionapproval"),
    *("progressives_meterentry", "progressives_jackpotclaim", "progressives_claimstep"),
    *("progressives_envypayout", "progressives_payoutslip", "progressives_gamingdayclose"),
)
ROWS, STATEMENT, DELETES, TRUNCATES = 1, 2, 8, 32  # bits of pg_trigger.tgtype


@pytest.fixture
def triggers(db: None) -> dict[str, list[tuple[int, str]]]:
    found: dict[str, list[tuple[int, str]]] = {name: [] for name in EVIDENCE}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname, t.tgtype, t.tgenabled FROM pg_trigger t"
            " JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relname = ANY(%s) AND NOT tgisinternal",
            [list(EVIDENCE)],
        )
        for name, kind, enabled in cursor.fetchall():
            found[name].append((kind, enabled))
    return found


def test_no_row_of_the_evidence_can_be_deleted_or_truncated(triggers: Any) -> None:
    for name, found in triggers.items():
        for what in (DELETES, TRUNCATES):
            guards = [enabled for kind, enabled in found if kind & what]
            assert "A" in guards, f"{name}: no trigger that always fires refuses {what}"


def test_the_application_has_no_right_to_delete_evidence(db: None) -> None:
    with connection.cursor() as cursor:
        for name in EVIDENCE:
            cursor.execute(
                "SELECT has_table_privilege(current_user, %s, 'DELETE, TRUNCATE')", [name]
            )
            assert cursor.fetchone() == (False,), name


def test_nothing_can_be_detached(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname = 'public' AND (c.relkind = 'p' OR c.relispartition)"
        )
        assert cursor.fetchall() == []


def test_even_the_owner_deletes_no_row_however_old(committed_db: Any) -> None:
    with psycopg.connect(committed_db.owner_url, autocommit=True) as owner:
        owner.execute("INSERT INTO audit_chain (name, sequence, head) VALUES ('old', 1, '\\x00')")
        owner.execute(
            "INSERT INTO audit_auditevent (chain_id, sequence, action, subject, body, previous,"
            " hash, recorded_at) SELECT id, 1, 'x', 'x', '', '\\x00', '\\x01', now() -"
            " interval '20 years' FROM audit_chain WHERE name = 'old'"
        )
        for statement in (
            "DELETE FROM audit_auditevent WHERE recorded_at < now() - interval '10 years'",
            "TRUNCATE audit_auditevent CASCADE",
        ):
            with pytest.raises(psycopg.DatabaseError, match=r"written once|refused"):
                owner.execute(statement)
