"""Set the amounts from which a payout needs more than two taps."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone

from audit.models import User
from audit.services import SYSTEM, log_event, record, timestamp
from progressives.models import ClaimTerms


@transaction.atomic
def set_claim_terms(
    *,
    officer: User,
    checklist_from: Decimal,
    approval_from: Decimal,
    second_factor_required: bool,
    reason: str,
    effective_at: datetime | None = None,
) -> ClaimTerms:
    """Let other terms hold from now, or from a later moment, on; what is open keeps its own."""
    later = effective_at is not None and effective_at > timezone.now()
    moment: dict[str, Any] = {"effective_at": effective_at} if later else {}
    terms = ClaimTerms.objects.create(
        **moment,  # else the database's own clock
        checklist_from=checklist_from,
        approval_from=approval_from,
        second_factor_required=second_factor_required,
        reason=reason,
        set_by=officer,
    )
    facts = {
        "approval_from": str(approval_from),
        "checklist_from": str(checklist_from),
        "effective_at": timestamp(terms.effective_at),
        "reason": reason,
        "second_factor_required": second_factor_required,
    }
    event = log_event("progressives.claim_terms_set", f"claim_terms/{terms.pk}", facts, by=officer)
    record(SYSTEM, [event])
    return terms
