"""Ask for a change of a progressive: one form a kind, filled with what holds now."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from audit.moments import in_range
from progressives.control_errors import ParameterWrong
from progressives.errors import ProgressiveError
from progressives.levels import DISPLAY
from progressives.models import ControlRequest, Meter
from progressives.pages.control import PAGE, TITLES, Kind, must_view
from progressives.parameters import PARAMETERS, RATES, worded
from progressives.services.control import (
    meter_name,
    request_correction,
    request_parameters,
    request_retirement,
    request_transfer,
)
from progressives.services.control_persons import asks
from progressives.services.control_terms import in_operation, terms_now


def ask_page(request: HttpRequest, kind: str) -> HttpResponse:
    """Ask for one thing, as the authority that may."""
    held = must_view(request)
    if asks(kind) not in held:
        raise PermissionDenied
    meter, refusal = chosen_meter(request, kind), None
    if request.method == "POST":
        try:
            made = ASK[kind](request)
        except ProgressiveError as refused:
            refusal = refused
        else:
            messages.success(request, "Asked for. A person with the other authority decides on it.")
            return redirect(PAGE, made.pk)
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": TITLES[Kind(kind)],
        "kind": kind,
        "meters": meters_for(kind),
        "others": meters_for(Kind.TRANSFER),
        "meter": meter,
        "name": meter_name(meter) if meter else "",
        "busy": in_operation(meter.progressive.lane_id) if meter else None,
        "fields": fields_of(meter, request) if meter and kind == Kind.PARAMETERS else [],
        "asks_notice": kind in (Kind.TRANSFER, Kind.RETIREMENT),
        "given": request.POST,
        "refusal": refusal,
    }
    status = 200 if refusal is None else 409
    return TemplateResponse(request, "progressives/ask.html", context, status=status)


def meters_for(kind: str) -> list[tuple[int, str, Meter]]:
    """Return the meters that this kind of request can be about, by name."""
    found = Meter.objects.filter(retirement__isnull=True).select_related("progressive")
    if kind in (Kind.PARAMETERS, Kind.RETIREMENT):
        found = found.filter(purpose=DISPLAY)
    ordered = found.order_by("progressive__code", "pk")
    if kind == Kind.RETIREMENT:
        firsts = {meter.progressive_id: meter for meter in reversed(ordered)}
        return [(m.pk, m.progressive.code, m) for m in reversed(firsts.values())]
    return [(meter.pk, meter_name(meter), meter) for meter in ordered]


def chosen_meter(request: HttpRequest, kind: str) -> Meter | None:
    """Return the meter that the address or the form names, if there is one."""
    told = request.POST.get("meter") or request.GET.get("meter", "")
    return next((m for pk, _, m in meters_for(kind) if str(pk) == told), None)


def fields_of(meter: Meter, request: HttpRequest) -> list[dict[str, Any]]:
    """Return a field a parameter, filled with what was typed or what holds now."""
    now = terms_now(meter)
    found = []
    for parameter in PARAMETERS:
        held = now[parameter.name]
        text = rates_text(held) if parameter.kind == RATES else held or ""
        found.append(
            {
                "parameter": parameter,
                "now": worded(parameter.name, held),
                "value": request.POST.get(parameter.name, text),
            }
        )
    return found


def rates_text(rows: list[list[Any]]) -> str:
    """Write rates as the form's lines."""
    return "\n".join(", ".join(map(str, row)) for row in rows)


def ask_parameters(request: HttpRequest) -> ControlRequest:
    post = request.POST
    changes: dict[str, Any] = {p.name: post[p.name] for p in PARAMETERS if p.name in post}
    if RATES in changes:
        lines = [line for line in str(changes[RATES]).splitlines() if line.strip()]
        changes[RATES] = [[part.strip() for part in line.split(",")] for line in lines]
    return request_parameters(
        meter_id=number_of(post.get("meter", "")),
        changes=changes,
        **common(request),
        **notice(request),
    )


def ask_transfer(request: HttpRequest) -> ControlRequest:
    return request_transfer(
        meter_id=number_of(request.POST.get("meter", "")),
        other_id=number_of(request.POST.get("other", "")),
        amount=request.POST.get("amount", "").strip() or None,
        **common(request),
        **notice(request),
    )


def ask_correction(request: HttpRequest) -> ControlRequest:
    return request_correction(
        meter_id=number_of(request.POST.get("meter", "")),
        amount=request.POST.get("amount", ""),
        **common(request),
    )


def ask_retirement(request: HttpRequest) -> ControlRequest:
    return request_retirement(
        meter_id=number_of(request.POST.get("meter", "")), **common(request), **notice(request)
    )


ASK: dict[str, Callable[[HttpRequest], ControlRequest]] = {
    Kind.PARAMETERS: ask_parameters,
    Kind.TRANSFER: ask_transfer,
    Kind.CORRECTION: ask_correction,
    Kind.RETIREMENT: ask_retirement,
}


def common(request: HttpRequest) -> dict[str, Any]:
    """Return what every request says."""
    return {
        "by": request.user,
        "reason": request.POST.get("reason", ""),
        "effective_at": moment_of(request.POST.get("effective_at", "")),
    }


def notice(request: HttpRequest) -> dict[str, Any]:
    """Return when the public was told, and when it is removed."""
    return {name: day_of(request.POST.get(name, ""), name) for name in ("told_on", "removed_on")}


def number_of(text: str) -> int:
    """Return a row's number; 0, which no row has, for anything else."""
    return int(text) if text.isdecimal() and len(text) < 18 else 0


def day_of(text: str, path: str) -> date | None:
    """Return a day as the browser's date field sends it."""
    if not text:
        return None
    try:
        found = date.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or not in_range(found):
        raise ParameterWrong(path, f"{text!r} is no day.")
    return found


def moment_of(text: str) -> datetime | None:
    """Return a moment of the property's zone as the browser's field sends it."""
    if not text.strip():
        return None
    try:
        found = parse_datetime(text)
        aware = found if found is None or timezone.is_aware(found) else timezone.make_aware(found)
    except ValueError:
        aware = None
    if aware is None or not in_range(aware):
        raise ParameterWrong("effective_at", f"{text!r} is no date and time.")
    return aware.astimezone(UTC)  # PostgreSQL reads no offset beyond 16 hours
