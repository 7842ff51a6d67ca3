"""A level's display, reserve and overflow, against exact fractions: nothing is made or lost."""

import itertools
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from progressives.levels import (
    DISPLAY,
    OVERFLOW,
    RESERVE,
    Contributed,
    Level,
    PutIn,
    Rate,
    Step,
    contribution_of,
    written,
)
from progressives.meters import MeterTerms, RunningMeter, cents

PURPOSES = (DISPLAY, RESERVE, OVERFLOW)


def level(
    value: str = "5000.00",
    *,
    reset: str = "5000.00",
    percent: str = "17",
    reserve: str | None = "2.5",
    limit: str | None = None,
    hidden: str = "0",
    over: str = "0",
    top_up: bool = False,
    **changes: bool,
) -> Level:
    nothing = Decimal(0)
    terms = MeterTerms(Decimal(percent), Decimal(reset), top_up=top_up)
    return Level(
        RunningMeter(Decimal(value), terms),
        reserve=RunningMeter(Decimal(hidden), MeterTerms(Decimal(reserve), nothing))
        if reserve
        else None,
        overflow=RunningMeter(Decimal(over), MeterTerms(nothing, nothing)) if limit else None,
        limit=None if limit is None else Decimal(limit),
        **changes,
    )


def stands(held: Level) -> tuple[str, ...]:
    """The level's meters as text: display, reserve, overflow."""
    return tuple(cents(m.value) for m in (held.display, held.reserve, held.overflow) if m)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("contribute"), st.sampled_from(["1.00", "5.00", "0.25", "100.00"])),
        st.tuples(st.just("award"), st.sampled_from([10, 50, 100])),
        st.tuples(st.just("reverse"), st.integers(0, 5)),
        st.tuples(st.just("put_back"), st.integers(0, 2)),
    ),
    max_size=40,
)


def played(held: Level, deeds: list[tuple[str, object]]) -> tuple[list[Step], Fraction, Fraction]:
    """Play the deeds; return the steps, what was wagered and what was given back of it."""
    steps: list[Step] = []
    given_: list[tuple[Decimal, Contributed]] = []
    wagered = returned = Fraction(0)
    paid: list[tuple[Decimal, PutIn]] = []
    for deed, what in deeds:
        if deed == "contribute":
            stake = Decimal(str(what))
            given_.append((stake, held.contribute(stake)))
            wagered += Fraction(stake)
        elif deed == "reverse" and given_:
            stake, back = given_.pop()
            if held.display.value >= back.total:
                held.reverse(back)
                returned += Fraction(stake)
        elif deed == "award":
            award = held.award(int(str(what)))
            put_in: dict[str, Decimal] = defaultdict(Decimal)
            for _, moved in held.peek():
                put_in[moved.kind] += moved.amount
            paid.append(
                (
                    -award.amount,
                    PutIn(put_in["reset"], put_in["reserve_in"], put_in["overflow_in"]),
                )
            )
        elif deed == "put_back" and paid:
            amount, back_in = paid.pop()
            if held.display.value + amount >= back_in.reset:
                held.put_back(amount, back_in)
        steps += held.take_steps()
    return steps, wagered, returned


