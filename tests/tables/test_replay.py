"""A whole day through the real doors, against what the pure engine alone says it comes to."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from audit.models import AuditEvent
from progressives.models import JackpotClaim, Meter
from tables.models import AccessKey, TableEvent
from tests import days
from tests.databases import RunningHouse

EXPECTED = json.loads(days.EXPECTED.read_text())


@pytest.fixture
def loaded(house: RunningHouse) -> RunningHouse:
    call_command("load_setup", days.SETUP, stdout=StringIO())
    return house


def replay(house: RunningHouse, path: Path) -> Any:
    told = StringIO()
    call_command("replay", path, url=house.web_url, json=True, stdout=told)
    return json.loads(told.getvalue())


def test_the_expected_figures_are_the_pure_engines() -> None:
    events = days.read_lines(days.EVENTS)
    assert days.expected_of(json.loads(days.SETUP.read_text()), events) == EXPECTED
    awards = EXPECTED["meter_claims"]
    assert {award["hand"] for award in awards} == {"royal_flush", "five_aces"}
    assert awards[0]["round"] == awards[1]["round"], "the day should hold two awards in one round"


def test_a_day_comes_to_the_same_to_the_last_fraction_and_again(
    loaded: RunningHouse, capsys: pytest.CaptureFixture[str]
) -> None:
    done = loaded.manage("replay", str(days.EVENTS), "--json")
    assert done.returncode == 0, done.stderr
    first = json.loads(done.stdout)
    assert {key: first[key] for key in EXPECTED} == EXPECTED
    assert (first["refused"], first["held"], first["waiting"]) == ([], 0, 0)
    assert first["audit"]["verified"]
    at_start = AuditEvent.objects.filter(action="progressives.meters_read").count()
    events = EXPECTED["events_applied"] + 3 + at_start  # set-up, key made, revoked
    assert first["audit"]["events"] in (events, events + 1)  # beat's signer may have begun

    again = replay(loaded, days.EVENTS)
    assert {key: again[key] for key in EXPECTED} == EXPECTED
    assert again["audit"]["events"] in (events + 2, events + 3)
    assert JackpotClaim.objects.count() == EXPECTED["claims"]
    assert not AccessKey.objects.filter(revoked_at=None).exists()

    summary = loaded.manage("day_summary", "--json")
    assert summary.returncode == 0, summary.stdout
    told = json.loads(summary.stdout)
    assert (told["rounds"], told["voids"]) == (EXPECTED["rounds"], EXPECTED["voids"])
    assert told["ok"]
    assert told["claims"]["meter"] == {"waiting": 3}
    assert told["gaming_day"] == "2026-03-14"
    call_command("reconcile_meters", "--json", stdout=StringIO())
    call_command("replay", days.EVENTS, url=loaded.web_url)
    assert "$2346.01 of $23460.1175" in capsys.readouterr().out


def test_each_refusal_is_told_in_the_order_sent_and_nothing_moves(loaded: RunningHouse) -> None:
    wrong = days.read_lines(days.REFUSED)

    told = replay(loaded, days.REFUSED)

    assert [(r["event_id"], r["code"], r["path"]) for r in told["refused"]] == [
        (line["event"].get("event_id"), line["code"], line["path"]) for line in wrong
    ]
    assert all(refusal["detail"].endswith(".") for refusal in told["refused"])
    assert (told["events_sent"], told["events_applied"], told["rounds"]) == (len(wrong), 0, 0)
    assert not TableEvent.objects.exists()
    assert {meter.value == meter.initial for meter in Meter.objects.all()} == {True}


def test_an_event_refused_at_its_turn_is_told_with_its_reason(
    loaded: RunningHouse, tmp_path: Path
) -> None:
    events = days.read_lines(days.EVENTS)
    alone = next(event for event in events if event["type"] == "settlement")
    path = tmp_path / "alone.ndjson"
    days.write_lines(path, [{**alone, "sequence": 1}])

    told = replay(loaded, path)

    [refusal] = told["refused"]
    assert (refusal["event_id"], refusal["code"]) == (
        alone["event_id"],
        "settlement_without_lockout",
    )
    assert (told["events_applied"], told["waiting"]) == (1, 0)


def test_a_gap_is_said_and_ends_with_1(loaded: RunningHouse, tmp_path: Path) -> None:
    table = [line for line in days.EVENTS.read_text().splitlines() if '"table":"T-3"' in line]
    path = tmp_path / "gap.ndjson"
    path.write_text("\n".join(table[:4] + table[5:9]) + "\n")

    out, err = StringIO(), StringIO()

    with pytest.raises(SystemExit) as ended:
        call_command("replay", path, url=loaded.web_url, json=True, stdout=out, stderr=err)

    assert ended.value.code == 1
    told = json.loads(out.getvalue())
    assert (told["events_applied"], told["waiting"]) == (4, 4)
    assert err.getvalue() == (
        "T-3: event 5 has not come; events up to 9 of this replay wait behind it.\n"
    )


@pytest.mark.django_db
def test_a_file_that_is_none_and_a_server_that_is_none_are_said(tmp_path: Path) -> None:
    bad = tmp_path / "bad.ndjson"
    bad.write_text("no json\n")
    with pytest.raises(CommandError, match="Line 1 of"):
        call_command("replay", bad, url="http://house")
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("replay", tmp_path / "none", url="http://house")
    with pytest.raises(CommandError, match="no address"):
        call_command("replay", days.EVENTS, url="nowhere")
    with pytest.raises(CommandError, match="Say which web server"):
        call_command("replay", days.EVENTS, url="")
