"""The daily close through its doors: the admin's pages and the API keep the two-person rule."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.test import Client

from audit.models import User
from progressives.models import GamingDayClose
from progressives.services.close_day import end_day
from progressives.services.close_sign import prepare_close
from tables.models import AccessKey
from tables.services.keys import make_key
from tests.documents import NOTHING, seat
from tests.make import make_claim, make_user
from tests.progressives.closing import DAY, Days

pytestmark = pytest.mark.django_db
PAGE = f"/admin/progressives/gamingdayclose/days/{DAY}/"
API = f"/api/v1/closes/{DAY}/"


@pytest.fixture
def days() -> Days:
    made = Days()
    made.play(seat(2, NOTHING))
    return made


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def state() -> str:
    return GamingDayClose.objects.get(gaming_day=DAY).state


def post(client: Client, deed: str, **given: Any) -> Any:
    return client.post(f"{PAGE}{deed}/", given)


def call(client: Client, deed: str, body: Any = None) -> Any:
    return client.post(f"{API}{deed}/", json.dumps(body or {}), content_type="application/json")


def test_a_day_is_closed_on_the_page(days: Days) -> None:
    preparer, reviewer = client_of(days.preparer), client_of(days.reviewer)
    page = preparer.get("/admin/progressives/gamingdayclose/days/").content.decode()
    assert f"Gaming day {DAY}" in page
    assert post(preparer, "end").status_code == 302
    assert post(preparer, "prepare").status_code == 409
    file = BytesIO(b"meter,value\nP-1,20000.31\n")
    file.name = "signs.csv"
    assert post(preparer, "import", file=file).status_code == 302
    page = preparer.get(PAGE).content.decode()
    assert "Manual entry" in page
    assert "Meter variance is open." in page
    assert post(preparer, "read", **{"value:P-1:grand": "20000.21"}).status_code == 302
    assert post(preparer, "count", **{"chips:T-1:": "3.00"}).status_code == 302
    page = preparer.get(PAGE).content.decode()
    assert "Chip count variance at T-1 is open." in page
    file = BytesIO(b"table,dealer,amount\nT-1,,1.00\n")
    file.name = "racks.csv"
    assert post(preparer, "import-counts", file=file).status_code == 302
    days.close_exceptions()
    assert post(preparer, "prepare", note="Fine.").status_code == 302
    assert "Another person reviews it" in preparer.get(PAGE).content.decode()
    answer = post(preparer, "review")
    assert answer.status_code == 409
    assert "Another person must review it" in answer.content.decode()
    assert state() == "prepared"
    assert post(reviewer, "send-back", note="").status_code == 409
    assert post(reviewer, "review").status_code == 302
    assert state() == "closed"
    assert "Closed" in reviewer.get(PAGE).content.decode()


def test_a_day_is_closed_through_the_api(days: Days) -> None:
    preparer, reviewer = client_of(days.preparer), client_of(days.reviewer)
    told = preparer.get(API).json()
    assert (told["state"], told["lines"][0]["expected"]) == ("running", "20000.21")
    assert call(preparer, "end").json()["state"] == "draft"
    assert call(preparer, "prepare").status_code == 422
    assert call(preparer, "readings", {"values": {"P-1:grand": "x"}}).status_code == 422
    assert call(preparer, "readings", {"values": {"P-1:grand": "20000.21"}}).status_code == 200
    counts = {"counts": [{"table": "T-9", "amount": "1.00"}]}
    assert call(preparer, "counts", counts).json()["code"] == "count_refused"
    counts = {"counts": [{"table": "T-1", "dealer": "D100", "amount": "1.00"}]}
    told = call(preparer, "counts", counts).json()
    assert (told["chips"][0]["difference"], told["blockers"]) == ("0.00", [])
    assert call(preparer, "prepare").json()["prepared_by"] == "A1"
    refused = call(preparer, "review")
    assert (refused.status_code, refused.json()["code"]) == (403, "preparer_cannot_review")
    assert call(reviewer, "review", {"note": "Seen."}).json()["state"] == "closed"


@pytest.mark.parametrize("role", ["floorperson", "pit manager", "dealer"])
def test_the_floor_does_not_read_closes(days: Days, role: str) -> None:
    client = client_of(make_user("Z1", role))
    assert client.get(PAGE).status_code == 403
    assert client.get(API).status_code == 403
    assert post(client, "end").status_code == 403
    assert call(client, "end").status_code == 403


def test_an_auditor_reviews_and_does_not_prepare(days: Days) -> None:
    auditor = client_of(make_user("U1", "auditor"))
    assert post(auditor, "end").status_code == 409
    assert call(auditor, "end").status_code == 403
    end_day(day=DAY, by=days.preparer)
    days.read()
    prepare_close(day=DAY, by=days.preparer)
    assert post(auditor, "review").status_code == 302
    assert state() == "closed"


def test_a_superuser_without_the_role_signs_nothing(days: Days) -> None:
    client = client_of(make_user("X1", None, is_superuser=True))
    assert client.get(PAGE).status_code == 200
    assert post(client, "end").status_code == 409
    assert call(client, "end").status_code == 403


def test_the_records_are_read_only(days: Days) -> None:
    close = days.close()
    client = client_of(make_user("X1", None, is_superuser=True))
    for model in ("gamingdayclose", "closestep", "meterreading", "chipcount"):
        assert client.get(f"/admin/progressives/{model}/").status_code == 200
        assert client.get(f"/admin/progressives/{model}/add/").status_code == 403
    address = f"/admin/progressives/gamingdayclose/{close.pk}/"
    assert client.get(f"{address}change/").status_code == 200
    assert client.post(f"{address}delete/", {"post": "yes"}).status_code == 403


def test_a_meter_that_the_log_never_heard_of_is_shown_as_such() -> None:
    make_claim(percent=10)
    user = make_user("A1", "accounting")
    page = client_of(user).get("/admin/progressives/gamingdayclose/days/2026-03-14/")
    assert page.status_code == 200
    assert "No event explains" in page.content.decode()


@pytest.mark.parametrize("day", ["2026-02-30", "9999-12-31"])
def test_days_that_never_were_break_nothing(days: Days, day: str) -> None:
    client = client_of(days.preparer)
    assert client.get(f"/admin/progressives/gamingdayclose/days/{day}/").status_code in (200, 404)
    assert client.get(f"/api/v1/closes/{day}/").status_code in (200, 404, 409)


def test_a_token_reads_a_close_and_signs_none(days: Days) -> None:
    """Whoever makes tokens could else sign for two people."""
    _, secret = make_key(name="books", kind=AccessKey.Kind.STAFF, user=days.preparer)
    token = {"Authorization": f"Key {secret}"}
    assert Client().get(API, headers=token).status_code == 200
    for deed in ("end", "readings", "counts", "prepare", "review", "send-back"):
        answer = Client().post(f"{API}{deed}/", {}, "application/json", headers=token)
        assert answer.status_code == 403, deed
    assert GamingDayClose.objects.count() == 0
