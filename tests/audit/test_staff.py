"""A new house gets one user a role, with passwords that are told once."""

import re
from io import StringIO

import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command
from django.http import HttpRequest

from audit.models import AuditEvent, User
from audit.staff import ROLES, random_password

pytestmark = pytest.mark.django_db


def told_by_the_command() -> str:
    out = StringIO()
    call_command("make_users", stdout=out)
    return out.getvalue()


def passwords_in(text: str) -> list[str]:
    return re.findall(r"\b(?:[a-z2-9]{5}-){3}[a-z2-9]{5}\b", text)


def test_each_role_gets_a_user_who_can_log_in() -> None:
    told = told_by_the_command()

    users = User.objects.in_bulk(list(ROLES.values()), field_name="staff_code")
    assert set(users) == set(ROLES.values())
    passwords = passwords_in(told)
    assert len(set(passwords)) == len(ROLES)
    for role, code in ROLES.items():
        assert code in told
        assert [group.name for group in users[code].groups.all()] == [role]
        assert users[code].is_staff
        assert not users[code].is_superuser
    told = {"username": "F200", "password": passwords[1]}
    assert authenticate(HttpRequest(), **told) == users["F200"]


def test_a_second_run_makes_nobody_and_tells_nothing_secret() -> None:
    first = passwords_in(told_by_the_command())
    hashes = set(User.objects.values_list("password", flat=True))

    told = told_by_the_command()

    assert "exist already" in told
    assert passwords_in(told) == []
    assert set(User.objects.values_list("password", flat=True)) == hashes
    assert first


def test_only_who_is_missing_is_made() -> None:
    User.objects.create_user("somebody", staff_code="F200")
    told = told_by_the_command()
    assert len(passwords_in(told)) == len(ROLES) - 1
    assert User.objects.get(staff_code="F200").username == "somebody"


def test_the_log_names_who_was_made_and_no_password() -> None:
    passwords = passwords_in(told_by_the_command())
    events = AuditEvent.objects.filter(action="audit.user_made")
    assert events.count() == len(ROLES)
    bodies = b"".join(bytes(event.body) for event in events).decode()
    assert not any(password in bodies for password in passwords)


def test_passwords_are_random_and_readable() -> None:
    made = {random_password() for _ in range(200)}
    assert len(made) == 200
    assert not any(letter in "".join(made) for letter in "0o1li")
