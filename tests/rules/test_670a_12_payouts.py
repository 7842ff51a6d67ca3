"""§ 670a.12: what each hand pays, and the meter at the player's turn."""

import json
from decimal import Decimal
from typing import Any

import pytest

from tables.rules import price_win
from tables.rules.games.six_card_fortune_pai_gow import (
    FORTUNE_BONUS,
    FORTUNE_ENVY,
    INSURANCE,
    METER,
    PROGRESSIVE,
    PROGRESSIVE_ENVY,
)
from tables.rules.paytables import Line, Paytable
from tables.rules.shell import outcome_of
from tables.rules.wagers import ForOne, PercentOfMeter, ToOne, payout
from tests.rules.made import lines, played, seat, settled

HANDS = {
    "five_aces": "AS AH AD AC JK 2H",
    "royal_flush": "AS KS QS JS TS 4D",
    "straight_flush": "9S 8S 7S 6S 5S 4D",
    "four_of_a_kind": "TS TH TD TC 5S 3H",
    "full_house": "TS TH TD 5C 5S 3H",
    "flush": "KS TS 8S 6S 5S 3H",
    "straight": "TS 9H 8S 7C 6S 3H",
    "three_of_a_kind": "TS TH TD 7S 5S 3H",
    "two_pair": "TS TH 7D 7S 5S 3H",
}
DEALER = "2D 3C 4H 8D JC QH"

FORTUNE = {
    "five_aces": "+5000.00", "royal_flush": "+1250.00", "straight_flush": "+500.00",
    "four_of_a_kind": "+250.00", "full_house": "+75.00", "flush": "+50.00",
    "straight": "+40.00", "three_of_a_kind": "+25.00", "two_pair": "lose",
}  # fmt: skip
FIXED_PROGRESSIVE = {
    "straight_flush": "+300.00", "four_of_a_kind": "+150.00", "full_house": "+15.00",
    "flush": "+6.00", "straight": "+3.00", "three_of_a_kind": "lose", "two_pair": "lose",
}  # fmt: skip


@pytest.mark.parametrize("hand", FORTUNE)
def test_670a_12_b_1_fortune_bonus(hand: str) -> None:
    (line,) = lines(
        settled(played(seat(3, HANDS[hand], fortune_bonus="5.00"), dealer=DEALER)), "fortune_bonus"
    )

    assert FORTUNE[hand] in line
    assert ("<0.00" if FORTUNE[hand] == "lose" else "<5.00") in line


@pytest.mark.parametrize("hand", FIXED_PROGRESSIVE)
def test_670a_12_d_1_fixed_progressive_payouts_do_not_return_the_chip(hand: str) -> None:
    outcome = settled(played(seat(3, HANDS[hand], progressive="1.00"), dealer=DEALER))
    (line,) = lines(outcome, "progressive")

    assert FIXED_PROGRESSIVE[hand] in line
    assert "<0.00" in line
    assert [win.percent for win in outcome.wins] == [None] * ("lose" not in line)


def test_670a_12_d_3_second_hit_is_paid_from_the_rest() -> None:
    document = played(
        seat(2, "AS KS QS JS TS 4D", progressive="1.00"),
        seat(6, "AH KH QH JH TH 4C", progressive="1.00"),
        dealer="2D 3C 5H 7S 9C JD",
        meter={"value": "20000.00", "reset": "5000.00", "increment_percent": "21"},
    )
    outcome = outcome_of(document)

    paid = [line for line in outcome["lines"] if line["wager"] == "progressive"][:2]
    assert [(p["position"], p["meter_at_turn"], p["pays"]) for p in paid] == [
        (6, "20000.42", "2000.04"),
        (2, "18000.38", "1800.03"),
    ]
    assert outcome["meters"] == [
        {
            "level": "grand",
            "before": "20000.00",
            "contributed": "0.42",
            "paid": "3800.07",
            "after": "16200.35",
        }
    ]


