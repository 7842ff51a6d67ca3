"""§ 672a.6, § 672a.8: who wagers what and when; insurance and even money."""

from typing import Any

import pytest

from tables.rules import Refusal, check_event, check_follows_lockout, lockout
from tests.rules.made_blackjack import (
    event,
    flags,
    lines,
    played,
    refused,
    seat,
    settled,
    terms,
)


def locked(*seats: dict[str, Any]) -> dict[str, Any]:
    document = event("lockout", positions=list(seats))
    check_event(document, terms())
    return document


def test_672a_6_c_a_lockout_has_wagers_and_no_hands() -> None:
    assert lockout(locked(seat(1, push_22="5.00")), terms()).contributions == ()

    for late, path, code in (
        (seat(1, insurance="5.00"), "positions[0].wagers.insurance", "wager_not_offered"),
        (seat(1, "9S 9D"), "positions[0].hands", "unknown_key"),
        (seat(1, even_money=True), "positions[0].even_money", "unknown_key"),
    ):
        with pytest.raises(Refusal) as refusal:
            locked(late)
        assert (refusal.value.code, refusal.value.path) == (code, path)


def test_672a_6_c_only_insurance_is_wagered_after_the_lockout() -> None:
    before = locked(seat(1, push_22="5.00"))
    insured = played(seat(1, "9S 9D", push_22="5.00", insurance="10.00"), dealer="AD 8C")
    check_follows_lockout(insured, before, terms())

    without = played(seat(1, "9S 9D"))
    with pytest.raises(Refusal) as refusal:
        check_follows_lockout(without, before, terms())
    assert (refusal.value.code, refusal.value.path, refusal.value.cite) == (
        "wagers_changed_after_lockout", "positions[0].wagers.push_22", "§ 672a.6(c)",
    )  # fmt: skip


def test_672a_6_d_minimum_and_maximum_are_the_blackjack_wagers() -> None:
    low = refused(played(seat(1, "9S 9D", main="10.00")), minimum="15.00")
    assert low[:2] == ("wager_out_of_range", "positions[0].wagers.main")
    high = refused(played(seat(1, "9S 9D", main="500.00")), maximum={"main": "400.00"})
    assert high[:2] == ("wager_out_of_range", "positions[0].wagers.main")
    assert flags(settled(played(seat(1, "9S 9D", push_22="5.00")), minimum="15.00")) == []


def test_672a_6_d_wagers_of_other_chapters() -> None:
    told = refused(played(seat(1, "9S 9D", progressive="1.00")))
    assert told[:2] == ("wager_not_offered", "positions[0].wagers.progressive")
    told = refused(played(seat(1, "9S 9D", tie="1.00")))
    assert told[:2] == ("unknown_wager", "positions[0].wagers.tie")


@pytest.mark.parametrize(
    ("positions", "boxes", "flagged"),
    [
        ([2, 3], {}, False),
        ([2, 3, 4, 5], {}, False),
        ([2, 4], {}, True),
        ([2, 3], {"adjacent_positions": 1}, True),
        ([2, 3], {"adjacent_positions": False}, True),
        ([2, 3], {"adjacent_positions": 2}, False),
        ([2, 3, 4], {"adjacent_positions": 2}, True),
        ([4, 2, 3], {"adjacent_positions": 3}, False),
    ],
)
def test_672a_6_f_adjacent_boxes(positions: list[int], boxes: dict, flagged: bool) -> None:
    document = played(*(seat(place, "9S 9D", player="P1") for place in positions))
    outcome = settled(document, **boxes)

    path = f"positions[{len(positions) - 1}].player"
    assert flags(outcome) == [("adjacent_positions", path, "exception")] * flagged
    assert all(flag["cite"] == "§ 672a.6(f)" for flag in outcome.flags)


