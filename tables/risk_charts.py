"""The geometry of the risk pages' pictures: pure figures, drawn by a template as SVG."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

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
        lift = placed[-1].lift - 24 if near else -10
        placed.append(Mark(f"{x:.1f}", height(start - fall * value), lift, name))
    return Slope(
        lines,
        height(Fraction(0)),
        placed,
        f"{float(100 * top):.1f}%",
        f"{float(100 * bottom):.1f}%",
        f"${float(right):,.0f}",
    )
