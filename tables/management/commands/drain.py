"""Apply whatever waits, without Celery and without Redis."""

from typing import Any

from django.core.management.base import BaseCommand

from tables.services.apply import apply_lane, lanes_waiting


class Command(BaseCommand):
    help = "Apply every waiting event of every lane; needs PostgreSQL only."

    def handle(self, *args: Any, **options: Any) -> None:
        done = 0
        while True:
            applied = sum(apply_lane(lane_id=lane) or 0 for lane in lanes_waiting())
            if not applied:
                break
            done += applied
        self.stdout.write(f"{done:,} events applied.")
