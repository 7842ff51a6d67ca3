"""A progressive's risk as figures for a page, a command and the API: one report for all three."""

from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from typing import Any

from progressives.models import Progressive
from tables.rules.odds import Deal
from tables.rules.risk import EnvyCost, LevelTerms, Row, envy_costs
from tables.rules.wager_odds import Odds, Push22
from tables.services.risk import GameRisk, Pace, pace_of, risks_of


def places(value: Fraction | None, number: int) -> str | None:
    """Return a fraction as decimals, rounded half to even; None stays None."""
    if value is None:
        return None
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(value.numerator) / Decimal(value.denominator)
        return str(exact.quantize(Decimal(1).scaleb(-number), rounding=ROUND_HALF_EVEN))


def report_of(progressive: Progressive, deal: Deal | None = None) -> dict[str, Any]:
    """Return the whole report; sums of money as text, dollars for one wager unless named otherwise.

    Raises RiskUnknown where nothing can be told.
    """
    pace = pace_of(progressive)
    return {
        "progressive": progressive.code,
        "wager_unit": str(progressive.wager_unit),
        "pace": {
            "wagers": pace.wagers,
            "gaming_days": pace.days,
            "wagers_a_day": places(pace.per_day, 1),
        },
        "games": [game_of(risk, pace) for risk in risks_of(progressive, deal)],
    }


def game_of(risk: GameRisk, pace: Pace) -> dict[str, Any]:
    """Return the risk at the tables of one game, or by one paytable."""
    wager = risk.risk
    return {
        "title": risk.title,
        "cite": risk.cite,
        "tables": list(risk.tables),
        "deal": risk.deal.title,
        "hands": wager.counts.hands,
        "positions": risk.positions,
        "rows": [row_of(row, pace) for row in wager.rows],
        "hit_chance": places(wager.hit_chance, 8),
        "fixed": places(wager.fixed, 6),
        "envy_each": places(wager.envy_each, 6),
        "levels": [level_of(level, risk) for level in risk.levels],
        "by_positions": [positions_of(cost, risk) for cost in envy_costs(wager, risk.positions)],
        "long_run": long_run_of(risk),
    }


def row_of(row: Row, pace: Pace) -> dict[str, Any]:
    """Return a paytable's row: how often, how long between two, what it is worth to a wager."""
    between, per_day = row.wagers_between, pace.per_day
    return {
        "hand": row.pay.hand,
        "pays": row.pay.terms,
        "ways": row.ways,
        "chance": places(row.chance, 10),
        "wagers_between": places(between, 1),
        "days_between": places(between / per_day, 2) if between and per_day else None,
        "worth": places(row.worth, 6),
        "envy": str(Decimal(row.envy.numerator) / row.envy.denominator) if row.envy else None,
    }


def level_of(level: LevelTerms, risk: GameRisk) -> dict[str, Any]:
    """Return a level: what it takes and gives, and where a wager would be worth its stake."""
    wager = risk.risk
    return {
        "level": level.level,
        "shows": str(risk.meters[level.level]),
        "reset": str(Decimal(level.reset.numerator) / level.reset.denominator),
        "per_wager": places(level.per_wager, 6),
        "paid_per_dollar_shown": places(wager.shares().get(level.level, Fraction(0)), 12),
        "break_even_alone": places(wager.break_even(level.level, risk.meters, 0), 2),
        "break_even_full": places(wager.break_even(level.level, risk.meters, risk.others), 2),
        "long_run_mean": places(wager.long_run_meter(level), 2),
    }


def positions_of(cost: EnvyCost, risk: GameRisk) -> dict[str, Any]:
    """Return what so many positions in play come to: envies, the wager's return, the advantage."""
    wager = risk.risk
    returned = wager.returned(risk.meters, cost.others)
    return {
        "positions": cost.positions,
        "envy_per_wager": places(cost.per_wager, 6),
        "envy_per_round": places(cost.per_round, 6),
        "envy_per_round_pair": places(cost.per_round_pair, 6),
        "returned": places(returned, 6),
        "advantage_percent": places(100 * wager.advantage(risk.meters, cost.others), 4),
        "house_per_round": places(cost.positions * (wager.stake - returned), 6),
    }


def long_run_of(risk: GameRisk) -> dict[str, Any]:
    """Return what a wager costs the house in the long run, whatever the levels show today."""
    wager, alone, full = risk.risk, 0, risk.others

    def advantage(others: int) -> str | None:
        return places(100 * (1 - wager.long_run_cost(risk.levels, others) / wager.stake), 4)

    return {
        "cost_alone": places(wager.long_run_cost(risk.levels, alone), 6),
        "cost_full": places(wager.long_run_cost(risk.levels, full), 6),
        "advantage_alone_percent": advantage(alone),
        "advantage_full_percent": advantage(full),
    }


def odds_of(odds: Odds, positions: int) -> dict[str, Any]:
    """Return the odds of one other wager of a table."""
    risk = odds.risk
    return {
        "wager": odds.kind,
        "paytable": odds.letter,
        "stake": str(odds.stake),
        "cite": odds.cite,
        "hit_chance": places(risk.hit_chance, 8),
        "envy_each": places(risk.envy_each, 6),
        "rows": [(r.pay.hand, r.pay.terms, r.ways, places(r.chance, 10)) for r in risk.rows],
        "advantage_percent": None if odds.part else places(100 * risk.advantage({}, 0), 4),
        "advantage_full_percent": (
            None if odds.part else places(100 * risk.advantage({}, positions - 1), 4)
        ),
    }


def push_22_of(odds: Push22) -> dict[str, Any]:
    """Return the odds of a Push 22 Wager."""
    return {
        "wager": "push_22",
        "paytable": odds.letter,
        "decks": odds.decks,
        "rows": [(hand, terms, places(chance, 10)) for hand, terms, chance in odds.rows],
        "advantage_percent": places(100 * odds.advantage, 4),
    }
