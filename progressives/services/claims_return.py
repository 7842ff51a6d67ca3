"""Put a refused award back on its meter, when accounting agrees."""

from decimal import Decimal

from audit.models import User
from progressives import errors
from progressives.levels import PutIn
from progressives.models import ClaimStep, JackpotClaim, Lane, MeterEntry
from progressives.services.claims import lock_claim, step, taken, tell
from progressives.services.ledger import Ledger, LevelMeter, RoundFacts
from progressives.services.persons import must_be_allowed, must_not_be_the_dealer

Kind, State = JackpotClaim.Kind, JackpotClaim.State


@step
def return_refused_award(*, claim_id: int, officer: User, reason: str) -> JackpotClaim:
    """Put a refused award back on the meter, and take the reset money back that followed it.

    Only once, only for a share of the meter, and never by the person who refused it. What other
    rounds were paid meanwhile stands: the meter goes on from where it is now (§ 670a.12(d)(3)).
    """
    claim = lock_claim(claim_id)
    must_be_allowed(officer, "return")
    must_be_returnable(claim, officer)
    if not reason.strip():
        raise errors.ReasonMissing
    lane = Lane.objects.select_for_update(no_key=True).get(pk=claim.lane_id)
    entries = put_back(claim, lane)
    facts = {
        "entries": entries,
        "lane_number": lane.number,
        "progressive": claim.progressive.code,
    }
    ClaimStep.objects.create(
        claim=claim,
        kind=ClaimStep.Kind.RETURNED,
        by=officer,
        reason=reason.strip(),
        facts={"entries": [entry["sequence"] for entry in entries], "lane_number": lane.number},
    )
    tell(claim, ClaimStep.Kind.RETURNED, officer, {**facts, "reason": reason.strip()})
    return claim


def must_be_returnable(claim: JackpotClaim, officer: User) -> None:
    """Refuse what is not refused, never came off a meter or went back, and the wrong person."""
    if claim.kind == Kind.FIXED:
        raise errors.NothingToReturn
    if claim.state != State.REFUSED:
        raise errors.NotRefused
    returned = claim.steps.select_related("by").filter(kind=ClaimStep.Kind.RETURNED).first()
    if returned is not None:
        raise errors.AlreadyReturned(str(returned.by), returned.at)
    must_not_be_the_dealer(officer, claim)
    if taken(claim, ClaimStep.Kind.REFUSED).by_id == officer.pk:
        raise errors.RefuserCannotReturn


def put_back(claim: JackpotClaim, lane: Lane) -> list[dict[str, object]]:
    """Move the meter of a held lane, under the lane's next number; return what moved."""
    lane.number += 1
    ledger = Ledger(lane.pk)
    held = meter_of(ledger, claim)
    facts = RoundFacts(
        lane.number,
        lane.gaming_day or claim.gaming_day,
        claim.round_id,
        claim.table,
        claim.round,
        claim.dealer,
    )
    held.put_back(claim.amount, put_in_after(claim), facts, claim.position)
    ledger.store()
    lane.save(update_fields=["number"])
    return [entry.told() for entry in held.told]


def put_in_after(claim: JackpotClaim) -> PutIn:
    """Return what the display was given after the award: reset money, reserve, overflow.

    Those entries follow the award at once and are of its round and position.
    """
    given = {"reserve_in": Decimal(0), "overflow_in": Decimal(0)}
    after = claim.entry_sequence or 0
    entries = MeterEntry.objects.filter(
        meter=claim.meter, sequence__range=(after + 1, after + 3), round_id=claim.round_id
    )
    for entry in entries.filter(position=claim.position).order_by("sequence"):
        if entry.kind not in ("reset", *given):
            break
        if entry.kind in given:
            given[entry.kind] += entry.amount
    return PutIn(claim.reset_put_in, given["reserve_in"], given["overflow_in"])


def meter_of(ledger: Ledger, claim: JackpotClaim) -> LevelMeter:
    """Return the meter that the award came from."""
    return next(held for held in ledger.meters.values() if held.meter.pk == claim.meter_id)
