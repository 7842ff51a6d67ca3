"""Who may take a step of a close. No flag of an account stands above these rules."""

from django.contrib.auth.models import Permission
from django.db.models import Q

from audit.models import User
from progressives.close_errors import MayNotClose
from progressives.errors import NoStaffCode

DEEDS = {
    "prepare": "end a gaming day, enter its readings or sign its close",
    "review": "review the close of a gaming day",
}


def close_verbs_of(user: User) -> frozenset[str]:
    """Return the steps that this person's roles give him; being a superuser gives none."""
    given = Permission.objects.filter(
        Q(group__user__pk=user.pk, group__user__is_active=True)
        | Q(user__pk=user.pk, user__is_active=True),
        content_type__app_label="progressives",
        codename__in=[f"{verb}_gamingdayclose" for verb in DEEDS],
    )
    return frozenset(code.partition("_")[0] for code in given.values_list("codename", flat=True))


def must_be_allowed_to(user: User, verb: str) -> None:
    """Refuse whoever's role does not give the step, and whoever could not sign it."""
    if verb not in close_verbs_of(user):
        raise MayNotClose(DEEDS[verb])
    if not user.staff_code:
        raise NoStaffCode
