"""Count all hands of a deal by what they hold. Takes seconds; the results are kept in files.

``named`` is what a hand holds to a paytable: the one name of its best five cards, in Pai Gow
Poker every hand that its seven cards can make, in Lunar Poker what a Super Wager sees besides.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations

from tables.rules.cards import DECK, EMPTY, JOKER, KEY, SUITS
from tables.rules.classes import Class, classes_of
from tables.rules.hands import (
    CATEGORY_FROM,
    SIX_CARD,
    STRAIGHT,
    Ranking,
    name_of,
)
from tables.rules.lunar_hands import RANKING as LUNAR
from tables.rules.lunar_hands import super_hands
from tables.rules.odds import FIVE_OF_52, LUNAR_FIVE, SEVEN_OF_53, SIX_OF_53, Deal
from tables.rules.pai_gow_hands import hands_in
from tables.rules.six_card_plan import ranking


def best_names(hands: Iterable[Class], by: Ranking) -> "Counter[frozenset[str]]":
    """Count hands by the name of their best five cards."""
    found: Counter[int] = Counter()
    for hand, ways in hands:
        found[by.evaluate(hand)] += ways
    named: Counter[frozenset[str]] = Counter()
    for value, ways in found.items():
        named[frozenset({name_of(value)})] += ways
    return named


def six_of_53(royal: str) -> "Counter[frozenset[str]]":
    """Count the hands of § 670a.8(d) by § 670a.6(b)."""
    return best_names(classes_of(6, joker=True), ranking("highest_missing", royal))


def five_of_52(_: str) -> "Counter[frozenset[str]]":
    """Count the hands of five cards as every poker player knows them."""
    return best_names(classes_of(5, joker=False), SIX_CARD)


def seven_of_53(royal: str) -> "Counter[frozenset[str]]":
    """Count the hands of § 645a.11(a)(2) by all that they can make (PG-8).

    Of a royal flush the two cards beside it matter, suits too, so those hands are listed.
    """
    by = ranking("highest_missing", royal)
    hands = ((hand, ways) for hand, ways in classes_of(7, joker=True) if not may_be_royal(hand))
    found = held_by_sevens(hands, by)
    found.update(held_by_sevens(((list(hand), 1) for hand in royal_hands()), by))
    return found


def held_by_sevens(hands: Iterable[Class], by: Ranking) -> "Counter[frozenset[str]]":
    """Count seven-card hands by all that they can make."""
    found: Counter[frozenset[str]] = Counter()
    for hand, ways in hands:
        value = by.evaluate(hand)
        if value >> CATEGORY_FROM < STRAIGHT:  # below it they hold nothing else (``line_for``)
            found[frozenset({name_of(value)})] += ways
        else:
            found[hands_in(tuple(hand), by)] += ways
    return found


def may_be_royal(hand: Iterable[str]) -> bool:
    """Whether a hand holds five of a suit's A-K-Q-J-10, the joker for one of them."""
    cards = list(hand)
    enough = 4 if JOKER in cards else 5
    return any(sum(c[0] in "AKQJT" and c[1] == s for c in cards) >= enough for s in SUITS)


def royal_hands() -> Iterator[tuple[str, ...]]:
    """Yield every seven-card hand that is a royal flush by one of the readings, once."""
    for suit in SUITS:
        royal = [rank + suit for rank in "AKQJT"]
        others = [card for card in DECK if card not in royal]
        for left in combinations(others, 2):
            yield (*royal, *left)
        for card in others:
            yield (*royal, JOKER, card)
        for missing in royal:
            for left in combinations(others, 2):
                yield (*(card for card in royal if card != missing), JOKER, *left)


def lunar_five(straight_flush: str) -> "Counter[frozenset[str]]":
    """Count all fives by their rank and by every Super hand that they are (§ 671a.6)."""
    too = straight_flush == "flush"
    found: Counter[frozenset[str]] = Counter()
    for hand in combinations(DECK, 5):
        key = sum(map(KEY.__getitem__, hand), EMPTY)
        value = LUNAR.of_key(key, hand)
        found[frozenset((LUNAR.name(value), *super_hands(key, value, too)))] += 1
    return found


COUNTERS: Mapping[Deal, Callable[[str], "Counter[frozenset[str]]"]] = {
    SIX_OF_53: six_of_53,
    SEVEN_OF_53: seven_of_53,
    LUNAR_FIVE: lunar_five,
    FIVE_OF_52: five_of_52,
}


def count_deal(deal: Deal) -> dict[str, "Counter[frozenset[str]]"]:
    """Count all hands of a deal under each choice of its reading."""
    return {choice: COUNTERS[deal](choice) for choice in deal.choices}
