"""A table on paper: numbered forms, two persons, readings, and an end only when all adds up."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client

from audit.models import AuditEvent, ExceptionRecord
from audit.services import close_exception, take_exception
from progressives.errors import ProgressiveError
from progressives.models import Meter
from progressives.services.reconcile import reconcile
from tables.models import (
    Downtime,
    DowntimeEnd,
    DowntimeReading,
    FormDecision,
    FormEntry,
    FormVoid,
    GamingTable,
    PaperForm,
    Round,
    TableEvent,
    TableProgressive,
)
from tables.services import paper
from tables.services.downtime import begin_downtime, end_downtime, missing_of, read_meters
from tables.services.fresh import freshness_of
from tests.documents import NOON, NOTHING, ROYAL, STRAIGHT, Sender, seat
from tests.make import make_progressive, make_user

BEGAN = NOON - timedelta(minutes=1)


class Paper:
    """A floor whose table T-1 is down, two people on it and a pad of forms."""

    def __init__(self, floor: Any, forms: int = 3) -> None:
        self.floor = floor
        self.first, self.second = make_user("F1"), make_user("F2")
        self.forms = paper.issue_forms(table="T-1", number=forms, by=self.first)
        self.downtime = begin_downtime(
            table="T-1", began_at=BEGAN, by=self.first, reason="The pit's network failed."
        )

    def document(self, number: int, *seats: Any, **changes: Any) -> dict[str, Any]:
        told = Sender().whole(*(seats or (seat(2, NOTHING, progressive=False),)))
        kept = ("type", "round", "occurred_at", "positions", "dealer_hand", "dealer")
        return {key: told[key] for key in kept} | {"round": number, **changes}

    def enter(self, place: int, *seats: Any, **changes: Any) -> FormEntry:
        number = self.forms[place].number
        told = self.document(500 + place, *seats, **changes)
        return paper.enter_form(number=number, document=told, by=self.first)

    def confirm(self, entry: FormEntry) -> FormDecision:
        made, lane = paper.confirm_entry(entry_id=entry.pk, by=self.second)
        assert lane == self.floor.lane.pk
        self.floor.apply()
        return made

    def read(self, value: Decimal | str | None = None, number: str = "") -> DowntimeReading:
        value = self.floor.meter.value if value is None else value
        values = {self.floor.meter.pk: (f"{value}", number)}
        [made] = read_meters(downtime_id=self.downtime.pk, values=values, by=self.first)
        return made

    def end(self, **changes: Any) -> DowntimeEnd:
        return end_downtime(downtime_id=self.downtime.pk, by=self.first, **changes)


@pytest.fixture
def on_paper(floor: Any) -> Paper:
    return Paper(floor)


def refusal(deed: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(ProgressiveError) as found:
        deed(*args, **kwargs)
    return found.value.code


def refused_by_postgres(made: Any) -> str:
    """Try to write a row behind the services' back; return what PostgreSQL says."""
    with pytest.raises(DatabaseError) as found, transaction.atomic():
        made.save(force_insert=True)
    return str(found.value).splitlines()[0]


# ---- forms ----------------------------------------------------------------------------------


def test_forms_are_numbered_without_a_gap_over_all_tables(on_paper: Paper) -> None:
    more = paper.issue_forms(table="T-2", number=2, by=on_paper.second)
    assert [form.number for form in [*on_paper.forms, *more]] == [1, 2, 3, 4, 5]
    forged = PaperForm(number=99, table=on_paper.forms[0].table, by=on_paper.first)
    forged.save()
    assert PaperForm.objects.get(pk=forged.pk).number == 6
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM tables_paperform WHERE number = 2")
    assert refusal(paper.issue_forms, table="T-1", number=0, by=on_paper.first) == "incomplete"
    assert refusal(paper.issue_forms, table="T-9", number=1, by=on_paper.first) == "unknown_table"


def test_a_void_form_keeps_its_number_and_is_never_entered(on_paper: Paper) -> None:
    [void] = paper.void_forms(numbers=[2], by=on_paper.first, reason="Coffee.")
    assert (void.form.number, void.reason) == (2, "Coffee.")
    assert refusal(on_paper.enter, 1) == "form_not_free"
    assert refusal(paper.void_forms, numbers=[2], by=on_paper.first, reason="x") == "form_not_free"
    assert refusal(paper.void_forms, numbers=[1], by=on_paper.first, reason=" ") == "incomplete"
    entry = FormEntry(form=void.form, downtime=on_paper.downtime, document={}, by=on_paper.first)
    assert "form 2 is void" in refused_by_postgres(entry)


