"""The arithmetic of one meter, against exact fractions and the regulation's figures."""

import itertools
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressives.meters import MeterTerms, Movement, RunningMeter, cents, increment, share

RESET = Decimal("5000.00")


def meter(value: str = "20000.00", **changes: object) -> tuple[RunningMeter, list[Movement]]:
    moved: list[Movement] = []
    terms = MeterTerms(Decimal("21"), RESET, **changes)  # type: ignore[arg-type]
    return RunningMeter(Decimal(value), terms, moved.append), moved


STAKES = st.decimals("0.01", "1000", places=2)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("contribute"), STAKES),
        st.tuples(st.just("award"), st.sampled_from([10, 100])),
        st.tuples(st.just("reverse"), STAKES),
    ),
    max_size=40,
)


@given(STEPS, st.sampled_from(["down", "half_up", "up"]), st.booleans())
def test_nothing_is_made_or_lost_and_the_order_is_kept(
    steps: list[tuple[str, Decimal | int]], rounding: str, top_up: bool
) -> None:
    running, moved = meter(rounding=rounding, top_up=top_up)
    exact, contributed = Fraction(20000), Fraction(0)
    for deed, given_ in steps:
        before = len(moved)
        if deed == "contribute":
            added = running.contribute(Decimal(given_)).amount
            assert Fraction(added) == Fraction(Decimal(given_)) * 21 / 100
            contributed += Fraction(added)
        elif deed == "award":
            share_ = exact * int(given_) / 100
            paid = -running.award(int(given_)).amount
            assert paid == paid.quantize(Decimal("0.01"))
            assert abs(Fraction(paid) - share_) < Fraction(1, 100)
            assert given_ != 100 or running.value == RESET
        else:
            amount = min(Decimal(given_), running.value)
            running.reverse(amount)
        exact += sum((Fraction(m.amount) for m in moved[before:]), Fraction(0))
        assert Fraction(running.value) == exact >= 0
    for left, right in itertools.pairwise(moved):
        assert left.after == right.before
    assert all(m.after == m.before + m.amount for m in moved)


@pytest.mark.parametrize(
    ("stake", "added"), [("1.00", "0.21"), ("5.00", "1.05"), ("0.01", "0.0021"), ("3.33", "0.6993")]
)
def test_670a_12_d_1_increment_rate(stake: str, added: str) -> None:
    assert increment(Decimal(stake), Decimal(21)) == Decimal(added)


def test_an_increment_that_six_decimals_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="six decimals"):
        increment(Decimal("0.01"), Decimal("0.00001"))


def test_670a_12_d_3_two_royals_on_ten_thousand_pay_a_thousand_then_nine_hundred() -> None:
    running, _ = meter("10000.00")
    assert [-running.award(10).amount for _ in range(2)] == [Decimal("1000.00"), Decimal("900.00")]


def test_five_aces_before_a_royal_and_after_it() -> None:
    running, _ = meter("10000.00")
    assert -running.award(100).amount == Decimal("10000.00")
    assert -running.award(10).amount == Decimal("500.00")
    running, _ = meter("10000.00")
    assert -running.award(10).amount == Decimal("1000.00")
    assert -running.award(100).amount == Decimal("9000.00")
    assert running.value == RESET


@pytest.mark.parametrize(
    ("rounding", "pays"), [("down", "1234.56"), ("half_up", "1234.57"), ("up", "1234.57")]
)
def test_a_fraction_of_a_cent(rounding: str, pays: str) -> None:
    assert share(Decimal("12345.67"), 10, rounding) == Decimal(pays)


def test_what_cannot_be_paid_in_cents_is_part_of_the_reset_amount() -> None:
    running, moved = meter("5000.123456")
    running.award(100)
    assert [(m.kind, str(m.amount)) for m in moved] == [
        ("award", "-5000.12"),
        ("reset", "4999.996544"),
    ]
    assert running.value == RESET


def test_after_ten_percent_there_is_no_top_up_unless_the_submission_says_so() -> None:
    running, moved = meter("5000.00")
    running.award(10)
    assert running.value == Decimal("4500.00")
    running, moved = meter("5000.00", top_up=True)
    running.award(10)
    assert (running.value, moved[-1].kind) == (RESET, "reset")


def test_a_returned_contribution_may_go_below_the_reset_amount_or_not() -> None:
    running, _ = meter("5000.10")
    running.reverse(Decimal("0.21"))
    assert running.value == Decimal("4999.89")
    running, _ = meter("5000.10", hold_reset=True)
    running.reverse(Decimal("0.21"))
    assert running.value == RESET
    assert running.reverse(Decimal("0.21")) is None


def test_a_meter_never_goes_below_zero() -> None:
    running, _ = meter("0.10")
    with pytest.raises(ValueError, match="below zero"):
        running.reverse(Decimal("0.21"))


@pytest.mark.parametrize(
    ("value", "text"),
    [("5000", "5000.00"), ("5000.5", "5000.50"), ("1.234560", "1.23456"), ("0", "0.00")],
)
def test_a_meter_value_is_written_with_two_to_six_decimals(value: str, text: str) -> None:
    assert cents(Decimal(value)) == text


def test_a_wager_grows_by_the_rate_of_its_own_moment() -> None:
    meter = RunningMeter(Decimal(100), MeterTerms(Decimal(21), Decimal(5)))
    meter.contribute(Decimal(1))
    meter.terms = MeterTerms(Decimal(10), Decimal(5))
    assert meter.contribute(Decimal(1)).amount == Decimal("0.10")
