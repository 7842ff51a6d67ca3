"""Add every meter up again from its own entries, and compare with what it shows."""

from dataclasses import dataclass
from decimal import Decimal

from django.db import connection, transaction

from progressives.levels import DISPLAY

# One statement, so one moment: a worker that moves meters meanwhile cannot make a difference.
# ``breaks`` counts the entries that do not begin where the one before them ended, and the gaps.
SUMS_SQL = """
WITH entries AS (
    SELECT meter_id, sequence, kind, amount, before, after,
           lag(after, 1, 0::numeric) OVER (PARTITION BY meter_id ORDER BY sequence) AS came_from,
           lag(sequence, 1, 0::bigint) OVER (PARTITION BY meter_id ORDER BY sequence) AS came_after
    FROM progressives_meterentry
), sums AS (
    SELECT meter_id, count(*) AS entries, max(sequence) AS last,
           coalesce(sum(amount) FILTER (WHERE kind = 'initial'), 0) AS opening,
           coalesce(sum(amount) FILTER (WHERE kind = 'contribution'), 0) AS contributions,
           coalesce(sum(amount) FILTER (WHERE kind = 'reversal'), 0) AS reversals,
           coalesce(sum(amount) FILTER (WHERE kind = 'award'), 0) AS awards,
           coalesce(sum(amount) FILTER (WHERE kind = 'reset'), 0) AS resets,
           coalesce(sum(amount) FILTER (WHERE kind IN ('award_returned', 'reset_returned')), 0)
               AS returned,
           coalesce(sum(amount) FILTER (WHERE kind NOT IN ('initial', 'contribution', 'reversal',
               'award', 'reset', 'award_returned', 'reset_returned')), 0) AS moved,
           coalesce(sum(amount) FILTER (WHERE kind IN ('reserve_in', 'reserve_out', 'overflow_in',
               'overflow_out', 'pool_returned', 'pool_restored', 'limit_cut', 'limit_kept')), 0)
               AS exchanged,
           coalesce(sum(amount), 0) AS expected,
           count(*) FILTER (WHERE before <> came_from OR sequence <> came_after + 1
               OR after <> before + amount) AS breaks
    FROM entries GROUP BY meter_id
)
SELECT p.code, m.level, m.purpose, m.initial, m.value, m.sequence, coalesce(s.entries, 0),
       coalesce(s.last, 0), coalesce(s.opening, 0), coalesce(s.contributions, 0),
       coalesce(s.reversals, 0), coalesce(s.awards, 0), coalesce(s.resets, 0),
       coalesce(s.returned, 0), coalesce(s.moved, 0), coalesce(s.expected, 0),
       coalesce(s.breaks, 0),
       sum(coalesce(s.exchanged, 0)) OVER (PARTITION BY p.code, m.level)
FROM progressives_meter m
JOIN progressives_progressive p ON p.id = m.progressive_id
LEFT JOIN sums s ON s.meter_id = m.id
ORDER BY p.code, m.level, m.purpose
"""


@dataclass(frozen=True)
class Reconciliation:
    """One meter, added up by kind of movement; reversals and awards are negative.

    ``moved`` is what came and went between a level's own meters, and by transfers and corrections.
    ``faults`` says in sentences what does not hold besides the sum.
    """

    meter: str
    opening: Decimal
    contributions: Decimal
    reversals: Decimal
    awards: Decimal
    resets: Decimal
    returned: Decimal
    moved: Decimal
    expected: Decimal
    value: Decimal
    entries: int
    faults: tuple[str, ...]

    @property
    def difference(self) -> Decimal:
        """Return what the meter shows above what its entries come to."""
        return self.value - self.expected

    @property
    def ok(self) -> bool:
        return not self.difference and not self.faults


@transaction.atomic
def reconcile() -> list[Reconciliation]:
    """Reconcile every meter with its entries, to the last fraction of a cent."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '10min'")  # years of entries are read
        cursor.execute(SUMS_SQL)
        rows = cursor.fetchall()
    return [reconciled(*row) for row in rows]


def reconciled(
    code: str,
    level: str,
    purpose: str,
    initial: Decimal,
    value: Decimal,
    sequence: int,
    entries: int,
    last: int,
    opening: Decimal,
    *sums: Decimal,
) -> Reconciliation:
    """Make one meter's reconciliation of its row."""
    contributions, reversals, awards, resets, returned, moved, expected, breaks, exchanged = sums
    faults = []
    if opening != initial:
        faults.append(f"It began with {opening}, not with its initial amount {initial}.")
    if breaks:
        faults.append(f"{breaks} of its entries do not follow the one before them.")
    if exchanged and purpose == DISPLAY:
        faults.append(f"Its level's own meters gave {exchanged} more than they received.")
    if not entries == last == sequence:
        faults.append(f"It counts {sequence} entries; there are {entries}, the last is {last}.")
    return Reconciliation(
        meter=f"{code}:{level}" if purpose == DISPLAY else f"{code}:{level}/{purpose}",
        opening=opening,
        contributions=contributions,
        reversals=reversals,
        awards=awards,
        resets=resets,
        returned=returned,
        moved=moved,
        expected=expected,
        value=value,
        entries=entries,
        faults=tuple(faults),
    )