@settings(deadline=None)
@given(
    STEPS,
    st.sampled_from(["5000.00", "5000.50", "5001.00"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_nothing_is_made_or_lost_over_display_reserve_overflow_and_what_was_paid(
    deeds: list[tuple[str, object]], limit: str, funds: bool, kept: bool, top_up: bool
) -> None:
    held = level(limit=limit, funds_reset=funds, overflow_kept=kept, top_up=top_up)
    steps, wagered, returned = played(held, deeds)

    sums: dict[str, Fraction] = defaultdict(Fraction)
    for _, moved in steps:
        sums[moved.kind] += Fraction(moved.amount)
    assert sums["contribution"] == wagered * Fraction(195, 1000)  # 17 + 2.5 %
    assert sums["reversal"] == -returned * Fraction(195, 1000)
    total = sum((Fraction(m.value) for m in (held.display, held.reserve, held.overflow) if m), 0)
    house = sums["reset"] + sums["reset_returned"]
    paid = sums["award"] + sums["award_returned"]
    assert total == 5000 + sums["contribution"] + sums["reversal"] + house + paid
    assert sums["reserve_in"] + sums["reserve_out"] == 0
    assert sums["overflow_in"] + sums["overflow_out"] == 0
    assert sums["pool_returned"] + sums["pool_restored"] == 0
    assert sums["limit_cut"] + sums["limit_kept"] == 0


@settings(deadline=None)
@given(STEPS, st.sampled_from(["5000.00", "5000.50"]), st.booleans())
def test_each_meter_follows_its_own_steps_and_none_leaves_its_bounds(
    deeds: list[tuple[str, object]], limit: str, funds: bool
) -> None:
    held = level(limit=limit, funds_reset=funds)
    steps, _, _ = played(held, deeds)
    for purpose in PURPOSES:
        moved = [step.moved for step in steps if step.purpose == purpose]
        assert all(m.after == m.before + m.amount >= 0 for m in moved)
        assert all(left.after == right.before for left, right in itertools.pairwise(moved))
    assert held.display.value <= Decimal(limit)


@settings(deadline=None)
@given(st.decimals("0.01", "500", places=2), st.decimals("0.01", "90", places=2))
def test_contributed_overflow_and_reserve_are_the_rate_times_the_wager(
    stake: Decimal, percent: Decimal
) -> None:
    held = level(percent=str(percent), reserve="3.25", limit="5000.10")
    given_ = held.contribute(stake)
    assert Fraction(given_.total) == Fraction(stake) * (Fraction(percent) + Fraction("3.25")) / 100
    held.reverse(given_)
    assert stands(held) == ("5000.00", "0.00", "0.00")


def test_a_wager_at_the_limit_goes_to_the_overflow_and_is_counted_on_the_display() -> None:
    held = level("5000.00", limit="5000.10")
    assert held.contribute(Decimal("1.00")) == Decimal("0.10")
    given_ = held.contribute(Decimal("1.00"))
    assert (Decimal(given_), given_.overflow, given_.reserve) == (
        0,
        Decimal("0.17"),
        Decimal("0.025"),
    )
    kinds = [(step.purpose, step.moved.kind) for step in held.take_steps()]
    assert kinds[3:] == [(p, "contribution") for p in (DISPLAY, OVERFLOW, RESERVE)]


def test_the_whole_level_begins_again_with_reset_amount_reserve_and_overflow() -> None:
    held = level("9000.004", hidden="120.50", over="7.25", limit="9500.00")
    assert held.award(100).amount == Decimal("-9000.00")
    assert held.display.value == Decimal("5127.75")
    assert [s.moved.kind for s in held.take_steps()] == [
        *("award", "reset", "reserve_out", "reserve_in", "overflow_out", "overflow_in"),
    ]
    assert stands(held)[1:] == ("0.00", "0.00")


def test_a_reserve_that_funds_the_reset_amount_spares_the_house_that_much() -> None:
    held = level("9000.00", hidden="120.50", funds_reset=True)
    held.award(100)
    assert held.display.value == 5000
    assert [f"{s.moved.kind} {s.moved.amount}" for s in held.take_steps()][1:] == [
        *("reset 4879.50", "reserve_out -120.50", "reserve_in 120.50")
    ]


def test_what_does_not_fit_under_the_limit_stays_in_the_reserve() -> None:
    held = level("9000.00", hidden="6000.00", over="1.00", limit="10000.00")
    held.award(100)
    assert (stands(held)) == ("10000.00", "1000.00", "1.00")


def test_an_overflow_may_be_kept_from_the_next_jackpot() -> None:
    held = level("9000.00", over="7.25", limit="9000.00", overflow_kept=True)
    held.award(100)
    assert stands(held)[2] == "7.25"


def test_a_refused_award_goes_back_with_all_that_followed_it() -> None:
    held = level("9000.00", hidden="120.50", over="7.25", limit="9000.00")
    held.award(100)
    held.put_back(Decimal("9000.00"), PutIn(Decimal(5000), Decimal("120.50"), Decimal("7.25")))
    assert stands(held) == ("9000.00", "120.50", "7.25")


def test_what_a_returned_award_brings_over_the_limit_goes_to_the_overflow() -> None:
    held = level("9000.00", limit="9000.00")
    held.award(100)
    held.contribute(Decimal("100.00"))
    held.put_back(Decimal("9000.00"), PutIn(Decimal(5000)))
    assert stands(held) == ("9000.00", "2.50", "17.00")


def test_a_reversal_after_a_reset_takes_the_overflow_where_it_has_gone() -> None:
    held = level("5000.00", limit="5000.00")
    given_ = held.contribute(Decimal("1.00"))
    assert held.award(100).amount == -5000  # limit 5000: nothing of the overflow fits
    held.limit = Decimal("6000.00")
    held.award(100)  # now it did
    held.reverse(given_)
    assert stands(held) == ("5000.00", "0.00", "0.00")


def test_633b_17_the_rate_follows_paytable_and_decks() -> None:
    held = level(percent="17", reserve="0")
    assert held.contribute(Decimal("5.00")) == Decimal("0.85")
    assert held.contribute(Decimal("5.00"), Rate(Decimal(20))) == Decimal("1.00")
    hidden = held.contribute(Decimal("5.00"), Rate(Decimal("14.5"), Decimal("3.125")))
    assert (Decimal(hidden), hidden.reserve) == (Decimal("0.725"), Decimal("0.15625"))


def test_a_rate_that_needs_a_meter_which_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a reserve meter"):
        level(reserve=None).contribute(Decimal("1.00"), Rate(Decimal(1), Decimal(1)))
    with pytest.raises(ValueError, match="may not be below the display"):
        level("6000.00", limit="5999.99")


def test_a_contribution_is_written_and_read_again_with_its_parts() -> None:
    told = Contributed(Decimal("0.10"), Decimal("0.07"), Decimal("0.025"))
    again = contribution_of(written(told))
    assert isinstance(again, Contributed)
    assert (again, again.overflow, again.reserve) == (told, told.overflow, told.reserve)
    assert written(Decimal("0.21")) == "0.21"
    assert type(contribution_of("0.21")) is Decimal
