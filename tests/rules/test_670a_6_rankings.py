"""§ 670a.6: which hand is the higher one, and what the joker is."""

import pytest

from tables.rules.cards import DECK_AND_JOKER
from tables.rules.hands import SIX_CARD, Ranking, evaluate, name_of, order_of

# Each hand is higher than the one below it.
DESCENDING = """
AS AH AD AC JK
AS KS QS JS TS
AS 2S 3S 4S 5S
KS QS JS TS 9S
6S 5S 4S 3S 2S
AS AH AD AC KS
2S 2H 2D 2C AS
AS AH AD KC KS
2S 2H 2D AC AS
2S 2H 2D 3C 3S
AS KS QS JS 9S
AS KS QS JS 8S
7S 5S 4S 3S 2S
AS KH QS JS TS
AS 2H 3S 4S 5S
KS QH JS TS 9S
6S 5H 4S 3S 2S
AS AH AD 3C 2S
2S 2H 2D AC KS
AS AH KD KC QS
AS AH KD KC JS
3S 3H 2D 2C AS
AS AH 4D 3C 2S
2S 2H AD KC QS
AS KH QD JC 9S
AS KH QD JC 8S
7S 5H 4D 3C 2S
"""


def test_670a_6_b_order_of_the_hands() -> None:
    values = [evaluate(hand.split()) for hand in DESCENDING.split("\n") if hand]

    assert values == sorted(set(values), reverse=True)


@pytest.mark.parametrize(
    ("hand", "name", "joker_as"),
    [
        ("AS AH AD AC JK 2C", "five_aces", "AS"),
        ("AS KS QS JS JK 4D", "royal_flush", "TS"),
        ("KS QS JS TS JK 4D", "royal_flush", "AS"),
        ("9S 8S 7S 6S JK AD", "straight_flush", "TS"),
        ("2S 3S 4S 5S JK 7S", "straight_flush", "AS"),
        ("KS KH KD KC JK 4H", "four_of_a_kind", "AS"),
        ("AS AH AD JK 9C 4H", "four_of_a_kind", "AC"),
        ("AS AH JK KD KC 4H", "full_house", "AD"),
        ("KS 9S 4S 2S JK 7D", "flush", "AS"),
        ("AS KS 9S 4S JK 7D", "flush", "QS"),
        ("9S 8H 7D 6C JK 2H", "straight", "TS"),
        ("2S 3H 4D 5C JK 7H", "straight", "AS"),
        ("AS AH JK 9D 7C 2H", "three_of_a_kind", "AD"),
        ("AS JK 9D 9C 7C 2H", "two_pair", "AH"),
        ("AS JK 9D 8C 4C 2H", "pair", "AH"),
        ("KS KH JK 9D 7C 2H", "pair", "AS"),
        ("KS JK 9D 8C 4C 2H", "ace_high", "AS"),
    ],
)
def test_670a_6_a_joker_is_an_ace_or_completes(hand: str, name: str, joker_as: str) -> None:
    best = SIX_CARD.best(hand.split())

    assert (name_of(best.value), best.joker_as) == (name, joker_as)


def test_670a_6_a_joker_is_left_out_where_it_is_not_needed() -> None:
    best = SIX_CARD.best("AS KS QS JS TS JK".split())

    assert best.cards == ("AS", "KS", "QS", "JS", "TS")
    assert best.joker_as is None


def test_670a_6_b_6_joker_in_a_flush_with_the_ace_is_the_highest_missing_card() -> None:
    with_ace = "AS KS 9S 4S JK".split()

    assert order_of(evaluate(with_ace))[1:] == [14, 13, 12, 9, 4]
    assert order_of(Ranking(flush_joker="ace").evaluate(with_ace))[1:] == [14, 14, 13, 9, 4]


def test_670a_6_b_2_narrow_joker_royals_rank_above_the_wheel() -> None:
    narrow = Ranking(royal="narrow")
    royal, joker_for_ten = "KS QS JS TS JK".split(), "AS KS QS JS JK".split()
    wheel = "AH 2H 3H 4H 5H".split()

    assert name_of(narrow.evaluate(royal)) == "royal_flush"
    assert name_of(narrow.evaluate(joker_for_ten)) == "straight_flush"
    assert narrow.evaluate(royal) > narrow.evaluate(joker_for_ten) > narrow.evaluate(wheel)


def test_best_five_do_not_depend_on_the_order_of_the_cards() -> None:
    hand = "9S 9H 9D 8C 8S 8H".split()

    assert SIX_CARD.best(hand) == SIX_CARD.best(hand[::-1])
    assert SIX_CARD.best(hand).cards == ("9S", "9H", "9D", "8S", "8H")


def test_lowest_wheel_is_what_other_chapters_rank() -> None:
    """§ 671a.6(b)(9) has A-2-3-4-5 as the lowest straight; there is no joker there."""
    other = Ranking(wheel="lowest")

    assert other.evaluate("AS 2H 3S 4S 5S".split()) < other.evaluate("6S 5H 4S 3S 2S".split())


@pytest.mark.parametrize("hand", [["AS"] * 5, ["JK", "JK", "AS", "KS", "QS"]])
def test_hands_that_no_deck_deals_are_not_ranked(hand: list[str]) -> None:
    with pytest.raises(ValueError, match="four cards of a rank"):
        evaluate(hand)


def test_every_card_has_a_key_of_its_own() -> None:
    assert len(DECK_AND_JOKER) == len(set(DECK_AND_JOKER)) == 53
