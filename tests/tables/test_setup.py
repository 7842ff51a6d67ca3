"""A set-up file is loaded whole or not at all, adds once, and changes nothing that is there."""

import json
from collections.abc import Callable
from copy import deepcopy
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from audit.models import AuditEvent
from config.supervisor import BASE_DIR
from progressives.models import Lane, Meter, MeterEntry, Progressive
from progressives.services.reconcile import reconcile
from tables.models import Facility, GamingTable, Round, RulesSubmission, TableCursor
from tables.services.setup import load_setup
from tables.services.setup_file import SetupRefused, read_setup
from tables.services.terms import TermsBook

pytestmark = pytest.mark.django_db

SAMPLE = BASE_DIR / "config" / "sample" / "setup.json"
SIX_CARD = "six_card_fortune_pai_gow"


@pytest.fixture
def sample() -> Any:
    return json.loads(SAMPLE.read_text())


def refused(document: Any) -> SetupRefused:
    with pytest.raises(SetupRefused) as refusal:
        load_setup(document)
    assert not Facility.objects.exists(), "something was loaded all the same"
    return refusal.value


# ---- what a file makes ----------------------------------------------------------------------


def test_the_sample_makes_a_house(sample: Any) -> None:
    loaded = load_setup(sample)

    assert (len(loaded.made), loaded.unchanged) == (8, 0)
    facility = Facility.objects.get()
    assert (facility.pk, facility.gaming_day_starts.hour) == (1, 6)
    assert GamingTable.objects.count() == TableCursor.objects.count() == 4
    assert set(TableCursor.objects.values_list("expected", flat=True)) == {1}
    terms = TermsBook().at(
        GamingTable.objects.get(code="SC-21"), AuditEvent.objects.get().recorded_at
    )
    assert (terms.positions, terms.progressive_unit) == (6, Decimal("5.00"))
    assert terms.submission.version == "sample-1"


def test_linked_tables_share_the_lane_of_their_progressive(sample: Any) -> None:
    del sample["tables"][2]["progressive"]
    load_setup(sample)
    lanes = dict(GamingTable.objects.values_list("code", "lane__name"))
    assert lanes == {"SC-11": "RIVER-1", "SC-12": "RIVER-1", "SC-13": "SC-13", "SC-21": "RIVER-5"}


def test_a_meter_comes_to_its_initial_amount_through_its_ledger(sample: Any) -> None:
    load_setup(sample)

    meter = Meter.objects.get(progressive__code="RIVER-1")
    entry = MeterEntry.objects.get(meter=meter)
    assert (entry.sequence, entry.kind, entry.before) == (1, "initial", 0)
    assert meter.value == entry.after == Decimal("14250.00")
    assert all(found.ok for found in reconcile())


def test_the_log_tells_the_whole_file_and_every_entry(sample: Any) -> None:
    load_setup(sample)

    event = AuditEvent.objects.get()
    told = json.loads(bytes(event.body))
    assert (event.chain.name, told["action"], told["by"]) == ("system", "tables.setup_loaded", None)
    assert told["facts"]["document"] == sample
    assert [(e["progressive"], e["after"]) for e in told["facts"]["entries"]] == [
        ("RIVER-1", "14250.000000"),
        ("RIVER-5", "31875.500000"),
    ]


def test_the_same_file_again_changes_and_logs_nothing(sample: Any) -> None:
    load_setup(sample)
    loaded = load_setup(sample)
    assert (loaded.made, loaded.unchanged) == ([], 8)
    assert AuditEvent.objects.count() == 1
    assert MeterEntry.objects.count() == 2


def test_a_later_file_adds_a_table_to_a_lane_that_is_there(sample: Any) -> None:
    load_setup(sample)
    sample["tables"].append({**sample["tables"][0], "code": "SC-14"})
    assert load_setup(sample).made == ["table SC-14"]
    assert GamingTable.objects.get(code="SC-14").lane.name == "RIVER-1"


def test_a_gaming_day_may_start_at_a_minute(sample: Any) -> None:
    sample["facility"]["gaming_day_starts"] = "05:45"
    load_setup(sample)
    assert Facility.objects.get().gaming_day_starts.minute == 45


def test_notes_of_the_writer_are_left_alone(sample: Any) -> None:
    sample["_note"] = sample["tables"][0]["_note"] = "moved in spring"
    assert len(load_setup(sample).made) == 8


# ---- what a file may not change -------------------------------------------------------------

Change = Callable[[Any], Any]