@pytest.mark.parametrize(
    ("key", "choice"),
    [
        ("adjacent_positions", 0),
        ("adjacent_positions", "two"),
        ("settlement", "winners_first"),
        ("settlement", 1),
        ("even_money", "yes"),
        ("smallest_chip", "5"),
        ("smallest_chip", "0.00"),
        ("paytables.push_22", {"push_22": "C"}),
        ("readings.FB-1", {"FB-1": "returned"}),
        ("readings.FB-99", {"FB-99": "x"}),
    ],
)
def test_672a_choices_that_the_chapter_does_not_leave(key: str, choice: Any) -> None:
    with pytest.raises(Refusal) as refusal:
        terms(**{key.partition(".")[0]: choice})

    assert refusal.value.path == key


def test_672a_paytables_of_other_games_may_stand_beside() -> None:
    chosen = terms(paytables={"instant": "B", "push_22": "B"}).submission.paytables

    assert chosen["push_22"].row["other_22"].terms_text == "7 to 1"


# ---- § 672a.8. Insurance ----------------------------------------------------------------------


def test_672a_8_a_insurance_is_every_players_whatever_the_submission_lists() -> None:
    insured = played(seat(1, "9S 9D", insurance="10.00"), dealer="AD KC")

    assert lines(settled(insured, wagers=["main"]), "insurance") == [
        "1 insurance win blackjack 2 to 1 +20.00 <10.00 672a.11(b)"
    ]


@pytest.mark.parametrize(
    ("main", "chip", "most", "more"),
    [
        ("20.00", None, "10.00", "10.01"),
        ("15.05", None, "7.52", "7.53"),
        ("25.00", "1.00", "13.00", "13.01"),
        ("25.00", "0.50", "12.50", "12.51"),
        ("25.00", "5.00", "15.00", "15.01"),
        ("5.00", "5.00", "5.00", "5.01"),
        ("20.00", "25.00", "25.00", "25.01"),
    ],
)
def test_672a_8_b_up_to_the_next_chip(main: str, chip: str | None, most: str, more: str) -> None:
    chips = {} if chip is None else {"smallest_chip": chip}

    def insured(amount: str) -> dict[str, Any]:
        return played(seat(1, "9S 9D", main=main, insurance=amount), dealer="AD 8C")

    reading = " FB-6" if float(most) > float(main) / 2 else ""
    assert lines(settled(insured(most), **chips), "insurance") == [
        f"1 insurance lose +0.00 <0.00 672a.8(d){reading}"
    ]
    assert refused(insured(more), **chips) == (
        "insurance_too_large", "positions[0].wagers.insurance", "§ 672a.8(b)",
    )  # fmt: skip


def test_672a_8_b_insurance_is_on_the_initial_wager_not_on_splits() -> None:
    told = refused(played(seat(1, "8S TD", insurance="10.01"), dealer="AD 7C"))
    assert told[0] == "insurance_too_large"


@pytest.mark.parametrize(
    ("taken", "dealer"),
    [
        (seat(1, "AS KH", even_money=True), "KD AC"),
        (seat(1, "TS KH", even_money=True), "AD 7C"),
        (seat(1, "AS 5H 5D", even_money=True), "AD 7C"),
        (seat(1, "AS KH", even_money=True, insurance="10.00"), "AD 7C"),
    ],
)
def test_672a_8_e_even_money_is_for_a_blackjack_against_an_ace(taken: dict, dealer: str) -> None:
    assert refused(played(taken, dealer=dealer)) == (
        "even_money_not_offered", "positions[0].even_money", "§ 672a.8(e)",
    )  # fmt: skip


def test_672a_8_e_even_money_declined_is_no_even_money() -> None:
    outcome = settled(played(seat(1, "AS KH", even_money=False), dealer="AD 7C"), even_money=False)

    assert lines(outcome) == ["1 main win blackjack 3 to 2 +30.00 <20.00 672a.7(h)(1)"]


def test_672a_8_insurance_before_any_other_place_of_a_later_position() -> None:
    """The first problem wins: the positions are looked at one after the other."""
    seats = [seat(1, "9S 9D", insurance="10.00"), seat(2, "9S 9D", push_22="5.00")]

    told = refused(played(*seats), wagers=["main"])

    assert told[:2] == ("insurance_not_offered", "positions[0].wagers.insurance")
