"""The pages of paper: desk, downtime, form, second person; the display's answer; who may what."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from audit.models import AuditEvent
from tables.models import Downtime, DowntimeEnd, FormEntry, PaperForm, Round
from tables.pages.forms.paper import cards_of, dollars_of
from tables.services.downtime import begin_downtime
from tables.services.paper import issue_forms
from tests.documents import NOON, Sender, seat
from tests.documents import NOTHING as HAND
from tests.make import make_user

DESK = "/admin/tables/gamingtable/downtime/"


def client_of(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def first(floor: Any) -> Client:
    return client_of(make_user("F1"))


FILLED = {
    "round": "41", "occurred_at": "2026-03-14T12:05:00", "dealer": "D100",
    "cards:2": "4s 6c 10d 8h kc 3d", "low:2": "10d", "main:2": "25", "fortune_bonus:2": "$5.00",
    "dealer_cards": "7D 8C QC 2H 9H 3S",
}  # fmt: skip


def test_from_the_pad_to_the_end(floor: Any, first: Client) -> None:
    second = client_of(make_user("P1", "pit manager"))
    first.post(DESK, {"deed": "issue", "table": "T-1", "number": "2"})
    told = {"deed": "begin", "table": "T-1", "began_at": "2026-03-14T12:00", "reason": "Network."}
    first.post(DESK, told)
    downtime = Downtime.objects.get()
    assert downtime.began_at == NOON  # the page's clock is the facility's
    page = f"{DESK}{downtime.pk}/"
    assert "Forms 1, 2 are neither entered" in first.get(page).content.decode()
    assert "On paper" in second.get("/admin/progressives/jackpotclaim/queue/").content.decode()

    wrong = first.post(f"{page}form/1/", FILLED | {"cards:2": "4S 6C"})
    assert wrong.status_code == 422
    assert "4S 6C" in wrong.content.decode()  # what was typed stays
    done = first.post(f"{page}form/1/", FILLED)
    assert done.status_code == 302
    entry = FormEntry.objects.get()
    assert entry.document["positions"][0]["wagers"] == {"main": "25.00", "fortune_bonus": "5.00"}
    assert entry.document["occurred_at"] == "2026-03-14T12:05:00-04:00"
    assert "You entered this form" in first.get(f"{DESK}entry/{entry.pk}/").content.decode()
    assert first.post(f"{DESK}entry/{entry.pk}/", {"deed": "confirm"}).status_code == 409
    assert "ten of diamonds" in second.get(f"{DESK}entry/{entry.pk}/").content.decode()
    assert second.post(f"{DESK}entry/{entry.pk}/", {"deed": "confirm"}).status_code == 302
    floor.apply()
    assert Round.objects.get().number == 41

    first.post(page, {"deed": "void", "form": ["2"], "reason": "Not used."})
    refused = first.post(page, {"deed": "end"})
    assert refused.status_code == 409
    assert "is not read" in refused.content.decode()
    first.post(page, {"deed": "read", f"value:{floor.meter.pk}": "20000.00"})
    assert first.post(page, {"deed": "end", "note": "Back."}).status_code == 302
    assert DowntimeEnd.objects.get().note == "Back."
    assert "Void: Not used." in first.get(page).content.decode()  # voids are kept
    assert "On paper" not in second.get("/admin/progressives/jackpotclaim/queue/").content.decode()
    assert "Ended" in first.get(DESK).content.decode()


def test_a_void_round_and_what_only_json_can_say(floor: Any, first: Client) -> None:
    user = make_user("F9")
    issue_forms(table="T-1", number=2, by=user)
    made = begin_downtime(table="T-1", began_at=NOON, by=user, reason="Down.")
    page = f"{DESK}{made.pk}/form/"
    void = FILLED | {"cite": "670a.13(e)", "round": "42"}
    assert first.post(f"{page}1/", void).status_code == 302
    assert FormEntry.objects.get().document["type"] == "void"
    more = FILLED | {"more:2": '{"lamp": true, "wagers": {"progressive": "1.00"}}'}
    assert first.post(f"{page}2/", more).status_code == 302
    [told] = FormEntry.objects.latest("pk").document["positions"]
    assert told["lamp"] is True
    assert told["wagers"]["progressive"] == "1.00"
    assert first.post(f"{page}2/", FILLED | {"more:2": "[1"}).status_code == 422
    assert first.post(f"{page}2/", FILLED | {"round": "x"}).status_code == 422
    assert first.post(f"{page}2/", FILLED | {"occurred_at": "noon"}).status_code == 422
    assert first.post(f"{DESK}{made.pk}/", {"deed": "dance"}).status_code == 409


def test_who_may_look_and_who_may_work(floor: Any) -> None:
    surveillance, nobody = (
        client_of(make_user("S1", "surveillance")),
        client_of(make_user("N", None)),
    )
    begin_downtime(table="T-1", began_at=NOON, by=make_user("F9"), reason="Down.")
    assert surveillance.get(DESK).status_code == 200
    assert "Begin a downtime" not in surveillance.get(DESK).content.decode()
    refused = surveillance.post(DESK, {"deed": "issue", "table": "T-1", "number": "1"})
    assert refused.status_code == 409
    assert not PaperForm.objects.exists()
    for address in (DESK, f"{DESK}{Downtime.objects.get().pk}/", f"{DESK}entry/1/"):
        assert nobody.get(address).status_code == 403
    assert surveillance.get(f"{DESK}999/").status_code == 404


def test_a_tables_display_says_what_may_be_done(floor: Any, first: Client) -> None:
    floor.play(Sender().whole(seat(2, HAND)))
    address = "/admin/tables/gamingtable/display/T-1/"
    assert first.get(address).status_code == 200
    told = first.get(f"{address}now/").json()
    assert (told["progressive_wagers"], told["meters"][0]["said"]) == (True, "$20,000.21")
    began = NOON + timedelta(minutes=5)
    begin_downtime(table="T-1", began_at=began, by=make_user("F9"), reason="Down.")
    assert first.get(f"{address}now/").json()["reason"] == "table_down"
    assert first.get("/admin/tables/gamingtable/display/T-9/now/").status_code == 404
    assert client_of(make_user("N", None)).get(f"{address}now/").status_code == 403


def test_cards_and_sums_as_people_write_them() -> None:
    assert cards_of("as, 10d joker") == ["AS", "TD", "JK"]
    assert [dollars_of(text) for text in ("5", "$1,250.00", "2.5", "0.005", "five")] == [
        "5.00",
        "1250.00",
        "2.50",
        "0.005",
        "five",
    ]


def test_the_pad_is_printed_and_the_log_says_who_took_it(floor: Any, first: Client) -> None:
    address = f"{DESK}pad/T-1.pdf"
    assert first.get(address).status_code == 404  # no form is out
    issue_forms(table="T-1", number=3, by=make_user("F9"))
    answers = [first.get(address) for _ in range(2)]
    assert answers[0].content == answers[1].content
    assert answers[0].content.startswith(b"%PDF-")
    assert answers[0].content.count(b"/Type /Page\n") == 3
    printed = AuditEvent.objects.filter(action="tables.forms_printed")
    assert b'"first":1,"forms":3,"last":3' in bytes(printed[0].body)
    assert client_of(make_user("S1", "surveillance")).get(address).status_code == 403
