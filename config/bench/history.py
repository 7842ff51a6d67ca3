"""``./run bench --history``: searches over 100,000 rounds and over 1,000,000, and their ratio."""

from collections.abc import Sequence
from statistics import median
from time import perf_counter
from typing import Any

import psycopg
from django.db import connection
from rich.console import Console
from rich.table import Table

from config.bench.games import SIX_CARD, terms_of
from config.bench.ground import SETUP
from config.bench.machine import facts_of_machine
from config.bench.past import POOL, Past
from config.bench.questions import questions
from config.environment import say
from config.house import House
from tables.models import GamingTable
from tables.services.finding import find
from tables.services.setup import load_setup

TABLES = 20
TURNS = 7
TARGET_MILLISECONDS = 100.0
MOST_GROWTH = 2.0  # of the pages that the median search looks at, while the history grows tenfold
GIN = "filed_by_key"


def measure_history(house: House, sizes: Sequence[int]) -> dict[str, Any]:
    """Fill the house's past to each size, and ask the same questions at each."""
    setup = {
        **SETUP,
        "tables": [{**SETUP["tables"][0], "code": f"B-{n + 1}"} for n in range(TABLES)],
    }
    load_setup(setup)
    say("Dealing and settling the rounds that the past is made of")
    tables = list(GamingTable.objects.order_by("pk"))
    past = Past(tables, terms_of(SIX_CARD), pool=min(POOL, max(sizes)))
    found: dict[int, dict[str, float]] = {}
    touched: dict[int, dict[str, int]] = {}
    filling: dict[int, float] = {}
    for size in sizes:
        say(f"Putting {size:,} rounds down")
        begun = perf_counter()
        fill(house, past, size)
        filling[size] = perf_counter() - begun
        say(f"Asking at {size:,} rounds")
        found[size] = {name: ask(asked) for name, asked in questions(past.last)}
        touched[size] = {name: pages(asked) for name, asked in questions(past.last)}
    return summed_up(house, found, touched, filling)


def fill(house: House, past: Past, size: int) -> None:
    """Put rounds down without the inverted index, and build it over all of them afterwards."""
    with psycopg.connect(house.owner_url, autocommit=True) as owner:
        [[index]] = owner.execute(
            "SELECT indexdef FROM pg_indexes WHERE indexname = %s", [GIN]
        ).fetchall()
        owner.execute(f"DROP INDEX {GIN}")
        past.go_on(size)
        owner.execute("SET maintenance_work_mem = '512MB'")
        owner.execute(index.encode())
        for table in ("tables_round", "tables_roundposition", "tables_filedround"):
            owner.execute(f"VACUUM (ANALYZE) {table}".encode())


def ask(asked: Any) -> float:
    """Return the median milliseconds of one question, once it is warm."""
    taken = []
    for _ in range(TURNS + 1):
        begun = perf_counter()
        find(asked)
        taken.append((perf_counter() - begun) * 1000)
    return median(taken[1:])


def pages(asked: Any) -> int:
    """Return how many pages of 8 KiB PostgreSQL looks at for one question: no load changes it."""
    before = pages_touched()
    find(asked)
    return pages_touched() - before


def pages_touched() -> int:
    """Return how many pages this database has looked at so far."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT blks_hit + blks_read FROM pg_stat_database WHERE datname = current_database()"
        )
        (found,) = cursor.fetchone()
        return int(found)


def summed_up(
    house: House,
    found: dict[int, dict[str, float]],
    touched: dict[int, dict[str, int]],
    filling: dict[int, float],
) -> dict[str, Any]:
    """Return all figures as one JSON object."""
    first, last = min(found), max(found)
    medians = {size: median(times.values()) for size, times in found.items()}
    growth = medians[last] / medians[first]
    more_pages = median(touched[last].values()) / median(touched[first].values())
    worst = max(found[last].values())
    return {
        "rounds": list(found),
        "questions": len(found[last]),
        "median_milliseconds": {str(size): round(value, 2) for size, value in medians.items()},
        "worst_milliseconds": {str(s): round(max(t.values()), 2) for s, t in found.items()},
        "growth": round(growth, 2),
        "median_pages": {str(size): median(looked.values()) for size, looked in touched.items()},
        "pages_growth": round(more_pages, 2),
        "filling_seconds": {str(size): round(value, 1) for size, value in filling.items()},
        "milliseconds": {
            name: [round(times[name], 2) for times in found.values()] for name in found[last]
        },
        "pages": {name: [looked[name] for looked in touched.values()] for name in found[last]},
        "targets": {"median_milliseconds": TARGET_MILLISECONDS, "growth": MOST_GROWTH},
        "met": worst < TARGET_MILLISECONDS and more_pages < MOST_GROWTH,
        "machine": facts_of_machine(house.data_dir, house.database_url),
    }


def show_history(figures: dict[str, Any]) -> None:
    """Print the figures as tables."""
    console = Console(highlight=False)
    sizes = [f"{size:,}" for size in figures["rounds"]]
    heads = [f"{what}, {size} rounds" for what in ("ms", "pages") for size in sizes]
    table = Table("median of seven", *heads)
    for name, values in figures["milliseconds"].items():
        looked = [f"{value:,}" for value in figures["pages"][name]]
        table.add_row(name, *(f"{value:.1f}" for value in values), *looked)
    for kind in ("median", "worst"):
        told = figures[f"{kind}_milliseconds"].values()
        table.add_row(f"[b]{kind} of all[/b]", *(f"[b]{value:.1f}[/b]" for value in told))
    console.print(table)
    targets, (first, *_, last) = figures["targets"], figures["rounds"]
    console.print(
        f"From {first:,} to {last:,} rounds the median search takes {figures['growth']:.2f} times"
        f" as long and looks at {figures['pages_growth']:.2f} times as many pages (target: below"
        f" {targets['growth']:g}); each below {targets['median_milliseconds']:g} ms:"
        f" {'met' if figures['met'] else 'missed'}."
    )
