"""All hands, counted by category: the numbers are combinatorics and do not come from this code."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest

from tables.rules.cards import DECK, DECK_AND_JOKER
from tables.rules.classes import classes_of
from tables.rules.hands import SIX_CARD, Ranking, name_of

SIX_OF_53 = {
    "five_aces": 48,
    "royal_flush": 1_132,
    "straight_flush": 8_248,
    "four_of_a_kind": 19_752,
    "full_house": 196_896,
    "flush": 314_944,
    "straight": 696_228,
    "three_of_a_kind": 853_264,
    "two_pair": 2_873_952,
    "pair": 10_809_876,
    "ace_high": 3_665_640,
    "king_high": 1_804_980,
    "queen_high": 968_820,
    "jack_high": 470_340,
    "ten_high": 196_980,
    "nine_high": 64_320,
    "eight_high": 12_060,
}
SEVEN_OF_53 = {
    "five_aces": 1_128,
    "royal_flush": 26_132,
    "straight_flush": 184_832,
    "four_of_a_kind": 307_472,
    "full_house": 4_188_528,
    "flush": 6_172_088,
    "straight": 11_236_028,
    "three_of_a_kind": 7_470_676,
    "two_pair": 35_553_816,
    "pair": 64_221_960,
    "ace_high": 14_430_780,
    "king_high": 6_386_940,
    "queen_high": 2_719_500,
    "jack_high": 963_480,
    "ten_high": 248_640,
    "nine_high": 31_080,
}
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
}


def named(values: "Counter[int]") -> dict[str, int]:
    counted: Counter[str] = Counter()
    for value, hands in values.items():
        counted[name_of(value)] += hands
    return dict(counted)


@pytest.mark.slow
def test_670a_6_b_all_six_card_hands_by_category() -> None:
    values = Counter(map(SIX_CARD.evaluate, combinations(DECK_AND_JOKER, 6)))

    assert named(values) == SIX_OF_53
    assert sum(values.values()) == comb(53, 6) == 22_957_480


@pytest.mark.slow
def test_670a_6_b_2_narrow_royals_are_fewer_and_straight_flushes_more() -> None:
    """Only hands with the joker can differ, so only these are counted (SC-4)."""
    narrow = Ranking(royal="narrow")
    with_joker = [Counter(), Counter()]
    for five in combinations(DECK, 5):
        hand = (*five, "JK")
        with_joker[0][SIX_CARD.evaluate(hand)] += 1
        with_joker[1][narrow.evaluate(hand)] += 1
    wide, few = named(with_joker[0]), named(with_joker[1])

    assert SIX_OF_53["royal_flush"] - wide["royal_flush"] + few["royal_flush"] == 380
    assert SIX_OF_53["straight_flush"] - wide["straight_flush"] + few["straight_flush"] == 9_000
    same = set(wide) - {"royal_flush", "straight_flush"}
    assert {hand: wide[hand] for hand in same} == {hand: few[hand] for hand in same}


@pytest.mark.slow
def test_seven_card_hands_by_category() -> None:
    """By ranks and suits apart: hands without five of a suit are counted, not listed."""
    values: Counter[int] = Counter()
    for hand, ways in classes_of(7, joker=True):
        values[SIX_CARD.evaluate(hand)] += ways

    assert named(values) == SEVEN_OF_53
    assert sum(values.values()) == comb(53, 7) == 154_143_080


def test_five_card_hands_by_category_as_every_poker_player_knows_them() -> None:
    counted = named(Counter(map(SIX_CARD.evaluate, combinations(DECK, 5))))

    assert {hand: counted[hand] for hand in FIVE_OF_52} == FIVE_OF_52
    nothing = sum(hands for hand, hands in counted.items() if hand not in FIVE_OF_52)
    assert nothing == 1_302_540
