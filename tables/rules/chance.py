"""How likely it is to see so many hits in so many wagers: the exact binomial distribution.

Wagers are many and chances small, so that a normal curve would not do. Probabilities are floats:
they say how odd a count is and move no money.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import exp, lgamma, log
from typing import NamedTuple

FAINT = 1e-32  # of the likeliest count: what is rarer is left out
SAME = 1 + 1e-9  # two equal probabilities, worked out on different ways
BAND = 0.95


class Seen(NamedTuple):
    """A count beside what was to be expected.

    ``low`` and ``high``: fewer than the one and more than the other each happen in at most half
    of what the band leaves. ``p_value``: how likely a count is that is no likelier than this one.
    """

    actual: int
    expected: float
    low: int
    high: int
    p_value: float

    @property
    def outside(self) -> bool:
        """Whether the count lies outside the band."""
        return not self.low <= self.actual <= self.high


def seen(actual: int, wagers: int, chance: Fraction, band: float = BAND) -> Seen:
    """Return a count of hits in so many wagers beside the exact distribution of such counts."""
    first, chances = distribution(wagers, chance)
    tail = (1 - band) / 2
    place = actual - first
    own = chances[place] if 0 <= place < len(chances) else 0.0
    p_value = sum(one for one in chances if one <= own * SAME)
    return Seen(
        actual,
        float(wagers * chance),
        first + quantile(chances, tail),
        first + quantile(chances, 1 - tail),
        min(p_value, 1.0),
    )


def distribution(wagers: int, chance: Fraction) -> tuple[int, list[float]]:
    """Return (the first count that matters, the probability of it and of each count after it)."""
    if not 0 < chance < 1 or not wagers:
        return (wagers if chance >= 1 else 0), [1.0]
    p = float(chance)
    odds = p / float(1 - chance)
    mode = min(int((wagers + 1) * chance), wagers)
    top = exp(
        lgamma(wagers + 1) - lgamma(mode + 1) - lgamma(wagers - mode + 1)
        + mode * log(p) + (wagers - mode) * log(float(1 - chance))
    )  # fmt: skip
    below = [top]
    k = mode
    while k > 0 and below[-1] > top * FAINT:
        below.append(below[-1] * k / ((wagers - k + 1) * odds))
        k -= 1
    above = [top]
    n = mode
    while n < wagers and above[-1] > top * FAINT:
        above.append(above[-1] * (wagers - n) * odds / (n + 1))
        n += 1
    chances = [*reversed(below), *above[1:]]
    whole = sum(chances)  # what the logarithms lost of the last digits is put right
    return k, [one / whole for one in chances]


def quantile(chances: Sequence[float], part: float) -> int:
    """Return the first place up to which the probabilities reach ``part``."""
    reached = 0.0
    for place, one in enumerate(chances):
        reached += one
        if reached >= part:
            return place
    return len(chances) - 1


def adjusted(p_values: Sequence[float]) -> list[float]:
    """Return p-values of several counts looked at together (Holm): one odd one in many is usual."""
    found = [1.0] * len(p_values)
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    highest = 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, p_values[place] * (len(p_values) - rank)))
        found[place] = highest
    return found
