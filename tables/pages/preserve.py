"""Preserve a round: freeze what the log tells of it, and hold what the cameras saw."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse

from audit.casebook import CaseRefused
from audit.models import PreservedRound, User
from audit.pages.cases import CASE, WRITE, shared
from audit.pages.footage import FOOTAGE, case_of, whole
from tables.services.preserving import preserve_round


def preserve_page(request: HttpRequest) -> HttpResponse:
    """Ask which round and why, then freeze it."""
    user = request.user
    if not isinstance(user, User) or not user.has_perm(WRITE):
        raise PermissionDenied
    refusal, given = None, request.POST if request.method == "POST" else request.GET
    if request.method == "POST":
        try:
            case = case_of(user, given.get("case", ""))
            number = whole(given.get("round", "").strip(), "round")
            kept, held = preserve_round(
                table=given.get("table", "").strip(),
                number=number,
                by=user,
                reason=given.get("reason", ""),
                case=case,
            )
        except CaseRefused as found:
            refusal = found
        else:
            cameras = ", ".join(one.camera for one in held)
            footage = f"Footage held: {cameras}." if held else "No footage of it could be held."
            messages.success(request, f"{kept} is preserved. {footage}")
            return redirect(CASE, case.pk) if case else redirect(FOOTAGE)
    context = {
        **shared(request, "Preserve a round"),
        "refusal": refusal,
        "given": given,
        "kept": PreservedRound.objects.filter(case__isnull=True).select_related("by")[:20],
    }
    status = 200 if refusal is None else 422
    return TemplateResponse(request, "tables/preserve.html", context, status=status)
