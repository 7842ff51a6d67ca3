"""Who sits there proves it again: by his password, and by a code where he has a device for it.

Failures are written at once, outside any transaction of the deed that asked: a deed that is
refused rolls back, and must not take the count of wrong tries with it.
"""

import secrets
from base64 import b32encode
from datetime import timedelta
from urllib.parse import quote

from django.contrib.auth.hashers import check_password
from django.db import transaction
from django.utils import timezone

from audit.models import AuditEvent, CodeDevice, User
from audit.sealing import seal
from audit.services import SYSTEM, log_event, record, record_one

REFUSED = "audit.proof_refused"
MOST_TRIES, WITHIN = 5, timedelta(minutes=5)
ISSUER = "Table-game progressives"


class NotProved(Exception):
    """He did not show that he is who he says he is."""

    code = "not_proved"
    sentence = "Password or code is wrong."

    def __init__(self) -> None:
        super().__init__(self.sentence)


class TooManyTries(NotProved):
    code = "too_many_tries"
    sentence = "Too many wrong tries. Wait five minutes, or ask an administrator."


class DeviceMissing(NotProved):
    code = "second_factor_missing"
    sentence = "The house asks for a code as well: set up your code device first."


class DeviceThere(NotProved):
    code = "device_there"
    sentence = "You have a code device. An administrator must take it away before a new one."


def prove(user: User, *, password: str, code: str, code_required: bool) -> list[str]:
    """Return by which factors he proved who he is, or refuse.

    A code is asked for where he has a device, and always where the house requires one. Whoever
    guesses is stopped after a few tries; which of the two was wrong is not told.
    """
    if wrong_tries(user) >= MOST_TRIES:
        raise TooManyTries
    kept = User.objects.get(pk=user.pk)
    if not kept.is_active or not check_password(password, kept.password):
        refuse(kept, "password")
    if not has_device(kept):
        if code_required:
            raise DeviceMissing
        return ["password"]
    with transaction.atomic():  # a code is taken once, whoever else tries it at this moment
        device = CodeDevice.objects.select_for_update(no_key=True).get(user_id=kept.pk)
        right = device.verify_token(code.replace(" ", ""))
    if not right:
        refuse(kept, "code")
    return ["password", "code"]


def refuse(user: User, factor: str) -> None:
    """Write the wrong try down, then refuse."""
    record_one(REFUSED, f"user/{user.pk}", {"factor": factor, "username": user.username}, by=user)
    raise NotProved


def wrong_tries(user: User) -> int:
    """Return how often he failed in the last minutes."""
    since = timezone.now() - WITHIN
    tries = AuditEvent.objects.filter(subject=f"user/{user.pk}", action=REFUSED)
    return tries.filter(recorded_at__gte=since).count()


def has_device(user: User) -> bool:
    """Whether he has a device that was confirmed by a first code."""
    return bool(CodeDevice.objects.filter(user_id=user.pk, confirmed=True).exists())


@transaction.atomic
def begin_device(user: User) -> CodeDevice:
    """Return the device that he is setting up; it counts from its first right code on."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)  # two tabs get the same device
    if has_device(user):
        raise DeviceThere
    begun: CodeDevice | None = CodeDevice.objects.filter(user_id=user.pk).first()
    if begun is None:
        sealed = seal(secrets.token_hex(20))
        begun = CodeDevice.objects.create(user_id=user.pk, name="code device", sealed_key=sealed)
    return begun


def confirm_device(user: User, *, password: str, code: str) -> CodeDevice:
    """Take the device into use: by his password and a first right code, and tell the log."""
    if wrong_tries(user) >= MOST_TRIES:
        raise TooManyTries
    if not check_password(password, User.objects.get(pk=user.pk).password):
        refuse(user, "password")
    with transaction.atomic():
        begun = begin_device(user)
        held = CodeDevice.objects.select_for_update(no_key=True)
        device: CodeDevice = held.get(pk=begun.pk)
        right = device.verify_token(code.replace(" ", ""))
        if right:
            device.confirmed = True
            device.save(update_fields=["confirmed"])
            facts = {"username": User.objects.get(pk=user.pk).username}
            record(SYSTEM, [log_event("audit.device_confirmed", f"user/{user.pk}", facts, by=user)])
    if not right:
        refuse(user, "code")
    return device


def address_of(device: CodeDevice) -> str:
    """Return what the telephone reads from the square: the otpauth address."""
    secret = b32encode(device.bin_key).decode()
    label = quote(f"{ISSUER}:{device.user.username}")
    return f"otpauth://totp/{label}?secret={secret}&issuer={quote(ISSUER)}&digits=6&period=30"
