"""The Envy Bonuses that the house owes, and the page where one is ticked off."""

from typing import Any, NamedTuple
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone

from audit.web.forms import Mistyped, in_address, posted
from progressives.errors import ProgressiveError
from progressives.models import EnvyPayout, JackpotClaim
from progressives.pages.forms.envies import OwedForm, TickForm
from progressives.pages.queue import VIEW, must_view
from progressives.pages.rows import Viewer
from progressives.services.envies import FALLEN, drop_envy, hand_of, pay_envy
from progressives.services.persons import is_dealer
from progressives.tax import decide
from progressives.templatetags.floor import dollars

LIST = "admin:progressives_envypayout_desk"
EACH_PAGE = 50
LONGEST_ID = 18  # digits


class EnvyRow(NamedTuple):
    """An Envy Bonus as one member of staff sees it: ``deed`` is what he may do with it now."""

    envy: EnvyPayout
    hand: JackpotClaim | None
    deed: str
    why_not: str


def rows_of(envies: QuerySet[EnvyPayout] | list[EnvyPayout], viewer: Viewer) -> list[EnvyRow]:
    """Make the rows of Envy Bonuses, with the payouts of the hands that they are for."""
    found = list(envies)
    of_rounds = JackpotClaim.objects.filter(round_id__in={envy.round_id for envy in found})
    claims: dict[UUID, list[JackpotClaim]] = {}
    for claim in of_rounds.order_by("pk"):
        claims.setdefault(claim.round_id, []).append(claim)
    return [row_of(envy, claims.get(envy.round_id, []), viewer) for envy in found]


def row_of(envy: EnvyPayout, claims: list[JackpotClaim], viewer: Viewer) -> EnvyRow:
    """Say what this person may do with an Envy Bonus now, or why nothing can be done."""
    hand = hand_of(envy, claims)
    if hasattr(envy, "payment"):
        return EnvyRow(envy, hand, "", "")
    if any(claim.state == JackpotClaim.State.DISPUTED for claim in claims):
        return EnvyRow(envy, hand, "", "Its round is disputed")
    if hand is not None and hand.state in JackpotClaim.BEFORE_VALIDATED:
        return EnvyRow(envy, hand, "", f"Waits until position {hand.position} is validated")
    if "pay" not in viewer.verbs:
        return EnvyRow(envy, hand, "", "")
    if is_dealer(viewer.user, envy.dealer):
        return EnvyRow(envy, hand, "", "You dealt this round")
    return EnvyRow(envy, hand, "drop" if hand and hand.state in FALLEN else "pay", "")


def envies_page(request: HttpRequest) -> HttpResponse:
    """List what is owed, oldest first, or what was ticked off, newest first."""
    viewer = must_view(request)
    asked = in_address(OwedForm, request).choices()
    done, table = asked["done"] == "1", asked["table"]
    found = EnvyPayout.objects.filter(payment__isnull=not done)
    if table:
        found = found.filter(table=table)
    found = found.order_by("-pk" if done else "pk").select_related("payment__by")
    page = Paginator(found, EACH_PAGE).get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": "Envy Bonuses",
        "done": done,
        "table": table,
        "page": page,
        "rows": rows_of(list(page), viewer),
    }
    return TemplateResponse(request, "progressives/envies.html", context)


def envy_page(request: HttpRequest, envy_id: str) -> HttpResponse:
    """Ask once, and tick an Envy Bonus off as paid or as not owed."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied
    viewer = Viewer.of(request.user)
    if "pay" not in viewer.verbs:
        raise PermissionDenied
    if len(envy_id) > LONGEST_ID:
        raise Http404
    envy = EnvyPayout.objects.filter(pk=int(envy_id)).select_related("payment__by").first()
    if envy is None:
        raise Http404
    form, refusal = posted(TickForm, request), None
    if request.method == "POST":
        try:
            take(envy, viewer.user, **form.read())
        except (Mistyped, ProgressiveError) as refused:
            refusal = refused
        else:
            messages.success(request, f"Ticked off: {envy.table}, {dollars(envy.amount)}.")
            return after(envy)
    [row] = rows_of([envy], viewer)
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"Envy Bonus, {envy.table}, round {envy.round}, position {envy.position}",
        "row": row,
        "envy": envy,
        "refusal": refusal,
        "tax": decide(envy.amount, envy.stake, timezone.localdate()),
        "given": form.data,
    }
    status = 200 if refusal is None else 409
    return TemplateResponse(request, "progressives/envy.html", context, status=status)


def take(envy: EnvyPayout, officer: Any, deed: str, reason: str) -> object:
    """Call the service that was asked for."""
    if deed == "drop":
        return drop_envy(envy_id=envy.pk, officer=officer, reason=reason)
    return pay_envy(envy_id=envy.pk, officer=officer)


def after(envy: EnvyPayout) -> HttpResponse:
    """Go back to the payout of the hand, where there is one, or to what is still owed."""
    claim = JackpotClaim.objects.filter(round_id=envy.round_id).order_by("-pk").first()
    if claim is not None:
        return redirect("admin:progressives_jackpotclaim_change", claim.pk)
    return redirect(LIST)
