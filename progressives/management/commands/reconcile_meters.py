"""Reconcile every meter with its entries: ``manage reconcile_meters [--json]``."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from rich.console import Console
from rich.table import Table

from progressives.meters import cents
from progressives.services.must_hit_verify import must_hit_faults
from progressives.services.reconcile import Reconciliation, reconcile

SUMS = "opening contributions reversals awards resets returned expected value difference".split()


class Command(BaseCommand):
    help = (
        "Add every meter up from its entries, and check what was drawn for levels that must hit. "
        "Ends with 1 if anything does not hold."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print a list of JSON objects")

    def handle(self, *args: Any, **options: Any) -> None:
        found = reconcile()
        if options["json"]:
            self.stdout.write(json.dumps([as_json(meter) for meter in found], indent=1))
        else:
            Console().print(as_table(found))
            for meter in found:
                for fault in meter.faults:
                    self.stderr.write(f"{meter.meter}: {fault}")
        draws = must_hit_faults()
        for fault in draws:
            self.stderr.write(fault)
        if draws or not all(meter.ok for meter in found):
            sys.exit(1)


def as_json(meter: Reconciliation) -> dict[str, Any]:
    """Return a reconciliation as JSON, its money as text."""
    sums = {name: cents(getattr(meter, name)) for name in SUMS}
    told = {"entries": meter.entries, "ok": meter.ok, "faults": list(meter.faults)}
    return {"meter": meter.meter, **sums, **told}


def as_table(found: list[Reconciliation]) -> Table:
    """Lay the reconciliations out, a sum a line: whole amounts on any screen."""
    table = Table(title="Meters")
    table.add_column("meter")
    table.add_column("")
    table.add_column("dollars", justify="right", no_wrap=True)
    for meter in found:
        for name in SUMS:
            table.add_row(meter.meter if name == SUMS[0] else "", name, cents(getattr(meter, name)))
        table.add_row("", f"of {meter.entries:,} entries", "ok" if meter.ok else "WRONG")
        table.add_section()
    return table
