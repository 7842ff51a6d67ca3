"""Walk the whole log and say what broke and where; exit status 1 if anything did."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from audit.models import Chain
from audit.verify import verify_chains


class Command(BaseCommand):
    help = "Recompute every link of the audit log and name each break."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        total = sum(Chain.objects.values_list("sequence", flat=True))
        bar = Progress(
            TextColumn("verifying the log"),
            BarColumn(),
            MofNCompleteColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        with bar:
            task = bar.add_task("", total=total)
            result = verify_chains(lambda walked: bar.advance(task, walked))
        if options["json"]:
            told = {"events": result.events, "head": result.head, "verified": result.ok}
            told["faults"] = [fault._asdict() for fault in result.faults]
            self.stdout.write(json.dumps(told))
        else:
            for fault in result.faults:
                self.stdout.write(f"{fault.chain} {fault.sequence}: {fault.kind}: {fault.detail}")
            if result.ok:
                self.stdout.write(
                    f"{result.events:,} events in {Chain.objects.count()} chains verified;"
                    f" head {result.head[:16]}."
                )
        if not result.ok:
            raise CommandError(f"The log is broken in {len(result.faults)} places.", returncode=1)
