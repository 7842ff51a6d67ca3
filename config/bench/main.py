"""The verb: a house of its own in a temporary folder, all figures in one run, then a table."""

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from config.environment import say
from config.house import House


def main(arguments: Sequence[str]) -> int:
    """Measure and report; with ``--check`` a figure below its target is a failure."""
    parser = argparse.ArgumentParser(
        prog="./run bench",
        description="Measures the drain of one busy lane against one transaction a wager and "
        "against a bare COPY of the same rows, and the rules engine by itself.",
    )
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="for each of the three ways (default: 10)"
    )
    parser.add_argument(
        "--history",
        action="store_true",
        help="instead: search 100,000 rounds and 1,000,000, put down first (some minutes)",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        nargs=2,
        default=(100_000, 1_000_000),
        metavar=("FEW", "MANY"),
        help="how many rounds --history searches, first and then",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, no table")
    parser.add_argument("--check", action="store_true", help="fail where a target is not met")
    options = parser.parse_args(arguments)
    if not 0 < options.rounds[0] < options.rounds[1]:
        parser.error("--rounds takes two numbers above zero, the smaller one first")
    if options.seconds <= 0:
        parser.error("--seconds takes a number above zero")
    folder = Path(tempfile.mkdtemp(prefix="progressives-bench-"))
    folder.chmod(0o755)  # as root, PostgreSQL runs as nobody and must get through
    try:
        with House(folder / "data", outside={}) as house:
            say("Starting a PostgreSQL of our own")
            house.start()
            os.environ.update(house.environment())
            if options.history:
                figures, met = searched(house, options.rounds, table=not options.json)
            else:
                figures, met = measured(house, options.seconds, table=not options.json)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if options.json:
        json.dump(figures, sys.stdout, indent=1)
        sys.stdout.write("\n")
    return 1 if options.check and not met else 0


def measured(house: House, seconds: float, *, table: bool) -> tuple[dict[str, object], bool]:
    """Return the figures and whether every target is met; show them as a table if asked to."""
    import django  # noqa: PLC0415  # only now does the environment name the servers

    django.setup()
    from config.bench.measure import measure  # noqa: PLC0415
    from config.bench.report import show  # noqa: PLC0415

    figures = measure(house, seconds)
    if table:
        show(figures)
    return figures.told(), figures.met


def searched(house: House, rounds: Sequence[int], *, table: bool) -> tuple[dict[str, object], bool]:
    """Return the figures of the searches and whether their targets are met."""
    import django  # noqa: PLC0415  # as above

    django.setup()
    from config.bench.history import measure_history, show_history  # noqa: PLC0415

    figures = measure_history(house, rounds)
    if table:
        show_history(figures)
    return figures, figures["met"]
