"""Take a snapshot of every meter."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from progressives.meters import cents
from progressives.models import MeterSnapshot
from progressives.services.snapshots import take_and_tell


class Command(BaseCommand):
    help = "Store a snapshot of every meter with all it has counted, and print it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--reason", choices=MeterSnapshot.Reason.values, default=MeterSnapshot.Reason.DEMAND
        )

    def handle(self, *args: Any, **options: Any) -> None:
        for found in take_and_tell(options["reason"]):
            self.stdout.write(
                f"{found.meter.progressive.code}:{found.meter.name} {cents(found.value)}"
                f" after entry {found.sequence}; {found.wagers} wagers, {found.hits} hits,"
                f" {found.won:.2f} won"
            )
