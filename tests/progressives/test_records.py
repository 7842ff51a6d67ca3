"""Records in the admin: everybody reads what his role may read, and nobody changes them."""

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.forms.models import model_to_dict
from django.test import Client
from django.utils import timezone

from audit.admin import BoundedPaginator, RecordAdmin
from audit.models import AuditEvent, Case, ExceptionRecord, User
from audit.services import open_exceptions
from progressives.models import MeterEntry
from progressives.services.claims_escalate import escalate_claims
from tables.models import (
    AccessKey,
    Facility,
    GamingTable,
    RulesSubmission,
    TableEvent,
)
from tests.make import contribute, make_claim, make_lane, make_progressive, make_user

pytestmark = pytest.mark.django_db

READ_BY_ALL_READERS = ["surveillance", "accounting", "auditor", "administrator"]


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def records() -> list[str]:
    """Return the admin address of every kind of record; the casebook's pages are its own."""
    registered = admin.site._registry.items()
    return [
        f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        for model, its_admin in registered
        if isinstance(its_admin, RecordAdmin) and model is not Case
    ]


def make_some_of_everything() -> None:
    progressive = make_progressive()
    contribute(progressive)
    make_claim(progressive, percent=10)
    escalate_claims(after_seconds=0)
    table = GamingTable.objects.create(
        code="FPG-01",
        game="six_card_fortune_pai_gow",
        positions=6,
        lane=progressive.lane,
        progressive=progressive,
    )
    TableEvent.objects.create(
        event_id="00000000-0000-4000-8000-000000000001",
        table=table,
        sequence=1,
        type="operation",
        occurred_at=timezone.now(),
        body=b'{"type": "operation"}',
    )
    RulesSubmission.objects.create(
        game="lunar_poker", version="1", effective="2026-01-01", choices={}, digest="0" * 64
    )


def test_there_are_records() -> None:
    assert len(records()) >= 12
    assert "/admin/tables/tableevent/" in records()


@pytest.mark.parametrize("role", READ_BY_ALL_READERS)
def test_every_record_is_listed_and_shown_to_who_may_read(role: str) -> None:
    make_some_of_everything()
    client = client_of(make_user("R1", role))
    for address in records():
        listed = client.get(address)
        assert listed.status_code == 200, address
        shown = listed.context["cl"].result_list
        if shown:
            assert client.get(f"{address}{shown[0].pk}/change/").status_code == 200, address


def test_nobody_adds_changes_or_deletes_a_record_not_even_a_superuser() -> None:
    make_some_of_everything()
    client = client_of(make_user("X1", None, is_superuser=True))
    for address in records():
        first = client.get(address).context["cl"].result_list[:1]
        assert client.get(f"{address}add/").status_code == 403, address
        for record in first:
            one = f"{address}{record.pk}"
            assert client.get(f"{one}/delete/").status_code == 403, address
            assert client.post(f"{one}/change/", {"state": "paid"}).status_code in (200, 403)
    assert AuditEvent.objects.exclude(action__endswith="_read").count() == 1


def test_a_list_does_not_count_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedPaginator, "MOST", 60)
    open_exceptions(ExceptionRecord(kind="paid_differs", table="FPG-01") for _ in range(80))
    client = client_of(make_user("S400", "surveillance"))
    listed = client.get("/admin/audit/exceptionrecord/", {"p": 2}).context["cl"]
    assert (listed.result_count, len(listed.result_list)) == (60, 10)


def test_a_floorperson_does_not_read_the_log() -> None:
    client = client_of(make_user())
    assert client.get("/admin/audit/auditevent/").status_code == 403
    assert client.get("/admin/tables/tableevent/").status_code == 403
    assert client.get("/admin/audit/user/").status_code == 403


def test_the_log_is_found_by_its_subject_and_shown_with_its_hash() -> None:
    claim = make_claim()
    escalate_claims(after_seconds=0)
    client = client_of(make_user("S400", "surveillance"))
    page = client.get("/admin/audit/auditevent/", {"q": f"{claim.table}/{claim.round}"})
    (event,) = page.context["cl"].result_list
    shown = client.get(f"/admin/audit/auditevent/{event.pk}/change/").content.decode()
    assert bytes(event.hash).hex() in shown
    assert "progressives.claim_escalated" in shown


def test_a_meters_page_is_its_ledger_in_pages(django_assert_max_num_queries: Any) -> None:
    progressive = make_progressive()
    for _ in range(20):
        contribute(progressive, 6)
    meter = progressive.meters.get()
    client = client_of(make_user())
    address = f"/admin/progressives/meter/{meter.pk}/change/"
    page = client.get(address)
    assert [entry.sequence for entry in page.context["entries"]][:2] == [121, 120]
    assert page.context["older"] == 22
    older = client.get(address, {"before": 22})
    assert [entry.sequence for entry in older.context["entries"]][-1] == 1
    assert older.context["older"] is None
    assert MeterEntry.objects.count() == 121
    assert client.get(address, {"before": "9" * 40}).status_code == 200
    assert client.get("/admin/progressives/meter/999999/change/").status_code == 404


