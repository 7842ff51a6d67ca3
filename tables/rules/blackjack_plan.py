"""Chapter 672a under the choices of a submission, worked out once for all its rounds."""

from collections.abc import Mapping
from typing import Any

from tables.rules import shapes
from tables.rules.refusals import Refusal
from tables.rules.shapes import Check
from tables.rules.wagers import AMOUNTS

SETTLEMENTS = ("by_player", "losers_first")

_CHOICES: dict[str, Check] = {
    "settlement": shapes.one_of(*SETTLEMENTS),
    "even_money": shapes.flag,
    "smallest_chip": shapes.money,
}


class Plan:
    """What a certificate holder chose of what chapter 672a leaves to choose.

    ``most_boxes`` is the number of adjacent boxes on which one player may wager (§ 672a.6(f));
    None: the submission sets none.
    """

    def __init__(self, readings: Mapping[str, str], choices: Mapping[str, Any]) -> None:
        for key, check in _CHOICES.items():
            if key in choices:
                try:
                    check(choices[key])
                except Refusal as refusal:
                    raise refusal.under(key) from None
        self.tucked_returned = readings["FB-1"] == "tucked_returned"
        self.losers_first = choices.get("settlement") == "losers_first"
        self.even_money: bool = choices.get("even_money", True)
        chip = choices.get("smallest_chip")
        self.smallest_chip = None if chip is None else AMOUNTS[chip]
        self.most_boxes = boxes(choices.get("adjacent_positions", True))


def boxes(told: Any) -> int | None:
    """Return how many adjacent boxes one player may have: a number, or whether at all."""
    if type(told) is bool:
        return None if told else 1
    if type(told) is int and told >= 1:
        return told
    detail = "The number of adjacent boxes for one player is a whole number."
    raise Refusal("bad_value", "adjacent_positions", detail, "§ 672a.6(f)")
