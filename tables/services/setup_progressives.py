"""Read a set-up file's progressives and make their meters: levels, rates, paytables."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from progressives.levels import DISPLAY, OVERFLOW, RESERVE
from progressives.meters import CENT, increment
from progressives.models import LevelRate, Meter, Progressive
from progressives.plans import Plan, PlanRefused, read_plan
from progressives.services.control_terms import rates_now
from tables.services.setup_part import Part, SetupRefused

NOTHING = Decimal(0)
MOST_DECKS = 12
STATEMENTS = re.compile(r"equal_probability|waiver")


@dataclass(frozen=True)
class RateSetup:
    """A level's rates with one paytable and these numbers of decks."""

    paytable: str
    decks: tuple[int, ...]
    increment_percent: Decimal
    reserve_percent: Decimal


@dataclass(frozen=True)
class LevelSetup:
    """One level of a progressive, with its terms."""

    code: str
    initial: Decimal
    reset: Decimal
    increment_percent: Decimal
    reserve_percent: Decimal = NOTHING
    reserve_at_reset: str = "added"
    limit: Decimal | None = None
    overflow_at_reset: str = "added"
    shown_to: Decimal = CENT
    rates: tuple[RateSetup, ...] = ()
    must_hit_from: Decimal | None = None
    must_hit_by: Decimal | None = None

    @property
    def hides(self) -> bool:
        """Whether any of its rates puts something in a reserve."""
        return any((self.reserve_percent, *(rate.reserve_percent for rate in self.rates)))


@dataclass(frozen=True)
class ProgressiveSetup:
    """One progressive: its wager unit, its levels and its own paytables."""

    path: str
    code: str
    name: str
    wager_unit: Decimal
    levels: tuple[LevelSetup, ...]
    paytables: dict[str, Any]
    different_games: tuple[str, str] | None = None  # why it may link them: kind and text

    @property
    def plain(self) -> bool:
        """Whether a wager needs no more than a stake to be put on its one level."""
        [first, *more] = self.levels
        return not (more or first.rates or first.must_hit_by or self.paytables)

    @property
    def must_hit(self) -> bool:
        """Whether no hand wins it: every level is won by the wager that brings it far enough."""
        return all(level.must_hit_by for level in self.levels) and not self.paytables


# ---- reading --------------------------------------------------------------------------------


def read_progressive(part: Part) -> ProgressiveSetup:
    """Read a progressive; its levels stand in the order in which they are to be shown."""
    code, unit = part.code(24), part.money("wager_unit")
    levels = tuple(read_level(level, unit) for level in part.parts("levels"))
    if not levels:
        raise SetupRefused("bad_value", part.at("levels"), "A progressive has at least one level.")
    codes = [level.code for level in levels]
    if len(set(codes)) != len(codes):
        raise SetupRefused("duplicate_code", part.at("levels"), "Two levels have one code.")
    paytables = dict(part.get("paytables", dict, {}))
    try:
        plan = read_plan(paytables, codes, part.at("paytables"))
    except PlanRefused as refusal:
        raise SetupRefused("bad_paytable", refusal.path, refusal.detail) from None
    must_not_be_shared_out(part, levels, plan)
    name = part.maybe("name", 60) or ""
    different = read_statement(part)
    part.done()
    check_rates(part, levels, set(plan.paytables))
    return ProgressiveSetup(part.path, code, name, unit, levels, paytables, different)


def read_statement(part: Part) -> tuple[str, str] | None:
    """Read why tables of different games may be linked: an equal probability, or a waiver."""
    if part.get("different_games", dict, None) is None:
        return None
    told = Part(part.get("different_games", dict), part.at("different_games"))
    kind = told.matching("kind", STATEMENTS, "bad_value", '"equal_probability" or "waiver"')
    text = told.text("text", 2000)
    told.done()
    return kind, text


def must_not_be_shared_out(part: Part, levels: tuple[LevelSetup, ...], plan: Plan) -> None:
    """Refuse a hand that pays a share of a level that no hand wins."""
    drawn = {level.code for level in levels if level.must_hit_by is not None}
    for name, rows in plan.paytables.items():
        for hand, row in rows.items():
            if row.level in drawn:
                raise SetupRefused(
                    "bad_paytable",
                    f"{part.at('paytables')}.{name}",
                    f"Level {row.level} must hit by an amount: no hand such as {hand} wins it.",
                )


def read_level(part: Part, unit: Decimal) -> LevelSetup:
    """Read one level's terms."""
    level = LevelSetup(
        part.code(24),
        part.money("initial"),
        part.money("reset"),
        part.percent("increment_percent"),
        part.share("reserve_percent"),
        part.one_of("reserve_at_reset", "added", "funds"),
        part.maybe_money("limit"),
        part.one_of("overflow_at_reset", "added", "kept"),
        part.maybe_money("shown_to") or CENT,
        tuple(read_rate(rate, unit) for rate in part.parts("rates", [])),
        part.maybe_money("must_hit_from"),
        part.maybe_money("must_hit_by"),
    )
    must_have_room(part, level)
    if level.limit is not None and level.limit < max(level.initial, level.reset):
        raise SetupRefused(
            "bad_limit", part.at("limit"), "A limit is not below the initial or the reset amount."
        )
    must_be_exact(part, unit, level)
    part.done()
    return level


