"""What beat asks of the ledger's floor: service calls, and nothing else."""

from celery import shared_task
from django.conf import settings
from django.db import OperationalError

from progressives.services import claims_escalate

ESCALATE_AFTER_SECONDS = 300  # where neither the caller nor the settings say otherwise


@shared_task(acks_late=True, autoretry_for=(OperationalError,), retry_backoff=1, max_retries=3)
def escalate_claims(after_seconds: int | None = None) -> int:
    """Mark what has waited too long. Safe to run twice: see ``services.claims_escalate``."""
    if after_seconds is None:
        after_seconds = getattr(settings, "ESCALATE_AFTER_SECONDS", ESCALATE_AFTER_SECONDS)
    return claims_escalate.escalate_claims(after_seconds=after_seconds)
