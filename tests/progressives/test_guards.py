"""What PostgreSQL refuses although the services are not asked: each rule broken once."""

from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.utils import ProgrammingError

from audit.models import User
from progressives import errors
from progressives.models import ClaimStep, JackpotClaim
from progressives.services.claims import pay_claim, refuse_claim, step
from tests.make import documented, make_claim, make_user, staff, validated

pytestmark = pytest.mark.django_db


def written(claim: JackpotClaim, kind: str, by: User, **changes: Any) -> None:
    """Write a step and its state past the services."""
    with transaction.atomic():
        ClaimStep.objects.create(claim=claim, kind=kind, by=by, **changes)
        if kind not in ("returned", "answered"):
            JackpotClaim.objects.filter(pk=claim.pk).update(state=kind)


def refused_with(error: DatabaseError) -> str:
    found = errors.refusal_of(error)
    assert isinstance(found, errors.Guarded)
    return str(found)


def test_the_dealer_of_the_round_cannot_be_written_as_its_validator() -> None:
    with pytest.raises(DatabaseError) as caught:
        written(make_claim(dealer="D100"), "validated", make_user("d100"))
    assert "the dealer of the round does not decide" in refused_with(caught.value)


def test_nobody_without_a_staff_code_can_be_written() -> None:
    with pytest.raises(DatabaseError, match="without a staff code"):
        written(make_claim(), "validated", make_user(None))


def test_a_meter_award_cannot_be_written_paid_by_its_validator() -> None:
    claim = documented(make_claim(percent=10))
    with pytest.raises(DatabaseError, match="needs a second person"):
        written(claim, "paid", staff("F251", "floorperson"))
    with pytest.raises(DatabaseError, match="needs a second person"):
        written(claim, "paid", staff("P351", "pit manager"))


def test_a_refused_award_cannot_be_written_back_by_its_refuser() -> None:
    claim, officer = make_claim(percent=10), make_user()
    written(claim, "refused", officer, cite="§ 670a.13(k)", reason="Seven cards.")
    with pytest.raises(DatabaseError, match="needs a second person"):
        written(claim, "returned", officer)


def test_an_award_that_was_not_refused_cannot_be_written_back() -> None:
    with pytest.raises(DatabaseError, match="only a refused meter award"):
        written(make_claim(percent=10), "returned", make_user())


def test_a_state_cannot_be_written_without_its_step() -> None:
    claim = make_claim()
    JackpotClaim.objects.filter(pk=claim.pk).update(state="validated")
    with pytest.raises(DatabaseError) as caught, connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert "without anybody having done it" in refused_with(caught.value)


def test_a_paid_claim_cannot_be_written_back() -> None:
    claim = make_claim()
    written(claim, "validated", make_user())
    pay_claim(claim_id=claim.pk, officer=make_user("F201"))
    with pytest.raises(DatabaseError, match="cannot go from paid to waiting"), transaction.atomic():
        JackpotClaim.objects.filter(pk=claim.pk).update(state="waiting")


def test_the_facts_of_a_claim_cannot_be_written() -> None:
    claim = make_claim()
    with pytest.raises(DatabaseError, match="are frozen"), transaction.atomic():
        JackpotClaim.objects.filter(pk=claim.pk).update(amount=1_000_000)


def test_a_step_cannot_be_written_twice() -> None:
    claim, officer = make_claim(), make_user()
    written(claim, "validated", officer)
    with pytest.raises(DatabaseError, match="from validated to validated"), transaction.atomic():
        ClaimStep.objects.create(claim=claim, kind="validated", by=officer)