def test_a_late_round_needs_a_second_person_and_is_marked_manual(on_paper: Paper) -> None:
    entry = on_paper.enter(0, seat(2, STRAIGHT, progressive=False), seat(5, NOTHING))
    assert not TableEvent.objects.exists()
    assert refusal(paper.confirm_entry, entry_id=entry.pk, by=on_paper.first) == "own_entry"
    decision = on_paper.confirm(entry)

    event = TableEvent.objects.get()
    assert event.event_id == decision.event_id
    assert event.key_name == "paper form 1"
    told = bytes(event.body).decode()
    assert '"_manual":{"confirmed_by":"F2","downtime":' in told
    assert '"entered_by":"F1","form":1}' in told
    assert Round.objects.get().number == 500
    assert on_paper.floor.moved == [("contribution", "0.21")]
    [odd] = ExceptionRecord.objects.filter(kind="progressive_wager_while_down")
    assert (odd.round, odd.table) == (500, "T-1")
    assert "position 5" in odd.sentence
    assert refusal(paper.confirm_entry, entry_id=entry.pk, by=on_paper.second) == "entry_decided"
    assert refusal(on_paper.enter, 0) == "form_not_free"
    logged = AuditEvent.objects.values_list("action", flat=True)
    assert {"tables.form_entered", "tables.form_confirmed"} <= set(logged)


def test_the_database_holds_the_second_person_too(on_paper: Paper) -> None:
    entry = on_paper.enter(0)
    own = FormDecision(entry=entry, kind="rejected", reason="x", by=on_paper.first)
    assert "nobody decides on his own entry" in refused_by_postgres(own)
    [event] = on_paper.floor.accept(Sender("T-2").whole(seat(2, NOTHING)))
    forged = FormDecision(
        entry=entry, kind="confirmed", event_id=event.event_id, by=on_paper.second
    )
    assert "form 1 is not in the intake" in refused_by_postgres(forged)
    boss = make_user(None, None, username="boss", is_superuser=True)
    unsigned = FormDecision(entry=entry, kind="rejected", reason="x", by=boss)
    assert "without a staff code" in refused_by_postgres(unsigned)
    assert refusal(paper.reject_entry, entry_id=entry.pk, by=boss, reason="x") == "no_staff_code"


def test_an_entry_that_differs_from_the_paper_is_sent_back(on_paper: Paper) -> None:
    entry = on_paper.enter(0)
    assert refusal(on_paper.enter, 0) == "form_not_free"  # one waits
    assert refusal(paper.reject_entry, entry_id=entry.pk, by=on_paper.second, reason="")
    paper.reject_entry(entry_id=entry.pk, by=on_paper.second, reason="Position 3, not 2.")
    again = on_paper.enter(0, seat(3, NOTHING, progressive=False))
    on_paper.confirm(again)
    assert [seat.position for seat in Round.objects.get().seats.all()] == [3]


def test_what_a_controller_would_be_refused_for_is_refused_here(on_paper: Paper) -> None:
    twice = seat(3, (["4S", "4S", "TD", "8H", "KC", "3D"], ["TD"]), progressive=False)
    assert refusal(on_paper.enter, 0, twice) == "duplicate_card"
    assert refusal(on_paper.enter, 0, type="lockout") == "incomplete"
    assert refusal(on_paper.enter, 0, occurred_at="yesterday")
    assert not FormEntry.objects.exists()
    surveillance = make_user("S1", "surveillance")
    number = on_paper.forms[0].number
    told = on_paper.document(500)
    assert refusal(paper.enter_form, number=number, document=told, by=surveillance) == "not_allowed"


def test_a_late_round_follows_what_the_controller_sent(floor: Any) -> None:
    sender = Sender()
    floor.play(sender.whole(seat(2, NOTHING)), sender.whole(seat(2, NOTHING)))
    on_paper = Paper(floor)
    on_paper.confirm(on_paper.enter(0, seat(4, ROYAL)))
    assert TableEvent.objects.get(key_name="paper form 1").sequence == 3
    table = GamingTable.objects.get(code="T-1")
    assert freshness_of(table).next_sequence == 4
    sender.sequence = 3  # the new controller asks and goes on from there
    floor.play(sender.whole(seat(2, NOTHING)))
    assert all(found.ok for found in reconcile())


