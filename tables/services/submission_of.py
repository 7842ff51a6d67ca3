"""The submission that a round was settled under, found again by what its outcome names."""

from collections.abc import Callable

from tables.models import RulesSubmission
from tables.rules import Refusal, Submission

#: Finds a submission by game and by the outcome's ``rules``.
Find = Callable[[str, str], Submission | None]


def find_submission(game: str, rules: str) -> Submission | None:
    """Return the submission whose definition, version and digest an outcome names.

    None where no such submission is at hand any more: a row that says something else today, or
    another definition of the chapter, is not what settled the round.
    """
    version = rules.rpartition(" + ")[2].rpartition(" ")[0]
    rows = RulesSubmission.objects.filter(game=game, version=version)
    for choices in [*rows.values_list("choices", flat=True), {}]:
        made = made_of(game, choices)
        if made is not None and made.rules == rules:
            return made
    return None


def made_of(game: str, choices: dict[str, object]) -> Submission | None:
    """Return the choices as a submission, or None where the engine refuses them today."""
    try:
        return Submission.make(game, choices)
    except Refusal:
        return None
