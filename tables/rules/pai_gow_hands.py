"""What seven cards hold beside their best five cards.

A wager of § 645a.11(h) may rank hands in an order of its own, in which a three-of-a-kind can stand
above a straight, and may know hands of all seven cards. So it asks what the seven cards can make.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from tables.rules.cards import DECK_AND_JOKER, JOKER, RANK_BIT, SUITS
from tables.rules.hands import (
    CATEGORIES,
    CATEGORY_FROM,
    NAMES,
    ROYAL_FLUSH,
    STRAIGHT,
    STRAIGHT_FLUSH,
    TOP_FROM,
    Ranking,
    name_of,
)
from tables.rules.paytables import Line

SEVEN_SUITED = "seven_card_straight_flush_no_joker"
SEVEN_SUITED_WITH_JOKER = "seven_card_straight_flush_with_joker"
ROYAL_MATCH = "royal_flush_and_royal_match"
OF_SEVEN = (SEVEN_SUITED, ROYAL_MATCH, SEVEN_SUITED_WITH_JOKER)

#: What a royal or straight flush is besides.
_ALSO = {
    "straight_flush": ("flush", "straight"),
    "royal_flush": ("straight_flush", "flush", "straight"),
}
_BROADWAY = "AKQJT"


def _windows() -> list[int]:
    """Return the ranks of seven cards in sequence, the ace below the two or above the king."""
    ranks = [1 << 12, *(1 << place for place in range(13))]
    return [sum(ranks[low : low + 7]) for low in range(len(ranks) - 6)]


SEVEN_IN_SEQUENCE = _windows()


def line_for(
    lines: Sequence[Line], row: dict[str, Line], best: int, cards: Sequence[str], ranking: Ranking
) -> Line | None:
    """Return the first of a wager's lines whose hand the seven cards hold (PG-8), if any.

    Below a straight the cards hold nothing else that a wager could know, which is most hands.
    """
    if best >> CATEGORY_FROM < STRAIGHT:
        return row.get(NAMES[best >> TOP_FROM])
    held = hands_in(tuple(cards), ranking)
    for line in lines:
        if line.hand in held:
            return line
    return None


@lru_cache(maxsize=1024)
def hands_in(cards: tuple[str, ...], ranking: Ranking) -> frozenset[str]:
    """Return the names of all hands that seven cards can make: ranks alone only at their best."""
    best = name_of(ranking.evaluate(cards))
    held = {name_of(ranking.evaluate(five)) for five in combinations(cards, 5)}
    held = held.intersection(CATEGORIES) | {best}
    for name, others in _ALSO.items():
        if name in held:
            held.update(others)
    if best in _ALSO and (seven := seven_suited(cards)):
        held.add(seven)
    if best == "royal_flush" and is_royal_match(cards):
        held.add(ROYAL_MATCH)
    return frozenset(held)


def seven_suited(cards: Sequence[str]) -> str | None:
    """Return the name of a straight flush of all seven cards, None where they are none."""
    plain = [card for card in cards if card != JOKER]
    there = sum(RANK_BIT[card] for card in plain)
    if len({card[1] for card in plain}) > 1:
        return None
    if not any((there & window).bit_count() == len(plain) for window in SEVEN_IN_SEQUENCE):
        return None
    return SEVEN_SUITED if len(plain) == 7 else SEVEN_SUITED_WITH_JOKER


def is_royal_match(cards: Sequence[str]) -> bool:
    """Whether a king and a queen of one suit lie beside a royal flush (PG-12)."""
    left = [card for card in beside_royal(cards) if card != JOKER]
    return {card[0] for card in left} == {"K", "Q"} and left[0][1] == left[1][1]


def beside_royal(cards: Sequence[str]) -> list[str]:
    """Return the two cards beside a royal flush; none where the cards hold no royal flush.

    A joker is part of it only where a card of it is missing (PG-12).
    """
    for suit in SUITS:
        royal = [card for card in cards if card[1] == suit and card[0] in _BROADWAY]
        if len(royal) == 4 and JOKER in cards:
            royal.append(JOKER)
        if len(royal) == 5:
            return [card for card in cards if card not in royal]
    return []


def is_royal_match_by_reading(best: int, cards: Sequence[str]) -> bool:
    """Whether PG-12 decides if a royal flush is also a royal match: a king and a queen beside it.

    The joker beside a natural royal flush could be thought to be the one that is missing.
    """
    if best >> CATEGORY_FROM != ROYAL_FLUSH:
        return False
    left = beside_royal(cards)
    beside = {card[0] for card in left if card != JOKER}
    return beside == {"K", "Q"} or (JOKER in left and beside <= {"K", "Q"})


def cards_that_make(hand: str, cards: Sequence[str], ranking: Ranking) -> tuple[str, ...]:
    """Return the cards of a hand that a wager paid: five, or all seven where it takes them."""
    if hand in OF_SEVEN:
        return tuple(sorted(cards, key=DECK_AND_JOKER.index))
    best = ranking.best(cards)
    if hand == name_of(best.value) or hand not in CATEGORIES:
        return best.cards
    fives = [five for five in combinations(cards, 5) if name_of(ranking.evaluate(five)) == hand]
    return ranking.best(max(fives, key=ranking.evaluate)).cards if fives else best.cards


def lowest_of(hands: Sequence[str]) -> int:
    """Return a value that every hand with one of these names reaches."""
    categories = [
        CATEGORIES.index(hand) if hand in CATEGORIES else STRAIGHT_FLUSH for hand in hands
    ]
    return min(categories) << CATEGORY_FROM
