"""§ 671a.11: decisions and draws, declared hands, the dealer, second payouts, both directions."""

from typing import Any

import pytest

from tests.rules.made_lunar import (
    UNQUALIFIED,
    brief,
    buys,
    exchanges,
    flags,
    lines,
    played,
    refused,
    seat,
    settled,
)

HAND = "JS JH 5D 4C 8S"
STRAIGHT_FLUSH = "9H 8H 7H 6H 5H"
AT = "positions[0].decision"


# ---- (b), (d). Decisions ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decision", "code", "path"),
    [
        (exchanges("5D", "2C"), "exchange_count", f"{AT}.discard"),
        (exchanges("", ""), "exchange_count", f"{AT}.discard"),
        (exchanges("JS JH 5D 4C 8S 8S", "2C 3C 4D 5C 6C 7C"), "exchange_count", f"{AT}.discard"),
        (exchanges("5D 4C", "2C"), "exchange_count", f"{AT}.draw"),
        (exchanges("5D 4C", "2C 3C 7C"), "exchange_count", f"{AT}.draw"),
        (exchanges("5D 7C", "2C 3C"), "discard_not_in_hand", f"{AT}.discard[1]"),
        (exchanges("5D 5D", "2C 3C"), "duplicate_card", f"{AT}.discard[1]"),
        (exchanges("5D 4C", "2C 3C", None), "missing_key", f"{AT}.then"),
        ({"action": "exchange", "draw": ["2C", "3C"]}, "missing_key", f"{AT}.discard"),
        ({"action": "exchange", "discard": ["5D", "4C"]}, "missing_key", f"{AT}.draw"),
        (buys("2C 3C"), "exchange_count", f"{AT}.draw"),
        (buys(""), "exchange_count", f"{AT}.draw"),
        (buys("2C", discard=["5D"]), "exchange_count", f"{AT}.discard"),
        (buys("2C", None), "missing_key", f"{AT}.then"),
        ({"action": "bet", "draw": ["2C"]}, "exchange_count", f"{AT}.draw"),
        ({"action": "fold", "discard": ["5D"]}, "exchange_count", f"{AT}.discard"),
        ({"action": "fold", "then": "bet"}, "bad_value", f"{AT}.then"),
        ({"action": "check"}, "bad_value", f"{AT}.action"),
        ({"then": "bet"}, "missing_key", f"{AT}.action"),
        ({"action": "bet", "wager": "20.00"}, "unknown_key", f"{AT}.wager"),
        (buys("JK"), "bad_card", f"{AT}.draw[0]"),
        (buys("JH"), "duplicate_card", f"{AT}.draw[0]"),
        (buys("TD"), "duplicate_card", "dealer_hand.cards[0]"),
        (None, "missing_key", AT),
    ],
)
def test_671a_11_b_d_decisions_that_cannot_be(decision: Any, code: str, path: str) -> None:
    assert refused(played(seat(1, HAND, decision)))[:2] == (code, path)


def test_671a_11_b_an_empty_list_draws_nothing() -> None:
    decision = {"action": "bet", "discard": [], "draw": [], "then": "bet", "_tablet": 3}

    settled(played(seat(1, HAND, decision)))


def test_671a_8_c_a_hand_is_five_cards_of_a_deck_without_joker() -> None:
    short = played(seat(1, HAND, "bet"), dealer="TD TH 9C 6S")
    joker = played(seat(1, "JS JH 5D 4C JK", "bet"))

    assert refused(short) == ("wrong_card_count", "dealer_hand.cards", "§ 671a.13(c)")
    assert refused(joker)[:2] == ("bad_card", "positions[0].cards[4]")
    assert refused(played(seat(1, HAND, "bet"), stub=["JK"]))[:2] == ("bad_card", "stub[0]")
    assert refused(played(seat(1, HAND, "bet"), stub=["7S"]))[:2] == ("stub_mismatch", "stub")


