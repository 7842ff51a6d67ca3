"""The geometry of the risk pages' pictures: pure figures, drawn by a template as SVG."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from tables.rules.chance import Seen

WIDTH, HEIGHT = 1000, 220
ROOM = 200  # words beside a mark


class Mark(NamedTuple):
    """A meter value worth seeing: where it stands and what it is."""

    x: str
    y: str
    lift: int  # of the words beside it
    said: str


class Slope(NamedTuple):
    """The house's advantage over what a level shows: a straight line for each number of others."""

    lines: list[str]
    even: str  # the height at which the house has no advantage
    marks: list[Mark]
    top: str
    bottom: str
    right: str


def slope_of(
    advantages: Sequence[tuple[Fraction, Fraction]], marks: Sequence[tuple[str, Fraction]]
) -> Slope:
    """Draw lines by where each begins, at a level of nothing, and by its fall per dollar shown.

    ``advantages``: (advantage at nothing, fall per dollar); ``marks``: (name, what the level
    shows). The picture reaches a third beyond the farthest mark.
    """
    right = max(value for _, value in marks) * 4 / 3
    ends = [start - fall * right for start, fall in advantages]
    top = max(*(start for start, _ in advantages), Fraction(1, 100))
    bottom = min(*ends, Fraction(0)) - top / 20

    def height(advantage: Fraction) -> str:
        return f"{float((top - advantage) / (top - bottom)) * HEIGHT:.1f}"

    lines = [
        f"0,{height(start)} {WIDTH},{height(end)}"
        for (start, _), end in zip(advantages, ends, strict=True)
    ]
    start, fall = advantages[0]
    placed: list[Mark] = []
    for name, value in sorted(marks, key=lambda told: told[1]):
        x = float(value / right) * WIDTH
        near = bool(placed) and x - float(placed[-1].x) < ROOM
        lift = placed[-1].lift - 36 if near else -10
        placed.append(Mark(f"{x:.1f}", height(start - fall * value), lift, name))
    return Slope(
        lines,
        height(Fraction(0)),
        placed,
        f"{float(100 * top):.1f}%",
        f"{float(100 * bottom):.1f}%",
        f"${float(right):,.0f}",
    )


# ---- hits against expectation -----------------------------------------------------------------

ROW_WIDTH = 300


class Dots(NamedTuple):
    """A count on a scale of its own: the band, what was expected, what there was."""

    band_x: str
    band_width: str
    expected: str
    actual: str


def dots_of(count: Seen) -> Dots:
    """Place a count, its band and its expectation between nothing and a little beyond them all."""
    most = max(count.high, count.actual, count.expected, 1) * 1.08

    def across(value: float) -> float:
        return 6 + value / most * (ROW_WIDTH - 12)

    return Dots(
        f"{across(count.low) - 3:.1f}",
        f"{across(count.high) - across(count.low) + 6:.1f}",
        f"{across(count.expected):.1f}",
        f"{across(count.actual):.1f}",
    )


class Funnel(NamedTuple):
    """Hits added up day after day, in the band of what was to be expected."""

    band: str
    expected: str
    actual: str
    dots: list[tuple[str, str, str, bool]]  # x, y, what, whether outside
    most: int
    first: str
    last: str


def funnel_of(points: Sequence[tuple[str, Seen]]) -> Funnel | None:
    """Draw hits by day, from nothing before the first; None for less than two days."""
    if len(points) < 2:
        return None
    most = max(max(count.high, count.actual) for _, count in points) or 1

    def place(index: int, value: float) -> str:
        return f"{index / len(points) * WIDTH:.1f},{HEIGHT - value / most * HEIGHT:.1f}"

    counts = [count for _, count in points]
    lows = [place(n, count.low) for n, count in enumerate(counts, 1)]
    highs = [place(n, count.high) for n, count in enumerate(counts, 1)]
    start = place(0, 0)
    dots = []
    for n, (day, count) in enumerate(points, 1):
        x, y = place(n, count.actual).split(",")
        said = f"{day}: {count.actual} hits, {count.low} to {count.high} expected"
        dots.append((x, y, said, count.outside))
    return Funnel(
        " ".join([start, *highs, *reversed(lows)]),
        " ".join([start, *(place(n, count.expected) for n, count in enumerate(counts, 1))]),
        " ".join([start, *(place(n, count.actual) for n, count in enumerate(counts, 1))]),
        dots,
        most,
        points[0][0],
        points[-1][0],
    )
