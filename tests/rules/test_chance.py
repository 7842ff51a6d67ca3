"""The exact binomial: against whole fractions, known tests, and a crowd of drawn counts."""

from fractions import Fraction
from math import comb, exp, factorial
from random import Random

import pytest

from tables.rules.chance import adjusted, distribution, seen


def exactly(wagers: int, chance: Fraction) -> list[Fraction]:
    return [comb(wagers, k) * chance**k * (1 - chance) ** (wagers - k) for k in range(wagers + 1)]


@pytest.mark.parametrize("chance", [Fraction(1, 2), Fraction(3, 100), Fraction(29, 30)])
@pytest.mark.parametrize("wagers", [1, 7, 60])
def test_every_probability_and_p_value_as_whole_fractions_say(
    wagers: int, chance: Fraction
) -> None:
    whole = exactly(wagers, chance)
    first, chances = distribution(wagers, chance)
    assert chances == pytest.approx([float(one) for one in whole[first : first + len(chances)]])
    for actual in range(wagers + 1):
        found = seen(actual, wagers, chance)
        p_value = sum(one for one in whole if one <= whole[actual])
        assert found.p_value == pytest.approx(float(p_value), abs=1e-12)
        assert sum(whole[: found.low]) <= Fraction(1, 40) + Fraction(1, 10**12)
        assert sum(whole[found.high + 1 :]) <= Fraction(1, 40) + Fraction(1, 10**12)
        assert found.outside == (actual < found.low or actual > found.high)


def test_mendels_peas() -> None:
    """Conover's example of the exact test: 682 of 925 where three in four are expected."""
    assert seen(682, 925, Fraction(3, 4)).p_value == pytest.approx(0.3825, abs=5e-5)


def test_many_wagers_and_a_small_chance_are_as_poisson_says() -> None:
    found = seen(0, 1_000_000, Fraction(48, 22_957_480))
    mean = 48_000_000 / 22_957_480
    assert found.expected == pytest.approx(mean)
    assert (found.low, found.high) == (0, 5)
    poisson = [exp(-mean) * mean**k / factorial(k) for k in range(40)]
    assert found.p_value == pytest.approx(sum(p for p in poisson if p <= poisson[0]), rel=1e-4)


def test_what_cannot_be_and_what_must_be() -> None:
    assert seen(0, 0, Fraction(1, 3)) == (0, 0.0, 0, 0, 1.0)
    assert seen(1, 50, Fraction(0)).p_value == 0
    assert seen(0, 50, Fraction(0)).p_value == 1
    assert seen(5000, 10_000, Fraction(1, 1000)).p_value == 0
    assert seen(5000, 10_000, Fraction(1, 1000)).outside


def test_the_band_holds_as_often_as_it_says() -> None:
    rng, chance = Random(95), Fraction(1, 40)
    counts = [sum(rng.random() < 1 / 40 for _ in range(400)) for _ in range(500)]
    outside = sum(seen(count, 400, chance).outside for count in counts)
    assert 3 <= outside <= 40  # at most 5 % of 500, give or take five deviations


def test_of_many_odd_counts_one_is_usual() -> None:
    assert adjusted([0.04, 0.01, 0.5]) == pytest.approx([0.08, 0.03, 0.5])
    assert adjusted([0.6, 0.9]) == [1.0, 1.0]
    assert adjusted([]) == []
