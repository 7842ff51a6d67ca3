"""How often a progressive was wagered on and hit, by gaming day and hand: counts, no rules."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from django.db import connection, transaction
from django.db.models import Count

from progressives.models import JackpotClaim, Meter, Progressive

# Each wager enters its level's display once, with nothing where that stands at its limit; what a
# void or a returned wager took off again is a wager less.
WAGERS_SQL = """
SELECT gaming_day, count(*) FILTER (WHERE kind = 'contribution')
                   - count(*) FILTER (WHERE kind = 'reversal')
FROM progressives_meterentry
WHERE meter_id = %s AND gaming_day BETWEEN %s AND %s AND kind IN ('contribution', 'reversal')
  AND (%s::text[] IS NULL OR "table" = ANY(%s))
GROUP BY gaming_day ORDER BY gaming_day
"""
NOT_HELD = ("refused", "voided")  # the hand was not what the table reported, or the round is void


@dataclass(frozen=True)
class Hits:
    """A progressive over a stretch of gaming days.

    ``wagers``: how many stood, by gaming day. ``hits``: by gaming day and hand. ``refused``: hits
    that were refused and are not counted.
    """

    wagers: dict[date, int]
    hits: dict[tuple[date, str], int]
    refused: int = 0
    by_hand: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        found: dict[str, int] = {}
        for (_, hand), number in self.hits.items():
            found[hand] = found.get(hand, 0) + number
        object.__setattr__(self, "by_hand", found)

    @property
    def wagered(self) -> int:
        """Return how many wagers stood in all."""
        return sum(self.wagers.values())


@transaction.atomic
def wagers_by_day(
    progressive: Progressive, first: date, last: date, tables: Sequence[str] | None = None
) -> dict[date, int]:
    """Return how many wagers stood on each gaming day, at these tables or at all that feed it.

    One level tells: each wager enters all of them.
    """
    display = progressive.meters.filter(purpose=Meter.Purpose.DISPLAY).order_by("pk").first()
    if display is None:
        return {}
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '60s'")
        codes = None if tables is None else list(tables)
        cursor.execute(WAGERS_SQL, [display.pk, first, last, codes, codes])
        return dict(cursor.fetchall())


def hits_of(
    progressive: Progressive, first: date, last: date, tables: Sequence[str] | None = None
) -> Hits:
    """Return a progressive's wagers and hits over a stretch of gaming days, both ends included."""
    claims = JackpotClaim.objects.filter(
        progressive=progressive, gaming_day__range=(first, last)
    ).order_by()
    if tables is not None:
        claims = claims.filter(table__in=tables)
    held = claims.exclude(state__in=NOT_HELD)
    counted = held.values_list("gaming_day", "hand").annotate(Count("pk"))
    return Hits(
        wagers_by_day(progressive, first, last, tables),
        {(day, hand): number for day, hand, number in counted},
        claims.filter(state__in=NOT_HELD).count(),
    )