@pytest.mark.parametrize(
    ("path", "change", "says"),
    [
        (
            "progressives[0].levels[0].reset",
            lambda s: s["progressives"][0]["levels"][0].update(reset="6000.00"),
            "with reset 5000.00; the file says 6000.00",
        ),
        (
            "progressives[0].levels[0].increment_percent",
            lambda s: s["progressives"][0]["levels"][0].update(increment_percent="20"),
            "with increment_percent 21.00; the file says 20.00",
        ),
        (
            "progressives[0].wager_unit",
            lambda s: (
                s["progressives"][0].update(wager_unit="5.00")
                or s["progressives"][0]["levels"][0].update(initial="25000.00", reset="25000.00")
            ),
            "with wager_unit 1.00; the file says 5.00",
        ),
        (
            "tables[0].game",
            lambda s: s["tables"][0].update(game="pai_gow"),
            "Table SC-11 is set up with game six_card_fortune_pai_gow; the file says pai_gow",
        ),
        (
            "tables[0].progressive",
            lambda s: s["tables"][0].update(progressive=None),
            "with progressive RIVER-1; the file says none",
        ),
        (
            "tables[0].positions",
            lambda s: s["tables"][0].update(positions=5),
            "with positions 6; the file says 5",
        ),
        (
            "facility.time_zone",
            lambda s: s["facility"].update(time_zone="America/Chicago"),
            "with time_zone America/New_York",
        ),
        (
            "rules_submissions[0]",
            lambda s: s["rules_submissions"][0].update(wagers=["main"]),
            "a changed submission takes a version of its own",
        ),
    ],
)
def test_a_difference_from_what_is_set_up_is_refused_with_both_values(
    sample: Any, path: str, change: Change, says: str
) -> None:
    load_setup(sample)
    changed = deepcopy(sample)
    change(changed)
    changed["tables"].append({**sample["tables"][1], "code": "SC-99"})

    with pytest.raises(SetupRefused) as refusal:
        load_setup(changed)

    assert (refusal.value.code, refusal.value.path) == ("already_set_up", path)
    assert says in refusal.value.detail
    assert not GamingTable.objects.filter(code="SC-99").exists()
    assert Meter.objects.get(progressive__code="RIVER-1").reset == 5000


def test_a_new_version_of_a_submission_is_recorded_beside_the_old_one(sample: Any) -> None:
    load_setup(sample)
    newer = {**sample["rules_submissions"][0], "version": "sample-2", "effective": "2027-01-01"}
    sample["rules_submissions"].append(newer)
    assert load_setup(sample).made == [f"submission {SIX_CARD} sample-2"]
    assert RulesSubmission.objects.count() == 2


def test_a_submission_for_a_day_that_has_one_is_refused(sample: Any) -> None:
    load_setup(sample)
    sample["rules_submissions"][0]["version"] = "sample-2"
    with pytest.raises(SetupRefused, match="submission sample-1 holds"):
        load_setup(sample)


def test_601a_2_a_submission_does_not_reach_back_over_rounds_that_were_settled(sample: Any) -> None:
    load_setup(sample)
    table = GamingTable.objects.get(code="SC-11")
    Round.objects.create(
        id="00000000-0000-4000-8000-000000000001",
        table=table,
        number=1,
        game=SIX_CARD,
        state="settled",
        rules="x",
        lane_number=1,
        gaming_day="2026-05-02",
        occurred_at="2026-05-02T12:00:00Z",
    )
    newer = {**sample["rules_submissions"][0], "version": "sample-2", "effective": "2026-05-02"}
    sample["rules_submissions"].append(newer)
    with pytest.raises(SetupRefused) as refusal:
        load_setup(sample)
    assert refusal.value.code == "already_played"


# ---- what no file may say -------------------------------------------------------------------


def put(path: str, value: Any) -> Change:
    """Return a change that puts a value at a path such as ``tables[0].code``."""
    parts = path.replace("[", ".").replace("]", "").split(".")
    *steps, last = [int(part) if part.isdigit() else part for part in parts]

    def change(document: Any) -> None:
        for step in steps:
            document = document[step]
        document[last] = value

    return change


