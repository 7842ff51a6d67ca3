"""Feed a progressive whose game has no engine here: by movements, priced by its own paytable.

The caller holds the lane and its ledger, and stores it; what happened at the table is his to tell.
"""

from decimal import Decimal
from typing import NamedTuple

from progressives.levels import Rate
from progressives.models import LevelRate, Progressive
from progressives.plans import Pays, read_plan
from progressives.services.ledger import Ledger, Priced, RoundFacts
from progressives.services.level_meters import MustHitMeter


class Paid(NamedTuple):
    """What a hand was paid: a share of a level (``priced``), a multiple or a sum."""

    pays: Pays
    amount: Decimal
    stake_returned: Decimal
    priced: Priced | None


class Unreasonable(ValueError):
    """A wager that the progressive does not take, so that it goes on no meter."""


class Feed:
    """A progressive as one table plays it: with one of its paytables, from so many decks."""

    def __init__(
        self, ledger: Ledger, progressive: Progressive, *, paytable: str = "", decks: int = 1
    ) -> None:
        self.progressive, self.paytable = progressive, paytable
        self._ledger = ledger
        self.levels = ledger.levels(progressive.pk)
        self.plan = read_plan(progressive.paytables, [held.meter.level for held in self.levels])
        if paytable not in (self.plan.paytables or {"": {}}):
            raise ValueError(f"Progressive {progressive.code} has no paytable {paytable}.")
        rows = LevelRate.objects.filter(
            meter__progressive=progressive, paytable=paytable, decks=decks
        ).order_by("pk")  # the last one written holds
        self.won: list[tuple[int, Priced]] = []  # (position, level won) by reaching what was drawn
        self._rates = {
            row.meter_id: Rate(row.increment_percent, row.reserve_percent) for row in rows
        }

    def contribute(self, facts: RoundFacts, position: int, stake: Decimal) -> dict[str, Decimal]:
        """Put a wager on every level; return what each was given. ``won`` tells what it won.

        A wager of another size than the progressive's is refused (N.J.A.C. 13:69E-1.39A).
        """
        if stake != self.progressive.wager_unit:
            unit = self.progressive.wager_unit
            raise Unreasonable(f"A wager of {stake} where the progressive takes {unit}.")
        given = {}
        for held in self.levels:
            rate = self._rates.get(held.meter.pk)
            given[held.meter.level] = (
                held.contribute(facts, position, stake)
                if rate is None
                else held.contribute_at(facts, position, stake, rate)
            )
            if isinstance(held, MustHitMeter) and held.reached:
                self.won.append((position, held.win(facts, position, stake)))
        return given

    def reverse(self, facts: RoundFacts, position: int, given: dict[str, Decimal]) -> None:
        """Take a round's own contribution off every level again."""
        for level, contributed in given.items():
            self._ledger.level(self.progressive.pk, level).reverse(facts, position, contributed)

    def award(
        self, facts: RoundFacts, *, position: int, stake: Decimal, hand: str, cards: str = ""
    ) -> Paid:
        """Pay a hand by the paytable; a share of a level at this turn (§ 670a.12(d)(3))."""
        pays = self.plan.pays(self.paytable, hand)
        returned = stake if pays.given_back else Decimal(0)
        if pays.level is None or pays.percent is None:
            return Paid(pays, pays.winnings(stake) or Decimal(0), returned, None)
        priced = self._ledger.level(self.progressive.pk, pays.level).award(
            facts, position=position, percent=pays.percent, stake=stake, hand=hand, cards=cards
        )
        return Paid(pays, priced.pays, returned, priced)
