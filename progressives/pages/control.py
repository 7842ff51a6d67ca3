"""The desk of parameters: what is asked for, who agrees, when it takes effect, who has seen it."""

from collections.abc import Callable
from datetime import date
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone

from audit.models import User
from audit.web.forms import Form, Mistyped, posted
from progressives.control_errors import InOperation, TooEarly
from progressives.errors import ProgressiveError
from progressives.levels import DISPLAY
from progressives.models import ControlRequest, ControlStep, GamingDayClose, Lane, Meter
from progressives.pages.forms.claims import ReasonForm
from progressives.pages.forms.control import RemarkForm
from progressives.parameters import BY_NAME, PARAMETERS, worded
from progressives.selectors import controls_in_effect, controls_with_steps, state_of_control
from progressives.services.close_day import close_before
from progressives.services.control import (
    acknowledge_control,
    approve_control,
    meter_name,
    refuse_control,
    withdraw_control,
)
from progressives.services.control_effect import effect_control
from progressives.services.control_persons import ACKNOWLEDGE, agrees, asks, authorities_of
from progressives.services.control_terms import in_operation, terms_now
from progressives.templatetags.floor import exactly, signed

VIEW = "progressives.view_controlrequest"
DESK = "admin:progressives_controlrequest_desk"
PAGE = "admin:progressives_controlrequest_change"
EACH_LIST = 60
Kind = ControlRequest.Kind
TITLES = {
    Kind.PARAMETERS: "Change parameters",
    Kind.TRANSFER: "Transfer a balance",
    Kind.CORRECTION: "Correct a malfunction",
    Kind.RETIREMENT: "Retire a progressive",
}


def must_view(request: HttpRequest) -> frozenset[str]:
    """Return this person's authorities, or refuse who may not even read requests."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied
    return authorities_of(request.user)  # type: ignore[arg-type]


# ---- the desk -------------------------------------------------------------------------------


def desk_page(request: HttpRequest) -> HttpResponse:
    """Show what waits for whom, what each level's parameters are, and what was done."""
    held = must_view(request)
    found = [row_of(each) for each in controls_with_steps()[: EACH_LIST * 4]]
    lists = [
        ("To be approved", "Nothing waits for approval.", rows_in(found, "requested")),
        ("Approved, not in effect yet", "Nothing waits for its time.", rows_in(found, "approved")),
        ("To be acknowledged by accounting", "Nothing is open.", rows_in(found, "effected")),
        ("Done with", "Nothing yet.", rows_in(found, "acknowledged", "refused", "withdrawn")),
    ]
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": "Parameters of progressives",
        "lists": [(title, nothing, rows[:EACH_LIST]) for title, nothing, rows in lists],
        "levels": levels(),
        "kinds": [(kind, TITLES[kind]) for kind in Kind if asks(kind) in held],
        "now": timezone.now(),
    }
    return TemplateResponse(request, "progressives/controls.html", context)


def rows_in(found: list[dict[str, Any]], *states: str) -> list[dict[str, Any]]:
    """Return the rows in these states."""
    return [row for row in found if row["state"] in states]


def row_of(request: ControlRequest) -> dict[str, Any]:
    """Return what a list shows of a request."""
    state = state_of_control(request)
    names = dict(ControlStep.Kind.choices)
    return {
        "request": request,
        "state": state,
        "state_words": names.get(state, "Waits for approval"),
        "meter": meter_name(request.meter),
        "what": what_of(request),
        "waits_for": waits_for(request) if state == "approved" else "",
    }


def what_of(request: ControlRequest) -> list[str]:
    """Say in a few words what is asked for, a line each."""
    if request.kind == Kind.TRANSFER:
        amount = "All it holds" if request.amount is None else exactly(request.amount)
        return [f"{amount} to {meter_name(request.other)}"]  # type: ignore[arg-type]
    if request.kind == Kind.CORRECTION:
        return [signed(request.amount or "0")]
    if request.kind == Kind.RETIREMENT:
        return [f"All meters of {request.meter.progressive.code}"]
    return [
        f"{BY_NAME[name].title}: {worded(name, request.before.get(name))} → {worded(name, value)}"
        for name, value in request.after.items()
    ]


def waits_for(request: ControlRequest) -> str:
    """Say why an approved request is not in effect."""
    if request.effective_at > timezone.now():
        return "its time"
    meters = [request.meter, *([request.other] if request.other else [])]
    for lane_id in sorted({meter.progressive.lane_id for meter in meters}):
        busy = in_operation(lane_id)
        if busy is not None:
            return busy
    return "the lane, which looks every ten seconds"


