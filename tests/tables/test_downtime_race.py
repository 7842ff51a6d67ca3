"""Paper at the same moment: numbers without a gap, one confirmation, no end under an open form.

Each race has a twin in which a lock is taken away, and which must fail.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import DatabaseError, connections, transaction
from django.utils import timezone

from audit.models import User
from progressives.errors import ProgressiveError
from tables.models import DowntimeEnd, FormDecision, PaperForm, TableEvent
from tables.services import paper
from tables.services.downtime import begin_downtime, read_meters
from tests.databases import CommittedDatabase
from tests.documents import NOON, NOTHING, Sender, seat
from tests.make import make_user
from tests.tables.conftest import Floor

Deed = Callable[[], Any]


def at_once(deeds: list[Deed]) -> list[Any]:
    """Let deeds loose together; return what each gave or was refused with."""
    results: list[Any] = [None] * len(deeds)
    gate = threading.Barrier(len(deeds))

    def run(place: int, deed: Deed) -> None:
        try:
            gate.wait(30)
            results[place] = deed()
        except (ProgressiveError, DatabaseError) as refusal:
            results[place] = refusal
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(deeds)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@contextmanager
def changed(database: CommittedDatabase, function: str, old: str, new: str) -> Iterator[None]:
    """Take something out of a guard for a while, as its owner could."""
    with psycopg.connect(database.owner_url, autocommit=True) as owner:
        asked = f"SELECT pg_get_functiondef('{function}'::regproc)"
        [whole] = owner.execute(asked).fetchone()
        assert old in whole
        owner.execute(whole.replace(old, new))
        try:
            yield
        finally:
            owner.execute(whole)


def issued(table: str, by: User, number: int, *, taken_back: bool = False) -> Deed:
    """Issue forms slowly, so that others come meanwhile; perhaps think better of it."""

    def deed() -> Any:
        with transaction.atomic():
            made = paper.issue_forms(table=table, number=number, by=by)
            time.sleep(0.05)
            if taken_back:
                raise DatabaseError("thought better of it")
        return made

    return deed


def pads_at_once(by: User) -> list[Any]:
    tables = ("T-1", "T-2")
    return at_once([issued(tables[n % 2], by, 3, taken_back=n in (1, 4)) for n in range(6)])


def test_numbers_have_no_gap_whoever_issues_and_thinks_better_of_it(
    committed_db: CommittedDatabase,
) -> None:
    Floor()
    results = pads_at_once(make_user("F1"))
    assert sum(isinstance(result, list) for result in results) == 4
    assert list(PaperForm.objects.values_list("number", flat=True)) == list(range(1, 13))


def test_without_the_lock_two_tables_are_given_one_number(committed_db: CommittedDatabase) -> None:
    Floor()
    user = make_user("F1")
    lock = "PERFORM pg_advisory_xact_lock(6701245);"
    with changed(committed_db, "form_takes_the_next_number", lock, ""):
        results = pads_at_once(user)
    assert sum(isinstance(result, list) for result in results) < 4


class Waiting:
    """A table that is down, with an entry that two others may confirm."""

    def __init__(self) -> None:
        self.floor = Floor()
        self.first, self.second, self.third = (make_user(f"F{n}") for n in (1, 2, 3))
        [self.form] = paper.issue_forms(table="T-1", number=1, by=self.first)
        self.down = begin_downtime(table="T-1", began_at=NOON, by=self.first, reason="Down.")
        told = Sender().whole(seat(2, NOTHING))
        kept = ("type", "round", "occurred_at", "positions", "dealer_hand")
        document = {key: told[key] for key in kept}
        self.entry = paper.enter_form(number=1, document=document, by=self.first)

    def confirms(self, by: User) -> Deed:
        return lambda: paper.confirm_entry(entry_id=self.entry.pk, by=by)

    def rejects(self, by: User) -> Deed:
        return lambda: paper.reject_entry(entry_id=self.entry.pk, by=by, reason="Differs.")


def test_one_entry_is_confirmed_once(committed_db: CommittedDatabase) -> None:
    waiting = Waiting()
    results = at_once([waiting.confirms(waiting.second), waiting.confirms(waiting.third)])
    refused = [result for result in results if isinstance(result, ProgressiveError)]
    assert [refusal.code for refusal in refused] == ["entry_decided"]
    assert TableEvent.objects.count() == FormDecision.objects.count() == 1


def test_confirmed_and_sent_back_at_once_is_one_of_them(committed_db: CommittedDatabase) -> None:
    waiting = Waiting()
    at_once([waiting.confirms(waiting.second), waiting.rejects(waiting.third)])
    decision = FormDecision.objects.get()
    assert TableEvent.objects.count() == (decision.kind == FormDecision.Kind.CONFIRMED)


def ended_while_issuing() -> list[Any]:
    """End a downtime behind the services' back while a form is issued and not committed yet."""
    waiting = Waiting()
    paper.confirm_entry(entry_id=waiting.entry.pk, by=waiting.second)
    waiting.floor.apply()
    values = {waiting.floor.meter.pk: ("20000.21", "")}
    read_meters(downtime_id=waiting.down.pk, values=values, by=waiting.first)
    is_issued = threading.Event()

    def issue() -> Any:
        with transaction.atomic():
            made = paper.issue_forms(table="T-1", number=1, by=waiting.third)
            is_issued.set()
            time.sleep(0.5)
        return made

    def end() -> Any:
        is_issued.wait(30)
        row = DowntimeEnd(downtime=waiting.down, ended_at=timezone.now(), by=waiting.second)
        row.save(force_insert=True)
        return row

    return at_once([issue, end])


def test_a_downtime_does_not_end_while_a_form_is_being_issued(
    committed_db: CommittedDatabase,
) -> None:
    made, refused = ended_while_issuing()
    assert len(made) == 1
    assert "forms 2 are neither entered nor void" in str(refused)
    assert not DowntimeEnd.objects.exists()


def test_without_the_tables_lock_it_ends_over_an_open_form(
    committed_db: CommittedDatabase,
) -> None:
    lock = "FOR NO KEY UPDATE OF t"
    with changed(committed_db, "downtime_ends_accounted_for", lock, ""):
        ended_while_issuing()
    assert DowntimeEnd.objects.exists()
    assert PaperForm.objects.filter(entries__isnull=True, void__isnull=True).count() == 1
