"""Meter awards and large payouts: tiers, surveillance's answer, the second person, the turn."""

import json
from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.test import Client

from audit.models import AuditEvent
from progressives import errors
from progressives.models import ClaimTerms, JackpotClaim
from progressives.services.claim_terms import set_claim_terms
from progressives.services.claims import pay_claim, refuse_claim, required_checks, validate_claim
from progressives.services.claims_approve import answer_claim, approve_claim
from progressives.services.claims_document import document_claim
from tests.make import (
    PASSWORD,
    documented,
    make_claim,
    make_progressive,
    make_user,
    staff,
    validated,
)

pytestmark = pytest.mark.django_db

SEEN = ["seen"]


def ready(**changes: Any) -> JackpotClaim:
    """Return a meter award that waits for its second approver and nothing else."""
    claim = validated(make_claim(**{"percent": 10, **changes}))
    answer_claim(claim_id=claim.pk, officer=staff("S451", "surveillance"), answer="verified")
    return claim


def approve(claim: JackpotClaim, officer: Any = None, **changes: Any) -> JackpotClaim:
    officer = officer or staff("P351", "pit manager")
    given = {"password": PASSWORD, "checks": SEEN, **changes}
    return approve_claim(claim_id=claim.pk, officer=officer, **given)


# ---- tiers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "tier"),
    [
        ({"amount": Decimal("599.99")}, "plain"),
        ({"amount": Decimal("600.00")}, "checked"),
        ({"amount": Decimal("1199.99")}, "checked"),
        ({"amount": Decimal("1200.00")}, "full"),
        ({"percent": 10}, "full"),
    ],
)
def test_the_amount_and_the_kind_make_the_tier(changes: dict[str, Any], tier: str) -> None:
    assert make_claim(**changes).tier == tier


def test_a_small_fixed_award_asks_for_nothing() -> None:
    claim = make_claim()
    validate_claim(claim_id=claim.pk, officer=make_user())
    assert pay_claim(claim_id=claim.pk, officer=make_user("F201")).state == "paid"
    assert list(claim.steps.values_list("kind", flat=True)) == ["opened", "validated", "paid"]


def test_an_award_between_is_confirmed_point_by_point_by_one_person() -> None:
    claim = make_claim(amount=Decimal("750.00"))
    assert [check.code for check in required_checks(claim)] == ["hand", "lamp"]
    with pytest.raises(errors.CheckMissing):
        validate_claim(claim_id=claim.pk, officer=make_user())
    validated(claim)
    pay_claim(claim_id=claim.pk, officer=make_user("F202"))


def test_a_large_fixed_award_needs_a_second_person_and_comes_from_the_table() -> None:
    claim = documented(make_claim(amount=Decimal("1500.00")))
    payer = make_user("A500", "accounting")
    pay_claim(claim_id=claim.pk, officer=payer, checks=["documents"], source="table inventory")
    with pytest.raises(errors.NoApprovalNeeded):
        answer_claim(claim_id=make_claim().pk, officer=make_user("S1", "surveillance"), answer="")


def test_other_terms_hold_from_now_on_and_the_log_tells_who_set_them() -> None:
    boss = make_user("X700", "administrator")
    facts = {"checklist_from": Decimal("2.00"), "approval_from": Decimal("3.00")}
    set_claim_terms(officer=boss, second_factor_required=False, reason="A review.", **facts)
    assert make_claim().tier == "full"
    told = json.loads(bytes(AuditEvent.objects.latest("pk").body))
    assert (told["action"], told["by"]) == ("progressives.claim_terms_set", "X700")


def test_terms_are_never_set_for_the_past_nor_changed_nor_by_nobody() -> None:
    given = {"checklist_from": 1, "approval_from": 2, "reason": "x", "set_by": make_user()}
    refusals = [
        ({"effective_at": "2020-01-01T00:00Z"}, DatabaseError),
        ({"set_by": None}, DatabaseError),
        ({"approval_from": "0.50"}, IntegrityError),
        ({"reason": ""}, IntegrityError),
    ]
    for wrong, refusal in refusals:
        with pytest.raises(refusal), transaction.atomic():
            ClaimTerms.objects.create(**{**given, **wrong})
    with pytest.raises(DatabaseError), transaction.atomic():
        ClaimTerms.objects.update(approval_from=99999)
    with pytest.raises(DatabaseError), transaction.atomic():
        ClaimTerms.objects.all()._raw_delete("default")


