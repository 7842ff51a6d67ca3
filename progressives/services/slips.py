"""Issue and void payout slips, inside the transaction of the step that needs it."""

import hashlib
from typing import Any

from django.utils import timezone

from audit.canonical import canonical
from audit.models import User
from audit.sealing import seal
from progressives.models import JackpotClaim, PayoutSlip, SlipVoid
from progressives.tax import TaxDecision, decide


def tax_of(claim: JackpotClaim) -> TaxDecision:
    """Return the tax decision on a payout made today."""
    return decide(claim.amount, claim.stake, timezone.localdate())


def issue_slip(claim: JackpotClaim, officer: User, payee: str = "") -> PayoutSlip:
    """Write the slip of a claim that is held; the database gives it the next number.

    The counter's row stays locked until the step commits, so that no number is ever left out.
    """
    tax = tax_of(claim)
    return PayoutSlip.objects.create(
        claim=claim,
        amount=claim.amount,
        tax_reportable=tax.reportable,
        tax_withheld=tax.withheld,
        tax_reason=tax.reason,
        tax_terms_from=tax.terms.effective,
        payee_sealed=seal(payee) if payee else "",
        digest=digest_of(claim, tax),
        issued_by=officer,
    )


def digest_of(claim: JackpotClaim, tax: TaxDecision) -> str:
    """Return the hash over what the slip says of the payout; no person is in it."""
    facts: dict[str, Any] = {
        "amount": f"{claim.amount:.2f}",
        "cards": claim.cards,
        "cite": claim.cite,
        "claim": claim.pk,
        "gaming_day": claim.gaming_day.isoformat(),
        "hand": claim.hand,
        "position": claim.position,
        "round": claim.round,
        "round_id": str(claim.round_id),
        "stake": f"{claim.stake:.2f}",
        "table": claim.table,
        "tax_withheld": f"{tax.withheld:.2f}",
        "terms": claim.terms,
    }
    return hashlib.sha256(canonical(facts)).hexdigest()


def void_slip(claim: JackpotClaim, officer: User, reason: str) -> PayoutSlip | None:
    """Void the claim's slip, if it has one; it keeps its number."""
    slip = PayoutSlip.objects.filter(claim=claim).first()
    if slip is not None:
        SlipVoid.objects.create(slip=slip, by=officer, reason=reason)
    return slip
