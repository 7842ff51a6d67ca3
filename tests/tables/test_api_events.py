"""The API's doors: who may report, what is answered, and the shape of every refusal."""

import json
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client

from audit.models import AuditEvent
from tables.models import Round, TableEvent
from tables.services.keys import revoke_key
from tests.documents import NOTHING, STRAIGHT, Sender, seat
from tests.make import make_user


class Caller:
    """A controller or gateway with its key."""

    def __init__(self, secret: str | None) -> None:
        self.client = Client()
        self.headers = {"Authorization": f"Key {secret}"} if secret else {}

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = self.client.post(
            f"/api/v1/{path}", raw, content_type="application/json", headers=self.headers
        )
        return answer.status_code, answer.json()


@pytest.fixture
def caller(floor: Any) -> Caller:
    return Caller(floor.secret)


def test_one_event(caller: Caller) -> None:
    document = Sender().whole(seat(2, STRAIGHT))
    known = {"event_id": document["event_id"], "table": "T-1", "sequence": 1}
    accepted = (202, {**known, "status": "accepted"})

    assert caller.post("tables/T-1/events/", document) == accepted
    assert caller.post("tables/T-1/events/", document) == accepted
    status, told = caller.post("tables/T-1/events/", {**document, "dealer": "D999"})
    assert (status, told["code"], told["path"]) == (409, "event_conflict", "event_id")


def test_a_list(caller: Caller) -> None:
    sender = Sender()
    first, wrong = sender.whole(seat(2, STRAIGHT)), sender.whole(seat(9, STRAIGHT))

    status, told = caller.post("events/", [first, wrong, first, "no event"])

    assert (status, told["repeated"]) == (202, 1)
    assert [r["status"] for r in told["results"]] == [
        "accepted",
        "refused",
        "accepted",
        "refused",
    ]
    assert set(told["results"][1]) == {
        "event_id", "table", "sequence", "status", "code", "path", "detail",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "status", "code", "path"),
    [
        (b"", 422, "bad_json", ""),
        (b"{", 422, "bad_json", ""),
        (b"\xff", 422, "bad_json", ""),
        (b"[]", 422, "wrong_type", ""),
        (b"null", 422, "wrong_type", ""),
        (b'{"spec": "round/1", "spec": "round/1"}', 422, "duplicate_key", "spec"),
        (b'{"spec": "round/1"}', 422, "missing_key", "event_id"),
        (b'{"sp\xc3\xa9c": 1}', 422, "unknown_key", "sp\\xe9c"),
        (b"[" * 100_000, 422, "bad_json", ""),
    ],
)
def test_what_is_no_event_is_refused_with_a_sentence(
    caller: Caller, body: bytes, status: int, code: str, path: str | None
) -> None:
    answered, told = caller.post("tables/T-1/events/", body)
    assert (answered, told["code"]) == (status, code)
    assert path is None or told["path"] == path
    assert told["detail"].endswith(".")
    assert TableEvent.objects.count() == 0


@pytest.mark.parametrize("depth", [40, 300])
def test_what_is_nested_too_deep_has_no_canonical_form(caller: Caller, depth: int) -> None:
    document = Sender().whole(seat(2, STRAIGHT))
    raw = json.dumps(document)[:-1].encode() + b', "_x": ' + b"[" * depth + b"]" * depth + b"}"
    status, told = caller.post("tables/T-1/events/", raw)
    assert (status, told["code"]) == (422, "bad_value")
    assert told["path"].startswith("_x[0][0]")


@pytest.mark.parametrize("body", [b"", b"{}", b"7", b"[" * 100_000, b"\xff"])
def test_what_is_no_list_is_refused_whole(caller: Caller, body: bytes) -> None:
    status, told = caller.post("events/", body)
    assert (status, set(told)) == (422, {"code", "path", "detail"})


def test_an_event_for_another_table_than_the_address(caller: Caller) -> None:
    status, told = caller.post("tables/T-1/events/", Sender("T-2").whole(seat(1, NOTHING)))
    assert (status, told["code"], told["path"]) == (422, "bad_value", "table")


@pytest.mark.parametrize("secret", [None, "wrong", "é", "a b"])
def test_without_a_good_key_nobody_reports(floor: Any, secret: str | None) -> None:
    caller = Caller(secret)
    status, told = caller.post("events/", [Sender().whole(seat(1, NOTHING))])
    assert (status, set(told)) == (401, {"code", "path", "detail"})
    assert TableEvent.objects.count() == 0


def test_a_revoked_key_is_dead_at_once(floor: Any, caller: Caller) -> None:
    revoke_key(key_id=floor.key.pk)
    status, _ = caller.post("events/", [])
    assert status == 401


def test_staff_do_not_report(floor: Any) -> None:
    client = Client()
    client.force_login(make_user("F200"))
    answer = client.post("/api/v1/events/", b"[]", content_type="application/json")
    assert answer.status_code == 403


def test_reconstruction_is_for_staff_who_may_view_rounds(floor: Any, caller: Caller) -> None:
    floor.play(Sender().whole(seat(2, STRAIGHT)))
    path = f"/api/v1/rounds/{Round.objects.get().pk}/reconstruction/"

    assert Client().get(path).status_code == 401
    assert Client().get(path, headers=caller.headers).status_code == 403
    for role, status in (("surveillance", 200), ("floorperson", 200), ("dealer", 403)):
        client = Client()
        client.force_login(make_user(role[:4], role))
        assert client.get(path).status_code == status
    missing = client.get("/api/v1/rounds/00000000-0000-0000-0000-000000000000/reconstruction/")
    assert missing.status_code == 403


def test_progress(floor: Any, caller: Caller) -> None:
    sender = Sender()
    first, _, third = (sender.whole(seat(n, NOTHING)) for n in (1, 2, 3))
    floor.play(first, third)
    told = Client().get("/api/v1/progress/", headers=caller.headers).json()
    assert told == {"accepted": 2, "done": 1, "waiting": 0, "gap": 1, "held": 0}


def test_schema_and_docs_are_served_here(floor: Any) -> None:
    client = Client()
    schema = client.get("/api/schema/?format=json").json()
    assert {"/api/v1/events/", "/api/v1/tables/{code}/events/"} <= set(schema["paths"])
    page = client.get("/api/docs/").content.decode()
    assert "swagger" in page
    assert "//cdn" not in page


def test_the_log_keeps_what_was_sent_also_where_it_is_no_document(caller: Caller) -> None:
    raw = b'{"spec": "round/1", "spec": "round/1"}'
    caller.post("tables/T-1/events/", raw)
    event = AuditEvent.objects.get(action="tables.event_refused_at_door")
    facts = json.loads(bytes(event.body))["facts"]
    assert facts["document"] == raw.decode()
    assert facts["sha256"] == sha256(raw).hexdigest()