def priced(reset: str = "5000.00", value: str = "4000.00", **readings: str) -> dict[str, Any]:
    return outcome_of(
        played(
            seat(6, "AH KH QH JH TH 4C", progressive="1.00"),
            meter={"value": value, "reset": reset},
            submission={"readings": {key.replace("_", "-"): at for key, at in readings.items()}},
        )
    )


@pytest.mark.parametrize(
    ("choice", "pays"), [("down", "2000.02"), ("half_up", "2000.02"), ("up", "2000.03")]
)
def test_670a_12_d_1_a_fraction_of_a_cent(choice: str, pays: str) -> None:
    outcome = priced(value="20000.00", SC_10=choice)

    line = next(line for line in outcome["lines"] if line["wager"] == "progressive")
    assert (line["pays"], line["reading"]) == (pays, "SC-10")


def test_670a_12_d_3_a_meter_below_its_reset_amount_is_topped_up_only_if_so_chosen() -> None:
    assert priced()["meters"][0]["after"] == "3600.19"
    assert priced(SC_12="top_up")["meters"][0]["after"] == "5000.00"


def test_670a_12_d_1_five_aces_take_the_meter_and_leave_the_reset_amount() -> None:
    outcome = outcome_of(
        played(
            seat(6, HANDS["five_aces"], progressive="5.00"),
            meter={"value": "26000.00", "reset": "25000.00"},
        )
    )

    assert outcome["meters"][0]["paid"] == "26001.05"
    assert outcome["meters"][0]["after"] == "25000.00"


def test_price_win_completes_the_line() -> None:
    win = settled(played(seat(6, "AH KH QH JH TH 4C", progressive="1.00"))).wins[0]
    assert (win.percent, win.pays, win.line["pays"], win.cards) == (
        10, None, None, ("AH", "KH", "QH", "JH", "TH"),
    )  # fmt: skip

    price_win(win, Decimal("20000.210000"), Decimal("2000.02"))

    assert (win.line["meter_at_turn"], win.line["pays"]) == ("20000.21", "2000.02")
    json.dumps(win.line)


def test_670a_12_d_2_lowest_reset_amount() -> None:
    assert METER.lowest_reset(Decimal("1.00")) == 5000
    assert METER.lowest_reset(Decimal("5.00")) == 25000
    assert METER.lowest_reset(Decimal("0.50")) == 5000


def test_670a_12_paytables_as_printed() -> None:
    assert [line.terms.pays for line in FORTUNE_BONUS.lines] == [1000, 250, 100, 50, 15, 10, 8, 5]
    assert [line.terms.pays for line in INSURANCE.lines] == [100, 30, 10, 7, 4, 3]
    assert [str(line.terms) for line in PROGRESSIVE.lines] == [
        "100% of meter", "10% of meter", "300 for 1", "150 for 1", "15 for 1", "6 for 1", "3 for 1",
    ]  # fmt: skip
    columns = [
        [int(line.terms.amount) for line in column.values()]
        for schedule in (FORTUNE_ENVY, PROGRESSIVE_ENVY)
        for column in schedule.columns.values()
    ]
    assert columns == [
        [1000, 200, 50, 15, 5],
        [5000, 1000, 250, 75, 25],
        [100, 50, 10, 5],
        [500, 250, 50, 25],
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        (Line("flush", ToOne(5)), Line("flush", ToOne(4))),
        (Line("flush", ToOne(5)), Line("full_house", ToOne(4)), Line("straight", ToOne(3))),
        (Line("flush", ToOne(5)), Line("straight", ToOne(6))),
        (Line("flush", ForOne(5)), Line("straight", PercentOfMeter(1))),
    ],
)
def test_a_paytable_that_cannot_be_right_fails_at_import(wrong: tuple[Line, ...]) -> None:
    with pytest.raises(ValueError, match="670a"):
        Paytable(cite="§ 670a.12", wager="main", lines=wrong)


def test_odds_are_paid_to_the_cent_and_the_fraction_stays() -> None:
    assert payout(ToOne(3, 2), Decimal("5.01")) == Decimal("7.51")
    assert payout(ForOne(300), Decimal("1.00")) == Decimal("300.00")
    assert payout(PercentOfMeter(10), Decimal("1.00")) is None
