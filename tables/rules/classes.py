"""All hands of a deal in classes that no ranking tells apart: one hand of each, and how many.

Ranks and suits are counted apart. A suit can only matter where it holds five cards, the joker
among them; those hands stand by the ranks of that suit, all others by their ranks alone. So the
154,143,080 hands of seven cards are some hundred thousand classes.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from math import comb

from tables.rules.cards import JOKER, RANKS, SUITS

Class = tuple[list[str], int]  # a hand, and of how many it is one


def classes_of(
    cards: int, *, joker: bool, ranks: str = RANKS, suits: str = SUITS
) -> Iterator[Class]:
    """Yield every class of hands of this many cards; fewer ranks or suits are a smaller deck.

    At least six cards of four suits, or five without a joker, may be asked for: beyond nine
    cards two suits could hold five each.
    """
    for counts in rank_choices(cards, ranks, suits):
        yield from _of_ranks(counts, False, suits)
    if joker:
        for counts in rank_choices(cards - 1, ranks, suits):
            yield from _of_ranks(counts, True, suits)


def rank_choices(cards: int, ranks: str = RANKS, suits: str = SUITS) -> "Iterator[Counter[str]]":
    """Yield every choice of ranks that a deck with these suits can deal."""
    for chosen in combinations_with_replacement(ranks, cards):
        counts = Counter(chosen)
        if max(counts.values(), default=0) <= len(suits):
            yield counts


def _of_ranks(counts: "Counter[str]", joker: bool, suits: str) -> Iterator[Class]:
    """Yield the classes of the hands with these ranks: the suited ones, then all others."""
    suited_hands = 0
    for size in range(4 if joker else 5, len(counts) + 1):
        for suited in combinations(counts, size):
            ways = len(suits)
            for rank, n in counts.items():
                others = len(suits) - 1
                ways *= comb(others, n - 1) if rank in suited else comb(others, n)
            if ways:
                yield suited_hand(counts, suited, joker, suits), ways
                suited_hands += ways
    every = 1
    for n in counts.values():
        every *= comb(len(suits), n)
    if every > suited_hands:
        yield mixed_hand(counts, joker, suits), every - suited_hands


def suited_hand(
    counts: "Counter[str]", suited: tuple[str, ...], joker: bool, suits: str = SUITS
) -> list[str]:
    """Return one hand with these ranks whose cards of the first suit are exactly ``suited``."""
    hand = [JOKER] if joker else []
    for rank, n in counts.items():
        taken = suits[:n] if rank in suited else suits[1 : n + 1]
        hand += [rank + suit for suit in taken]
    return hand


def mixed_hand(counts: "Counter[str]", joker: bool, suits: str = SUITS) -> list[str]:
    """Return one hand with these ranks in which no suit makes a flush."""
    hand, used = [JOKER] if joker else [], Counter(dict.fromkeys(suits, 0))
    for rank, n in sorted(counts.items(), key=lambda told: -told[1]):
        for suit in sorted(suits, key=lambda suit: used[suit])[:n]:
            hand.append(rank + suit)
            used[suit] += 1
    return hand
