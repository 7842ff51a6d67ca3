"""Footage: what is held and for how long, and which cameras see which table."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.template.response import TemplateResponse

from audit import footage
from audit.casebook import CaseRefused, cases_for
from audit.models import Camera, Case, FootageHold, User
from audit.pages.cases import WRITE, moment_of, reader, shared

FOOTAGE = "admin:audit_case_footage"
LONGEST_ID = 18


def footage_page(request: HttpRequest) -> HttpResponse:
    """Show holds by what expires first, and the camera map; hold, end a hold, place a camera."""
    user = reader(request)
    refusal = None
    if request.method == "POST":
        reader(request, WRITE)
        try:
            messages.success(request, done(user, request.POST))
        except CaseRefused as found:
            refusal = found
        else:
            return redirect(FOOTAGE)
    known = cases_for(user)
    holds = FootageHold.objects.select_related("case", "by", "end")
    shown = [one for one in holds if one.case is None or known.filter(pk=one.case_id).exists()]
    context: dict[str, Any] = {
        **shared(request, "Footage"),
        "holds": [one for one in shown if not hasattr(one, "end")],
        "ended": [one for one in shown if hasattr(one, "end")][-50:],
        "cameras": Camera.objects.select_related("by"),
        "warn_before_hours": int(footage.WARN_BEFORE.total_seconds()) // 3600,
        "refusal": refusal,
        "given": request.POST,
    }
    for one in context["holds"]:
        one.is_urgent = one.expires_at <= context["now"] + footage.WARN_BEFORE
    status = 200 if refusal is None else 422
    return TemplateResponse(request, "audit/footage.html", context, status=status)


def done(by: User, told: QueryDict) -> str:
    """Do what the form's button says; return what to tell."""
    deed = told.get("do", "")
    if deed == "hold":
        held = footage.hold(
            by=by, table=told.get("table", ""), begins=moment_of(told, "begins"),
            ends=moment_of(told, "ends"), reason=told.get("reason", ""),
            case=case_of(by, told.get("case", "")),
        )  # fmt: skip
        return f"Held: {', '.join(one.camera for one in held)}."
    if deed == "camera":
        placed = footage.place_camera(
            by=by, table=told.get("table", ""), camera=told.get("camera", ""),
            sees=told.get("sees") != "no", sees_from=moment_of(told, "sees_from"),
            keeps_days=whole(told.get("keeps_days", ""), "keeps_days"),
        )  # fmt: skip
        return f"Noted: {placed}."
    end = footage.end_hold(
        by=by, hold_id=whole(told.get("hold", ""), "hold"), kind=deed, where=told.get("where", "")
    )
    return f"{end.get_kind_display()}."


def whole(word: str, name: str) -> int:
    """Read a whole number."""
    if not (word.isascii() and word.isdecimal()) or len(word) > LONGEST_ID:
        raise CaseRefused("bad_value", name, "Write a whole number.")
    return int(word)


def case_of(user: User, word: str) -> Case | None:
    """Return the case of a number, where the person may know of it; None where none is told."""
    if not word.strip():
        return None
    found = cases_for(user).filter(number=whole(word.strip(), "case")).first()
    if found is None:
        raise CaseRefused("unknown_case", "case", f"There is no case {word.strip()}.")
    return found
