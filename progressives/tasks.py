"""The doorbell: a service call, nothing else."""

from celery import shared_task

from progressives.models import MeterSnapshot
from progressives.services import snapshots


@shared_task(acks_late=True, ignore_result=True)
def read_meters_at_start() -> None:
    """Take a snapshot of every meter: the house has started."""
    snapshots.take_and_tell(MeterSnapshot.Reason.START_UP)
