"""The Celery app. The database is the queue; Celery only rings the doorbell.

Every value answers one known way of losing or hanging a task; a lost doorbell is found again by
``sweep_lanes``, so nothing here is needed for correctness, only for speed.
"""

import gc
import os
import sys
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import beat_init, worker_process_init, worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings

from config.embedded.launcher import die_with_parent

# A task not acknowledged by then is handed out again: well above the longest task, and short
# enough that a dead worker's doorbell rings soon.
VISIBILITY_SECONDS = 90
SWITCH_SECONDS = 0.0005

app = Celery("config")
app.conf.update(
    broker_url=settings.REDIS_URL,
    result_backend=None,
    task_ignore_result=True,
    task_serializer="json",
    accept_content=["json"],  # the broker is not trusted
    timezone="UTC",
    enable_utc=True,
    # Lanes have a queue and a pool of their own: nothing slow may stand before a doorbell.
    task_default_queue="lanes",
    task_acks_late=True,  # a killed worker's doorbell rings again; the tasks are idempotent
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,  # no doorbells hoarded behind a busy lane
    task_time_limit=30,
    task_soft_time_limit=20,
    visibility_timeout=VISIBILITY_SECONDS,
    broker_transport_options={
        "visibility_timeout": VISIBILITY_SECONDS,
        "unacked_restore_interval": 10,
        "unacked_restore_throttle": 1,
        "socket_timeout": 5,
        "socket_connect_timeout": 2,
        "socket_keepalive": True,
        "health_check_interval": 10,
        "retry_on_timeout": True,
    },
    # Publishing must not hold a request: one retry, under half a second.
    task_publish_retry=True,
    task_publish_retry_policy={
        "max_retries": 1,
        "interval_start": 0.1,
        "interval_step": 0.1,
        "interval_max": 0.2,
    },
    broker_connection_timeout=2,
    broker_connection_max_retries=None,  # a worker never gives up on the broker
    broker_connection_retry_on_startup=True,
    worker_cancel_long_running_tasks_on_connection_loss=False,  # on, 5.6.3 workers exit
    worker_soft_shutdown_timeout=10,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
)
app.conf.beat_schedule = {
    "sweep-lanes": {"task": "tables.tasks.sweep_lanes", "schedule": 2.0},
    "sign-checkpoint": {"task": "audit.tasks.sign_checkpoint", "schedule": 120.0},
    "warn-of-expiry": {"task": "audit.tasks.warn_of_expiry", "schedule": 300.0},
    "file-rounds": {"task": "tables.tasks.file_rounds", "schedule": 5.0},
    "escalate-claims": {"task": "tables.tasks.escalate_claims", "schedule": 30.0},
    "effect-changes": {"task": "tables.tasks.effect_changes", "schedule": 10.0},
}
app.autodiscover_tasks()


@worker_process_init.connect
def bind_to_worker(**_: Any) -> None:
    """End a pool process with its worker: after kill -9 it would still hold a lane."""
    die_with_parent()
    make_ready_to_drain()


def make_ready_to_drain() -> None:
    """Turn the interpreter to what a drain does: one thread computes, the other one writes.

    What is loaded by now stays for good, so no garbage collection needs to walk it again. And the
    writer, which wants the interpreter for a moment a hundred times a batch, gets it soon.
    """
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(SWITCH_SECONDS)


@worker_ready.connect
def tell_supervisor(**_: Any) -> None:
    """Leave a mark that this worker listens to its queue."""
    if ready := os.environ.get("READY_FILE"):
        Path(ready).touch()


@beat_init.connect
def read_meters_at_start(**_: Any) -> None:
    """Have every meter read when the house starts; of beats it has one."""
    app.send_task("progressives.tasks.read_meters_at_start")
