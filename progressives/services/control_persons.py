"""Who may take part in a change of a progressive. No flag of an account stands above these rules.

Configuration authority asks for parameters and reset authority agrees; where a meter's value moves
(transfer, correction, retirement) it is the other way round (§ 605a.7(a)(5)-(6)).
"""

from django.contrib.auth.models import Permission
from django.db.models import Q

from audit.models import User
from progressives import control_errors
from progressives.errors import NoStaffCode
from progressives.models import ControlRequest

CONFIGURE, RESET = "configure_meter", "reset_meter"
ACKNOWLEDGE = "acknowledge_controlrequest"
DEEDS = {
    CONFIGURE: "act as configuration authority over progressives",
    RESET: "act as reset authority over progressives",
    ACKNOWLEDGE: "acknowledge a change for accounting",
}


def authorities_of(user: User) -> frozenset[str]:
    """Return what this person's roles give him; being a superuser gives nothing."""
    given = Permission.objects.filter(
        Q(group__user__pk=user.pk, group__user__is_active=True)
        | Q(user__pk=user.pk, user__is_active=True),
        content_type__app_label="progressives",
        codename__in=list(DEEDS),
    )
    return frozenset(given.values_list("codename", flat=True))


def asks(kind: str) -> str:
    """Return the authority that asks for this."""
    return CONFIGURE if kind == ControlRequest.Kind.PARAMETERS else RESET


def agrees(kind: str) -> str:
    """Return the authority that agrees to this: the other one."""
    return RESET if kind == ControlRequest.Kind.PARAMETERS else CONFIGURE


def must_have(user: User, *wanted: str) -> None:
    """Refuse whoever has none of these, or both authorities at once, or no name to sign with."""
    if not User.objects.filter(pk=user.pk, is_active=True).exists():
        raise control_errors.Deactivated
    held = authorities_of(user)
    if {CONFIGURE, RESET} <= held:
        raise control_errors.BothAuthorities
    if not held & set(wanted):
        raise control_errors.MayNotControl(DEEDS[wanted[0]])
    if not user.staff_code:
        raise NoStaffCode
