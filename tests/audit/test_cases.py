"""The casebook: numbered without a gap, corrected by new entries, two people, kept from some."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from audit import casebook, footage
from audit.canonical import parse
from audit.casebook import CaseRefused
from audit.models import (
    AuditEvent,
    Case,
    CaseEntry,
    ExceptionRecord,
    User,
)
from tests.make import make_user

pytestmark = pytest.mark.django_db
NINE = datetime(2026, 3, 14, 21, tzinfo=UTC)


@pytest.fixture
def writer() -> User:
    return make_user("S400", "surveillance")


@pytest.fixture
def second() -> User:
    return make_user("S401", "surveillance")


def opened(by: User, **changes: Any) -> Case:
    told: dict[str, Any] = {
        "type": "dispute", "title": "Paid 75 for 25", "text": "The patron at 2 complains.",
        "occurred_from": NINE, "occurred_until": NINE + timedelta(minutes=2),
        "reported_at": NINE + timedelta(hours=1),
    }  # fmt: skip
    return casebook.open_case(by=by, **{**told, **changes})


def run(statement: str, *values: Any) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, values)


def test_cases_and_entries_are_numbered_by_the_database_without_a_gap(writer: User) -> None:
    first = opened(writer)
    with pytest.raises(DatabaseError), transaction.atomic():
        Case.objects.create(
            type="other", title="", occurred_from=NINE, occurred_until=NINE, reported_at=NINE,
            opened_by=writer,
        )  # fmt: skip
    daily = casebook.write(by=writer, text="Cameras of pit 1 checked.")
    second = opened(writer)
    assert [first.number, second.number] == [1, 2]
    assert list(CaseEntry.objects.values_list("number", "case__number")) == [
        (1, 1),
        (2, None),
        (3, 2),
    ]
    chosen = CaseEntry.objects.create(number=900, kind="note", text="mine", by=writer)
    chosen.refresh_from_db()
    assert (daily.number, chosen.number) == (2, 4)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_caseentry SET text = 'nothing happened'",
        "DELETE FROM audit_caseentry",
        "UPDATE audit_case SET title = 'x'",
        "DELETE FROM audit_preservedround",
        "UPDATE audit_footagehold SET expires_at = now()",
        "UPDATE audit_entrycounter SET entries = entries + 1",
        "TRUNCATE audit_case CASCADE",
    ],
)
def test_what_is_written_stays(writer: User, statement: str) -> None:
    opened(writer)
    with pytest.raises(DatabaseError):
        run(statement)


def test_the_log_knows_each_entry_by_its_digest_and_not_its_words(writer: User) -> None:
    case = opened(writer)
    event = AuditEvent.objects.get(action="audit.case_entry_written")
    told = parse(bytes(event.body))
    entry = case.entries.get()
    assert told["facts"] == {"digest": casebook.digest_of(entry), "entry": 1, "kind": "note"}
    assert b"complains" not in bytes(event.body)
    entry.text = "The patron is content."
    assert casebook.digest_of(entry) != told["facts"]["digest"]


def test_a_case_goes_its_way_and_tells_it(writer: User, second: User) -> None:
    case = opened(writer)
    casebook.add_person(by=writer, case=case, role="dealer", name="D1", text="Paid it.")
    casebook.add_link(by=writer, case=case, what="round", which="T-1/204", text="")
    wrong = casebook.write(by=writer, case=case, text="Position 3.")
    casebook.correct(by=second, case=case, about=wrong.number, text="It was position 2.")
    audit = casebook.audit_dispute(
        by=writer, case=case, violation="§ 670a.12", dealer="D1", supervisor="F1",
        amount="-50.00", text="Overpaid by 50.",
    )  # fmt: skip
    with pytest.raises(CaseRefused, match="second person"):
        casebook.review(by=writer, case=case, about=audit.number, agreed=True, text="Mine.")
    casebook.review(by=second, case=case, about=audit.number, agreed=True, text="So it was.")
    with pytest.raises(CaseRefused, match="reviewed already"):
        casebook.review(by=second, case=case, about=audit.number, agreed=False, text="No.")
    handed = casebook.write(by=writer, case=case, kind="handover", text="Ask the patron again.")
    with pytest.raises(CaseRefused, match="Another person"):
        casebook.take_over(by=writer, case=case, about=handed.number, text="")
    casebook.take_over(by=second, case=case, about=handed.number, text="")
    casebook.set_status(by=second, case=case, status="closed", text="Settled.")
    with pytest.raises(CaseRefused, match="closed"):
        casebook.write(by=writer, case=case, text="One more thing.")
    assert casebook.status_of(case) == "closed"
    assert [e.kind for e in case.entries.all()] == [
        "note", "person", "link", "note", "correction", "violation", "review", "handover",
        "taken_over", "status",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["review", "taken_over"])
def test_the_database_asks_for_a_second_person_too(writer: User, second: User, kind: str) -> None:
    case, other = opened(writer), opened(writer)
    of = {"review": "violation", "taken_over": "handover"}[kind]
    first = CaseEntry.objects.create(case=case, kind=of, text="x", by=writer)
    told: dict[str, Any] = {"kind": kind, "text": "x", "about": first}
    for wrong in ({"case": case, "by": writer}, {"case": other, "by": second}):
        with pytest.raises(DatabaseError), transaction.atomic():
            CaseEntry.objects.create(**told, **wrong)
    CaseEntry.objects.create(**told, case=case, by=second)
    with pytest.raises(DatabaseError), transaction.atomic():
        CaseEntry.objects.create(**told, case=case, by=make_user("S402", "surveillance"))


def test_a_case_is_withheld_from_a_person_or_a_department_and_from_no_regulator(
    writer: User, second: User
) -> None:
    auditor, regulator = make_user("U600", "auditor"), make_user("R800", "regulator")
    case, other = opened(writer), opened(writer)
    kept = casebook.withhold(by=writer, case=case, from_whom="S401", text="He is a witness.")
    casebook.withhold(by=writer, case=case, from_whom="auditor", text="Asked by the Board.")
    assert list(casebook.cases_for(second)) == list(casebook.cases_for(auditor)) == [other]
    assert list(casebook.cases_for(regulator)) == [other, case]
    with pytest.raises(DatabaseError, match="withheld"), transaction.atomic():
        casebook.write(by=second, case=case, text="I was there.")
    for whom in ("R800", "regulator"):
        with pytest.raises(CaseRefused, match="regulator"):
            casebook.withhold(by=writer, case=case, from_whom=whom, text="x")
    with pytest.raises(DatabaseError, match="regulator"), transaction.atomic():
        CaseEntry.objects.create(case=case, kind="withheld", text="x", by=writer, person=regulator)
    casebook.show_again(by=writer, case=case, about=kept.number, text="Heard.")
    assert list(casebook.cases_for(second)) == [other, case]


def test_footage_is_held_by_the_map_of_its_time_and_warned_of(writer: User) -> None:
    now = timezone.now()
    begun = {"by": writer, "table": "T-1", "sees": True, "sees_from": now - timedelta(days=90)}
    footage.place_camera(camera="PTZ-1", keeps_days=7, **begun)
    footage.place_camera(camera="OLD-1", keeps_days=7, **begun)
    gone = {**begun, "sees": False, "sees_from": now - timedelta(days=60)}
    footage.place_camera(camera="OLD-1", keeps_days=7, **gone)
    footage.place_camera(camera="FIX-2", keeps_days=30, **begun)
    assert {c.camera for c in footage.cameras_at("T-1", now - timedelta(days=70))} == {
        "PTZ-1", "OLD-1", "FIX-2"}  # fmt: skip

    begins = now - timedelta(days=6)
    held = footage.hold(by=writer, table="T-1", begins=begins, ends=begins + timedelta(minutes=4),
                        reason="Complaint")  # fmt: skip
    assert {h.camera: h.expires_at - begins for h in held} == {
        "PTZ-1": timedelta(days=7), "FIX-2": timedelta(days=30)}  # fmt: skip
    with pytest.raises(CaseRefused, match="no camera at T-9"):
        footage.hold(by=writer, table="T-9", begins=begins, ends=now, reason="x")

    assert (footage.warn_of_expiry(), footage.warn_of_expiry()) == (1, 1)
    alarm = ExceptionRecord.objects.get(kind="footage_expires")
    assert (alarm.severity, alarm.table, alarm.facts["camera"]) == ("alarm", "T-1", "PTZ-1")
    urgent = footage.open_holds()[0]
    footage.end_hold(by=writer, hold_id=urgent.pk, kind="saved", where="Disk 7, drawer B")
    with pytest.raises(CaseRefused, match="ended already"):
        footage.end_hold(by=writer, hold_id=urgent.pk, kind="released", where="x")
    assert (footage.warn_of_expiry(), footage.open_holds().count()) == (0, 1)
