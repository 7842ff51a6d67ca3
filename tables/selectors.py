"""Dealers' payment errors over a stretch of gaming days: one statement joins floor and memory."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from django.db import connection, transaction

from tables.models import Facility

SHIFT_HOURS = 8  # three shifts, the first beginning with the gaming day

SHIFT_SQL = """
floor(((extract(epoch FROM (r.occurred_at AT TIME ZONE %(zone)s)::time)
        - extract(epoch FROM %(starts)s::time) + 86400)::int %% 86400) / 28800)::int
"""

ROUNDS_SQL = f"""
SELECT r.dealer, {SHIFT_SQL}, count(*)
FROM tables_round r
WHERE r.gaming_day BETWEEN %(first)s AND %(last)s AND r.state = 'settled'
GROUP BY 1, 2
"""  # noqa: S608 - put together from constants

ERRORS_SQL = f"""
SELECT r.dealer, {SHIFT_SQL}, r.gaming_day, e.facts->>'wager',
       (e.facts->>'difference')::numeric, count(*)
FROM audit_exceptionrecord e JOIN tables_round r ON r.id = (e.facts->>'round_id')::uuid
WHERE e.kind = 'mispay' AND e.facts ? 'difference'
  AND r.gaming_day BETWEEN %(first)s AND %(last)s
GROUP BY 1, 2, 3, 4, 5
"""  # noqa: S608


@dataclass
class Errors:
    """Payment errors of one dealer, wager, shift or day, and of how many rounds."""

    name: str
    rounds: int = 0
    mispays: int = 0
    over: Decimal = Decimal(0)
    under: Decimal = Decimal(0)
    wagers: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def per_hundred(self) -> Decimal | None:
        """Mispays in a hundred rounds; None where no round was dealt."""
        if not self.rounds:
            return None
        return (Decimal(100 * self.mispays) / self.rounds).quantize(Decimal("0.01"))

    @property
    def net(self) -> Decimal:
        """What the house lost by it, less what the players lost."""
        return self.over - self.under

    def add(self, wager: str, difference: Decimal, number: int) -> None:
        """Count errors of one size."""
        self.mispays += number
        self.wagers[wager] += number
        if difference > 0:
            self.over += difference * number
        else:
            self.under -= difference * number

    def most(self) -> list[tuple[str, int]]:
        """Return its wagers, the one with the most errors first."""
        return sorted(self.wagers.items(), key=lambda pair: (-pair[1], pair[0]))


@dataclass
class Trends:
    """Payment errors looked at from every side."""

    dealers: list[Errors]
    wagers: list[Errors]
    shifts: list[Errors]
    days: list[Errors]
    whole: Errors


def error_trends(first: date, last: date) -> Trends:
    """Return the mispays of these gaming days by dealer, wager, shift and day."""
    facility = Facility.objects.get(pk=1)
    asked = {
        "first": first,
        "last": last,
        "zone": facility.time_zone,
        "starts": facility.gaming_day_starts,
    }
    rounds, errors = rows_of(ROUNDS_SQL, asked), rows_of(ERRORS_SQL, asked)
    dealers, wagers, days = Named(), Named(), Named()
    shifts, whole = [Errors(words) for words in shift_names(facility)], Errors("All")
    for dealer, shift, number in rounds:
        for counted in (dealers[dealer], shifts[shift], whole):
            counted.rounds += number
    for dealer, shift, day, wager, difference, number in errors:
        for counted in (dealers[dealer], wagers[wager], shifts[shift], days[str(day)], whole):
            counted.add(wager, difference, number)
    return Trends(
        sorted(dealers.values(), key=worst_first),
        sorted(wagers.values(), key=worst_first),
        shifts,
        sorted(days.values(), key=lambda day: day.name),
        whole,
    )


class Named(dict[str, Errors]):
    """Errors by name, made when they are asked for."""

    def __missing__(self, name: str) -> Errors:
        made = self[name] = Errors(name)
        return made


def worst_first(errors: Errors) -> tuple[Any, ...]:
    """Order by how often, then by how many, then by name."""
    return -(errors.per_hundred or 0), -errors.mispays, errors.name


def shift_names(facility: Facility) -> Iterable[str]:
    """Yield the hours of each shift: 06:00 to 14:00."""
    starts = facility.gaming_day_starts
    for number in range(24 // SHIFT_HOURS):
        hours = [(starts.hour + SHIFT_HOURS * (number + after)) % 24 for after in (0, 1)]
        yield " to ".join(f"{hour:02}:{starts.minute:02}" for hour in hours)


@transaction.atomic
def rows_of(statement: str, asked: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a statement that reads many rounds."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '60s'")
        cursor.execute(statement, asked)
        return list(cursor.fetchall())
