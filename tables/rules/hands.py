"""The ranking of hands: five to seven cards, the best five of them, as one integer.

The integer is made of a category and five ranks, so a bigger one is the higher hand and equal
ones are identical in rank. What chapters or readings rank differently is a parameter of
``Ranking``; each ranking remembers what it has worked out.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

from tables.rules.cards import (
    ACE,
    DECK_AND_JOKER,
    EMPTY,
    FIVE_SUITED,
    JOKER,
    JOKER_BIT,
    JOKER_FROM,
    KEY,
    RANK,
    RANK_BIT,
    RANK_BITS,
    RANKS,
    RANKS_FROM,
    SUITED,
    SUITS,
    spelled,
)

NOTHING = 0
PAIR = 1
TWO_PAIR = 2
THREE_OF_A_KIND = 3
STRAIGHT = 4
FLUSH = 5
FULL_HOUSE = 6
FOUR_OF_A_KIND = 7
STRAIGHT_FLUSH = 8
ROYAL_FLUSH = 9
FIVE_ACES = 10

CATEGORIES = (
    "nothing pair two_pair three_of_a_kind straight flush full_house four_of_a_kind"
    " straight_flush royal_flush five_aces"
).split()

CATEGORY_FROM = 20  # a value is its category and five ranks of four bits each
TOP_FROM = 16

#: The name of a hand by its category and first rank: ``NAMES[value >> TOP_FROM]``.
NAMES = [
    name if category else (f"{spelled(top)}_high" if 2 <= top <= ACE else name)
    for category, name in enumerate(CATEGORIES)
    for top in range(16)
]

ACE_KING = "ace_king"
ACE_KING_FROM = 12  # ``value >> ACE_KING_FROM`` tells category and first two ranks
_ACE_AND_KING = ACE << 4 | ACE - 1  # of no category

#: Every name, highest first; paytables are checked against this order.
HAND_ORDER = [
    *reversed(CATEGORIES[1:]),
    ACE_KING,
    *(f"{spelled(top)}_high" for top in range(ACE, 1, -1)),
]

PLACE = {card: place for place, card in enumerate(DECK_AND_JOKER)}

BROADWAY = 15  # the order of A-K-Q-J-10 among straights, above any rank
_STRAIGHT_ENDS = range(ACE, 4, -1)  # its top card; 5 is A-2-3-4-5


class Best(NamedTuple):
    """The five cards that make the hand, highest first, and the card that the joker stands for."""

    value: int
    cards: tuple[str, ...]
    joker_as: str | None


def compose(category: int, ranks: Sequence[int]) -> int:
    """Put category and up to five ranks into one integer."""
    value = category
    for place in range(5):
        value = value << 4 | (ranks[place] if place < len(ranks) else 0)
    return value


def order_of(value: int) -> list[int]:
    """Return a value as the list of its parts: category, then five ranks."""
    return [value >> CATEGORY_FROM, *(value >> shift & 15 for shift in (16, 12, 8, 4, 0))]


def name_of(value: int) -> str:
    """Return the name of a hand: ``full_house``, ``king_high``."""
    return NAMES[value >> TOP_FROM]


class Ranking:
    """One way of ranking hands, and all it has worked out so far.

    ``wheel``: where A-2-3-4-5 stands among straights, "second" or "lowest".
    ``flush_joker``: the rank of a joker in a flush, "highest_missing" or always an "ace".
    ``royal``: which four suited cards the joker completes to a royal flush, "any" four of
    A-K-Q-J-10 or, "narrow", only K-Q-J-10.
    ``ace_king``: whether an ace and a king without a pair are a hand of their own, as they are
    in § 671a.6(b)(10).
    """

    def __init__(
        self,
        wheel: str = "second",
        flush_joker: str = "highest_missing",
        royal: str = "any",
        ace_king: bool = False,
    ) -> None:
        self.flush_joker = flush_joker
        self.royal = royal
        self.ace_king = ace_king
        self._straights = straights(wheel)
        self._by_ranks: dict[int, int] = {}
        self._by_suited: dict[int, int] = {}
        self.evaluate = self._evaluator()

    def _evaluator(self) -> Callable[[Sequence[str]], int]:
        """Make ``evaluate``: closed over its tables, since this is the engine's hottest place."""
        key_of = KEY.__getitem__
        by_ranks, by_key = self._by_ranks, self.of_key

        def evaluate(cards: Sequence[str]) -> int:
            """Return the value of the best five of five to seven different cards."""
            key = sum(map(key_of, cards), EMPTY)
            if not key & FIVE_SUITED:
                value = by_ranks.get(key >> RANKS_FROM)
                if value is not None:
                    return value
            return by_key(key, cards)

        return evaluate

    def name(self, value: int) -> str:
        """Return the name of a hand as this ranking knows it: ``ace_king`` where it is one."""
        if self.ace_king and value >> ACE_KING_FROM == _ACE_AND_KING:
            return ACE_KING
        return NAMES[value >> TOP_FROM]

    def of_key(self, key: int, cards: Sequence[str], left_out: str = "") -> int:
        """Return the value of the hand with this key: ``cards`` without ``left_out``."""
        ranks = key >> RANKS_FROM
        value = self._by_ranks.get(ranks)
        if value is None:
            value = self._by_ranks[ranks] = self._rank_without_suits(ranks)
        if key & FIVE_SUITED:
            return max(value, self._rank_suited(key, cards, left_out))
        return value

    def _rank_without_suits(self, ranks: int) -> int:
        counts = {
            rank: ranks >> RANK_BITS * place & 7
            for place, rank in enumerate(range(2, ACE + 1))
            if ranks >> RANK_BITS * place & 7
        }
        joker = ranks >> JOKER_FROM
        if joker > 1 or max(counts.values(), default=0) > 4:
            raise ValueError("a hand holds four cards of a rank and one joker at most")
        there = sum(1 << rank - 2 for rank in counts)
        straight = self._highest_straight(there, joker)
        if joker:
            counts[ACE] = counts.get(ACE, 0) + 1
        alike = rank_alike(counts)
        return max(alike, compose(STRAIGHT, [straight])) if straight else alike

    def _highest_straight(self, there: int, joker: int) -> int:
        """Return the order of the highest straight among these ranks, 0 where there is none."""
        for window, order in self._straights:
            if (there & window).bit_count() + joker >= 5:
                return order
        return 0

    def _rank_suited(self, key: int, cards: Sequence[str], left_out: str) -> int:
        bit_of = SUITED[key & FIVE_SUITED]
        suited = sum(map(bit_of.__getitem__, cards))
        if left_out:
            suited -= bit_of[left_out]
        value = self._by_suited.get(suited)
        if value is None:
            joker = suited >> JOKER_BIT
            value = self._by_suited[suited] = self._rank_flush(suited - (joker << JOKER_BIT), joker)
        return value

    def _rank_flush(self, there: int, joker: int) -> int:
        straight = self._highest_straight(there, joker)
        if straight == BROADWAY and self._is_royal(there, joker):
            return compose(ROYAL_FLUSH, [ACE])
        if straight:
            return compose(STRAIGHT_FLUSH, [straight])
        ranks = [rank for rank in range(ACE, 1, -1) if there >> rank - 2 & 1]
        if joker:
            ranks = ranks[:4]
            ranks.append(self._joker_in_flush(ranks))
            ranks.sort(reverse=True)
        return compose(FLUSH, ranks[:5])

    def _is_royal(self, there: int, joker: int) -> bool:
        if not joker or self.royal == "any":
            return True
        top_five = there >> RANKS.index("T")
        return top_five & 0b01111 == 0b01111  # K-Q-J-10, with or without the ace

    def _joker_in_flush(self, ranks: Sequence[int]) -> int:
        if self.flush_joker == "ace":
            return ACE
        return next(rank for rank in range(ACE, 1, -1) if rank not in ranks)

    def best(self, cards: Sequence[str]) -> Best:
        """Return the best five of the cards, highest first; the joker only where it is needed.

        Where several fives are identical in rank, the same one is returned whatever the order of
        the cards.
        """
        ordered = sorted(cards, key=PLACE.__getitem__)
        value = self.evaluate(ordered)
        fives = [five for five in combinations(ordered, 5) if self.evaluate(five) == value]
        five = next((five for five in fives if JOKER not in five), fives[0])
        joker_as = self._joker_as(value, five) if JOKER in five else None
        return Best(value, tuple(laid_out(value, five, joker_as)), joker_as)

    def _joker_as(self, value: int, five: Sequence[str]) -> str:
        """Return the card that the joker stands for in its hand.

        Where the suit does not matter it is the first of spades, hearts, diamonds and clubs that
        is not in the hand; a fifth ace is called spades.
        """
        category, top = value >> CATEGORY_FROM, value >> TOP_FROM & 15
        others = [card for card in five if card != JOKER]
        if category in (STRAIGHT, STRAIGHT_FLUSH, ROYAL_FLUSH):
            order = BROADWAY if category == ROYAL_FLUSH else top
            window = next(window for window, found in self._straights if found == order)
            missing = window & ~sum(RANK_BIT[card] for card in others)
            rank = RANKS[missing.bit_length() - 1]
        elif category == FLUSH:
            rank = RANKS[self._joker_in_flush([RANK[card] for card in others]) - 2]
        else:
            rank = "A"
        if category in (FLUSH, STRAIGHT_FLUSH, ROYAL_FLUSH):
            return rank + others[0][1]
        return next((rank + suit for suit in SUITS if rank + suit not in others), rank + SUITS[0])


