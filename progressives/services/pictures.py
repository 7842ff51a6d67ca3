"""What a meter's pictures are drawn from: where it stood, and what each table put on it."""

from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from django.db import connection, transaction

from progressives.charts import Bar, Curve, Stood, bars, life_of
from progressives.models import Meter, MeterEntry

LONGEST = 300_000  # entries looked at, the newest: a picture is not the ledger
POINTS_A_DAY = {1: 400, 7: 60, 30: 14}

# The first and last entry of each day, every award and reset with the entry before it, and of the
# others as many as can be told apart.
STOOD_SQL = """
WITH recent AS (
    SELECT gaming_day, sequence, kind, after, "table", round,
           row_number() OVER day - 1 AS place, count(*) OVER (PARTITION BY gaming_day) AS entries,
           lead(kind) OVER (ORDER BY sequence) AS following
    FROM progressives_meterentry
    WHERE meter_id = %(meter)s AND sequence > %(after)s AND gaming_day > %(since)s
      AND kind <> 'initial'  -- of the day on which it was set up, whatever is played
    WINDOW day AS (PARTITION BY gaming_day ORDER BY sequence)
)
SELECT gaming_day, (place + 1)::float / entries, after, kind, "table", round FROM recent
WHERE kind IN ('award', 'reset') OR following IN ('award', 'reset')
   OR place = 0 OR place = entries - 1 OR place %% greatest(entries / %(points)s, 1) = 0
ORDER BY sequence
"""
TABLES_SQL = """
SELECT "table", sum(amount) FROM progressives_meterentry
WHERE meter_id = %(meter)s AND sequence > %(after)s AND gaming_day > %(since)s
  AND kind IN ('contribution', 'reversal')
GROUP BY 1
"""


class Picture(NamedTuple):
    """A meter over its last gaming days."""

    days: int
    curve: Curve | None
    bars: list[Bar]


@transaction.atomic
def picture_of(meter: Meter, days: int) -> Picture:
    """Return a meter's last so many gaming days: its way with hits and resets, and by table."""
    newest = MeterEntry.objects.filter(meter=meter).order_by("-sequence").first()
    if newest is None:
        return Picture(days, None, [])
    asked: dict[str, int | date] = {
        "meter": meter.pk,
        "after": newest.sequence - LONGEST,
        "since": newest.gaming_day - timedelta(days=days),
        "points": POINTS_A_DAY[days],
    }
    with connection.cursor() as cursor:
        cursor.execute(STOOD_SQL, asked)
        stood = [told(*row) for row in cursor.fetchall()]
        cursor.execute(TABLES_SQL, asked)
        sums: dict[str, Decimal] = dict(cursor.fetchall())
    return Picture(days, life_of(stood), bars(sums))


def told(
    day: date, through: float, value: Decimal, kind: str, table: str, number: int | None
) -> Stood:
    """Return one point, with the round it belongs to in words."""
    return Stood(day, through, value, kind, f"{table}, round {number}" if number else "")
