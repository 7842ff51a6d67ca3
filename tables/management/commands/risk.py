"""What a progressive costs: exact chances, envies, break-even meter, time between hits."""

import json
from io import StringIO
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from progressives.models import Progressive
from tables.rules.odds import DEALS, StaleCounts
from tables.services.risk import RiskUnknown
from tables.services.risk_report import report_of

WIDEST = 110


class Command(BaseCommand):
    help = "Tell a progressive's exact risk: per wager and by positions in play."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("progressive", help="its code")
        deals = ", ".join(f"{deal.code}: {deal.title}" for deal in DEALS.values())
        parser.add_argument("--deal", choices=DEALS, help=f"what is dealt, if not known; {deals}")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        found = Progressive.objects.filter(code=options["progressive"]).first()
        if found is None:
            codes = ", ".join(Progressive.objects.order_by("code").values_list("code", flat=True))
            raise CommandError(f"There is no such progressive; there are: {codes or 'none'}.")
        deal = DEALS.get(options["deal"] or "")
        try:
            report = report_of(found, deal)
        except (RiskUnknown, StaleCounts) as unknown:
            raise CommandError(str(unknown)) from None
        if options["json"]:
            self.stdout.write(json.dumps(report, indent=1))
            return
        text = StringIO()
        console = Console(file=text, width=WIDEST, highlight=False)
        for game in report["games"]:
            tell(console, report, game)
        self.stdout.write(text.getvalue())


def tell(console: Console, report: dict[str, Any], game: dict[str, Any]) -> None:
    """Print the risk at the tables of one game."""
    console.print(
        f"{report['progressive']}: {game['title']}, {game['cite']}, wager"
        f" ${report['wager_unit']}; {game['hands']:,} hands, {game['deal']}"
    )
    pace = report["pace"]
    if pace["wagers"]:
        console.print(
            f"Pace: {pace['wagers_a_day']} wagers a gaming day, over the last"
            f" {pace['gaming_days']} that were played."
        )
    console.print(rows_table(game))
    console.print(
        f"Paid for one wager, shares of levels and envies apart: ${game['fixed']}."
        f" Each other player's position in play adds ${game['envy_each']} of Envy Bonuses."
    )
    console.print(positions_table(game))
    for level in game["levels"]:
        console.print(
            f"{level['level']} shows ${level['shows']}. A wager is worth its stake at"
            f" ${level['break_even_alone'] or '–'} alone, ${level['break_even_full'] or '–'} at a"
            f" full table; in the long run the level stands at ${level['long_run_mean'] or '–'}."
        )
    run = game["long_run"]
    console.print(
        f"In the long run, increments and reset money counted, a wager costs ${run['cost_alone']}"
        f" alone (house {run['advantage_alone_percent']}%), ${run['cost_full']} at a full table"
        f" (house {run['advantage_full_percent']}%).\n"
    )


def rows_table(game: dict[str, Any]) -> Table:
    """Return the paytable with its chances."""
    table = Table("Hand", "Pays")
    for name in ("Hands", "One in", "Days between", "Worth", "Envy"):
        table.add_column(name, justify="right")
    for row in game["rows"]:
        table.add_row(
            row["hand"].replace("_", " "),
            row["pays"],
            f"{row['ways']:,}",
            commas(row["wagers_between"]),
            commas(row["days_between"]),
            row["worth"],
            row["envy"] or "–",
        )
    return table


def positions_table(game: dict[str, Any]) -> Table:
    """Return what changes with the positions in play, at what the levels show now."""
    table = Table()
    for name in (
        *("Positions", "Envies a wager", "Envies a round", "of one player two", "Returned"),
        *("House advantage", "House a round"),
    ):
        table.add_column(name, justify="right")
    for row in game["by_positions"]:
        table.add_row(
            str(row["positions"]),
            row["envy_per_wager"],
            row["envy_per_round"],
            row["envy_per_round_pair"] or "–",
            row["returned"],
            f"{row['advantage_percent']}%",
            row["house_per_round"],
        )
    return table


def commas(number: str | None) -> str:
    """Return a figure with its thousands set apart."""
    return "–" if number is None else f"{float(number):,.1f}"
