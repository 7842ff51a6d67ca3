"""List exceptions for a shell: kind, place, what was right and what was paid, state and age."""

import json
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from audit.models import ExceptionRecord
from audit.selectors import AGES, age_text, told_all

COLUMNS = ("kind", "table", "round", "position", "wager", "right", "paid", "state", "age")


class Command(BaseCommand):
    help = "List what a person must look at, open ones unless asked otherwise."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--kind", default="", help="only this kind, such as mispay")
        parser.add_argument("--table", default="", help="only this table")
        parser.add_argument("--severity", default="", choices=["", *ExceptionRecord.Severity])
        parser.add_argument("--state", default="all", choices=["open", "closed", "all"])
        parser.add_argument("--age", default="", choices=["", *AGES], help="at least so old")
        parser.add_argument("--json", action="store_true", help="a JSON list; age in seconds")

    def handle(self, *args: Any, **options: Any) -> None:
        asked = {key: options[key] for key in ("kind", "table", "severity", "state", "age")}
        rows = list(told_all(asked))
        if options["json"]:
            self.stdout.write(json.dumps(rows, indent=1, ensure_ascii=False))
            return
        lines = [COLUMNS, *(tuple(cell(row, key) for key in COLUMNS) for row in rows)]
        widths = [max(len(line[place]) for line in lines) for place in range(len(COLUMNS))]
        for line in lines:
            padded = (text.ljust(width) for text, width in zip(line, widths, strict=True))
            self.stdout.write("  ".join(padded).rstrip())
        self.stdout.write(f"{len(rows)} found.")


def cell(row: dict[str, Any], key: str) -> str:
    """Write one value of a row."""
    if key == "age":
        return age_text(timedelta(seconds=row[key]))
    return "-" if row[key] in (None, "") else str(row[key])
