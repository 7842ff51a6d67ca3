"""The simulated day through the real doors: it goes on where it stood, and leaves others alone."""

import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from config.supervisor import BASE_DIR
from progressives.models import JackpotClaim
from tables.models import AccessKey, Facility, OpenRound, Round, TableCursor, TableEvent
from tables.services.accept import accept_events
from tables.services.keys import make_key
from tables.services.playing import ROUND_SECONDS, prepare, window
from tables.services.setup import load_setup
from tables.simulator import play
from tests.databases import RunningHouse
from tests.make import make_user

SAMPLE = BASE_DIR / "config" / "sample" / "setup.json"
NOW = datetime(2026, 3, 14, 20, tzinfo=UTC)  # 16:00 at the house


@pytest.fixture
def loaded(house: RunningHouse) -> RunningHouse:
    load_setup(json.loads(Path(SAMPLE).read_text()))
    return house


def play_day(house: RunningHouse, *options: str) -> str:
    told = StringIO()
    call_command("play_day", *options, url=house.web_url, stdout=told)
    return told.getvalue()


def test_a_second_day_goes_on_where_the_first_ended(loaded: RunningHouse) -> None:
    told = play_day(loaded, "--rounds", "41")
    assert "Luck is stacked" in told
    assert "0 refused" in told
    assert Round.objects.count() == 41
    first = TableEvent.objects.count()

    told = play_day(loaded, "--rounds", "20", "--no-lucky", "--seed", "2")

    assert "Luck" not in told
    assert Round.objects.count() == 61
    assert TableEvent.objects.count() > first
    for cursor in TableCursor.objects.all():
        assert cursor.expected == TableEvent.objects.filter(table=cursor.table).count() + 1
    assert not OpenRound.objects.exists()
    assert not AccessKey.objects.filter(revoked_at=None).exists()
    call_command("day_summary", stdout=StringIO())  # would end with 1 if anything did not hold


def test_live_rounds_are_reported_when_they_happen(loaded: RunningHouse) -> None:
    begun = timezone.now()
    play_day(loaded, "--rounds", "8", "--speed", "100")
    last = TableEvent.objects.latest("occurred_at")
    assert Round.objects.count() == 8
    assert begun < last.occurred_at < last.accepted_at
    assert last.accepted_at - last.occurred_at < timedelta(seconds=5)


def test_the_floor_validates_and_pays_plain_awards_as_two_people(loaded: RunningHouse) -> None:
    for code in ("F901", "F902"):
        make_user(code)
    play_day(loaded, "--short", "--floor")

    fixed = JackpotClaim.objects.filter(kind="fixed")
    paid = fixed.filter(state="paid")
    assert paid
    assert fixed.filter(state="waiting")
    for claim in paid:
        validated, marked = claim.steps.filter(kind__in=["validated", "paid"]).order_by("pk")
        assert validated.by != marked.by
        assert claim.lamp
    assert not JackpotClaim.objects.filter(kind="meter").exclude(state="waiting").exists()


@pytest.fixture
def _house_of_paper(db: Any) -> None:
    load_setup(json.loads(Path(SAMPLE).read_text()))


paper = pytest.mark.usefixtures("_house_of_paper")


@paper
def test_tables_that_others_report_for_are_left_alone() -> None:
    hall = prepare(rounds=8, now=NOW, live_speed=None, real_too=False)
    assert (len(hall.tables), hall.skipped) == (4, [])
    event = next(iter(play(hall.starts, rounds=4, seed=1, begins=NOW))).event
    key, _ = make_key(name="the pit", kind="gateway", tables=hall.tables)
    [answer] = accept_events([event], key=key)
    assert answer.status == "accepted"

    hall = prepare(rounds=8, now=NOW, live_speed=None, real_too=False)
    assert (len(hall.tables), hall.skipped) == (3, [event["table"]])
    hall = prepare(rounds=8, now=NOW, live_speed=None, real_too=True)
    assert len(hall.tables) == 4


@paper
def test_a_round_that_an_interrupted_play_left_open_is_found() -> None:
    hall = prepare(rounds=40, now=NOW, live_speed=None, real_too=False)
    key, _ = make_key(name="play_day", kind="gateway", tables=hall.tables)
    played = [m.event for m in play(hall.starts, rounds=8, seed=1, begins=NOW)]
    locked = next(event for event in played if event["type"] == "lockout")
    accept_events(played[: played.index(locked) + 1], key=key)

    hall = prepare(rounds=40, now=NOW, live_speed=None, real_too=False)

    start = next(s for s in hall.starts if s.terms.code == locked["table"])
    assert (start.left_open, start.sequence) == (locked["round"], locked["sequence"] + 1)
    assert start.number == locked["round"] + 1


@paper
def test_a_day_ends_about_now_and_stays_within_its_gaming_day() -> None:
    facility, needed = Facility.objects.get(), timedelta(seconds=100 * ROUND_SECONDS)
    assert window(facility, NOW, needed, None) == (NOW - needed, 1.0)

    early = datetime(2026, 3, 14, 10, 5, tzinfo=UTC)  # 06:05: the day before is played
    begins, pace = window(facility, early, needed, None)
    assert (begins + needed, pace) == (datetime(2026, 3, 14, 9, 59, tzinfo=UTC), 1.0)

    begins, pace = window(facility, NOW, needed, NOW - needed / 4)  # a second start
    assert (begins, pace) == (NOW - needed / 4, 0.25)


@paper
def test_what_cannot_be_played_is_said() -> None:
    with pytest.raises(CommandError, match="Say which web server"):
        call_command("play_day", url="")
    with pytest.raises(CommandError, match="more than zero"):
        call_command("play_day", url="http://house", rounds=-1)
    with pytest.raises(CommandError, match="more than zero"):
        call_command("play_day", url="http://house", speed=0.0)


@pytest.mark.django_db
def test_without_a_setup_there_is_no_table() -> None:
    with pytest.raises(CommandError, match="load a set-up first"):
        call_command("play_day", url="http://house")
