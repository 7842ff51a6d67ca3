"""Several progressives at a table, and a progressive at tables of different games."""

import json
from copy import deepcopy
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from config.supervisor import BASE_DIR
from progressives.models import LinkStatement, Progressive
from tables.models import GamingTable, TableProgressive
from tables.services.setup import load_setup
from tables.services.setup_part import SetupRefused

pytestmark = pytest.mark.django_db


@pytest.fixture
def sample() -> Any:
    return json.loads((BASE_DIR / "config" / "sample" / "setup.json").read_text())


def mystery(**changes: Any) -> dict[str, Any]:
    return {
        "code": "MYSTERY",
        "wager_unit": "1.00",
        "levels": [
            {
                "code": "mini",
                "initial": "20.00",
                "reset": "20.00",
                "increment_percent": "5",
                "must_hit_from": "30.00",
                "must_hit_by": "50.00",
            }
        ],
        **changes,
    }


def blackjack(**changes: Any) -> dict[str, Any]:
    feeds = [{"progressive": "MYSTERY", "wager": "main"}]
    table = {"code": "FB-01", "game": "free_bet_blackjack", "positions": 6, "also_feeds": feeds}
    return {**table, **changes}


def linked(sample: Any, **changes: Any) -> Any:
    """The sample with a mystery at its first table and at one of another game."""
    sample["progressives"].append(mystery(**changes))
    sample["tables"][0]["also_feeds"] = [{"progressive": "MYSTERY", "wager": "progressive"}]
    sample["tables"].append(blackjack())
    return sample


WAIVER = {"kind": "waiver", "text": "Won by reaching an amount; no hand is compared."}


def test_different_games_are_linked_only_with_a_recorded_reason(sample: Any) -> None:
    with pytest.raises(SetupRefused, match="links tables of another game") as refusal:
        load_setup(linked(deepcopy(sample)))
    assert refusal.value.code == "different_games"
    assert not GamingTable.objects.exists()

    load_setup(linked(sample, different_games=WAIVER))
    statement = LinkStatement.objects.get()
    assert (statement.progressive.code, statement.kind, statement.text) == (
        "MYSTERY",
        "waiver",
        WAIVER["text"],
    )
    assert load_setup(sample).made == []  # the same file again


def test_a_table_and_all_its_progressives_share_a_lane(sample: Any) -> None:
    load_setup(linked(sample, different_games=WAIVER))
    own = GamingTable.objects.select_related("lane", "progressive").get(
        code=sample["tables"][0]["code"]
    )
    mystery = Progressive.objects.get(code="MYSTERY")
    assert own.progressive is not None
    assert own.lane_id == own.progressive.lane_id == mystery.lane_id
    assert GamingTable.objects.get(code="FB-01").lane_id == own.lane_id


def test_what_is_played_in_two_lanes_is_not_joined_by_a_file(sample: Any) -> None:
    load_setup(sample)
    joined = deepcopy(sample)
    joined["progressives"].append(mystery())
    codes = sorted({t["progressive"] for t in sample["tables"] if t.get("progressive")})[:2]
    for number, code in enumerate(codes):
        like = next(t for t in sample["tables"] if t.get("progressive") == code)
        feeds = [{"progressive": "MYSTERY", "wager": "progressive"}]
        joined["tables"].append({**like, "code": f"NEW-{number}", "also_feeds": feeds})
    with pytest.raises(SetupRefused, match="they stay apart") as refusal:
        load_setup(joined)
    assert refusal.value.code == "two_lanes"


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("bad_value", {"must_hit_from": "20.00"}),
        ("bad_value", {"must_hit_by": "30.00"}),
        ("bad_value", {"limit": "60.00"}),
        ("bad_value", {"reserve_percent": "1"}),
        ("missing_key", {"must_hit_by": None}),
    ],
)
def test_bounds_that_no_draw_could_keep_are_refused(
    sample: Any, code: str, change: dict[str, Any]
) -> None:
    made = mystery()
    made["levels"][0] |= change
    sample["progressives"].append(made)
    with pytest.raises(SetupRefused) as refusal:
        load_setup(sample)
    assert refusal.value.code == code


@pytest.mark.parametrize(
    ("code", "feeds"),
    [
        ("unknown_wager", {"progressive": "MYSTERY", "wager": "double_down"}),
        ("unknown_wager", {"progressive": "MYSTERY", "wager": "ante"}),
        ("unknown_progressive", {"progressive": "NOBODY", "wager": "main"}),
        ("bad_value", {"progressive": "RIVER-1", "wager": "main"}),
    ],
)
def test_a_table_feeds_only_what_it_can(sample: Any, code: str, feeds: dict[str, str]) -> None:
    sample["progressives"].append(mystery())
    table = next(t for t in sample["tables"] if t.get("progressive") != "RIVER-1")
    table["also_feeds"] = [feeds]
    with pytest.raises(SetupRefused) as refusal:
        load_setup(sample)
    assert refusal.value.code == code


def test_a_hand_wins_no_level_that_must_hit(sample: Any) -> None:
    rows = [{"hand": "royal_flush", "pays": "100% of mini"}]
    sample["progressives"].append(mystery(paytables={"A": rows}))
    with pytest.raises(SetupRefused, match="no hand such as royal_flush wins it"):
        load_setup(sample)


def test_postgresql_refuses_a_link_across_lanes_or_games(sample: Any) -> None:
    """Past the set-up: the tables' rows themselves."""
    load_setup(linked(sample, different_games=WAIVER))
    mine = GamingTable.objects.get(code=sample["tables"][0]["code"])
    apart = GamingTable.objects.exclude(lane=mine.lane).exclude(progressive=None).first()
    assert apart is not None
    with pytest.raises(DatabaseError, match="in one lane"), transaction.atomic():
        TableProgressive.objects.create(
            table=mine, progressive_id=apart.progressive_id, wager="main"
        )
    with pytest.raises(DatabaseError, match="in one lane"), transaction.atomic():
        GamingTable.objects.filter(pk=mine.pk).update(progressive=apart.progressive_id)
    with pytest.raises(DatabaseError, match="links different games"), transaction.atomic():
        GamingTable.objects.filter(pk=mine.pk).update(game="pai_gow")
