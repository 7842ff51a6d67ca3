"""Ask for a change of a progressive, agree to it, refuse it, take it back, acknowledge it.

Each is a step that one person takes once. Locks in one order: the lanes by their ids (PostgreSQL's
own guard takes the same), the log's heads last. Taking effect stands in a file of its own.
"""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from django.utils import timezone

from audit.models import User
from audit.services import chain_of_lane, log_event, record, timestamp
from progressives import control_errors, errors
from progressives.levels import DISPLAY
from progressives.meters import cents
from progressives.models import ControlRequest, ControlStep, Lane, Meter
from progressives.parameters import ParameterRefused, read_changes
from progressives.services.claims import step
from progressives.services.control_persons import ACKNOWLEDGE, agrees, asks, must_have
from progressives.services.control_terms import CHECKS, is_retired, terms_now

Kind, StepKind = ControlRequest.Kind, ControlStep.Kind
LARGEST = Decimal("999999999999")


@step
def request_parameters(
    *,
    meter_id: int,
    by: User,
    changes: Mapping[str, Any],
    reason: str,
    effective_at: datetime | None = None,
    told_on: date | None = None,
    removed_on: date | None = None,
) -> ControlRequest:
    """Ask, as configuration authority, for other parameters of a level.

    ``changes`` holds parameters by name (``progressives.parameters``); what is as it stands is left
    out. Refused: what no level can have, what the game's chapter fixes, and a limit below the meter
    (WAC 230-15-685(4)).
    """
    must_have(by, asks(Kind.PARAMETERS))
    meter = find_meter(meter_id)
    if meter.purpose != DISPLAY:
        raise control_errors.ParameterWrong("meter", "Parameters belong to a level's display.")
    try:
        before, after = read_changes(changes, terms_now(meter), meter.progressive.wager_unit)
    except ParameterRefused as refused:
        raise control_errors.ParameterWrong(refused.path, refused.detail) from refused
    must_hold(meter, after)
    return ask(
        ControlRequest(
            kind=Kind.PARAMETERS,
            meter=meter,
            before=before,
            after=after,
            told_on=told_on,
            removed_on=removed_on,
        ),
        by,
        reason,
        effective_at,
    )


@step
def request_transfer(
    *,
    meter_id: int,
    other_id: int,
    by: User,
    reason: str,
    told_on: date | None,
    removed_on: date | None,
    amount: str | Decimal | None = None,
    effective_at: datetime | None = None,
) -> ControlRequest:
    """Ask, as reset authority, that a meter gives to another: an amount, or all it then holds."""
    must_have(by, asks(Kind.TRANSFER))
    meter, other = find_meter(meter_id), find_meter(other_id)
    if meter.pk == other.pk:
        raise control_errors.OtherMeterWrong
    must_have_notice(told_on, removed_on)
    given = None if amount in (None, "") else read_amount(amount)
    if given is not None and given <= 0:
        raise control_errors.AmountWrong
    if (given or Decimal(0)) > meter.value or not meter.value:
        raise control_errors.NotEnough(cents(meter.value))
    asked = ControlRequest(
        kind=Kind.TRANSFER,
        meter=meter,
        other=other,
        amount=given,
        told_on=told_on,
        removed_on=removed_on,
    )
    return ask(asked, by, reason, effective_at)


@step
def request_correction(
    *,
    meter_id: int,
    by: User,
    amount: str | Decimal,
    reason: str,
    effective_at: datetime | None = None,
) -> ControlRequest:
    """Ask, as reset authority, that a malfunction's error is corrected, up or down.

    (N.J.A.C. 13:69D-1.52(f); WAC 230-15-695)
    """
    must_have(by, asks(Kind.CORRECTION))
    meter = find_meter(meter_id)
    given = read_amount(amount)
    if -given > meter.value:
        raise control_errors.NotEnough(cents(meter.value))
    asked = ControlRequest(kind=Kind.CORRECTION, meter=meter, amount=given)
    return ask(asked, by, reason, effective_at)


@step
def request_retirement(
    *,
    meter_id: int,
    by: User,
    reason: str,
    told_on: date | None,
    removed_on: date | None,
    effective_at: datetime | None = None,
) -> ControlRequest:
    """Ask, as reset authority, that a progressive is closed: all its meters, each empty by then."""
    must_have(by, asks(Kind.RETIREMENT))
    meter = find_meter(meter_id)
    must_have_notice(told_on, removed_on)
    asked = ControlRequest(
        kind=Kind.RETIREMENT, meter=meter, told_on=told_on, removed_on=removed_on
    )
    return ask(asked, by, reason, effective_at)


# ---- the second person, and accounting ------------------------------------------------------


@step
def approve_control(*, request_id: int, by: User, remark: str = "") -> ControlRequest:
    """Agree to another person's request, with the other authority; it takes effect at its time."""
    request, _ = hold(request_id)
    must_have(by, agrees(request.kind))
    must_be_open(request, StepKind.APPROVED)
    if request.requested_by_id == by.pk:
        raise control_errors.OwnRequest
    if request.kind == Kind.PARAMETERS:
        must_hold(request.meter, request.after)
    return take(request, StepKind.APPROVED, by, remark.strip())


@step
def refuse_control(*, request_id: int, by: User, reason: str) -> ControlRequest:
    """Refuse another person's request, also after it was approved, until it is in effect."""
    request, _ = hold(request_id)
    must_have(by, agrees(request.kind))
    must_be_open(request, StepKind.REFUSED)
    if request.requested_by_id == by.pk:
        raise control_errors.OwnRequest
    if not reason.strip():
        raise errors.ReasonMissing
    return take(request, StepKind.REFUSED, by, reason.strip())


