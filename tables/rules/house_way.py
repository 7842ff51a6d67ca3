"""How the house sets six cards into a five-card high hand and a one-card low hand.

Of the six ways to put one card low, those that keep the highest category of § 670a.6(b) count,
and of these the one with the highest card low: § 670a.11(d)(1)-(5) all come to that. A six-card
straight or flush so becomes the lowest possible one, two threes of a kind the lower one with the
higher as a pair, three pairs the two lower ones. Only a hand of nothing is set otherwise (d)(6).
"""

from collections.abc import Sequence
from typing import NamedTuple

from tables.rules.cards import ACE, EMPTY, JOKER, KEY, RANK
from tables.rules.hands import (
    CATEGORY_FROM,
    FLUSH,
    FOUR_OF_A_KIND,
    FULL_HOUSE,
    NOTHING,
    PAIR,
    ROYAL_FLUSH,
    STRAIGHT,
    STRAIGHT_FLUSH,
    TOP_FROM,
    TWO_PAIR,
    Ranking,
)

SET_BY = "§ 670a.11(d)"
SEQUENCES = (STRAIGHT, FLUSH, STRAIGHT_FLUSH, ROYAL_FLUSH)

#: A card's height in the low hand. Two aces are alike to the dealer; the joker goes before an ace,
#: since a player who has it low cannot be beaten there (§ 670a.6(c)).
LOW_ORDER = {card: 2 * rank for card, rank in RANK.items()} | {JOKER: 2 * ACE + 1}


class Setting(NamedTuple):
    """Six cards set: the low card, the value of the other five, and what asked for it."""

    low: str
    high_value: int
    cite: str
    reading: str | None = None


class HouseWay:
    """The house way under the readings of a submission.

    ``keep_royal``: A-K-Q-J-10-9 of a suit keeps its royal flush (SC-5).
    ``keep_full_house``: a four-of-a-kind with a pair is set as a full house (SC-7).
    """

    def __init__(
        self, ranking: Ranking, keep_royal: bool = False, keep_full_house: bool = False
    ) -> None:
        self.ranking = ranking
        self.keep_royal = keep_royal
        self.keep_full_house = keep_full_house

    def set(self, cards: Sequence[str]) -> Setting:
        """Set six cards in accordance with § 670a.11(d)."""
        key = sum(map(KEY.__getitem__, cards), EMPTY)
        of_key = self.ranking.of_key
        best = of_key(key, cards)
        kept = best >> CATEGORY_FROM
        if kept == NOTHING:
            low = sorted(cards, key=RANK.__getitem__)[-2]
            return Setting(low, of_key(key - KEY[low], cards, low), f"{SET_BY}(6)")
        if kept == PAIR:  # nearly half of all hands: of the ways that keep it the highest is plain
            pair = best >> TOP_FROM & 15
            low = max([card for card in cards if RANK[card] != pair], key=LOW_ORDER.__getitem__)
            return Setting(low, of_key(key - KEY[low], cards, low), f"{SET_BY}(1)")
        ways = [(of_key(key - KEY[low], cards, low), low) for low in cards]
        if kept == FOUR_OF_A_KIND:
            return self._set_four_of_a_kind(ways)
        able = [way for way in ways if self._keeps(way[0] >> CATEGORY_FROM, kept)]
        value, low = max(able, key=lambda way: LOW_ORDER[way[1]])
        if kept in SEQUENCES:
            cite, reading = explain_sequence(cards, ways, low)
            return Setting(low, value, cite, reading)
        return Setting(low, value, cite_of_sets(kept, able))

    def _keeps(self, category: int, kept: int) -> bool:
        """Whether a way keeps the category; a royal flush is a straight flush here (SC-5)."""
        if kept == ROYAL_FLUSH and not self.keep_royal:
            return category in (STRAIGHT_FLUSH, ROYAL_FLUSH)
        return category == kept

    def _set_four_of_a_kind(self, ways: list[tuple[int, str]]) -> Setting:
        """Keep the four, or with a pair beside it the full house, by the submission (SC-7)."""
        houses = [way for way in ways if way[0] >> CATEGORY_FROM == FULL_HOUSE]
        fours = [way for way in ways if way[0] >> CATEGORY_FROM == FOUR_OF_A_KIND]
        able = houses if houses and self.keep_full_house else fours
        value, low = max(able, key=lambda way: LOW_ORDER[way[1]])
        return Setting(low, value, f"{SET_BY}(1)", "SC-7" if houses else None)


def cite_of_sets(kept: int, able: list[tuple[int, str]]) -> str:
    """Return the paragraph that a hand with equal cards is set by."""
    if len(able) == 6 and kept == FULL_HOUSE:
        return f"{SET_BY}(1)(i)"
    if len(able) == 6 and kept == TWO_PAIR:
        return f"{SET_BY}(1)(ii)"
    return f"{SET_BY}(1)"


def explain_sequence(
    cards: Sequence[str], ways: list[tuple[int, str]], low: str
) -> tuple[str, str | None]:
    """Return the paragraph, and the reading if any, that sets a straight, flush or straight flush.

    Only hands with such a category come here, so nothing of this is on the hot path.
    """
    found = {value >> CATEGORY_FROM for value, _ in ways}
    kept = max(found)
    alike = (STRAIGHT_FLUSH, ROYAL_FLUSH) if kept == ROYAL_FLUSH else (kept,)
    heights = {RANK[card] for value, card in ways if value >> CATEGORY_FROM in alike}
    if len(heights) > 1:  # a "Six-Card Fortune" straight, flush or straight flush
        return f"{SET_BY}(2)", reading_of_six(kept, cards)
    broken = "SC-6" if sum(RANK[card] == RANK[low] for card in cards) > 1 else None
    if kept == FLUSH and STRAIGHT in found:
        return f"{SET_BY}(3)", broken
    if kept in (STRAIGHT_FLUSH, ROYAL_FLUSH):
        if min(found) >= FLUSH:
            return f"{SET_BY}(5)", broken
        if STRAIGHT in found:
            return f"{SET_BY}(4)", broken
    return f"{SET_BY}(1)", broken


def reading_of_six(kept: int, cards: Sequence[str]) -> str | None:
    """Return the reading that a six-card straight, flush or straight flush was set by, if any."""
    if kept == ROYAL_FLUSH:
        return "SC-5"
    if JOKER not in cards:
        return None
    others = sorted(RANK[card] for card in cards if card != JOKER)
    return "SC-15" if others == [2, 3, 4, 5, 7] and kept != FLUSH else "SC-18"


def is_set_alike(ranking: Ranking, cards: Sequence[str], low: str, setting: Setting) -> bool:
    """Whether ``low`` sets the cards in accordance too: the same card, or one of equal rank.

    Which of two nines goes low is nobody's business; the joker low is an ace to the dealer.
    """
    if low == setting.low:
        return True
    key = sum(map(KEY.__getitem__, cards), EMPTY)
    value = ranking.of_key(key - KEY[low], cards, low)
    return RANK[low] == RANK[setting.low] and value == setting.high_value
