"""Play the simulator's tables through the API: from where each stands, on and on."""

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.db import connection

from tables.models import Facility, GamingTable
from tables.rules import SUPPORTED_GAMES
from tables.services.replaying import Replay
from tables.services.sending import Gateway
from tables.services.terms import GamingDay, TermsBook
from tables.simulator import Start, play
from tables.simulator.play import ROUND_SECONDS, Moment

DEALT = {"six_card_fortune_pai_gow"}  # what the simulator knows to deal
KEY_NAME = "play_day"  # the intake keeps it: simulated rounds are never taken for real ones
LIST_LENGTH = 100

STANDING_SQL = """
SELECT t.id, coalesce(max(e.sequence), 0), coalesce(max(e.round), 0), max(e.occurred_at),
       coalesce(bool_or(e.key_name <> %s AND e.type <> 'sequence_skipped'), false),
       max(e.round) FILTER (WHERE e.type = 'lockout' AND NOT EXISTS (
           SELECT 1 FROM tables_tableevent over WHERE over.table_id = t.id
           AND over.round = e.round AND over.type <> 'lockout'))
FROM tables_gamingtable t LEFT JOIN tables_tableevent e ON e.table_id = t.id
WHERE t.game = ANY(%s) GROUP BY t.id, t.code ORDER BY t.code
"""


class Standing(NamedTuple):
    """Where a table's reported events end, and whether somebody else reported any of them."""

    table_id: int
    sequence: int
    round: int
    last_at: datetime | None
    real: bool
    left_open: int | None


class Hall(NamedTuple):
    """The tables a play goes on at, the moment it begins, and its pace."""

    tables: list[GamingTable]
    starts: list[Start]
    begins: datetime
    pace: float
    zone: ZoneInfo
    skipped: list[str]  # tables that have events of their own


def prepare(*, rounds: int, now: datetime, live_speed: float | None, real_too: bool) -> Hall:
    """Find where each table stands and when the play begins.

    A table with events of another sender is left alone unless ``real_too``: what the simulator
    reports moves its meters for good.
    """
    book = TermsBook()
    with connection.cursor() as cursor:
        cursor.execute(STANDING_SQL, [KEY_NAME, sorted(DEALT & set(SUPPORTED_GAMES))])
        standings = [Standing(*row) for row in cursor.fetchall()]
    plays = [standing for standing in standings if real_too or not standing.real]
    tables = [book.tables[standing.table_id] for standing in plays]
    facility = Facility.objects.get(pk=1)
    if live_speed is not None:
        begins, pace = now, 1 / live_speed
    else:
        last = max((s.last_at for s in plays if s.last_at), default=None)
        needed = timedelta(seconds=ROUND_SECONDS * (rounds / max(1, len(plays)) + 1))
        begins, pace = window(facility, now, needed, last)
    starts = [
        Start(book.at(table, begins), standing.sequence + 1, standing.round + 1, standing.left_open)
        for table, standing in zip(tables, plays, strict=True)
    ]
    skipped = [book.tables[s.table_id].code for s in standings if s not in plays]
    return Hall(tables, starts, begins, pace, ZoneInfo(facility.time_zone), skipped)


def day_begun(facility: Facility, moment: datetime) -> datetime:
    """Return when the gaming day of a moment began."""
    zone = ZoneInfo(facility.time_zone)
    return datetime.combine(GamingDay(facility).of(moment), facility.gaming_day_starts, zone)


def window(
    facility: Facility, now: datetime, needed: timedelta, last: datetime | None
) -> tuple[datetime, float]:
    """Return when the play begins and its pace, so that it ends about now, within one gaming day.

    Early in a gaming day with nothing played yet, the day before is played; where earlier events
    leave no room, the rounds follow each other faster.
    """
    begun = day_begun(facility, now)
    if last is None and now - begun < needed:
        now = begun - timedelta(minutes=1)
        begun = day_begun(facility, now)
    begins = max(now - needed, begun, last or begun)
    pace = max((now - begins) / needed, 0.001)
    return begins, min(pace, 1.0)


def moments(hall: Hall, *, rounds: int, seed: int, lucky: bool) -> Iterator[Moment]:
    """Yield the events of the play."""
    return play(
        hall.starts,
        rounds=rounds,
        seed=seed,
        begins=hall.begins,
        zone=hall.zone,
        pace=hall.pace,
        lucky=lucky,
    )


def send_moments(
    replay: Replay,
    gateway: Gateway,
    played: Iterator[Moment],
    *,
    live: bool,
    progress: Callable[[int], None],
) -> None:
    """Report the events, as lists; live, each when its moment has come.

    ``progress`` is told how many rounds ended.
    """
    waiting: list[Moment] = []

    def report() -> None:
        replay.answers += gateway.send([json.dumps(m.event).encode() for m in waiting])
        progress(sum(m.event["type"] in ("settlement", "round", "void") for m in waiting))
        waiting.clear()

    for moment in played:
        if live:
            time.sleep(max(0.0, (moment.at - datetime.now(UTC)).total_seconds()))
        waiting.append(moment)
        if live or len(waiting) == LIST_LENGTH:
            report()
    if waiting:
        report()