def levels() -> list[dict[str, Any]]:
    """Return every level with its parameters as they stand, and whether its link rests."""
    found = Meter.objects.filter(purpose=DISPLAY).select_related("progressive", "retirement")
    busy = {lane_id: in_operation(lane_id) for lane_id in Lane.objects.values_list("pk", flat=True)}
    rows = []
    for meter in found.order_by("progressive__code", "pk"):
        now = terms_now(meter)
        rows.append(
            {
                "meter": meter,
                "name": meter_name(meter),
                "busy": busy[meter.progressive.lane_id],
                "retired": getattr(meter, "retirement", None),
                "terms": [
                    (parameter.title, worded(parameter.name, now[parameter.name]))
                    for parameter in PARAMETERS
                    if now[parameter.name] not in (None, "0", []) and parameter.kind != "choice"
                ],
            }
        )
    return rows


def controls_of(day: date, close: GamingDayClose | None) -> list[dict[str, Any]]:
    """Return what a gaming day's close shows: its changes, and what is not acknowledged by now."""
    before = close_before(day)
    begins = None if before is None else before.fenced_at
    ends = None if close is None else close.fenced_at
    return [row_of(found) for found in controls_in_effect(begins, ends)]


def changes_of(meter: Meter) -> list[dict[str, Any]]:
    """Return the history of a level's changes, and of what moved its meters without a round."""
    level = Meter.objects.filter(progressive_id=meter.progressive_id, level=meter.level)
    ids = level.values("pk")
    found = controls_with_steps().filter(Q(meter__in=ids) | Q(other__in=ids))
    return [row_of(each) for each in found[:EACH_LIST]]


# ---- one request ----------------------------------------------------------------------------


def request_page(
    request: HttpRequest, request_id: int, refusal: Exception | None = None
) -> HttpResponse:
    """Show a request: before and after, its steps, and what this person may do with it."""
    held = must_view(request)
    found = controls_with_steps().filter(pk=request_id).first()
    if found is None:
        raise Http404
    state = state_of_control(found)
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"{found.get_kind_display()}, request {found.pk}",
        "row": row_of(found),
        "found": found,
        "rows": [
            {
                "title": BY_NAME[name].title,
                "before": worded(name, found.before.get(name)),
                "after": worded(name, value),
            }
            for name, value in found.after.items()
        ],
        "legs": found.legs.select_related("meter__progressive").order_by("pk"),
        "may": may(found, state, request.user, held),
        "own": found.requested_by_id == request.user.pk,
        "given": posted(ReasonForm, request).data,
        "refusal": refusal,
    }
    status = 200 if refusal is None else 409
    return TemplateResponse(request, "progressives/control.html", context, status=status)


def may(found: ControlRequest, state: str, user: Any, held: frozenset[str]) -> dict[str, bool]:
    """Return which buttons this person is shown; the services decide."""
    own, stoppable = found.requested_by_id == user.pk, state in ("requested", "approved")
    approver = next((s.by_id for s in found.steps.all() if s.kind == "approved"), None)
    due = state == "approved" and found.effective_at <= timezone.now()
    return {
        "approve": state == "requested" and not own and agrees(found.kind) in held,
        "refuse": stoppable and not own and agrees(found.kind) in held,
        "withdraw": stoppable and own and asks(found.kind) in held,
        "effect": due and bool(held & {asks(found.kind), agrees(found.kind)}),
        "acknowledge": state == "effected"
        and ACKNOWLEDGE in held
        and user.pk not in (found.requested_by_id, approver),
    }


def approve(*, request_id: int, by: User, remark: str) -> str:
    """Approve, and put it into effect at once where its time has come and its link rests."""
    approve_control(request_id=request_id, by=by, remark=remark)
    try:
        effect_control(request_id=request_id, by=by)
    except (InOperation, TooEarly) as waits:
        return f"Approved. {waits}"
    return "Approved, and in effect. Accounting acknowledges it."


def refuse(**step: Any) -> str:
    refuse_control(**step)
    return "Refused."


def withdraw(**step: Any) -> str:
    withdraw_control(**step)
    return "Withdrawn."


def effect(**step: Any) -> str:
    effect_control(**step)
    return "In effect. Accounting acknowledges it."


def acknowledge(**step: Any) -> str:
    acknowledge_control(**step)
    return "Acknowledged."


# Each step's form, and what takes the form's fields by their names and says what was done.
STEPS: dict[str, tuple[type[Form], Callable[..., str]]] = {
    "approve": (RemarkForm, approve),
    "refuse": (ReasonForm, refuse),
    "withdraw": (ReasonForm, withdraw),
    "effect": (Form, effect),
    "acknowledge": (RemarkForm, acknowledge),
}


def control_deed(request: HttpRequest, request_id: str, deed: str) -> HttpResponse:
    """Do one step and show the request again; a refusal is shown above it."""
    must_view(request)
    if request.method != "POST":
        return redirect(PAGE, request_id)
    try:
        form, take = STEPS[deed]
        step = posted(form, request).read()
        said = take(request_id=int(request_id), by=request.user, **step)
    except (Mistyped, ProgressiveError) as refusal:
        return request_page(request, int(request_id), refusal)
    messages.success(request, said)
    return redirect(PAGE, request_id)
