"""What a progressive costs at its tables: exact chances, envies, levels, and the pace of play."""

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

from django.utils import timezone

from progressives.models import LevelRate, Meter, Progressive
from progressives.plans import Pays, read_plan
from progressives.services.hits import wagers_by_day
from tables.models import GamingTable
from tables.rules import TableTerms
from tables.rules.odds import Deal, counts_of
from tables.rules.risk import LevelTerms, Pay, WagerRisk
from tables.rules.wager_odds import progressive_risk
from tables.services.terms import TermsBook

PACE_DAYS = 30


@dataclass(frozen=True)
class GameRisk:
    """A progressive's risk at the tables of one game, by one paytable.

    ``meters``: what each level shows now. ``positions``: the most that a table here has.
    """

    title: str
    cite: str
    tables: tuple[str, ...]
    positions: int
    risk: WagerRisk
    meters: dict[str, Decimal]
    levels: tuple[LevelTerms, ...]

    @property
    def others(self) -> int:
        """Return how many other positions a full table has."""
        return self.positions - 1

    @property
    def deal(self) -> Deal:
        """Return the deal that its chances are counted of."""
        return self.risk.counts.deal


@dataclass(frozen=True)
class Pace:
    """How many progressive wagers stood, on how many of the last gaming days."""

    wagers: int
    days: int

    @property
    def per_day(self) -> Fraction | None:
        """Return the mean of wagers a gaming day that was played; None where none was."""
        return Fraction(self.wagers, self.days) if self.wagers else None


class RiskUnknown(Exception):
    """A progressive whose risk cannot be told, in words for the person who asked."""


def risks_of(progressive: Progressive, deal: Deal | None = None) -> list[GameRisk]:
    """Return a progressive's risk for each game, or each paytable of its own, that it is played by.

    ``deal`` says what is dealt where the progressive has paytables of its own, whose game's rules
    are not known here. Raises RiskUnknown where nothing can be told.
    """
    if progressive.paytables:
        return own_risks(progressive, deal)
    book, now = TermsBook(), timezone.now()
    found: dict[str, tuple[TableTerms, list[GamingTable]]] = {}
    for table in progressive.tables.order_by("code"):
        found.setdefault(table.game, (book.at(table, now), []))[1].append(table)
    risks = [game_risk(progressive, terms, tables, book) for terms, tables in found.values()]
    if not any(risks):
        raise RiskUnknown("No table with a Progressive Payout Wager feeds this progressive.")
    return [risk for risk in risks if risk is not None]


def game_risk(
    progressive: Progressive, terms: TableTerms, tables: list[GamingTable], book: TermsBook
) -> GameRisk | None:
    """Return the risk at the tables of one game; None where it has no progressive wager."""
    told = progressive_risk(terms.submission, progressive.wager_unit)
    definition = terms.submission.definition
    if told is None or definition is None:
        return None
    meters = displays_of(progressive)
    levels = []
    for meter in meters:
        held = book.terms_of_meter(meter, terms)
        percent = held.increment_percent + hidden_percent(meter)
        levels.append(level_terms(progressive, meter.level, percent, held.reset))
    return GameRisk(
        definition.title,
        told[0],
        tuple(table.code for table in tables),
        max(table.positions for table in tables),
        told[1],
        {meter.level: meter.value for meter in meters},
        tuple(levels),
    )


def displays_of(progressive: Progressive) -> list[Meter]:
    """Return a progressive's meters that are shown."""
    return list(progressive.meters.filter(purpose=Meter.Purpose.DISPLAY).order_by("pk"))


def level_terms(
    progressive: Progressive, level: str, percent: Decimal, reset: Decimal
) -> LevelTerms:
    """Return what a level takes of one wager, with what it begins again."""
    per_wager = Fraction(progressive.wager_unit) * Fraction(percent) / 100
    return LevelTerms(level, per_wager, Fraction(reset))


# ---- progressives with paytables of their own -------------------------------------------------


def own_risks(progressive: Progressive, deal: Deal | None) -> list[GameRisk]:
    """Return the risk by each paytable of the progressive's own, for hands dealt as told."""
    if deal is None:
        detail = "Say what is dealt: this progressive's own paytables do not tell its game."
        raise RiskUnknown(detail)
    meters = displays_of(progressive)
    plan = read_plan(progressive.paytables, {meter.level for meter in meters})
    codes = tuple(progressive.tables.order_by("code").values_list("code", flat=True))
    positions = max(progressive.tables.values_list("positions", flat=True), default=6)
    found = []
    for name, rows in plan.paytables.items():
        pays = [own_pay(hand, told, progressive.wager_unit) for hand, told in rows.items()]
        risk = WagerRisk(counts_of(deal), progressive.wager_unit, pays, {})
        if risk.unknown:
            hands = ", ".join(hand.replace("_", " ") for hand in risk.unknown)
            raise RiskUnknown(f"Paytable {name}: {deal.title} hold no hand called {hands}.")
        levels = tuple(own_level(progressive, meter, name) for meter in meters)
        shown = {meter.level: meter.value for meter in meters}
        cite = f"paytable {name}"
        found.append(GameRisk(deal.title, cite, codes, positions, risk, shown, levels))
    return found


def own_pay(hand: str, told: Pays, unit: Decimal) -> Pay:
    """Return what a row of a progressive's own paytable pays on its wager unit."""
    if told.percent is not None:
        return Pay(hand, told.text, percent=told.percent, level=told.level or "")
    winnings = Fraction(told.winnings(unit) or 0)
    return Pay(hand, told.text, winnings, given_back=told.given_back)


def own_level(progressive: Progressive, meter: Meter, paytable: str) -> LevelTerms:
    """Return a level's terms by a paytable; of several numbers of decks the highest rate."""
    rates = LevelRate.objects.filter(meter=meter, paytable=paytable)
    shown = [(rate.increment_percent + rate.reserve_percent) for rate in rates]
    percent = max(shown, default=meter.increment_percent + hidden_percent(meter))
    return level_terms(progressive, meter.level, percent, meter.reset)


def hidden_percent(meter: Meter) -> Decimal:
    """Return the reserve rate beside a display's own."""
    reserve = Meter.objects.filter(
        progressive=meter.progressive_id, level=meter.level, purpose=Meter.Purpose.RESERVE
    )
    return reserve.values_list("increment_percent", flat=True).first() or Decimal(0)


# ---- the pace of play -------------------------------------------------------------------------


def pace_of(progressive: Progressive, last: date | None = None) -> Pace:
    """Return how fast a progressive is played by its days up to ``last``, or its lane's last."""
    last = last or progressive.lane.gaming_day or date.min + timedelta(days=PACE_DAYS)
    found = wagers_by_day(progressive, last - timedelta(days=PACE_DAYS - 1), last)
    played = [wagers for wagers in found.values() if wagers > 0]
    return Pace(sum(played), len(played))
