"""What is refused of a round document: the code, the place, and which problem is told first."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tables.rules import (
    Refusal,
    TableTerms,
    check_envelope,
    check_event,
    check_follows_lockout,
)
from tables.rules.cards import DECK_AND_JOKER
from tests.rules.made import DEALER, event, played, seat, terms

HAND = "QS JH 9D 6C 4H 3S"
OTHER = "KS TH 8D 6S 4S 2H"


def good(**keys: Any) -> dict[str, Any]:
    return played(
        seat(1, HAND, "JH", fortune_bonus="3.00", insurance="5.00"),
        seat(3, OTHER, "TH", player="P1", progressive="1.00"),
        **keys,
    )


def refusal_of(document: Any, under: TableTerms | None = None) -> tuple[str, str] | None:
    try:
        check_envelope(document)
        check_event(document, under or terms())
    except Refusal as refusal:
        return refusal.code, refusal.path if refusal.detail else "a refusal without a sentence"
    return None


def put(path: str, value: Any) -> Callable[[dict], None]:
    """Return a change that puts a value at a place: ``positions.0.wagers.main``."""
    *way, last = path.split(".")

    def change(document: dict[str, Any]) -> None:
        place: Any = document
        for step in way:
            place = place[int(step) if step.isdigit() else step]
        place[int(last) if last.isdigit() else last] = value

    return change


def drop(path: str) -> Callable[[dict], None]:
    *way, last = path.split(".")

    def change(document: dict[str, Any]) -> None:
        place: Any = document
        for step in way:
            place = place[int(step) if step.isdigit() else step]
        del place[last]

    return change


def changed(*changes: Callable[[dict], None], **keys: Any) -> dict[str, Any]:
    document = copy.deepcopy(good(**keys))
    for change in changes:
        change(document)
    return document


def test_a_round_passes() -> None:
    assert refusal_of(good()) is None
    assert refusal_of(good(_own={"any": ["thing", None, {"deep": 1}]})) is None


ENVELOPE_KEYS = "spec event_id table sequence type round occurred_at game".split()


@pytest.mark.parametrize("key", ENVELOPE_KEYS)
def test_every_key_of_the_envelope_must_be_there(key: str) -> None:
    assert refusal_of(changed(drop(key))) == ("missing_key", key)


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        ("spec", "round/9", "bad_value"),
        ("spec", 1, "wrong_type"),
        ("event_id", "not-a-uuid", "bad_value"),
        ("event_id", "6f0d4a58-0c51-4f1c-9d0e-670a12d30003\n", "bad_value"),
        ("table", "", "bad_value"),
        ("table", None, "wrong_type"),
        ("sequence", "7", "wrong_type"),
        ("sequence", 0, "bad_value"),
        ("sequence", True, "wrong_type"),
        ("sequence", 1.0, "wrong_type"),
        ("sequence", 2**53 + 1, "bad_value"),
        ("type", "rnd", "bad_value"),
        ("type", ["round"], "wrong_type"),
        ("round", -1, "bad_value"),
        ("occurred_at", "2026-11-30 18:04", "bad_value"),
        ("occurred_at", "2026-11-30T18:04:00", "bad_value"),
        ("occurred_at", "2026-02-30T18:04:00Z", "bad_value"),
        ("occurred_at", "2026-11-30T18:04:00+25:00", "bad_value"),
        ("occurred_at", "0001-01-01T00:00:00+05:00", "bad_value"),
        ("occurred_at", "２０２６-11-30T18:04:00Z", "bad_value"),
        ("game", "poker", "bad_value"),
        ("game", "lunar_poker", "game_mismatch"),
    ],
)
def test_envelope_values(path: str, value: Any, code: str) -> None:
    assert refusal_of(changed(put(path, value))) == (code, path)


@pytest.mark.parametrize("moment", ["2026-11-30T18:04:00Z", "2026-11-30T18:04:00.123456-05:00"])
def test_moments_of_rfc_3339_pass(moment: str) -> None:
    assert refusal_of(changed(put("occurred_at", moment))) is None


@pytest.mark.parametrize(
    ("path", "value", "refused"),
    [
        ("postions", [], ("unknown_key", "postions")),
        ("operation", {"kind": "cut"}, ("unknown_key", "operation")),
        ("bank", {"position": 1}, ("unknown_key", "bank")),
        ("positions", {}, ("wrong_type", "positions")),
        ("positions.1", [], ("wrong_type", "positions[1]")),
        ("positions.0.position", "1", ("wrong_type", "positions[0].position")),
        ("positions.0.hands", [], ("unknown_key", "positions[0].hands")),
        ("positions.0.player", "", ("bad_value", "positions[0].player")),
        ("positions.0.wagers", [], ("wrong_type", "positions[0].wagers")),
        ("positions.0.wagers.fortune", "5.00", ("unknown_wager", "positions[0].wagers.fortune")),
        ("positions.0.cards", HAND, ("wrong_type", "positions[0].cards")),
        ("positions.0.cards.0", 1, ("wrong_type", "positions[0].cards[0]")),
        ("positions.0.cards.0", "1S", ("bad_card", "positions[0].cards[0]")),
        ("positions.0.cards.0", "as", ("bad_card", "positions[0].cards[0]")),
        ("positions.0.cards.5", "??", ("bad_card", "positions[0].cards[5]")),
        ("positions.0.low", ["??"], ("bad_card", "positions[0].low[0]")),
        ("positions.0.lamp", 1, ("wrong_type", "positions[0].lamp")),
        ("positions.0.envy_lammer", ["main", "all"], ("bad_value", "positions[0].envy_lammer[1]")),
        ("positions.0.paid", {"main": "1"}, ("bad_money", "positions[0].paid.main")),
        ("positions.0.paid", {"all": "1.00"}, ("unknown_wager", "positions[0].paid.all")),
        ("positions.0.status", "dead", ("bad_value", "positions[0].status")),
        ("positions.0.status", "voided", ("missing_key", "positions[0].irregularity")),
        ("positions.0._mine", {"a": [1.5]}, ("wrong_type", "positions[0]._mine.a[0]")),
        ("dealer_hand", [], ("wrong_type", "dealer_hand")),
        ("dealer_hand", {}, ("missing_key", "dealer_hand.cards")),
        ("dealer_hand.high", [], ("unknown_key", "dealer_hand.high")),
        ("dealer_hand.cards.0", "JK?", ("bad_card", "dealer_hand.cards[0]")),
        ("dealer", "D" * 17, ("bad_value", "dealer")),
        ("deck", 7, ("wrong_type", "deck")),
        ("dealing", "shoe", ("bad_value", "dealing")),
        ("shuffle", "none", ("bad_value", "shuffle")),
        ("chip_count", -1, ("bad_value", "chip_count")),
        ("left_count", "11", ("wrong_type", "left_count")),
        ("stub", ["??"], ("bad_card", "stub[0]")),
        ("start", {"dice": [1, 2, 3]}, ("missing_key", "start.first")),
        ("start", {"first": 0}, ("missing_key", "start.dice")),
        ("start", {"dice": [1, 2], "first": 0}, ("bad_value", "start.dice")),
        ("start", {"dice": [1, 2, 7], "first": 0}, ("bad_value", "start.dice[2]")),
        ("start", {"random_number": 8, "first": 0}, ("bad_value", "start.random_number")),
        ("start", {"random_number": 1, "first": 7}, ("bad_value", "start.first")),
        (
            "start",
            {"dice": [1, 2, 3], "random_number": 1, "first": 0},
            ("bad_value", "start.random_number"),
        ),
        ("marks", {"reveal": "later"}, ("bad_value", "marks.reveal")),
        ("marks", {"end": "2026-11-30T18:04:00Z"}, ("unknown_key", "marks.end")),
        ("video", [{"camera": "C1"}], ("missing_key", "video[0].from")),
        ("irregularity", [], ("bad_value", "irregularity")),
        ("irregularity", {"note": "x"}, ("missing_key", "irregularity.cite")),
        ("irregularity", [{"cite": 1}], ("wrong_type", "irregularity[0].cite")),
        (
            "irregularity",
            {"cite": "670a.13(f)", "choice": "no"},
            ("bad_value", "irregularity.choice"),
        ),
        (
            "irregularity",
            {"cite": "670a.13(f)", "deck_out": "yes"},
            ("wrong_type", "irregularity.deck_out"),
        ),
        ("discarded", [{"card": "7D"}], ("missing_key", "discarded[0].cite")),
        ("discarded", [{"card": "??", "cite": "x"}], ("bad_card", "discarded[0].card")),
    ],
)
def test_keys_types_and_values(path: str, value: Any, refused: tuple[str, str]) -> None:
    assert refusal_of(changed(put(path, value))) == refused


@pytest.mark.parametrize(
    "path", ["positions", "dealer_hand", "positions.0.position", "positions.0.wagers",
             "positions.0.cards"]
)  # fmt: skip
def test_a_missing_key_is_named_where_it_should_stand(path: str) -> None:
    place = path.replace(".0.", "[0].")
    assert refusal_of(changed(drop(path))) == ("missing_key", place)


@pytest.mark.parametrize(
    "amount",
    [25.0, 25, None, "25", "25.0", "25.001", "-25.00", "+25.00", "0.00", "00.50", "1e3", "NaN",
     "25,00", " 25.00", "25.00\n", "٢٥.00", "99999999999.00", ["25.00"]],
)  # fmt: skip
def test_money_of_a_wager(amount: Any) -> None:
    refused = refusal_of(changed(put("positions.0.wagers.main", amount)))

    assert refused == ("bad_money", "positions[0].wagers.main")


def test_a_payment_may_be_nothing() -> None:
    assert refusal_of(changed(put("positions.0.paid", {"main": "0.00", "envy": "5.00"}))) is None


@pytest.mark.parametrize(
    ("path", "value", "refused"),
    [
        ("positions.0.position", 7, ("position_out_of_range", "positions[0].position")),
        ("positions.0.position", 0, ("position_out_of_range", "positions[0].position")),
        ("positions.1.position", 1, ("duplicate_position", "positions[1].position")),
        (
            "positions.0.wagers.queens_dragon",
            "5.00",
            ("wager_not_offered", "positions[0].wagers.queens_dragon"),
        ),
        (
            "positions.0.wagers.progressive",
            "2.00",
            ("progressive_unit", "positions[0].wagers.progressive"),
        ),
        (
            "positions.0.wagers",
            {"insurance": "5.00"},
            ("main_wager_required", "positions[0].wagers"),
        ),
        (
            "positions.0.wagers.double_down",
            "1.00",
            ("double_down_mismatch", "positions[0].wagers.double_down"),
        ),
        ("positions.0.cards", HAND.split()[:5], ("wrong_card_count", "positions[0].cards")),
        ("positions.0.low", [], ("wrong_card_count", "positions[0].low")),
        ("positions.0.low", ["JH", "QS"], ("wrong_card_count", "positions[0].low")),
        ("positions.0.low", ["6D"], ("low_not_in_hand", "positions[0].low[0]")),
        ("dealer_hand.cards", ["2D"], ("wrong_card_count", "dealer_hand.cards")),
        ("dealer_hand.low", ["KS"], ("low_not_in_hand", "dealer_hand.low[0]")),
        ("dealer_hand.cards.2", "QS", ("duplicate_card", "dealer_hand.cards[2]")),
        ("positions.1.cards.5", "QS", ("duplicate_card", "positions[1].cards[5]")),
        (
            "discarded",
            [{"card": "QS", "cite": "670a.13(f)"}],
            ("duplicate_card", "discarded[0].card"),
        ),
        ("stub", ["AS"], ("stub_mismatch", "stub")),
        ("stub", ["QS"], ("duplicate_card", "stub[0]")),
    ],
)
def test_positions_cards_and_stub(path: str, value: Any, refused: tuple[str, str]) -> None:
    assert refusal_of(changed(put(path, value))) == refused


def test_the_first_problem_in_the_order_of_precedence_is_told() -> None:
    """From the last to the first, each problem hides those that were told before."""
    dealt = {*HAND.split(), *OTHER.split(), *DEALER.split()}
    stub = [card for card in DECK_AND_JOKER if card not in dealt][1:]
    problems = [
        (put("stub", stub), ("stub_mismatch", "stub")),
        (put("dealer_hand.cards.2", "QS"), ("duplicate_card", "dealer_hand.cards[2]")),
        (put("positions.1.low", ["6D"]), ("low_not_in_hand", "positions[1].low[0]")),
        (put("positions.0.position", 9), ("position_out_of_range", "positions[0].position")),
        (put("zzz", 1), ("unknown_key", "zzz")),
        (put("positions.1.wagers.main", 5), ("bad_money", "positions[1].wagers.main")),
        (put("game", "pai_gow"), ("game_mismatch", "game")),
        (put("sequence", 0), ("bad_value", "sequence")),
        (put("spec", "x"), ("bad_value", "spec")),
    ]
    changes = []
    for change, refused in problems:
        changes.append(change)
        assert refusal_of(changed(*changes)) == refused


def test_keys_are_looked_at_in_document_order() -> None:
    late = changed(put("zzz", 1), put("positions.0.cards.0", "1S"))
    early = {"zzz": 1, **changed(put("positions.0.cards.0", "1S"))}

    assert refusal_of(late) == ("bad_card", "positions[0].cards[0]")
    assert refusal_of(early) == ("unknown_key", "zzz")


def lockout_of(*seats: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return event("lockout", positions=list(seats), **keys)


@pytest.mark.parametrize(
    ("document", "refused"),
    [
        (lockout_of(seat(1), seat(2, progressive="1.00"), chip_count=1), None),
        (lockout_of(seat(1), chip_count=0), None),
        (lockout_of(seat(1), chip_count=1), ("chip_count_mismatch", "chip_count")),
        (lockout_of(seat(1, HAND)), ("unknown_key", "positions[0].cards")),
        (lockout_of(seat(1, paid={})), ("unknown_key", "positions[0].paid")),
        (lockout_of(seat(1), stub=[]), ("unknown_key", "stub")),
        (
            lockout_of(seat(1, double_down="25.00")),
            ("wager_not_offered", "positions[0].wagers.double_down"),
        ),
        (
            lockout_of(seat(9), chip_count=1),
            ("position_out_of_range", "positions[0].position"),
        ),
    ],
)
def test_670a_8_b_lockout(document: dict, refused: tuple[str, str] | None) -> None:
    assert refusal_of(document) == refused


def void_of(**keys: Any) -> dict[str, Any]:
    return event("void", **{"irregularity": {"cite": "670a.13(e)"}, **keys})


@pytest.mark.parametrize(
    ("document", "refused"),
    [
        (void_of(), None),
        (event("void"), ("missing_key", "irregularity")),
        (void_of(irregularity=[{"cite": "670a.13(e)"}, {"cite": "x"}]), None),
        (void_of(positions=[seat(1, "?? AS AS AS AS AS AS AS", "??")]), None),
        (void_of(positions=[{"position": 2}]), None),
        (void_of(positions=[{"position": 9}]), ("position_out_of_range", "positions[0].position")),
        (void_of(positions=[{"wagers": {}}]), ("missing_key", "positions[0].position")),
        (void_of(positions=[seat(1, "1S")]), ("bad_card", "positions[0].cards[0]")),
        (void_of(dealer_hand={}), None),
        (void_of(discarded=[{"card": "??", "cite": "670a.13(f)"}], stub=["??"]), None),
    ],
)
def test_a_void_may_hold_any_cards_as_evidence(
    document: dict, refused: tuple[str, str] | None
) -> None:
    assert refusal_of(document) == refused


def operation(**keys: Any) -> dict[str, Any]:
    made = event("operation", operation=keys)
    del made["round"], made["game"]
    return made


@pytest.mark.parametrize(
    ("document", "refused"),
    [
        (operation(kind="cut", position=0, by="P1"), None),
        (operation(kind="deck_in", jokers=2, joker_destroyed=True, spread=True), None),
        (operation(kind="card_count", counted=53, device="S-1", cite="670a.5(h)"), None),
        (operation(), ("missing_key", "operation.kind")),
        (operation(kind="lunch"), ("bad_value", "operation.kind")),
        (operation(kind="cut", jokers=1), ("unknown_key", "operation.jokers")),
        (operation(kind="deck_in", jokers="2"), ("wrong_type", "operation.jokers")),
        ({**operation(kind="cut"), "positions": []}, ("unknown_key", "positions")),
        ({**operation(kind="cut"), "game": "pai_gow"}, ("game_mismatch", "game")),
        (event("operation"), ("missing_key", "operation")),
        (event("operation", operation=[]), ("wrong_type", "operation")),
    ],
)
def test_operations(document: dict, refused: tuple[str, str] | None) -> None:
    assert refusal_of(document) == refused


def test_670a_7_e_wagers_that_the_submission_does_not_offer() -> None:
    few = terms(wagers=["main", "fortune_bonus"])

    assert refusal_of(good(), few) == ("wager_not_offered", "positions[0].wagers.insurance")


def test_670a_2_c_a_table_without_a_progressive_takes_none() -> None:
    refused = refusal_of(good(), terms(unit=None))

    assert refused == ("wager_not_offered", "positions[1].wagers.progressive")


@pytest.mark.parametrize(
    ("choices", "refused"),
    [
        ({"minimum": "25.00", "maximum": "25.00"}, None),
        ({"minimum": "25.01"}, ("wager_out_of_range", "positions[0].wagers.main")),
        (
            {"maximum": {"insurance": "4.99"}},
            ("wager_out_of_range", "positions[0].wagers.insurance"),
        ),
    ],
)
def test_limits_of_the_submission(choices: dict, refused: tuple[str, str] | None) -> None:
    assert refusal_of(good(), terms(**choices)) == refused


@pytest.mark.parametrize("status", ["voided", "abandoned"])
def test_670a_13_d_only_a_voided_hand_may_be_unseen(status: str) -> None:
    told = {"status": status, "irregularity": {"cite": "670a.13(d)"}}
    unseen = played(seat(1, None, **told))
    part = played(seat(1, "QS ??", **told))
    seven = played(seat(1, f"{HAND} 2S", **told))

    if status == "voided":
        assert refusal_of(unseen) is None
        assert refusal_of(part) is None
    else:
        assert refusal_of(unseen) == ("missing_key", "positions[0].cards")
        assert refusal_of(part) == ("bad_card", "positions[0].cards[1]")
    assert refusal_of(seven) == ("wrong_card_count", "positions[0].cards")


def test_670a_8_e_unseen_cards_of_a_voided_hand_count_towards_the_deck() -> None:
    told = {"status": "voided", "irregularity": {"cite": "670a.13(d)"}}
    known = {"QS", *OTHER.split(), *DEALER.split()}
    stub = [card for card in DECK_AND_JOKER if card not in known][:-5]
    hands = (seat(1, "QS ??", **told), seat(3, OTHER))

    assert refusal_of(played(*hands, stub=stub)) is None
    assert refusal_of(played(*hands, stub=stub[1:])) == ("stub_mismatch", "stub")


def test_a_game_without_a_definition_is_kept_as_it_came() -> None:
    later = terms().submission._replace(game="baccarat", definition=None)
    table = TableTerms("B-1", "baccarat", 5, later, None)
    document = event(positions=[{"position": 1, "third": {}}], dealer_hand={}, game="baccarat")

    def refused(**changes: Any) -> tuple[str, str]:
        with pytest.raises(Refusal) as refusal:
            check_event({**document, **changes}, table)
        return refusal.value.code, refusal.value.path

    check_event(document, table)
    assert refused(positions={}) == ("wrong_type", "positions")
    assert refused(zzz=1) == ("unknown_key", "zzz")
    assert refused(positions=[{"a": 1.5}]) == ("wrong_type", "positions[0].a")


LOCKED = lockout_of(seat(1, fortune_bonus="5.00"), seat(3, progressive="1.00"))


@pytest.mark.parametrize(
    ("seats", "path"),
    [
        ([seat(3, progressive="1.00"), seat(1, fortune_bonus="5.00", double_down="25.00")], None),
        ([seat(1, fortune_bonus="5.00")], "positions"),
        (
            [seat(1, fortune_bonus="5.00"), seat(3, progressive="1.00"), seat(4)],
            "positions[2].position",
        ),
        (
            [seat(1, fortune_bonus="6.00"), seat(3, progressive="1.00")],
            "positions[0].wagers.fortune_bonus",
        ),
        ([seat(1), seat(3, progressive="1.00")], "positions[0].wagers.fortune_bonus"),
        (
            [seat(1, fortune_bonus="5.00"), seat(3, progressive="1.00", insurance="1.00")],
            "positions[1].wagers.insurance",
        ),
    ],
)
def test_670a_7_c_no_wager_changes_after_the_lockout(seats: list, path: str | None) -> None:
    document = event("settlement", positions=seats)
    if path is None:
        check_follows_lockout(document, LOCKED, terms())
        return
    with pytest.raises(Refusal) as refusal:
        check_follows_lockout(document, LOCKED, terms())
    assert (refusal.value.code, refusal.value.path) == ("wagers_changed_after_lockout", path)


@pytest.mark.parametrize(
    ("choices", "refused"),
    [
        ({"wager": []}, ("unknown_key", "wager")),
        ({"wagers": "main"}, ("wrong_type", "wagers")),
        ({"wagers": ["main", "fun"]}, ("bad_value", "wagers[1]")),
        ({"readings": {"SC-8": "no"}}, ("bad_value", "readings.SC-8")),
        ({"readings": {"SC-99": "x"}}, ("unknown_key", "readings.SC-99")),
        ({"readings": {"SC-2": "other"}}, ("bad_value", "readings.SC-2")),
        ({"minimum": "lots"}, ("bad_money", "minimum")),
    ],
)
def test_a_submission_that_cannot_be_is_refused(choices: dict, refused: tuple[str, str]) -> None:
    with pytest.raises(Refusal) as refusal:
        terms(**choices)

    assert (refusal.value.code, refusal.value.path) == refused


def test_a_submission_names_what_it_was_made_of() -> None:
    one, other = terms(version="2026-1"), terms(version="2026-1", readings={"SC-8": "table"})

    assert one.submission.rules.startswith("six_card_fortune_pai_gow/1-")
    assert " + 2026-1 " in one.submission.rules
    assert one.submission.digest != other.submission.digest
    assert terms(readings={"SC-8": "default", "LP-1": "flush"}).submission.readings["SC-8"] == (
        "from_five"
    )