@step
def withdraw_control(*, request_id: int, by: User, reason: str = "") -> ControlRequest:
    """Take one's own request back, until it is in effect."""
    request, _ = hold(request_id)
    must_have(by, asks(request.kind))
    must_be_open(request, StepKind.WITHDRAWN)
    if request.requested_by_id != by.pk:
        raise control_errors.NotOwnRequest
    return take(request, StepKind.WITHDRAWN, by, reason.strip())


@step
def acknowledge_control(*, request_id: int, by: User, remark: str = "") -> ControlRequest:
    """Acknowledge for accounting, which owns the reconciliation, what is in effect.

    (N.J.A.C. 13:69D-1.52(e)) By a third person.
    """
    request, _ = hold(request_id)
    must_have(by, ACKNOWLEDGE)
    taken = {each.kind: each for each in request.steps.all()}
    if StepKind.EFFECTED not in taken:
        raise control_errors.NotInEffect
    if StepKind.ACKNOWLEDGED in taken:
        raise decided(taken[StepKind.ACKNOWLEDGED])
    if by.pk in (request.requested_by_id, taken[StepKind.APPROVED].by_id):
        raise control_errors.TookPart
    return take(request, StepKind.ACKNOWLEDGED, by, remark.strip())


# ---- what the steps share -------------------------------------------------------------------


def find_meter(meter_id: int) -> Meter:
    """Return a meter that still moves."""
    found = Meter.objects.select_related("progressive__lane").filter(pk=meter_id).first()
    if found is None:
        raise control_errors.MeterUnknown
    if is_retired(found):
        raise control_errors.Retired(meter_name(found))
    return found


def meter_name(meter: Meter) -> str:
    """Return a meter's name as closes and the log use it."""
    return f"{meter.progressive.code}:{meter.name}"


def read_amount(text: str | Decimal) -> Decimal:
    """Return an amount of dollars with at most six decimals, other than zero."""
    plain = str(text).strip().replace("$", "", 1).replace(",", "")
    try:
        amount = Decimal(plain)
    except InvalidOperation:
        raise control_errors.AmountWrong from None
    if not amount.is_finite() or not 0 < abs(amount) <= LARGEST:
        raise control_errors.AmountWrong
    if amount != amount.quantize(Decimal("0.000001")):
        raise control_errors.AmountWrong
    return amount


def must_have_notice(told_on: date | None, removed_on: date | None) -> None:
    """Refuse without the day of the public's notice and the day of the removal."""
    if told_on is None or removed_on is None or removed_on < told_on:
        raise control_errors.NoticeMissing


def must_hold(meter: Meter, after: Mapping[str, Any]) -> None:
    """Refuse parameters that the meter or its games do not allow."""
    limit = after.get("limit")
    if limit is not None:
        value = Meter.objects.values_list("value", flat=True).get(pk=meter.pk)
        if value > Decimal(limit):
            raise control_errors.BelowTheMeter(limit, cents(value))
    for check in CHECKS:
        check(meter, after)


def ask(
    request: ControlRequest, by: User, reason: str, effective_at: datetime | None
) -> ControlRequest:
    """Write a request down and tell the log, which comes last."""
    if not reason.strip():
        raise errors.ReasonMissing
    now = timezone.now()
    if effective_at is not None and effective_at < now:
        raise control_errors.InThePast
    request.reason, request.requested_by = reason.strip(), by
    request.effective_at = effective_at or now
    request.save(force_insert=True)
    facts = {
        "after": request.after,
        "amount": None if request.amount is None else cents(request.amount),
        "before": request.before,
        "effective_at": timestamp(request.effective_at),
        "other": None if request.other is None else meter_name(request.other),
        "reason": request.reason,
        "removed_on": None if request.removed_on is None else request.removed_on.isoformat(),
        "told_on": None if request.told_on is None else request.told_on.isoformat(),
    }
    tell(request, "requested", by, facts)
    return request


def hold(request_id: int) -> tuple[ControlRequest, list[Lane]]:
    """Return a request with its lanes held in their order: whoever comes second waits here."""
    found = ControlRequest.objects.select_related(
        "meter__progressive__lane", "other__progressive__lane", "requested_by"
    )
    request = found.filter(pk=request_id).first()
    if request is None:
        raise control_errors.ControlUnknown
    meters = [request.meter, *([request.other] if request.other else [])]
    ids = {meter.progressive.lane_id for meter in meters}
    lanes = Lane.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")
    return request, list(lanes)


def must_be_open(request: ControlRequest, wanted: str) -> None:
    """Refuse where somebody has decided already; what is approved can still be stopped."""
    for each in request.steps.select_related("by").order_by("-pk"):
        if wanted == StepKind.APPROVED or each.kind != StepKind.APPROVED:
            raise decided(each)


def decided(taken: ControlStep) -> control_errors.AlreadyDecided:
    """Return the refusal that names who was first."""
    return control_errors.AlreadyDecided(taken.get_kind_display(), str(taken.by or ""), taken.at)


def take(request: ControlRequest, kind: str, by: User, reason: str) -> ControlRequest:
    """Write a step and tell the log, which comes last."""
    ControlStep.objects.create(request=request, kind=kind, by=by, reason=reason)
    tell(request, kind, by, {"reason": reason})
    return request


def tell(request: ControlRequest, word: str, by: User | None, facts: dict[str, Any]) -> None:
    """Write what was done into the chain of the meter's lane."""
    told = {"control": request.pk, "kind": request.kind, "meter": meter_name(request.meter)}
    event = log_event(f"progressives.control_{word}", subject_of(request), {**told, **facts}, by=by)
    record(chain_of_lane(request.meter.progressive.lane.name), [event])


def subject_of(request: ControlRequest) -> str:
    """Return where the log keeps what happened to a request."""
    return f"control/{request.pk}"
