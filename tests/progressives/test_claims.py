"""§ 670a.11(h)(3)(i)(B): who validates, refuses and pays a progressive payout, and when not."""

import json
from decimal import Decimal

import pytest
from django.contrib.auth.models import Group, Permission

from audit.models import AuditEvent
from progressives import errors
from progressives.models import ClaimStep, JackpotClaim
from progressives.services.claims import (
    pay_claim,
    refuse_claim,
    required_checks,
    required_to_pay,
    validate_claim,
)
from tests.make import documented as with_slip
from tests.make import make_claim, make_user

pytestmark = pytest.mark.django_db

WRONG_HAND = "§ 670a.11(h)(3)(i)(B)(I)"


def confirmed(claim: JackpotClaim) -> list[str]:
    return [check.code for check in required_checks(claim)]


def documented(claim: JackpotClaim) -> list[str]:
    return [check.code for check in required_to_pay(claim)]


def last_event(claim: JackpotClaim) -> dict[str, object]:
    told = AuditEvent.objects.filter(chain__name=f"lane:{claim.lane.name}")
    event = told.filter(action__startswith="progressives.claim_").last()
    return json.loads(bytes(event.body))


# ---- validate -------------------------------------------------------------------------------


def test_a_floorperson_validates_a_fixed_award_and_the_log_tells_it() -> None:
    claim, officer = make_claim(), make_user()

    validate_claim(claim_id=claim.pk, officer=officer)

    claim.refresh_from_db()
    assert claim.state == "validated"
    assert claim.steps.get(kind="validated").by == officer
    told = last_event(claim)
    assert told["action"] == "progressives.claim_validated"
    assert told["by"] == "F200"
    assert told["subject"] == f"{claim.table}/{claim.round}"
    assert told["facts"]["amount"] == "3.00"


def test_a_second_call_is_refused_with_who_was_first_and_when() -> None:
    claim = make_claim()
    validate_claim(claim_id=claim.pk, officer=make_user("F200"))
    at = claim.steps.get(kind="validated").at

    with pytest.raises(errors.AlreadyValidated) as refused:
        validate_claim(claim_id=claim.pk, officer=make_user("F201"))

    assert str(refused.value) == f"This payout was already validated by F200 at {at:%H:%M}."
    assert claim.steps.filter(kind="validated").count() == 1


def test_an_unknown_claim_is_refused() -> None:
    with pytest.raises(errors.ClaimUnknown):
        validate_claim(claim_id=999_999_999, officer=make_user())


@pytest.mark.parametrize("role", ["dealer", "surveillance", "accounting", "auditor", None])
def test_only_a_floorperson_or_above_validates(role: str | None) -> None:
    with pytest.raises(errors.NotAllowed, match="Ask a floorperson or above"):
        validate_claim(claim_id=make_claim().pk, officer=make_user("X1", role))


def test_a_pit_manager_validates() -> None:
    claim = make_claim()
    validate_claim(claim_id=claim.pk, officer=make_user("P300", "pit manager"))
    assert claim.steps.get(kind="validated").by.staff_code == "P300"


def test_a_superuser_is_no_floorperson_by_that_alone() -> None:
    officer = make_user("X700", None, is_superuser=True)
    with pytest.raises(errors.NotAllowed):
        validate_claim(claim_id=make_claim().pk, officer=officer)


def test_a_permission_given_to_the_person_himself_counts() -> None:
    officer = make_user("F299", None)
    officer.user_permissions.add(Permission.objects.get(codename="validate_jackpotclaim"))
    assert validate_claim(claim_id=make_claim().pk, officer=officer).state == "validated"


def test_an_inactive_floorperson_does_not_validate_whatever_the_caller_holds() -> None:
    claim, officer = make_claim(), make_user()
    type(officer).objects.filter(pk=officer.pk).update(is_active=False)
    with pytest.raises(errors.NotAllowed):
        validate_claim(claim_id=claim.pk, officer=officer)


@pytest.mark.parametrize("superuser", [False, True])
def test_the_dealer_of_the_round_does_not_validate_it(superuser: bool) -> None:
    officer = make_user("d100", "floorperson", is_superuser=superuser)
    with pytest.raises(errors.DealerOfTheRound):
        validate_claim(claim_id=make_claim(dealer="D100").pk, officer=officer)


@pytest.mark.parametrize("superuser", [False, True])
def test_nobody_without_a_staff_code_validates(superuser: bool) -> None:
    officer = make_user(None, "floorperson", is_superuser=superuser)
    with pytest.raises(errors.NoStaffCode):
        validate_claim(claim_id=make_claim(dealer="").pk, officer=officer)


def test_a_meter_award_needs_every_check() -> None:
    claim, officer = make_claim(percent=10), make_user()

    with pytest.raises(errors.CheckMissing) as refused:
        validate_claim(claim_id=claim.pk, officer=officer, checks=["hand", "lamp"])
    assert refused.value.sentences == [
        "The player's cards stay on the table until the documentation is complete."
    ]

    validate_claim(claim_id=claim.pk, officer=officer, checks=["hand", "lamp", "cards_held"])
    assert claim.steps.get(kind="validated").facts == {"checks": ["hand", "lamp", "cards_held"]}


