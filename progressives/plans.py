"""What a progressive wager pays: paytables by letter or number, each row by its hand.

Pure. Rows are written as the regulations print them ("100% of mega", "300 for 1", "3 to 1",
"fixed $4000.00", "loss"). A hand without a row loses too.
"""

import re
from collections.abc import Collection, Mapping
from decimal import ROUND_DOWN, Decimal
from typing import Any, NamedTuple

from progressives.meters import CENT

PERCENT = re.compile(r"(\d{1,3})% of ([A-Za-z0-9][A-Za-z0-9._-]*)")
ODDS = re.compile(r"([1-9]\d{0,5}) (to|for) 1")
FIXED = re.compile(r"fixed \$(\d{1,9}\.\d{2})")
HAND = re.compile(r"[a-z0-9][a-z0-9_]{0,23}")


class PlanRefused(ValueError):
    """A paytable that does not hold together: where, and in words."""

    def __init__(self, path: str, detail: str) -> None:
        super().__init__(detail)
        self.path, self.detail = path, detail


class Pays(NamedTuple):
    """What a row pays: a share of a level, or a multiple of the wager, or a sum.

    ``given_back``: the wager itself goes back beside the winnings ("to 1").
    """

    text: str
    level: str | None = None
    percent: int | None = None
    times: int = 0
    given_back: bool = False
    fixed: Decimal | None = None

    @property
    def loses(self) -> bool:
        """Whether the row is a printed loss."""
        return self.text == "loss"

    def winnings(self, stake: Decimal) -> Decimal | None:
        """Return the winnings on a stake; None where only the level can tell."""
        if self.percent is not None:
            return None
        if self.fixed is not None:
            return self.fixed
        return (stake * self.times).quantize(CENT, rounding=ROUND_DOWN)


LOSS = Pays("loss")


def read_pays(text: Any, levels: Collection[str], path: str) -> Pays:
    """Read what one row pays; a share must be of a level that the progressive has."""
    if not isinstance(text, str):
        raise PlanRefused(path, "What a row pays is written as a text.")
    if text == LOSS.text:
        return LOSS
    if found := PERCENT.fullmatch(text):
        percent, level = int(found[1]), found[2]
        if not 0 < percent <= 100:
            raise PlanRefused(path, "A share of a level is above 0 and at most 100%.")
        if level not in levels:
            raise PlanRefused(path, f"The progressive has no level {level}.")
        return Pays(text, level=level, percent=percent)
    if found := ODDS.fullmatch(text):
        return Pays(text, times=int(found[1]), given_back=found[2] == "to")
    if found := FIXED.fullmatch(text):
        return Pays(text, fixed=Decimal(found[1]))
    known = '"100% of mega", "300 for 1", "3 to 1", "fixed $50.00" or "loss"'
    raise PlanRefused(path, f"A row pays {known}, not {text}.")


class Plan(NamedTuple):
    """The paytables of a progressive, by name and hand."""

    paytables: Mapping[str, Mapping[str, Pays]]

    def pays(self, paytable: str, hand: str) -> Pays:
        """Return what a hand pays; a hand that has no row loses."""
        return self.paytables[paytable].get(hand, LOSS)


def read_plan(paytables: Any, levels: Collection[str], path: str = "paytables") -> Plan:
    """Read paytables as JSON has them: ``{"B": [{"hand": ..., "pays": ...}, ...], ...}``."""
    if not isinstance(paytables, dict):
        raise PlanRefused(path, "Paytables are an object: a name, and its rows.")
    read = {}
    for name, rows in paytables.items():
        if not isinstance(rows, list) or not rows:
            raise PlanRefused(f"{path}.{name}", "A paytable is a list of rows.")
        read[name] = read_rows(rows, levels, f"{path}.{name}")
    return Plan(read)


def read_rows(rows: list[Any], levels: Collection[str], path: str) -> dict[str, Pays]:
    """Read the rows of one paytable; a hand stands in it once."""
    found: dict[str, Pays] = {}
    for place, row in enumerate(rows):
        at = f"{path}[{place}]"
        if not isinstance(row, dict) or set(row) != {"hand", "pays"}:
            raise PlanRefused(at, "A row says a hand and what it pays, and nothing else.")
        hand = row["hand"]
        if not isinstance(hand, str) or not HAND.fullmatch(hand):
            raise PlanRefused(f"{at}.hand", "A hand is named in small letters, as royal_flush.")
        if hand in found:
            raise PlanRefused(f"{at}.hand", f"The hand {hand} stands twice.")
        found[hand] = read_pays(row["pays"], levels, f"{at}.pays")
    return found
