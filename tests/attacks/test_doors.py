"""Odd input at the doors: each is answered with a sentence, and nothing of it is a server error."""

from typing import Any

import pytest
from django.test import Client

from audit.models import AuditEvent, User
from tables.models import GamingTable, TableEvent
from tables.services.accept import accept_events
from tables.services.keys import make_key
from tables.services.setup import load_setup
from tests.documents import NOTHING, SETUP, Sender, seat
from tests.make import make_claim, make_user

pytestmark = pytest.mark.django_db
LONG = "9" * 5000


def logged_in(role: str, code: str = "Z900", **changes: Any) -> Client:
    client = Client()
    client.force_login(make_user(code, role=role, **changes))
    return client


@pytest.mark.parametrize(
    ("role", "address", "status"),
    [
        ("accounting", f"/admin/progressives/jackpotclaim/{LONG}/change/", 404),
        ("accounting", f"/admin/progressives/jackpotclaim/{LONG}/pay/", 404),
        ("accounting", f"/admin/audit/exceptionrecord/close/?ids={LONG}", 404),
        ("accounting", "/admin/audit/exceptionrecord/?table=%00", 400),
        ("accounting", "/admin/audit/exceptionrecord/?state__exact=%00", 400),
        ("accounting", "/admin/tables/round/%00/change/", 400),
    ],
)
def test_an_odd_address_is_no_server_error(role: str, address: str, status: int) -> None:
    assert logged_in(role).get(address).status_code == status


def test_a_meter_is_not_asked_for_a_number_too_long_to_read() -> None:
    meter = make_claim(percent=10).meter
    address = f"/admin/progressives/meter/{meter.pk}/change/?before={LONG}"  # type: ignore[union-attr]
    assert logged_in("accounting").get(address).status_code == 200


def test_a_fixed_award_has_no_page_that_breaks_for_its_return() -> None:
    claim = make_claim()
    address = f"/admin/progressives/jackpotclaim/{claim.pk}/return/"
    assert logged_in("accounting").get(address).status_code == 200


@pytest.mark.parametrize("name", ["F200\0", "\0"])
def test_a_nul_in_a_log_in_is_refused(name: str) -> None:
    answer = Client().post("/admin/login/", {"username": name, "password": "x"})
    assert answer.status_code == 400


def test_an_offset_that_postgresql_cannot_read_does_not_fail_its_list(floor_key: Any) -> None:
    sender, seats = Sender(), [seat(1, NOTHING)]
    events = [sender.whole(*seats), sender.whole(*seats, occurred_at="2026-03-15T20:30:00+23:59")]
    answers = accept_events(events, key=floor_key)
    assert [answer.status for answer in answers] == ["accepted", "accepted"]
    assert TableEvent.objects.get(sequence=2).occurred_at.isoformat() == "2026-03-14T20:31:00+00:00"


def test_the_log_says_whose_a_staff_token_is() -> None:
    make_key(name="tablet", kind="staff", user=make_user("P300"))
    made = AuditEvent.objects.get(action="tables.key_made")
    assert b'"user":"P300"' in bytes(made.body)


def test_an_administrator_makes_no_token_of_a_superuser() -> None:
    root = User.objects.create_superuser("root")
    form = {"name": "mine", "kind": "staff", "user": root.pk}
    answer = logged_in("administrator").post("/admin/tables/accesskey/add/", form)
    assert b"That choice is not one of the available choices" in answer.content
    assert not root.keys.exists()  # type: ignore[attr-defined]


@pytest.fixture
def floor_key(db: None) -> Any:
    load_setup(SETUP)
    return make_key(name="gateway", kind="gateway", tables=GamingTable.objects.all())[0]