@pytest.mark.parametrize("cards", ["AS AS AS AS AS", "AS KS QS JS JS", "5S 5S 5H 5D 5C"])
def test_671a_3_a_a_hand_holds_no_card_twice(cards: str) -> None:
    assert refused(played(seat(1, cards, "bet")))[0] == "duplicate_card"


def test_671a_8_c_the_stub_is_the_deck_less_dealt_drawn_and_discarded() -> None:
    from tables.rules.cards import DECK  # noqa: PLC0415 - of this test only

    gone = {*HAND.split(), "2C", "3C", *"TD TH 9C 6S 2H".split(), "7S"}
    facts: dict[str, Any] = {
        "discarded": [{"card": "7S", "cite": "671a.13(a)"}],
        "stub": [card for card in DECK if card not in gone],
        "left_count": 39,
    }
    document = played(seat(1, HAND, exchanges("5D 4C", "2C 3C")), **facts)

    assert flags(settled(document)) == []
    document["left_count"] = 40
    assert flags(settled(document)) == [("left_count", "left_count", "exception")]


# ---- (b), (c). Declared hands, instant payouts ------------------------------------------------


@pytest.mark.parametrize(
    ("decision", "returned"),
    [
        (None, []),
        ("fold", []),
        ("bet", ["bet"]),
        (buys("2C"), ["options_fee", "bet"]),
        (buys("2C", "fold"), ["options_fee"]),
        ({"action": "buy"}, ["options_fee"]),
        ({"action": "exchange", "discard": ["9H", "8H"]}, ["options_fee"]),
    ],
)
def test_671a_11_b_2_an_instant_hand_ends_the_players_round(
    decision: Any, returned: list[str]
) -> None:
    outcome = settled(played(seat(1, STRAIGHT_FLUSH, decision)))

    sums = {"options_fee": "10.00", "bet": "20.00"}
    assert brief(outcome) == [
        "1 super win +20.00 <10.00 LP-1",
        "1 ante instant +2500.00 <10.00",
        *(f"1 {kind} returned +0.00 <{sums[kind]} LP-9" for kind in returned),
    ]
    folded = [("instant_hand_folded", f"{AT}.action", "exception")]
    assert flags(outcome) == (folded if decision == "fold" else [])


def test_671a_11_b_2_a_bet_told_as_a_wager_comes_back_too() -> None:
    outcome = settled(played(seat(1, STRAIGHT_FLUSH, bet="20.00", options_fee="10.00")))

    assert [line["wager"] for line in outcome.outcome["lines"][2:]] == ["options_fee", "bet"]
    assert refused(played(seat(1, STRAIGHT_FLUSH, bet="10.00")))[0] == "bet_mismatch"


def test_671a_11_c_3_an_undeclared_instant_hand_plays_on() -> None:
    undeclared = seat(1, STRAIGHT_FLUSH, "bet", declares=False)

    assert brief(settled(played(undeclared))) == [
        "1 super lose +0.00 <0.00 LP-7",
        "1 ante returned +0.00 <10.00",
        "1 bet win +1000.00 <20.00 LP-9",
    ]
    assert brief(settled(played(undeclared, dealer="2D 4C 6S 8S TD")), "ante") == [
        "1 ante win +40.00 <10.00 LP-9"
    ]
    assert brief(settled(played(undeclared), readings={"LP-9": "verify"})) == [
        "1 super lose +0.00 <0.00 LP-7",
        "1 ante instant +2500.00 <10.00 LP-9",
        "1 bet returned +0.00 <20.00 LP-9",
    ]
    silent = played(seat(1, STRAIGHT_FLUSH, declares=False))
    assert refused(silent)[:2] == ("missing_key", AT)
    assert settled(silent, readings={"LP-9": "verify"}).outcome["lines"][1]["result"] == "instant"


