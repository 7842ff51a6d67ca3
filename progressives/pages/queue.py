"""The claims queue: one page, and the poll that keeps it true."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from progressives.models import JackpotClaim
from progressives.pages.rows import Viewer, as_json, rows_of
from progressives.selectors import changed_since, claims_in, look_token, to_put_back

State = JackpotClaim.State
VIEW = "progressives.view_jackpotclaim"
POLL_MILLISECONDS = 700


def must_view(request: HttpRequest) -> Viewer:
    """Return who looks, or refuse: the queue is for those who may read claims."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied
    return Viewer.of(request.user)


def queue(request: HttpRequest) -> HttpResponse:
    """Show what waits, oldest first; what is to be paid; and, to accounting, what goes back."""
    viewer = must_view(request)
    token = look_token()
    lists = [
        ("waiting", "Waiting for validation", rows_of(claims_in(State.WAITING), viewer)),
        ("pay", "Validated, to be paid", rows_of(claims_in(State.VALIDATED), viewer)),
    ]
    if "return" in viewer.verbs:
        title = "Refused, to go back on the meter"
        lists.append(("return", title, rows_of(to_put_back(), viewer)))
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


def changes(request: HttpRequest) -> HttpResponse:
    """Answer a poll: every claim that a step was taken on since the look of ``after``."""
    viewer = must_view(request)
    try:
        after = int(request.GET["after"])
    except (KeyError, ValueError):
        return JsonResponse({"detail": "after must be the token of the last look."}, status=400)
    token = look_token()
    rows = rows_of(changed_since(after), viewer)
    return JsonResponse(
        {
            "now": int(timezone.now().timestamp() * 1000),
            "rows": [as_json(row) for row in rows],
            "token": str(token),
        },
        headers={"Cache-Control": "no-store"},
    )
