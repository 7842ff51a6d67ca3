"""§ 671a.7: the wagers, their limits, who may make them and when."""

from typing import Any

import pytest

from tables.rules import Refusal, check_event, check_follows_lockout, lockout
from tests.rules.made_lunar import (
    LEFT,
    brief,
    buys,
    event,
    exchanges,
    flags,
    played,
    refused,
    seat,
    settled,
    terms,
)

PAIR = "JS JH 5D 4C 8S"
OTHER = "QS QD 9H 4S 3S"


def test_671a_7_c_1_who_plays_has_an_ante() -> None:
    document = played(seat(1, PAIR, "bet", ante=None, super="10.00"))

    assert refused(document) == ("main_wager_required", "positions[0].wagers", "§ 671a.7(c)(1)")


@pytest.mark.parametrize("own", [None, "9.99"])
def test_671a_7_c_2_the_own_super_wager_is_at_least_the_ante(own: str | None) -> None:
    document = played(seat(1, PAIR, "bet", super=own))

    assert refused(document) == ("super_below_ante", "positions[0].wagers.super", "§ 671a.7(c)(2)")


def test_671a_7_c_2_a_lockout_is_held_to_the_same_wagers() -> None:
    below = event("lockout", positions=[seat(1, super="5.00")])
    nobody = event("lockout", positions=[seat(1, super_on={"2": "5.00"})])

    assert refused(below)[:2] == ("super_below_ante", "positions[0].wagers.super")
    assert refused(nobody)[:2] == ("super_target", "positions[0].wagers.super_on.2")


@pytest.mark.parametrize("target", ["1", "3", "02", "Dealer", "9", ""])
def test_671a_7_c_3_a_super_wager_is_on_the_dealer_or_another_position(target: str) -> None:
    document = played(seat(1, PAIR, "bet", super_on={target: "5.00"}), seat(2, OTHER, "bet"))

    assert refused(document) == (
        "super_target",
        f"positions[0].wagers.super_on.{target}",
        "§ 671a.7(c)(3)",
    )


@pytest.mark.parametrize(
    ("choices", "code"),
    [
        ({"minimum": "10.00"}, "wager_out_of_range"),
        ({"minimum": {"ante": "10.00"}}, "wager_out_of_range"),
        ({"minimum": {"super_on": "7.50"}}, "wager_out_of_range"),
        ({"maximum": {"super_on": "4.00"}}, "wager_out_of_range"),
    ],
)
def test_671a_7_c_3_a_super_wager_on_others_is_within_the_limits(choices: Any, code: str) -> None:
    document = played(seat(1, PAIR, "bet", super_on={"_note": [1], "dealer": "5.00"}))

    assert refused(document, **choices)[:2] == (code, "positions[0].wagers.super_on.dealer")


def test_671a_7_c_3_the_minimum_for_others_may_be_lower_than_for_the_ante() -> None:
    document = played(seat(1, PAIR, "bet", super_on={"dealer": "5.00"}))

    settled(document, minimum={"ante": "10.00", "super_on": "5.00"})


def test_671a_7_c_only_supers_on_others_are_a_choice_of_the_submission() -> None:
    document = played(seat(1, PAIR, buys("5C"), bet="20.00", options_fee="10.00"))

    settled(document, wagers=["ante"])


def test_671a_7_d_a_settlement_adds_bet_and_fee_to_its_lockout_and_nothing_else() -> None:
    locked = event("lockout", positions=[seat(1, super_on={"dealer": "5.00"}), seat(2)])
    check_event(locked, terms())

    def told(**changes: Any) -> dict[str, Any]:
        wagers = {"super_on": {"dealer": "5.00"}, "bet": "20.00", "options_fee": "10.00", **changes}
        seats = [seat(1, PAIR, buys("5C"), **wagers), seat(2, OTHER, "fold")]
        hand = {"cards": "TD TH 9C 6S 2H".split()}
        return event("settlement", positions=seats, dealer_hand=hand)

    check_follows_lockout(told(), locked, terms())
    for changed in ({"dealer": "10.00"}, {"dealer": "5.00", "2": "5.00"}, None):
        with pytest.raises(Refusal) as refusal:
            check_follows_lockout(told(super_on=changed), locked, terms())
        assert refusal.value.code == "wagers_changed_after_lockout"
        assert refusal.value.path == "positions[0].wagers.super_on"
        assert refusal.value.cite == "§ 671a.7(d)"


def test_671a_7_d_a_lockout_has_no_bet_and_moves_no_meter() -> None:
    early = event("lockout", positions=[seat(1, bet="20.00")])
    assert refused(early)[:2] == ("wager_not_offered", "positions[0].wagers.bet")

    locked = lockout(event("lockout", positions=[seat(1)]), terms())
    assert locked.contributions == locked.wins == ()
    assert locked.outcome["lines"] == []


@pytest.mark.parametrize(
    ("does", "wagers", "code"),
    [
        ("bet", {"bet": "10.00"}, "bet_mismatch"),
        ("fold", {"bet": "20.00"}, "bet_mismatch"),
        (exchanges("4C 8S", "2C 2D", "fold"), {"bet": "20.00"}, "bet_mismatch"),
        ("bet", {"options_fee": "10.00"}, "options_fee_mismatch"),
        (buys("2C"), {"options_fee": "20.00"}, "options_fee_mismatch"),
    ],
)
def test_671a_11_b_wagers_that_follow_from_the_decision_agree_with_it(
    does: Any, wagers: dict, code: str
) -> None:
    (kind,) = wagers

    assert refused(played(seat(1, PAIR, does, **wagers)))[:2] == (
        code,
        f"positions[0].wagers.{kind}",
    )


def test_671a_7_e_one_position_a_person() -> None:
    seats = [seat(1, PAIR, "bet", player="P1"), seat(2, OTHER, "bet", player="P1")]

    assert flags(settled(played(*seats))) == [
        ("adjacent_positions", "positions[1].player", "exception")
    ]


def test_671a_7_b_what_a_leaver_wagered_is_lost_and_supers_on_him_live() -> None:
    trips = "7S 7H 7D 4C 3S"
    left = seat(2, trips, buys("2C", then=None), **LEFT, super_on={"1": "5.00", "dealer": "5.00"})
    other = seat(1, "KS QS 9S 5S 2S", "fold", super_on={"2": "5.00"})
    outcome = settled(played(left, other, dealer="TD TH TC 6S 6H"))

    assert brief(outcome) == [
        "1 super win +600.00 <10.00 LP-2",
        "1 ante fold +0.00 <0.00",
        "2 ante lose +0.00 <0.00",
        "2 super lose +0.00 <0.00",
        "2 options_fee lose +0.00 <0.00",
        "2 super_on on 1 lose +0.00 <0.00",
        "2 super_on on dealer lose +0.00 <0.00",
        "1 super_on on 2 win +40.00 <5.00",
    ]
    assert flags(outcome) == []