@pytest.mark.parametrize(
    ("letter", "royal", "straight"),
    [(None, "15000.00", "2500.00"), ("B", "10000.00", "3000.00"), ("C", "10000.00", "2500.00")],
)
def test_671a_12_a_the_submission_chooses_the_instant_paytable(
    letter: str | None, royal: str, straight: str
) -> None:
    choices = {} if letter is None else {"paytables": {"instant": letter, "push_22": "A"}}
    seats = [seat(1, "AS KS QS JS TS"), seat(2, STRAIGHT_FLUSH)]
    outcome = settled(played(*seats, dealer="2D 4C 6S 8S TD"), **choices)

    assert brief(outcome, "ante") == [
        f"1 ante instant +{royal} <10.00",
        f"2 ante instant +{straight} <10.00",
    ]


def test_671a_12_a_there_is_no_paytable_d() -> None:
    assert refused(played(seat(1, HAND, "bet")), paytables={"instant": "D"})[:2] == (
        "bad_value",
        "paytables.instant",
    )


# ---- (f). The dealer; second payouts ----------------------------------------------------------


def test_671a_11_f_the_outcome_says_whether_the_dealer_qualifies() -> None:
    seats = seat(1, HAND, "bet")

    assert settled(played(seats, dealer="AD KC 9H 6S 3D")).outcome["dealer"] == {
        "cards": "AD KC 9H 6S 3D".split(),
        "hand": "ace_king",
        "qualifies": True,
        "cite": "§ 671a.11(f)(2)",
    }
    outcome = settled(played(seats, dealer="AD QC 9H 6S 3D")).outcome
    assert (outcome["dealer"]["hand"], outcome["dealer"]["qualifies"]) == ("ace_high", False)


def test_671a_11_f_1_the_bet_comes_back_before_the_ante_is_paid() -> None:
    outcome = settled(played(seat(1, "JS JH 5D 4H 8D", "bet"), dealer=UNQUALIFIED))

    assert lines(outcome, "bet", "ante") == [
        "1 bet returned +0.00 <20.00 671a.11(f)(1)",
        "1 ante win pair 1 to 1 +10.00 <10.00 671a.12(c)",
    ]


def test_671a_11_f_2_ii_several_second_combinations_are_paid_as_the_best() -> None:
    document = played(seat(1, "9S 9D 8C 7H 6S", buys("5D")), dealer="QD QC 8H 5S 3D")

    both = settled(document, readings={"LP-3": "straight_and_pair_both"})
    assert brief(settled(document), "bet") == [
        "1 bet win +80.00 <20.00",
        "1 bet win +80.00 <0.00 LP-3",
    ]
    assert brief(both, "bet") == [
        "1 bet win +80.00 <20.00",
        "1 bet win +80.00 <0.00 LP-3",
        "1 bet win +20.00 <0.00 LP-3",
    ]
    second = both.outcome["lines"][-1]
    assert (second["second_combination"], second["stake"], second["cite"]) == (
        True,
        "0.00",
        "§ 671a.11(f)(2)(ii)",
    )


def test_671a_11_f_2_ii_other_combinations_are_not_doubled_by_the_reading() -> None:
    quads = played(seat(1, "8S 8H 8D 8C KS", buys("KD")), dealer="QD QC 9H 5S 3D")
    outcome = settled(quads, readings={"LP-3": "straight_and_pair_both"})

    assert brief(outcome, "bet") == ["1 bet win +400.00 <20.00", "1 bet win +140.00 <0.00 LP-3"]


# ---- What the dealer paid ---------------------------------------------------------------------


def test_671a_12_payments_are_compared_by_wager() -> None:
    aces = "AS AH KD 8C 7S"
    right = seat(
        1, aces, "bet", super_on={"dealer": "5.00", "2": "10.00"},
        paid={"bet": "40.00", "super_on": "80.00"},
    )  # fmt: skip
    trips = "9S 9H 9D 5C 2S"
    wrong = seat(2, trips, "bet", paid={"super": "50.00", "ante": "10.00"})
    outcome = settled(played(right, wrong, dealer="QD QC JH 5S 3D"))

    assert [(f["path"], f["paid"], f["due"]) for f in outcome.flags] == [
        ("positions[1].paid.super", "50.00", "80.00"),
        ("positions[1].paid.ante", "10.00", "0.00"),
        ("positions[1].paid", "0.00", "60.00"),
    ]
