"""Ending a day while lanes are at work: the fence is one moment, and makes no false difference."""

import itertools
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections

from progressives.models import GamingDayClose, Lane, MeterEntry
from progressives.services.close_day import end_day
from progressives.services.close_figures import figures_of
from progressives.services.close_readings import enter_readings
from progressives.services.close_sign import prepare_close, review_close
from tables.services.accept import accept_events
from tables.services.apply import apply_lane, read_batch
from tables.services.drain import write
from tests.documents import NOTHING, Sender, seat
from tests.progressives.closing import DAY, PLAIN, Days


@pytest.fixture
def days(committed_db: Any) -> Days:
    made = Days()
    made.play(seat(2, NOTHING))
    return made


def beside(work: Callable[[], None]) -> Callable[[], None]:
    """Run work again and again in a thread of its own, until the returned function is called."""
    over = threading.Event()
    failed: list[BaseException] = []

    def go_on() -> None:
        try:
            while not over.is_set():
                work()
        except BaseException as error:
            failed.append(error)
        finally:
            connections.close_all()

    thread = threading.Thread(target=go_on)
    thread.start()

    def stop() -> None:
        over.set()
        thread.join(timeout=60)
        assert failed == []

    return stop


def test_days_are_closed_under_load_without_a_false_difference(days: Days) -> None:
    senders = {code: Sender(code) for code in ("T-1", "T-2")}
    senders["T-1"].sequence = senders["T-1"].round = 1  # the fixture's round
    turn = itertools.count()

    def report() -> None:
        sender = senders["T-1" if next(turn) % 2 else "T-2"]
        accept_events([sender.whole(seat(2, NOTHING), seat(5, PLAIN))], key=days.key)

    stops = [
        beside(report),
        *(beside(lambda: apply_lane(lane_id=days.lane.pk, limit=7)) for _ in range(2)),
    ]
    try:
        for number in range(3):
            day = DAY + timedelta(days=number)
            close_under_load(days, day)
    finally:
        for stop in stops:
            stop()
    closes = list(GamingDayClose.objects.order_by("gaming_day"))
    assert [close.state for close in closes] == ["closed"] * 3
    for close in closes:
        late = MeterEntry.objects.filter(
            gaming_day=close.gaming_day, lane_number__gt=close.fence["P-1"]
        )
        assert not late.exclude(kind="initial").exists()


def close_under_load(days: Days, day: Any) -> None:
    """Close a day while its tables play on: everything after the fence is late for it."""
    end_day(day=day, by=days.preparer)
    [line] = figures_of(day, fresh=True).lines
    assert (line.ledger_gap, line.causes) == (0, ())
    enter_readings(day=day, by=days.preparer, values={"P-1:grand": str(line.ledger)})
    days.count(day)
    days.close_exceptions()
    prepare_close(day=day, by=days.preparer)
    assert review_close(day=day, by=days.reviewer).state == "closed"


def test_a_batch_worked_out_before_the_fence_is_not_written_after_it(days: Days) -> None:
    sender = days.senders["T-1"]
    accept_events([sender.whole(seat(2, NOTHING), occurred_at=days.on(0))], key=days.key)
    batch = read_batch(Lane.objects.get(), 10)
    assert batch is not None

    end_day(day=DAY, by=days.preparer)

    assert not write(batch)
    while apply_lane(lane_id=days.lane.pk):
        pass
    last = MeterEntry.objects.order_by("-sequence").first()
    assert last is not None
    assert last.gaming_day == DAY + timedelta(days=1)


def test_two_people_who_review_at_once_close_it_once(days: Days) -> None:
    end_day(day=DAY, by=days.preparer)
    days.read()
    prepare_close(day=DAY, by=days.preparer)
    done: list[str] = []

    def review() -> None:
        try:
            done.append(review_close(day=DAY, by=days.reviewer).state)
        except Exception as refusal:
            done.append(type(refusal).__name__)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=review) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(done) == ["DayBehindFence", "closed"]
