"""The figures as a table for people."""

from rich.console import Console
from rich.table import Table

from config.bench.measure import TARGETS, Figures

UNITS = {
    "plain_wagers_per_second": "wagers, one transaction each",
    "drain_wagers_per_second": "wagers drained",
    "drain_rounds_per_second": "rounds drained",
    "copy_rounds_per_second": "rounds copied, nothing else done",
    "accept_events_per_second": "events accepted, in lists",
    "check_events_per_second": "events checked",
    "rank7_hands_per_second": "hands of seven ranked",
    "phevaluator_hands_per_second": "hands of seven ranked by phevaluator",
}


def show(figures: Figures) -> None:
    """Print machine, figures and targets."""
    console = Console(highlight=False)
    facts = Table(show_header=False, box=None)
    for name, fact in figures.machine.items():
        facts.add_row(name, fact)
    console.print(facts)

    table = Table("a second", "median", "lowest to highest run")
    for name, what in UNITS.items():
        runs = figures.runs.get(name.partition("_")[0], [])
        if name.startswith("drain_wagers"):
            runs = []
        spread = f"{min(runs):,.0f} to {max(runs):,.0f}" if runs else ""
        table.add_row(what, f"{figures.rates[name]:,.0f}", spread)
    for game, value in figures.settled.items():
        table.add_row(f"settled: {game}", f"{value:,.0f}", "")
    console.print(table)
    costs = Table("processor time in microseconds", "Python", "PostgreSQL")
    for work, spent in figures.spent.items():
        costs.add_row(work.replace("_", " "), *(f"{value * 1e6:,.0f}" for value in spent.values()))
    console.print(costs)
    console.print(f"The engine starts in {figures.rates['engine_start_seconds'] * 1000:.0f} ms.")

    targets = Table("ratio", "found", "target", "")
    for name, target in TARGETS.items():
        found = figures.ratios[name]
        targets.add_row(name, f"{found:.2f}", f"{target:g}", "met" if found >= target else "missed")
    console.print(targets)
