"""A gaming day's close on a terminal: the content of its page, a sum a line."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from progressives.causes import Cause
from progressives.meters import cents
from progressives.services.close_chips import ChipLine
from progressives.services.close_figures import COLUMNS, Figures, Line
from progressives.services.close_payouts import payouts_of
from progressives.services.close_report import liability_of

MOST_BLOCKERS = 30


def close_on_paper(figures: Figures) -> Iterator[RenderableType]:
    """Yield the parts of the close, one after the other."""
    close = figures.close
    state = "still running" if close is None else close.get_state_display().lower()
    yield Text(f"Gaming day {figures.day}: {state}", style="bold")
    for line in figures.lines:
        yield meter_table(line)
    if figures.chips:
        yield chips_table(figures.chips)
    for line in figures.lines:
        if line.causes:
            yield causes_of(line.name, line.causes)
    for rack in figures.chips:
        if rack.causes:
            yield causes_of(f"Chips of {rack.name}", rack.causes)
    yield money_table(figures)
    if close is not None:
        for step in close.steps.select_related("by").order_by("pk"):
            said = f": {step.reason}" if step.reason else ""
            yield Text(f"{step.get_kind_display()} by {step.by}, {step.at:%Y-%m-%d %H:%M}Z{said}")
    yield blockers_of(figures)


def money(amount: Decimal) -> str:
    """Write an amount with its thousands apart, exact to the last decimal."""
    return f"{Decimal(cents(amount)):,f}"


def meter_table(line: Line) -> Table:
    """Lay one meter out."""
    table = Table(title=line.name, title_justify="left", show_header=False)
    table.add_column(min_width=16)
    table.add_column(justify="right", min_width=16)
    for column in COLUMNS:
        style = "bold" if column == "expected" else ""
        table.add_row(column.capitalize(), money(line.sums[column]), style=style)
    if line.late:
        table.add_row("of it late", money(line.late))
    if line.ledger_gap:
        table.add_row("Ledger", money(line.ledger), style="red")
    reading = "not read" if line.reading is None else money(line.reading.value)
    table.add_row("Reading", "–" if line.reading is None and not line.unread else reading)
    if line.variance or line.ledger_gap:
        told = f"{line.variance:+f}" if line.variance else f"{line.ledger_gap:+f}"
        table.add_row("Variance", told + (" explained" if line.explained else ""), style="red")
    elif line.reading is not None:
        table.add_row("Variance", "none", style="green")
    return table


def chips_table(lines: list[ChipLine]) -> Table:
    """Lay out what was counted; who has not counted yet is not told what must lie there."""
    table = Table(title="Progressive chips", title_justify="left")
    table.add_column("table")
    table.add_column("dealer")
    for name in ("lock-outs", "returned", "counted", "difference"):
        table.add_column(name, justify="right")
    sound = [line for line in lines if line.count is not None and not line.difference]
    for line in lines:
        if line in sound:
            continue
        if line.count is None:
            table.add_row(line.table, line.dealer or "all", "", "", "not counted", "")
            continue
        taken, returned = f"{line.tally.taken:,.2f}", f"{line.tally.returned:,.2f}"
        told = f"{line.difference:+,.2f}" + (" explained" if line.explained else "")
        counted = f"{line.count.amount:,.2f}"
        table.add_row(line.table, line.dealer or "all", taken, returned, counted, told)
    if sound:
        kept = sum(line.expected for line in sound)
        table.add_row(f"{len(sound)} counts", "", f"{kept:,.2f}", "", f"{kept:,.2f}", "none")
    return table


def causes_of(name: str, causes: Sequence[Cause]) -> Text:
    """Say why a meter or a rack is off, likeliest first."""
    told = Text(f"{name} is off:", style="bold red")
    for number, cause in enumerate(causes, 1):
        told.append(f"\n  {number}. {cause.title}: {cause.sentence}", style="not bold default")
    return told


def money_table(figures: Figures) -> Table:
    """Lay payouts and liability out."""
    table = Table(title="Payouts and liability", title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for row in payouts_of(figures.day):
        said = f"{row.count} × {row.kind.lower()}, {row.state.lower()}, {row.slips} slips"
        table.add_row(said, f"{row.amount:,.2f}")
    owed = liability_of(figures)
    table.add_section()
    for name, amount in (
        ("Players' increments", owed.increments),
        ("Reserves", owed.reserves),
        ("Overflows", owed.overflows),
        ("Won and not paid", owed.unpaid),
        ("Amount to fund", owed.to_fund),
        ("Seed", owed.seeds),
    ):
        table.add_row(name, money(amount), style="bold" if name == "Amount to fund" else "")
    return table


def blockers_of(figures: Figures) -> Text:
    """Say what must be dealt with before the day can be signed."""
    if not figures.blockers:
        return Text("Nothing blocks the signature.", style="green")
    told = Text(f"To be dealt with first: {len(figures.blockers)}", style="bold red")
    for blocker in figures.blockers[:MOST_BLOCKERS]:
        owner = ""
        if blocker.exception is not None:
            owner = f" [{blocker.exception.pk}, owned by {blocker.exception.owner or 'nobody'}]"
        told.append(f"\n  - {blocker.sentence}{owner}", style="not bold default")
    if len(figures.blockers) > MOST_BLOCKERS:
        told.append(f"\n  and {len(figures.blockers) - MOST_BLOCKERS} more")
    return told
