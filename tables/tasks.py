"""The doorbell: ids in, service call, nothing else. The row is the queue."""

from celery import shared_task
from django.db import OperationalError

from progressives.services import claims_escalate, control_effect
from tables.models import Facility
from tables.services import apply, drain, filing, gaps

PATIENCE_SECONDS = 5  # then the task rings again, so that no task runs long


@shared_task(
    acks_late=True,
    autoretry_for=(OperationalError,),
    retry_backoff=1,
    retry_backoff_max=5,
    max_retries=5,
    ignore_result=True,
)
def apply_lane(lane_id: int) -> None:
    """Drain one lane. Safe to run twice or side by side: see ``services.drain``."""
    while True:
        run = drain.drain_lane(lane_id=lane_id, seconds=PATIENCE_SECONDS)
        if run.more:  # the task stays short; the bell rings again
            apply_lane.delay(lane_id)
            return
        if run.busy or not apply.has_waiting(lane_id):
            return  # someone is at it, and looks once more after letting go


@shared_task(acks_late=True, ignore_result=True)
def escalate_claims() -> None:
    """Call for help where a payout has waited longer than the facility allows."""
    facility = Facility.objects.first()
    if facility is not None:
        claims_escalate.escalate_claims(after_seconds=facility.escalate_after_seconds)


@shared_task(acks_late=True, ignore_result=True)
def effect_changes() -> None:
    """Let changes of progressives take effect whose time has come and whose link rests."""
    control_effect.effect_due()


@shared_task(acks_late=True, ignore_result=True)
def sweep_lanes() -> None:
    """Ring for every lane that has something waiting, and raise an alarm for each gap."""
    for lane_id in apply.lanes_waiting():
        apply_lane.delay(lane_id)
    gaps.alarm_gaps()


@shared_task(acks_late=True, ignore_result=True)
def file_rounds() -> None:
    """File what is over, so that a search finds it by its keys."""
    filing.file_rounds(seconds=PATIENCE_SECONDS)
