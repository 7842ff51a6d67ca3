"""Print a round from the log alone, step by step."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.access import note_reading
from tables.services.reconstruct import NotInTheLog, reconstruct
from tables.services.reconstruct_text import as_text


class Command(BaseCommand):
    help = "Reconstruct a round from the audit log alone, with the meter at each turn."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("table", help="the table's code, such as FPG-01")
        parser.add_argument("round", type=int, help="the table's round number")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            told = reconstruct(options["table"], options["round"])
        except NotInTheLog as missing:
            raise CommandError(str(missing)) from missing
        note_reading("reconstruct", f"{options['table']}/{options['round']}", by=None)
        if options["json"]:
            self.stdout.write(json.dumps(told))
        else:
            for line in as_text(told):
                self.stdout.write(line)
