"""The voided branch: a payout that was opened in error is taken back by two people."""

from typing import Any

from audit.models import User
from progressives import errors
from progressives.models import ClaimStep, JackpotClaim, Lane
from progressives.services.claims import lock_claim, must_stand_in, step, take, tell
from progressives.services.claims_return import put_back
from progressives.services.persons import (
    must_be_allowed,
    must_be_independent,
    must_not_be_the_dealer,
)
from progressives.services.slips import void_slip

Taken = ClaimStep.Kind


@step
def ask_void(*, claim_id: int, officer: User, reason: str) -> JackpotClaim:
    """Ask that a payout be voided, because it should never have been opened; not once paid."""
    claim = lock_voidable(claim_id, officer)
    if not reason.strip():
        raise errors.ReasonMissing
    ClaimStep.objects.create(claim=claim, kind=Taken.VOID_ASKED, by=officer, reason=reason.strip())
    tell(claim, Taken.VOID_ASKED, officer, {"reason": reason.strip()})
    return claim


@step
def void_claim(*, claim_id: int, officer: User, reason: str) -> JackpotClaim:
    """Void a payout as the second person; a share of the meter goes back at once.

    The slip keeps its number and is void. What other rounds were paid meanwhile stands
    (§ 670a.12(d)(3)).
    """
    claim = lock_voidable(claim_id, officer)
    asked = claim.steps.filter(kind=Taken.VOID_ASKED).order_by("pk").last()
    if asked is None:
        raise errors.VoidNotAsked
    if asked.by_id == officer.pk:
        raise errors.AskerCannotVoid
    must_be_independent(officer, claim)
    if not reason.strip():
        raise errors.ReasonMissing
    facts: dict[str, Any] = {}
    void = void_slip(claim, officer, "Opened in error")
    if void is not None:
        facts["void_slip"] = void.number
    if claim.kind == JackpotClaim.Kind.METER:
        lane = Lane.objects.select_for_update(no_key=True).get(pk=claim.lane_id)
        facts |= {"entries": put_back(claim, lane), "lane_number": lane.number}
        facts["progressive"] = claim.progressive.code
    return take(claim, Taken.VOIDED, officer, reason=reason.strip(), facts=facts)


def lock_voidable(claim_id: int, officer: User) -> JackpotClaim:
    """Return the claim, locked, if it is undecided and this person may have it voided."""
    claim = lock_claim(claim_id)
    must_be_allowed(officer, "void")
    must_stand_in(claim, JackpotClaim.UNDECIDED)
    must_not_be_the_dealer(officer, claim)
    return claim
