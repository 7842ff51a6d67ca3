"""Copy a month of the log into one signed, compressed file that is read without the database."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.archive import ArchiveError
from tables.services.archives import archive_month


class Command(BaseCommand):
    help = (
        "Write a month of the log (UTC) into one file, signed with the log's key. Nothing leaves "
        "the database: the file is a copy, for another place. Read it with verify_audit --archive "
        "and reconstruct --archive."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("month", metavar="YYYY-MM", help="the month, as 2026-03")
        parser.add_argument("--to", type=Path, required=True, metavar="DIR", help="where it goes")
        parser.add_argument(
            "--so-far", action="store_true", help="also a month that is not over, as far as it is"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            made = archive_month(options["month"], options["to"], so_far=options["so_far"])
        except (ArchiveError, OSError) as problem:
            raise CommandError(str(problem)) from problem
        size = made.path.stat().st_size
        self.stdout.write(
            f"{made.path}: {made.events:,} events of {made.chains} chains, {size:,} bytes,"
            f" SHA-256 {made.sha256}."
        )
