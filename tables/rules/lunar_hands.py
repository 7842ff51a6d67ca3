"""Hands of Lunar Poker: their ranking, what they are to a Super Wager, what else they hold.

A submission's readings are worked out once, into a ``Plan``.
"""

from collections.abc import Mapping, Sequence

from tables.rules.cards import (
    ACE,
    EMPTY,
    RANK,
    RANK_BIT,
    RANK_BITS,
    RANKS,
    RANKS_FROM,
    SUIT_BITS,
    SUITS,
)
from tables.rules.hands import (
    ACE_KING,
    BROADWAY,
    CATEGORIES,
    CATEGORY_FROM,
    FLUSH,
    FOUR_OF_A_KIND,
    FULL_HOUSE,
    HAND_ORDER,
    PAIR,
    ROYAL_FLUSH,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE_OF_A_KIND,
    TWO_PAIR,
    Ranking,
    order_of,
    straights,
)

RANKING = Ranking(wheel="lowest", ace_king=True)  # § 671a.6(a)-(c)
KING = ACE - 1
LOWEST_ACE_KING = ACE << 16 | KING << 12  # § 671a.11(f)(1): with this the dealer qualifies
LOWEST_INSTANT = STRAIGHT_FLUSH << CATEGORY_FROM  # § 671a.12(a)


# ---- § 671a.6(d). The hands that a Super Wager pays on ----------------------------------------

#: In the order of the subsection, which is that of their odds.
SUPER_HANDS = (
    "four_of_a_kind",
    "five_picture_cards",
    "full_house",
    "flush",
    "straight",
    "three_of_a_kind",
    "ace_king_queen",
    "same_colored_five",
)

_COUNTER = {rank: 7 << RANKS_FROM + RANK_BITS * RANKS.index(rank) for rank in RANKS}
_PICTURES = _COUNTER["K"] | _COUNTER["Q"] | _COUNTER["J"]
_ANY_RANK = sum(_COUNTER.values())
_ANY_SUIT = (1 << RANKS_FROM) - 1
_ONE_OF = {suit: 1 << SUIT_BITS * SUITS.index(suit) for suit in SUITS}

#: The suits' part of the keys of five black cards, or five red ones.
_SAME_COLORED = frozenset(
    EMPTY + n * _ONE_OF[one] + (5 - n) * _ONE_OF[other]
    for one, other in ("SC", "HD")
    for n in range(6)
)


def super_hands(key: int, value: int, straight_flush_too: bool) -> list[str]:
    """Return every Super hand that five cards are (§ 671a.6(d)), the best-paying first.

    As written, a flush is not in consecutive order and a straight is of more than one suit, so
    royal and straight flush are neither; ``straight_flush_too`` takes them for flushes (LP-1).
    """
    category = value >> CATEGORY_FROM
    found = {CATEGORIES[category]}
    if straight_flush_too and category in (STRAIGHT_FLUSH, ROYAL_FLUSH):
        found.add("flush")
    if not key & _ANY_RANK & ~_PICTURES:
        found.add("five_picture_cards")
    if all(key & _COUNTER[rank] for rank in "AKQ"):
        found.add("ace_king_queen")
    if key & _ANY_SUIT in _SAME_COLORED:
        found.add("same_colored_five")
    return [hand for hand in SUPER_HANDS if hand in found]


class Plan:
    """The chapter under the readings of a submission, and the Super hands found so far."""

    def __init__(self, readings: Mapping[str, str]) -> None:
        self.straight_flush_too = readings["LP-1"] == "flush"
        self.straight_and_pair = readings["LP-3"] == "straight_and_pair_both"
        self.verify = readings["LP-9"] == "verify"
        self.settled_stands = readings["LP-12"] == "settled_stands"
        self._supers: dict[int, tuple[str | None, str | None]] = {}

    def super_hand(self, key: int, value: int) -> tuple[str | None, str | None]:
        """Return the Super hand that five cards are paid as, and the reading that chose it.

        Several at once are paid as the best of them (LP-2).
        """
        place = value << 1 | (key & _ANY_SUIT in _SAME_COLORED)  # five cards' value tells ranks
        found = self._supers.get(place)
        if found is None:
            hands = super_hands(key, value, self.straight_flush_too)
            reading = "LP-1" if value >= LOWEST_INSTANT else "LP-2" if len(hands) > 1 else None
            found = self._supers[place] = (hands[0], reading) if hands else (None, None)
        return found

    def paid_seconds(self, value: int, cards: Sequence[str]) -> tuple[list[str], str | None]:
        """Return the second combinations that a winning hand is paid for, and the reading.

        Of several the best-paying one is paid (LP-3).
        """
        found = second_combinations(value, cards)
        if len(found) < 2:
            return found, None
        both = ["straight", "pair"]
        if self.straight_and_pair and found[0] == both[0] and both[1] in found:
            return both, "LP-3"
        return found[:1], "LP-3"


