"""The exceptions desk: finding, taking, noting, closing, and the list for a shell."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from audit.models import AuditEvent, ExceptionNote, ExceptionRecord, User
from audit.selectors import age_text, exceptions, open_by_kind
from audit.services import (
    NoReason,
    close_exception,
    leave_exception,
    note_exception,
    take_exception,
)
from tests.make import make_user

pytestmark = pytest.mark.django_db

DESK = "/admin/audit/exceptionrecord/desk/"


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def made(kind: str = "mispay", hours: float = 0.0, **changes: Any) -> ExceptionRecord:
    told: dict[str, Any] = {"kind": kind, "table": "FPG-01", "round": 7, "sentence": kind}
    told["opened_at"] = timezone.now() - timedelta(hours=hours)
    return ExceptionRecord.objects.create(**told | changes)


def mispay(**changes: Any) -> ExceptionRecord:
    facts = {
        "wager": "fortune_bonus",
        "due": "75.00",
        "paid": "80.00",
        "difference": "+5.00",
        "direction": "over",
        "dealer": "D100",
    }
    return made(position=4, facts=facts, cite="§ 670a.12(b)(1)", **changes)


# ---- notes and owners -----------------------------------------------------------------------


def test_a_note_is_kept_in_the_log_and_never_changed() -> None:
    found, by = mispay(), make_user("S400", "surveillance")
    note = note_exception(exception_id=found.pk, by=by, text=" The chip went back. ")
    assert (note.text, note.by, note.kind) == ("The chip went back.", by, "note")
    told = json.loads(bytes(AuditEvent.objects.get(action="audit.exception_noted").body))
    assert (told["by"], told["facts"]["text"]) == ("S400", "The chip went back.")
    with pytest.raises(NoReason):
        note_exception(exception_id=found.pk, by=by, text=" ")
    with pytest.raises(IntegrityError), transaction.atomic():
        ExceptionNote.objects.create(exception=found, by=by, text="")


def test_an_exception_has_one_owner_and_the_log_names_each() -> None:
    found, first, second = mispay(), make_user("P300", "pit manager"), make_user("P301", None)
    assert take_exception(exception_id=found.pk, by=first) is not None
    assert take_exception(exception_id=found.pk, by=first) is None, "a second tap"
    assert take_exception(exception_id=found.pk, by=second) is not None
    assert leave_exception(exception_id=found.pk, by=first) is None, "it is not his any more"
    assert leave_exception(exception_id=found.pk, by=second) is not None
    found.refresh_from_db()
    assert found.owner is None
    assert [note.kind for note in found.notes.all()] == ["taken", "taken", "left"]
    assert AuditEvent.objects.filter(action="audit.exception_noted").count() == 3


def test_nobody_takes_what_is_closed() -> None:
    found, by = mispay(), make_user("P300", "pit manager")
    close_exception(exception_id=found.pk, by=by, reason="Settled.")
    assert take_exception(exception_id=found.pk, by=by) is None
    assert note_exception(exception_id=found.pk, by=by, text="Afterthought.")


# ---- finding ---------------------------------------------------------------------------------


def test_alarms_come_first_and_of_each_the_oldest() -> None:
    old = made("deck_overdue", 3, severity="alarm")
    new = made("deck_overdue", 1, severity="alarm")
    older, closed = made("mispay", 5), made("mispay", 9)
    close_exception(exception_id=closed.pk, by=make_user("P300"), reason="x")
    assert list(exceptions({})) == [old, new, older]
    assert list(exceptions({"state": "closed"})) == [closed]
    assert set(exceptions({"state": "all"})) == {old, new, older, closed}
    assert list(exceptions({"age": "shift"})) == []
    assert list(exceptions({"age": "hour", "severity": "alarm"})) == [old, new]
    assert open_by_kind() == [("deck_overdue", "alarm", 2), ("mispay", "exception", 1)]


def test_what_is_asked_for_is_asked_for_together() -> None:
    mine, by = mispay(table="FPG-02"), make_user("P300", "pit manager")
    mispay()
    take_exception(exception_id=mine.pk, by=by)
    assert list(exceptions({"kind": "mispay", "table": "FPG-02"})) == [mine]
    assert list(exceptions({"owner": "mine"}, by)) == [mine]
    assert exceptions({"owner": "nobody"}).count() == 1
    assert exceptions({"kind": "nothing"}).count() == 0
    assert exceptions({"state": "x", "age": "y"}).count() == 2, "nonsense asks for nothing"


@pytest.mark.parametrize(
    ("age", "text"),
    [
        (timedelta(seconds=59), "0 min"),
        (timedelta(minutes=59), "59 min"),
        (timedelta(hours=3, minutes=5), "3 h 05"),
        (timedelta(days=3), "3 days"),
    ],
)
def test_an_age_in_words(age: timedelta, text: str) -> None:
    assert age_text(age) == text


# ---- the pages -------------------------------------------------------------------------------


def test_the_desk_shows_what_was_over_or_under_paid() -> None:
    found = mispay()
    text = client_of(make_user("P300", "pit manager")).get(DESK).content.decode()
    assert "+5.00" in text
    assert "dealer D100" in text
    assert f"/admin/audit/exceptionrecord/close/?ids={found.pk}" in text


def test_taking_at_the_desk_goes_back_to_the_same_list() -> None:
    found, client = mispay(), client_of(make_user("P300", "pit manager"))
    address = f"/admin/audit/exceptionrecord/{found.pk}/note/"
    told = {"take": "1", "back": "desk", "query": "kind=mispay"}
    assert client.post(address, told)["Location"] == f"{DESK}?kind=mispay"
    found.refresh_from_db()
    assert str(found.owner) == "P300"
    assert 'name="take"' not in client.get(DESK).content.decode()
    page = client.get(f"/admin/audit/exceptionrecord/{found.pk}/change/").content.decode()
    assert "Give it back" in page
    assert "owned by P300" in page
    assert "overpaid: 80.00, 75.00 was right" in page


def test_a_note_is_written_on_the_page_of_the_exception() -> None:
    found, client = mispay(), client_of(make_user())
    address = f"/admin/audit/exceptionrecord/{found.pk}"
    assert client.post(f"{address}/note/", {"text": "Seen."})["Location"] == f"{address}/change/"
    assert "Seen." in client.get(f"{address}/change/").content.decode()
    empty = client.post(f"{address}/note/", {"text": ""}, follow=True)
    assert "Write what others" in empty.content.decode()
    assert found.notes.count() == 1


@pytest.mark.parametrize(("role", "may_read"), [("auditor", 200), ("dealer", 403)])
def test_who_only_reads_writes_nothing(role: str, may_read: int) -> None:
    found, client = mispay(), client_of(make_user("X1", role))
    address = f"/admin/audit/exceptionrecord/{found.pk}"
    assert client.get(DESK).status_code == may_read
    assert client.get(f"{address}/change/").status_code == may_read
    assert client.post(f"{address}/note/", {"take": "1"}).status_code == 403
    assert client.get(f"{address}/note/").status_code == 403
    assert 'name="take"' not in client.get(DESK).content.decode()


def test_pages_of_fifty_keep_what_was_asked_for() -> None:
    for number in range(55):
        made("mispay", number, round=number + 1)
    made("deck_overdue")
    client = client_of(make_user("P300", "pit manager"))
    first = client.get(DESK, {"kind": "mispay"})
    assert len(first.context["rows"]) == 50
    assert "?kind=mispay&amp;page=2" in first.content.decode()
    second = client.get(DESK, {"kind": "mispay", "page": "2"})
    assert len(second.context["rows"]) == 5
    assert client.get(DESK, {"page": "x"}).status_code == 200


def test_an_exception_that_is_not_there() -> None:
    client = client_of(make_user("P300", "pit manager"))
    assert client.get("/admin/audit/exceptionrecord/999999/change/").status_code == 404
    assert client.get("/admin/audit/exceptionrecord/x/change/").status_code == 404
    assert client.post("/admin/audit/exceptionrecord/999999/note/").status_code == 404


# ---- the shell -------------------------------------------------------------------------------


def listed(*options: str) -> str:
    out = StringIO()
    call_command("exceptions", *options, stdout=out)
    return out.getvalue()


def test_the_command_lists_what_was_right_and_what_was_paid() -> None:
    mispay(hours=2)
    made("deck_overdue", severity="alarm", round=None)
    (row,) = json.loads(listed("--kind", "mispay", "--json"))
    assert {key: row[key] for key in ("kind", "table", "round", "position", "wager")} == {
        "kind": "mispay",
        "table": "FPG-01",
        "round": 7,
        "position": 4,
        "wager": "fortune_bonus",
    }
    assert (row["right"], row["paid"], row["state"]) == ("75.00", "80.00", "open")
    assert 7200 <= row["age"] < 7260
    assert len(json.loads(listed("--json"))) == 2
    lines = listed().splitlines()
    assert lines[0].split() == ["kind", "table", "round", "position", "wager", "right", "paid",
                                "state", "age"]  # fmt: skip
    assert lines[1].split()[:3] == ["deck_overdue", "FPG-01", "-"]
    assert lines[-1] == "2 found."


def test_the_command_asks_by_state_and_age() -> None:
    close_exception(exception_id=mispay(hours=30).pk, by=make_user("P300"), reason="x")
    mispay()
    assert len(json.loads(listed("--json"))) == 2
    assert [row["state"] for row in json.loads(listed("--json", "--state", "closed"))] == ["closed"]
    assert json.loads(listed("--json", "--state", "open", "--age", "day")) == []
    assert json.loads(listed("--json", "--table", "FPG-09")) == []