# ---- the end --------------------------------------------------------------------------------


def test_a_downtime_ends_only_when_every_form_and_meter_is_accounted_for(on_paper: Paper) -> None:
    assert missing_of(on_paper.downtime) == [
        "Forms 1, 2, 3 are neither entered and confirmed nor void.",
        "P-1:grand is not read.",
    ]
    assert refusal(on_paper.end) == "downtime_not_accounted_for"
    entry = on_paper.enter(0)
    paper.void_forms(numbers=[2, 3], by=on_paper.first, reason="Not used.")
    on_paper.read()
    assert missing_of(on_paper.downtime) == [
        "Form 1 is neither entered and confirmed nor void."  # entered, and nobody has confirmed it
    ]
    end = DowntimeEnd(downtime=on_paper.downtime, ended_at=NOON, by=on_paper.first)
    assert "forms 1 are neither entered nor void" in refused_by_postgres(end)
    paper.confirm_entry(entry_id=entry.pk, by=on_paper.second)
    assert missing_of(on_paper.downtime) == [
        "Events of T-1 wait to be applied, or one before them is missing."
    ]
    assert "events of T-1 wait" in refused_by_postgres(end)
    on_paper.floor.apply()
    on_paper.end(note="Back.")
    assert not missing_of(on_paper.downtime)
    assert refusal(on_paper.end) == "table_not_down"
    assert refusal(on_paper.read) == "table_not_down"
    late = paper.issue_forms(table="T-1", number=1, by=on_paper.first)
    told = on_paper.document(700)
    assert (
        refusal(paper.enter_form, number=late[0].number, document=told, by=on_paper.first)
        == "table_not_down"
    )
    assert FormVoid.objects.count() == 2


def test_a_reading_that_differs_needs_an_owner_before_the_end(on_paper: Paper) -> None:
    paper.void_forms(numbers=[1, 2, 3], by=on_paper.first, reason="Not used.")
    made = on_paper.read("20001.00")
    assert made.exception is not None
    assert "was read $1.00 above its ledger" in made.exception.sentence
    again = on_paper.read("20001.00")
    assert again.exception == made.exception  # the same difference is one exception
    assert refusal(on_paper.end) == "downtime_not_accounted_for"
    end = DowntimeEnd(downtime=on_paper.downtime, ended_at=NOON, by=on_paper.first)
    assert "nobody owns the exception" in refused_by_postgres(end)
    take_exception(exception_id=made.exception.pk, by=on_paper.second)
    on_paper.end()
    assert made.exception.state == "open"


def test_a_reading_is_compared_with_the_movement_that_the_sign_named(floor: Any) -> None:
    floor.play(Sender().whole(seat(2, NOTHING)))
    on_paper = Paper(floor)
    floor.play(Sender("T-2").whole(seat(2, NOTHING)))  # a linked table plays on meanwhile
    assert on_paper.read("20000.21", number="2").exception is None
    assert on_paper.read("20000.42").exception is None
    assert on_paper.read("20000.42", number="2").exception is not None
    assert refusal(on_paper.read, "1.00", number="99") == "incomplete"
    forged = DowntimeReading(
        downtime=on_paper.downtime, meter=floor.meter, value=1, ledger=1, sequence=2,
        by=on_paper.first,
    )  # fmt: skip
    assert "beside the ledger as it is" in refused_by_postgres(forged)


def test_a_closed_exception_is_accounted_for(on_paper: Paper) -> None:
    paper.void_forms(numbers=[1, 2, 3], by=on_paper.first, reason="Not used.")
    made = on_paper.read("19999.00")
    close_exception(exception_id=made.exception_id, by=on_paper.second, reason="Misread.")
    assert on_paper.end().downtime == on_paper.downtime


def test_a_table_is_down_once_and_others_are_not(on_paper: Paper) -> None:
    told = {"table": "T-1", "by": on_paper.first, "reason": "Again."}
    assert refusal(begin_downtime, began_at=NOON, **told) == "table_down_already"
    twice = Downtime(table=on_paper.downtime.table, began_at=NOON, reason="x", by=on_paper.first)
    assert "down already" in refused_by_postgres(twice)
    other = begin_downtime(**(told | {"table": "T-2"}), began_at=NOON)
    assert refusal(begin_downtime, **(told | {"reason": " "}), began_at=NOON) == "incomplete"
    foreign = FormEntry(form=on_paper.forms[0], downtime=other, document={}, by=on_paper.first)
    assert "while its own table is down" in refused_by_postgres(foreign)
    assert ExceptionRecord.objects.filter(kind="table_down", state="open").count() == 2


