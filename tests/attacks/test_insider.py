"""An insider with the application's own log-in to PostgreSQL: what he is refused."""

import pytest
from django.db import DatabaseError, connection, transaction

from audit.models import Chain, ExceptionRecord, User
from audit.services import record_one
from progressives import errors
from progressives.models import JackpotClaim
from progressives.services.claims import validate_claim
from tests.make import make_claim, make_user

pytestmark = pytest.mark.django_db


def run(*statements: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_a_temporary_table_does_not_stand_in_for_the_steps() -> None:
    claim = make_claim()
    with pytest.raises(DatabaseError, match="without anybody having done it"):
        run(
            "CREATE TEMP TABLE progressives_claimstep (claim_id bigint, kind text, by_id bigint)",
            f"INSERT INTO pg_temp.progressives_claimstep VALUES ({claim.pk}, 'validated', 1)",
            f"UPDATE progressives_jackpotclaim SET state = 'validated' WHERE id = {claim.pk}",
        )


def test_a_temporary_table_does_not_stand_in_for_the_ledger() -> None:
    meter = make_claim(percent=10).meter
    with pytest.raises(DatabaseError, match="does not stand where its entries end"):
        run(
            "CREATE TEMP TABLE progressives_meterentry"
            " (meter_id bigint, sequence bigint, after numeric)",
            f"INSERT INTO pg_temp.progressives_meterentry SELECT id, sequence + 1, 999999"
            f" FROM progressives_meter WHERE id = {meter.pk}",  # type: ignore[union-attr]
            "UPDATE progressives_meter SET value = 999999, sequence = sequence + 1"
            f" WHERE id = {meter.pk}",  # type: ignore[union-attr]
        )


def test_a_temporary_table_does_not_stand_in_for_the_staff() -> None:
    claim, dealer = make_claim(dealer="D100"), make_user("D100", role="dealer")
    with pytest.raises(DatabaseError, match="the dealer of the round does not decide"):
        run(
            "CREATE TEMP TABLE audit_user (id bigint, staff_code text)",
            f"INSERT INTO pg_temp.audit_user VALUES ({dealer.pk}, 'F200')",
            "INSERT INTO progressives_claimstep (claim_id, kind, by_id, cite, reason, facts)"
            f" VALUES ({claim.pk}, 'validated', {dealer.pk}, '', '', '{{}}')",
        )


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM audit_exceptionrecord",
        "DELETE FROM audit_chain",
        "DELETE FROM audit_user",
        "DELETE FROM progressives_lane",
        "DELETE FROM tables_tablecursor",
        "DELETE FROM tables_accesskey",
        "INSERT INTO auth_group_permissions (group_id, permission_id) VALUES (1, 1)",
        "UPDATE auth_group_permissions SET group_id = 1",
        "UPDATE progressives_progressive SET wager_unit = 5",
        "SELECT setval('audit_auditevent_id_seq', 1)",
        "TRUNCATE audit_exceptionrecord",
        "CREATE TABLE public.audit_shadow (id int)",
        "ALTER TABLE audit_auditevent DISABLE TRIGGER ALL",
        "SET session_replication_role = replica",
        "SET ROLE owner",
    ],
)
def test_the_application_has_no_right_to(statement: str) -> None:
    with pytest.raises(DatabaseError, match=r"permission denied|must be owner"):
        run(statement)


@pytest.mark.parametrize("terms", ["increment_percent = 0.0001", "reset = 1", "initial = 1"])
def test_the_terms_of_a_meter_stay(terms: str) -> None:
    meter = make_claim(percent=10).meter
    with pytest.raises(DatabaseError, match=r"are fixed|moves only by entries"):
        run(f"UPDATE progressives_meter SET {terms} WHERE id = {meter.pk}")  # type: ignore[union-attr]


@pytest.mark.parametrize("change", ["number = number - 1", "name = 'other'"])
def test_a_lane_only_goes_on(change: str) -> None:
    claim = make_claim()
    run(f"UPDATE progressives_lane SET number = 9 WHERE id = {claim.lane_id}")
    with pytest.raises(DatabaseError, match="only goes on"):
        run(f"UPDATE progressives_lane SET {change} WHERE id = {claim.lane_id}")


@pytest.mark.parametrize("change", ["sequence = 0", "head = '\\x00'", "name = 'other'"])
def test_the_head_of_a_chain_only_goes_on(change: str) -> None:
    record_one("audit.tried", "test", {})
    chain = Chain.objects.get(name="system")
    with pytest.raises(DatabaseError, match="only goes on"):
        run(f"UPDATE audit_chain SET {change} WHERE id = {chain.pk}")


@pytest.mark.parametrize(
    "change", ["sentence = ''", "severity = 'exception'", "facts = '{}'", "opened_at = now()"]
)
def test_the_facts_of_an_exception_stay(change: str) -> None:
    found = ExceptionRecord.objects.create(
        kind="alarm", severity="alarm", sentence="One.", facts={"a": 1}, once="x"
    )
    with pytest.raises(DatabaseError, match="nothing else of it changes"):
        run(f"UPDATE audit_exceptionrecord SET {change} WHERE id = {found.pk}")


def test_a_closed_exception_is_not_opened_again() -> None:
    officer = make_user()
    found = ExceptionRecord.objects.create(
        kind="alarm", state="closed", closed_by=officer, reason="Seen."
    )
    with pytest.raises(DatabaseError, match="nothing else of it changes"):
        run(f"UPDATE audit_exceptionrecord SET reason = 'Not seen.' WHERE id = {found.pk}")


def test_a_superuser_without_role_or_code_decides_on_nothing() -> None:
    claim = make_claim()
    root = User.objects.create_superuser("root", staff_code=None)
    with pytest.raises(errors.WrongPerson):
        validate_claim(claim_id=claim.pk, officer=root)
    assert JackpotClaim.objects.get(pk=claim.pk).state == "waiting"


def test_every_guard_looks_into_the_house_s_own_tables_first() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT p.proname FROM pg_proc p JOIN pg_trigger t ON t.tgfoid = p.oid"
            " WHERE p.pronamespace = 'public'::regnamespace AND NOT"
            " coalesce('search_path=pg_catalog, public, pg_temp' = ANY(p.proconfig), false)"
        )
        assert cursor.fetchall() == []
