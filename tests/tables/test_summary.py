"""The day in one sentence, and every way in which it does not hold."""

import json
from collections.abc import Callable
from datetime import date
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import call_command

from progressives.models import Lane
from tables.models import GamingTable
from tables.services.accept import accept_events
from tables.services.apply import apply_lane
from tables.services.keys import make_key
from tables.services.summary import count, summarize
from tests import days

EXPECTED = json.loads(days.EXPECTED.read_text())
Insider = Callable[[str], None]


def report(events: list[Any], *, apply: bool = True) -> None:
    """Take events into the intake, and let the lanes apply them."""
    key, _ = make_key(name="test", kind="gateway", tables=GamingTable.objects.all())
    answers = accept_events(events, key=key)
    assert {answer.status for answer in answers} == {"accepted"}
    while apply and any(apply_lane(lane_id=lane.pk) for lane in Lane.objects.all()):
        pass


@pytest.fixture
def insider(committed_db: Any) -> Insider:
    """Play the sample day; return the hand of someone with the owner's rights."""
    call_command("load_setup", days.SETUP, stdout=StringIO())
    report(days.read_lines(days.EVENTS))

    def write(statement: str) -> None:
        with psycopg.connect(committed_db.owner_url, autocommit=True) as owner:
            for table in ("meterentry", "meter", "jackpotclaim", "claimstep"):
                owner.execute(f"ALTER TABLE progressives_{table} DISABLE TRIGGER USER")
            owner.execute(statement)

    return write


def test_a_day_that_holds_is_said_in_one_sentence(insider: Insider) -> None:
    told = StringIO()
    call_command("day_summary", stdout=told)

    summary = summarize()
    assert summary.ok
    assert summary.gaming_day == date(2026, 3, 14)
    assert (summary.rounds, summary.voids) == (EXPECTED["rounds"], EXPECTED["voids"])
    assert told.getvalue().splitlines()[-1] == (
        f"{EXPECTED['rounds']} rounds, {summary.wagers} progressive wagers of "
        f"${summary.wagered:,.2f}; 2 meters reconcile to the cent; {EXPECTED['claims']} claims; "
        f"{summary.audit_events} audit events verified."
    )


def test_wagers_are_those_of_settled_rounds(insider: Insider) -> None:
    settled = [e for e in days.read_lines(days.EVENTS) if e["type"] in ("settlement", "round")]
    rounds = {(e["table"], e["round"]): e["positions"] for e in settled}
    wagers = [s["wagers"].get("progressive") for seats in rounds.values() for s in seats]
    placed = [float(wager) for wager in wagers if wager]
    assert (summarize().wagers, float(summarize().wagered)) == (len(placed), sum(placed))


def test_another_day_has_its_own_rounds_and_claims(insider: Insider) -> None:
    summary = summarize(date(2026, 3, 13))
    assert (summary.rounds, summary.count_of_claims, summary.wagers) == (0, 0, 0)
    assert summary.ok


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("UPDATE progressives_meter SET value = value + 0.01", "does not reconcile: 0.01"),
        (
            "UPDATE progressives_jackpotclaim SET amount = amount + 1 WHERE id ="
            " (SELECT min(id) FROM progressives_jackpotclaim)",
            "differ at 1 position",
        ),
        (
            "WITH gone AS (SELECT min(id) AS id FROM progressives_jackpotclaim), steps AS"
            " (DELETE FROM progressives_claimstep USING gone WHERE claim_id = gone.id)"
            " DELETE FROM progressives_jackpotclaim c USING gone WHERE c.id = gone.id",
            "differ at 1 position",
        ),
    ],
)
def test_what_an_insider_did_is_named_and_ends_with_1(
    insider: Insider, statement: str, fault: str
) -> None:
    insider(statement)
    told = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("day_summary", "--json", stdout=told)
    assert ended.value.code == 1
    found = json.loads(told.getvalue())
    assert not found["ok"]
    assert fault in found["faults"][0]


def test_a_broken_log_is_named(insider: Insider) -> None:
    insider(
        "ALTER TABLE audit_auditevent DISABLE TRIGGER append_only_rows;"
        "DELETE FROM audit_auditevent WHERE id = (SELECT min(id) FROM audit_auditevent)"
    )
    summary = summarize()
    assert not summary.audit_verified
    assert "The log is broken in system at 1" in summary.faults[0]
    assert summary.sentence().endswith("audit events DO NOT VERIFY.")


def test_an_event_that_waits_is_named(insider: Insider) -> None:
    events = days.read_lines(days.EVENTS)
    last = max(e["sequence"] for e in events if e["table"] == "T-1")
    more = {**next(e for e in events if e["type"] == "operation"), "table": "T-1"}
    more |= {"event_id": "5eed0000-0000-4000-8000-00000000000a", "sequence": last + 1}
    report([more], apply=False)
    assert summarize().faults == ["1 event of the intake not applied yet."]

    more |= {"event_id": "5eed0000-0000-4000-8000-00000000000b", "sequence": last + 4}
    report([more])
    assert summarize().faults == ["1 event held behind a missing one."]


def test_a_house_that_has_not_opened_has_nothing_wrong(committed_db: Any) -> None:
    summary = summarize()
    assert summary.ok
    assert summary.sentence() == (
        "0 rounds, 0 progressive wagers of $0.00; 0 meters reconcile to the cent; 0 claims; "
        "0 audit events verified."
    )


def test_numbers_stand_with_their_noun() -> None:
    assert [count(1, "round"), count(0, "round"), count(1234, "round")] == [
        "1 round",
        "0 rounds",
        "1,234 rounds",
    ]
