"""Take a round's dossier out of the house: ask, have it agreed to, take the file."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse

from audit.models import AuditEvent, User
from audit.web.forms import Mistyped, posted
from tables.dossier import errors
from tables.models import DossierRequest, Facility
from tables.pages.forms.dossiers import ButtonsForm, RequestForm
from tables.services.dossier import (
    APPROVE,
    EXPORT,
    answer_dossier,
    export_dossier,
    request_dossier,
)


def export_page(request: HttpRequest, table: str, number: int) -> HttpResponse:
    """Show what was asked for, and do what a button says."""
    if not (request.user.has_perm(EXPORT) or request.user.has_perm(APPROVE)):
        raise PermissionDenied
    if not AuditEvent.objects.filter(subject=f"{table}/{number}").exists():
        raise Http404("The log tells nothing of this round.")
    refusal = None
    if request.method == "POST":
        try:
            return done(request, table, number)
        except (Mistyped, errors.DossierRefused) as refused:
            refusal = refused
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"Export {table}, round {number}",
        "table": table,
        "number": number,
        "rows": [row_of(asked, request) for asked in requests_of(table, number)],
        "given": posted(RequestForm, request).data,
        "refusal": refusal,
        "may_ask": request.user.has_perm(EXPORT),
        "second": Facility.objects.filter(second_person_exports=True).exists(),
    }
    status = 200 if refusal is None else 409
    return TemplateResponse(request, "tables/export.html", context, status=status)


def done(request: HttpRequest, table: str, number: int) -> HttpResponse:
    """Do what the button says. Raises Mistyped and DossierRefused."""
    by = User.objects.get(pk=request.user.pk)
    pressed = posted(ButtonsForm, request).read()
    if pressed["take"] is not None:
        return download(asked_in(pressed["take"], table, number), by)
    for word, agreed in (("agree", True), ("refuse", False)):
        if pressed[word] is not None:
            asked = asked_in(pressed[word], table, number)
            answer_dossier(request_id=asked.pk, by=by, agreed=agreed)
            messages.success(request, "Agreed to." if agreed else "Refused.")
            break
    else:
        typed = posted(RequestForm, request).read()
        asked = request_dossier(table=table, round_number=number, by=by, **typed)
        wait = "Another person must agree first." if asked.second_person else "Take it out below."
        messages.success(request, f"Asked for. {wait}")
    return redirect("admin:round_export", table, number)


def asked_in(request_id: int, table: str, number: int) -> DossierRequest:
    """Return the request that a button names. Raises UnknownRequest."""
    found = DossierRequest.objects.filter(pk=request_id, table=table, round=number).first()
    if found is None:
        raise errors.UnknownRequest
    return found


def download(asked: DossierRequest, by: User) -> HttpResponse:
    """Answer with the file."""
    body = export_dossier(request_id=asked.pk, by=by)
    answer = HttpResponse(body, content_type="application/zip")
    name = f"dossier-{asked.table}-{asked.round}-{asked.pk}.zip"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    answer["Cache-Control"] = "no-store"
    return answer


def requests_of(table: str, number: int) -> list[DossierRequest]:
    """Return the requests for a round, the latest first."""
    found = DossierRequest.objects.filter(table=table, round=number).select_related("by")
    return list(found.prefetch_related("steps__by"))


def row_of(asked: DossierRequest, request: HttpRequest) -> dict[str, Any]:
    """Return a request with its steps and what this person may do with it."""
    steps = list(asked.steps.all())
    answers = {step.kind for step in steps if step.kind != "exported"}
    waits = asked.second_person and not answers
    return {
        "asked": asked,
        "steps": steps,
        "waits": waits,
        "may_take": request.user.has_perm(EXPORT) and not waits and "refused" not in answers,
        "may_answer": waits and request.user.has_perm(APPROVE) and asked.by_id != request.user.pk,
    }
