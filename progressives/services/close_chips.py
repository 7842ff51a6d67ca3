"""The chips of a gaming day beside its lock-outs: one line a table and dealer."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from audit.models import ExceptionRecord
from progressives.causes import Cause
from progressives.chip_variance import explain_count, whole
from progressives.chips import NOTHING, Tally
from progressives.meters import cents
from progressives.models import ChipCount
from progressives.retold import Retelling

CHIP_VARIANCE = "chip_count_variance"
WHOLE_TABLE = ""  # a count that no dealer is named for is of the whole table
SHOWN = 8  # tables that a sentence names; it counts them all


@dataclass(frozen=True)
class ChipLine:
    """One table and dealer: what the lock-outs took in, what a person counted, and why it differs.

    ``dealer`` is empty where the whole table was counted in one.
    """

    table: str
    dealer: str
    tally: Tally
    count: ChipCount | None
    causes: tuple[Cause, ...] = ()
    exception: ExceptionRecord | None = None

    @property
    def expected(self) -> Decimal:
        return self.tally.kept

    @property
    def difference(self) -> Decimal:
        """Return how far the count is from the lock-outs; nothing where it was not counted."""
        return NOTHING if self.count is None else self.count.amount - self.expected

    @property
    def uncounted(self) -> bool:
        return self.count is None and bool(self.tally.rounds or self.expected)

    @property
    def explained(self) -> bool:
        return self.exception is not None and self.exception.state == "closed"

    @property
    def green(self) -> bool:
        return not self.uncounted and (not self.difference or self.explained)

    @property
    def name(self) -> str:
        return f"{self.table}, dealer {self.dealer}" if self.dealer else self.table

    def once(self, day: date) -> str:
        """Return what makes this difference one and the same exception."""
        return f"chips/{day}/{self.table}/{self.dealer}/{cents(self.difference)}"


def chip_lines(day: date, told: Retelling) -> list[ChipLine]:
    """Lay what was counted beside the lock-outs: dealer by dealer, and whole tables.

    A table that was counted in one and by no dealer has that one line alone.
    """
    counts = latest_counts(day)
    by_table: dict[str, dict[str, Tally]] = {}
    for (table, dealer), tally in told.chips.tallies.items():
        by_table.setdefault(table, {})[dealer] = tally
    lines: list[ChipLine] = []
    for table in sorted(by_table.keys() | {table for table, _ in counts}):
        of_table = by_table.get(table, {})
        counted = {dealer for place, dealer in counts if place == table}
        dealers = (of_table.keys() | counted) - {WHOLE_TABLE}
        if WHOLE_TABLE in counted or not dealers:
            tally = whole(of_table.values())
            lines.append(ChipLine(table, WHOLE_TABLE, tally, counts.get((table, WHOLE_TABLE))))
        if counted != {WHOLE_TABLE}:
            lines += [
                ChipLine(table, dealer, of_table.get(dealer, Tally()), counts.get((table, dealer)))
                for dealer in sorted(dealers)
            ]
    return [with_causes(line, lines, told, day) for line in lines]


def latest_counts(day: date) -> dict[tuple[str, str], ChipCount]:
    """Return the count that holds of each table and dealer: the last one entered."""
    found = ChipCount.objects.filter(gaming_day=day).select_related("by").order_by("pk")
    return {(count.table, count.dealer): count for count in found}


def with_causes(line: ChipLine, lines: list[ChipLine], told: Retelling, day: date) -> ChipLine:
    """Return the line with what could explain its difference, and the exception it was put as."""
    if line.count is None or not line.difference:
        return line
    others = {
        other.dealer: other.difference
        for other in lines
        if other.table == line.table and other.dealer not in (line.dealer, WHOLE_TABLE)
    }
    late = [
        taken
        for (table, dealer), rounds in told.chips.late.items()
        if table == line.table and line.dealer in (dealer, WHOLE_TABLE)
        for taken in rounds
    ]
    evidence = told.observer.found().of([line.table])
    counted = line.count.amount
    causes = explain_count(line.table, line.tally, counted, others, late=late, evidence=evidence)
    found = ExceptionRecord.objects.filter(kind=CHIP_VARIANCE, once=line.once(day))
    exception = found.select_related("owner", "closed_by").order_by("pk").last()
    return ChipLine(line.table, line.dealer, line.tally, line.count, tuple(causes), exception)


def chip_blockers(lines: list[ChipLine]) -> list[str]:
    """Return what of the chips stands in the way of a signature."""
    found = []
    uncounted = [line.name for line in lines if line.uncounted]
    if uncounted:
        named = "; ".join(uncounted[:SHOWN])
        more = f"; and {len(uncounted) - SHOWN} more" if len(uncounted) > SHOWN else ""
        found.append(f"Progressive chips are not counted: {named}{more}.")
    found += [
        f"The chips of {line.name} differ, and nobody was told of it."
        for line in lines
        if line.difference and line.exception is None
    ]
    return found


def chip_record(line: ChipLine, day: date) -> ExceptionRecord:
    """Return the exception of a count that is not what the lock-outs say."""
    way = "more" if line.difference > 0 else "less"
    first = f" {line.causes[0].title}: {line.causes[0].sentence}" if line.causes else ""
    return ExceptionRecord(
        kind=CHIP_VARIANCE,
        severity=ExceptionRecord.Severity.ALARM,
        table=line.table,
        sentence=f"Chips of {line.name}: {cents(abs(line.difference))} {way} were counted than the "
        f"lock-outs took in.{first}",
        facts={"gaming_day": day.isoformat(), **chips_told(line)},
        once=line.once(day),
    )


def chips_told(line: ChipLine) -> dict[str, Any]:
    """Return a line as JSON."""
    return {
        "table": line.table,
        "dealer": line.dealer,
        "taken": cents(line.tally.taken),
        "returned": cents(line.tally.returned),
        "expected": cents(line.expected),
        "counted": None if line.count is None else cents(line.count.amount),
        "count_id": None if line.count is None else line.count.pk,
        "difference": None if line.count is None else cents(line.difference),
        "causes": [cause.told() for cause in line.causes],
        "exception": None if line.exception is None else line.exception.pk,
    }
