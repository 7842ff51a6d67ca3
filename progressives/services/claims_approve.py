"""Surveillance's answer and the second person's approval, for meter awards and large ones."""

from collections.abc import Collection
from typing import Any

from django.utils import timezone

from audit.models import User
from audit.second_factor import NotProved, prove
from progressives import errors
from progressives.models import ClaimStep, ClaimTerms, JackpotClaim
from progressives.paragraphs import Check, chapter_of, checks_to_approve
from progressives.services.claims import (
    lock_claim,
    must_all_be_checked,
    must_be_in_turn,
    must_be_verified,
    must_stand_in,
    step,
    take,
    tell,
)
from progressives.services.persons import (
    must_be_allowed,
    must_not_be_the_dealer,
    must_not_have_acted,
    must_not_have_resolved,
)

State, Tier = JackpotClaim.State, JackpotClaim.Tier
UNAPPROVED = (*JackpotClaim.BEFORE_VALIDATED, State.VALIDATED)
ANSWERS = ("verified", "problem")


@step
def answer_claim(*, claim_id: int, officer: User, answer: str, reason: str = "") -> JackpotClaim:
    """Give surveillance's answer on a payout: verified, or a problem and which.

    It may be given again while the payout is not paid; the last one counts, and all are kept.
    """
    claim = lock_claim(claim_id)
    must_be_allowed(officer, "answer")
    if claim.tier != Tier.FULL:
        raise errors.NoApprovalNeeded
    if claim.state in JackpotClaim.DECIDED:
        raise errors.AnswerClosed
    must_not_be_the_dealer(officer, claim)
    must_not_have_resolved(officer, claim)
    must_not_have_acted(officer, claim, ClaimStep.Kind.ANSWERED)
    if answer not in ANSWERS:
        raise errors.AnswerMissing
    if answer == "problem" and not reason.strip():
        raise errors.ReasonMissing
    facts = {"answer": answer}
    kind = ClaimStep.Kind.ANSWERED
    ClaimStep.objects.create(claim=claim, kind=kind, by=officer, reason=reason.strip(), facts=facts)
    tell(claim, kind, officer, {**facts, "reason": reason.strip()})
    return claim


def required_to_approve(claim: JackpotClaim) -> tuple[Check, ...]:
    """Return what the second person must confirm."""
    return checks_to_approve(chapter_of(claim.cite))


def terms_now() -> ClaimTerms:
    """Return the terms that hold at this moment."""
    held = ClaimTerms.objects.filter(effective_at__lte=timezone.now())
    return held.latest("effective_at", "pk")


def approve_claim(
    *, claim_id: int, officer: User, password: str, code: str = "", checks: Collection[str] = ()
) -> JackpotClaim:
    """Approve a validated payout as the second person, who proves again who he is.

    Refused to the dealer, the validator and who answered for surveillance; before surveillance
    verified it; and out of turn, where several of a round wait for it (§ 670a.12(d)(3)).
    """
    must_be_allowed(officer, "approve")
    required = terms_now().second_factor_required
    try:  # before the claim is held: a wrong password must be counted whatever comes of the rest
        factors = prove(officer, password=password, code=code, code_required=required)
    except NotProved as refused:
        raise errors.NotProved(refused.code, str(refused)) from refused
    return take_approval(claim_id=claim_id, officer=officer, factors=factors, checks=checks)


@step
def take_approval(
    *, claim_id: int, officer: User, factors: list[str], checks: Collection[str]
) -> JackpotClaim:
    """Write the approval of a person who has just proved who he is."""
    claim = lock_claim(claim_id)
    must_be_allowed(officer, "approve")
    if claim.tier != Tier.FULL:
        raise errors.NoApprovalNeeded
    must_stand_in(claim, {State.VALIDATED})
    must_not_be_the_dealer(officer, claim)
    must_not_have_resolved(officer, claim)
    must_not_have_acted(officer, claim, ClaimStep.Kind.APPROVED)
    must_be_in_turn(claim, UNAPPROVED)
    must_be_verified(claim)
    required = required_to_approve(claim)
    must_all_be_checked(required, checks)
    facts: dict[str, Any] = {"checks": [check.code for check in required], "proved_by": factors}
    return take(claim, ClaimStep.Kind.APPROVED, officer, facts=facts)
