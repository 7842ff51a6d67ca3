"""A round settled again: by its own rules the same, by others what differs and nothing stored."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from audit.access import READ
from audit.canonical import parse
from audit.models import AuditEvent
from progressives.models import Lane
from tables.services.submissions import propose_submission, today
from tables.services.what_if import CannotAsk, what_if
from tests import four_games
from tests.make import make_user
from tests.tables.conftest import Floor

ROUNDS = [("SC-1", 1), ("SC-2", 1), ("PG-1", 1), ("LP-1", 1), ("FB-1", 1), ("SC-1", 2)]


@pytest.fixture
def played(db: None) -> Floor:
    floor = Floor(four_games.setup())
    floor.play(*four_games.all_rounds())
    return floor


@contextmanager
def written() -> Iterator[list[str]]:
    """Collect the statements that change something."""
    found: list[str] = []

    def note(execute: Callable[..., Any], sql: Any, *rest: Any) -> Any:
        if str(sql).lstrip().split(" ")[0].upper() in ("INSERT", "UPDATE", "DELETE", "COPY"):
            found.append(str(sql))
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        yield found


def test_by_its_own_rules_every_round_is_the_same_and_nothing_is_written(played: Floor) -> None:
    before = [lane.number for lane in Lane.objects.order_by("pk")]
    with written() as statements:
        answers = [what_if(table, number) for table, number in ROUNDS]
    assert [(a.table, a.changes, a.others, a.refusal) for a in answers if not a.same] == []
    assert statements == []
    assert [lane.number for lane in Lane.objects.order_by("pk")] == before


def test_another_reading_changes_lines_meters_and_claims(played: Floor) -> None:
    """Under SC-4 "narrow" the joker makes no royal with an ace: position 2 has a straight flush."""
    answer = what_if("SC-1", 1, readings={"SC-4": "narrow"})
    changes = {(c.position, c.wager, c.about): c for c in answer.changes}
    own = changes[2, "progressive", ""]
    assert (own.before["pays"], own.after["pays"]) == ("1800.09", "300.00")
    assert ("hand", "royal_flush", "straight_flush") in own.differs
    assert changes[6, "fortune_bonus", "Envy Bonus for position 2"].money == -750
    assert {key[0] for key in changes} == {6, 4, 2}
    others = {what: (log, other) for what, log, other in answer.others}
    assert others["Meters"] == ("grand ends at 16200.860000", "grand ends at 18000.950000")
    assert "position 2 300.00" in others["Claims"][1]
    who, log, other = answer.sums[-1]
    assert (who, other - log) == ("All positions", sum(c.money for c in answer.changes))


def test_rounding_of_a_share_alone(played: Floor) -> None:
    [first, second] = what_if("SC-1", 1, readings={"SC-10": "up"}).changes
    assert (first.position, first.money) == (6, first.money)
    assert {c.after["pays"] for c in (first, second)} == {"2000.11", "1800.10"}


def test_another_submission_and_one_that_refuses_the_wagers(played: Floor) -> None:
    def propose(version: str, **choices: Any) -> None:
        propose_submission(
            game=four_games.LUNAR, version=version, effective=today() + timedelta(days=1),
            choices=choices, by=make_user(f"P{version}", "pit manager"), reason="Tried.",
        )  # fmt: skip

    propose("b", paytables={"instant": "B"})
    [change] = what_if("LP-1", 1, version="b").changes
    assert (change.position, change.wager, change.money) == (4, "ante", 1250)
    assert ("terms", "250 to 1", "300 to 1") in change.differs

    propose("few", wagers=["ante", "super"])
    refusal = what_if("LP-1", 1, version="few").refusal
    assert refusal is not None
    assert (refusal["code"], refusal["path"]) == (
        "wager_not_offered",
        "positions[0].wagers.super_on",
    )


def test_what_cannot_be_asked(played: Floor) -> None:
    for asked, words in (
        ({"readings": {"SC-99": "x"}}, "no reading SC-99"),
        ({"readings": {"SC-3": "other"}}, "SC-3 can be read as: tie"),
        ({"version": "nope"}, "no submission nope"),
    ):
        with pytest.raises(CannotAsk, match=words):
            what_if("SC-1", 1, **asked)  # type: ignore[arg-type]


def test_the_command_prints_it_and_is_in_the_log(played: Floor) -> None:
    out = StringIO()
    with written() as statements:
        call_command("what_if", "SC-1", "1", "--reading", "sc-4=narrow", stdout=out)
    text = out.getvalue()
    assert "Position 2, Progressive Payout Wager: -1,500.09" in text
    assert "hand: royal flush  ->  straight flush" in text
    assert "All positions" in text
    assert [s for s in statements if "audit_" not in s] == []
    told = parse(bytes(AuditEvent.objects.get(action=READ).body))
    assert told["facts"] == {
        "readings": {"SC-4": "narrow"}, "screen": "what_if", "submission": None,
    }  # fmt: skip
    out = StringIO()
    call_command("what_if", "SC-1", "1", "--json", stdout=out)
    assert json.loads(out.getvalue())["same"] is True
    with pytest.raises(CommandError, match="Write a reading as"):
        call_command("what_if", "SC-1", "1", "--reading", "SC-4")
    with pytest.raises(CommandError, match="tells of no settlement"):
        call_command("what_if", "SC-1", "77")


def test_the_page_asks_and_answers(played: Floor, client: Client) -> None:
    client.force_login(make_user("S400", "surveillance"))
    page = client.get("/admin/rounds/SC-1/1/what-if/")
    assert "Nothing would be otherwise" in page.content.decode()
    page = client.get("/admin/rounds/SC-1/1/what-if/", {"SC-4": "narrow"})
    text = page.content.decode()
    assert "straight flush" in text
    assert page.context["answer"].changes
    page = client.get("/admin/rounds/SC-1/1/what-if/", {"SC-4": "narrow", "of": "t-0"})
    assert page.context["answer"].same, "readings of another submission are not asked for"
    page = client.get("/admin/rounds/SC-1/1/what-if/", {"submission": "nope"})
    assert "There is no submission nope" in page.content.decode()
    client.force_login(make_user("N100", None))
    assert client.get("/admin/rounds/SC-1/1/what-if/").status_code == 403
