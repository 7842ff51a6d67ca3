"""Whether a table's meter values are fresh, and so whether it may take progressive wagers."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.utils import timezone

from progressives.models import Meter
from tables.models import Downtime, Facility, GamingTable
from tables.services.downtime import displays_of
from tables.services.paper import next_sequence

# Whatever was accepted and waits longer than a value stays fresh has not reached the meters.
BEHIND_SQL = """
SELECT EXISTS (
    SELECT 1 FROM tables_gamingtable t
    JOIN tables_tablecursor c ON c.table_id = t.id
    JOIN tables_tableevent e ON e.table_id = c.table_id AND e.sequence >= c.expected
    WHERE t.lane_id = %s AND e.accepted_at < %s
)
"""
REASONS = {
    "no_progressive": "This table has no progressive.",
    "table_down": "This table plays on paper: it is down.",
    "meter_behind": "The meter is behind: what was wagered has not reached it.",
}


@dataclass(frozen=True)
class Freshness:
    """What a table or its sign may go by, until ``fresh_until`` and no longer."""

    table: str
    at: datetime
    seconds: int
    meters: list[Meter]
    reason: str  # a code; empty where progressive wagers are taken
    next_sequence: int

    @property
    def fresh_until(self) -> datetime:
        """Return when the values are no longer fresh, unless they are asked for again."""
        return self.at + timedelta(seconds=self.seconds)

    @property
    def takes_wagers(self) -> bool:
        """Whether the table takes progressive wagers now."""
        return not self.reason

    @property
    def sentence(self) -> str:
        """Return why it takes none."""
        return REASONS.get(self.reason, "")


def fresh_seconds() -> int:
    """Return for how long a value is fresh."""
    found = Facility.objects.values_list("fresh_seconds", flat=True).first()
    return found or 15


def freshness_of(table: GamingTable) -> Freshness:
    """Return a table's meters as they stand now, and whether they may be wagered on."""
    now, seconds = timezone.now(), fresh_seconds()
    meters = displays_of(table)
    reason = ""
    if not meters:
        reason = "no_progressive"
    elif Downtime.objects.filter(table=table, end__isnull=True).exists():
        reason = "table_down"
    elif is_behind(table, now - timedelta(seconds=seconds)):
        reason = "meter_behind"
    return Freshness(table.code, now, seconds, meters, reason, next_sequence(table))


def is_behind(table: GamingTable, before: datetime) -> bool:
    """Whether an event of the table's lane that was accepted before a moment still waits."""
    with connection.cursor() as cursor:
        cursor.execute(BEHIND_SQL, [table.lane_id, before])
        return bool(cursor.fetchone()[0])