def straights(wheel: str) -> list[tuple[int, int]]:
    """Return (the ranks of a straight, its order among straights), highest first."""
    found = []
    for top in _STRAIGHT_ENDS:
        ranks = [top - step for step in range(4)] + [ACE if top == 5 else top - 4]
        order = {ACE: BROADWAY, 5: ACE if wheel == "second" else 5}.get(top, top)
        found.append((sum(1 << rank - 2 for rank in ranks), order))
    return sorted(found, key=lambda straight: straight[1], reverse=True)


def rank_alike(counts: dict[int, int]) -> int:
    """Rank a hand by its equal cards alone: five aces, sets, pairs, single cards."""
    groups = sorted(((n, rank) for rank, n in counts.items()), reverse=True)
    most, rank = groups[0]
    singles = sorted((r for r in counts if r != rank), reverse=True)
    if most >= 5:
        return compose(FIVE_ACES, [ACE])
    if most == 4:
        return compose(FOUR_OF_A_KIND, [rank, *singles[:1]])
    second = max((r for r in singles if counts[r] >= 2), default=0)
    if most == 3:
        if second:
            return compose(FULL_HOUSE, [rank, second])
        return compose(THREE_OF_A_KIND, [rank, *singles[:2]])
    if most == 2:
        if second:
            kicker = max(r for r in singles if r != second)
            return compose(TWO_PAIR, [rank, second, kicker])
        return compose(PAIR, [rank, *singles[:3]])
    return compose(NOTHING, [rank, *singles[:4]])


def laid_out(value: int, five: Sequence[str], joker_as: str | None) -> list[str]:
    """Lay five cards out as a dealer reads them: equal cards first, then by rank."""
    ranks = [RANK[joker_as] if card == JOKER and joker_as else RANK[card] for card in five]
    category = value >> CATEGORY_FROM
    if category in (STRAIGHT, STRAIGHT_FLUSH) and ACE in ranks and 5 in ranks:
        ranks = [1 if rank == ACE else rank for rank in ranks]
    places = sorted(range(5), key=lambda i: (-ranks.count(ranks[i]), -ranks[i], i))
    return [five[place] for place in places]


SIX_CARD = Ranking()
evaluate = SIX_CARD.evaluate
