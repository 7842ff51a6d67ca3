"""Print games as a lawyer checks them, or the sign that hangs at the table."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables.models import RulesSubmission
from tables.rules import GAMES, Submission
from tables.rules.games import definition_of
from tables.rules.paytables import GameDefinition
from tables.rules.printing import readings_page, rules_text
from tables.rules.samples import read_sample
from tables.rules.signs import sign_text
from tables.services.submissions import in_force, today


class Command(BaseCommand):
    help = "Print every figure of a game with its paragraph; all games without a name."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("game", nargs="?", choices=GAMES)
        parser.add_argument("--submission", metavar="VERSION", help="what holds under it")
        parser.add_argument("--sign", action="store_true", help="the payout sign of what holds")
        parser.add_argument("--readings", action="store_true", help="docs/readings.md")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["readings"]:
            self.stdout.write("\n".join(readings_page()))
            return
        if options["submission"] and not options["game"]:
            raise CommandError("A version belongs to a game: name it too.")
        games = [options["game"]] if options["game"] else GAMES
        for place, game in enumerate(games):
            if place:
                self.stdout.write("\n\n")
            self.stdout.write("\n".join(printed(game, options["submission"], options["sign"])))


def printed(game: str, version: str | None, sign: bool) -> list[str]:
    """Return one game's printout."""
    definition = definition_of(game)
    if definition is None:
        raise CommandError(f"There is no definition of {game} yet.")
    if sign:
        return sign_text(definition, submitted(definition, version))
    if version or definition.needs_submission:
        return rules_text(definition, submitted(definition, version))
    return rules_text(definition)


def submitted(definition: GameDefinition, version: str | None) -> Submission:
    """Return the submission of this version, or the one in force.

    Where none is in force, the chapter's defaults hold; a game that has none of its own is
    printed by the sample, which says what it is.
    """
    game = definition.name
    if version:
        found = RulesSubmission.objects.filter(game=game, version=version).first()
        if found is None:
            raise CommandError(f"There is no submission {version} of {game}.")
        return Submission.make(game, found.choices)
    held = in_force(game, today())
    if held is not None:
        return Submission.make(game, held.choices)
    return Submission.make(
        game, read_sample(definition.chapter) if definition.needs_submission else {}
    )