# ---- § 671a.11(f)(2)(ii). Second combinations -------------------------------------------------

_WINDOWS = [window for window, _ in straights("lowest")]
_SETS = {  # how many cards of its first two ranks a combination is made of
    FOUR_OF_A_KIND: (4, 0),
    FULL_HOUSE: (3, 2),
    THREE_OF_A_KIND: (3, 0),
    TWO_PAIR: (2, 2),
    PAIR: (2, 0),
}
_SUITED = (FLUSH, STRAIGHT_FLUSH, ROYAL_FLUSH)


def second_combinations(value: int, cards: Sequence[str]) -> list[str]:
    """Return what else the cards of a winning hand hold, the best-paying first.

    A combination is made of its defining cards, without kickers, and counts as a second one with
    at least one card that the winning combination leaves out.
    """
    left = cards_outside(value, cards)
    if not left:
        return []
    counts: dict[int, int] = {}
    for card in cards:
        counts[RANK[card]] = counts.get(RANK[card], 0) + 1
    found = set()
    for card in left:
        found |= combinations_with(card, cards, counts)
    return [hand for hand in HAND_ORDER if hand in found] if found else []


def cards_outside(value: int, cards: Sequence[str]) -> list[str]:
    """Return the cards that are not needed for the combination that a hand's value names."""
    needed = defining_ranks(value)
    suit = ""
    if value >> CATEGORY_FROM in _SUITED:
        suits = [card[1] for card in cards]
        suit = next(each for each in SUITS if suits.count(each) >= 5)
    left = []
    for card in cards:
        if RANK[card] in needed and suit in card:
            needed.remove(RANK[card])
        else:
            left.append(card)
    return left


def defining_ranks(value: int) -> list[int]:
    """Return the ranks of the cards that make a combination, kickers left out."""
    category, first, second, *_ = parts = order_of(value)
    if category in _SETS:
        of_first, of_second = _SETS[category]
        return [first] * of_first + [second] * of_second
    if category == FLUSH:
        return parts[1:]
    if category in (STRAIGHT, STRAIGHT_FLUSH, ROYAL_FLUSH):
        top = ACE if first in (BROADWAY, ACE) else first
        return [top - step for step in range(4)] + [ACE if top == 5 else top - 4]
    return [ACE, KING]


def combinations_with(card: str, cards: Sequence[str], counts: Mapping[int, int]) -> set[str]:
    """Return the combinations that hold one certain card; ``counts`` are the cards by rank."""
    rank, alike = RANK[card], counts[RANK[card]]
    most = max((n for other, n in counts.items() if other != rank), default=0)
    found = straights_with(card, cards)
    if sum(each[1] == card[1] for each in cards) >= 5:
        found.add("flush")
    if alike >= 2:
        found.add("pair")
        if most >= 2:
            found.add("two_pair")
        if most + alike >= 5 and most >= 2:
            found.add("full_house")
        if alike >= 3:
            found.add("three_of_a_kind")
        if alike == 4:
            found.add("four_of_a_kind")
    if rank in (ACE, KING) and ACE in counts and KING in counts:
        found.add(ACE_KING)
    return found


def straights_with(card: str, cards: Sequence[str]) -> set[str]:
    """Return what a card makes with cards in sequence: a straight is of more than one suit."""
    found = set()
    for window in _WINDOWS:
        others = window & ~RANK_BIT[card]
        inside = [each for each in cards if RANK_BIT[each] & others]
        if others == window or len({each[0] for each in inside}) < 4:
            continue
        suited = [each for each in inside if each[1] == card[1]]
        if len(suited) == 4:
            found.add("straight_flush")
        if len(suited) < len(inside):
            found.add("straight")
    return found
