"""Call for help where a payout has waited too long."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from audit.models import ExceptionRecord
from audit.services import open_exceptions
from progressives.models import ClaimStep, JackpotClaim
from progressives.services.claims import tell


def escalate_claims(*, after_seconds: int) -> int:
    """Mark each claim that has waited so long, once, and put it before a person; return how many.

    One transaction a claim: their logs lie in different chains, and nobody should wait for all.
    """
    late = JackpotClaim.objects.filter(
        state=JackpotClaim.State.WAITING,
        opened_at__lte=timezone.now() - timedelta(seconds=after_seconds),
    ).exclude(steps__kind=ClaimStep.Kind.ESCALATED)
    return sum(escalate(claim_id, after_seconds) for claim_id in late.values_list("pk", flat=True))


@transaction.atomic(durable=True)
def escalate(claim_id: int, after_seconds: int) -> bool:
    """Escalate one claim, unless somebody is deciding on it at this moment or has decided."""
    claims = JackpotClaim.objects.select_for_update(no_key=True, skip_locked=True, of=("self",))
    claim = claims.select_related("lane").filter(pk=claim_id).first()
    if claim is None or claim.state != JackpotClaim.State.WAITING:
        return False
    if claim.steps.filter(kind=ClaimStep.Kind.ESCALATED).exists():
        return False
    ClaimStep.objects.create(claim=claim, kind=ClaimStep.Kind.ESCALATED)
    minutes = after_seconds // 60
    open_exceptions(
        [
            ExceptionRecord(
                kind="claim_waiting",
                severity=ExceptionRecord.Severity.ALARM,
                table=claim.table,
                round=claim.round,
                position=claim.position,
                sentence=f"A payout at {claim.table} has waited longer than {minutes} minutes.",
                facts={"claim": claim.pk, "after_seconds": after_seconds},
                once=f"claim_waiting/{claim.pk}",
            )
        ]
    )
    tell(claim, ClaimStep.Kind.ESCALATED, None, {"after_seconds": after_seconds})
    return True
