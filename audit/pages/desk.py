"""The exceptions desk: what a person must look at, one page to find it and one to work on it."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from audit.models import ExceptionRecord
from audit.selectors import (
    AGES,
    age_of,
    age_text,
    exceptions,
    open_by_kind,
    tables_with_exceptions,
)
from audit.services import NoReason, leave_exception, note_exception, take_exception

VIEW = "audit.view_exceptionrecord"
NOTE, CLOSE = "audit.note_exceptionrecord", "audit.close_exceptionrecord"
DESK = "admin:audit_exceptionrecord_desk"
EACH_PAGE = 50
ASKED = ("state", "severity", "kind", "table", "age", "owner")

#: Facts that the page shows elsewhere, or that say nothing to a person.
SHOWN_ELSEWHERE = frozenset("code detail severity cite position path round_id".split())


def must_view(request: HttpRequest) -> None:
    """Refuse whoever may not read exceptions."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied


def desk_page(request: HttpRequest) -> HttpResponse:
    """Show what waits, alarms first, the oldest first; what was asked for stays in the address."""
    must_view(request)
    asked = {key: request.GET.get(key, "") for key in ASKED}
    found = exceptions(asked, request.user)  # type: ignore[arg-type]
    page = Paginator(found, EACH_PAGE).get_page(request.GET.get("page"))
    now = timezone.now()
    kinds = open_by_kind()
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": "Exceptions",
        "asked": asked,
        "query": urlencode({key: value for key, value in asked.items() if value}),
        "kinds": kinds,
        "kind_names": sorted({kind for kind, _, _ in kinds} | {asked["kind"]} - {""}),
        "tables": sorted({*tables_with_exceptions(), asked["table"]} - {""}),
        "ages": {key: words for key, (words, _) in AGES.items()},
        "page": page,
        "rows": [(record, age_text(age_of(record, now))) for record in page],
        "may_note": request.user.has_perm(NOTE),
        "may_close": request.user.has_perm(CLOSE),
    }
    return TemplateResponse(request, "audit/desk.html", context)


def exception_page(request: HttpRequest, exception_id: int) -> HttpResponse:
    """Show an exception with its facts and notes, and what may be done with it."""
    must_view(request)
    records = ExceptionRecord.objects.select_related("owner", "closed_by")
    found = get_object_or_404(records, pk=exception_id)
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": found.kind.replace("_", " ").capitalize(),
        "found": found,
        "age": age_text(age_of(found, timezone.now())),
        "facts": facts_of(found.facts),
        "round_url": round_url(found),
        "notes": found.notes.select_related("by"),
        "may_note": request.user.has_perm(NOTE),
        "may_close": request.user.has_perm(CLOSE) and found.state == ExceptionRecord.State.OPEN,
        "own": found.owner_id == request.user.pk,
    }
    return TemplateResponse(request, "audit/exception.html", context)


def facts_of(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the facts that say something, each with a name that people read."""
    return [
        (key.replace("_", " ").capitalize(), words(value))
        for key, value in sorted(facts.items())
        if key not in SHOWN_ELSEWHERE and value not in (None, "", [], {})
    ]


def words(value: Any) -> str:
    """Write a fact for people."""
    if isinstance(value, list):
        return "; ".join(words(one) for one in value)
    if isinstance(value, dict):
        return ", ".join(f"{key.replace('_', ' ')} {words(one)}" for key, one in value.items())
    return str(value)


def round_url(found: ExceptionRecord) -> str:
    """Return the address of the round's page, where some floor of the house has one."""
    if not found.table or found.round is None:
        return ""
    try:
        return reverse("admin:round", args=[found.table, found.round])
    except NoReverseMatch:
        return ""


def note_page(request: HttpRequest, exception_id: int) -> HttpResponse:
    """Write a note, take the exception or give it back: the form's button says which."""
    must_view(request)
    if request.method != "POST" or not request.user.has_perm(NOTE):
        raise PermissionDenied
    get_object_or_404(ExceptionRecord, pk=exception_id)
    deeds: dict[str, Callable[..., object]] = {"take": take_exception, "leave": leave_exception}
    asked: dict[str, Any] = {"exception_id": exception_id, "by": request.user}
    for name, deed in deeds.items():
        if name in request.POST:
            deed(**asked)
            break
    else:
        try:
            note_exception(**asked, text=request.POST.get("text", ""))
        except NoReason as missing:
            messages.error(request, str(missing))
    if request.POST.get("back") == "desk":
        return redirect(f"{reverse(DESK)}?{request.POST.get('query', '')}")
    return redirect("admin:audit_exceptionrecord_change", exception_id)
