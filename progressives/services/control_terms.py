"""The terms that a level has now, by the names that requests use; and who may forbid a change."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from django.db import connection

from progressives.levels import DISPLAY, OVERFLOW, RESERVE
from progressives.meters import cents
from progressives.models import ControlRequest, LevelRate, Meter
from progressives.parameters import plain

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