@pytest.mark.parametrize("table", ["claimstep", "meterentry", "envypayout"])
@pytest.mark.parametrize("deed", ["DELETE FROM {}", "UPDATE {} SET id = id", "TRUNCATE {} CASCADE"])
def test_the_application_has_no_right_to_change_what_is_written_once(table: str, deed: str) -> None:
    statement = deed.format(f"progressives_{table}").replace(
        "id = id", "meter_id = 1" if table == "meterentry" else "id = id"
    )
    with (
        pytest.raises(ProgrammingError, match="permission denied"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


def test_a_claim_is_never_deleted() -> None:
    claim = make_claim()
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        JackpotClaim.objects.filter(pk=claim.pk)._raw_delete("default")


def test_a_refusal_without_rule_and_reason_cannot_be_written() -> None:
    with pytest.raises(IntegrityError, match="claim_refused_with_rule_and_reason"):
        written(make_claim(), "refused", make_user())


def test_what_the_guards_refuse_reaches_the_floor_as_a_sentence() -> None:
    """A service that forgot a rule is stopped by the database, and its caller told so."""

    @step
    def forgetful(claim: JackpotClaim, by: User) -> None:
        written(claim, "validated", by)

    with pytest.raises(errors.Guarded, match="The database refused it: the dealer of the round"):
        forgetful(make_claim(dealer="D100"), make_user("D100"))


def test_a_real_fault_is_not_dressed_up_as_a_refusal() -> None:
    @step
    def broken() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 / 0")

    with pytest.raises(DatabaseError, match="division by zero"):
        broken()


def test_a_refused_claim_stays_refused() -> None:
    claim, officer = make_claim(), make_user()
    refuse_claim(claim_id=claim.pk, officer=officer, cite="§ 670a.13(e)", reason="Exposed.")
    with pytest.raises(DatabaseError, match="cannot go from refused to validated"):
        written(claim, "validated", officer)


# ---- tiers, surveillance and the second approver --------------------------------------------

PROVED = {"facts": {"proved_by": ["password"]}}


def test_a_meter_award_cannot_be_written_validated_before_hand_and_light() -> None:
    claim = make_claim(percent=10)
    with pytest.raises(DatabaseError, match="cannot go from waiting to validated"):
        written(claim, "validated", make_user())


def test_a_meter_award_cannot_be_written_paid_without_approval() -> None:
    claim = validated(make_claim(percent=10))
    written(claim, "answered", make_user("S1", "surveillance"), facts={"answer": "verified"})
    with pytest.raises(DatabaseError, match="from validated to paid"):
        written(claim, "paid", make_user("A500", "accounting"))


@pytest.mark.parametrize("answer", [None, "problem"])
def test_no_approval_is_written_before_surveillance_verified(answer: str | None) -> None:
    claim = validated(make_claim(percent=10))
    if answer:
        seen, facts = make_user("S1", "surveillance"), {"answer": answer}
        written(claim, "answered", seen, facts=facts, reason="Another hand.")
    with pytest.raises(DatabaseError, match="surveillance has not verified"):
        written(claim, "approved", make_user("P1", "pit manager"), **PROVED)


@pytest.mark.parametrize("facts", [{}, {"proved_by": []}])
def test_no_approval_is_written_without_proof_of_the_person(facts: dict[str, Any]) -> None:
    claim = validated(make_claim(percent=10))
    written(claim, "answered", make_user("S1", "surveillance"), facts={"answer": "verified"})
    with pytest.raises(DatabaseError, match="proves who he is"):
        written(claim, "approved", make_user("P1", "pit manager"), facts=facts)


def test_the_validator_cannot_be_written_as_approver_or_as_surveillance() -> None:
    officer = make_user("F1", is_superuser=True)
    claim = validated(make_claim(percent=10), officer)
    with pytest.raises(DatabaseError, match="needs a second person"):
        written(claim, "answered", officer, facts={"answer": "verified"})
    written(claim, "answered", make_user("S1", "surveillance"), facts={"answer": "verified"})
    with pytest.raises(DatabaseError, match="needs a second person"):
        written(claim, "approved", officer, **PROVED)


@pytest.mark.parametrize("facts", [{}, {"answer": "perhaps"}, {"answer": "problem"}])
def test_surveillance_cannot_be_written_to_answer_anything_else(facts: dict[str, Any]) -> None:
    with pytest.raises(DatabaseError, match="surveillance does not answer so"):
        written(make_claim(percent=10), "answered", make_user("S1", "surveillance"), facts=facts)


def test_nothing_is_written_out_of_turn() -> None:
    first = make_claim(position=6)
    second = make_claim(first.progressive, position=2, round_id=first.round_id)
    with pytest.raises(DatabaseError, match="position 6 comes before"):
        written(second, "validated", make_user())


def test_a_step_cannot_be_written_without_moving_its_claim() -> None:
    ClaimStep.objects.create(claim=make_claim(), kind="validated", by=make_user())
    with pytest.raises(DatabaseError, match="was not moved to validated"), connection.cursor() as c:
        c.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_a_claim_cannot_be_written_anywhere_but_at_the_beginning() -> None:
    claim = make_claim()
    claim.pk, claim.position, claim.state = None, 5, "paid"
    with pytest.raises(DatabaseError, match="a claim begins waiting"), transaction.atomic():
        claim.save(force_insert=True)


@pytest.mark.parametrize("trigger", ["claim_terms_go_on", "claim_begins_waiting"])
def test_the_guards_fire_whatever_role_replicates(trigger: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tgenabled FROM pg_trigger WHERE tgname = %s", [trigger])
        assert cursor.fetchall() == [("A",)]
