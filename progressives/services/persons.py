"""Who may take a step on a claim. No flag of an account stands above these rules."""

from django.contrib.auth.models import Permission
from django.db.models import Q

from audit.models import User
from progressives.errors import AlreadyActed, DealerOfTheRound, NoStaffCode, NotAllowed
from progressives.models import ClaimStep, JackpotClaim

DEEDS = {
    "validate": "validate progressive payouts",
    "approve": "approve progressive payouts as the second person",
    "document": "issue the slips of large payouts",
    "answer": "answer for surveillance",
    "refuse": "refuse progressive payouts",
    "pay": "mark progressive payouts paid",
    "return": "put a refused award back on its meter",
    "dispute": "raise a dispute on a payout",
    "resolve": "say how a dispute ends",
    "void": "void a payout that was opened in error",
}


# Each pair of these steps is taken by two people, where a payout needs more than one.
APART = {
    ClaimStep.Kind.VALIDATED: "validated",
    ClaimStep.Kind.ANSWERED: "answered for surveillance on",
    ClaimStep.Kind.APPROVED: "approved",
    ClaimStep.Kind.PAID: "paid",
}
# Who ends a dispute or voids a payout took none of these steps, nor takes one later.
DECISIONS = {**APART, ClaimStep.Kind.DOCUMENTED: "documented"}


def verbs_of(user: User) -> frozenset[str]:
    """Return the steps that this person's roles give him.

    Asked of the groups themselves: a superuser is told yes by Django whatever he is, and the
    regulation wants a floorperson or above (§ 670a.11(h)(3)(i)(B)(III)).
    """
    given = Permission.objects.filter(
        Q(group__user__pk=user.pk, group__user__is_active=True)
        | Q(user__pk=user.pk, user__is_active=True),
        content_type__app_label="progressives",
        codename__in=[f"{verb}_jackpotclaim" for verb in DEEDS],
    )
    return frozenset(code.partition("_")[0] for code in given.values_list("codename", flat=True))


def must_be_allowed(user: User, verb: str) -> None:
    """Refuse whoever's role does not give the step, and whoever could not sign it."""
    if verb not in verbs_of(user):
        raise NotAllowed(DEEDS[verb])
    if not user.staff_code:
        raise NoStaffCode


def must_not_be_the_dealer(user: User, claim: JackpotClaim) -> None:
    """Refuse the dealer of the round, under whichever role he is logged in now."""
    if dealt(user, claim):
        raise DealerOfTheRound


def dealt(user: User, claim: JackpotClaim) -> bool:
    """Whether this person dealt the round that the claim is about."""
    return is_dealer(user, claim.dealer)


def is_dealer(user: User, dealer: str) -> bool:
    """Whether this person is the dealer of that staff code."""
    return bool(dealer) and (user.staff_code or "").casefold() == dealer.casefold()


def must_not_have_acted(user: User, claim: JackpotClaim, kind: str) -> None:
    """Refuse who took another of the steps that are kept apart."""
    others = [other for other in APART if other != kind]
    acted = claim.steps.filter(by_id=user.pk, kind__in=others).order_by("pk").first()
    if acted is not None:
        raise AlreadyActed(APART[ClaimStep.Kind(acted.kind)])


def must_be_independent(user: User, claim: JackpotClaim) -> None:
    """Refuse who decided on this payout before: he does not end its dispute, nor void it."""
    acted = claim.steps.filter(by_id=user.pk, kind__in=list(DECISIONS)).order_by("pk").first()
    if acted is not None:
        raise AlreadyActed(DECISIONS[ClaimStep.Kind(acted.kind)])


def must_not_have_resolved(user: User, claim: JackpotClaim) -> None:
    """Refuse who ended a dispute on this payout: he does not decide on it again."""
    if claim.steps.filter(by_id=user.pk, kind=ClaimStep.Kind.RESOLVED).exists():
        raise AlreadyActed("resolved the dispute on")
