"""``./run bench``: that it measures what it says, in a house of its own, and leaves nothing."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from config.supervisor import BASE_DIR
from tables.rules import SUPPORTED_GAMES

RATES = [
    *("plain_wagers_per_second", "drain_wagers_per_second", "drain_rounds_per_second"),
    *("copy_rounds_per_second", "accept_events_per_second", "check_events_per_second"),
    *("rank7_hands_per_second", "phevaluator_hands_per_second"),
]


def test_a_short_run_tells_every_figure_as_json(make_folder: Callable[..., Path]) -> None:
    folder = make_folder()
    done = subprocess.run(
        [sys.executable, "-m", "config.front", "bench", "--json", "--seconds", "0.2"],
        cwd=BASE_DIR,
        env={**os.environ, "TMPDIR": os.fspath(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)

    assert all(figures[name] > 0 for name in RATES)
    assert set(figures["settle_rounds_per_second"]) == set(SUPPORTED_GAMES)
    assert min(figures["settle_rounds_per_second"].values()) > 0
    assert 0 < figures["engine_start_seconds"] < 1
    ratio = figures["drain_wagers_per_second"] / figures["plain_wagers_per_second"]
    assert abs(figures["drain_vs_plain"] - ratio) < 0.1
    assert 0 < figures["drain_vs_copy"] < 1
    spent = figures["processor_microseconds"]
    assert spent["drain_round"]["python"] > spent["copy_round"]["python"] > 0
    assert figures["machine"]["settings"].startswith("fsync on, synchronous_commit on")
    assert set(figures["targets"]) == {"drain_vs_plain", "drain_vs_copy", "rank7_vs_phevaluator"}
    assert list(folder.iterdir()) == []
