"""What a close comes to in money owed, what a month comes to, and both as tables to export."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from hashlib import sha256
from typing import Any

from audit.canonical import canonical
from progressives.meters import cents
from progressives.models import GamingDayClose, Meter
from progressives.retold import NOTHING
from progressives.services.close_day import close_before
from progressives.services.close_figures import COLUMNS, Figures
from progressives.services.close_payouts import unpaid_at

MONTH_COLUMNS = COLUMNS[1:-1]


@dataclass(frozen=True)
class Owed:
    """What one meter holds: the players' money apart from the house's."""

    name: str
    purpose: str
    value: Decimal
    increment: Decimal
    seed: Decimal


@dataclass(frozen=True)
class Liability:
    """What the house owes at a day's end, and how much of it must lie ready."""

    meters: list[Owed]
    increments: Decimal
    seeds: Decimal
    reserves: Decimal
    overflows: Decimal
    unpaid: Decimal  # awards won and not paid yet

    @property
    def to_fund(self) -> Decimal:
        """Return the amount to fund: all that is the players', and what they have won already."""
        return self.increments + self.reserves + self.overflows + self.unpaid


def liability_of(figures: Figures) -> Liability:
    """Divide each meter into what players put on it and what the house did (the seed).

    An award is taken from the players' part first, so the house's is never overstated as paid out.
    Payouts count until they are paid or refused: as they stood when the day was ended.
    """
    rows = []
    for line in figures.lines:
        told = figures.told.retelling.meters.get(line.name)
        seed = NOTHING if told is None else told.seed
        rows.append(Owed(line.name, line.meter.purpose, line.expected, line.expected - seed, seed))

    def total(field: str, purpose: str) -> Decimal:
        return sum((getattr(row, field) for row in rows if row.purpose == purpose), NOTHING)

    return Liability(
        meters=rows,
        increments=total("increment", Meter.Purpose.DISPLAY),
        seeds=total("seed", Meter.Purpose.DISPLAY),
        reserves=total("value", Meter.Purpose.RESERVE),
        overflows=total("value", Meter.Purpose.OVERFLOW),
        unpaid=unpaid_at(figures.day, figures.close.fenced_at if figures.close else None),
    )


@dataclass(frozen=True)
class Month:
    """A month of closed days: one roll-forward a meter, and the days behind it."""

    first: date
    rows: list[dict[str, Any]]
    days: list[GamingDayClose]


def month_of(first: date) -> Month:
    """Roll each meter forward over a month's closed days, from their signed figures."""
    last = first.replace(day=monthrange(first.year, first.month)[1])
    closes = GamingDayClose.objects.filter(state="closed", gaming_day__range=(first, last))
    days = list(closes.order_by("gaming_day"))
    rows: dict[str, dict[str, Any]] = {}
    for close in days:
        for line in (close.figures or {}).get("lines", ()):
            row = rows.setdefault(
                line["meter"],
                {
                    "meter": line["meter"],
                    "opened": Decimal(line["opened"]),
                    **dict.fromkeys(MONTH_COLUMNS, NOTHING),
                },
            )
            for column in MONTH_COLUMNS:
                row[column] += Decimal(line[column])
            row["expected"] = Decimal(line["expected"])
    for row in rows.values():
        moved = sum((row[column] for column in MONTH_COLUMNS), NOTHING)
        row["holds"] = row["opened"] + moved == row["expected"]
    return Month(first, [rows[name] for name in sorted(rows)], days)


# ---- tables to export -----------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """A titled table with its facts above it: the same content in every format."""

    title: str
    facts: list[tuple[str, str]]
    header: list[str]
    rows: list[list[str | Decimal]]


HEADER = ["Meter", "Open", "Contributions", "Reversals", "Awards", "Resets", "Adjustments"]


def source_hash(closes: list[GamingDayClose], before: GamingDayClose | None) -> str:
    """Return the hash of the range that a report is made from: where each chain began and ended.

    A chain's link holds all before it, so the two ends fix every event between them.
    """
    ends = [[close.gaming_day.isoformat(), close.chains] for close in closes]
    return sha256(canonical({"from": before.chains if before else {}, "to": ends})).hexdigest()


def day_table(figures: Figures) -> Table:
    """Lay an ended day out for export."""
    close = figures.close
    assert close is not None  # noqa: S101  # only an ended day has a source range
    owed = liability_of(figures)
    facts = [
        ("Gaming day", figures.day.isoformat()),
        ("State", close.get_state_display()),
        ("Prepared by", str(close.prepared_by or "")),
        ("Reviewed by", str(close.reviewed_by or "")),
        ("Signed figures, SHA-256", close.digest),
        ("Source range, SHA-256", source_hash([close], close_before(figures.day))),
        ("Players' increments", cents(owed.increments)),
        ("Seed", cents(owed.seeds)),
        ("Reserves", cents(owed.reserves)),
        ("Overflows", cents(owed.overflows)),
        ("Won and not paid", cents(owed.unpaid)),
        ("Amount to fund", cents(owed.to_fund)),
    ]
    rows: list[list[str | Decimal]] = [
        [
            line.name,
            *(line.sums[column] for column in COLUMNS),
            line.ledger,
            "" if line.reading is None else line.reading.value,
            "" if line.variance is None else line.variance,
        ]
        for line in figures.lines
    ]
    header = [*HEADER, "Expected close", "Ledger", "Reading", "Variance"]
    return Table(f"Daily close {figures.day}", facts, header, rows)


def month_table(month: Month) -> Table:
    """Lay a month's roll-forward out for export."""
    before = close_before(month.first)
    facts = [
        ("Month", month.first.strftime("%Y-%m")),
        ("Closed days", str(len(month.days))),
        ("Source range, SHA-256", source_hash(month.days, before)),
    ]
    rows: list[list[str | Decimal]] = [
        [row["meter"], row["opened"], *(row[c] for c in MONTH_COLUMNS), row["expected"]]
        for row in month.rows
    ]
    return Table(f"Roll-forward {month.first:%Y-%m}", facts, [*HEADER, "Close"], rows)
