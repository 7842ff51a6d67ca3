"""Counts of a table's progressive chips, entered by who counted them or imported from a file."""

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from audit.models import User
from audit.services import SYSTEM, log_event, record
from progressives import close_errors
from progressives.meters import cents
from progressives.models import ChipCount
from progressives.services.claims import step
from progressives.services.close_figures import figures_of
from progressives.services.close_persons import must_be_allowed_to
from progressives.services.close_readings import (
    lock_draft,
    put_before_a_person,
    read_rows,
    read_value,
)

LARGEST = Decimal("9999999999.99")
CODE = 16  # characters of a table's and of a dealer's code


class Counted(NamedTuple):
    """What a person counted: of one dealer's rounds, or of the whole table where none is named."""

    table: str
    dealer: str
    amount: str


@step
def enter_counts(
    *, day: date, by: User, counts: Iterable[Counted], source: str = ""
) -> list[ChipCount]:
    """Enter what was counted of each table's progressive chips, and name what differs.

    An empty amount is left out. Each difference from the lock-outs becomes an exception with its
    causes, which blocks the close until a person closes it with a reason. A later count of the
    same table and dealer takes the place of an earlier one, which stays on record.
    """
    must_be_allowed_to(by, "prepare")
    lock_draft(day)
    known = {line.table for line in figures_of(day).chips}
    made: list[ChipCount] = []
    for table, dealer, told in counts:
        if not told.strip():
            continue
        if table not in known:
            raise close_errors.CountRefused(
                f"No table called {table[:CODE]!r} took progressive wagers on this day."
            )
        if len(dealer) > CODE:
            raise close_errors.CountRefused(f"{dealer[:CODE]}… is no dealer's code.")
        amount = read_amount(told, f"{table} {dealer}".strip())
        made.append(ChipCount(gaming_day=day, table=table, dealer=dealer, amount=amount, by=by))
    if not made:
        raise close_errors.CountRefused("No count was given.")
    if len({(count.table, count.dealer) for count in made}) < len(made):
        raise close_errors.CountRefused("A table and dealer stand in the list twice.")
    ChipCount.objects.bulk_create(made)
    put_before_a_person(day)
    told_counts = [[count.table, count.dealer, cents(count.amount)] for count in made]
    facts = {"counts": told_counts, "gaming_day": day.isoformat(), "source": source[:120]}
    record(SYSTEM, [log_event("progressives.chips_counted", str(day), facts, by=by)])
    return made


def read_amount(told: str, place: str) -> Decimal:
    """Return an amount of chips in dollars and cents."""
    amount = read_value(told, place)
    if amount != amount.quantize(Decimal("0.01")) or amount > LARGEST:
        raise close_errors.CountRefused(f"{told!r} is not an amount of chips ({place}).")
    return amount


def import_counts(*, day: date, by: User, content: bytes, name: str) -> list[ChipCount]:
    """Enter the counts of a CSV file: columns ``table``, ``amount`` and, if wanted, ``dealer``."""
    rows = read_rows(content, ("table", "amount"))
    counts = []
    for number, row in rows:
        read_amount(row["amount"], f"line {number}")
        counts.append(Counted(row["table"].strip(), row.get("dealer", "").strip(), row["amount"]))
    return enter_counts(day=day, by=by, counts=counts, source=name)
