"""Checks of a submission's choices that the engine does not need and the floor does."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tables.rules import shapes
from tables.rules.choices import choices_of, progressives_in, value_at
from tables.rules.paytables import GameDefinition, ProgressiveTerms
from tables.rules.refusals import Refusal
from tables.rules.rounds import Submission
from tables.rules.shapes import shape

_PROGRESSIVE = shape(
    {
        "wager_unit": shapes.money,
        "initial": shapes.money,
        "reset": shapes.money,
        "increment_percent": shapes.percent,
    },
    required=("wager_unit",),
)


def check_chosen(game: str, choices: Mapping[str, Any]) -> Submission:
    """Return the choices as a submission; refuse the first that is wrong, or that says too much."""
    submission = Submission.make(game, choices)
    definition = submission.definition
    if definition is not None:
        if definition.needs_submission and not choices:
            raise Refusal("missing_key", "wagers", "A submission for this game brings its figures.")
        check_progressives(definition, choices)
        check_limits(submission)
        check_words(definition, choices)
    return submission


def check_progressives(definition: GameDefinition, choices: Mapping[str, Any]) -> None:
    """Refuse a progressive that the chapter does not have, or too small a seed for it."""
    terms = definition.progressive
    if terms is None:
        if definition.progressive_of is None and progressives_in(choices):
            detail = f"{definition.title} has no Progressive Payout Wager."
            raise Refusal("bad_value", "progressive", detail)
        return
    if type(choices.get("progressive", [])) not in (list, dict):
        raise Refusal("wrong_type", "progressive", "'progressive' must be an object or a list.")
    for place, unit in enumerate(choices.get("progressive_units", ())):
        check_unit(unit, terms, f"progressive_units[{place}]")
    for place, told in enumerate(progressives_in(choices)):
        path = f"progressive[{place}]"
        try:
            _PROGRESSIVE(told)
        except Refusal as refusal:
            raise refusal.under(path) from None
        check_unit(told["wager_unit"], terms, f"{path}.wager_unit")
        check_seed(told, terms, path)


def check_unit(unit: Any, terms: ProgressiveTerms, path: str) -> None:
    """Refuse a wager unit that the chapter prints nothing for (SC-9)."""
    if not isinstance(unit, str) or unit not in map(str, terms.units):
        known = " or ".join(f"${known}" for known in terms.units)
        detail = f"A Progressive Payout Wager here is {known}."
        raise Refusal("progressive_unit", path, detail, terms.cite)


def check_seed(told: Mapping[str, Any], terms: ProgressiveTerms, path: str) -> None:
    """Refuse a seed below the chapter's, and any other rate than its own (§ 670a.12(d)(1)-(2))."""
    least = terms.lowest_reset(Decimal(told["wager_unit"]))
    for key in ("initial", "reset"):
        if key in told and Decimal(told[key]) < least:
            detail = f"The {key} amount must be at least ${least:,.2f} for this wager."
            raise Refusal("seed_too_small", f"{path}.{key}", detail, terms.cite)
    rate = told.get("increment_percent")
    if rate is not None and Decimal(rate) != terms.increment_percent:
        detail = f"The chapter fixes the rate of progression at {terms.increment_percent} percent."
        raise Refusal("bad_percent", f"{path}.increment_percent", detail, terms.cite)


def check_limits(submission: Submission) -> None:
    """Refuse limits that no wager can meet."""
    for key, limits in (("minimum", submission.minimum), ("maximum", submission.maximum)):
        for wager, amount in limits.items():
            if amount <= 0:
                raise Refusal("bad_money", f"{key}.{wager}", "A limit is more than zero.")
    for wager, most in submission.maximum.items():
        if submission.minimum.get(wager, most) > most:
            detail = "The maximum is below the minimum."
            raise Refusal("bad_value", f"maximum.{wager}", detail)


def check_words(definition: GameDefinition, choices: Mapping[str, Any]) -> None:
    """Refuse a choice of a kind that the game's own list does not have."""
    for choice in choices_of(definition):
        value = value_at(choices, choice)
        if value is None:
            continue
        path = ".".join(choice.path)
        if choice.widget == "text":
            try:
                shapes.note(value)
            except Refusal as refusal:
                raise refusal.under(path) from None
        allowed = {option.value for option in choice.options if not isinstance(option.value, list)}
        number = type(value) is int and choice.path == ("adjacent_positions",)
        if choice.widget == "one" and not number and value not in allowed:
            known = ", ".join(str(option.value) for option in choice.options)
            raise Refusal("bad_value", path, f"This can be: {known}.", choice.cite or None)
