"""Load a set-up file: ``manage load_setup FILE``."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables.rules import Refusal, read_json
from tables.services.setup import load_setup


class Command(BaseCommand):
    help = (
        "Make the facility, progressives, rules submissions and tables that a setup/1 file names. "
        "The same file again changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            loaded = load_setup(read_json(options["file"].read_bytes()))
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}.") from error
        except Refusal as refusal:
            cite = f" ({refusal.cite})" if refusal.cite else ""
            raise CommandError(
                f"{refusal.code} at {refusal.path or 'the top'}: {refusal.detail}{cite}"
            ) from refusal
        for name in loaded.made:
            self.stdout.write(f"made {name}")
        self.stdout.write(f"{len(loaded.made)} made, {loaded.unchanged} as they were.")
