"""The terms that a level has now, by the names that requests use; and who may forbid a change."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.db import connection

from progressives.levels import DISPLAY, OVERFLOW, RESERVE
from progressives.meters import MeterTerms, cents
from progressives.models import ControlRequest, LevelRate, Meter
from progressives.parameters import plain
from progressives.services.level_meters import LevelMeter, SplitMeter

#: Checks of those who know games: what a chapter fixes is no parameter. See ``tables.apps``.
Check = Callable[[Meter, Mapping[str, Any]], None]
CHECKS: list[Check] = []


def level_of(meter: Meter) -> dict[str, Meter]:
    """Return the level's meters by purpose."""
    found = Meter.objects.filter(progressive_id=meter.progressive_id, level=meter.level)
    return {each.purpose: each for each in found.select_related("progressive")}


def terms_now(display: Meter) -> dict[str, Any]:
    """Return every parameter of a level as ``progressives.parameters`` writes it."""
    level = level_of(display)
    shown, reserve, overflow = level[DISPLAY], level.get(RESERVE), level.get(OVERFLOW)
    return {
        "increment_percent": plain(shown.increment_percent),
        "reserve_percent": plain(reserve.increment_percent if reserve else Decimal(0)),
        "reset": cents(shown.reset),
        "limit": None if shown.limit is None else cents(shown.limit),
        "shown_to": cents(shown.shown_to),
        "reserve_at_reset": reserve.at_reset if reserve else "added",
        "overflow_at_reset": overflow.at_reset if overflow else "added",
        "rates": [
            [rate.paytable, rate.decks, plain(rate.increment_percent), plain(rate.reserve_percent)]
            for rate in rates_now(shown)
        ],
    }


def rates_now(display: Meter) -> list[LevelRate]:
    """Return the rates that hold: of several for one case the last written."""
    found = {(rate.paytable, rate.decks): rate for rate in display.rates.order_by("pk")}
    return [found[case] for case in sorted(found)]


def give_terms(level: LevelMeter, told: Mapping[str, Any]) -> None:
    """Give a level in a ledger's hands the terms that a request names: of before or of after.

    Only in memory, so that rounds can be settled again by the terms of their own time.
    """
    meter = level.meter
    meter.increment_percent = Decimal(told.get("increment_percent", meter.increment_percent))
    meter.reset = Decimal(told.get("reset", meter.reset))
    level.running.terms = replace(
        level.running.terms, increment_percent=meter.increment_percent, reset=meter.reset
    )
    if not isinstance(level, SplitMeter):
        return
    if "limit" in told:
        limit = told["limit"]
        level.level.limit = meter.limit = None if limit is None else Decimal(limit)
    reserve = level.pools.get(RESERVE)
    if "reserve_percent" in told and reserve is not None:
        reserve.running.terms = MeterTerms(Decimal(told["reserve_percent"]), reserve.meter.reset)
    if "reserve_at_reset" in told:
        level.level.funds_reset = told["reserve_at_reset"] == Meter.AtReset.FUNDS
    if "overflow_at_reset" in told:
        level.level.overflow_kept = told["overflow_at_reset"] == Meter.AtReset.KEPT


def in_operation(lane_id: int) -> str | None:
    """Return what the lane's tables are at, or None where the link rests: PostgreSQL's own answer.

    A link is in operation while a round is open, an event waits, or a table is in play: since its
    last round it has not reported ``table_close``, nor has its gaming day ended without a further
    one (9 NYCRR § 5321.18(b)(4)).
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT lane_in_operation(%s)", [lane_id])
        (found,) = cursor.fetchone()
    return found  # type: ignore[no-any-return]


def is_retired(meter: Meter) -> bool:
    """Whether nothing moves this meter any more."""
    return ControlRequest.objects.filter(retired__meter=meter).exists()
