"""The arithmetic of one meter: pure, exact, the same for the lane and for the engine's shell.

A meter keeps six decimals; what is paid is whole cents, and the rest stays on the meter.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, ROUND_UP, Decimal
from typing import NamedTuple

CENT = Decimal("0.01")
STEP = Decimal("0.000001")
ZERO = Decimal("0.00")
ROUNDINGS = {"down": ROUND_DOWN, "half_up": ROUND_HALF_UP, "up": ROUND_UP}


@dataclass(frozen=True, slots=True)
class MeterTerms:
    """How a meter grows and what it falls back to (§ 670a.12(d)(1)-(2)).

    ``rounding``: what happens to the fraction of a cent of a percent award.
    ``top_up``: whether an award that leaves less than the reset amount is made up to it.
    ``hold_reset``: whether a returned contribution may not take the meter below its reset amount.
    """

    increment_percent: Decimal
    reset: Decimal
    rounding: str = "down"
    top_up: bool = False
    hold_reset: bool = False


class Movement(NamedTuple):
    """One step of a meter: what it was, what came or went, what it is."""

    kind: str
    amount: Decimal
    before: Decimal
    after: Decimal


def increment(stake: Decimal, percent: Decimal) -> Decimal:
    """Return what a wager adds to the meter; raise ValueError where six decimals cannot hold it."""
    added = stake * percent / 100
    kept = added.quantize(STEP)
    if kept != added:
        raise ValueError(f"{percent}% of {stake} needs more than six decimals")
    return kept


def share(balance: Decimal, percent: int, rounding: str) -> Decimal:
    """Return ``percent`` of the meter in whole cents, never more than the meter holds."""
    exact = balance * percent / 100
    pays = exact.quantize(CENT, rounding=ROUNDINGS[rounding])
    return min(pays, balance.quantize(CENT, rounding=ROUND_DOWN))


class RunningMeter:
    """A meter being moved, one step after the other; ``moved`` tells each step.

    ``note`` is called for each movement, so that the caller keeps its own facts beside it.
    """

    __slots__ = ("_increments", "_terms", "note", "value")

    def __init__(
        self, value: Decimal, terms: MeterTerms, note: Callable[[Movement], None] | None = None
    ) -> None:
        self.value = value
        self._terms = terms
        self.note = note
        self._increments: dict[Decimal, Decimal] = {}

    @property
    def terms(self) -> MeterTerms:
        """The terms that hold now; others may follow from one round to the next."""
        return self._terms

    @terms.setter
    def terms(self, terms: MeterTerms) -> None:
        if terms is not self._terms:
            self._terms, self._increments = terms, {}

    def move(self, kind: str, amount: Decimal) -> Movement:
        """Take one step; raise ValueError where it would lead below zero."""
        before = self.value
        after = before + amount
        if after < 0:
            raise ValueError(f"{kind} of {amount} would take the meter below zero")
        self.value = after
        movement = Movement(kind, amount, before, after)
        if self.note is not None:
            self.note(movement)
        return movement

    def contribute(self, stake: Decimal) -> Movement:
        """Raise the meter by the increment rate of one wager (§ 670a.12(d)(1))."""
        added = self._increments.get(stake)
        if added is None:
            added = self._increments[stake] = increment(stake, self.terms.increment_percent)
        return self.move("contribution", added)

    def reverse(self, contributed: Decimal) -> Movement | None:
        """Take a round's own contribution off again, when its wager was returned (§ 670a.13)."""
        amount = contributed
        if self.terms.hold_reset:  # the house bears what would go below the reset amount
            amount = min(amount, max(self.value - self.terms.reset, Decimal(0)))
        return self.move("reversal", -amount) if amount else None

    def award(self, percent: int) -> Movement:
        """Pay a share of the meter as it stands at this turn (§ 670a.12(d)(3)).

        After the whole meter is paid it stands at the reset amount; a fraction of a cent that
        could not be paid is part of it.
        """
        paid = self.move("award", -share(self.value, percent, self.terms.rounding))
        short = self.terms.reset - self.value
        if percent == 100 or (self.terms.top_up and short > 0):
            self.move("reset", short)
        return paid


def price(meter: RunningMeter, percents: list[int]) -> list[tuple[Decimal, Decimal]]:
    """Return (meter at the turn, pays) of each award in turn order."""
    return [(m.before, -m.amount) for m in map(meter.award, percents)]


def cents(value: Decimal) -> str:
    """Write a meter value: two decimals, more only where it has them (six at most)."""
    text = format(value.quantize(STEP), "f").rstrip("0")
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction.ljust(2, '0')}"


def shown(value: Decimal, step: Decimal) -> Decimal:
    """Return what a sign shows of a meter: whole steps, the rest not yet."""
    return (value // step * step).quantize(CENT)
