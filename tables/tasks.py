"""The doorbell: ids in, service call, nothing else. The row is the queue."""

from time import monotonic

from celery import shared_task
from django.db import OperationalError

from tables.services import apply, gaps

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
    """Drain one lane. Safe to run twice or side by side: see ``services.apply``."""
    until = monotonic() + PATIENCE_SECONDS
    while True:
        done = apply.apply_lane(lane_id=lane_id)
        if done is None:  # someone is at it, and looks once more after letting go
            return
        if not done and not apply.has_waiting(lane_id):
            return
        if monotonic() > until:
            apply_lane.delay(lane_id)
            return


@shared_task(acks_late=True, ignore_result=True)
def sweep_lanes() -> None:
    """Ring for every lane that has something waiting, and raise an alarm for each gap."""
    for lane_id in apply.lanes_waiting():
        apply_lane.delay(lane_id)
    gaps.alarm_gaps()
