"""Ask for a change of a progressive: one form a kind, filled with what holds now."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse

from audit.web.forms import Form, Mistyped, in_address, posted
from progressives.errors import ProgressiveError
from progressives.levels import DISPLAY
from progressives.models import ControlRequest, Meter
from progressives.pages.control import PAGE, TITLES, Kind, must_view
from progressives.pages.forms.control import (
    CorrectionForm,
    MeterForm,
    NoticeForm,
    ParametersForm,
    TransferForm,
)
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
    question = ASK[Kind(kind)]
    form = posted(question.form, request)
    if request.method == "POST":
        try:
            made = question.ask(by=request.user, **form.read())
        except (Mistyped, ProgressiveError) as refused:
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
        "fields": fields_of(meter, form.data) if meter and kind == Kind.PARAMETERS else [],
        "asks_notice": kind in (Kind.TRANSFER, Kind.RETIREMENT),
        "given": form.data,
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
    sent, asked = posted(MeterForm, request), in_address(MeterForm, request)
    named = sent.choices()["meter"] or asked.choices()["meter"]
    return next((m for pk, _, m in meters_for(kind) if str(pk) == named), None)


def fields_of(meter: Meter, typed: Mapping[str, Any]) -> list[dict[str, Any]]:
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
                "value": typed.get(parameter.name, text),
            }
        )
    return found


def rates_text(rows: list[list[Any]]) -> str:
    """Write rates as the form's lines."""
    return "\n".join(", ".join(map(str, row)) for row in rows)


@dataclass(frozen=True)
class Question:
    """What a kind of request asks, and the service that takes the form's fields by their names."""

    form: type[Form]
    ask: Callable[..., ControlRequest]


ASK = {
    Kind.PARAMETERS: Question(ParametersForm, request_parameters),
    Kind.TRANSFER: Question(TransferForm, request_transfer),
    Kind.CORRECTION: Question(CorrectionForm, request_correction),
    Kind.RETIREMENT: Question(NoticeForm, request_retirement),
}