@pytest.mark.parametrize(
    ("code", "path", "value"),
    [
        ("bad_value", "spec", "setup/2"),
        ("wrong_type", "tables", {}),
        ("unknown_key", "colour", "green"),
        ("unknown_key", "facility.city", "Two Rivers"),
        ("unknown_key", "progressives[0].color", "red"),
        ("unknown_key", "progressives[0].levels[0].seed", "5000.00"),
        ("unknown_key", "tables[0].seats", 6),
        ("unknown_key", "rules_submissions[0].wager", []),
        ("bad_value", "rules_submissions[0].wagers[0]", "mainn"),
        ("bad_value", "rules_submissions[0].effective", "2026-02-30"),
        ("bad_value", "rules_submissions[0].effective", 20260101),
        ("bad_time_zone", "facility.time_zone", "America/Two_Rivers"),
        ("bad_time_zone", "facility.time_zone", "../UTC"),
        ("bad_time", "facility.gaming_day_starts", "6:00"),
        ("bad_time", "facility.gaming_day_starts", "24:00"),
        ("bad_value", "facility.name", "  "),
        ("bad_money", "progressives[0].wager_unit", 1),
        ("bad_money", "progressives[0].levels[0].initial", 14250.0),
        ("bad_money", "progressives[0].levels[0].initial", "14250"),
        ("bad_money", "progressives[0].levels[0].initial", "-14250.00"),
        ("bad_money", "progressives[0].levels[0].reset", "0.00"),
        ("bad_percent", "progressives[0].levels[0].increment_percent", "0"),
        ("bad_percent", "progressives[0].levels[0].increment_percent", "100.5"),
        ("bad_percent", "progressives[0].levels[0].increment_percent", 21),
        ("bad_value", "progressives[0].levels", []),
        ("progressive_unit", "progressives[0].wager_unit", "2.00"),
        ("unknown_game", "tables[0].game", "baccarat"),
        ("bad_positions", "tables[0].positions", 7),
        ("bad_positions", "tables[0].positions", 0),
        ("wrong_type", "tables[0].positions", "6"),
        ("wrong_type", "tables[0].positions", True),
        ("bad_value", "tables[0].code", "SC 11"),
        ("bad_value", "tables[0].code", "SC-11111111111111"),
        ("duplicate_code", "tables[1].code", "SC-11"),
        ("duplicate_code", "progressives[1].code", "RIVER-1"),
        ("unknown_progressive", "tables[0].progressive", "RIVER-9"),
    ],
)
def test_a_file_that_does_not_hold_together_is_refused_with_its_place(
    sample: Any, code: str, path: str, value: Any
) -> None:
    put(path, value)(sample)
    refusal = refused(sample)
    assert (refusal.code, refusal.path) == (code, path)
    assert refusal.detail.endswith(".")


def test_a_missing_key_is_named(sample: Any) -> None:
    del sample["tables"][3]["positions"]
    assert (refused(sample).code, refused(sample).path) == ("missing_key", "tables[3].positions")


@pytest.mark.parametrize("name", ["initial", "reset"])
def test_670a_12_d_2_the_amounts_are_at_least_5000_dollars(sample: Any, name: str) -> None:
    path = f"progressives[0].levels[0].{name}"
    put(path, "4999.99")(sample)
    refusal = refused(sample)
    assert (refusal.code, refusal.path) == ("seed_too_small", path)
    assert "at least $5,000.00" in refusal.detail
    assert refusal.cite
    assert refusal.cite.startswith("§ 670a.12(d)")


@pytest.mark.parametrize("name", ["initial", "reset"])
def test_670a_12_d_1_the_seed_is_5000_for_one(sample: Any, name: str) -> None:
    put(f"progressives[1].levels[0].{name}", "24999.99")(sample)
    assert "at least $25,000.00" in refused(sample).detail


def test_a_game_without_a_progressive_wager_is_linked_to_none(sample: Any) -> None:
    sample["tables"][0].update(game="lunar_poker", positions=5)
    assert refused(sample).path == "tables[0].progressive"


def test_lunar_poker_has_five_positions_at_most(sample: Any) -> None:
    sample["tables"][0] = {"code": "LU-1", "game": "lunar_poker", "positions": 6}
    assert refused(sample).path == "tables[0].positions"
    sample["tables"][0]["positions"] = 5
    assert read_setup(sample).tables[0].pit == ""


def test_a_table_of_its_own_lane_may_not_be_called_like_a_progressive(sample: Any) -> None:
    sample["tables"].append({"code": "RIVER-1", "game": "lunar_poker", "positions": 5})
    assert refused(sample).path == "tables[4].code"


def test_a_lane_that_belongs_to_somebody_else_is_not_taken(sample: Any) -> None:
    Lane.objects.create(name="RIVER-5")
    assert refused(sample).path == "progressives[1].code"
    assert not Progressive.objects.exists()


# ---- the command ----------------------------------------------------------------------------


def test_the_command_says_what_it_made(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("load_setup", SAMPLE)
    call_command("load_setup", SAMPLE)
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "made facility Two Rivers Casino (sample)"
    assert told[-2:] == ["8 made, 0 as they were.", "0 made, 8 as they were."]


def test_the_command_refuses_with_code_place_and_sentence(tmp_path: Path, sample: Any) -> None:
    put("progressives[0].levels[0].reset", "1000.00")(sample)
    path = tmp_path / "setup.json"
    path.write_text(json.dumps(sample))
    with pytest.raises(CommandError, match=r"seed_too_small at .*reset: The reset amount must"):
        call_command("load_setup", path)


def test_the_command_refuses_a_key_that_stands_twice(tmp_path: Path) -> None:
    path = tmp_path / "setup.json"
    path.write_text('{"spec": "setup/1", "spec": "setup/1"}')
    with pytest.raises(CommandError, match="duplicate_key"):
        call_command("load_setup", path)


def test_the_command_names_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("load_setup", tmp_path / "none.json")
