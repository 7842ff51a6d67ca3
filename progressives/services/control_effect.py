"""Let a request take effect: by its lane, in the lane's order, while its link rests."""

from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django.utils import timezone

from audit.models import ExceptionRecord, User
from audit.services import chain_of_lane, log_event, open_exceptions, record
from progressives import control_errors
from progressives.errors import ProgressiveError
from progressives.levels import DISPLAY, OVERFLOW, RESERVE
from progressives.meters import cents
from progressives.models import (
    ControlLeg,
    ControlRequest,
    ControlStep,
    Lane,
    LevelRate,
    Meter,
    MeterRetirement,
    MeterSnapshot,
)
from progressives.parameters import BY_NAME, worded
from progressives.services.claims import step
from progressives.services.control import decided, hold, meter_name, must_hold, subject_of
from progressives.services.control_persons import agrees, asks, must_have
from progressives.services.control_terms import in_operation, is_retired, level_of, terms_now
from progressives.services.ledger import Ledger, LevelMeter, RoundFacts
from progressives.services.snapshots import take

Kind, StepKind = ControlRequest.Kind, ControlStep.Kind
Moved = dict[int, list[dict[str, Any]]]  # lane: entries as the log tells them
NOTHING = Decimal(0)


@step
def effect_control(*, request_id: int, by: User | None = None) -> ControlRequest:
    """Let an approved request take effect now; refused before its time or while its link operates.

    Each lane takes its next number for it, so that whatever is worked out under the terms of before
    is worked out anew. No round that is settled is touched. ``by`` is whoever pressed the button;
    without one its hour had come.
    """
    request, lanes = hold(request_id)
    if by is not None:
        must_have(by, asks(request.kind), agrees(request.kind))
    must_be_due(request)
    for lane in lanes:
        busy = in_operation(lane.pk)
        if busy is not None:
            raise control_errors.InOperation(busy)
    must_move(request)
    for lane in lanes:
        lane.number += 1
        lane.save(update_fields=["number"])
    numbers = {lane.name: lane.number for lane in lanes}
    ControlStep.objects.create(
        request=request, kind=StepKind.EFFECTED, by=by, facts={"lane_numbers": numbers}
    )
    moved = EFFECTS[request.kind](request, lanes)
    read_meters(request)
    tell_lanes(request, lanes, moved, by)
    return request


def read_meters(request: ControlRequest) -> None:
    """Take a snapshot of every meter that the request is about, as it stands after it."""
    found = [*level_of(request.meter).values()]
    if request.other is not None:
        found += level_of(request.other).values()
    take(MeterSnapshot.Reason.PARAMETERS, found)


def must_be_due(request: ControlRequest) -> None:
    """Refuse what is not approved, is over with, or has its time yet to come."""
    taken = {each.kind: each for each in request.steps.select_related("by")}
    for kind in (StepKind.EFFECTED, StepKind.REFUSED, StepKind.WITHDRAWN):
        if kind in taken:
            raise decided(taken[kind])
    if StepKind.APPROVED not in taken:
        raise control_errors.NotApproved
    if request.effective_at > timezone.now():
        raise control_errors.TooEarly(request.effective_at)


def must_move(request: ControlRequest) -> None:
    """Refuse where a meter of the request is retired meanwhile."""
    for meter in (request.meter, request.other):
        if meter is not None and is_retired(meter):
            raise control_errors.Retired(meter_name(meter))


# ---- what each kind brings about ------------------------------------------------------------