# ---- fresh values ---------------------------------------------------------------------------


def test_what_a_table_may_do(floor: Any) -> None:
    table, other = GamingTable.objects.order_by("code")
    fresh = freshness_of(table)
    assert (fresh.takes_wagers, fresh.sentence, fresh.next_sequence) == (True, "", 1)
    assert fresh.fresh_until - fresh.at == timedelta(seconds=15)
    begin_downtime(table="T-1", began_at=BEGAN, by=make_user("F1"), reason="Down.")
    assert freshness_of(table).reason == "table_down"
    assert freshness_of(other).takes_wagers
    lonely = GamingTable.objects.create(code="T-3", game=table.game, positions=6, lane=table.lane)
    assert freshness_of(lonely).reason == "no_progressive"


def test_a_meter_that_lags_takes_no_wagers(floor: Any) -> None:
    """An event of a linked table that waits for too long holds both; applied, both go on."""
    floor.accept(Sender("T-2").whole(seat(2, NOTHING)))
    table = GamingTable.objects.get(code="T-1")
    assert freshness_of(table).takes_wagers  # it came just now
    from tables.models import Facility  # noqa: PLC0415
    from tables.services.fresh import is_behind  # noqa: PLC0415

    accepted = TableEvent.objects.get().accepted_at
    assert is_behind(table, accepted + timedelta(seconds=15))
    assert not is_behind(table, accepted)
    floor.apply()
    assert not is_behind(table, accepted + timedelta(seconds=15))
    assert Facility.objects.get().fresh_seconds == 15


def test_wagers_before_the_value_went_stale_are_not_odd(on_paper: Paper) -> None:
    soon, late = BEGAN + timedelta(seconds=14), BEGAN + timedelta(seconds=15)
    for place, moment in enumerate((soon, late)):
        entry = on_paper.enter(place, seat(2, NOTHING), occurred_at=moment.isoformat())
        on_paper.confirm(entry)
    odd = ExceptionRecord.objects.filter(kind="progressive_wager_while_down")
    assert [found.round for found in odd] == [501]


def test_the_api_that_a_tables_sign_polls(floor: Any) -> None:
    floor.play(Sender().whole(seat(2, NOTHING)))
    client = Client(headers={"authorization": f"Key {floor.secret}"})
    told = client.get("/api/v1/tables/T-1/meters/").json()
    assert told["meters"] == [
        {
            "progressive": "P-1",
            "level": "grand",
            "value": "20000.21",
            "shown": "20000.21",
            "sequence": 2,
        }
    ]
    assert (told["progressive_wagers"], told["next_sequence"]) == (True, 2)
    assert told["fresh_until"] > told["as_of"]
    begin_downtime(table="T-1", began_at=BEGAN, by=make_user("F1"), reason="Down.")
    told = client.get("/api/v1/tables/T-1/meters/").json()
    assert (told["progressive_wagers"], told["reason"]) == (False, "table_down")
    assert "plays on paper" in told["detail"]
    assert client.get("/api/v1/tables/T-9/meters/").status_code == 403
    assert Client().get("/api/v1/tables/T-1/meters/").status_code == 401


def test_every_progressive_of_the_table_is_read_before_the_end(on_paper: Paper) -> None:
    table = on_paper.downtime.table
    second = make_progressive(on_paper.floor.lane, code="P-2", initial="500.00")
    TableProgressive.objects.create(table=table, progressive=second, wager="fortune_bonus")
    assert [m.progressive.code for m in freshness_of(table).meters] == ["P-1", "P-2"]
    paper.void_forms(numbers=[1, 2, 3], by=on_paper.first, reason="Not used.")
    values = {Meter.objects.get(progressive__code="P-1").pk: ("20000.00", "")}
    read_meters(downtime_id=on_paper.downtime.pk, values=values, by=on_paper.first)
    assert missing_of(on_paper.downtime) == ["P-2:grand is not read."]
    end = DowntimeEnd(downtime=on_paper.downtime, ended_at=NOON, by=on_paper.first)
    assert "not read" in refused_by_postgres(end)
    values = {Meter.objects.get(progressive=second).pk: ("500.00", "")}
    read_meters(downtime_id=on_paper.downtime.pk, values=values, by=on_paper.first)
    on_paper.end()
