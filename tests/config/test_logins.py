"""A log-in that fails too often waits; the log and the tables never keep what was typed."""

from io import StringIO

import pytest
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.management.commands.changepassword import Command as PasswordCommand
from django.core.management import call_command
from django.test import Client

from audit.models import AuditEvent, User
from tests.make import make_user

pytestmark = pytest.mark.django_db
PASSWORD = "wet-otter-ladder-19"


def log_in(name: str, password: str, *, address: str = "127.0.0.1") -> int:
    told = {"username": name, "password": password}
    return Client(REMOTE_ADDR=address).post("/admin/login/", told).status_code


def officer() -> User:
    found = make_user()
    found.set_password(PASSWORD)
    found.save()
    return found


def actions() -> list[str]:
    events = AuditEvent.objects.filter(chain__name="system").order_by("sequence")
    return [event.action for event in events]


def test_the_sixth_log_in_waits_even_with_the_right_password() -> None:
    officer()
    limit = settings.AXES_FAILURE_LIMIT
    answers = [log_in("F200", f"wrong-{number}") for number in range(limit)]
    assert answers == [200] * (limit - 1) + [429]
    page = Client().post("/admin/login/", {"username": "F200", "password": PASSWORD})
    assert page.status_code == 429
    assert b"Wait fifteen minutes" in page.content
    assert log_in("F200", "wrong-again") == 429
    # told once, however long somebody goes on
    assert actions() == ["audit.log_in_refused"] * (limit - 1) + ["audit.log_in_stopped"]


def test_who_is_stopped_at_one_device_logs_in_at_another() -> None:
    officer()
    for number in range(settings.AXES_FAILURE_LIMIT):
        log_in("F200", f"wrong-{number}")
    assert log_in("F200", PASSWORD, address="127.0.0.9") == 302
    assert log_in("F200", PASSWORD) == 429


def test_a_log_in_that_succeeds_begins_the_count_anew() -> None:
    officer()
    for _ in range(2):
        for number in range(settings.AXES_FAILURE_LIMIT - 1):
            assert log_in("F200", f"wrong-{number}") == 200
        assert log_in("F200", PASSWORD) == 302


def test_what_was_typed_is_kept_nowhere() -> None:
    officer()
    log_in(PASSWORD, "F200")  # the fields mixed up
    log_in("F200", "secret-guess")
    kept = repr(list(AccessAttempt.objects.values()))
    assert "otter" not in kept
    assert "secret-guess" not in kept
    assert AccessAttempt.objects.count() == 2


def test_a_password_set_at_the_machine_is_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    user = officer()
    monkeypatch.setattr(PasswordCommand, "_get_pass", lambda self, prompt="": "tall-lamp-river-7")
    call_command("changepassword", "F200", stdout=StringIO())
    event = AuditEvent.objects.get(action="audit.password_set")
    assert (event.subject, b"tall-lamp" in bytes(event.body)) == (f"user/{user.pk}", False)
    assert log_in("F200", "tall-lamp-river-7") == 302


def test_a_superuser_made_at_the_machine_is_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    told = {"interactive": False, "username": "root", "email": "root@casino.test"}
    call_command("createsuperuser", stdout=StringIO(), **told)
    event = AuditEvent.objects.get(action="audit.user_made")
    made = User.objects.get(username="root")
    assert event.subject == f"user/{made.pk}"
    assert b'"superuser":true' in bytes(event.body)


def test_a_page_that_is_not_his_and_one_that_is_nowhere_lead_back() -> None:
    client = Client()
    client.force_login(officer())
    for address, status, words in (
        ("/admin/audit/auditevent/", 403, "Your role does not open this page"),
        ("/admin/nowhere/at/all/", 404, "There is no such page or record"),
        ("/nowhere/", 404, "There is no such page or record"),
    ):
        page = client.get(address)
        assert page.status_code == status, address
        assert words in page.content.decode()
        assert 'href="/admin/?all"' in page.content.decode()
    assert Client().get("/nowhere/").status_code == 404  # nobody is logged in
