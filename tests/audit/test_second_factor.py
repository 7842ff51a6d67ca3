"""Password and code: what proves a person, what is written down, and what lies sealed."""

from datetime import timedelta

import pytest
from cryptography.fernet import InvalidToken
from django.contrib.auth.models import Group
from django.test import Client
from django_otp.oath import totp

from audit import second_factor
from audit.models import AuditEvent, CodeDevice, User
from audit.sealing import seal, unseal
from audit.second_factor import NotProved, address_of, begin_device, confirm_device, prove

pytestmark = pytest.mark.django_db

PASSWORD = "wet-otter-ladder-19"
PAGE = "/admin/second-factor/"


def person(code: str = "P300", role: str = "pit manager") -> User:
    user = User.objects.create_user(
        username=code, staff_code=code, is_staff=True, password=PASSWORD
    )
    user.groups.add(Group.objects.get(name=role))
    return user


def code_of(device: CodeDevice, *, steps: int = 0) -> str:
    return f"{totp(device.bin_key, t0=-30 * steps):06}"


def with_device(user: User) -> CodeDevice:
    return confirm_device(user, password=PASSWORD, code=code_of(begin_device(user)))


def forgive(device: CodeDevice) -> None:
    """Let the time pass that a wrong code makes him wait, and forget the code that was used."""
    CodeDevice.objects.update(throttling_failure_count=0, last_step=-1)
    device.refresh_from_db()


def test_the_secret_lies_sealed() -> None:
    device = begin_device(person())
    assert device.bin_key.hex() not in device.sealed_key
    assert unseal(device.sealed_key) == device.bin_key.hex()
    assert begin_device(device.user).pk == device.pk


def test_a_key_is_followed_by_another(settings: pytest.FixtureRequest) -> None:
    settings.SEALING_KEYS = ["old"]
    sealed = seal("Ada Winner")
    settings.SEALING_KEYS = ["new", "old"]
    assert unseal(sealed) == "Ada Winner"
    settings.SEALING_KEYS = ["new"]
    with pytest.raises(InvalidToken):
        unseal(sealed)


def test_who_has_a_device_is_asked_for_its_code_once() -> None:
    user = person()
    assert prove(user, password=PASSWORD, code="", code_required=False) == ["password"]
    device = with_device(user)
    forgive(device)
    code = code_of(device)
    assert prove(user, password=PASSWORD, code=code, code_required=False) == ["password", "code"]
    with pytest.raises(NotProved):
        prove(user, password=PASSWORD, code=code, code_required=False)  # each code is good once


@pytest.mark.parametrize("code", ["", "12345", "abcdef", "１２３４５６", "0000000"])
def test_a_wrong_code_is_refused_counted_and_makes_him_wait(code: str) -> None:
    user = person()
    device = with_device(user)
    forgive(device)
    with pytest.raises(NotProved):
        prove(user, password=PASSWORD, code=code, code_required=False)
    device.refresh_from_db()
    assert device.throttling_failure_count == 1
    device.throttling_failure_timestamp += timedelta(minutes=5)  # he waits, however slow we are
    device.save()
    with pytest.raises(NotProved):
        prove(user, password=PASSWORD, code=code_of(device), code_required=False)
    assert AuditEvent.objects.filter(action="audit.proof_refused").count() == 2


def test_an_old_code_is_refused() -> None:
    user = person()
    device = with_device(user)
    forgive(device)
    with pytest.raises(NotProved):
        prove(user, password=PASSWORD, code=code_of(device, steps=-5), code_required=False)


def test_where_the_house_requires_a_code_nobody_does_without() -> None:
    with pytest.raises(second_factor.DeviceMissing):
        prove(person(), password=PASSWORD, code="", code_required=True)


def test_an_inactive_person_proves_nothing() -> None:
    user = person()
    User.objects.update(is_active=False)
    with pytest.raises(NotProved):
        prove(user, password=PASSWORD, code="", code_required=False)


def test_the_page_sets_a_device_up_and_then_shows_its_secret_to_nobody() -> None:
    user, client = person(), Client()
    client.force_login(user)
    shown = client.get(PAGE)
    assert 'class="qr"' in shown.content.decode()
    assert "style=" not in shown.content.decode()
    assert "no-store" in shown["Cache-Control"]
    device = CodeDevice.objects.get()
    assert not device.confirmed
    wrong = client.post(PAGE, {"password": "wrong", "code": code_of(device)})
    assert wrong.status_code == 409
    told = {"password": PASSWORD, "code": code_of(device)}
    assert client.post(PAGE, told).status_code == 302
    assert 'class="qr"' not in client.get(PAGE).content.decode()
    assert AuditEvent.objects.filter(action="audit.device_confirmed").count() == 1
    assert address_of(device).startswith("otpauth://totp/Table-game%20progressives%3AP300?secret=")
    assert client.post(PAGE, told).status_code == 409  # another one only after this is taken away


def test_an_administrator_takes_a_lost_device_away_but_not_his_own() -> None:
    device = with_device(person())
    boss = person("X700", "administrator")
    own = with_device(boss)
    client = Client()
    client.force_login(boss)
    address = "/admin/audit/codedevice/"
    assert client.post(f"{address}{own.pk}/delete/", {"post": "yes"}).status_code == 403
    page = client.get(f"{address}{device.pk}/change/").content.decode()
    assert device.sealed_key not in page
    assert client.post(f"{address}{device.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not CodeDevice.objects.filter(pk=device.pk).exists()
    assert AuditEvent.objects.filter(action="audit.device_taken_away").count() == 1
