"""§ 672a.1, § 672a.3: decks, values, hard and soft totals."""

import pytest

from tables.rules import Refusal, check_event, void
from tables.rules.blackjack_points import is_doubled_free, is_natural, total, worth
from tables.rules.cards import DECK
from tables.rules.shell import rank
from tests.rules.made_blackjack import event, flags, played, refused, seat, settled, terms


def test_672a_3_a_six_or_eight_decks() -> None:
    assert [terms(**choice).submission.decks for choice in ({}, {"decks": 6}, {"decks": 8})] == [
        6, 6, 8,
    ]  # fmt: skip
    for decks in (7, 1, True, "6", None):
        with pytest.raises(Refusal) as refusal:
            terms(decks=decks)
        assert (refusal.value.code, refusal.value.path) == ("bad_value", "decks")


@pytest.mark.parametrize(("decks", "pairs"), [(6, 2), (8, 3)])
def test_672a_3_a_a_card_as_often_as_the_decks_hold_it(decks: int, pairs: int) -> None:
    """The dealer's two make up the number; one more on another hand makes his second too many."""
    seats = [seat(place, "5S 5S") for place in range(1, pairs + 1)]

    assert flags(settled(played(*seats, dealer="5S 5S 7D"), decks=decks)) == []
    told = refused(played(*seats, seat(6, "9H 5S"), dealer="5S 5S 7D"), decks=decks)
    assert told == ("duplicate_card", "dealer_hand.cards[1]", "§ 672a.3(a)")


def test_672a_3_a_discarded_cards_count_too() -> None:
    burned = [{"card": "5S", "cite": "672a.7(c)"}]
    seats = [seat(1, "5S 5S"), seat(2, "5S 5S")]

    told = refused(played(*seats, dealer="5S 5S 7D", discarded=burned))

    assert told == ("duplicate_card", "discarded[0].card", "§ 672a.3(a)")


def test_672a_3_a_no_joker_in_the_shoe() -> None:
    assert refused(played(seat(1, "JK 5S")))[:2] == ("bad_card", "positions[0].hands[0].cards[0]")
    assert refused(played(seat(1, "9S 9D"), dealer="JK 8C"))[:2] == (
        "bad_card", "dealer_hand.cards[0]",
    )  # fmt: skip


def test_672a_3_a_a_stub_is_what_is_left_of_a_shoe_with_its_rack_elsewhere() -> None:
    assert flags(settled(played(seat(1, "9S 9D"), stub=["2S", "2S", "KD"], left_count=3))) == []


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ("2S TC", 12), ("JS QC", 20), ("KS AC", 21), ("AS AC", 12), ("AS AC 9D", 21),
        ("AS AC TD", 12), ("AS 6C", 17), ("AS 6C TD", 17), ("AS 5C TD 6H", 22),
        ("AS AC AD AH 7S", 21), ("9S 8C 7D", 24), ("AS AC AD AH 8S", 12),
    ],
)  # fmt: skip
def test_672a_3_d_totals(cards: str, points: int) -> None:
    assert total(cards.split()) == points


def test_672a_3_d_1_2_every_card() -> None:
    assert [total([card]) for card in DECK[:13]] == [2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11]
    assert [worth(card) for card in DECK[:13]] == [2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 1]


def test_672a_1_two_card_hands_by_kind() -> None:
    """Of 1,326 pairs of one deck 64 are naturals; hard 9, 10 and 11 never hold an ace."""
    pairs = [(one, two) for place, one in enumerate(DECK) for two in DECK[place + 1 :]]

    assert sum(is_natural(pair) for pair in pairs) == 64
    free = [pair for pair in pairs if is_doubled_free(pair)]
    assert len(free) == 3 * 16 + (3 * 16 + 6) + 4 * 16
    assert not any("A" in one + two for one, two in free)


def test_672a_3_a_a_card_too_often_in_a_void_is_an_alarm() -> None:
    evidence = [seat(1, "5S 5S 5S"), seat(2, "5S 5S 5S 5S")]
    document = event("void", positions=evidence, irregularity={"cite": "672a.12(k)"})
    check_event(document, terms())

    found = [flag for flag in void(document, terms(), None).flags if flag["severity"] == "alarm"]

    assert [(flag["code"], flag["path"], flag["cite"]) for flag in found] == [
        ("repeated_card", "positions[1].hands[0].cards[3]", "§ 672a.3(a)")
    ]


def test_672a_3_d_points_count_so_that_hands_are_not_ranked() -> None:
    with pytest.raises(Refusal) as refusal:
        rank("free_bet_blackjack", "AS KS QS JS TS".split())

    assert (refusal.value.code, refusal.value.path) == ("not_ranked", "game")
    assert refusal.value.detail == "Hands of Free Bet Blackjack are not ranked: their points count."