# ---- exceptions -----------------------------------------------------------------------------


def an_exception(**changes: Any) -> ExceptionRecord:
    told = {"kind": "paid_differs", "table": "FPG-01", "sentence": "Paid too much."}
    return ExceptionRecord.objects.create(**told, **changes)


CLOSE = "/admin/audit/exceptionrecord/close/"


def test_an_exception_is_closed_with_a_reason() -> None:
    found, other = an_exception(), an_exception()
    client = client_of(make_user("P300", "pit manager"))
    asked = client.post(
        "/admin/audit/exceptionrecord/",
        {"action": "close_selected", "_selected_action": [found.pk, other.pk]},
    )
    assert asked["Location"] == f"{CLOSE}?ids={found.pk},{other.pk}"
    assert client.get(asked["Location"]).status_code == 200

    response = client.post(CLOSE, {"ids": f"{found.pk},{other.pk}", "reason": "Chip returned."})

    assert response.status_code == 302
    found.refresh_from_db()
    assert (found.state, str(found.closed_by), found.reason) == ("closed", "P300", "Chip returned.")
    assert AuditEvent.objects.filter(action="audit.exception_closed").count() == 2


def test_an_exception_is_not_closed_without_a_reason() -> None:
    found, client = an_exception(), client_of(make_user("P300", "pit manager"))
    response = client.post(CLOSE, {"ids": found.pk, "reason": " "})
    assert response.status_code == 409
    assert "Say why" in response.content.decode()
    found.refresh_from_db()
    assert found.state == "open"


@pytest.mark.parametrize("role", ["floorperson", "auditor", "administrator"])
def test_closing_is_a_permission_of_its_own(role: str) -> None:
    found, client = an_exception(), client_of(make_user("Z1", role))
    assert client.post(CLOSE, {"ids": found.pk, "reason": "No."}).status_code == 403
    page = client.get(f"/admin/audit/exceptionrecord/{found.pk}/change/")
    assert "Close with a reason" not in page.content.decode()


def test_no_exception_is_closed_by_an_empty_or_wrong_choice() -> None:
    client = client_of(make_user("P300", "pit manager"))
    for ids in ("", "x", "999999999", "1; DROP TABLE"):
        assert client.post(CLOSE, {"ids": ids, "reason": "Why."}).status_code == 404


# ---- people ---------------------------------------------------------------------------------


def told_of(user: User, **changes: Any) -> dict[str, Any]:
    """Return what the form of a user would send."""
    told = {
        "username": user.username,
        "staff_code": user.staff_code or "",
        "first_name": "",
        "last_name": "",
        "email": "",
        "is_active": "on",
        "is_staff": "on",
        "groups": [group.pk for group in user.groups.all()],
        **changes,
    }
    return {name: value for name, value in told.items() if value is not None}


def test_an_administrator_switches_an_account_off_and_the_log_names_him() -> None:
    officer = make_user()
    client = client_of(make_user("X700", "administrator"))
    response = client.post(
        f"/admin/audit/user/{officer.pk}/change/", told_of(officer, is_active=None)
    )
    assert response.status_code == 302
    officer.refresh_from_db()
    assert not officer.is_active
    event = AuditEvent.objects.get(action="audit.user_changed")
    assert b'"by":"X700"' in bytes(event.body)
    assert b'"active":false' in bytes(event.body)


def test_an_administrator_cannot_give_himself_another_role() -> None:
    boss = make_user("X700", "administrator")
    floor = Group.objects.get(name="floorperson")
    client = client_of(boss)
    told = told_of(boss, groups=[floor.pk], is_superuser="on", staff_code="F999")
    assert client.post(f"/admin/audit/user/{boss.pk}/change/", told).status_code == 302
    boss.refresh_from_db()
    assert [group.name for group in boss.groups.all()] == ["administrator"]
    assert (boss.is_superuser, boss.staff_code) == (False, "X700")


def test_an_administrator_makes_no_superuser_and_takes_no_superusers_place() -> None:
    client = client_of(make_user("X700", "administrator"))
    officer, owner = make_user(), make_user("O1", None, is_superuser=True)
    client.post(f"/admin/audit/user/{officer.pk}/change/", told_of(officer, is_superuser="on"))
    officer.refresh_from_db()
    assert not officer.is_superuser
    assert client.post(f"/admin/audit/user/{owner.pk}/change/", told_of(owner)).status_code == 403
    new = {"password1": "a-long-new-word", "password2": "a-long-new-word"}
    assert client.post(f"/admin/audit/user/{owner.pk}/password/", new).status_code == 403


