"""Reconciled and closed again and again while real workers move the meters: no false difference."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.db import connections, transaction
from django.db.models import Sum

from progressives.models import Meter, MeterEntry
from progressives.services.close_figures import figures_of, work_out
from progressives.services.reconcile import reconcile
from tables.doorbell import doorbell
from tables.models import AccessKey, GamingTable
from tables.services.accept import accept_events
from tables.services.keys import make_key
from tables.services.setup import load_setup
from tables.services.terms import TermsBook
from tables.simulator import Start, play
from tables.simulator.property import property_setup

DAY = date(2026, 3, 2)
BEGINS = datetime(2026, 3, 2, 12, tzinfo=UTC)
TABLES, LIST_LENGTH, ROUNDS = 3, 40, 200_000
PAUSE = 0.15  # seconds between two lists: the day grows, and each look tells all of it again
SECONDS = 180  # that a loaded machine may take for one look


@contextmanager
def full_load() -> Iterator[None]:
    """Report rounds of three tables list after list, as a gateway does, until the block ends."""
    setup = property_setup(TABLES, DAY)
    load_setup(setup)
    tables = list(GamingTable.objects.exclude(progressive=None).order_by("code"))
    key, _ = make_key(name="gateway", kind=AccessKey.Kind.GATEWAY, tables=tables)
    book = TermsBook()
    starts = [Start(book.at(table, BEGINS)) for table in tables]
    over, failed = threading.Event(), []

    def report() -> None:
        waiting: list[Any] = []
        try:
            for moment in play(starts, rounds=ROUNDS, seed=7, begins=BEGINS, pace=0.01):
                waiting.append(moment.event)
                if len(waiting) == LIST_LENGTH:
                    answers = accept_events(waiting, key=key)
                    assert {answer.status for answer in answers} == {"accepted"}
                    doorbell.press({answer.lane_id for answer in answers if answer.lane_id})
                    waiting = []
                    if over.wait(PAUSE):
                        return
        except BaseException as error:
            failed.append(error)
        finally:
            connections.close_all()

    thread = threading.Thread(target=report)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(timeout=60)
    assert failed == []


def moved() -> int:
    return int(Meter.objects.aggregate(of=Sum("sequence"))["of"] or 0)


def look(times: int, what: Callable[[], None]) -> int:
    """Look so many times, each time after the meters moved again; return how often in all."""
    before, looked = moved(), 0
    pause = threading.Event()
    for _ in range(times):
        for _ in range(SECONDS * 20):
            now = moved()
            if now > before:
                break
            pause.wait(0.05)
        else:
            pytest.fail("The meters do not move: there is no load to reconcile under.")
        before = now
        what()
        looked += 1
    return looked


def no_difference() -> None:
    """Reconcile every meter with its entries, and the running day with its own replay."""
    assert [row for row in reconcile() if not row.ok] == []
    for line in figures_of(DAY, fresh=True).lines:
        assert (line.name, line.ledger_gap, line.causes) == (line.name, 0, ())


def torn() -> bool:
    """Whether values and entries read one after the other seem to differ: what must not be done."""
    values = dict(Meter.objects.values_list("pk", "value"))
    sums = MeterEntry.objects.values("meter").annotate(of=Sum("amount"))
    return any(values[row["meter"]] != row["of"] for row in sums)


def torn_close() -> bool:
    """Whether a running day seems to differ where it is not read at one moment."""
    with transaction.atomic():
        lines = work_out(DAY, fresh=True).lines
    return any(line.ledger_gap or line.causes for line in lines)


def found_within(times: int, mistake: Callable[[], bool]) -> bool:
    """Look until who makes the mistake finds a difference, at most so many times."""
    found: list[bool] = []
    while not any(found) and len(found) < times:
        look(1, lambda: found.append(mistake()))
    return any(found)


@pytest.mark.parametrize("times", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_reconciled_under_full_load_without_a_false_difference(
    open_house: Callable[..., Any], times: int
) -> None:
    open_house(web=False, workers=2, beat=True)
    with full_load():
        assert look(times, no_difference) == times
        # The same load does make a difference to who looks twice; a close takes longer to find.
        for mistake in (torn, torn_close) if times > 10 else (torn,):
            assert found_within(200, mistake), mistake
    assert sum((row.difference for row in reconcile()), Decimal(0)) == 0
