"""``./run bench --history``: over a short past it asks every question and leaves nothing."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from config.bench.games import SIX_CARD, terms_of
from config.bench.past import Past
from config.supervisor import BASE_DIR
from tables.findable import Asked, Filed, key
from tables.models import FiledRound, GamingTable, Round
from tables.services.filing import seats_of
from tables.services.finding import find
from tables.services.setup import load_setup
from tests.documents import SETUP

OF_THE_ROUND = ("number", "game", "state", "dealer", "floorperson", "occurred_at", "meters")


def test_a_short_past_is_asked_everything(make_folder: Callable[..., Path]) -> None:
    folder = make_folder()
    done = subprocess.run(
        [sys.executable, "-m", "config.front", "bench", "--history", "--json"]
        + ["--rounds", "300", "900"],
        cwd=BASE_DIR,
        env={**os.environ, "TMPDIR": os.fspath(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["rounds"] == [300, 900]
    assert figures["questions"] == len(figures["milliseconds"]) == len(figures["pages"]) >= 20
    assert all(few > 0 and many > 0 for few, many in figures["milliseconds"].values())
    assert figures["worst_milliseconds"]["900"] >= figures["median_milliseconds"]["900"] > 0
    assert list(folder.iterdir()) == []


def test_a_round_of_the_past_is_filed_as_the_house_files_it(db: None) -> None:
    load_setup(SETUP)
    past = Past(list(GamingTable.objects.order_by("pk")), terms_of(SIX_CARD), pool=20)
    past.go_on(60)
    assert Round.objects.count() == FiledRound.objects.count() == 60
    for round_ in Round.objects.select_related("table", "filed"):
        told: dict[str, Any] = {name: getattr(round_, name) for name in OF_THE_ROUND}
        seats = seats_of([round_.pk])[round_.pk]
        flags = {flag["code"] for flag in round_.flags}
        filed = Filed(table=round_.table.code, seats=seats, flags=flags, **told)
        missing = set(filed.keys()) - set(round_.filed.keys)
        assert missing == set(), round_
        assert key("player", seats[0].player) in round_.filed.keys
        found = find(Asked(table=round_.table.code, round=round_.number))
        assert [match.round.pk for match in found.matches] == [round_.pk]
