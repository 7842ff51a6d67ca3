"""Close a gaming day from a shell: ``manage close_day [DAY] [ACTION] [--by STAFF] ...``."""

import getpass
import json
import os
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console

from audit.models import User
from audit.second_factor import NotProved, has_device, prove
from progressives.errors import ProgressiveError
from progressives.management.close_print import close_on_paper
from progressives.services.claims_approve import terms_now
from progressives.services.close_counts import import_counts
from progressives.services.close_day import end_day, next_day
from progressives.services.close_figures import close_told, figures_of
from progressives.services.close_readings import LARGEST_FILE, import_readings
from progressives.services.close_sign import prepare_close, review_close, send_close_back

PASSWORD = "CLOSE_PASSWORD"  # noqa: S105  # the variable's name
CODE = "CLOSE_CODE"
WIDTH = 100

Deed = Callable[[date, User, dict[str, Any]], str]


def end(day: date, by: User, options: dict[str, Any]) -> str:
    end_day(day=day, by=by)
    return f"Gaming day {day} is ended. What comes later joins the next day."


def read(day: date, by: User, options: dict[str, Any]) -> str:
    content, name = file_of(options)
    made = import_readings(day=day, by=by, content=content, name=name)
    return f"Readings entered: {len(made)}."


def count(day: date, by: User, options: dict[str, Any]) -> str:
    content, name = file_of(options)
    made = import_counts(day=day, by=by, content=content, name=name)
    return f"Counts of chips entered: {len(made)}."


def prepare(day: date, by: User, options: dict[str, Any]) -> str:
    prepare_close(day=day, by=by, note=options["note"])
    return f"Signed. Another person reviews the close of {day}."


def review(day: date, by: User, options: dict[str, Any]) -> str:
    review_close(day=day, by=by, note=options["note"])
    return f"Gaming day {day} is closed."


def send_back(day: date, by: User, options: dict[str, Any]) -> str:
    send_close_back(day=day, by=by, reason=options["note"])
    return "Sent back to the preparer."


def file_of(options: dict[str, Any]) -> tuple[bytes, str]:
    """Read the file that was named; a little more than is allowed, so that it is refused."""
    if options["file"] is None:
        raise CommandError("Say which CSV file: --file FILE.")
    path: Path = options["file"]
    try:
        with path.open("rb") as file:
            return file.read(LARGEST_FILE + 1), path.name
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}.") from error


DEEDS: dict[str, Deed] = {
    "end": end,
    "readings": read,
    "counts": count,
    "prepare": prepare,
    "review": review,
    "send-back": send_back,
}


class Command(BaseCommand):
    help = (
        "Show a gaming day's close and what blocks it (ends with 1 where anything does), or take "
        "one step of it. Who takes a step proves who he is: his password, and a code where he "
        "has a device, are asked for, or read from CLOSE_PASSWORD and CLOSE_CODE."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "day", nargs="?", type=date.fromisoformat, help="2026-03-14 (default: the next one)"
        )
        parser.add_argument(
            "action",
            nargs="?",
            default="show",
            choices=["show", *DEEDS],
            help="default: show; readings and counts come from --file",
        )
        parser.add_argument("--by", metavar="STAFF", help="staff code of who takes the step")
        parser.add_argument(
            "--file",
            type=Path,
            help="CSV: meter,value for readings; table,dealer,amount for counts",
        )
        parser.add_argument("--note", default="", help="a remark; the reason to send it back")
        parser.add_argument("--json", action="store_true", help="print a JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        day = options["day"] or next_day()
        if day is None:
            raise CommandError("Every gaming day that was played is closed. Say which: 2026-03-14.")
        said = ""
        if options["action"] != "show":
            try:
                said = DEEDS[options["action"]](day, self.person(options), options)
            except ProgressiveError as refusal:
                raise CommandError(str(refusal)) from refusal
        figures = figures_of(day)
        if options["json"]:
            self.stdout.write(json.dumps(close_told(figures), indent=1))
        elif said:
            self.stdout.write(said)
        else:
            console = Console(file=self.stdout, width=WIDTH)  # type: ignore[arg-type]
            for part in close_on_paper(figures):
                console.print(part)
        if not said and figures.blockers:
            sys.exit(1)

    def person(self, options: dict[str, Any]) -> User:
        """Return who takes the step, once he has proved who he is."""
        if not options["by"]:
            raise CommandError("Say who takes this step: --by STAFF.")
        person = User.objects.filter(staff_code=options["by"], is_active=True).first()
        if person is None:
            raise CommandError(f"Nobody who works here has the staff code {options['by']}.")
        required = terms_now().second_factor_required
        try:
            prove(
                person,
                password=secret(PASSWORD, f"Password of {person}: "),
                code=secret(CODE, "Code: ") if has_device(person) else "",
                code_required=required,
            )
        except NotProved as refused:
            raise CommandError(str(refused)) from refused
        return person


def secret(name: str, asked: str) -> str:
    """Return a secret from the environment, else ask for it where somebody can answer."""
    if name in os.environ:
        return os.environ[name]
    if not sys.stdin.isatty():
        raise CommandError(f"Nobody is there to ask: set {name}.")
    return getpass.getpass(asked)
