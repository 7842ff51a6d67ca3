"""The watch in a lane: remembered from batch to batch, told in the log, put before a person."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from audit.models import AuditEvent, ExceptionRecord
from progressives.models import Lane
from tables.models import Equipment, Facility, GamingTable, TableEvent, TableWatch
from tables.rules.watch.late import late_wagers
from tables.services.apply import apply_lane
from tables.services.drain import drain_lane
from tables.services.reconstruct import reconstruct
from tables.services.reconstruct_text import as_text
from tests.documents import NOON, NOTHING, STRAIGHT, Sender, seat
from tests.make import make_user


def told() -> list[tuple[str, str]]:
    return list(ExceptionRecord.objects.order_by("pk").values_list("kind", "table"))


def round_at(sender: Sender, hours: float, **changes: Any) -> dict[str, Any]:
    moment = (NOON + timedelta(hours=hours)).isoformat()
    return sender.whole(seat(2, NOTHING), occurred_at=moment, deck="A", **changes)


def operation(sender: Sender, kind: str, hours: float = 0.0, **facts: Any) -> dict[str, Any]:
    moment = (NOON + timedelta(hours=hours)).isoformat()
    document = sender.envelope("operation", occurred_at=moment, operation={"kind": kind, **facts})
    del document["round"], document["game"]
    return document


def test_a_deck_is_remembered_from_one_batch_to_the_next(floor: Any) -> None:
    sender = Sender()
    floor.play(round_at(sender, 0, dealing="hand"))
    assert told() == []
    floor.play(round_at(sender, 3.8, dealing="hand"))
    floor.play(round_at(sender, 4.1, dealing="hand"))
    assert told() == [("deck_change_due", "T-1"), ("deck_overdue", "T-1")]
    alarm = ExceptionRecord.objects.get(kind="deck_overdue")
    assert (alarm.severity, alarm.cite, alarm.round) == ("alarm", "§ 670a.3(c)(1)", 3)
    assert alarm.facts["deck"] == "A"
    assert alarm.sentence == "Deck A has been on the table for 4 h 06; 4 hours is the most."


def test_the_house_says_how_long_before_it_is_warned(floor: Any) -> None:
    Facility.objects.update(warn_before_minutes=60)
    sender = Sender()
    floor.play(round_at(sender, 0, dealing="hand"), round_at(sender, 3.1, dealing="hand"))
    assert told() == [("deck_change_due", "T-1")]


def test_the_log_tells_what_the_watch_found(floor: Any) -> None:
    sender = Sender()
    floor.play(operation(sender, "deck_in", deck="A", jokers=2, floorperson="F200"))
    page = json.loads(bytes(AuditEvent.objects.get(action="tables.operation_applied").body))
    assert [found["code"] for found in page["facts"]["watched"]] == ["second_joker"]
    assert told() == [("second_joker", "T-1")]


def test_a_round_is_reconstructed_with_what_the_watch_found(floor: Any) -> None:
    sender = Sender()
    floor.play(round_at(sender, 0, dealing="hand"), round_at(sender, 5, dealing="hand"))
    spread = operation(sender, "cards_spread", 5.1, note="as asked")
    floor.play(spread | {"round": 2, "game": "six_card_fortune_pai_gow"})
    steps = reconstruct("T-1", 2)["steps"]
    assert [s["step"] for s in steps if s["step"] in ("watched", "operation")] == [
        "watched",
        "operation",
    ]
    text = "\n".join(as_text(reconstruct("T-1", 2)))
    assert "Watch: Deck A has been on the table for 5 h 00" in text
    assert "Operation: cards spread" in text


def test_a_refused_event_changes_nothing_of_what_is_remembered(floor: Any) -> None:
    sender = Sender()
    floor.play(round_at(sender, 0))
    again = round_at(sender, 9) | {"round": 1, "deck": "B"}
    floor.play(again)
    assert told() == [("event_refused_at_turn", "T-1")]
    assert list(TableWatch.objects.get().state["decks"]) == ["A"]


def test_a_filler_that_comes_late_is_seen_in_its_turn(floor: Any) -> None:
    sender = Sender()
    first, second, third = (round_at(sender, hours, dealing="hand") for hours in (0, 2, 4.5))
    floor.accept(first, third)
    floor.apply()
    assert told() == []
    floor.play(second)
    assert told() == [("deck_overdue", "T-1")]


def test_a_dealer_at_two_linked_tables(floor: Any) -> None:
    here, there = Sender("T-1"), Sender("T-2")
    floor.play(round_at(here, 0), round_at(here, 2))
    floor.play(round_at(there, 1))
    floor.play(round_at(here, 3), round_at(there, 3.1))
    alarms = ExceptionRecord.objects.filter(kind="dealer_at_two_tables")
    assert [(a.severity, a.facts["tables"]) for a in alarms] == [("alarm", ["T-1", "T-2"])]
    assert alarms[0].sentence == "Dealer D100 dealt at T-1 and at T-2 at the same time."


def test_a_dealer_who_walks_to_the_next_table(floor: Any) -> None:
    here, there = Sender("T-1"), Sender("T-2")
    floor.play(round_at(here, 0), round_at(here, 1))
    floor.play(round_at(there, 1.1), round_at(here, 1.2, dealer="D101"))
    assert told() == []


def test_a_dealer_at_tables_of_two_lanes(floor: Any) -> None:
    lane = Lane.objects.create(name="T-9")
    GamingTable.objects.filter(code="T-2").update(lane=lane, progressive=None)
    floor.play(round_at(Sender("T-1"), 0), operation(sender_at("T-1", 1), "cut", 2))
    plain = Sender("T-2").whole(
        seat(2, NOTHING, progressive=False), occurred_at=(NOON + timedelta(hours=1)).isoformat()
    )
    floor.accept(plain)
    apply_lane(lane_id=lane.pk)
    floor.apply()
    assert told() == [], "the cut names no round, and T-1 has ended one only"
    floor.play(round_at(sender_at("T-1", 2, 1), 2))
    assert told() == [("dealer_at_two_tables", "T-1")]


def sender_at(table: str, sequence: int, number: int = 0) -> Sender:
    sender = Sender(table)
    sender.sequence, sender.round = sequence, number
    return sender


def test_the_register_is_asked_for_devices(floor: Any) -> None:
    table = GamingTable.objects.get(code="T-1")
    day = NOON.date()
    Equipment.objects.create(
        kind="shuffler", serial="S-1", table=table, approval="BGLO 17", approved_on=day
    )
    sender = Sender()
    floor.play(operation(sender, "shuffle", device="S-1"), operation(sender, "cut", device="S-2"))
    assert told() == [("device_not_registered", "T-1")]


def test_two_decks_by_the_set_up(floor: Any) -> None:
    GamingTable.objects.update(decks_in_use=2)
    sender = Sender()
    floor.play(round_at(sender, 0), round_at(sender, 0.1))
    assert told() == [("deck_not_alternated", "T-1")]


def test_what_is_remembered_can_be_lost(floor: Any) -> None:
    """A working row: without it the watch begins anew and nothing else is the worse for it."""
    sender = Sender()
    floor.play(round_at(sender, 0, dealing="hand"))
    TableWatch.objects.update(state={"a newer house": "remembers more"})
    floor.play(round_at(sender, 5, dealing="hand"))
    assert told() == []
    assert TableWatch.objects.get().state["a newer house"] == "remembers more"


def test_a_drain_remembers_while_it_writes(
    committed_db: Any, django_db_blocker: Any, make_floor: Callable[[], Any]
) -> None:
    """Batches of two, each worked out while the one before it is written."""
    floor, sender = make_floor(), Sender()
    floor.accept(*[round_at(sender, hours / 4, dealing="hand") for hours in range(20)])
    assert drain_lane(lane_id=floor.lane.pk, seconds=30, limit=2).done == 20
    assert told() == [("deck_change_due", "T-1"), ("deck_overdue", "T-1")]
    assert TableWatch.objects.get().state["ended"] == int(
        TableEvent.objects.order_by("-sequence")[0].occurred_at.timestamp()
    )


@pytest.fixture
def make_floor() -> Callable[[], Any]:
    from tests.tables.conftest import Floor  # noqa: PLC0415 - beside the fixture that rolls back

    return Floor


# ---- the pages -------------------------------------------------------------------------------


def test_the_page_of_cards_shows_every_table(floor: Any, client: Any) -> None:
    floor.play(operation(Sender(), "deck_in", deck="red-7", jokers=1, floorperson="F200"))
    client.force_login(make_user("F300"))
    page = client.get(reverse("admin:tables_gamingtable_cards"))
    text = page.content.decode()
    assert page.status_code == 200
    assert "Deck red-7" in text
    assert "T-2" in text
    client.force_login(make_user("C1", "table controller"))
    assert client.get(reverse("admin:tables_gamingtable_cards")).status_code == 403


# ---- wagers after "no more bets" -------------------------------------------------------------


def test_670a_2_c_2_a_wager_made_after_the_lock_out_alarms(floor: Any) -> None:
    sender = Sender()
    floor.play(sender.lockout(seat(2, NOTHING, progressive=False)))
    floor.play(sender.settlement(seat(2, NOTHING)))
    alarm = ExceptionRecord.objects.get()
    assert (alarm.kind, alarm.severity, alarm.position) == ("wager_after_lockout", "alarm", 2)
    assert alarm.facts["late"] == [{"position": 2, "wager": "progressive", "amount": "1.00"}]
    assert alarm.sentence == (
        "Position 2: a progressive wager of $1.00 was made or raised after the lock-out."
    )
    floor.play(sender.settlement(seat(2, NOTHING, progressive=False)))
    assert told() == [("wager_after_lockout", "T-1")], "the correction is settled"


@pytest.mark.parametrize(
    ("now", "before", "late"),
    [
        ({"main": "25.00"}, {"main": "25.00"}, []),
        ({"main": "30.00"}, {"main": "25.00"}, ["main"]),
        ({"main": "20.00"}, {"main": "25.00"}, []),
        ({"main": "25.00", "double_down": "25.00", "_x": 1}, {"main": "25.00"}, []),
        ({"super_on": {"dealer": "5.00"}}, {"super_on": {"dealer": "5.00"}}, []),
        ({"super_on": {"dealer": "5.00", "2": "5.00"}}, {"super_on": {"2": "5.00"}}, ["super_on"]),
        ({"red_black": {"amount": "5.00", "on": "red"}}, {}, ["red_black"]),
    ],
)
def test_what_counts_as_a_late_wager(now: Any, before: Any, late: list[str]) -> None:
    found = late_wagers(
        {"positions": [{"position": 1, "wagers": now}]},
        {"positions": [{"position": 1, "wagers": before}]},
        frozenset({"double_down"}),
    )
    assert [one["wager"] for one in found] == late


def test_a_mispay_says_who_dealt_and_by_how_much(floor: Any) -> None:
    floor.play(Sender().whole(seat(2, STRAIGHT, paid={"main": "25.00", "progressive": "5.00"})))
    found = ExceptionRecord.objects.get(kind="mispay")
    facts = {key: found.facts[key] for key in ("dealer", "wager", "difference", "direction")}
    assert facts == {
        "dealer": "D100",
        "wager": "progressive",
        "difference": "+2.00",
        "direction": "over",
    }
