"""A level with more than one meter: what is shown, what is kept hidden, what went over the limit.

Pure. A wager raises the display up to its limit and the overflow beyond it; the reserve rate
raises the reserve. When the whole level is won, the display begins again at its reset amount and
what the level's other meters give to it. Nothing is made or lost between them: each step that
takes from one gives to the other.
"""

from decimal import Decimal
from typing import NamedTuple, Self

from progressives.meters import ZERO, Movement, RunningMeter, increment, share

DISPLAY, RESERVE, OVERFLOW = "display", "reserve", "overflow"
NOTHING = Decimal(0)
SEPARATOR = "/"


class Rate(NamedTuple):
    """By how many percent of a wager a level's display and its reserve grow."""

    increment_percent: Decimal
    reserve_percent: Decimal = NOTHING


class Contributed(Decimal):
    """What a wager put on the display, and beside it on the level's other two meters.

    It is the display's part wherever a plain amount is expected.
    """

    overflow: Decimal
    reserve: Decimal

    def __new__(cls, shown: Decimal, overflow: Decimal = ZERO, reserve: Decimal = ZERO) -> Self:
        made = super().__new__(cls, shown)
        made.overflow, made.reserve = overflow, reserve
        return made

    @property
    def total(self) -> Decimal:
        """Return all that the level took of the wager."""
        return Decimal(self) + self.overflow + self.reserve


def written(contributed: Decimal) -> str:
    """Write a contribution so that ``contribution_of`` reads the same again."""
    if isinstance(contributed, Contributed):
        parts = (Decimal(contributed), contributed.overflow, contributed.reserve)
        return SEPARATOR.join(map(str, parts))
    return str(contributed)


def contribution_of(text: str) -> Decimal:
    """Read what ``written`` wrote: a plain amount, or the parts of a level with several meters."""
    if SEPARATOR in text:
        return Contributed(*map(Decimal, text.split(SEPARATOR)))
    return Decimal(text)


class Step(NamedTuple):
    """One movement of one of a level's meters."""

    purpose: str
    moved: Movement


class PutIn(NamedTuple):
    """What the display was given when it began again: the house's money and the level's own."""

    reset: Decimal = NOTHING
    reserve: Decimal = NOTHING
    overflow: Decimal = NOTHING


