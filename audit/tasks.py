"""The signer's round: sign what was written, and take the checkpoints out of the house."""

from celery import shared_task

from audit import checkpoints, footage, sinks


@shared_task(acks_late=True, ignore_result=True)
def sign_checkpoint() -> None:
    """Sign a checkpoint and hand over every one that has not arrived everywhere."""
    checkpoints.sign_quietly()
    sinks.hand_over()


@shared_task(acks_late=True, ignore_result=True)
def warn_of_expiry() -> None:
    """Put held footage before a person that will be overwritten soon."""
    footage.warn_of_expiry()
