"""Changes of progressives through the API and the pages: the same rules at every door."""

from typing import Any

import pytest
from django.test import Client

from audit.models import User
from progressives.models import ControlRequest, Meter, Progressive
from tables.services.keys import make_key
from tests.make import make_user
from tests.progressives.samples import sample, set_up
from tests.progressives.test_control import People, level

pytestmark = pytest.mark.django_db

API = "/api/v1/controls/"
HOME = "/admin/progressives/controlrequest/"


@pytest.fixture
def stud() -> Progressive:
    return set_up(sample("stud_three_levels"))


@pytest.fixture
def people() -> People:
    return People()


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def post(user: User, address: str, **told: Any) -> Any:
    return client_of(user).post(API + address, told, content_type="application/json")


def test_a_change_goes_its_way_through_the_api(stud: Progressive, people: People) -> None:
    asked = post(
        people.configures,
        "",
        kind="parameters",
        meter="STUD-LINK:mega",
        changes={"increment_percent": "8"},
        reason="As filed.",
    )
    assert asked.status_code == 200, asked.content
    told = asked.json()
    assert (told["state"], told["before"], told["after"]) == (
        "requested",
        {"increment_percent": "9"},
        {"increment_percent": "8"},
    )
    at = f"{told['id']}/"
    refused = post(people.configures, at + "approve/")
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
    early = post(people.resets, at + "effect/")
    assert (early.status_code, early.json()["code"]) == (409, "not_approved")
    assert post(people.resets, at + "approve/").json()["state"] == "approved"
    assert post(people.configures, at + "effect/").json()["state"] == "effected"
    assert post(people.accounts, at + "acknowledge/").json()["state"] == "acknowledged"
    assert level(stud, "mega").increment_percent == 8
    steps = client_of(people.accounts).get(API + at).json()["steps"]
    assert [(step["kind"], step["by"]) for step in steps] == [
        ("approved", "R1"),
        ("effected", "C1"),
        ("acknowledged", "A9"),
    ]
    assert [each["id"] for each in client_of(people.accounts).get(API).json()] == [told["id"]]


@pytest.mark.parametrize(
    ("told", "status", "code"),
    [
        ({"kind": "transfer", "meter": "STUD-LINK:mega"}, 404, "unknown_meter"),
        ({"kind": "transfer", "meter": "NO:mega", "other": "STUD-LINK:mega"}, 404, "unknown_meter"),
        (
            {"kind": "transfer", "meter": "STUD-LINK:mega", "other": "STUD-LINK:minor"},
            422,
            "notice_missing",
        ),
        ({"kind": "correction", "meter": "STUD-LINK:mega", "amount": "1e3x"}, 422, "bad_amount"),
        ({"kind": "parameters", "meter": "STUD-LINK:mega"}, 403, "not_allowed"),
        ({"kind": "theft", "meter": "STUD-LINK:mega"}, 400, None),
    ],
)
def test_the_api_names_what_is_refused(
    stud: Progressive, people: People, told: dict[str, Any], status: int, code: str | None
) -> None:
    answer = post(people.resets, "", reason="R.", **told)
    assert (answer.status_code, answer.json().get("code") if code else None) == (status, code)
    assert ControlRequest.objects.count() == 0


def test_a_superuser_and_a_key_get_no_further(stud: Progressive, people: People) -> None:
    root = make_user("S1", None, is_superuser=True)
    asked = people.change(level(stud, "mega"), {"reset": "120000.00"})
    assert post(root, f"{asked.pk}/approve/").json()["code"] == "not_allowed"
    page = client_of(root).post(f"{HOME}{asked.pk}/approve/")
    assert page.status_code == 409
    assert "Your role may not act as reset authority" in page.content.decode()
    assert client_of(root).get(f"{HOME}ask/parameters/").status_code == 403
    _, secret = make_key(name="R1", kind="staff", user=people.resets)
    token = {"HTTP_AUTHORIZATION": f"Key {secret}"}
    assert Client().get(API, **token).status_code == 200  # type: ignore[arg-type]
    answer = Client().post(
        f"{API}{asked.pk}/approve/", {}, content_type="application/json", **token
    )
    assert answer.status_code == 403
    told = {"kind": "correction", "meter": "STUD-LINK:mega", "amount": "1", "reason": "R."}
    assert Client().post(API, told, content_type="application/json", **token).status_code == 403
    assert asked.steps.count() == 0
    assert client_of(make_user("D1", "dealer")).get(API).status_code == 403
    assert client_of(make_user("D2", "dealer")).get(f"{HOME}desk/").status_code == 403


def test_the_pages_take_a_transfer_to_its_end_and_say_what_is_wrong(
    stud: Progressive, people: People
) -> None:
    minor, mega = level(stud, "minor"), level(stud, "mega")
    form = {
        "meter": minor.pk,
        "other": mega.pk,
        "amount": "100",
        "reason": "The table is replaced.",
        "told_on": "2026-02-01",
        "removed_on": "2026-03-01",
        "effective_at": "",
    }
    client = client_of(people.resets)
    for wrong, sentence in [
        ({"amount": "100000"}, "The meter holds 300.00"),
        ({"amount": "ten"}, "Say by how much"),
        ({"told_on": ""}, "Say on which day the public was told"),
        ({"told_on": "1.2.26"}, "is no day"),
        ({"effective_at": "soon"}, "is no date and time"),
        ({"effective_at": "2026-13-40T00:00"}, "is no date and time"),
        ({"effective_at": "2020-01-01T00:00"}, "Nothing takes effect in the past"),
        ({"reason": " "}, "Say why"),
        ({"other": "9" * 30}, "There is no such meter"),
        ({"other": minor.pk}, "Choose another meter"),
    ]:
        answer = client.post(f"{HOME}ask/transfer/", {**form, **wrong})
        assert (answer.status_code, sentence in answer.content.decode()) == (409, True), wrong
    answer = client.post(f"{HOME}ask/transfer/", form)
    made = ControlRequest.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"{HOME}{made.pk}/change/")
    done = client_of(people.configures).post(f"{HOME}{made.pk}/approve/", follow=True)
    assert "Approved, and in effect." in done.content.decode()
    assert Meter.objects.get(pk=minor.pk).value == 200
    page = client_of(people.accounts).get(f"{HOME}desk/").content.decode()
    assert "$100.00 to STUD-LINK:mega" in page
    for meter in (minor, mega):  # both ends of it show it in their history
        shown = client_of(people.accounts).get(f"/admin/progressives/meter/{meter.pk}/change/")
        assert "STUD-LINK:minor: transfer to another meter" in shown.content.decode()
        assert "open: not acknowledged by accounting" in shown.content.decode()
    for address in ("0/change/", "99999999999999999999/change/"):
        assert client.get(HOME + address).status_code == 404
