"""Simulate a month: ``manage simulate [--days N] [--tables N] [--density X] [--fault NAME]``."""

import json
import shlex
import sys
from datetime import date
from decimal import Decimal
from time import monotonic
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from progressives.errors import ProgressiveError
from tables.management.bars import progress_bar
from tables.services.month import CannotSimulate, Closed, Month
from tables.simulator.days import FAULTS

DAYS, TABLES, SEED = 30, 40, 449
ROUNDS = 100_000  # of the default days and tables: about 83 a table and day
WIDTH = 100


class Command(BaseCommand):
    help = (
        "Let a made-up property play gaming day after gaming day, through the real intake, lanes, "
        "claims and daily close. Signs and racks are read by a witness with arithmetic of his "
        "own. It plays in a house of its own, in a new folder within DATA_DIR."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--days", type=int, default=DAYS)
        parser.add_argument("--tables", type=int, default=TABLES)
        parser.add_argument(
            "--density",
            type=float,
            default=1.0,
            help=f"times as many rounds (1: about {ROUNDS:,} in {DAYS} days at {TABLES} tables)",
        )
        parser.add_argument("--seed", type=int, default=SEED, help="the same seed, the same days")
        parser.add_argument(
            "--begins", type=date.fromisoformat, help="the first day (default: to end yesterday)"
        )
        parser.add_argument(
            "--fault",
            action="append",
            default=[],
            metavar="NAME[@DAY]",
            help=f"what goes wrong, on which day from 1 (default: the middle): {', '.join(FAULTS)}",
        )
        parser.add_argument("--json", action="store_true", help="one JSON object, no table")

    def handle(self, *args: Any, **options: Any) -> None:
        month = self.month_of(options)
        begun, closed = monotonic(), []
        try:
            with progress_bar() as bar:
                rounds = bar.add_task("rounds", total=month.rounds)
                days = bar.add_task("closed", total=month.days)
                for one in month.play(lambda count: bar.advance(rounds, count)):
                    closed.append(one)
                    bar.advance(days)
        except (CannotSimulate, ProgressiveError) as refusal:
            self.tell(closed, options, monotonic() - begun)
            raise CommandError(str(refusal)) from refusal
        self.tell(closed, options, monotonic() - begun)
        if any(one.unexplained for one in closed):
            sys.exit(1)

    def month_of(self, options: dict[str, Any]) -> Month:
        """Read what is asked for."""
        days, tables = options["days"], options["tables"]
        if days < 1 or not 1 <= tables <= 400 or options["density"] <= 0:
            raise CommandError("Days, tables (up to 400) and density must be more than zero.")
        rounds = round(ROUNDS * options["density"] * days / DAYS * tables / TABLES)
        faults: dict[int, str] = {}
        for told in options["fault"]:
            name, _, day = told.partition("@")
            if name not in FAULTS or (day and not day.isdecimal()):
                raise CommandError(f"{told} is no fault: {', '.join(FAULTS)}, with @DAY if wanted.")
            number = int(day) - 1 if day else (days - 1) // 2
            if not 0 <= number < days or number in faults:
                raise CommandError(f"{told}: one fault on a day of 1 to {days}.")
            faults[number] = name
        return Month(
            days=days,
            tables=tables,
            rounds=max(rounds, days * tables),
            seed=options["seed"],
            first=options["begins"],
            faults=faults,
        )

    def tell(self, closed: list[Closed], options: dict[str, Any], seconds: float) -> None:
        """Print the days, what varied, and the sum in a sentence."""
        unexplained = sum((one.unexplained for one in closed), Decimal(0))
        if options["json"]:
            told = {
                "days": [told_day(one) for one in closed],
                "days_closed": len(closed),
                "seconds": round(seconds, 1),
                "unexplained": f"{unexplained:f}",
            }
            self.stdout.write(json.dumps(told, indent=1))
            return
        console = Console(file=self.stdout, width=WIDTH)  # type: ignore[arg-type]
        console.print(table_of(closed))
        for one in closed:
            for found in one.variances:
                console.print(
                    f"{one.day}  [bold]{found['of']}[/] is off by {found['amount']}. "
                    f"{found['cause'].replace('_', ' ').capitalize()}: {found['said']}"
                )
        rounds, claims = sum(one.rounds for one in closed), sum(one.claims for one in closed)
        variances = sum(len(one.variances) for one in closed)
        named = f", {variances} variances named" if variances else ""
        self.stdout.write(
            f"{len(closed)} day{'' if len(closed) == 1 else 's'} closed by two people each: "
            f"{rounds:,} rounds at {options['tables']} tables, {claims:,} payouts{named}, "
            f"{unexplained * 100:.0f} unexplained cents. It took {seconds / 60:.1f} minutes."
        )
        folder = shlex.quote(str(settings.DATA_DIR))
        self.stdout.write(f"Look at the days: DATA_DIR={folder} ./run demo")


def table_of(closed: list[Closed]) -> Table:
    """Lay the days out, one a line."""
    table = Table(title="Gaming days, closed")
    for name in ("day", "rounds", "payouts", "exceptions", "variances", "unexplained"):
        table.add_column(name, justify="left" if name == "day" else "right")
    table.add_column("signed figures")
    for one in closed:
        table.add_row(
            one.day.isoformat(),
            f"{one.rounds:,}",
            f"{one.claims:,}",
            f"{one.exceptions:,}",
            f"{len(one.variances)}" + (f" ({one.fault})" if one.fault else ""),
            f"{one.unexplained:.2f}",
            one.digest[:16],
        )
    return table


def told_day(one: Closed) -> dict[str, Any]:
    """Return a day as JSON."""
    return {
        "day": one.day.isoformat(),
        "rounds": one.rounds,
        "events": one.events,
        "payouts": one.claims,
        "exceptions": one.exceptions,
        "fault": one.fault,
        "place": list(one.place) if one.place else None,
        "variances": one.variances,
        "unexplained": f"{one.unexplained:f}",
        "digest": one.digest,
    }
