"""The disputed branch: somebody objects, the round is frozen, two people say how it ends.

Built after § 1112a.15 and § 461a.25: the payout is held with its evidence until it is resolved.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from audit.models import User
from progressives import errors
from progressives.models import ClaimStep, JackpotClaim, PayoutSlip
from progressives.paragraphs import chapter_of
from progressives.services.claims import lock_claim, step, take, tell
from progressives.services.persons import (
    must_be_allowed,
    must_be_independent,
    must_not_be_the_dealer,
)
from progressives.services.slips import void_slip

State, Taken = JackpotClaim.State, ClaimStep.Kind
VIDEO = ("camera", "since", "until")  # what a reference to a recording says, in free words
OUTCOMES = {
    "upheld": "The payout stands and goes on where it stood",
    "refused": "The payout is refused",
}


@step
def dispute_claim(
    *, claim_id: int, officer: User, reason: str, video: Sequence[Mapping[str, str]] = ()
) -> JackpotClaim:
    """Raise a dispute on a payout, decided or not: its round stands still until it is resolved.

    The database notes where the claim and each meter of its progressive stand at this moment.
    """
    claim = lock_claim(claim_id, disputed_too=True)
    must_be_allowed(officer, "dispute")
    if claim.state == State.DISPUTED:
        raised = last_step(claim, Taken.DISPUTED)
        raise errors.AlreadyDisputed(str(raised.by), raised.at)
    if claim.state == State.VOIDED:
        raise errors.NothingToDispute
    must_not_be_the_dealer(officer, claim)
    if not reason.strip():
        raise errors.ReasonMissing
    told = [{key: str(clip.get(key, "")).strip() for key in VIDEO} for clip in video]
    told = [clip for clip in told if any(clip.values())]
    return write(claim, Taken.DISPUTED, officer, reason, {"video": told}, state=State.DISPUTED)


@step
def propose_outcome(
    *, claim_id: int, officer: User, outcome: str, reason: str, cite: str = ""
) -> JackpotClaim:
    """Propose how a dispute ends; a later proposal takes the place of an earlier one."""
    claim = lock_disputed(claim_id, officer)
    must_be_possible(claim, outcome, cite)
    if not reason.strip():
        raise errors.ReasonMissing
    return write(claim, Taken.PROPOSED, officer, reason, {"outcome": outcome}, cite=cite)


@step
def resolve_dispute(*, claim_id: int, officer: User, reason: str) -> JackpotClaim:
    """Confirm the proposed outcome, as another person who decided nothing on this payout.

    Upheld, the payout goes on where it stood; a refused one stands where it was before its
    refusal. Refused, it takes the usual way: slip void, award back when accounting agrees.
    """
    claim = lock_disputed(claim_id, officer)
    proposal = open_proposal(claim)
    if proposal is None:
        raise errors.NothingProposed
    if proposal.by_id == officer.pk:
        raise errors.ProposerCannotConfirm
    must_be_independent(officer, claim)
    if not reason.strip():
        raise errors.ReasonMissing
    outcome = proposal.facts["outcome"]
    must_be_possible(claim, outcome, proposal.cite)
    return end_dispute(claim, officer, reason, outcome, proposal.cite)


def end_dispute(
    claim: JackpotClaim, officer: User, reason: str, outcome: str, cite: str
) -> JackpotClaim:
    """Write the end of a dispute that was proposed so, and let the claim go where it leads."""
    write(claim, Taken.RESOLVED, officer, reason, {"outcome": outcome}, cite=cite)
    if outcome == "refused" and claim.state != State.REFUSED:
        void = void_slip(claim, officer, f"Refused by {cite}")
        facts = {"void_slip": void.number} if void else {}
        take(claim, Taken.REFUSED, officer, cite=cite, reason=reason.strip(), facts=facts)
    return claim


def lock_disputed(claim_id: int, officer: User) -> JackpotClaim:
    """Return the claim, locked, if it is disputed and this person may say how that ends."""
    claim = lock_claim(claim_id, disputed_too=True)
    must_be_allowed(officer, "resolve")
    if claim.state != State.DISPUTED:
        raise errors.NotDisputed
    must_not_be_the_dealer(officer, claim)
    return claim


def must_be_possible(claim: JackpotClaim, outcome: str, cite: str) -> None:
    """Refuse an outcome that leads nowhere from where the claim stood."""
    if outcome not in OUTCOMES:
        raise errors.OutcomeMissing
    stood = last_step(claim, Taken.DISPUTED).facts["from"]
    if outcome == "refused" and stood == State.PAID:
        raise errors.PaidIsAmended
    cites = {paragraph.cite for paragraph in chapter_of(claim.cite).refusals}
    if outcome == "refused" and stood != State.REFUSED and cite not in cites:
        raise errors.RuleMissing
    if outcome == "upheld" and stood == State.REFUSED:
        returned = claim.steps.filter(kind=Taken.RETURNED).exists()
        if returned or PayoutSlip.objects.filter(claim=claim).exists():
            raise errors.RefusedIsAmended


def last_step(claim: JackpotClaim, kind: str) -> ClaimStep:
    """Return the claim's last step of a kind."""
    return claim.steps.select_related("by").filter(kind=kind).latest("pk")


def open_proposal(claim: JackpotClaim) -> ClaimStep | None:
    """Return the proposal that waits for its second person."""
    raised = claim.steps.filter(kind=Taken.DISPUTED).order_by("pk").last()
    if raised is None:
        return None
    later = claim.steps.select_related("by").filter(kind=Taken.PROPOSED, pk__gt=raised.pk)
    return later.order_by("pk").last()


def write(
    claim: JackpotClaim,
    kind: ClaimStep.Kind,
    officer: User,
    reason: str,
    facts: dict[str, Any],
    *,
    cite: str = "",
    state: str = "",
) -> JackpotClaim:
    """Write a step whose facts the database completes, move the claim and tell the log."""
    made = ClaimStep.objects.create(
        claim=claim, kind=kind, by=officer, cite=cite, reason=reason.strip(), facts=facts
    )
    made.refresh_from_db(fields=["facts"])
    goes_to = state or made.facts.get("to", "")
    if goes_to:
        JackpotClaim.objects.filter(pk=claim.pk).update(state=goes_to)
        claim.state = State(goes_to)
    # In the log "outcome" is what a round came to.
    told = {"ends" if key == "outcome" else key: value for key, value in made.facts.items()}
    tell(claim, kind, officer, {**told, "cite": cite, "reason": reason.strip()})
    return claim
