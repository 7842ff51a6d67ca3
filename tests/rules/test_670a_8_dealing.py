"""§ 670a.5, § 670a.8 to .10: the start, the chips, the lammers, the eleven cards left."""

from typing import Any

import pytest

from tables.rules.cards import DECK_AND_JOKER
from tests.rules.made import DEALER, flags, played, seat, settled, terms

HAND = "QS JH 9D 6C 4H 3S"


def round_with(**keys: Any) -> list[tuple[str, str, str]]:
    return flags(settled(played(seat(2, HAND, progressive="1.00"), **keys)))


@pytest.mark.parametrize(
    ("total", "first"),
    [(3, 5), (4, 4), (7, 1), (8, 0), (9, 6), (14, 1), (15, 0), (18, 4)],
)
def test_670a_5_i_1_count_from_the_dealer_counterclockwise(total: int, first: int) -> None:
    """The dealer is one, the position farthest to his right two."""
    dice = next([a, b, total - a - b] for a in range(1, 7) for b in range(1, 7)
                if 1 <= total - a - b <= 6)  # fmt: skip

    assert round_with(start={"dice": dice, "first": first}) == []
    wrong = (first + 1) % 7
    assert round_with(start={"dice": dice, "first": wrong, "no_rolls": 1}) == [
        ("wrong_start", "start.first", "alarm")
    ]


def test_670a_5_i_2_a_random_number_counts_alike() -> None:
    assert round_with(start={"random_number": 1, "first": 0}) == []
    assert round_with(start={"random_number": 2, "first": 6}) == []
    assert len(round_with(start={"random_number": 2, "first": 1})) == 1


@pytest.mark.parametrize(
    ("dealing", "cite"),
    [
        ("manual_shoe", "§ 670a.8(b)(2)"),
        ("hand", "§ 670a.9(a)(3)(ii)"),
        ("automated_shoe", "§ 670a.10(a)(2)(ii)"),
    ],
)
def test_670a_8_b_2_a_wrong_chip_count_of_a_played_round(dealing: str, cite: str) -> None:
    outcome = settled(played(seat(2, HAND, progressive="1.00"), chip_count=2, dealing=dealing))

    assert flags(outcome) == [("chip_count_mismatch", "chip_count", "exception")]
    assert outcome.flags[0]["cite"] == cite
    assert round_with(chip_count=1) == []


@pytest.mark.parametrize(
    ("fortune", "lammer", "flagged"),
    [
        ("5.00", ["fortune_bonus"], False),
        ("4.99", [], False),
        ("4.99", ["fortune_bonus"], True),
        ("5.00", [], True),
        ("5.00", ["fortune_bonus", "progressive"], True),
    ],
)
def test_670a_8_b_1_lammer_lies_at_a_qualifying_wager(
    fortune: str, lammer: list[str], flagged: bool
) -> None:
    outcome = settled(played(seat(2, HAND, fortune_bonus=fortune, envy_lammer=lammer)))

    path = "positions[0].envy_lammer"
    assert flags(outcome) == [("envy_lammer", path, "exception")] * flagged


def test_670a_9_a_1_cards_dealt_by_hand_are_shuffled_by_a_device() -> None:
    assert round_with(dealing="hand", shuffle="device") == []
    assert round_with(dealing="hand", shuffle="manual") == [
        ("hand_dealt_without_device", "shuffle", "exception")
    ]


def test_670a_8_f_a_settled_round_with_other_than_eleven_left() -> None:
    assert round_with(left_count=11) == []
    assert round_with(left_count=10) == [("left_count", "left_count", "alarm")]
    face_up = [{"card": "KC", "cite": "670a.13(f)"}]
    assert round_with(left_count=10, discarded=face_up) == []


def test_670a_8_e_stub_and_hands_make_up_the_deck() -> None:
    dealt = {*HAND.split(), *DEALER.split()}
    stub = [card for card in DECK_AND_JOKER if card not in dealt]

    assert round_with(stub=stub) == []
    face_up = [{"card": stub[0], "cite": "670a.13(f)"}]
    assert round_with(stub=stub[1:], discarded=face_up) == []


def test_670a_2_a_seven_stacks_are_dealt_whatever_the_open_seats() -> None:
    outcome = settled(
        played(seat(2, HAND), start={"random_number": 2, "first": 6}, left_count=11),
        terms(positions=3),
    )

    assert flags(outcome) == []
