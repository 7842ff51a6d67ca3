"""The arithmetic of a level that must hit: nothing is made or lost, nobody waits too long."""

from datetime import date
from decimal import ROUND_DOWN, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressives.meters import CENT
from progressives.models import Meter, MustHitReveal, Progressive
from progressives.must_hit import Draw, pays, steps_between
from progressives.services.feeding import Feed
from progressives.services.ledger import Priced, RoundFacts
from progressives.services.level_meters import MustHitMeter
from progressives.services.must_hit import draw_for
from tests.progressives.samples import Play, sample, set_up, stand

FACTS = RoundFacts(1, date(2026, 3, 14), None, "T-1", 1, "D100")


def test_the_promise_is_the_hash_that_the_documentation_says() -> None:
    """printf 'must_hit/1|MYSTERY:mini|1|100.00|250.00|187.31|c0ffee' | sha256sum"""
    draw = Draw("MYSTERY:mini", 1, Decimal("100"), Decimal("250"), Decimal("187.31"), salt="c0ffee")
    assert draw.commitment == "b0843ecb2891f05a95592209e104ee79600a4b993e5f7edf1588800b7948445c"


def test_whole_cents_are_paid_and_never_more_than_promised() -> None:
    assert pays(Decimal("20.149999"), Decimal("20.15")) == Decimal("20.14")
    assert pays(Decimal("20.1875"), Decimal("20.15")) == Decimal("20.15")
    assert steps_between(Decimal("20.13"), Decimal("20.15")) == 3


@given(
    stakes=st.lists(st.integers(1, 9), min_size=1, max_size=120),
    percent=st.integers(1, 10_000),
    reset=st.integers(0, 5_000),
    low=st.integers(1, 2_000),
    room=st.integers(1, 3_000),
)
def test_nothing_is_made_or_lost_and_each_level_is_won_when_it_is_reached(
    stakes: list[int], percent: int, reset: int, low: int, room: int
) -> None:
    """Cents and hundredths of a percent: up to $9 a wager at up to 100%."""
    start = Decimal(reset) / 100
    meter = Meter(
        progressive=Progressive(code="MYSTERY"),
        level="mini",
        initial=start,
        reset=start,
        increment_percent=Decimal(percent) / 100,
        must_hit_from=start + Decimal(low) / 100,
        must_hit_by=start + Decimal(low + room) / 100,
        value=start,
    )
    held = MustHitMeter(meter, [])
    held._draw = draw_for(meter, 1)
    put = paid = put_in = Decimal(0)
    for position, stake in enumerate(stakes, 1):
        before = held.running.value
        added = held.contribute(FACTS, position, Decimal(stake))
        assert added == Decimal(stake) * meter.increment_percent / 100
        put += added
        assert held.reached == (before + added >= held.draw.value)
        if held.reached:
            draw = held.draw
            priced = held.win(FACTS, position, Decimal(stake))
            assert draw.low <= draw.value <= priced.pays <= draw.high
            paid, put_in = paid + priced.pays, put_in + priced.reset_put_in
            assert held.draw.number == draw.number + 1
        assert held.running.value == start + put - paid + put_in
    assert [won.draw.number for won in held.won] == list(range(1, len(held.won) + 1))


@pytest.mark.django_db
def test_the_shipped_sample_is_played_by_movements_to_the_cent() -> None:
    """$1 a wager: 4 cents to maxi, 6.25 cents to mini; mini is won between $25.00 and $50.00.

    From $20 the lower bound is reached by the 80th wager (80 x 6.25 cents = $5), the upper one by
    the 480th (480 x 6.25 cents = $30); by then maxi stands at 500 + 480 x 0.04 = $519.20.
    """
    mystery = set_up(sample("must_hit"))
    table, won = Play(mystery, ""), []
    for number in range(8):
        table.round(lambda feed, facts: won.extend(sixty_wagers(feed, facts)))
        assert number or won == []
    assert 1 <= len(won) == MustHitReveal.objects.count()
    values = stand(mystery)
    assert values["maxi"] == Decimal("519.20")
    paid = sum(priced.pays for _, priced in won)
    assert values["mini"] == 20 + 480 * Decimal("0.0625") - paid + 20 * len(won)
    for _, priced in won:
        assert Decimal("25.00") <= priced.pays <= Decimal("50.00")
        assert priced.pays == priced.meter_at_turn.quantize(CENT, ROUND_DOWN)


def sixty_wagers(feed: Feed, facts: RoundFacts) -> list[tuple[int, Priced]]:
    for position in range(1, 61):
        feed.contribute(facts, position, Decimal("1.00"))
    return feed.won
