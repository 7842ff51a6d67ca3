"""The claims queue: one page, and the poll that keeps it true."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from audit.web.forms import Mistyped, in_address
from progressives.models import JackpotClaim
from progressives.pages.forms.meters import PollForm
from progressives.pages.rows import Viewer, as_json, rows_of
from progressives.selectors import (
    changed_since,
    claims_in,
    counts,
    disputed,
    look_token,
    to_approve,
    to_pay,
    to_put_back,
)

VIEW = "progressives.view_jackpotclaim"
POLL_MILLISECONDS = 700
LONGEST_LIST = 200  # rows of one list on the page; the rest comes up as these are done


def must_view(request: HttpRequest) -> Viewer:
    """Return who looks, or refuse: the queue is for those who may read claims."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied
    return Viewer.of(request.user)


def queue(request: HttpRequest) -> HttpResponse:
    """Show what waits, oldest first; what is to be paid; and, to accounting, what goes back."""
    viewer = must_view(request)
    token = look_token()
    asked = [
        ("waiting", "Waiting for validation", claims_in(*JackpotClaim.BEFORE_VALIDATED)),
        ("approve", "For a second approver", to_approve()),
        ("pay", "To be documented and paid", to_pay()),
        ("disputed", "Disputed: their rounds stand still", disputed()),
    ]
    if "return" in viewer.verbs:
        asked.append(("return", "Refused, to go back on the meter", to_put_back()))
    lists = [shown_list(name, heading, claims, viewer) for name, heading, claims in asked]
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": "Progressive payouts",
        "lists": lists,
        "now": timezone.now(),
        "poll": POLL_MILLISECONDS,
        "token": token,
    }
    return TemplateResponse(request, "progressives/queue.html", context)


def shown_list(
    name: str, heading: str, claims: QuerySet[JackpotClaim], viewer: Viewer
) -> dict[str, Any]:
    """Return one list of the page: its first rows, and how many more there are."""
    rows = rows_of(claims[:LONGEST_LIST], viewer)
    more = claims.count() - LONGEST_LIST if len(rows) == LONGEST_LIST else 0
    return {"name": name, "heading": heading, "rows": rows, "more": max(more, 0)}


def changes(request: HttpRequest) -> HttpResponse:
    """Answer a poll: every claim that a step was taken on since the look of ``after``."""
    viewer = must_view(request)
    try:
        after = in_address(PollForm, request).read()["after"]
    except Mistyped as refused:
        return JsonResponse({"detail": refused.detail}, status=400)
    token = look_token()
    rows = rows_of(changed_since(after), viewer)
    totals = counts()
    if "return" in viewer.verbs:
        totals["return"] = to_put_back().count()
    return JsonResponse(
        {
            "counts": totals,
            "now": int(timezone.now().timestamp() * 1000),
            "rows": [as_json(row) for row in rows],
            "token": str(token),
        },
        headers={"Cache-Control": "no-store"},
    )