class Level:
    """The meters of one level, moved together; ``take_steps`` tells each step in its order.

    ``funds_reset``: the reserve pays the reset amount as far as it reaches and the house only the
    rest, instead of coming on top of it. ``overflow_kept``: what went over the limit is not added
    to the next jackpot (9 NYCRR § 5320.8).
    """

    __slots__ = (
        "_steps",
        "display",
        "funds_reset",
        "limit",
        "overflow",
        "overflow_kept",
        "reserve",
    )

    def __init__(
        self,
        display: RunningMeter,
        *,
        reserve: RunningMeter | None = None,
        overflow: RunningMeter | None = None,
        limit: Decimal | None = None,
        funds_reset: bool = False,
        overflow_kept: bool = False,
    ) -> None:
        if limit is not None and (overflow is None or limit < display.value):
            raise ValueError("a limit needs an overflow meter and may not be below the display")
        self.display, self.reserve, self.overflow = display, reserve, overflow
        self.limit = limit
        self.funds_reset, self.overflow_kept = funds_reset, overflow_kept
        self._steps: list[Step] = []

    @property
    def rate(self) -> Rate:
        """Return the level's own rate, where no paytable and number of decks sets another."""
        reserve = NOTHING if self.reserve is None else self.reserve.terms.increment_percent
        return Rate(self.display.terms.increment_percent, reserve)

    def peek(self) -> list[Step]:
        """Return the steps since the last call of ``take_steps`` and leave them there."""
        return self._steps

    def take_steps(self) -> list[Step]:
        """Return the steps since the last call."""
        steps, self._steps = self._steps, []
        return steps

    def contribute(self, stake: Decimal, rate: Rate | None = None) -> Contributed:
        """Divide a wager among the meters, to the last fraction of its rates.

        A wager at the limit enters the display all the same, with nothing: it is counted there.
        """
        rate = rate or self.rate
        added = increment(stake, rate.increment_percent)
        kept = increment(stake, rate.reserve_percent)
        if kept and self.reserve is None:
            raise ValueError("a reserve rate needs a reserve meter")
        shown = min(added, self._room())
        self._move(DISPLAY, "contribution", shown)
        self._move_any(OVERFLOW, "contribution", added - shown)
        self._move_any(RESERVE, "contribution", kept)
        return Contributed(shown, added - shown, kept)

    def reverse(self, contributed: Decimal) -> None:
        """Take a round's own contribution off again, from the meters that it went to.

        What a reset has moved to the display meanwhile comes off the display.
        """
        shown = Decimal(contributed)
        if isinstance(contributed, Contributed):
            for purpose, part in (
                (OVERFLOW, contributed.overflow),
                (RESERVE, contributed.reserve),
            ):
                there = min(part, self._value(purpose))
                self._move_any(purpose, "reversal", -there)
                shown += part - there
        moved = self.display.reverse(shown)
        if moved is not None:
            self._steps.append(Step(DISPLAY, moved))

    def award(self, percent: int) -> Movement:
        """Pay a share of the display as it stands; begin it again after the whole was paid."""
        terms = self.display.terms
        pays = share(self.display.value, percent, terms.rounding)
        paid = self._move(DISPLAY, "award", -pays)
        if percent == 100:
            self._begin_again()
        elif terms.top_up and terms.reset > self.display.value:
            self._move(DISPLAY, "reset", min(terms.reset - self.display.value, self._room()))
        return paid

    def put_back(self, amount: Decimal, put_in: PutIn) -> None:
        """Put a refused award back, and return what the display was given after it."""
        self._move(DISPLAY, "award_returned", amount)
        self._move_any(DISPLAY, "reset_returned", -put_in.reset)
        for purpose, given in ((RESERVE, put_in.reserve), (OVERFLOW, put_in.overflow)):
            there = min(given, self.display.value)
            if there:
                self._move(DISPLAY, "pool_returned", -there)
                self._move(purpose, "pool_restored", there)
        self.cut()

    def cut(self) -> None:
        """Move what stands over the limit to the overflow: nothing of it is lost."""
        if self.limit is not None and self.display.value > self.limit:
            over = self.display.value - self.limit
            self._move(DISPLAY, "limit_cut", -over)
            self._move(OVERFLOW, "limit_kept", over)

    def _begin_again(self) -> None:
        short = self.display.terms.reset - self.display.value
        hidden = self._value(RESERVE)
        if self.funds_reset:
            hidden = min(hidden, short)
            short -= hidden
        self._move(DISPLAY, "reset", short)
        self._give(RESERVE, hidden)
        if not self.overflow_kept:
            self._give(OVERFLOW, self._value(OVERFLOW))

    def _give(self, purpose: str, amount: Decimal) -> None:
        amount = min(amount, self._room())
        if amount:
            self._move(purpose, f"{purpose}_out", -amount)
            self._move(DISPLAY, f"{purpose}_in", amount)

    def _room(self) -> Decimal:
        if self.limit is None:
            return Decimal("Infinity")
        return max(self.limit - self.display.value, NOTHING)

    def _value(self, purpose: str) -> Decimal:
        meter = self._meter(purpose)
        return NOTHING if meter is None else meter.value

    def _meter(self, purpose: str) -> RunningMeter | None:
        return {DISPLAY: self.display, RESERVE: self.reserve, OVERFLOW: self.overflow}[purpose]

    def _move(self, purpose: str, kind: str, amount: Decimal) -> Movement:
        meter = self._meter(purpose)
        if meter is None:
            raise ValueError(f"the level has no {purpose} meter")
        moved = meter.move(kind, amount)
        self._steps.append(Step(purpose, moved))
        return moved

    def _move_any(self, purpose: str, kind: str, amount: Decimal) -> None:
        if amount:
            self._move(purpose, kind, amount)
