"""How many hands of a deal hold what: exact counts, computed by ``counting`` and kept in files.

A file says of which definitions its counts were made: where those have changed since, it is
refused until it is computed again, so that no figure rests on rankings that no longer hold.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import comb
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
FOLDER = HERE / "counts"
Held = tuple[tuple[frozenset[str], int], ...]


class Deal(NamedTuple):
    """So many cards of a deck. ``by``: the reading that its counts depend on, and its choices.

    ``sources``: the modules that decide what a hand holds.
    """

    code: str
    title: str
    cards: int
    deck: int
    by: str
    choices: tuple[str, ...]
    sources: tuple[str, ...]

    @property
    def hands(self) -> int:
        """Return how many hands there are in all."""
        return comb(self.deck, self.cards)


_RANKED = ("cards.py", "hands.py", "classes.py", "counting.py")
SIX_OF_53 = Deal(
    "six_of_53",
    "six cards of 53, one joker",
    6,
    53,
    "SC-4",
    ("any", "narrow"),
    (*_RANKED, "six_card_plan.py"),
)
SEVEN_OF_53 = Deal(
    "seven_of_53",
    "seven cards of 53, one joker",
    7,
    53,
    "SC-4",
    ("any", "narrow"),
    (*_RANKED, "six_card_plan.py", "pai_gow_hands.py"),
)
LUNAR_FIVE = Deal(
    "lunar_five",
    "five cards of 52, as Lunar Poker ranks them",
    5,
    52,
    "LP-1",
    ("as_written", "flush"),
    (*_RANKED, "lunar_hands.py"),
)
FIVE_OF_52 = Deal("five_of_52", "five cards of 52", 5, 52, "", ("",), _RANKED)
DEALS = {deal.code: deal for deal in (SIX_OF_53, SEVEN_OF_53, LUNAR_FIVE, FIVE_OF_52)}
DEAL_OF = {
    "six_card_fortune_pai_gow": SIX_OF_53,
    "pai_gow": SEVEN_OF_53,
    "lunar_poker": LUNAR_FIVE,
}


class StaleCounts(Exception):
    """Counts that were made of other definitions than those that hold now."""


class Counts(NamedTuple):
    """All hands of a deal by what they hold: sets of names, and how many hands hold just these."""

    deal: Deal
    held: Held

    @property
    def hands(self) -> int:
        """Return how many hands there are in all."""
        return self.deal.hands

    @property
    def known(self) -> frozenset[str]:
        """Return every name that a hand of the deal can have."""
        return frozenset().union(*(names for names, _ in self.held))

    def ways(self, order: Sequence[str]) -> dict[str, int]:
        """Return how many hands are paid as each of these names, the first that they hold."""
        found = dict.fromkeys(order, 0)
        for names, hands in self.held:
            paid = next((name for name in order if name in names), None)
            if paid is not None:
                found[paid] += hands
        return found

    def chance(self, ways: int) -> Fraction:
        """Return the exact probability of so many of the hands."""
        return Fraction(ways, self.hands)


def definitions_digest(deal: Deal) -> str:
    """Return the SHA-256 of the modules that decide what a hand of the deal holds."""
    digest = hashlib.sha256()
    for name in sorted(deal.sources):
        digest.update(f"{name}\n".encode() + (HERE / name).read_bytes())
    return digest.hexdigest()


def written(deal: Deal, found: Mapping[str, Mapping[frozenset[str], int]]) -> str:
    """Return a deal's counts as the text of its file, the commonest hands first."""
    by = {
        choice: [
            [sorted(names), hands]
            for names, hands in sorted(held.items(), key=lambda pair: (-pair[1], sorted(pair[0])))
        ]
        for choice, held in found.items()
    }
    head = {"deal": deal.code, "hands": deal.hands, "definitions": definitions_digest(deal)}
    lines = [json.dumps(head)[:-1]]
    for choice, rows in by.items():
        text = ",\n  ".join(json.dumps(row) for row in rows)
        lines.append(f"{json.dumps(f'by {choice}'.strip())}: [\n  {text}\n ]")
    return ",\n ".join(lines) + "}\n"


@cache
def counts_of(deal: Deal, choice: str = "") -> Counts:
    """Return a deal's counts under one choice of its reading.

    Raises StaleCounts where the file was made of other definitions, or does not hold every hand.
    """
    told = json.loads((FOLDER / f"{deal.code}.json").read_text(encoding="utf-8"))
    again = "Compute them again: ./run manage count_hands."
    if told["definitions"] != definitions_digest(deal):
        raise StaleCounts(f"The counts of {deal.title} are of other definitions. {again}")
    rows = told[f"by {choice or deal.choices[0]}".strip()]
    held = tuple((frozenset(names), hands) for names, hands in rows)
    if total(held) != deal.hands:
        raise StaleCounts(f"The counts of {deal.title} do not hold every hand. {again}")
    return Counts(deal, held)


def total(held: Iterable[tuple[frozenset[str], int]]) -> int:
    """Return how many hands there are in all sets together."""
    return sum(hands for _, hands in held)