def test_an_administrator_sets_terms_in_the_admin_and_nobody_changes_them() -> None:
    client = Client()
    client.force_login(make_user("X700", "administrator"))
    address = "/admin/progressives/claimterms/"
    given = {"checklist_from": "300", "approval_from": "900", "reason": "The Board asked."}
    response = client.post(f"{address}add/", {**given, "second_factor_required": "on"})
    assert response.status_code == 302
    terms = ClaimTerms.objects.latest("pk")
    assert (terms.approval_from, terms.second_factor_required) == (900, True)
    assert client.get(f"{address}{terms.pk}/change/").status_code == 200
    client.post(f"{address}{terms.pk}/change/", {**given, "approval_from": "1"})
    terms.refresh_from_db()
    assert terms.approval_from == 900
    wrong = client.post(f"{address}add/", {**given, "approval_from": "1"})
    assert wrong.status_code == 200
    client.force_login(make_user())
    assert client.get(f"{address}add/").status_code == 403


# ---- surveillance ---------------------------------------------------------------------------


def test_a_problem_needs_words_and_stops_the_approval_until_it_is_answered_again() -> None:
    claim, watcher = validated(make_claim(percent=10)), make_user("S1", "surveillance")
    with pytest.raises(errors.NotYetAnswered, match="has not verified"):
        approve(claim)
    with pytest.raises(errors.AnswerMissing):
        answer_claim(claim_id=claim.pk, officer=watcher, answer="perhaps")
    with pytest.raises(errors.ReasonMissing):
        answer_claim(claim_id=claim.pk, officer=watcher, answer="problem")
    answer_claim(claim_id=claim.pk, officer=watcher, answer="problem", reason="A card moved.")
    with pytest.raises(errors.NotYetAnswered, match="sees a problem: A card moved"):
        approve(claim)
    answer_claim(claim_id=claim.pk, officer=watcher, answer="verified")
    assert approve(claim).state == "approved"
    assert claim.steps.filter(kind="answered").count() == 2


def test_a_problem_seen_after_the_approval_stops_the_payment() -> None:
    claim = documented(make_claim(percent=10))
    watcher = staff("S451", "surveillance")
    answer_claim(claim_id=claim.pk, officer=watcher, answer="problem", reason="Another player.")
    payer = make_user("A500", "accounting")
    with pytest.raises(errors.NotYetAnswered):
        pay_claim(claim_id=claim.pk, officer=payer, checks=["documents", "source"])
    answer_claim(claim_id=claim.pk, officer=watcher, answer="verified")
    pay_claim(claim_id=claim.pk, officer=payer, checks=["documents", "source"])
    with pytest.raises(errors.AnswerClosed):
        answer_claim(claim_id=claim.pk, officer=watcher, answer="problem", reason="Late.")


def test_only_surveillance_answers() -> None:
    with pytest.raises(errors.NotAllowed):
        answer_claim(claim_id=make_claim(percent=10).pk, officer=make_user(), answer="verified")


# ---- the second person ----------------------------------------------------------------------


def test_the_second_person_is_written_with_how_he_proved_himself() -> None:
    claim = ready()
    approve(claim)
    step = claim.steps.get(kind="approved")
    assert step.facts == {"checks": SEEN, "proved_by": ["password"]}
    with pytest.raises(errors.AlreadyApproved, match="by P351 at"):
        approve(claim, make_user("P1", "pit manager", password=PASSWORD))


@pytest.mark.parametrize("superuser", [False, True])
def test_four_different_people(superuser: bool) -> None:
    """Dealer, first, second and payer; surveillance as well. A superuser is no exception."""
    one = make_user("F1", password=PASSWORD, is_superuser=superuser)
    for role in ("surveillance", "accounting"):
        one.groups.add(*make_user(None, role).groups.all())
    claim = ready()
    watched = validated(make_claim(percent=10))
    answer_claim(claim_id=watched.pk, officer=one, answer="verified")
    first = validated(make_claim(percent=10), one)

    with pytest.raises(errors.AlreadyActed, match="You validated"):
        answer_claim(claim_id=first.pk, officer=one, answer="verified")
    with pytest.raises(errors.AlreadyActed, match="You answered for surveillance"):
        approve(watched, one)
    answer_claim(claim_id=first.pk, officer=staff("S451", "surveillance"), answer="verified")
    with pytest.raises(errors.AlreadyActed, match="You validated"):
        approve(first, one)
    with pytest.raises(errors.DealerOfTheRound):
        approve(ready(dealer="F1"), one)
    approve(claim, one)
    document_claim(claim_id=claim.pk, officer=make_user("F9"), payee="Ada Winner")
    with pytest.raises(errors.AlreadyActed, match="You approved"):
        pay_claim(claim_id=claim.pk, officer=one, checks=["documents", "source"])
    approve(watched)
    document_claim(claim_id=watched.pk, officer=make_user("F8"), payee="Ada Winner")
    with pytest.raises(errors.AlreadyActed, match="You answered"):
        pay_claim(claim_id=watched.pk, officer=one, checks=["documents", "source"])


