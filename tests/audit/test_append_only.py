"""What PostgreSQL refuses, whoever asks: tried with raw SQL as the application and as the owner."""

from typing import Any

import psycopg
import pytest
from django.db import connection

from audit.guards import APPEND_ONLY_STATE
from audit.services import record_one

GUARDED = [
    "audit_auditevent",
    "audit_checkpoint",
    "audit_checkpointcopy",
    "audit_cosignature",
    "audit_exceptionnote",
    "audit_signerkey",
    "audit_witness",
    "audit_camera",
    "audit_case",
    "audit_caseentry",
    "audit_footagehold",
    "audit_holdend",
    "audit_preservedround",
    "progressives_chipcount",
    "progressives_claimstep",
    "progressives_claimterms",
    "progressives_closestep",
    "progressives_controlleg",
    "progressives_controlrequest",
    "progressives_controlstep",
    "progressives_meterretirement",
    "progressives_payoutslip",
    "progressives_slipvoid",
    "progressives_slipprint",
    "progressives_envypayment",
    "progressives_envypayout",
    "progressives_roundadjustment",
    "progressives_roundclosing",
    "progressives_levelrate",
    "progressives_linkstatement",
    "progressives_meterentry",
    "progressives_meterreading",
    "progressives_metersnapshot",
    "progressives_musthitdraw",
    "progressives_musthitreveal",
    "progressives_progressive",
    "tables_amendmentdecision",
    "tables_appliedevent",
    "tables_downtime",
    "tables_downtimeend",
    "tables_downtimereading",
    "tables_formdecision",
    "tables_formentry",
    "tables_formvoid",
    "tables_paperform",
    "tables_dossierrequest",
    "tables_dossierstep",
    "tables_round",
    "tables_roundamendment",
    "tables_roundposition",
    "tables_rulessubmission",
    "tables_submissionapproval",
    "tables_tableevent",
    "tables_tableprogressive",
]


def test_every_guarded_table_has_both_triggers_always(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
            " WHERE t.tgname IN ('append_only_rows', 'append_only_truncate') AND t.tgenabled = 'A'"
        )
        found = [name for (name,) in cursor.fetchall()]
    assert sorted(found) == sorted(GUARDED * 2)


@pytest.mark.parametrize("table", GUARDED)
@pytest.mark.parametrize("deed", ["UPDATE {0} SET {1} = {1}", "DELETE FROM {0}", "TRUNCATE {0}"])
def test_the_application_has_no_right_to_change_what_is_written_once(
    db: None, table: str, deed: str
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_name = %s", [table]
        )
        (column, *_) = cursor.fetchall()[-1]
    with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.cursor() as cursor:
        cursor.cursor.execute(deed.format(table, f'"{column}"'))


def test_the_owner_meets_the_triggers(committed_db: Any) -> None:
    record_one("test.written", "here", {"n": 1})
    with psycopg.connect(committed_db.owner_url, autocommit=True) as owner:
        for deed in (
            "UPDATE audit_auditevent SET action = 'x'",
            "DELETE FROM audit_auditevent",
            "TRUNCATE audit_auditevent",
            "TRUNCATE audit_auditevent CASCADE",
        ):
            with pytest.raises(psycopg.Error) as refused:
                owner.execute(deed)
            assert refused.value.sqlstate == APPEND_ONLY_STATE


@pytest.mark.parametrize(
    "deed",
    [
        "ALTER TABLE audit_auditevent DISABLE TRIGGER ALL",
        "DROP TRIGGER append_only_rows ON audit_auditevent",
        "SET session_replication_role = replica",
        "SET ROLE owner",
        "DROP TABLE audit_auditevent",
        "ALTER TABLE audit_auditevent ADD COLUMN x int",
        "CREATE TABLE another (x int)",
        "CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN RETURN NEW; END'",
    ],
)
def test_the_application_cannot_take_the_guards_away(db: None, deed: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.cursor() as cursor:
        cursor.cursor.execute(deed)
