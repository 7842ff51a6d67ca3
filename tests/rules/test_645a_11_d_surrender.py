"""§ 645a.11(d): a player who has no optional wager may give up the main wager."""

import pytest

from tables.rules.cards import DECK_AND_JOKER
from tests.rules.made import flags, lines
from tests.rules.made_pai_gow import (
    DEALER,
    DRAGON,
    DRAGON_LOW,
    LOSER,
    LOSER_LOW,
    QUADS,
    QUADS_LOW,
    played,
    red,
    refusal_of,
    seat,
    settled,
    terms,
)

GIVEN_UP = "5 main surrender +0.00 <0.00 645a.11(d)"


@pytest.mark.parametrize("counted", [{}, {"counted": 7}])
def test_645a_11_d_the_whole_wager_is_lost_and_the_cards_stay_unseen(counted: dict) -> None:
    outcome = settled(played(seat(5, surrender=True, **counted)))

    assert lines(outcome) == [GIVEN_UP]
    assert flags(outcome) == []


def test_645a_11_d_no_surrender_is_a_hand_as_any() -> None:
    outcome = settled(played(seat(5, QUADS, QUADS_LOW, surrender=False)))

    assert lines(outcome, "main") == [
        "5 main win four_of_a_kind 1 to 1 +23.75 <25.00 645a.11(f)(3) PG-10"
    ]


@pytest.mark.parametrize(
    "wager",
    [
        {"fortune_bonus": "1.00"},
        {"emperors_treasure": "1.00"},
        {"pai_gow_insurance": "1.00"},
        {"progressive": "1.00"},
        {"queens_dragon": "1.00"},
        {"dynasty_bonus": "1.00"},
        {"protection": "1.00"},
        {"red_black": red()},
    ],
)
def test_645a_11_d_an_optional_wager_bars_it(wager: dict) -> None:
    """By the letter only the first five do (PG-5), and the others are then settled as usual."""
    document = played(seat(5, QUADS, QUADS_LOW, surrender=True, **wager))
    (kind,) = wager
    first_five = kind not in ("dynasty_bonus", "protection", "red_black")

    assert refusal_of(document) == ("surrender_not_allowed", "positions[0].surrender")
    literal = terms(readings={"PG-5": "literal"})
    if first_five:
        assert refusal_of(document, literal) == ("surrender_not_allowed", "positions[0].surrender")
    else:
        told = lines(settled(document, literal))
        assert told[0] == f"{GIVEN_UP} PG-5"
        assert [line.split()[1] for line in told] == ["main", kind]


def test_645a_11_d_an_optional_wager_that_stands_needs_the_cards() -> None:
    document = played(seat(5, surrender=True, dynasty_bonus="5.00"))

    assert refusal_of(document, terms(readings={"PG-5": "literal"})) == (
        "missing_key",
        "positions[0].cards",
    )


def test_645a_11_d_lost_also_against_a_queens_dragon_at_an_ez_table() -> None:
    document = played(seat(5, surrender=True), dealer=DRAGON, low=DRAGON_LOW)

    assert lines(settled(document, terms(ez=True))) == [f"{GIVEN_UP} PG-9"]
    assert lines(settled(document)) == [GIVEN_UP]


def test_645a_11_d_surrendered_cards_stay_for_a_qualifying_wager() -> None:
    taker = seat(2, LOSER, LOSER_LOW, dynasty_bonus="5.00")
    given = seat(5, QUADS, surrender=True)
    outcome = settled(played(taker, given))

    assert lines(outcome, "dynasty_bonus") == [
        "2 dynasty_bonus lose queen_high +0.00 <0.00 645a.11(h)(6)(i)(A)",
        "2 dynasty_bonus envy four_of_a_kind fixed $5.00 +5.00 <0.00 from 5 645a.11(h)(6)(ii) PG-7",
    ]
    assert flags(outcome) == []


@pytest.mark.parametrize(
    ("wager", "player", "flagged"),
    [
        ({"fortune_bonus": "5.00"}, "P1", True),
        ({"fortune_bonus": "4.99"}, "P1", False),
        ({"protection": "5.00"}, "P1", False),
        ({"fortune_bonus": "5.00"}, "P2", False),  # his own second hand
    ],
)
def test_645a_11_d_cards_that_an_envy_waits_for_were_not_reported(
    wager: dict, player: str, flagged: bool
) -> None:
    taker = seat(2, LOSER, LOSER_LOW, player=player, **wager)
    outcome = settled(played(taker, seat(3, surrender=True, player="P2")))

    told = ("surrendered_cards_unknown", "positions[1].surrender", "exception")
    assert flags(outcome) == [told] * flagged


def test_645a_11_d_not_seven_cards_collected_is_an_alarm() -> None:
    outcome = settled(played(seat(5, surrender=True, counted=6)))

    assert lines(outcome) == [GIVEN_UP]
    assert flags(outcome) == [("surrender_count", "positions[0].counted", "alarm")]


@pytest.mark.parametrize(
    ("cards", "refused"),
    [
        ("9S 9H 9D 9C KH 5D", ("wrong_card_count", "positions[0].cards")),
        ("9S 9H 9D 9C KH 5D ??", ("bad_card", "positions[0].cards[6]")),
    ],
)
def test_645a_11_d_cards_that_are_told_are_seven(cards: str, refused: tuple) -> None:
    assert refusal_of(played(seat(5, cards, surrender=True))) == refused


def test_645a_11_d_unseen_cards_count_towards_the_deck() -> None:
    stub = [card for card in DECK_AND_JOKER if card not in DEALER.split()][7:]

    assert lines(settled(played(seat(5, surrender=True), stub=stub))) == [GIVEN_UP]
    assert refusal_of(played(seat(5, surrender=True), stub=stub[1:])) == ("stub_mismatch", "stub")