def test_a_new_user_without_a_staff_code_does_not_clash_with_another() -> None:
    client = client_of(make_user("X700", "administrator"))
    for name in ("one", "two"):
        told = {
            "username": name,
            "staff_code": "",
            "usable_password": "true",
            "password1": "wet-otter-ladder-19",
            "password2": "wet-otter-ladder-19",
        }
        assert client.post("/admin/audit/user/add/", told).status_code == 302
    assert User.objects.filter(staff_code__isnull=True, username__in=["one", "two"]).count() == 2


def test_who_logs_in_and_out_and_who_tried_is_in_the_log() -> None:
    officer = make_user()
    officer.set_password("wet-otter-ladder-19")
    officer.save()
    client = Client()
    for password in ("wrong", "wet-otter-ladder-19"):
        client.post("/admin/login/", {"username": "F200", "password": password})
    client.post("/admin/login/", {"username": "wet-otter-ladder-19", "password": "F200"})
    client.post("/admin/logout/")
    events = AuditEvent.objects.filter(chain__name="system").order_by("sequence")
    assert [event.action for event in events] == [
        "audit.log_in_refused",
        "audit.logged_in",
        "audit.logged_out",
    ]
    assert not any(b"otter" in bytes(event.body) for event in events)


def test_a_password_set_by_an_administrator_is_in_the_log() -> None:
    officer, client = make_user(), client_of(make_user("X700", "administrator"))
    told = {
        "usable_password": "true",
        "password1": "wet-otter-ladder-19",
        "password2": "wet-otter-ladder-19",
    }
    assert client.post(f"/admin/audit/user/{officer.pk}/password/", told).status_code == 302
    event = AuditEvent.objects.get(action="audit.password_set")
    assert (event.subject, b'"by":"X700"' in bytes(event.body)) == (f"user/{officer.pk}", True)


# ---- keys and the facility ------------------------------------------------------------------


def test_a_key_is_shown_once_and_can_be_revoked() -> None:
    table = GamingTable.objects.create(
        code="FPG-01", game="lunar_poker", positions=6, lane=make_lane()
    )
    client = client_of(make_user("X700", "administrator"))
    told = {"name": "controller 1", "kind": "controller", "tables": [table.pk], "user": ""}

    page = client.post("/admin/tables/accesskey/add/", told)

    secret = page.context["secret"]
    key = AccessKey.objects.get()
    assert secret in page.content.decode()
    assert "no-store" in page["Cache-Control"]
    assert client.get(f"/admin/tables/accesskey/{key.pk}/change/").status_code == 200
    for address in ("", f"{key.pk}/change/"):
        assert secret not in client.get(f"/admin/tables/accesskey/{address}").content.decode()

    chosen = {"action": "revoke", "_selected_action": [key.pk]}
    assert client.post("/admin/tables/accesskey/", chosen).status_code == 302
    key.refresh_from_db()
    assert key.revoked_at is not None


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("controller", "exactly one table"),
        ("gateway", "Choose the tables"),
        ("staff", "belongs to a member of staff"),
    ],
)
def test_a_key_that_is_bound_to_nothing_is_not_made(kind: str, message: str) -> None:
    client = client_of(make_user("X700", "administrator"))
    page = client.post("/admin/tables/accesskey/add/", {"name": "key", "kind": kind})
    assert message in page.content.decode()
    assert not AccessKey.objects.exists()


@pytest.mark.parametrize("role", ["accounting", "pit manager", "auditor"])
def test_keys_are_the_administrators(role: str) -> None:
    client = client_of(make_user("Z1", role))
    assert client.get("/admin/tables/accesskey/").status_code == 403
    assert client.post("/admin/tables/accesskey/add/", {"name": "key"}).status_code == 403


def test_the_facility_is_changed_by_an_administrator_and_the_log_names_him() -> None:
    Facility.objects.create(
        pk=1, name="Sample", time_zone="America/New_York", gaming_day_starts="06:00"
    )
    client = client_of(make_user("X700", "administrator"))
    told = {**model_to_dict(Facility.objects.get()), "escalate_after_seconds": 120}
    assert client.post("/admin/tables/facility/1/change/", told).status_code == 302
    assert Facility.objects.get().escalate_after_seconds == 120
    assert b'"by":"X700"' in bytes(AuditEvent.objects.get().body)
    assert (
        client_of(make_user("A500", "accounting"))
        .post("/admin/tables/facility/1/change/", told)
        .status_code
        == 403
    )