def must_have_room(part: Part, level: LevelSetup) -> None:
    """Refuse bounds that a level stands above already, or that a limit or a reserve would bend."""
    low, high = level.must_hit_from, level.must_hit_by
    if low is None and high is None:
        return
    if low is None or high is None:
        missing = "must_hit_from" if low is None else "must_hit_by"
        raise SetupRefused("missing_key", part.at(missing), "A draw has two bounds.")
    if not max(level.initial, level.reset) < low < high:
        raise SetupRefused(
            "bad_value",
            part.at("must_hit_from"),
            "What is drawn lies above the initial and the reset amount and below its upper bound.",
        )
    if level.limit is not None or level.hides:
        raise SetupRefused(
            "bad_value",
            part.at("must_hit_by"),
            "A level that must hit has neither a limit nor a reserve.",
        )


def read_rate(part: Part, unit: Decimal) -> RateSetup:
    """Read the rates of a paytable and its numbers of decks (§ 633b.17)."""
    decks = part.get("decks", list)
    if not decks or not all(type(number) is int and 0 < number <= MOST_DECKS for number in decks):
        raise SetupRefused("bad_value", part.at("decks"), "Numbers of decks are 1 to 12.")
    rate = RateSetup(
        part.text("paytable", 24),
        tuple(decks),
        part.percent("increment_percent"),
        part.share("reserve_percent"),
    )
    must_be_exact(part, unit, rate)
    part.done()
    return rate


def must_be_exact(part: Part, unit: Decimal, rates: LevelSetup | RateSetup) -> None:
    """Refuse a rate of which a wager has more than six decimals."""
    for key in ("increment_percent", "reserve_percent"):
        try:
            increment(unit, getattr(rates, key))
        except ValueError as error:
            raise SetupRefused("bad_percent", part.at(key), f"{error}.") from None


def check_rates(part: Part, levels: tuple[LevelSetup, ...], paytables: set[str]) -> None:
    """Refuse rates of an unknown paytable, two of one, and levels that take more than the wager."""
    base = sum(level.increment_percent + level.reserve_percent for level in levels)
    if base > 100:
        raise SetupRefused("bad_percent", part.at("levels"), "The levels take more than the wager.")
    for place, level in enumerate(levels):
        seen = [(rate.paytable, number) for rate in level.rates for number in rate.decks]
        path = f"{part.at('levels')}[{place}].rates"
        if len(set(seen)) != len(seen):
            raise SetupRefused("duplicate_code", path, "There are two rates of one case.")
        for rate in level.rates:
            if rate.paytable not in paytables:
                raise SetupRefused("bad_value", path, f"There is no paytable {rate.paytable}.")
            if rate.increment_percent + rate.reserve_percent > 100:
                raise SetupRefused("bad_percent", path, "The rates take more than the wager.")


# ---- making ---------------------------------------------------------------------------------


def make_level(progressive: Progressive, level: LevelSetup) -> Meter:
    """Make a level's meters and its rates; return its display."""
    display = Meter.objects.create(
        progressive=progressive,
        level=level.code,
        initial=level.initial,
        reset=level.reset,
        increment_percent=level.increment_percent,
        limit=level.limit,
        shown_to=level.shown_to,
        must_hit_from=level.must_hit_from,
        must_hit_by=level.must_hit_by,
        value=NOTHING,
    )
    pools = []
    if level.hides:
        pools.append((RESERVE, level.reserve_percent, level.reserve_at_reset))
    if level.limit is not None:
        pools.append((OVERFLOW, NOTHING, level.overflow_at_reset))
    for purpose, percent, at_reset in pools:
        Meter.objects.create(
            progressive=progressive,
            level=level.code,
            purpose=purpose,
            initial=NOTHING,
            reset=NOTHING,
            increment_percent=percent,
            at_reset=at_reset,
            value=NOTHING,
        )
    LevelRate.objects.bulk_create(
        LevelRate(
            meter=display,
            paytable=rate.paytable,
            decks=number,
            increment_percent=rate.increment_percent,
            reserve_percent=rate.reserve_percent,
        )
        for rate in level.rates
        for number in rate.decks
    )
    return display


def told_terms(level: LevelSetup) -> dict[str, Any]:
    """Return a level's terms by the names that the file gives them."""
    return {
        "initial": level.initial,
        "reset": level.reset,
        "increment_percent": level.increment_percent,
        "reserve_percent": level.reserve_percent if level.hides else None,
        "reserve_at_reset": level.reserve_at_reset if level.hides else None,
        "limit": level.limit,
        "overflow_at_reset": None if level.limit is None else level.overflow_at_reset,
        "shown_to": level.shown_to,
        "must_hit_from": level.must_hit_from,
        "must_hit_by": level.must_hit_by,
        "rates": sorted(
            (rate.paytable, number, rate.increment_percent, rate.reserve_percent)
            for rate in level.rates
            for number in rate.decks
        ),
    }


def stored_terms(progressive: Progressive) -> dict[str, dict[str, Any]]:
    """Return the terms that each level has now, by the same names."""
    meters = list(progressive.meters.all())
    found = {}
    for meter in meters:
        if meter.purpose != DISPLAY:
            continue
        beside = {m.purpose: m for m in meters if m.level == meter.level}
        reserve, overflow = beside.get(RESERVE), beside.get(OVERFLOW)
        found[meter.level] = {
            "initial": meter.initial,
            "reset": meter.reset,
            "increment_percent": meter.increment_percent,
            "reserve_percent": None if reserve is None else reserve.increment_percent,
            "reserve_at_reset": None if reserve is None else reserve.at_reset,
            "limit": meter.limit,
            "overflow_at_reset": None if overflow is None else overflow.at_reset,
            "shown_to": meter.shown_to,
            "must_hit_from": meter.must_hit_from,
            "must_hit_by": meter.must_hit_by,
            "rates": sorted(
                (rate.paytable, rate.decks, rate.increment_percent, rate.reserve_percent)
                for rate in rates_now(meter)
            ),
        }
    return found
