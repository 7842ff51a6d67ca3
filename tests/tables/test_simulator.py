"""What the simulator sends is what a table may send: one seed, one day, every event valid."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tables.rules import (
    Submission,
    TableTerms,
    check_envelope,
    check_event,
    check_follows_lockout,
    lockout,
    settle,
    void,
)
from tables.rules.cards import DECK_AND_JOKER
from tables.rules.hands import CATEGORIES, CATEGORY_FROM, evaluate
from tables.simulator import Start, play
from tables.simulator.deck import LUCKY, deal, set_low, stack_luck
from tables.simulator.play import Moment

GAME = "six_card_fortune_pai_gow"
BEGINS = datetime(2026, 3, 14, 11, tzinfo=UTC)
WAGERS = ["main", "double_down", "fortune_bonus", "insurance", "progressive"]


def terms(code: str = "SC-1", unit: str | None = "1.00", wagers: Sequence[str] = WAGERS) -> Any:
    submission = Submission.make(GAME, {"version": "t", "wagers": list(wagers)})
    return TableTerms(code, GAME, 6, submission, Decimal(unit) if unit else None)


def day(*tables: TableTerms, rounds: int = 400, seed: int = 7, **more: Any) -> list[Moment]:
    starts = [Start(table) for table in tables]
    return list(play(starts, rounds=rounds, seed=seed, begins=BEGINS, **more))


def four_tables() -> list[TableTerms]:
    return [terms("SC-1"), terms("SC-2"), terms("SC-3"), terms("SC-4", "5.00")]


def judge(moments: list[Moment], tables: list[TableTerms]) -> list[Any]:
    """Check every event as the intake does, in turn; return what the rounds came to."""
    by_code = {table.code: table for table in tables}
    locked: dict[tuple[str, int], dict[str, Any]] = {}
    settled = []
    for moment in moments:
        event = json.loads(json.dumps(moment.event))
        table = by_code[event["table"]]
        check_envelope(event)
        check_event(event, table)
        key = (event["table"], event.get("round", 0))
        if event["type"] == "lockout":
            lockout(event, table)
            locked[key] = event
        elif event["type"] == "void":
            settled.append(void(event, table, locked.pop(key, None)))
        elif event["type"] != "operation":
            if event["type"] == "settlement":
                check_follows_lockout(event, locked.pop(key), table)
            settled.append(settle(event, table))
    assert not locked, "a round was locked out and never ended"
    return settled


def test_the_same_seed_is_the_same_day_and_another_is_not() -> None:
    first = day(*four_tables(), rounds=40)
    assert first == day(*four_tables(), rounds=40)
    assert first != day(*four_tables(), rounds=40, seed=8)


def test_every_event_is_valid_and_every_round_ends() -> None:
    tables = four_tables()
    settled = judge(day(*tables, lucky=True), tables)
    assert len(settled) == 400


def test_sequences_are_without_gap_and_times_never_go_back() -> None:
    moments = day(*four_tables())
    for code in ("SC-1", "SC-4"):
        sequences = [m.event["sequence"] for m in moments if m.table == code]
        assert sequences == list(range(1, len(sequences) + 1))
    assert [m.at for m in moments] == sorted(m.at for m in moments)
    assert len({m.event["event_id"] for m in moments}) == len(moments)


def test_a_table_goes_on_where_it_stood() -> None:
    first = day(terms(), rounds=10)
    last = first[-1].event["sequence"]
    rounds = max(m.event.get("round", 0) for m in first)

    again = list(play([Start(terms(), last + 1, rounds + 1)], rounds=10, seed=7, begins=BEGINS))

    assert again[0].event["sequence"] == last + 1
    assert min(m.event["round"] for m in again if "round" in m.event) == rounds + 1
    assert not {m.event["event_id"] for m in first} & {m.event["event_id"] for m in again}


def test_a_round_left_open_is_voided_first() -> None:
    start = Start(terms(), sequence=6, number=3, left_open=2)
    first = next(iter(play([start], rounds=1, seed=7, begins=BEGINS))).event
    assert (first["type"], first["round"], first["sequence"]) == ("void", 2, 6)
    assert first["irregularity"]["cite"] == "670a.13(h)"


def test_what_the_dealer_pays_is_what_the_engine_says_but_for_few_slips() -> None:
    tables = four_tables()
    settled = judge(day(*tables), tables)
    flags = Counter(flag["code"] for outcome in settled for flag in outcome.flags)
    assert 0 < flags["mispay"] < 20
    assert set(flags) <= {"mispay", "lamp_not_lit", "adjacent_positions"}


def test_the_day_has_what_a_floor_sees() -> None:
    tables = four_tables()
    moments = day(*tables, rounds=1200, lucky=True)
    settled = judge(moments, tables)
    types = Counter(m.event["type"] for m in moments)
    assert set(types) == {"operation", "lockout", "settlement", "round", "void"}
    assert 4 <= types["void"] <= 30
    wins = Counter(win.hand for outcome in settled for win in outcome.wins)
    assert wins["straight"] > 20
    assert wins["royal_flush"] > 0
    assert any(outcome.envies for outcome in settled)
    seats = [seat for m in moments for seat in m.event.get("positions", ()) if "cards" in seat]
    assert {"low" in seat for seat in seats} == {True, False}
    assert any("stub" in m.event for m in moments)
    assert any("left_count" in m.event for m in moments)


def test_a_person_on_two_positions_sits_on_adjacent_ones() -> None:
    found = False
    for moment in day(*four_tables()):
        places: dict[str, list[int]] = {}
        for seat in moment.event.get("positions", ()):
            places.setdefault(seat["player"], []).append(seat["position"])
        for mine in places.values():
            found |= len(mine) == 2
            assert mine in ([mine[0]], [mine[0], mine[0] + 1])
    assert found


def test_a_table_without_a_progressive_gets_none() -> None:
    table = terms(unit=None, wagers=["main", "fortune_bonus"])
    judge(day(table, rounds=50), [table])
    for moment in day(table, rounds=50):
        for seat in moment.event.get("positions", ()):
            assert set(seat["wagers"]) <= {"main", "fortune_bonus"}
            assert "lamp" not in seat


def test_670a_5_i_the_first_card_goes_where_the_dice_send_it() -> None:
    starts = [m.event["start"] for m in day(terms()) if "start" in m.event]
    assert starts
    for start in starts:
        counted = (sum(start["dice"]) - 1) % 7
        assert start["first"] == (7 - counted if counted else 0)


def test_times_carry_the_houses_zone_and_pace_stretches_them() -> None:
    zone = ZoneInfo("America/New_York")
    slow = day(terms(), rounds=20, zone=zone)
    fast = day(terms(), rounds=20, zone=zone, pace=0.1)
    assert slow[0].event["occurred_at"].endswith("-04:00")
    assert (slow[-1].at - BEGINS) / (fast[-1].at - BEGINS) == pytest.approx(10)


# ---- the deck -------------------------------------------------------------------------------


def test_seven_stacks_of_six_and_eleven_left_are_the_whole_deck() -> None:
    dealt = deal(Random(1))
    assert [len(stack) for stack in dealt.stacks.values()] == [6] * 7
    assert len(dealt.left) == 11
    whole = [card for stack in dealt.stacks.values() for card in stack] + dealt.left
    assert sorted(whole) == sorted(DECK_AND_JOKER)


@pytest.mark.parametrize("made", [made for made, _ in LUCKY], ids=lambda made: made.__name__)
def test_a_stacked_hand_is_what_it_is_called(made: Any) -> None:
    rng = Random(2)
    for _ in range(200):
        cards = made(rng)
        assert len(set(cards)) == len(cards)
        cards += [next(card for card in DECK_AND_JOKER if card not in cards)] * (5 - len(cards))
        assert CATEGORIES[evaluate(cards) >> CATEGORY_FROM] == made.__name__


def test_luck_never_needs_a_card_twice() -> None:
    rng = Random(3)
    pairs = 0
    for _ in range(500):
        stacked = stack_luck(rng, [1, 3, 6])
        pairs += len(stacked) == 2
        whole = deal(rng, stacked)
        cards = [card for stack in whole.stacks.values() for card in stack] + whole.left
        assert sorted(cards) == sorted(DECK_AND_JOKER)
    assert pairs


@pytest.mark.parametrize(
    ("cards", "low"),
    [
        ("AS KD 9H 7C 5S 2D", "KD"),
        ("AS AD 9H 7C 5S 2D", "9H"),
        ("AS AD KH KC 5S 5D", "AS"),
        ("9S 8D 7H 6C 5S KD", "KD"),
        ("AS KS QS JS TS 4D", "4D"),
        ("JK KD 9H 7C 5S 2D", "KD"),
    ],
)
def test_a_sound_player_leaves_his_best_hand_whole(cards: str, low: str) -> None:
    assert set_low(cards.split()) == low
