"""File rounds for the search, without Celery; once more from the first with ``--again``."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tables.services.filing import file_again, file_rounds


class Command(BaseCommand):
    help = "File the rounds that are over, so that ./run manage and the search page find them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--again", action="store_true", help="file every round once more")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["again"]:
            file_again()
        total = 0
        while filed := file_rounds():
            total += filed
        self.stdout.write(f"Filed: {total:,} rounds.")
