"""The casebook's pages: a case from its opening to its closing, and rounds that are preserved."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from audit import footage
from audit.canonical import parse
from audit.models import AuditEvent, Case, FootageHold, PreservedRound
from tables.services.reconstruct import reconstruct
from tests.documents import STRAIGHT, Sender, seat
from tests.make import make_user

CASES, LOG = "/admin/audit/case/", "/admin/audit/case/log/"
FOOTAGE, PRESERVE = "/admin/audit/case/footage/", "/admin/tables/round/preserve/"
OPENING = {
    "type": "dispute", "title": "Paid 75 for 25", "text": "The patron at 2 complains.",
    "occurred_from": "2026-03-14T21:00", "occurred_until": "2026-03-14T21:02",
    "reported_at": "2026-03-14T22:00",
}  # fmt: skip


@pytest.fixture
def played(floor: Any) -> Any:
    sender = Sender()
    moment = (timezone.now() - timedelta(days=2)).isoformat()
    floor.play(sender.whole(seat(2, STRAIGHT, player="P-7"), dealer="D1", occurred_at=moment))
    return floor


def logged_in(code: str, role: str = "surveillance") -> Client:
    client = Client()
    client.force_login(make_user(code, role))
    return client


def test_a_case_is_opened_written_audited_reviewed_and_closed(played: Any) -> None:
    first, second = logged_in("S400"), logged_in("S401")
    wrong = first.post(CASES, {**OPENING, "occurred_until": "2026-03-14T20:00"})
    assert (wrong.status_code, "lies before" in wrong.content.decode()) == (422, True)
    first.post(CASES, OPENING)
    case = Case.objects.get()
    assert case.occurred_from == datetime(2026, 3, 15, 1, 0, tzinfo=UTC)  # local: New York
    address = f"{CASES}{case.pk}/change/"

    def write(client: Client, **told: str) -> int:
        return client.post(address, told).status_code

    assert write(first, do="link", what="round", which="T-1/1", text="") == 302
    assert write(first, do="person", role="dealer", name="D1", text="") == 302
    assert write(first, do="violation", violation="Overpaid", dealer="D1", supervisor="F1",
                 amount="-50", text="Paid 75.") == 302  # fmt: skip
    audit = case.entries.get(kind="violation")
    told = {"do": "review", "about": str(audit.number), "agreed": "yes", "text": "So it was."}
    assert (write(first, **told), write(second, **told)) == (422, 302)
    assert write(second, do="status", status="closed", text="Settled.") == 302
    assert write(second, do="note", text="One more.") == 422
    assert write(second, do="dance", text="x") == 422
    text = second.get(address).content.decode()
    for words in ("T-1/1", "dealer: D1", "-50.00", "agrees", "2026-03-14 21:00", "EDT", "Closed"):
        assert words in text
    assert "Paid 75 for 25" in first.get(CASES, {"status": "closed"}).content.decode()
    assert "No cases" in first.get(CASES, {"status": "open"}).content.decode()


def test_a_withheld_case_is_not_there_for_who_may_not_see_it(played: Any) -> None:
    first, second = logged_in("S400"), logged_in("S401")
    regulator = logged_in("R800", "regulator")
    first.post(CASES, OPENING)
    address = f"{CASES}{Case.objects.get().pk}/change/"
    assert second.get(address).status_code == 200
    told = {"do": "withhold", "from_whom": "S401", "text": "He is a witness."}
    assert first.post(address, told).status_code == 302
    for answer in (second.get(address), second.post(address, {"do": "note", "text": "x"})):
        assert answer.status_code == 404
    assert "Paid 75" not in second.get(CASES).content.decode()
    assert "Paid 75" in regulator.get(CASES).content.decode()
    assert regulator.get(address).status_code == 200
    assert "unknown" not in second.get(FOOTAGE).content.decode()
    asked = {"table": "T-1", "round": "1", "reason": "x", "case": "1"}
    assert second.post(PRESERVE, asked).status_code == 422


def test_a_round_is_preserved_with_its_footage(played: Any) -> None:
    client = logged_in("S400")
    client.post(CASES, OPENING)
    case = Case.objects.get()
    before = reconstruct("T-1", 1)
    missing = client.post(PRESERVE, {"table": "T-1", "round": "99", "reason": "x"})
    assert "no round 99" in missing.content.decode()
    client.post(FOOTAGE, {"do": "camera", "table": "T-1", "camera": "PTZ-1", "sees": "yes",
                          "sees_from": "2026-01-01T00:00", "keeps_days": "3"})  # fmt: skip
    told = {"table": "T-1", "round": "1", "reason": "Complaint", "case": str(case.number)}
    page = client.post(PRESERVE, told, follow=True).content.decode()
    assert "T-1/1 is preserved. Footage held: PTZ-1." in page

    kept = PreservedRound.objects.get()
    assert parse(bytes(kept.body)) == before
    assert sha256(bytes(kept.body)).hexdigest() == kept.digest
    event = AuditEvent.objects.get(action="audit.round_preserved")
    assert kept.digest.encode() in bytes(event.body)
    held = FootageHold.objects.get()
    assert (held.case, held.ends - held.begins) == (case, timedelta(minutes=10))
    assert footage.warn_of_expiry() == 1
    assert "severity alarm" in client.get(FOOTAGE).content.decode()
    client.post(FOOTAGE, {"do": "saved", "hold": str(held.pk), "where": "Disk 7"})
    assert "Nothing is held" in client.get(FOOTAGE).content.decode()


def test_the_daily_log_is_handed_over_between_shifts(played: Any) -> None:
    first, second = logged_in("S400"), logged_in("S401")
    first.post(LOG, {"do": "note", "text": "Camera 4 was out from 02:10 to 02:25."})
    first.post(LOG, {"do": "handover", "text": "Watch T-1."})
    assert "Handed over and not taken over" in second.get(LOG).content.decode()
    assert first.post(LOG, {"do": "take_over", "about": "2", "text": ""}).status_code == 422
    assert second.post(LOG, {"do": "take_over", "about": "2", "text": ""}).status_code == 302
    assert second.post(LOG, {"do": "correct", "about": "1", "text": "To 02:35."}).status_code == 302
    assert "Handed over and not taken over" not in second.get(LOG).content.decode()
    assert second.post(LOG, {"do": "withhold", "from_whom": "S400", "text": "x"}).status_code == 422


@pytest.mark.parametrize("address", [CASES, LOG, FOOTAGE])
def test_only_surveillance_writes_and_only_auditors_read_beside_it(
    played: Any, address: str
) -> None:
    auditor, pit = logged_in("U600", "auditor"), logged_in("P300", "pit manager")
    assert auditor.get(address).status_code == 200
    assert auditor.post(address, {**OPENING, "do": "note"}).status_code == 403
    assert pit.get(address).status_code == 403
    assert not Case.objects.exists()
