"""Document an approved payout with its slip, and print the slip."""

from typing import NamedTuple

from audit.models import User
from audit.sealing import unseal
from progressives import errors
from progressives.models import ClaimStep, JackpotClaim, PayoutSlip, SlipPrint
from progressives.services.claims import lock_claim, must_stand_in, step, take, tell
from progressives.services.persons import (
    must_be_allowed,
    must_not_be_the_dealer,
    must_not_have_resolved,
    verbs_of,
)
from progressives.services.slips import issue_slip, tax_of
from progressives.slip_pdf import Signature, SlipFacts, draw_slip

State, Tier = JackpotClaim.State, JackpotClaim.Tier
SIGNED = ("validated", "answered", "approved", "documented", "paid")


@step
def document_claim(*, claim_id: int, officer: User, payee: str = "") -> JackpotClaim:
    """Issue the slip of an approved payout: number, tax decision and, sealed, the payee's name.

    The name is asked for only where a tax form needs it (§ 670a.11(h)(3)(i)(B)(IV)).
    """
    claim = lock_claim(claim_id)
    must_be_allowed(officer, "document")
    if claim.tier != Tier.FULL:
        raise errors.NoApprovalNeeded("This payout gets its slip when it is paid.")
    if claim.state == State.VALIDATED:
        raise errors.NotApproved
    must_stand_in(claim, {State.APPROVED})
    must_not_be_the_dealer(officer, claim)
    must_not_have_resolved(officer, claim)
    name = " ".join(payee.split())
    if tax_of(claim).reportable and not name:
        raise errors.PayeeMissing
    slip = issue_slip(claim, officer, name)
    facts = {"slip": slip.number, "tax": slip.tax_reason, "withheld": str(slip.tax_withheld)}
    return take(claim, ClaimStep.Kind.DOCUMENTED, officer, facts=facts)


class Printed(NamedTuple):
    """A print: which slip, which copy of it, and the PDF."""

    slip: PayoutSlip
    copy: int
    pdf: bytes


@step
def print_slip(*, claim_id: int, officer: User, reason: str = "") -> Printed:
    """Draw a slip and write down who printed which copy; a further copy needs a reason."""
    claim = lock_claim(claim_id, disputed_too=True)  # one print after the other
    if not verbs_of(officer) & {"document", "pay"}:
        raise errors.NotAllowed("print payout slips")
    if not officer.staff_code:
        raise errors.NoStaffCode
    slip = PayoutSlip.objects.filter(claim=claim).first()
    if slip is None:
        raise errors.NoSlip
    copy = slip.prints.count() + 1
    if copy > 1 and not reason.strip():
        raise errors.ReasonMissing("Say why this slip is printed again.")
    SlipPrint.objects.create(slip=slip, copy=copy, by=officer, reason=reason.strip())
    told = {"copy": copy, "reason": reason.strip(), "slip": slip.number}
    tell(claim, "slip_printed", officer, told)
    return Printed(slip, copy, draw_slip(facts_of(claim, slip, copy)))


def facts_of(claim: JackpotClaim, slip: PayoutSlip, copy: int) -> SlipFacts:
    """Return what stands on a slip."""
    void = getattr(slip, "void", None)
    steps = claim.steps.select_related("by").filter(kind__in=SIGNED).order_by("pk")
    return SlipFacts(
        number=str(slip),
        facility=slip.facility,
        issued_at=slip.issued_at,
        gaming_day=claim.gaming_day,
        place=f"{claim.table}, round {claim.round}, position {claim.position}",
        hand=f"{claim.hand.replace('_', ' ')} ({claim.cards})",
        wager=claim.stake,
        terms=claim.terms,
        cite=claim.cite,
        amount=slip.amount,
        meter_at_turn=claim.meter_at_turn,
        source=claim.source_of_funds,
        tax_reason=slip.tax_reason,
        withheld=slip.tax_withheld,
        payee=unseal(slip.payee_sealed) if slip.payee_sealed else "",
        signatures=tuple(
            Signature(entry.get_kind_display(), str(entry.by), entry.at) for entry in steps
        ),
        digest=slip.digest,
        copy=copy,
        void=void.reason if void is not None else "",
    )
