"""The chance of each Push 22 hand (§ 672a.11(c)), exactly, for six or eight decks.

The dealer draws until he has 17 or more whenever a Push 22 Wager is in play (§ 672a.7(l), (m)), and
what lies in the shoe is as likely in any order: which cards the players got changes nothing. Ways
are counted by the ranks that the dealer holds; suits follow from how often each rank is there.
"""

from collections import Counter
from fractions import Fraction
from math import perm

from tables.rules.blackjack_points import STANDS, total
from tables.rules.cards import RANKS

PUSHES = 22
_SHOWN = "S"  # points do not ask for the suit


def push_22_chances(decks: int) -> dict[str, Fraction]:
    """Return the chance of each Push 22 hand, the best-paying first, each hand its best only."""
    found = dict.fromkeys(("same_suit_22", "same_color_22", "other_22"), Fraction(0))
    for ranks, orders in dealers_hands(PUSHES).items():
        counts = Counter(ranks)
        every = _dealt(counts, 4 * decks)
        one_suit = 4 * _dealt(counts, decks)
        one_color = 2 * _dealt(counts, 2 * decks)
        share = Fraction(orders, perm(52 * decks, len(ranks)))
        found["same_suit_22"] += share * one_suit
        found["same_color_22"] += share * (one_color - one_suit)
        found["other_22"] += share * (every - one_color)
    return found


def _dealt(counts: "Counter[str]", each: int) -> int:
    """Return in how many ways cards of these ranks are dealt where each rank has so many cards."""
    ways = 1
    for n in counts.values():
        ways *= perm(each, n)
    return ways


def dealers_hands(points: int) -> dict[str, int]:
    """Return the ranks of every dealer's hand with these points, and in how many orders it came."""
    drawing: dict[str, int] = {"": 1}
    found: Counter[str] = Counter()
    while drawing:
        following: Counter[str] = Counter()
        for ranks, orders in drawing.items():
            for rank in RANKS:
                after = "".join(sorted(ranks + rank))
                held = total([each + _SHOWN for each in after])
                if len(after) < 2 or held < STANDS:
                    following[after] += orders
                elif held == points:
                    found[after] += orders
        drawing = dict(following)
    return dict(found)
