"""The geometry of the close's pictures: pure figures, drawn by a template as SVG."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

from progressives.retold import NOTHING, Move

WIDTH, HEIGHT = 1000, 220
MOST_POINTS = 400
BAR_WIDTH = 720


class Mark(NamedTuple):
    """A movement worth seeing: a hit, or the reset money after it."""

    kind: str
    x: str
    y: str
    said: str


class Curve(NamedTuple):
    """A meter over its day."""

    points: str
    marks: list[Mark]
    low: Decimal
    high: Decimal
    first: str
    last: str


class Bar(NamedTuple):
    """What one table put on a meter."""

    table: str
    amount: Decimal
    width: str


def curve_of(opened: Decimal, moves: Sequence[Move]) -> Curve | None:
    """Return a meter's way through its day, by time where every movement tells its own."""
    if len(moves) < 2:
        return None
    values = [opened]
    for moved in moves:
        values.append(values[-1] + moved.amount)
    low, high = min(values), max(values)
    spread = (high - low) or Decimal(1)
    across = places_of(moves)

    def place(index: int) -> tuple[str, str]:
        x = 0.0 if index == 0 else across[index - 1]
        down = float((high - values[index]) / spread)
        return f"{x * WIDTH:.1f}", f"{down * HEIGHT:.1f}"

    marked = [n for n, m in enumerate(moves, 1) if m.kind in ("award", "reset")]
    every = max(len(values) // MOST_POINTS, 1)
    shown = {*range(0, len(values), every), len(values) - 1, *marked, *(n - 1 for n in marked)}
    marks = [
        Mark(moves[n - 1].kind, *place(n), f"{moves[n - 1].table}, round {moves[n - 1].round}")
        for n in marked
    ]
    told = [moved.at for moved in moves if moved.at]
    first, last = (told[0], told[-1]) if told else ("", "")
    points = " ".join(",".join(place(index)) for index in sorted(shown))
    return Curve(points, marks, low, high, first[11:16], last[11:16])


class Stood(NamedTuple):
    """Where a meter stood after an entry: its gaming day, and how far through that day it is."""

    day: date
    through: float  # of the day's entries, from 0 to 1
    value: Decimal
    kind: str
    said: str


def life_of(stood: Sequence[Stood]) -> Curve | None:
    """Return a meter's way over its gaming days; each day is as wide as another."""
    if len(stood) < 2:
        return None
    first, last = stood[0].day, stood[-1].day
    low, high = min(s.value for s in stood), max(s.value for s in stood)
    spread = (high - low) or Decimal(1)
    days = (last - first).days + 1

    def place(one: Stood) -> tuple[str, str]:
        across = ((one.day - first).days + one.through) / days
        return f"{across * WIDTH:.1f}", f"{float((high - one.value) / spread) * HEIGHT:.1f}"

    marks = [Mark(s.kind, *place(s), s.said) for s in stood if s.kind in ("award", "reset")]
    points = " ".join(",".join(place(one)) for one in stood)
    return Curve(points, marks, low, high, first.isoformat(), last.isoformat())


def places_of(moves: Sequence[Move]) -> list[float]:
    """Return where each movement stands between the first and the last, from 0 to 1.

    A late event stands where it was counted: time does not run backwards on a meter.
    """
    if all(moved.at for moved in moves):
        times = [datetime.fromisoformat(moved.at).timestamp() for moved in moves]
        latest = times[0]
        for index, moment in enumerate(times):
            latest = times[index] = max(latest, moment)
        if times[-1] > times[0]:
            return [(moment - times[0]) / (times[-1] - times[0]) for moment in times]
    return [index / len(moves) for index in range(1, len(moves) + 1)]


def bars_of(moves: Sequence[Move]) -> list[Bar]:
    """Return what each table contributed, less what was taken back, the most first."""
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for moved in moves:
        if moved.kind in ("contribution", "reversal"):
            sums[moved.table] += moved.amount
    return bars(sums)


def bars(sums: Mapping[str, Decimal]) -> list[Bar]:
    """Return each table's sum as a bar, the most first."""
    most = max(NOTHING, *sums.values(), NOTHING) or Decimal(1)
    ordered = sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))
    return [
        Bar(table, amount, f"{max(float(amount / most), 0) * BAR_WIDTH:.1f}")
        for table, amount in ordered
    ]