def test_an_approval_needs_the_right_the_check_and_the_moment() -> None:
    with pytest.raises(errors.NotAllowed):
        approve(ready(), make_user("A500", "accounting", password=PASSWORD))
    with pytest.raises(errors.CheckMissing):
        approve(ready(), checks=[])
    with pytest.raises(errors.NotValidated):
        approve(make_claim(percent=10))
    with pytest.raises(errors.NoApprovalNeeded):
        approve(make_claim())


def test_a_wrong_password_is_refused_and_written_down() -> None:
    claim, officer = ready(), staff("P351", "pit manager")
    for _ in range(5):
        with pytest.raises(errors.NotProved, match="Password or code is wrong"):
            approve(claim, password="wrong")
    with pytest.raises(errors.NotProved, match="Too many wrong tries"):
        approve(claim)
    tries = AuditEvent.objects.filter(action="audit.proof_refused", subject=f"user/{officer.pk}")
    assert tries.count() == 5
    assert not claim.steps.filter(kind="approved").exists()


# ---- whose turn it is -----------------------------------------------------------------------


def test_winners_of_a_round_are_validated_and_approved_in_turn_order() -> None:
    progressive = make_progressive()
    first = make_claim(progressive, percent=10, position=6)
    second = make_claim(progressive, percent=10, position=2, round_id=first.round_id)
    with pytest.raises(errors.NotInTurn, match="Position 6 of this round comes first"):
        validated(second)
    validated(first)
    validated(second)
    for claim in (first, second):
        answer_claim(claim_id=claim.pk, officer=staff("S451", "surveillance"), answer="verified")
    with pytest.raises(errors.NotInTurn):
        approve(second)
    approve(first)
    assert approve(second).state == "approved"


def test_who_was_refused_holds_up_nobody() -> None:
    progressive = make_progressive()
    first = make_claim(progressive, position=6)
    second = make_claim(progressive, position=2, round_id=first.round_id)
    refuse_claim(
        claim_id=first.pk, officer=make_user(), cite="§ 670a.13(e)", reason="It was exposed."
    )
    assert validated(second).state == "validated"


def test_another_rounds_winner_holds_up_nobody() -> None:
    progressive = make_progressive()
    make_claim(progressive, percent=10)
    assert validated(make_claim(progressive, percent=10)).state == "validated"


# ---- the pages ------------------------------------------------------------------------------


def test_approve_and_answer_by_their_pages() -> None:
    claim = validated(make_claim(percent=10))
    address = f"/admin/progressives/jackpotclaim/{claim.pk}"
    watcher, second = Client(), Client()
    watcher.force_login(make_user("S400", "surveillance"))
    second.force_login(make_user("P300", "pit manager", password=PASSWORD))
    assert "Validated" in watcher.get(f"{address}/answer/").content.decode()
    assert watcher.post(f"{address}/answer/", {"answer": "problem"}).status_code == 409
    assert watcher.post(f"{address}/answer/", {"answer": "verified"}).status_code == 302
    assert watcher.get(f"{address}/approve/").status_code == 403
    page = second.get(f"{address}/approve/").content.decode()
    assert "Surveillance answered: verified" in page
    response = second.post(f"{address}/approve/", {"checks": SEEN, "password": "wrong"})
    assert response.status_code == 409
    assert "wrong" not in response.content.decode().replace("is wrong.", "")
    told = {"checks": SEEN, "password": PASSWORD}
    assert second.post(f"{address}/approve/", told).status_code == 302
    claim.refresh_from_db()
    assert claim.state == "approved"


def test_the_tier_is_the_databases_own_word() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT claim_tier('fixed', 5, '1999-01-01')")
        assert cursor.fetchone() == ("full",)  # where no terms are found it is the strictest
