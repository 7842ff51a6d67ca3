"""§ 670a.11(d): how the house sets six cards, and § 670a.13(i): what was set otherwise is reset."""

import pytest

from tables.rules.hands import SIX_CARD, name_of
from tables.rules.house_way import HouseWay
from tests.rules.made import flags, lines, played, seat, settled, terms

WAY = HouseWay(SIX_CARD)

# hand, the low card, what the other five are, the paragraph, the reading if one set it
SETTINGS = [
    ("KS KH 9D 7C 5S 2H", "9D", "pair", "(1)", None),
    ("KS KH JK 9D 7C 2H", "JK", "pair", "(1)", None),
    ("AS JK 9D 7C 5S 2H", "9D", "pair", "(1)", None),
    ("KS KH 9D 9C 5S 2H", "5S", "two_pair", "(1)", None),
    ("KS KH KD 9C 5S 2H", "9C", "three_of_a_kind", "(1)", None),
    ("KS KH KD 9C 9S 2H", "2H", "full_house", "(1)", None),
    ("KS KH KD 9C 9S 9H", "KS", "full_house", "(1)(i)", None),
    ("AS AH JK 9C 9S 9H", "JK", "full_house", "(1)(i)", None),
    ("KS KH QD QC 9S 9H", "KS", "two_pair", "(1)(ii)", None),
    ("KS KH KD KC 9S 2H", "9S", "four_of_a_kind", "(1)", None),
    ("KS KH KD KC 9S 9H", "9S", "four_of_a_kind", "(1)", "SC-7"),
    ("AS AH AD AC JK 2H", "2H", "five_aces", "(1)", None),
    ("9S 8H 7D 6C 5S 9H", "9S", "straight", "(1)", "SC-6"),
    ("9S 8H 7D 6C 5S 2H", "2H", "straight", "(1)", None),
    ("9S 7S 5S 4S 2S 9H", "9H", "flush", "(1)", "SC-6"),
    ("9S 8H 7D 6C 5S 4H", "9S", "straight", "(2)", None),
    ("AS 2H 3D 4C 5S 6H", "AS", "straight", "(2)", None),
    ("AS KH QD JC TS 9H", "AS", "straight", "(2)", None),
    ("AS KS 9S 7S 4S 2S", "AS", "flush", "(2)", None),
    ("9S 8S 7S 6S 5S 4S", "9S", "straight_flush", "(2)", None),
    ("2S 3H 4D 5C JK 7H", "7H", "straight", "(2)", "SC-15"),
    ("TS 9H 8D 7C JK 5H", "TS", "straight", "(2)", "SC-18"),
    ("9S 8H 7D 6C 5S JK", "JK", "straight", "(2)", "SC-18"),
    ("KS TS 7S 4S 2S JK", "JK", "flush", "(2)", "SC-18"),
    ("9S 8S 7S 6S 4S 5H", "5H", "flush", "(3)", None),
    ("9S 8S 7S 6S 5S TH", "TH", "straight_flush", "(4)", None),
    ("AS KS QS JS TS 9H", "9H", "royal_flush", "(4)", None),
    ("9S 8S 7S 6S 5S 2S", "2S", "straight_flush", "(5)", None),
    ("KS QS JS TS JK 2S", "2S", "royal_flush", "(5)", None),
    ("AS KS QS JS TS 9S", "AS", "straight_flush", "(2)", "SC-5"),
    ("AS KS QS JS JK 9S", "AS", "straight_flush", "(2)", "SC-5"),
    ("KS QS JS TS 9S JK", "JK", "straight_flush", "(2)", "SC-5"),
    ("AS QH TD 8C 6S 4H", "QH", "ace_high", "(6)", None),
    ("JK QH TD 8C 6S 4H", "QH", "ace_high", "(6)", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("hand", "low", "high", "paragraph", "reading"),
    [pytest.param(*row, id=row[0].replace(" ", "")) for row in SETTINGS],
)
def test_670a_11_d_house_way(
    hand: str, low: str, high: str, paragraph: str, reading: str | None
) -> None:
    setting = WAY.set(hand.split())

    assert (setting.low, name_of(setting.high_value)) == (low, high)
    assert (setting.cite, setting.reading) == (f"§ 670a.11(d){paragraph}", reading)


@pytest.mark.parametrize("hand", [row[0] for row in SETTINGS])
def test_670a_11_d_order_of_the_cards_does_not_matter(hand: str) -> None:
    one, other = WAY.set(hand.split()), WAY.set(hand.split()[::-1])

    assert one.high_value == other.high_value
    assert one.low[0] == other.low[0]


@pytest.mark.parametrize(
    ("hand", "low", "high"),
    [
        ("AS KS QS JS TS 9S", "9S", "royal_flush"),
        ("AS KS QS JS JK 9S", "9S", "royal_flush"),
        ("AS KS QS JS TS JK", "JK", "royal_flush"),
    ],
)
def test_670a_11_d_2_royal_kept_where_the_submission_says_so(
    hand: str, low: str, high: str
) -> None:
    setting = HouseWay(SIX_CARD, keep_royal=True).set(hand.split())

    assert (setting.low, name_of(setting.high_value)) == (low, high)


def test_670a_11_d_1_four_and_a_pair_as_a_full_house_where_the_submission_says_so() -> None:
    way = HouseWay(SIX_CARD, keep_full_house=True)
    setting = way.set("KS KH KD KC 9S 9H".split())

    assert (setting.low, name_of(setting.high_value)) == ("KS", "full_house")
    assert way.set("KS KH KD KC 9S 2H".split()) == WAY.set("KS KH KD KC 9S 2H".split())


def test_670a_11_d_1_the_reading_that_set_the_dealer_and_decided_is_named() -> None:
    """The dealer's four kings put a nine low, as a full house they would put a king low."""
    document = played(seat(6, "AS AH AD AC TS 2H", "TS"), dealer="KS KH KD KC 9S 9H")

    by_default = settled(document)
    assert by_default.outcome["dealer"]["reading"] == "SC-7"
    assert lines(by_default) == [
        "6 main win four_of_a_kind 1 to 1 +25.00 <25.00 670a.11(f)(3) SC-7"
    ]

    other = settled(document, terms(readings={"SC-7": "full_house"}))
    assert lines(other) == ["6 main push four_of_a_kind +0.00 <25.00 670a.11(f)(2)(i) SC-7"]


def test_670a_13_i_hands_set_otherwise_are_reset_and_flagged() -> None:
    document = played(seat(6, "QS QH TD 8C 6S 3H", "TD"), dealer="KS KH 9D 7C 5S 2D", low="KS")
    outcome = settled(document)

    assert outcome.outcome["dealer"] == {
        "high": ["KS", "KH", "7C", "5S", "2D"],
        "low": ["9D"],
        "hand": "pair",
        "cite": "§ 670a.11(d)(1)",
    }
    assert flags(outcome) == [("dealer_hand_reset", "dealer_hand.low", "exception")]
    assert outcome.flags[0]["cite"] == "§ 670a.13(i)"


@pytest.mark.parametrize(
    ("dealer", "low"),
    [
        ("KS KH QD QC 9S 9H", "KH"),  # either king of three pairs
        ("9S 8H 7D 6C 5S 9H", "9H"),
        ("AS KH QD JC TS JK", "AS"),  # the joker low is an ace to the dealer
    ],
)
def test_670a_13_i_a_card_of_equal_rank_low_is_no_wrong_setting(dealer: str, low: str) -> None:
    outcome = settled(played(seat(6, "8S 8D TD 7C 6S 3H", "TD"), dealer=dealer, low=low))

    assert flags(outcome) == []
    assert outcome.outcome["dealer"]["low"] == [low]


def test_670a_11_a_1_a_position_without_a_low_hand_is_set_by_the_house_way() -> None:
    outcome = settled(played(seat(6, "QS QH TD 8C 6S 4H")))

    assert lines(outcome) == ["6 main win pair 1 to 1 +25.00 <25.00 670a.11(f)(3)"]
