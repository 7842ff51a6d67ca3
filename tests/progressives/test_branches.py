"""Disputes freeze a round and end by two people; a payout opened in error is voided by two."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client

from audit.models import AuditEvent, User
from progressives import errors
from progressives.models import ClaimStep, JackpotClaim, RoundClosing
from progressives.services.claims import pay_claim, refuse_claim, validate_claim
from progressives.services.claims_approve import answer_claim
from progressives.services.claims_dispute import dispute_claim, propose_outcome, resolve_dispute
from progressives.services.claims_document import document_claim, print_slip
from progressives.services.claims_return import return_refused_award
from progressives.services.claims_void import ask_void, void_claim
from progressives.services.envies import pay_envy
from progressives.services.reconcile import reconcile
from progressives.services.rounds import closing_of
from tables.services.unlogged import unlogged
from tests.make import (
    approved,
    contribute,
    documented,
    make_claim,
    make_progressive,
    make_user,
    meter_of,
    staff,
    validated,
)
from tests.progressives.test_rounds import make_envy

pytestmark = pytest.mark.django_db
CITE = "§ 670a.13(k)"
CLIP = {"camera": "PTZ 14", "since": "21:04", "until": "21:09"}
SQL_STEP = {"reason": "By hand.", "facts": {"outcome": "upheld"}}


def pit(number: int = 361) -> User:
    return staff(f"P{number}", "pit manager")


def accountant(number: int = 561) -> User:
    return staff(f"A{number}", "accounting")


def dispute(claim: JackpotClaim, **changes: Any) -> JackpotClaim:
    told = {"officer": staff("F261", "floorperson"), "reason": "The player says quads."} | changes
    return dispute_claim(claim_id=claim.pk, video=[CLIP], **told)


def propose(claim: JackpotClaim, outcome: str = "upheld", **changes: Any) -> JackpotClaim:
    told = {"officer": pit(), "reason": "I looked.", "cite": ""} | changes
    return propose_outcome(claim_id=claim.pk, outcome=outcome, **told)


def resolve(claim: JackpotClaim, officer: User | None = None) -> JackpotClaim:
    officer = officer or accountant()
    return resolve_dispute(claim_id=claim.pk, officer=officer, reason="So did I.")


def pay(claim: JackpotClaim, officer: User | None = None) -> JackpotClaim:
    officer = officer or accountant(551)
    return pay_claim(claim_id=claim.pk, officer=officer, checks=["documents", "source"])


def written_now(claim: JackpotClaim, state: str, **step: Any) -> None:
    """Write a step and a state past the services, and let the checks of the commit speak."""
    ClaimStep.objects.create(claim=claim, **step)
    if state:
        JackpotClaim.objects.filter(pk=claim.pk).update(state=state)
    with transaction.get_connection().cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_a_dispute_freezes_claim_round_envies_and_meter_snapshot() -> None:
    progressive = make_progressive()
    contribute(progressive)
    claim = documented(make_claim(progressive, percent=10))
    twin = make_claim(progressive, round_id=claim.round_id, position=2)
    envy, meter = make_envy(claim), meter_of(progressive)
    dispute(claim)

    told = claim.steps.get(kind="disputed").facts
    assert told["video"] == [CLIP]
    assert told["from"] == "documented"
    assert told["meters"] == [
        {
            "level": "grand",
            "purpose": "display",
            "sequence": meter.sequence,
            "value": str(meter.value),
        }
    ]
    floor, watcher = staff("F262", "floorperson"), staff("S462", "surveillance")
    frozen: list[Any] = [
        lambda: pay(claim),
        lambda: refuse_claim(claim_id=claim.pk, officer=floor, cite=CITE, reason="Seven."),
        lambda: answer_claim(claim_id=claim.pk, officer=watcher, answer="problem", reason="No."),
        lambda: ask_void(claim_id=claim.pk, officer=pit(), reason="Error."),
        lambda: validate_claim(claim_id=twin.pk, officer=floor),
        lambda: refuse_claim(claim_id=twin.pk, officer=floor, cite=CITE, reason="Seven."),
        lambda: pay_envy(envy_id=envy.pk, officer=floor),
    ]
    for deed in frozen:
        with pytest.raises(errors.RoundDisputed, match="position 4 is disputed"):
            deed()
    with pytest.raises(errors.AlreadyDisputed):
        dispute(claim)
    print_slip(claim_id=claim.pk, officer=floor)  # evidence may be printed
    claim.refresh_from_db()
    assert (claim.state, claim.cards_held) == ("disputed", True)


@pytest.mark.parametrize("kind", [k for k in ClaimStep.Kind if k not in ("opened", "escalated")])
def test_postgresql_freezes_the_round_of_a_disputed_claim(kind: str) -> None:
    claim = make_claim()
    twin = make_claim(claim.progressive, round_id=claim.round_id, position=2)
    dispute(claim)
    for frozen in (claim, twin):
        with pytest.raises(DatabaseError), transaction.atomic():
            ClaimStep.objects.create(claim=frozen, kind=kind, by=make_user("F299"), cite=CITE)
    for state in ("validated", "refused", "paid", "voided", "waiting"):
        with pytest.raises(DatabaseError, match="two people agreed"), transaction.atomic():
            JackpotClaim.objects.filter(pk=claim.pk).update(state=state)


def test_a_dispute_ends_by_two_people_and_the_payout_goes_on() -> None:
    claim = documented(make_claim(percent=10))
    dispute(claim)
    with pytest.raises(errors.NothingProposed):
        resolve(claim)
    propose(claim)
    with pytest.raises(errors.ProposerCannotConfirm):
        resolve(claim, pit())
    with pytest.raises(errors.AlreadyActed, match="You approved"):
        resolve(claim, staff("P351", "pit manager"))
    with pytest.raises(errors.NotAllowed):
        resolve(claim, staff("F262", "floorperson"))
    with pytest.raises(errors.NotAllowed):
        resolve(claim, make_user("B9", None, is_superuser=True))
    resolve(claim)
    claim.refresh_from_db()
    assert claim.state == "documented"
    with pytest.raises(errors.AlreadyActed, match="resolved the dispute"):
        pay(claim, accountant())
    pay(claim)
    assert closing_of(claim.round_id)
    assert unlogged().get("decision") is None


def test_a_dispute_can_end_in_a_refusal_that_voids_the_slip() -> None:
    claim = documented(make_claim(percent=10))
    dispute(claim)
    with pytest.raises(errors.RuleMissing):
        propose(claim, "refused")
    with pytest.raises(errors.OutcomeMissing):
        propose(claim, "amended")
    propose(claim, "refused", cite=CITE)
    resolve(claim)
    claim.refresh_from_db()
    assert (claim.state, claim.slip.void.reason) == ("refused", f"Refused by {CITE}")
    return_refused_award(claim_id=claim.pk, officer=accountant(570), reason="Agreed.")
    assert meter_of(claim.progressive).value == claim.meter_at_turn
    assert all(line.ok for line in reconcile())


def test_two_disputes_in_one_round_can_both_end_in_refusals() -> None:
    claim = make_claim()
    twin = make_claim(claim.progressive, round_id=claim.round_id, position=2)
    for one in (claim, twin):
        dispute(one)
        propose(one, "refused", cite=CITE)
    for one in (claim, twin):
        resolve(one)
    assert set(JackpotClaim.objects.values_list("state", flat=True)) == {"refused"}
    assert RoundClosing.objects.count() == 1


def test_a_refusal_that_was_wrong_is_taken_up_again_where_it_stood() -> None:
    claim = validated(make_claim())
    refuse_claim(claim_id=claim.pk, officer=make_user(), cite=CITE, reason="Seven cards.")
    assert closing_of(claim.round_id)
    dispute(claim)
    propose(claim)
    resolve(claim)
    claim.refresh_from_db()
    assert claim.state == "validated"
    assert closing_of(claim.round_id) is None, "a round with an open payout counts as closed"
    pay(claim)
    assert closing_of(claim.round_id)
    assert RoundClosing.objects.filter(round_id=claim.round_id).count() == 2


def test_what_only_an_amendment_mends_is_said_so() -> None:
    paid = validated(make_claim())
    pay(paid)
    dispute(paid)
    with pytest.raises(errors.PaidIsAmended):
        propose(paid, "refused", cite=CITE)
    propose(paid)
    resolve(paid)
    paid.refresh_from_db()
    assert paid.state == "paid"
    assert closing_of(paid.round_id)
    returned = make_claim(percent=10)
    refuse_claim(claim_id=returned.pk, officer=make_user(), cite=CITE, reason="Seven cards.")
    return_refused_award(claim_id=returned.pk, officer=accountant(), reason="Agreed.")
    dispute(returned)
    with pytest.raises(errors.RefusedIsAmended):
        propose(returned)


def test_a_later_proposal_takes_the_place_of_the_first() -> None:
    claim = make_claim()
    dispute(claim)
    propose(claim)
    propose(claim, "refused", officer=accountant(), cite=CITE)
    with pytest.raises(errors.ProposerCannotConfirm):
        resolve(claim)
    resolve(claim, pit())
    claim.refresh_from_db()
    assert claim.state == "refused"


@pytest.mark.parametrize(
    ("facts", "person", "match"),
    [
        ({"outcome": "upheld"}, "P361", "two people end"),
        ({"outcome": "refused"}, "A561", "cannot end so"),
        ({"outcome": "gone"}, "A561", "cannot end so"),
        ({"outcome": "upheld"}, "F251", "needs another person"),
        ({"outcome": "upheld"}, "D100", "the dealer of the round"),
    ],
)
def test_postgresql_ends_no_dispute_but_by_two_people_who_decided_nothing(
    facts: dict[str, str], person: str, match: str
) -> None:
    claim = validated(make_claim())
    dispute(claim)
    propose(claim)
    by = {"P361": pit, "A561": accountant}.get(person)
    officer = by() if by else staff(person, "floorperson")
    with pytest.raises(DatabaseError, match=match), transaction.atomic():
        ClaimStep.objects.create(
            claim=claim, kind="resolved", by=officer, reason="By hand.", facts=facts
        )


def test_a_resolution_that_moves_nothing_is_refused_at_commit() -> None:
    claim = make_claim()
    dispute(claim)
    propose(claim)
    officer = accountant()
    with pytest.raises(DatabaseError, match="was not moved"), transaction.atomic():
        written_now(claim, "", kind="resolved", by=officer, **SQL_STEP)


def test_a_payout_opened_in_error_is_voided_by_two_people_and_its_award_goes_back() -> None:
    progressive = make_progressive()
    claim = documented(make_claim(progressive, percent=10))
    envy = make_envy(claim)
    contribute(progressive)
    with pytest.raises(errors.VoidNotAsked):
        void_claim(claim_id=claim.pk, officer=pit(), reason="Error.")
    ask_void(claim_id=claim.pk, officer=pit(), reason="The wrong table was reported.")
    with pytest.raises(errors.AskerCannotVoid):
        void_claim(claim_id=claim.pk, officer=pit(), reason="Error.")
    with pytest.raises(errors.AlreadyActed):
        void_claim(claim_id=claim.pk, officer=staff("P351", "pit manager"), reason="Error.")
    with pytest.raises(errors.NotAllowed):
        void_claim(claim_id=claim.pk, officer=staff("F251", "floorperson"), reason="Error.")
    before = meter_of(progressive).value
    void_claim(claim_id=claim.pk, officer=accountant(), reason="I looked: it was table 2.")
    claim.refresh_from_db()
    assert (claim.state, claim.slip.void.reason) == ("voided", "Opened in error")
    assert meter_of(progressive).value == before + claim.amount
    assert closing_of(claim.round_id) is None
    with pytest.raises(errors.EnvyNotOwed):
        pay_envy(envy_id=envy.pk, officer=make_user("F9"))
    for deed in (pay, dispute):
        with pytest.raises((errors.AlreadyVoided, errors.NothingToDispute)):
            deed(claim)
    assert all(line.ok for line in reconcile())
    assert "decision" not in unlogged()


def test_a_void_of_the_whole_meter_takes_its_reset_money_back() -> None:
    claim = make_claim(percent=100)
    ask_void(claim_id=claim.pk, officer=pit(), reason="A drill.")
    void_claim(claim_id=claim.pk, officer=accountant(), reason="A drill.")
    entries = meter_of(claim.progressive).entries.order_by("sequence")
    assert [entry.kind for entry in entries] == [
        *("initial", "award", "reset", "award_returned", "reset_returned")
    ]
    assert meter_of(claim.progressive).value == claim.meter_at_turn


def test_a_paid_or_refused_payout_is_not_voided() -> None:
    paid = validated(make_claim())
    pay(paid)
    with pytest.raises(errors.AlreadyPaid):
        ask_void(claim_id=paid.pk, officer=pit(), reason="Error.")
    with pytest.raises(DatabaseError, match="not voided any more"), transaction.atomic():
        ClaimStep.objects.create(claim=paid, kind="void_asked", by=pit(), reason="Error.")


def test_postgresql_voids_nothing_by_one_person_nor_without_the_meter() -> None:
    claim = approved(make_claim(percent=10))
    with pytest.raises(DatabaseError, match="two people void"), transaction.atomic():
        ClaimStep.objects.create(claim=claim, kind="voided", by=pit(), reason="Error.")
    ask_void(claim_id=claim.pk, officer=pit(), reason="Error.")
    with pytest.raises(DatabaseError, match="two people void"), transaction.atomic():
        ClaimStep.objects.create(claim=claim, kind="voided", by=pit(), reason="Error.")
    officer = accountant()
    with pytest.raises(DatabaseError, match="did not go back"), transaction.atomic():
        written_now(claim, "voided", kind="voided", by=officer, reason="Error.")


def test_nobody_documents_or_approves_after_he_resolved() -> None:
    claim = approved(make_claim(percent=10))
    dispute(claim)
    both = pit(362)
    propose(claim, officer=accountant())
    resolve(claim, both)
    with pytest.raises(errors.AlreadyActed, match="resolved the dispute"):
        document_claim(claim_id=claim.pk, officer=both, payee="Ada")
    with pytest.raises(DatabaseError, match="needs another person"), transaction.atomic():
        ClaimStep.objects.create(claim=claim, kind="documented", by=both)


def test_the_pages_of_the_branches(client: Client) -> None:
    claim = documented(make_claim(percent=10))
    page = f"/admin/progressives/jackpotclaim/{claim.pk}/"
    client.force_login(staff("F261", "floorperson"))
    assert b"Raise a dispute" in client.get(f"{page}change/").content
    assert client.get(f"{page}dispute/").status_code == 200
    told = {"reason": "Quads.", "camera": ["PTZ 14", ""], "since": ["21:04", ""], "until": ["", ""]}
    assert client.post(f"{page}dispute/", told).status_code == 302
    shown = client.get(f"{page}change/").content
    assert b"What the dispute froze" in shown
    assert b"PTZ 14, 21:04" in shown
    assert client.get(f"{page}resolve/").status_code == 403
    client.force_login(pit())
    assert b"Resolve" in client.get("/admin/progressives/jackpotclaim/queue/").content
    assert client.post(f"{page}resolve/", {"deed": "confirm", "reason": "x"}).status_code == 409
    told = {"deed": "propose", "outcome": "upheld", "reason": "I looked."}
    assert client.post(f"{page}resolve/", told).status_code == 302
    client.force_login(accountant())
    assert b"Proposed by P361" in client.get(f"{page}resolve/").content
    assert client.post(f"{page}resolve/", {"deed": "confirm", "reason": "Yes."}).status_code == 302
    assert client.post(f"{page}void/", {"deed": "ask", "reason": "Table 2."}).status_code == 302
    client.force_login(pit(363))
    assert b"asked at" in client.get(f"{page}void/").content
    assert b"Confirm void" in client.get(f"{page}change/").content
    assert client.post(f"{page}void/", {"deed": "confirm", "reason": "Yes."}).status_code == 302
    claim.refresh_from_db()
    assert claim.state == "voided"
    told_actions = AuditEvent.objects.values_list("action", flat=True)
    for kind in ("disputed", "proposed", "resolved", "void_asked", "voided"):
        assert f"progressives.claim_{kind}" in told_actions


def test_a_refused_award_is_owed_to_nobody_twice() -> None:
    """A void puts the award back at once: it cannot go back again by the usual return."""
    claim = make_claim(percent=10)
    ask_void(claim_id=claim.pk, officer=pit(), reason="Error.")
    void_claim(claim_id=claim.pk, officer=accountant(), reason="Error.")
    with pytest.raises(errors.NotRefused):
        return_refused_award(claim_id=claim.pk, officer=accountant(571), reason="Again.")
    assert meter_of(claim.progressive).value == Decimal("20000.000000")


def test_the_branches_through_the_api(client: Client) -> None:
    claim = validated(make_claim())
    envy = make_envy(claim)
    address, json = f"/api/v1/claims/{claim.pk}/", {"content_type": "application/json"}

    def post(user: User, what: str, **told: Any) -> Any:
        client.force_login(user)
        return client.post(f"{address}{what}/", told, **json)

    floor = staff("F261", "floorperson")
    assert post(floor, "dispute", reason="Quads.", video=[CLIP]).json()["state"] == "disputed"
    assert post(floor, "pay", checks=[]).json()["code"] == "round_disputed"
    refused = post(floor, "propose", outcome="upheld", reason="x")
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
    assert post(pit(), "propose", outcome="upheld", reason="I looked.").status_code == 200
    assert post(pit(), "resolve", reason="I.").json()["code"] == "proposer_cannot_confirm"
    assert post(accountant(), "resolve", reason="So did I.").json()["state"] == "validated"
    assert post(pit(), "ask-void", reason="Error.").status_code == 200
    assert post(pit(), "void", reason="Error.").json()["code"] == "asker_cannot_void"
    client.force_login(floor)
    assert [owed["id"] for owed in client.get("/api/v1/envies/").json()] == [envy.pk]
    assert post(accountant(), "void", reason="Error.").json()["state"] == "voided"
    client.force_login(floor)
    tick = f"/api/v1/envies/{envy.pk}/tick/"
    assert client.post(tick, {}, **json).json()["code"] == "envy_not_owed"
    done = client.post(tick, {"not_owed": True, "reason": "Void."}, **json).json()
    assert done["payment"]["kind"] == "not_owed"
    assert client.get("/api/v1/envies/").json() == []
