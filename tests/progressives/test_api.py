"""The API of the ledger: the same services, the same refusals, by code and sentence."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from rest_framework.test import APIClient

from audit.models import User
from progressives.models import JackpotClaim
from progressives.services.claims import refuse_claim, required_checks, validate_claim
from tables.models import AccessKey
from tables.services.keys import make_key
from tests.make import PASSWORD, contribute, make_claim, make_progressive, make_user

pytestmark = pytest.mark.django_db

CLAIMS = "/api/v1/claims/"


def api_of(user: User) -> APIClient:
    client = APIClient()
    client.force_login(user)
    return client


def post(user: User, claim: JackpotClaim, verb: str, body: dict[str, Any] | None = None) -> Any:
    return api_of(user).post(f"{CLAIMS}{claim.pk}/{verb}/", body or {}, format="json")


def test_waiting_claims_come_oldest_first_with_what_their_step_asks_for() -> None:
    fixed, award = make_claim(), make_claim(percent=10)
    validate_claim(claim_id=make_claim().pk, officer=make_user("F201"))

    told = api_of(make_user()).get(CLAIMS).json()

    assert [claim["id"] for claim in told["claims"]] == [fixed.pk, award.pk]
    first, second = told["claims"]
    assert first["checks_to_validate"] == []
    assert (first["amount"], first["source_of_funds"]) == ("3.00", "table inventory")
    assert [check["code"] for check in second["checks_to_validate"]] == [
        "hand",
        "lamp",
        "cards_held",
    ]
    assert (second["amount"], second["meter_at_turn"]) == ("2000.00", "20000.00")
    assert (second["level"], second["source_of_funds"]) == ("grand", "cage")
    assert [step["kind"] for step in second["steps"]] == ["opened"]
    assert told["more"] is False


def test_claims_of_another_state_are_asked_for_by_its_name() -> None:
    make_claim()
    validated = make_claim()
    validate_claim(claim_id=validated.pk, officer=make_user("F201"))
    api = api_of(make_user())
    told = api.get(CLAIMS, {"state": "validated"}).json()
    assert [claim["id"] for claim in told["claims"]] == [validated.pk]
    wrong = api.get(CLAIMS, {"state": "lost"})
    assert (wrong.status_code, wrong.json()["path"]) == (400, "state")
    assert api.get(CLAIMS, {"after": "x"}).status_code == 400
    assert api.get(CLAIMS, {"after": 10**30}).status_code == 400


def test_after_a_look_whatever_changed_is_told_in_whatever_state() -> None:
    api, claim = api_of(make_user()), make_claim()
    token = api.get(CLAIMS).json()["token"]
    validate_claim(claim_id=claim.pk, officer=make_user("F201"))
    told = api.get(CLAIMS, {"state": "waiting", "after": token}).json()
    assert [(c["id"], c["state"]) for c in told["claims"]] == [(claim.pk, "validated")]


def test_a_claim_goes_its_way_by_the_api() -> None:
    award = make_claim(percent=10)
    checks = [check.code for check in required_checks(award)]

    response = post(make_user(), award, "validate", {"checks": checks})
    assert (response.status_code, response.json()["state"]) == (200, "validated")

    payer = make_user("A500", "accounting")
    told = {"checks": ["documents", "source"], "source": "table inventory"}
    response = post(payer, award, "pay", told)
    assert (response.status_code, response.json()["code"]) == (422, "wrong_source")
    response = post(payer, award, "pay", {**told, "source": "cage"})
    assert (response.status_code, response.json()["code"]) == (409, "not_approved")

    response = post(make_user("S400", "surveillance"), award, "answer", {"answer": "verified"})
    assert (response.status_code, response.json()["tier"]) == (200, "full")
    second = make_user("P300", "pit manager", password=PASSWORD)
    given = {"checks": ["seen"], "password": "wrong"}
    response = post(second, award, "approve", given)
    assert (response.status_code, response.json()["code"]) == (403, "not_proved")
    response = post(second, award, "approve", {**given, "password": PASSWORD})
    assert (response.status_code, response.json()["state"]) == (200, "approved")
    response = post(payer, award, "pay", {**told, "source": "cage"})
    assert (response.status_code, response.json()["code"]) == (409, "not_documented")
    response = post(second, award, "document")
    assert (response.status_code, response.json()["code"]) == (422, "payee_missing")
    response = post(second, award, "document", {"payee": "Ada Winner"})
    assert (response.status_code, response.json()["state"]) == (200, "documented")
    assert post(payer, award, "slip").content.startswith(b"%PDF")
    response = post(payer, award, "slip")
    assert (response.status_code, response.json()["code"]) == (422, "reason_missing")

    response = post(payer, award, "pay", told)
    assert (response.status_code, response.json()["code"]) == (422, "wrong_source")
    response = post(payer, award, "pay", {**told, "source": "cage"})
    assert (response.status_code, response.json()["state"]) == (200, "paid")
    assert [step["by"] for step in response.json()["steps"]] == [
        *[None, "F200", "F200", "F200", "S400", "P300", "P300", "A500"]
    ]


def test_a_refused_award_goes_back_by_the_api() -> None:
    award = make_claim(percent=10)
    given = {"cite": "§ 670a.13(k)", "reason": "Seven cards."}
    assert post(make_user(), award, "refuse", given).status_code == 200
    accountant = make_user("A500", "accounting")
    response = post(accountant, award, "return", {"reason": "Agreed."})
    assert response.status_code == 200
    assert [step["kind"] for step in response.json()["steps"]][-1] == "returned"
    again = post(accountant, award, "return", {"reason": "Agreed."})
    assert (again.status_code, again.json()["code"]) == (409, "already_returned")


@pytest.mark.parametrize(
    ("role", "code", "verb", "body", "status", "told"),
    [
        ("floorperson", "D100", "validate", {}, 403, "dealer_of_the_round"),
        ("floorperson", None, "validate", {}, 403, "no_staff_code"),
        ("surveillance", "S400", "validate", {}, 403, "not_allowed"),
        ("floorperson", "F200", "pay", {}, 409, "not_validated"),
        ("floorperson", "F200", "refuse", {"cite": "", "reason": "x"}, 422, "rule_missing"),
        ("floorperson", "F200", "return", {"reason": "x"}, 403, "not_allowed"),
        ("accounting", "A500", "return", {"reason": "x"}, 409, "nothing_to_return"),
    ],
)
def test_a_refusal_says_its_code_and_a_sentence(
    role: str, code: str | None, verb: str, body: dict[str, Any], status: int, told: str
) -> None:
    response = post(make_user(code, role), make_claim(dealer="D100"), verb, body)
    assert (response.status_code, response.json()["code"]) == (status, told)
    assert response.json()["detail"].endswith(".")


def test_what_is_missing_is_named_by_its_place() -> None:
    response = post(make_user(), make_claim(lamp=False), "validate", {"checks": ["lamp"]})
    assert response.status_code == 422
    assert response.json()["path"] == "statement"


def test_an_unknown_claim_is_not_found() -> None:
    api = api_of(make_user())
    for url in (f"{CLAIMS}999999999/", f"{CLAIMS}{10**30}/"):
        response = api.get(url)
        assert (response.status_code, response.json()["code"]) == (404, "unknown_claim")
    response = api.post(f"{CLAIMS}999999999/validate/", {}, format="json")
    assert response.status_code == 404


@pytest.mark.parametrize("role", ["dealer", None])
def test_claims_and_meters_are_for_roles_that_may_read_them(role: str | None) -> None:
    make_claim()
    api = api_of(make_user("Z1", role))
    assert api.get(CLAIMS).status_code == 403
    assert api.get("/api/v1/meters/").status_code == 403
    assert post(make_user("Z2", role), JackpotClaim.objects.get(), "validate").status_code == 403


def test_a_controllers_key_reads_no_claims_and_a_staff_token_does() -> None:
    make_claim()
    officer = make_user()
    _, gateway = make_key(name="gateway", kind=AccessKey.Kind.GATEWAY)
    _, staff = make_key(name="tablet", kind=AccessKey.Kind.STAFF, user=officer)
    client = Client()
    assert client.get(CLAIMS).status_code == 401
    assert client.get(CLAIMS, headers={"Authorization": f"Key {gateway}"}).status_code == 403
    assert client.get(CLAIMS, headers={"Authorization": f"Key {staff}"}).status_code == 200
    decided = client.post(f"{CLAIMS}1/validate/", headers={"Authorization": f"Key {staff}"})
    assert decided.status_code == 403  # a token reads; whoever made it cannot sign as its owner
    assert "logged in" in decided.json()["detail"]

    officer.is_active = False
    officer.save()
    assert client.get(CLAIMS, headers={"Authorization": f"Key {staff}"}).status_code == 401


def test_a_session_needs_the_token_against_forged_requests() -> None:
    claim = make_claim()
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(make_user())
    response = client.post(f"{CLAIMS}{claim.pk}/validate/", {}, format="json")
    assert response.status_code == 403
    claim.refresh_from_db()
    assert claim.state == "waiting"


def test_signs_read_what_each_meter_stands_at() -> None:
    progressive = make_progressive(code="FORTUNE-1", initial="18412.37")
    contribute(progressive, 2)
    told = api_of(make_user()).get("/api/v1/meters/").json()
    assert told == [
        {
            "progressive": "FORTUNE-1",
            "level": "grand",
            "value": "18412.79",
            "shown": "18412.79",
            "limit": None,
            "must_hit_by": None,
            "sequence": 3,
        }
    ]


def test_the_document_of_the_api_names_every_step() -> None:
    text = Client().get("/api/schema/").content.decode()
    for path in ("claims/", "claims/{claim_id}/", "meters/"):
        assert f"/api/v1/{path}:" in text
    for verb in ("validate", "answer", "approve", "document", "slip", "refuse", "pay", "return"):
        assert f"/api/v1/claims/{{claim_id}}/{verb}/:" in text


def test_the_document_of_the_api_has_no_doubtful_place(tmp_path: Path) -> None:
    call_command("spectacular", validate=True, fail_on_warn=True, file=str(tmp_path / "api.yml"))


def test_a_refused_payout_is_told_to_a_later_validator() -> None:
    claim = make_claim()
    refuse_claim(
        claim_id=claim.pk, officer=make_user("F201"), cite="§ 670a.13(e)", reason="Exposed."
    )
    response = post(make_user(), claim, "validate")
    assert (response.status_code, response.json()["code"]) == (409, "already_refused")
    assert "by F201 at" in response.json()["detail"]