def change_parameters(request: ControlRequest, lanes: list[Lane]) -> Moved:
    """Give a level its new terms, if those of before still hold."""
    now = terms_now(request.meter)
    for name, was in request.before.items():
        held = [row for row in now[name] if row in was] if name == "rates" else now[name]
        if held != was:
            title = BY_NAME[name].title
            raise control_errors.Outdated(title, worded(name, was), worded(name, now[name]))
    must_hold(request.meter, request.after)
    after, level = request.after, level_of(request.meter)
    if RESERVE not in level and hides(after):
        level[RESERVE] = make_pool(request.meter, RESERVE)
    if OVERFLOW not in level and after.get("limit") is not None:
        level[OVERFLOW] = make_pool(request.meter, OVERFLOW)
    money = {name: Decimal(after[name]) for name in ("reset", "shown_to") if name in after}
    if "increment_percent" in after:
        money["increment_percent"] = Decimal(after["increment_percent"])
    if "limit" in after:
        limit = after["limit"]
        money["limit"] = None if limit is None else Decimal(limit)  # type: ignore[assignment]
    if money:
        Meter.objects.filter(pk=level[DISPLAY].pk).update(**money)
    for purpose in (RESERVE, OVERFLOW):
        beside = {}
        if f"{purpose}_percent" in after:
            beside["increment_percent"] = Decimal(after[f"{purpose}_percent"])
        if f"{purpose}_at_reset" in after:
            beside["at_reset"] = after[f"{purpose}_at_reset"]
        if beside and purpose in level:
            Meter.objects.filter(pk=level[purpose].pk).update(**beside)
    LevelRate.objects.bulk_create(
        LevelRate(
            meter=level[DISPLAY],
            paytable=paytable,
            decks=decks,
            increment_percent=Decimal(rate),
            reserve_percent=Decimal(kept),
            control=request,
        )
        for paytable, decks, rate, kept in after.get("rates", ())
    )
    return {}


def hides(after: dict[str, Any]) -> bool:
    """Whether the new terms put something in a reserve."""
    shares = [after.get("reserve_percent", "0"), *(row[3] for row in after.get("rates", ()))]
    return any(map(Decimal, shares))


def make_pool(display: Meter, purpose: str) -> Meter:
    """Make the reserve or the overflow that a level's new terms need; it begins empty."""
    return Meter.objects.create(
        progressive=display.progressive,
        level=display.level,
        purpose=purpose,
        initial=NOTHING,
        reset=NOTHING,
        increment_percent=NOTHING,
        value=NOTHING,
    )


def transfer(request: ControlRequest, lanes: list[Lane]) -> Moved:
    """Move a balance from one meter to another: two legs that come to nothing."""
    giver, receiver = request.meter, request.other
    assert receiver is not None  # noqa: S101  # a constraint holds it
    holds = Meter.objects.values_list("value", flat=True).get(pk=giver.pk)
    amount = holds if request.amount is None else request.amount
    if amount > holds or not amount:
        raise control_errors.NotEnough(cents(holds))
    return move(
        request, lanes, [(giver, "transfer_out", -amount), (receiver, "transfer_in", amount)]
    )


def correct(request: ControlRequest, lanes: list[Lane]) -> Moved:
    """Correct what a malfunction put on a meter or left out."""
    holds = Meter.objects.values_list("value", flat=True).get(pk=request.meter_id)
    amount = request.amount
    assert amount is not None  # noqa: S101  # a constraint holds it
    if -amount > holds:
        raise control_errors.NotEnough(cents(holds))
    return move(request, lanes, [(request.meter, "correction", amount)])


def retire(request: ControlRequest, lanes: list[Lane]) -> Moved:
    """Close every meter of a progressive for good; each must be empty."""
    meters = list(Meter.objects.filter(progressive=request.meter.progressive).order_by("pk"))
    for meter in meters:
        if meter.value:
            raise control_errors.HoldsABalance(meter_name(meter), cents(meter.value))
    for meter in meters:
        MeterRetirement.objects.create(meter=meter, request=request)
    return {}


EFFECTS: dict[str, Callable[[ControlRequest, list[Lane]], Moved]] = {
    Kind.PARAMETERS: change_parameters,
    Kind.TRANSFER: transfer,
    Kind.CORRECTION: correct,
    Kind.RETIREMENT: retire,
}


# ---- the ledger and the log -----------------------------------------------------------------


