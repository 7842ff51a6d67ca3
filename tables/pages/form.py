"""Read a Rules Submission out of the form that proposes it, and fill the form again."""

import json
import re
from collections.abc import Mapping
from typing import Any

from tables.rules import Refusal, read_json
from tables.rules.choices import Choice, choices_of, put_at, value_at
from tables.rules.paytables import GameDefinition

KEPT = ("spec", "source")  # of the submission that a proposal starts from
WHOLE_DOLLARS = re.compile(r"\d{1,10}")


def read_choices(
    definition: GameDefinition, told: Mapping[str, Any], base: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the choices of the form, or of the JSON text where somebody wrote one."""
    if told["document"]:
        return read_json(told["document"].encode())
    choices: dict[str, Any] = {key: base[key] for key in KEPT if key in base}
    if told["sample"]:
        choices["sample"] = True
    elif "source" in choices:
        del choices["source"]  # it says why the figures were a sample
    for choice in choices_of(definition):
        read_one(definition, choice, told, choices)
    return choices


def read_one(
    definition: GameDefinition, choice: Choice, told: Mapping[str, Any], choices: dict[str, Any]
) -> None:
    """Read one choice; what is left empty is left out, and so are readings by default."""
    if choice.widget == "many":
        values = told[choice.name]
        put_at(choices, choice, [definition.main_wager, *values] if choice.path == ("wagers",)
               else values)  # fmt: skip
        return
    text = told[choice.name]
    if not text:
        return
    if choice.widget == "one":
        found = next((o.value for o in choice.options if str(o.value) == text), text)
        if choice.path[0] != "readings" or found != choice.default:
            put_at(choices, choice, found)
    elif choice.widget == "json":
        try:
            put_at(choices, choice, read_json(text.encode()))
        except Refusal as refusal:
            raise refusal.under(choice.path[0]) from None
    elif choice.widget == "number":
        put_at(choices, choice, int(text) if text.isdecimal() else text)
    elif choice.widget == "money" and WHOLE_DOLLARS.fullmatch(text):
        put_at(choices, choice, f"{text}.00")
    else:
        put_at(choices, choice, text)


class Field:
    """One choice as the form shows it, with what is chosen now."""

    def __init__(self, choice: Choice, choices: Mapping[str, Any]) -> None:
        self.choice, self.name, self.widget = choice, choice.name, choice.widget
        value = value_at(choices, choice)
        if value is None:
            value = choice.default
        self.value = json.dumps(value, indent=1) if self.widget == "json" and value else value
        self.options = [(option, str(option.value), self._chosen(option.value, value))
                        for option in choice.options]  # fmt: skip

    def _chosen(self, option: Any, value: Any) -> bool:
        return option in value if isinstance(value, list) else option == value


def fields_of(
    definition: GameDefinition, choices: Mapping[str, Any]
) -> list[tuple[str, list[Field]]]:
    """Return the form's fields under the headings that a person reads them by."""
    fields = [Field(choice, choices) for choice in choices_of(definition)]
    groups = [
        ("Wagers and paytables", ("wagers", "paytables", "paytable_rows", "envy")),
        ("Progressive", ("progressive", "progressive_units")),
        ("Limits", ("minimum", "maximum", "payout_limit")),
    ]
    named = {key for _, keys in groups for key in keys} | {"readings"}
    found = [(title, [f for f in fields if f.choice.path[0] in keys]) for title, keys in groups]
    found.insert(2, ("The table", [f for f in fields if f.choice.path[0] not in named]))
    offered = [f for f in fields if f.choice.path[0] == "readings"]
    found.append(("Readings to choose from", [f for f in offered if len(f.options) > 1]))
    found.append(("Readings without a choice", [f for f in offered if len(f.options) == 1]))
    return [(title, members) for title, members in found if members]
