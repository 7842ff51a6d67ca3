"""The search's page and API: what they read, whom they answer, what they refuse."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from audit.models import AuditEvent
from tables.asking import read_asked
from tables.models import AccessKey
from tables.rules import Refusal
from tables.services.filing import file_rounds
from tables.services.keys import make_key
from tests.documents import STRAIGHT, Sender, seat
from tests.make import make_user

ZONE = ZoneInfo("America/New_York")
FIND, API = "/admin/tables/round/find/", "/api/v1/rounds/"


def asked(**told: Any) -> Any:
    return read_asked(told, ZONE)


def test_times_are_local_unless_told_otherwise_and_a_repeated_hour_is_both() -> None:
    local = asked(**{"from": "2026-03-14T21:05", "to": "2026-03-14T21:05"})
    assert local.since == datetime(2026, 3, 15, 1, 5, tzinfo=UTC)
    assert local.until == local.since + timedelta(seconds=59, microseconds=999_999)
    assert asked(**{"from": "2026-03-14T21:05", "zone": "utc"}).since.hour == 21
    assert asked(**{"from": "2026-03-14T21:05:00-07:00"}).since.hour == 4

    repeated = asked(**{"from": "2026-11-01T01:30", "to": "2026-11-01T01:30"})
    assert repeated.until - repeated.since > timedelta(hours=1)


def test_cards_and_money_as_people_write_them() -> None:
    assert asked(cards="as, 10h  jk").cards == ("AS", "TH", "JK")
    assert asked(paid="$1,750").paid == Decimal(1750)
    assert asked(claim="000123").claim == 123
    assert asked(flags=["void", ""]).flags == ("void",)


@pytest.mark.parametrize(
    ("told", "path"),
    [
        ({"cards": "AS 1H"}, "cards"),
        ({"paid": "-5"}, "paid"),
        ({"paid": "1e3"}, "paid"),
        ({"meter": "NaN"}, "meter"),
        ({"round": "12a"}, "round"),
        ({"claim": "9" * 30}, "claim"),
        ({"position": "10"}, "position"),
        ({"from": "yesterday"}, "from"),
        ({"from": "0001-01-01T00:00"}, "from"),
        ({"from": "2026-03-15T00:00", "to": "2026-03-14T00:00"}, "to"),
        ({"flags": ["sleepy"]}, "flags"),
        ({"game": "poker"}, "game"),
        ({"player": "P" * 65}, "player"),
    ],
)
def test_what_cannot_be_read_is_named(told: dict[str, Any], path: str) -> None:
    with pytest.raises(Refusal) as refused:
        asked(**told)
    assert (refused.value.path, bool(refused.value.detail)) == (path, True)


@pytest.fixture
def played(floor: Any) -> Any:
    sender = Sender()
    floor.play(*[sender.whole(seat(2, STRAIGHT, player="P-7"), dealer="D1") for _ in range(30)])
    file_rounds()
    return floor


def test_the_page_finds_shows_and_goes_on(played: Any, client: Client) -> None:
    client.force_login(make_user("S400", "surveillance"))
    assert "newest first" not in client.get(FIND).content.decode()

    page = client.get(FIND, {"player": "P-7", "position": "2", "from": "2026-03-14T12:02"})
    text = page.content.decode()
    assert "T-1 / 30" in text
    assert "12:30:00 EDT" in text  # local, with its zone
    assert "T-1 / 5<" not in text
    assert "due $28.00" in text
    older = client.get(FIND + "?" + page.context["next"])
    assert [row.round.number for row in older.context["rows"]] == [5, 4, 3, 2]
    assert older.context["next"] == ""

    wrong = client.get(FIND, {"cards": "1S"})
    assert (wrong.status_code, "1S is no card" in wrong.content.decode()) == (422, True)
    assert AuditEvent.objects.filter(action="tables.rounds_searched").count() == 2


def test_the_api_answers_the_same_and_pages(played: Any, client: Client) -> None:
    user = make_user("U600", "auditor")
    _, secret = make_key(name="u", kind=AccessKey.Kind.STAFF, tables=[], user=user)
    headers = {"Authorization": f"Key {secret}"}
    first = client.get(API, {"dealer": "D1", "paid": "28"}, headers=headers).json()
    assert [found["round"] for found in first["rounds"]] == list(range(30, 5, -1))
    assert first["rounds"][0] | {"round_id": ""} == {
        "round_id": "", "table": "T-1", "round": 30, "game": "six_card_fortune_pai_gow",
        "state": "settled", "occurred_at": "2026-03-14T16:30:00.000000Z", "dealer": "D1",
        "gaming_day": "2026-03-14", "floorperson": "", "flags": [], "positions": [2],
    }  # fmt: skip
    rest = client.get(API, {"dealer": "D1", "after": first["after"]}, headers=headers).json()
    assert [found["round"] for found in rest["rounds"]] == [5, 4, 3, 2, 1]
    assert (rest["after"], rest["reached"], rest["unfiled"]) == (None, None, 0)

    wrong = client.get(API, {"after": "x"}, headers=headers)
    assert (wrong.status_code, wrong.json()["path"]) == (422, "after")


def test_only_who_may_search_does(played: Any, client: Client) -> None:
    assert client.get(API).status_code == 401
    client.force_login(make_user("F200", "floorperson"))
    assert client.get(FIND).status_code == 403
    assert client.get(API).status_code == 403
    headers = {"Authorization": f"Key {played.secret}"}
    assert Client().get(API, headers=headers).status_code == 403
    assert not AuditEvent.objects.filter(action="tables.rounds_searched").exists()
