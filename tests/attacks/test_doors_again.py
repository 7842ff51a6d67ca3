"""Odd words at the newer doors: each is refused with a sentence, and none breaks a page."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audit import casebook, footage
from audit.models import Camera, Case, HoldEnd
from progressives.models import Meter
from tables.models import FormEntry
from tables.services.downtime import begin_downtime
from tables.services.paper import issue_forms
from tests.make import make_user
from tests.tables.conftest import Floor

pytestmark = pytest.mark.django_db
LONG = "9" * 5000
NOW = datetime(2026, 11, 30, 16, 0, tzinfo=UTC)
DESK = "/admin/tables/gamingtable/downtime/"


@pytest.fixture
def floor(db: None) -> Floor:
    return Floor()


def logged_in(role: str, code: str = "Z900") -> Client:
    client = Client()
    client.force_login(make_user(code, role=role))
    return client


def opened(by: Any, **changes: Any) -> Case:
    return casebook.open_case(
        **{
            "by": by, "type": Case.Type.values[0], "title": "A complaint", "text": "He objects.",
            "occurred_from": NOW, "occurred_until": NOW, "reported_at": NOW, **changes,
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/api/v1/meters/%00/grand/", 400),
        ("/api/v1/progressives/%00/risk/", 400),
        ("/api/v1/tables/%00/meters/", 400),
        ("/api/v1/claims/approvals/?last=0001-01-01", 200),
        ("/api/v1/claims/approvals/?first=9999-12-31&last=9999-12-31", 200),
        ("/api/v1/progressives/P-1/hits/?first=9999-12-31&last=9999-12-31", 400),
        ("/admin/tables/gamingtable/errors/?last=0001-01-01", 200),
        ("/admin/tables/gamingtable/risk/P-1/hits/?last=0001-01-01", 200),
        (f"/admin/audit/exceptionrecord/{LONG}/change/", 404),
        (f"/admin/tables/rulessubmission/{LONG}/change/", 404),
        (f"/admin/tables/roundamendment/{LONG}/change/", 404),
        (f"/admin/progressives/controlrequest/{LONG}/change/", 404),
        ("/api/v1/closes/0001-01-01/", 409),
        ("/api/v1/closes/9999-12-31/", 409),
        ("/admin/progressives/gamingdayclose/days/9999-12-31/", 404),
    ],
)
def test_an_odd_address_of_the_newer_doors_is_answered(
    floor: Any, address: str, status: int
) -> None:
    client = logged_in("auditor")
    code = Meter.objects.select_related("progressive")[0].progressive.code
    answer = client.get(address.replace("P-1", code))
    assert answer.status_code == status
    if address.startswith("/api/") and status >= 400:
        assert answer.json()["detail"]


@pytest.mark.parametrize(
    "body", ["[" * 100_000, json.dumps({"kind": "parameters", "meter": "\ud800", "reason": "x"}),
             json.dumps({"kind": "parameters", "meter": "\0", "reason": "\ud800"})],
)  # fmt: skip
def test_a_body_that_cannot_be_kept_is_refused_by_the_api(floor: Any, body: str) -> None:
    client = logged_in("configuration authority")
    answer = client.post("/api/v1/controls/", body, content_type="application/json")
    assert 400 <= answer.status_code < 500
    assert answer.json()["detail"]


def test_a_paper_form_is_no_way_to_break_its_page(floor: Any) -> None:
    client = logged_in("floorperson", "F900")
    user = make_user("F901")
    issue_forms(table="T-1", number=1, by=user)
    down = begin_downtime(table="T-1", began_at=NOW, by=user, reason="The network.")
    page = f"{DESK}{down.pk}/"
    told = {"round": "41", "occurred_at": "2026-11-30T12:05:00"}
    for more in ("[" * 100_000, '{"a":' * 100_000, LONG, "{"):
        assert client.post(f"{page}form/1/", {**told, "more:2": more}).status_code == 422
    for odd in ("9999-12-31T23:59", "0001-01-01T00:00", "9999-12-31T23:59-14:00"):
        assert client.post(f"{page}form/1/", {**told, "occurred_at": odd}).status_code == 422
        begin = {"deed": "begin", "table": "T-2", "began_at": odd, "reason": "x"}
        assert client.post(DESK, begin).status_code == 409
    meter = Meter.objects.get()
    for odd in (LONG, "9" * 30):
        read = {"deed": "read", f"value:{meter.pk}": "1.00", f"sequence:{meter.pk}": odd}
        assert client.post(page, read).status_code == 409
    assert not FormEntry.objects.exists()
    assert client.get(page).status_code == 200


def test_a_case_is_opened_at_a_time_that_there_is(floor: Any) -> None:
    client, cases = logged_in("surveillance"), reverse("admin:audit_case_changelist")
    told = {"type": Case.Type.values[0], "title": "A complaint", "text": "He objects."}
    for odd in ("9999-12-31T23:59", "0001-01-01T00:00"):
        times = dict.fromkeys(("occurred_from", "occurred_until", "reported_at"), odd)
        assert client.post(cases, told | times).status_code == 422
    times = dict.fromkeys(("occurred_from", "occurred_until", "reported_at"), "2026-11-30T12:00")
    answer = client.post(cases, {**told, **times, "title": LONG})
    assert answer.status_code in (400, 422)
    assert answer.content
    assert client.get(cases).status_code == 200


def test_a_link_too_long_to_read_does_not_break_its_case_for_ever(floor: Any) -> None:
    client, user = logged_in("surveillance"), make_user("S901", "surveillance")
    page = reverse("admin:audit_case_change", args=[opened(user).pk])
    for which in (f"T-1/{LONG}", f"{LONG}/1", f"T-1/{'9' * 19}"):
        told = {"do": "link", "what": "round", "which": which, "text": "x"}
        assert client.post(page, told).status_code == 422
    assert client.get(page).status_code == 200


def test_who_may_not_know_of_a_case_does_not_release_its_footage(floor: Any) -> None:
    chief, kept_out = make_user("S901", "surveillance"), make_user("S902", "surveillance")
    Camera.objects.create(
        by=chief, table="T-1", camera="C-1", sees=True, sees_from=NOW, keeps_days=3650
    )
    case = opened(chief)
    [held] = footage.hold(
        by=chief, table="T-1", begins=NOW, ends=NOW.replace(hour=17), reason="x", case=case
    )
    casebook.withhold(by=chief, case=case, from_whom="S902", text="He is in it.")
    client = Client()
    client.force_login(kept_out)
    page = reverse("admin:audit_case_footage")
    told = {"do": "released", "hold": str(held.pk), "where": "Not needed."}
    answer = client.post(page, told)
    assert (answer.status_code, HoldEnd.objects.count()) == (422, 0)
    assert "There is no such hold." in answer.content.decode()

    client.force_login(chief)
    assert client.post(page, told).status_code == 302