def move(
    request: ControlRequest, lanes: list[Lane], legs: list[tuple[Meter, str, Decimal]]
) -> Moved:
    """Write each leg's entry, in its own lane's ledger; what goes over a limit overflows."""
    ledgers = {lane.pk: Ledger(lane.pk) for lane in lanes}
    by_pk = {lane.pk: lane for lane in lanes}
    moved: Moved = defaultdict(list)
    for meter, kind, amount in legs:
        lane_id = meter.progressive.lane_id
        lane, ledger = by_pk[lane_id], ledgers[lane_id]
        day = lane.gaming_day or timezone.localdate()
        facts = RoundFacts(lane.number, day, None, "", None, "")
        level, one = held_in(ledger, meter)
        one.move(kind, amount, facts, None)
        ControlLeg.objects.create(
            request=request, meter=meter, sequence=one.sequence, amount=amount
        )
        level.cut(facts)
        told = ledger.take_told(meter.progressive_id)
        code = meter.progressive.code
        moved[lane_id] += [{**entry.told(), "progressive": code} for entry in told]
    for lane in lanes:
        ledgers[lane.pk].store()
    return moved


def held_in(ledger: Ledger, meter: Meter) -> tuple[LevelMeter, LevelMeter]:
    """Return the level that a meter belongs to and the meter itself, in a ledger's hands."""
    level = ledger.level(meter.progressive_id, meter.level)
    return level, next(one for one in level.every() if one.meter.pk == meter.pk)


def tell_lanes(request: ControlRequest, lanes: list[Lane], moved: Moved, by: User | None) -> None:
    """Tell each lane's chain what took effect there, with all that changed; the heads come last."""
    facts: dict[str, Any] = {
        "after": request.after,
        "before": request.before,
        "control": request.pk,
        "kind": request.kind,
        "legs": [
            {"amount": cents(leg.amount), "meter": meter_name(leg.meter), "sequence": leg.sequence}
            for leg in request.legs.select_related("meter__progressive").order_by("pk")
        ],
        "meter": meter_name(request.meter),
        "reason": request.reason,
        "requested_by": str(request.requested_by),
        "approved_by": str(request.steps.select_related("by").get(kind=StepKind.APPROVED).by),
        "retired": [
            meter_name(each.meter)
            for each in request.retired.select_related("meter__progressive").order_by("pk")
        ],
    }
    for lane in sorted(lanes, key=lambda lane: lane.name):
        told = {**facts, "entries": moved.get(lane.pk, []), "lane_number": lane.number}
        event = log_event("progressives.control_effected", subject_of(request), told, by=by)
        record(chain_of_lane(lane.name), [event])


# ---- when its time has come -----------------------------------------------------------------


def due() -> list[int]:
    """Return the approved requests whose time has come, in the order of their times."""
    over = [StepKind.EFFECTED, StepKind.REFUSED, StepKind.WITHDRAWN]
    found = ControlRequest.objects.filter(
        steps__kind=StepKind.APPROVED, effective_at__lte=timezone.now()
    ).exclude(pk__in=ControlStep.objects.filter(kind__in=over).values("request"))
    return list(found.order_by("effective_at", "pk").values_list("pk", flat=True))


def effect_due() -> int:
    """Let everything that is due take effect; return how much did.

    What waits for its link to rest goes on waiting. What cannot take effect any more is put before
    a person, once.
    """
    done = 0
    for request_id in due():
        try:
            effect_control(request_id=request_id)
            done += 1
        except control_errors.InOperation:
            continue
        except ProgressiveError as refusal:
            if refusal.code not in ("busy", "already_decided"):
                put_before_a_person(request_id, refusal)
    return done


def put_before_a_person(request_id: int, refusal: ProgressiveError) -> None:
    """Open one exception for a request that is due and cannot take effect."""
    once = f"control/{request_id}"
    if ExceptionRecord.objects.filter(once=once).exists():
        return
    open_exceptions(
        [
            ExceptionRecord(
                kind="change_blocked",
                sentence=f"Request {request_id} is due and cannot take effect: {refusal}",
                facts={"control": request_id, "code": refusal.code},
                once=once,
            )
        ]
    )
