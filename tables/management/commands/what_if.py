"""Settle a round again under another submission or reading, and say what would be otherwise."""

import json
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.access import note_reading
from tables.rules.plain import WAGER_WORDS
from tables.services.reconstruct import NotInTheLog
from tables.services.what_if import Answer, CannotAsk, Change, what_if


class Command(BaseCommand):
    help = (
        "Settle a round again and show what differs, line by line and in sums. Without --reading "
        "and --submission it is settled by its own rules, and nothing may differ. Nothing is "
        "changed; that somebody asked is in the log."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("table", help="the table's code, such as FPG-01")
        parser.add_argument("round", type=int, help="the table's round number")
        parser.add_argument(
            "--reading",
            action="append",
            default=[],
            metavar="SC-8=table",
            help="a reading and how it is taken; may be given several times",
        )
        parser.add_argument("--submission", metavar="VERSION", help="another submission's version")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        readings = dict(pair(told) for told in options["reading"])
        try:
            answer = what_if(
                options["table"],
                options["round"],
                version=options["submission"],
                readings=readings,
            )
        except (CannotAsk, NotInTheLog) as problem:
            raise CommandError(str(problem)) from problem
        facts = {"readings": readings, "submission": options["submission"]}
        place = f"{options['table']}/{options['round']}"
        note_reading("what_if", place, by=None, facts=facts)
        if options["json"]:
            self.stdout.write(json.dumps(answer.as_json()))
        else:
            for line in as_text(answer):
                self.stdout.write(line)


def pair(told: str) -> tuple[str, str]:
    """Read ``SC-8=table``."""
    name, equals, choice = told.partition("=")
    if not equals or not name or not choice:
        raise CommandError(f"Write a reading as SC-8=table, not {told!r}.")
    return name.strip().upper(), choice.strip()


def as_text(answer: Answer) -> Iterator[str]:
    """Yield the answer in lines."""
    yield f"{answer.table}, round {answer.round}"
    yield f"  in the log: {answer.settled_by}"
    yield f"  asked:      {answer.asked}"
    if answer.refusal:
        told = answer.refusal
        yield f"Refused under these rules: {told['code']} at {told['path']}: {told['detail']}"
        return
    if answer.same:
        yield "Nothing would be otherwise."
        return
    yield ""
    for change in answer.changes:
        yield from written(change)
    for what, log, other in answer.others:
        yield f"{what}: {log}  ->  {other}"
    yield ""
    yield f"{'Paid and returned':<20}{'in the log':>14}{'otherwise':>14}{'difference':>14}"
    for who, before, after in answer.sums:
        if before != after or who == "All positions":
            yield f"{who:<20}{before:>14,.2f}{after:>14,.2f}{after - before:>+14,.2f}"


def written(change: Change) -> Iterator[str]:
    """Yield a line that would be another."""
    name = WAGER_WORDS.get(change.wager, change.wager)
    aside = f" ({change.about})" if change.about else ""
    yield f"Position {change.position}, {name}{aside}: {change.money:+,.2f}"
    for what, before, after in change.differs:
        shown = [str(side).replace("_", " ") or "–" for side in (before, after)]
        yield f"    {what.replace('_', ' ')}: {shown[0]}  ->  {shown[1]}"
