"""Which gaming day is closed next, and the fence that ends it."""

import json
from datetime import date, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Max, Q

from audit.models import User
from audit.services import SYSTEM, chain_of_lane, log_event, record
from progressives import close_errors, errors
from progressives.models import CloseStep, GamingDayClose, Lane, Meter, MeterSnapshot
from progressives.retold import FENCED
from progressives.services.claims import step
from progressives.services.close_persons import must_be_allowed_to
from progressives.services.close_retell import Told, retell
from progressives.services.snapshots import take_at

TRIES = 3

# The entry that follows each meter's last closed one: its day has not been closed yet.
NEXT_SQL = """
SELECT min(e.gaming_day) FROM progressives_meter m
JOIN progressives_progressive p ON p.id = m.progressive_id
CROSS JOIN LATERAL (
    SELECT n.gaming_day FROM progressives_meterentry n
    WHERE n.meter_id = m.id AND n.kind <> 'initial'
      AND n.sequence > coalesce((%s::jsonb -> (
          p.code || ':' || m.level
          || CASE m.purpose WHEN 'display' THEN '' ELSE '/' || m.purpose END
      ) ->> 0)::bigint, 0)
    ORDER BY n.sequence LIMIT 1
) e
"""
ENDS_SQL = """
SELECT p.code || ':' || m.level || CASE m.purpose WHEN 'display' THEN '' ELSE '/' || m.purpose END,
       e.sequence, e.after::text FROM progressives_meter m
JOIN progressives_progressive p ON p.id = m.progressive_id
JOIN progressives_lane l ON l.id = p.lane_id
CROSS JOIN LATERAL (
    SELECT n.sequence, n.after FROM progressives_meterentry n
    WHERE n.meter_id = m.id AND (n.kind = 'initial' OR n.gaming_day <= %s)
    ORDER BY n.sequence DESC LIMIT 1
) e
"""


def last_closed() -> GamingDayClose | None:
    """Return the close that the next one goes on from."""
    return GamingDayClose.objects.filter(state=GamingDayClose.State.CLOSED).first()


def close_before(day: date) -> GamingDayClose | None:
    """Return the close of the last closed day before this one."""
    return GamingDayClose.objects.filter(state="closed", gaming_day__lt=day).first()


def next_day() -> date | None:
    """Return the gaming day to be closed next; None where nothing was played since the last."""
    unfinished = GamingDayClose.objects.exclude(state="closed").first()
    if unfinished is not None:
        return unfinished.gaming_day
    before = last_closed()
    moved = first_day_moved(before)
    if moved is not None:
        return moved
    reached: date | None = Lane.objects.aggregate(day=Max("gaming_day"))["day"]
    return reached if reached and (before is None or reached > before.gaming_day) else None


def first_day_moved(before: GamingDayClose | None) -> date | None:
    """Return the earliest gaming day with a movement that no close has counted."""
    with connection.cursor() as cursor:
        cursor.execute(NEXT_SQL, [json.dumps(before.ends if before else {})])
        (day,) = cursor.fetchone()
    return day  # type: ignore[no-any-return]


def end_day(*, day: date, by: User) -> GamingDayClose:
    """End a gaming day: from now on nothing joins it, whatever the clock says.

    Each lane that still stands in it takes the fence as its next number and goes on in the next
    day; lanes that have left it are not touched. Refused for a day that no table has reached, and
    while an earlier day that moved meters is not closed.
    """
    must_be_allowed_to(by, "prepare")
    must_be_next(day)
    for _ in range(TRIES):
        gone = set(Lane.objects.filter(gaming_day__gt=day).values_list("pk", flat=True))
        told = retell(day, close_before(day))
        close = fence(day, by, told, gone)
        if close is not None:
            return close
    raise errors.Busy


def must_be_next(day: date) -> None:
    """Refuse a day that is closed, ended, not reached, or has an earlier one before it."""
    ended = GamingDayClose.objects.filter(gaming_day=day).first()
    if ended is not None:
        raise close_errors.AlreadyEnded
    before = last_closed()
    if before is not None and day <= before.gaming_day:
        raise close_errors.DayBehindFence(day)
    unfinished = GamingDayClose.objects.exclude(state="closed").first()
    if unfinished is not None:
        raise close_errors.EarlierDayOpen(unfinished.gaming_day)
    reached: date | None = Lane.objects.aggregate(day=Max("gaming_day"))["day"]
    if reached is None or day > reached:
        raise close_errors.DayNotReached
    first = first_day_moved(before)
    if before is not None and first is not None and first < day:
        raise close_errors.EarlierDayOpen(first)


@step
def fence(day: date, by: User, told: Told, gone: set[int]) -> GamingDayClose | None:
    """Put up the fence, all lanes at one moment; None where a lane left the day meanwhile."""
    standing = Q(gaming_day__lte=day) | Q(gaming_day__isnull=True)
    held = list(
        Lane.objects.select_for_update(no_key=True).filter(standing).order_by("pk")
    )  # a lane that leaves the day while we wait for it is not among them
    if {lane.pk for lane in held} | gone != set(Lane.objects.values_list("pk", flat=True)):
        return None
    numbers = dict(told.numbers)
    chains = {chain: [number, head.hex()] for chain, (number, head) in told.reached.items()}
    for lane in held:
        lane.number += 1  # so that a batch worked out before the fence finds another number
        lane.gaming_day = day + timedelta(days=1)
        lane.save(update_fields=["number", "gaming_day"])
        numbers[lane.name] = lane.number
    ends = ends_of(day)
    facts: dict[str, Any] = {"gaming_day": day.isoformat()}
    for lane in sorted(held, key=lambda lane: lane.name):
        chain = chain_of_lane(lane.name)
        own = {**facts, "lane_number": lane.number, "next_day": str(lane.gaming_day)}
        [link] = record(chain, [log_event(FENCED, str(day), own, by=by)])
        chains[chain] = [link.sequence, link.hash.hex()]
    close = GamingDayClose.objects.create(
        gaming_day=day, fence=numbers, chains=chains, ends=ends, retold={}
    )
    CloseStep.objects.create(close=close, kind=CloseStep.Kind.FENCED, by=by)
    take_at(MeterSnapshot.Reason.DAY_CLOSE, ends)
    summary = {**facts, "fence": numbers, "ends": ends}
    record(SYSTEM, [log_event("progressives.day_ended", str(day), summary, by=by)])
    close.refresh_from_db()
    return close


@transaction.atomic
def ends_of(day: date) -> dict[str, list[Any]]:
    """Return each meter's last entry of a day or of one before it: its sequence and value."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '10min'")
        cursor.execute(ENDS_SQL, [day])
        return {name: [sequence, value] for name, sequence, value in cursor.fetchall()}


def meters_by_name() -> dict[str, Meter]:
    """Return every meter by the name that closes and the log's retelling use."""
    found = Meter.objects.select_related("progressive").order_by("progressive__code", "pk")
    return {f"{meter.progressive.code}:{meter.name}": meter for meter in found}
