"""Decks, dice, devices, counts and dealers, watched from event to event."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.rules import check_envelope, check_event
from tables.rules.events import OPERATION_KINDS
from tables.rules.rounds import Submission, TableTerms
from tables.rules.watch import Device, Found, State, WatchTerms, fresh, watch
from tables.rules.watch.dealers import overlap
from tables.rules.watch.standing import clocks, notes

SIX_CARD, LUNAR, BLACKJACK = "six_card_fortune_pai_gow", "lunar_poker", "free_bet_blackjack"
BEGIN = datetime(2026, 3, 14, 11, 0, tzinfo=UTC)


class Table:
    """A table that reports; keeps what the watch found, event by event."""

    def __init__(self, game: str = SIX_CARD, **terms: Any) -> None:
        self.game, self.told, self.number = game, {"devices": {}, "day": "2026-03-14", **terms}, 0
        self.state: State = fresh()
        self.at = BEGIN
        self.found: Found = []

    def event(self, type_: str, **changes: Any) -> list[str]:
        """Report one event; return the codes of what is found."""
        terms = WatchTerms.make(code="T-1", game=self.game, **self.told)
        event = {"type": type_, "occurred_at": self.at.isoformat(), "dealer": "D100", **changes}
        before = json.loads(json.dumps(self.state))  # what a row would keep
        self.state, self.found = watch(before, event, terms)
        return [found["code"] for found in self.found]

    def round(self, *, after: float = 60, **changes: Any) -> list[str]:
        """Report a whole round, so many seconds after the last event."""
        self.at += timedelta(seconds=after)
        self.number += 1
        return self.event(changes.pop("type_", "round"), round=self.number, **changes)

    def operation(self, kind: str, *, after: float = 1, **told: Any) -> list[str]:
        """Report an operation; ``floorperson`` stands in the envelope unless taken away."""
        self.at += timedelta(seconds=after)
        envelope = {"floorperson": told.pop("floor")} if "floor" in told else {"floorperson": "F2"}
        return self.event("operation", operation={"kind": kind, **told}, **envelope)

    @property
    def cites(self) -> list[str]:
        return [found["cite"] for found in self.found]

    @property
    def severities(self) -> list[str]:
        return [found["severity"] for found in self.found]


def hours(number: float) -> float:
    return number * 3600


# ---- clocks ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "dealing", "limit", "cite"),
    [
        (SIX_CARD, "hand", 4, "§ 670a.3(c)(1)"),
        (SIX_CARD, "manual_shoe", 8, "§ 670a.3(c)(2)"),
        (SIX_CARD, "automated_shoe", 8, "§ 670a.3(c)(2)"),
        (LUNAR, "hand", 4, "§ 671a.3(c)(1)"),
        (LUNAR, "manual_shoe", 8, "§ 671a.3(c)(2)"),
        (BLACKJACK, "manual_shoe", 24, "§ 672a.3(c)"),
    ],
)
def test_3_c_a_deck_is_changed_in_time(game: str, dealing: str, limit: int, cite: str) -> None:
    table = Table(game)
    table.operation("deck_in", deck="A", preshuffled=True)
    table.event("operation", operation={"kind": "reader_inspected", "floorperson": "F2"})
    played: Any = {"deck": "A", "dealing": dealing}
    assert "deck" not in " ".join(table.round(after=hours(limit) - 901, **played))
    assert table.round(after=2, **played)[0] == "deck_change_due"
    assert (table.severities[0], table.cites[0]) == ("exception", cite)
    assert "deck" not in " ".join(table.round(after=897, **played)), "told once"
    assert table.round(after=60, **played)[0] == "deck_overdue"
    assert (table.severities[0], table.cites[0]) == ("alarm", cite)
    assert "deck" not in " ".join(table.round(**played)), "told once"


def test_3_c_a_deck_dealt_by_hand_once_runs_on_the_short_clock() -> None:
    table = Table()
    assert table.round(deck="A", dealing="manual_shoe") == []
    assert table.round(deck="A", dealing="hand") == []
    assert table.round(after=hours(4), deck="A", dealing="manual_shoe") == ["deck_overdue"]
    assert table.cites == ["§ 670a.3(c)(1)"]


def test_3_c_a_deck_that_was_long_in_a_shoe_is_overdue_once_dealt_by_hand() -> None:
    table = Table()
    table.round(deck="A", dealing="manual_shoe")
    assert table.round(after=hours(5), deck="A", dealing="hand") == ["deck_overdue"]


def test_3_c_a_changed_deck_begins_anew() -> None:
    table = Table()
    table.round(deck="A", dealing="hand")
    table.operation("deck_in", after=hours(3), deck="A", preshuffled=True)
    assert table.round(after=hours(3), deck="A", dealing="hand") == []


def test_3_c_the_warning_comes_when_the_house_wants_it() -> None:
    table = Table(warn_before=3600)
    table.round(deck="A", dealing="hand")
    assert table.round(after=hours(3) + 1, deck="A", dealing="hand") == ["deck_change_due"]


def test_670a_2_d_1_i_dice_stay_a_day_at_most() -> None:
    start = {"dice": [3, 5, 6], "first": 1}
    table = Table()
    table.operation("dice_in")
    assert table.round(after=hours(23), start=start) == []
    assert table.round(after=hours(0.8), start=start) == ["dice_change_due"]
    assert table.round(after=hours(0.2), start=start) == ["dice_overdue"]
    assert table.cites == ["§ 670a.2(d)(1)(i)"]
    table.operation("dice_in")
    assert table.round(start=start) == []


def test_670a_2_d_1_i_dice_are_taken_out_too_late() -> None:
    table = Table()
    table.operation("dice_in")
    assert table.operation("dice_out", after=hours(23.9)) == [], "just in time needs no warning"
    table.operation("dice_in")
    assert table.operation("dice_out", after=hours(25)) == ["dice_overdue"]


def test_670a_2_d_1_i_dice_nobody_brought_are_there_since_they_were_seen() -> None:
    table = Table()
    table.round(start={"dice": [1, 1, 1], "first": 5})
    assert table.round(after=hours(24), start={"dice": [1, 1, 1], "first": 5}) == ["dice_overdue"]


# ---- decks that leave, two decks in turn, what a deck comes in with -------------------------


@pytest.mark.parametrize(
    ("leave", "cite"),
    [
        ({"kind": "card_count", "counted": 51, "deck": "A"}, "§ 671a.11(h)"),
        ({"kind": "deck_out", "deck": "A", "cite": "671a.5(b)"}, "§ 671a.5(b)"),
    ],
)
def test_671a_11_h_2_a_deck_that_left_plays_on(leave: dict[str, Any], cite: str) -> None:
    table = Table(LUNAR)
    table.round(deck="A")
    table.operation(**leave)
    assert table.round(deck="B") == []
    assert table.round(deck="A") == ["removed_deck_played"]
    assert (table.cites, table.severities) == ([cite], ["alarm"])
    assert table.round(deck="A") == [], "told once"
    table.operation("deck_in", deck="A", preshuffled=True)
    assert table.round(deck="A") == []


def test_670a_8_f_a_void_takes_the_deck_off_the_table() -> None:
    table = Table()
    table.round(deck="A")
    irregular = {"cite": "670a.8(f)", "deck_out": True}
    table.round(type_="void", irregularity=irregular)
    assert table.round(deck="A") == ["removed_deck_played"]
    assert table.cites == ["§ 670a.8(f)"]
    assert "round 2" in table.found[0]["detail"]


def test_670a_8_f_of_two_decks_in_turn_the_other_one_was_in_play() -> None:
    table = Table(decks_in_use=2)
    table.round(deck="A")
    table.round(deck="B")
    table.round(type_="void", irregularity=[{"cite": "670a.8(f)", "deck_out": True}])
    assert table.round(deck="B") == []
    assert table.round(deck="A") == ["removed_deck_played"]


def test_3_b_3_two_decks_are_used_in_turn() -> None:
    table = Table(decks_in_use=2)
    assert [table.round(deck=deck) for deck in "ABAA"] == [[], [], [], ["deck_not_alternated"]]
    assert (table.cites, table.severities) == (["§ 670a.3(b)(3)"], ["alarm"])
    assert table.round(deck="A") == [], "told once until they alternate again"
    assert [table.round(deck=deck) for deck in "BB"] == [[], ["deck_not_alternated"]]


def test_3_b_3_a_void_that_names_no_deck_says_nothing_of_the_next() -> None:
    table = Table(decks_in_use=2)
    table.round(deck="A")
    table.round(type_="void", irregularity={"cite": "670a.13(e)"})
    assert table.round(deck="A") == []


def test_3_b_3_one_deck_is_used_every_time() -> None:
    for decks in (None, 1):
        table = Table(decks_in_use=decks)
        assert table.round(deck="A") + table.round(deck="A") == []


def test_672a_3_b_4_two_batches_are_used_shoe_by_shoe() -> None:
    table = Table(BLACKJACK, decks_in_use=2)
    assert [table.operation("shoe_in", deck=deck) for deck in "ABB"] == [
        [],
        [],
        ["batch_not_alternated"],
    ]
    assert table.cites == ["§ 672a.3(b)(4)"]


def test_4_a_a_deck_is_inspected_and_the_inspection_verified() -> None:
    table = Table()
    whole = {"deck": "A", "jokers": 1, "spread": True}
    assert table.operation("deck_in", **whole) == []
    assert table.operation("deck_in", floor="", **whole) == ["deck_not_inspected"]
    assert table.cites == ["§ 670a.4(a)"]
    assert table.operation("deck_in", floor="", preshuffled=True, **whole) == []
    assert table.operation("deck_in", **whole | {"spread": False}) == ["deck_not_spread"]


def test_670a_4_b_a_second_joker_is_destroyed() -> None:
    table = Table()
    assert table.operation("deck_in", deck="A", jokers=2) == ["second_joker"]
    assert (table.cites, table.severities) == (["§ 670a.4(b)"], ["alarm"])
    assert table.operation("deck_in", deck="A", jokers=2, joker_destroyed=True) == []
    assert table.operation("deck_in", deck="A", jokers=0) == ["no_joker"]
    assert Table(LUNAR).operation("deck_in", deck="A", jokers=2) == [], "no jokers in chapter 671a"


# ---- counts, shoes, the card reader ---------------------------------------------------------


def test_671a_11_h_the_cards_are_counted_after_five_rounds() -> None:
    table = Table(LUNAR)
    assert [table.round() for _ in range(5)] == [[]] * 5
    assert table.round() == ["cards_not_counted"]
    assert (table.cites, table.severities) == (["§ 671a.11(h)"], ["alarm"])
    assert table.round() == [], "told once"
    table.operation("card_count", counted=52)
    assert [table.round() for _ in range(5)] == [[]] * 5
    assert table.round() == ["cards_not_counted"]


def test_671a_11_h_a_counting_device_counts() -> None:
    device = Device("shuffler", "T-1", "2026-01-01", counting=True)
    table = Table(LUNAR, devices={"S-1": device})
    assert [table.round(shuffle="device") for _ in range(8)] == [[]] * 8
    codes = [code for _ in range(6) for code in table.round(shuffle="manual")]
    assert "cards_not_counted" in codes


def test_671a_11_h_1_a_wrong_count_alarms_by_itself() -> None:
    table = Table(BLACKJACK, decks=6)
    assert table.operation("card_count", counted=312, deck="A") == []
    assert table.operation("card_count", counted=311, deck="A") == ["wrong_card_count"]
    assert table.severities == ["alarm"]


def test_672a_2_d_the_reader_is_inspected_each_gaming_day() -> None:
    table = Table(BLACKJACK)
    assert table.round() == ["reader_not_inspected"]
    assert (table.cites, table.severities) == (["§ 672a.2(d)"], ["alarm"])
    assert table.round() == [], "told once a day"
    table.operation("reader_inspected")
    table.told["day"] = "2026-03-15"
    assert table.round() == ["reader_not_inspected"]
    table.told["day"] = "2026-03-16"
    assert table.operation("reader_inspected", floor="") == ["no_floorperson"]
    assert table.round() == []


@pytest.mark.parametrize(
    ("fault", "restored"),
    [
        ({"device": "reader"}, {"device": "reader"}),
        ({"device": "Card reader 3"}, {}),
        ({"cite": "672a.12(j)"}, {"cite": "672a.12(j)"}),
        ({"device": "R-77"}, {"device": "R-77"}),
    ],
)
def test_672a_12_j_nothing_is_dealt_without_the_reader(fault: Any, restored: Any) -> None:
    table = Table(BLACKJACK, devices={"R-77": Device("reader", "T-1", "2026-01-01")})
    table.operation("reader_inspected")
    assert "reader_fault" not in table.operation("device_fault", **fault)
    assert table.round() == ["reader_fault"]
    assert (table.cites, table.severities) == (["§ 672a.12(j)"], ["alarm"])
    table.operation("device_restored", **restored)
    assert table.round() == []


def test_672a_12_k_another_device_may_fail() -> None:
    table = Table(BLACKJACK)
    table.operation("reader_inspected")
    table.operation("device_fault", device="shuffler")
    table.operation("device_fault", cite="672a.12(k)")
    assert table.round() == []
    assert Table().operation("device_fault") == [], "no reader at this game"


def test_672a_7_c_a_new_dealer_burns_a_card() -> None:
    table = Table(BLACKJACK)
    table.operation("reader_inspected")
    burned = [{"card": "7D", "cite": "672a.7(c)"}]
    assert table.round(dealer="D1") == [], "who dealt first is not known to be new"
    assert table.round(dealer="D2", discarded=burned) == []
    assert table.round(dealer="D3") == ["card_not_burned"]
    assert table.cites == ["§ 672a.7(c)"]
    assert table.round(dealer="D3") == []
    table.operation("shoe_in", deck="B")
    assert table.round(dealer="D3", discarded=[{"card": "7D", "cite": "672a.12(a)"}]) == [
        "card_not_burned"
    ]
    table.operation("dealer_in", by="D4")
    assert table.round(dealer="D4", discarded=burned) == []


def test_672a_7_d_the_shoe_is_shuffled_after_the_cover_card() -> None:
    table = Table(BLACKJACK)
    table.operation("reader_inspected")
    table.operation("cover_card", position=3)
    assert table.round() == [], "the hand is completed"
    assert table.round() == ["cover_card_passed"]
    assert table.cites == ["§ 672a.7(d)"]
    table.operation("cover_card", position=3)
    table.round()
    table.operation("shuffle", by="D100")
    assert table.round() == []


# ---- methods and devices ---------------------------------------------------------------------


def test_13_n_a_sign_before_another_method() -> None:
    table = Table()
    assert table.round(dealing="automated_shoe", shuffle="device") == []
    assert table.round(dealing="hand", shuffle="manual") == ["method_changed", "method_changed"]
    assert set(table.cites) == {"§ 670a.13(n)"}
    table.round(dealing="automated_shoe")
    assert table.round(dealing="manual_shoe") == [], "told once a day"


def test_13_n_with_a_sign_any_method_may_be_used() -> None:
    table = Table()
    table.round(dealing="automated_shoe")
    table.operation("out_of_order", device="shoe")
    assert table.round(dealing="hand") == []
    assert table.round(dealing="manual_shoe") == [], "neither of these is a device"
    table.operation("device_restored", device="shoe")
    table.round(dealing="automated_shoe")
    assert table.round(dealing="hand") == ["method_changed"]


def test_a_named_device_is_registered_and_approved() -> None:
    register = {
        "S-1": Device("shuffler", "T-1", "2026-01-01"),
        "S-2": Device("shuffler", "T-2", "2026-01-01"),
        "S-3": Device("shuffler", "T-1"),
        "S-4": Device("shuffler", "T-1", "2026-01-01", "2026-03-01"),
        "S-5": Device("shuffler", "", "2026-03-15"),
    }
    table = Table(devices=register)
    assert table.operation("shuffle", device="S-1") == []
    assert table.operation("shuffle", device="shuffler") == [], "a kind, no serial number"
    for serial in ("S-2", "S-3", "S-4", "S-5"):
        assert table.operation("shuffle", device=serial) == ["device_not_approved"], serial
    assert table.operation("shuffle", device="S-9") == ["device_not_registered"]
    assert table.operation("shuffle", device="S-9") == [], "told once a day"


def test_a_kind_in_use_is_in_the_register() -> None:
    table = Table(devices={"S-1": Device("shuffler", "T-1", "2026-01-01")})
    start = {"random_number": 3, "first": 5}
    assert table.round(shuffle="device", dealing="hand") == []
    assert table.round(dealing="automated_shoe") == ["device_not_approved"]
    assert table.found[0]["device"] == "shoe"
    assert table.round(start=start) == ["device_not_approved"]
    assert table.cites == ["§ 670a.2(d)(2)"]
    table.told["day"] = "2026-03-15"
    assert table.round(dealing="automated_shoe") == ["device_not_approved"], "again each day"


def test_a_house_without_a_register_is_not_told_of_devices_in_use() -> None:
    assert Table().round(dealing="automated_shoe", shuffle="device") == []


# ---- the table, its pace, its people --------------------------------------------------------


def test_a_round_at_a_table_that_is_closed_or_not_opened() -> None:
    table = Table()
    assert table.round() == [], "it has never reported its opening"
    table.operation("table_open")
    assert table.round() == []
    table.operation("table_close")
    assert table.round() == ["round_at_closed_table"]
    assert table.round() == []
    table.told["day"] = "2026-03-15"
    table.operation("table_open")
    assert table.round() == []
    table.told["day"] = "2026-03-16"
    assert table.round() == ["table_not_opened"]
    assert table.round() == []


def test_a_round_faster_than_its_cards_can_be_dealt() -> None:
    table = Table()
    assert table.round() == []
    assert table.round(after=14) == ["round_too_fast"]
    assert table.round(after=1) == [], "told once while it goes on"
    assert table.round(after=15) == []
    assert table.round(after=3) == ["round_too_fast"]
    assert table.round(after=-30) == [], "a clock that was put back"


def test_a_void_may_come_at_any_time() -> None:
    table = Table()
    table.round()
    assert table.round(after=2, type_="void", irregularity={"cite": "670a.13(c)"}) == []


def test_moments_of_a_round_in_the_wrong_order() -> None:
    times = ["2026-03-14T11:00:00Z", "2026-03-14T11:00:30Z", "2026-03-14T11:00:40Z"]
    marks = dict(zip(("no_more_bets", "decisions_locked", "reveal"), times, strict=True))
    table = Table(LUNAR)
    assert table.round(marks=marks) == []
    assert table.round(marks=marks | {"decisions_locked": "2026-03-14T12:01:00Z"}) == [
        "marks_out_of_order"
    ]
    assert table.found[0]["path"] == "marks.reveal"


def test_670a_5_f_a_recut_is_a_floorpersons() -> None:
    table = Table()
    assert table.operation("recut") == []
    assert table.operation("recut", floor="") == ["no_floorperson"]
    assert table.cites == ["§ 670a.5(f)"]


@pytest.mark.parametrize(
    ("here", "there", "since"),
    [
        ([[0, 7200]], [[3600, 3600]], "1970-01-01T01:00:00Z"),  # one round in between
        ([[0, 7200]], [[7000, 9000]], "1970-01-01T01:56:40Z"),
        ([[0, 7200]], [[7180, 9000]], None),  # within the clocks' difference
        ([[0, 3600]], [[3700, 7200]], None),
        ([[0, 0]], [[0, 0]], None),
        ([[0, 10], [5000, 6000]], [[100, 200], [5500, 5600]], "1970-01-01T01:31:40Z"),
    ],
)
def test_one_dealer_deals_at_one_table(here: Any, there: Any, since: str | None) -> None:
    state = fresh()
    assert overlap(state, "D1", "T-2", here, there) == since
    assert overlap(state, "D1", "T-2", here, there) is None, "told once"
    assert overlap(fresh(), "D1", "T-2", there, here) == since


# ---- how a table stands ---------------------------------------------------------------------


def test_the_page_shows_each_clock() -> None:
    table = Table()
    table.operation("deck_in", deck="A", preshuffled=True)
    table.operation("deck_in", deck="B", preshuffled=True, after=hours(4))
    table.operation("deck_out", deck="A")
    table.operation("dice_in")
    now = table.at.timestamp() + hours(7.8)
    told = [(one.name, one.level) for one in clocks(table.state, SIX_CARD, now, 900)]
    assert told == [("Deck B", "due"), ("Dice", "well"), ("Deck A", "out")]
    table.state["decks"]["B"]["seen"] += 3600
    assert clocks(table.state, SIX_CARD, now + 3600, 900)[0].level == "overdue"
    later = [(one.name, one.level) for one in clocks(table.state, SIX_CARD, now + 7200, 900)]
    assert later == [("Dice", "well"), ("Deck A", "out"), ("Deck B", "idle")]
    assert clocks({}, SIX_CARD, now, 900) == []
    assert notes({}, BLACKJACK, "2026-03-14") == ["Card reader not inspected today."]


# ---- whatever is sent ------------------------------------------------------------------------

OPERATIONS = st.fixed_dictionaries(
    {"kind": st.sampled_from(OPERATION_KINDS)},
    optional={
        "cite": st.sampled_from(["672a.12(j)", "§ 670a.8(f)", "?", "671a.5(b)"]),
        "by": st.sampled_from(["D1", "D2"]),
        "deck": st.sampled_from("ABCDEFGHIJ"),
        "device": st.sampled_from(["reader", "S-1", "x", "shoe"]),
        "counted": st.integers(0, 60),
        "position": st.integers(0, 6),
    },
)
COMMON: dict[str, Any] = {
    "dealer": st.sampled_from(["D1", "D2", "D3"]),
    "deck": st.sampled_from("ABCDEFGHIJ"),
    "dealing": st.sampled_from(["hand", "manual_shoe", "automated_shoe"]),
    "shuffle": st.sampled_from(["manual", "device", "preshuffled"]),
    "start": st.sampled_from([{"dice": [1, 2, 3], "first": 2}, {"random_number": 3, "first": 5}]),
    "discarded": st.just([{"card": "7D", "cite": "672a.7(c)"}]),
    "irregularity": st.sampled_from(
        [{"cite": "x", "deck_out": True}, [{"cite": "670a.8(f)", "deck_out": True}]]
    ),
}
MOMENTS = st.datetimes(datetime(1970, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001
EVENTS = st.one_of(
    st.fixed_dictionaries({"type": st.just("operation"), "operation": OPERATIONS}, optional=COMMON),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["round", "lockout", "settlement", "void"]), "round": st.just(7)},
        optional=COMMON,
    ),
)


@given(
    st.sampled_from([SIX_CARD, LUNAR, BLACKJACK, "pai_gow"]),
    st.lists(st.tuples(EVENTS, MOMENTS), max_size=30),
    st.sampled_from([None, 1, 2]),
)
def test_whatever_a_table_reports_the_watch_goes_on(
    game: str, events: list[tuple[dict[str, Any], datetime]], decks: int | None
) -> None:
    devices = {"S-1": Device("shuffler", "T-1", "2026-01-01")}
    terms = WatchTerms.make(
        code="T-1", game=game, day="2026-03-14", devices=devices, decks_in_use=decks
    )
    state = fresh()
    for event, at in events:
        state, found = watch(state, {**event, "occurred_at": at.isoformat()}, terms)
        state = json.loads(json.dumps(state))
        assert all(one["severity"] in ("exception", "alarm") and one["detail"] for one in found)
        assert len(state["decks"]) <= 10
        assert len(state["told"]) <= 64


def test_the_operations_of_this_file_are_documents_that_a_table_may_send() -> None:
    terms = TableTerms("T-1", SIX_CARD, 6, Submission.make(SIX_CARD, {}), None)
    for kind in OPERATION_KINDS:
        document = {
            "spec": "round/1",
            "event_id": "00000000-0000-0000-0000-000000000001",
            "table": "T-1",
            "sequence": 1,
            "type": "operation",
            "occurred_at": "2026-03-14T11:00:00Z",
            "operation": {"kind": kind, "deck": "A", "floorperson": "F2", "device": "S-1"},
        }
        check_envelope(document)
        check_event(document, terms)
