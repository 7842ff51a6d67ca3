"""Sum a gaming day up: ``manage day_summary [--day DATE] [--json]``."""

import json
import sys
from datetime import date
from decimal import Decimal
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from rich.console import Console
from rich.table import Table

from progressives.meters import cents
from progressives.services.reconcile import Reconciliation
from tables.services.summary import Summary, as_json, count, summarize


class Command(BaseCommand):
    help = (
        "Say what a gaming day came to. Ends with 0 only if every meter reconciles, the log "
        "verifies, every progressive win has its claim and nothing waits that should not."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--day", type=date.fromisoformat, metavar="DATE", help="default: the latest played"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        summary = summarize(options["day"])
        if options["json"]:
            self.stdout.write(json.dumps(as_json(summary), indent=1))
        else:
            Console().print(as_table(summary))
            for fault in summary.faults:
                self.stdout.write(f"WRONG: {fault}")
            self.stdout.write(summary.sentence())
        if not summary.ok:
            sys.exit(1)


def as_table(summary: Summary) -> Table:
    """Lay the summary out, a fact a line."""
    title = f"{summary.facility}, gaming day {summary.gaming_day}"
    table = Table(title=title, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_row("rounds settled", f"{summary.rounds:,}")
    table.add_row("rounds void", f"{summary.voids:,}")
    table.add_row("progressive wagers", f"{summary.wagers:,} of ${summary.wagered:,.2f}")
    for meter in summary.meters:
        table.add_section()
        add_meter(table, meter)
    table.add_section()
    for kind, states in summary.claims.items():
        told = ", ".join(f"{number:,} {state}" for state, number in states.items()) or "none"
        table.add_row(f"claims: {kind} awards", told)
    table.add_row("claimed", f"${summary.claimed:,.2f}")
    table.add_row("Envy Bonuses", f"{summary.envies:,} of ${summary.envied:,.2f}")
    table.add_section()
    add_events(table, summary)
    table.add_section()
    log = "verified" if summary.audit_verified else "BROKEN"
    table.add_row("audit events", f"{summary.audit_events:,} {log}")
    table.add_row("audit head", summary.audit_head[:16])
    return table


def add_meter(table: Table, meter: Reconciliation) -> None:
    """Add what a meter shows and the sums that explain it, those that are none left out."""
    word = "reconciles" if meter.ok else "DOES NOT RECONCILE"
    table.add_row(f"meter {meter.meter}", f"{word} ${grouped(meter.value)}")
    table.add_row("  initial amount", grouped(meter.opening))
    for name in ("contributions", "reversals", "awards", "resets", "returned"):
        if amount := getattr(meter, name):
            table.add_row(f"  {name}", grouped(amount))


def add_events(table: Table, summary: Summary) -> None:
    """Add what waits for a person, and where the intake stands."""
    told = [count(number, severity) for severity, number in summary.exceptions.items()]
    table.add_row("open", ", ".join(told) or "no exceptions")
    events = summary.events
    table.add_row("events applied", f"{events.done:,} of {events.accepted:,}")
    table.add_row("  held: game not yet supported", f"{events.held:,}")
    table.add_row("  waiting", f"{events.waiting:,}")
    table.add_row("  behind a missing one", f"{events.gap:,}")
    table.add_row("  set aside for a person", f"{summary.set_aside:,}")
    table.add_row("rounds locked out and not over", f"{summary.open_rounds:,}")


def grouped(value: Decimal) -> str:
    """Write a meter value for people, its thousands apart."""
    return f"{Decimal(cents(value)):,}"
