"""Make one member of staff for each role, for a house that has nobody yet."""

import secrets
from collections.abc import Iterable
from typing import NamedTuple

from django.contrib.auth.models import Group
from django.db import transaction

from audit.models import User
from audit.services import SYSTEM, log_event, record

ROLES = {
    "dealer": "D100",
    "floorperson": "F200",
    "pit manager": "P300",
    "surveillance": "S400",
    "accounting": "A500",
    "auditor": "U600",
    "regulator": "R800",
    "administrator": "X700",
    "configuration authority": "C800",
    "reset authority": "R900",
}
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # nothing that looks like something else
WORDS, WORD_LENGTH = 4, 5  # four times five of 31 letters: 99 bits


class Made(NamedTuple):
    """Somebody who can log in now. The password is told this once and kept only as a hash."""

    role: str
    user: User
    password: str


def random_password() -> str:
    """Return a password that can be read out and typed."""
    words = ("".join(secrets.choice(LETTERS) for _ in range(WORD_LENGTH)) for _ in range(WORDS))
    return "-".join(words)


def make_users() -> list[Made]:
    """Make whoever is not there yet, and tell only his password; a second call makes nobody.

    No role is a superuser: what a role may do is what its group may do.
    """
    return make_staff(ROLES.items())


@transaction.atomic
def make_staff(wanted: Iterable[tuple[str, str]]) -> list[Made]:
    """Make a member of staff for each role and staff code that is not taken yet."""
    taken = set(User.objects.values_list("staff_code", flat=True))
    taken |= set(User.objects.values_list("username", flat=True))
    made = [make_user(role, code) for role, code in wanted if code not in taken]
    events = [
        log_event("audit.user_made", f"user/{m.user.pk}", {"role": m.role, "username": str(m.user)})
        for m in made
    ]
    record(SYSTEM, events)
    return made


def make_user(role: str, code: str) -> Made:
    """Make one member of staff with a random password. The role's group must exist."""
    password = random_password()
    user = User.objects.create_user(
        username=code,
        password=password,
        staff_code=code,
        is_staff=True,
        first_name="Sample",
        last_name=role.capitalize(),
    )
    user.groups.add(Group.objects.get(name=role))
    return Made(role, user, password)
