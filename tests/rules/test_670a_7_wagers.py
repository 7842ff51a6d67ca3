"""§ 670a.7: who wagers, on how many positions, and what becomes of a leaver's wagers."""

import pytest

from tables.rules import Refusal
from tests.rules.made import flags, lines, played, seat, settled, terms

LEFT = {"status": "abandoned", "irregularity": {"cite": "670a.7(b)"}}
QUADS = "9S 9H 9D 9C 4S 2H"


def test_670a_7_b_abandoned_wagers_lose_whatever_the_cards() -> None:
    left = seat(
        3, QUADS, **LEFT, double_down="25.00", fortune_bonus="5.00", insurance="1.00",
        progressive="1.00",
    )  # fmt: skip
    outcome = settled(played(left, dealer="2D 3C 5H 7S TC JD"))

    assert lines(outcome) == [
        f"3 {kind} lose +0.00 <0.00 670a.7(b) SC-22"
        for kind in ("main", "double_down", "fortune_bonus", "insurance", "progressive")
    ]
    assert [c.position for c in outcome.contributions] == [3]
    assert outcome.reversals == outcome.wins == ()


def test_670a_7_b_a_leavers_cards_pay_others_but_he_is_not_paid() -> None:
    left = seat(3, QUADS, **LEFT, fortune_bonus="5.00", progressive="1.00")
    other = seat(
        5, "KS KH KD KC 4H 2S", "4H", fortune_bonus="5.00", progressive="1.00", main="10.00"
    )
    outcome = settled(played(left, other, dealer="2D 3C 5H 7S TC JD"))

    assert [(e.position, e.from_position, str(e.pays)) for e in outcome.envies] == [
        (5, 3, "75.00"),
        (5, 3, "5.00"),
    ]
    assert {e.line["reading"] for e in outcome.envies} == {"SC-22"}


def test_670a_7_b_no_envy_by_a_leavers_cards_where_the_submission_says_so() -> None:
    left = seat(3, QUADS, **LEFT)
    other = seat(5, "KS JH TD 8C 4H 3S", "4H", fortune_bonus="5.00")
    outcome = settled(
        played(left, other, dealer="2D 3C 5H 7S TC JD"), terms(readings={"SC-22": "no_envy"})
    )

    assert outcome.envies == ()


def test_670a_7_f_two_adjacent_positions_are_one_person() -> None:
    his = [
        seat(3, QUADS, fortune_bonus="5.00", player="P1"),
        seat(4, "KS KH KD KC 4H 2S", fortune_bonus="10.00", player="P1"),
    ]
    hers = seat(1, "TS TH TD 8C 8H 3S", fortune_bonus="5.00", player="P2")
    outcome = settled(played(*his, hers, dealer="2D 3C 5H 7S TC JD"))

    assert [(e.position, e.from_position, str(e.pays)) for e in outcome.envies] == [
        (4, 1, "25.00"),
        (3, 1, "25.00"),
        (1, 4, "75.00"),
        (1, 3, "75.00"),
    ]
    assert flags(outcome) == []


@pytest.mark.parametrize(
    ("positions", "choices", "flagged"),
    [
        ([2, 3], {}, False),
        ([2, 3], {"adjacent_positions": False}, True),
        ([2, 4], {}, True),
        ([1, 6], {}, True),
        ([2, 3, 4], {}, True),
    ],
)
def test_670a_7_f_positions_of_one_person(
    positions: list[int], choices: dict, flagged: bool
) -> None:
    hands = ["QS JH 9D 6C 4H 3S", "KS TH 8D 6S 4S 2H", "AS QH TC 7D 4D 3H"]
    seats = [seat(at, hand, player="P1") for at, hand in zip(positions, hands, strict=False)]
    outcome = settled(played(*seats, dealer="2D 3C 5H 7S TD JD"), terms(**choices))

    path = f"positions[{len(seats) - 1}].player"
    assert flags(outcome) == [("adjacent_positions", path, "exception")] * flagged


def test_670a_7_e_1_double_down_equals_the_main_wager() -> None:
    with pytest.raises(Refusal) as refusal:
        settled(played(seat(2, QUADS, double_down="20.00")))

    assert refusal.value.code == "double_down_mismatch"
    assert refusal.value.path == "positions[0].wagers.double_down"
    assert refusal.value.cite == "§ 670a.7(e)(1)"
