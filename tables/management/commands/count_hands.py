"""Compute the exact counts of all hands, which every risk and every odds rest on."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables.rules.counting import count_deal
from tables.rules.odds import DEALS, FOLDER, counts_of, written


class Command(BaseCommand):
    help = "Count all hands of every deal anew and keep the counts; --check only compares."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("deal", nargs="*", choices=[*DEALS, []], metavar="DEAL")
        parser.add_argument("--check", action="store_true", help="compare, and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        differs = []
        for code in options["deal"] or DEALS:
            deal = DEALS[code]
            text, path = written(deal, count_deal(deal)), FOLDER / f"{code}.json"
            same = path.exists() and path.read_text(encoding="utf-8") == text
            if not same:
                differs.append(code)
                if not options["check"]:
                    path.write_text(text, encoding="utf-8")
                    counts_of.cache_clear()
            word = "as they are kept" if same else "differ" if options["check"] else "written"
            self.stdout.write(f"{deal.title}: {deal.hands:,} hands, {word}")
        if differs and options["check"]:
            raise CommandError(f"Not as they are kept: {', '.join(differs)}.")
