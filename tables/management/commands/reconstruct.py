"""Print a round from the log alone, step by step."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.access import note_reading
from audit.archive import ArchiveError
from tables.services.archives import Archives
from tables.services.reconstruct import NotInTheLog, reconstruct
from tables.services.reconstruct_text import as_text


class Command(BaseCommand):
    help = (
        "Reconstruct a round from the audit log alone, with the meter at each turn. With --archive "
        "no database is asked: whoever reads a copy reads what he was given."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("table", help="the table's code, such as FPG-01")
        parser.add_argument("round", type=int, help="the table's round number")
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument(
            "--archive",
            action="append",
            type=Path,
            metavar="FILE",
            help="an archive instead of the database; several where a round lies in two months",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        place = options["table"], options["round"]
        try:
            if options["archive"]:
                told = Archives(options["archive"]).reconstruct(*place)
            else:
                told = reconstruct(*place)
        except (NotInTheLog, ArchiveError) as missing:
            raise CommandError(str(missing)) from missing
        if not options["archive"]:
            note_reading("reconstruct", f"{place[0]}/{place[1]}", by=None)
        if options["json"]:
            self.stdout.write(json.dumps(told))
        else:
            for line in as_text(told):
                self.stdout.write(line)
