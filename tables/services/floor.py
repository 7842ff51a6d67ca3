"""A simulated floor: validates and pays the plain awards of a play, and leaves the rest waiting."""

from random import Random
from typing import NamedTuple

from django.db.models import Q

from audit.models import User
from progressives.errors import ProgressiveError
from progressives.models import EnvyPayout, JackpotClaim
from progressives.services.claims import needs_statement, pay_claim, required_checks, validate_claim
from progressives.services.envies import pay_envy

LEFT_WAITING = 0.2  # of the plain awards: a queue that is empty shows nothing


class Worked(NamedTuple):
    """What the simulated floor did."""

    validated: int
    paid: int
    people: int  # who may validate


def people_who_may(verb: str) -> list[User]:
    """Return the members of staff whose role gives this step, by staff code."""
    codename = f"{verb}_jackpotclaim"
    found = User.objects.filter(
        Q(groups__permissions__codename=codename) | Q(user_permissions__codename=codename),
        is_active=True,
        staff_code__isnull=False,
    )
    return list(found.distinct().order_by("staff_code"))


def work_the_floor(*, tables: list[str], seed: int) -> Worked:
    """Validate and pay most fixed awards that wait at these tables, as two people would.

    Meter awards, dark lamps and flags are left to a person: they want a look, and words.
    """
    rng = Random(seed)  # noqa: S311 - a play
    validators, payers = people_who_may("validate"), people_who_may("pay")
    waiting = JackpotClaim.objects.filter(
        table__in=tables, state=JackpotClaim.State.WAITING, kind=JackpotClaim.Kind.FIXED
    )
    validated = paid = 0
    for claim in waiting.order_by("lane_number", "pk"):
        plain = not needs_statement(claim) and not required_checks(claim)
        if not plain or not validators or rng.random() < LEFT_WAITING:
            continue
        first = rng.choice(validators)
        second = rng.choice([person for person in payers if person != first] or [first])
        try:
            validate_claim(claim_id=claim.pk, officer=first)
            validated += 1
            pay_claim(claim_id=claim.pk, officer=second)
            paid += 1
        except ProgressiveError:  # he dealt the round himself, or somebody was faster
            continue
    pay_envies(tables, payers, rng)
    return Worked(validated, paid, len(validators))


def pay_envies(tables: list[str], payers: list[User], rng: Random) -> None:
    """Tick most Envy Bonuses off whose hand is validated, as the floor would."""
    unpaid = EnvyPayout.objects.filter(table__in=tables, payment__isnull=True)
    for envy in unpaid.order_by("pk") if payers else ():
        if rng.random() < LEFT_WAITING:
            continue
        try:
            pay_envy(envy_id=envy.pk, officer=rng.choice(payers))
        except ProgressiveError:
            continue