@pytest.mark.parametrize(
    ("changes", "check"), [({"lamp": False}, "lamp"), ({"flags": ["paid_differs"]}, "flags")]
)
def test_a_dark_lamp_or_a_flag_bars_the_two_taps(changes: dict[str, object], check: str) -> None:
    claim, officer = make_claim(**changes), make_user()

    with pytest.raises(errors.CheckMissing):
        validate_claim(claim_id=claim.pk, officer=officer)
    with pytest.raises(errors.StatementMissing):
        validate_claim(claim_id=claim.pk, officer=officer, checks=[check], statement="  ")

    validate_claim(claim_id=claim.pk, officer=officer, checks=[check], statement="Bulb is broken.")
    assert claim.steps.get(kind="validated").reason == "Bulb is broken."


# ---- refuse ---------------------------------------------------------------------------------


def test_a_payout_is_refused_by_a_paragraph_with_a_reason() -> None:
    claim = make_claim()

    refuse_claim(
        claim_id=claim.pk, officer=make_user(), cite=WRONG_HAND, reason="A nine is missing."
    )

    claim.refresh_from_db()
    assert claim.state == "refused"
    told = last_event(claim)["facts"]
    assert (told["cite"], told["reason"]) == (WRONG_HAND, "A nine is missing.")


@pytest.mark.parametrize("cite", ["", "§ 1.1", "§ 645a.11(h)(4)(ii)(A)"])
def test_only_a_paragraph_of_the_own_chapter_refuses(cite: str) -> None:
    with pytest.raises(errors.RuleMissing):
        refuse_claim(claim_id=make_claim().pk, officer=make_user(), cite=cite, reason="Because.")


def test_a_refusal_needs_a_reason() -> None:
    with pytest.raises(errors.ReasonMissing):
        refuse_claim(claim_id=make_claim().pk, officer=make_user(), cite=WRONG_HAND, reason=" ")


def test_a_validated_payout_may_still_be_refused_but_a_paid_one_may_not() -> None:
    officer = make_user()
    first, second = make_claim(), make_claim()
    validate_claim(claim_id=first.pk, officer=officer)
    refuse_claim(claim_id=first.pk, officer=officer, cite=WRONG_HAND, reason="Looked again.")
    validate_claim(claim_id=second.pk, officer=officer)
    pay_claim(claim_id=second.pk, officer=officer)

    with pytest.raises(errors.AlreadyPaid):
        refuse_claim(claim_id=second.pk, officer=officer, cite=WRONG_HAND, reason="Too late.")
    with pytest.raises(errors.AlreadyRefused, match="already refused by F200"):
        refuse_claim(claim_id=first.pk, officer=officer, cite=WRONG_HAND, reason="Again.")


# ---- pay ------------------------------------------------------------------------------------


def test_a_fixed_award_is_paid_from_the_table_by_its_validator() -> None:
    claim, officer = make_claim(), make_user()
    validate_claim(claim_id=claim.pk, officer=officer)

    pay_claim(claim_id=claim.pk, officer=officer)

    assert last_event(claim)["facts"]["source"] == "table inventory"
    with pytest.raises(errors.AlreadyPaid):
        pay_claim(claim_id=claim.pk, officer=officer)
    with pytest.raises(errors.AlreadyPaid):
        validate_claim(claim_id=claim.pk, officer=officer)


@pytest.mark.parametrize("percent", [None, 10])
def test_nothing_is_paid_before_it_is_validated(percent: int | None) -> None:
    with pytest.raises(errors.NotValidated):
        pay_claim(claim_id=make_claim(percent=percent).pk, officer=make_user())


def test_a_meter_award_is_never_paid_from_the_table_inventory() -> None:
    claim = with_slip(make_claim(percent=10))
    payer = make_user("A500", "accounting")

    with pytest.raises(errors.WrongSource, match="may not be paid from the table inventory"):
        pay_claim(
            claim_id=claim.pk, officer=payer, checks=documented(claim), source="table inventory"
        )

    pay_claim(claim_id=claim.pk, officer=payer, checks=documented(claim))
    assert claim.steps.get(kind="paid").facts["source"] == "cage"


def test_a_fixed_award_is_not_paid_from_the_cage() -> None:
    claim, officer = make_claim(), make_user()
    validate_claim(claim_id=claim.pk, officer=officer)
    with pytest.raises(errors.WrongSource, match="paid from the table inventory"):
        pay_claim(claim_id=claim.pk, officer=officer, source="cage")


def test_a_meter_award_is_paid_by_another_person_than_its_validator() -> None:
    claim, officer = make_claim(percent=10), make_user()
    validate_claim(claim_id=claim.pk, officer=officer, checks=confirmed(claim))
    with pytest.raises(errors.ValidatorCannotPay):
        pay_claim(claim_id=claim.pk, officer=officer, checks=documented(claim))


def test_a_meter_award_is_paid_only_when_its_documents_are_complete() -> None:
    claim = with_slip(make_claim(percent=10))
    with pytest.raises(errors.CheckMissing, match="documentation is complete"):
        pay_claim(claim_id=claim.pk, officer=make_user("F201"))


def test_the_dealer_of_the_round_does_not_mark_it_paid() -> None:
    claim = make_claim(dealer="F201")
    validate_claim(claim_id=claim.pk, officer=make_user())
    with pytest.raises(errors.DealerOfTheRound):
        pay_claim(claim_id=claim.pk, officer=make_user("F201"))


def test_the_payout_is_the_amount_at_the_turn() -> None:
    claim = make_claim(percent=10)
    assert claim.meter_at_turn == Decimal("20000.000000")
    assert claim.amount == Decimal("2000.00")


def test_the_groups_of_the_house_are_there() -> None:
    assert Group.objects.filter(name__in=["floorperson", "pit manager"]).count() == 2
    assert ClaimStep.Kind.VALIDATED == JackpotClaim.State.VALIDATED
