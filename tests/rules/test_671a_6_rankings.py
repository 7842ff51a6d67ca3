"""§ 671a.6: ranks of hands, Super hands, and what else a winning hand holds."""

from collections import Counter
from itertools import combinations
from math import comb
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.rules import Submission
from tables.rules.cards import DECK, EMPTY, KEY, RANK
from tables.rules.games.lunar_poker import SUPER
from tables.rules.hands import HAND_ORDER
from tables.rules.lunar_hands import RANKING, second_combinations

PLAN: Any = Submission.make("lunar_poker", {}).plan
FIVE_OF_52 = {
    "royal_flush": 4,
    "straight_flush": 36,
    "four_of_a_kind": 624,
    "full_house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three_of_a_kind": 54_912,
    "two_pair": 123_552,
    "pair": 1_098_240,
    "ace_king": 167_280,
}


def test_671a_6_b_all_hands_by_category() -> None:
    values = Counter(map(RANKING.evaluate, combinations(DECK, 5)))
    counted: Counter[str] = Counter()
    for value, hands in values.items():
        counted[RANKING.name(value)] += hands

    assert {hand: counted.pop(hand) for hand in FIVE_OF_52} == FIVE_OF_52
    assert sum(counted.values()) == 1_135_260  # less than ace-king
    assert sum(values.values()) == comb(52, 5) == 2_598_960
    assert len(values) == 7_462


def holding_ace_king_queen(cards: int) -> int:
    """How many fives of so many cards, a thirteenth of them of each rank, hold all three."""
    each = cards // 13
    return sum((-1) ** n * comb(3, n) * comb(cards - n * each, 5) for n in range(4))


@pytest.mark.slow
def test_671a_6_d_all_hands_by_what_the_super_wager_pays() -> None:
    """The numbers are combinatorics and do not come from this code."""
    pictures = comb(12, 5) - 3 * 8  # fives of kings, queens and jacks without four of a kind
    full_of_pictures, three_pictures = 3 * 2 * 4 * 6, 3 * 4 * 4 * 4
    three_aces_king_queen, suited, broadway = 3 * 4 * 4 * 4, 4 * 44, 4**5 - 4
    one_color = comb(26, 5)
    colored_ace_king_queen = holding_ace_king_queen(26) - 2 * 44 - 30
    counted = Counter(
        PLAN.super_hand(key := sum(map(KEY.__getitem__, hand), EMPTY), RANKING.of_key(key, hand))[0]
        for hand in combinations(DECK, 5)
    )

    del counted[None]
    assert counted == {
        "four_of_a_kind": 624,
        "five_picture_cards": pictures,
        "full_house": 3_744 - full_of_pictures,
        "flush": 5_108,
        "straight": 10_200,
        "three_of_a_kind": 54_912 - three_pictures,
        "ace_king_queen": holding_ace_king_queen(52) - three_aces_king_queen - suited - broadway,
        "same_colored_five": 2 * (one_color - 5_108 // 2 - 300 - 6 - colored_ace_king_queen),
    }


def test_671a_6_d_super_hands_are_in_the_order_of_their_odds() -> None:
    assert [line.terms_text for line in SUPER.lines] == [
        "200 to 1", "150 to 1", "100 to 1", "60 to 1", "30 to 1", "8 to 1", "5 to 1", "2 to 1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("2S 2H 3D 4C 5S", "AS KH QD JC 9S"),  # a pair is more than an ace-king
        ("AS KH 4D 3C 2S", "AS QH JD TC 9S"),  # an ace-king more than an ace without king
        ("6S 5H 4D 3C 2S", "5S 4H 3D 2C AS"),  # the ace is low in the lowest straight
        ("TS 9H 8D 7C 6S", "6S 5H 4D 3C 2S"),
        ("6S 5S 4S 3S 2S", "5H 4H 3H 2H AH"),
        ("AS KS QS JS TS", "KH QH JH TH 9H"),
        ("3S 3H 3D 2C 2S", "2S 2H 2D AC AS"),
        ("AS KH QD 9C 4S", "AH KD QC 9S 3S"),
    ],
)
def test_671a_6_b_c_order(higher: str, lower: str) -> None:
    assert RANKING.evaluate(higher.split()) > RANKING.evaluate(lower.split())


def test_671a_6_c_equal_hands_differ_in_suits_only() -> None:
    assert RANKING.evaluate("AS KH 9D 5C 3S".split()) == RANKING.evaluate("AD KC 9H 5S 3D".split())


# ---- § 671a.11(f)(2)(ii). Second combinations, against a slow and plain reading of the text ----


def named(five: tuple[str, ...]) -> str | None:
    """The combination that cards are exactly, without a kicker; None where they are none."""
    counts = sorted(Counter(card[0] for card in five).values())
    alike = {
        (2,): "pair", (3,): "three_of_a_kind", (4,): "four_of_a_kind", (2, 2): "two_pair",
        (2, 3): "full_house",
    }  # fmt: skip
    if tuple(counts) in alike:
        return alike[tuple(counts)]
    if {card[0] for card in five} == {"A", "K"} and len(five) == 2:
        return "ace_king"
    if counts != [1] * 5:
        return None
    hand = RANKING.name(RANKING.evaluate(five))
    return hand if hand in ("royal_flush", "straight_flush", "flush", "straight") else None


def plain_seconds(cards: list[str]) -> list[str]:
    """Every second combination by trying all groups of cards."""
    groups = [g for n in range(2, 6) for g in combinations(cards, n) if named(g)]
    best = RANKING.name(RANKING.evaluate(cards))
    first = max((g for g in groups if named(g) == best), key=height)
    found = {named(g) for g in groups if not set(g) <= set(first)}
    return [hand for hand in HAND_ORDER if hand in found]


def height(group: tuple[str, ...]) -> tuple[int, list[int]]:
    """What tells the higher of two combinations of one name."""
    whole = RANKING.evaluate(group) if len(group) == 5 else 0
    return whole, sorted((RANK[card] for card in group), reverse=True)


@st.composite
def dense_hands(draw: Any) -> list[str]:
    """Five or six cards out of a few ranks or suits, so that they hold more than chance gives."""
    ranks = draw(st.sampled_from(["AK9", "AKQ98", "KQJT987", "A2345K", "23456789TJQKA"]))
    suits = draw(st.sampled_from(["SHDC", "SH", "S"] if len(ranks) > 5 else ["SHDC", "SHD"]))
    deck = [card for card in DECK if card[0] in ranks and card[1] in suits]
    return draw(st.permutations(deck))[: draw(st.integers(5, 6))]


@settings(max_examples=600)
@given(dense_hands())
def test_671a_11_f_2_ii_second_combinations_by_trying_all(cards: list[str]) -> None:
    if RANKING.name(RANKING.evaluate(cards)).endswith("_high"):
        return

    assert second_combinations(RANKING.evaluate(cards), cards) == plain_seconds(cards)
