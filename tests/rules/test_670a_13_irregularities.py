"""§ 670a.13: hands and rounds that are void, and what is settled all the same."""

from typing import Any

import pytest

from tables.rules import Settled, check_event, lockout, void
from tables.rules.shell import outcome_of
from tests.rules.made import event, flags, lines, played, seat, settled, terms

VOIDED = {"status": "voided", "irregularity": {"cite": "670a.13(d)"}}
HAND = "QS JH 9D 6C 4H 3S"


def voided_round(lockout_document: dict | None = None, **keys: Any) -> Settled:
    document = event("void", **{"irregularity": {"cite": "670a.13(e)"}, **keys})
    check_event(document, None)
    check_event(document, terms())
    return void(document, terms(), lockout_document)


def locked(*seats: dict[str, Any]) -> dict[str, Any]:
    return event("lockout", positions=list(seats))


@pytest.mark.parametrize("cards", [None, "", "?? ?? KD ?? ?? ??", "KD", "KS KH KD KC 9H 2S"])
def test_670a_13_d_a_voided_hand_returns_all_its_wagers(cards: str | None) -> None:
    hand = seat(5, cards, **VOIDED, fortune_bonus="5.00", progressive="1.00")
    other = seat(2, HAND, fortune_bonus="5.00", progressive="1.00")
    outcome = settled(played(hand, other, dealer="2D 3C 5H 7S 9C TD"))

    assert lines(outcome)[:3] == [
        "5 main returned +0.00 <25.00 670a.13(d) SC-21",
        "5 fortune_bonus returned +0.00 <5.00 670a.13(d) SC-21",
        "5 progressive returned +0.00 <1.00 670a.13(d) SC-21",
    ]
    assert [c.position for c in outcome.contributions] == [5, 2]
    assert outcome.reversals == (5,)
    assert outcome.envies == ()


def test_670a_13_d_a_voided_hand_is_paid_no_envy() -> None:
    hand = seat(5, None, **VOIDED, fortune_bonus="5.00")
    quads = seat(2, "KS KH KD KC 9H 2S")

    assert settled(played(hand, quads, dealer="2D 3C 5H 7S 9C TD")).envies == ()


def test_670a_13_d_side_wagers_stand_where_the_submission_says_so() -> None:
    stand = terms(readings={"SC-21": "side_wagers_stand"})
    hand = seat(5, "KS KH KD KC 9H 2S", **VOIDED, fortune_bonus="5.00", progressive="1.00")
    other = seat(2, HAND, fortune_bonus="5.00")
    outcome = settled(played(hand, other, dealer="2D 3C 5H 7S 9C TD"), stand)

    assert lines(outcome)[:3] == [
        "5 main returned +0.00 <25.00 670a.13(d) SC-21",
        "5 fortune_bonus win four_of_a_kind 50 to 1 +250.00 <5.00 670a.12(b)(1) SC-21",
        "5 progressive win four_of_a_kind 150 for 1 +150.00 <0.00 670a.12(d)(1) SC-21",
    ]
    assert outcome.reversals == ()
    assert [(e.position, str(e.pays)) for e in outcome.envies] == [(2, "75.00")]

    unseen = {**hand, "cards": ["KS", "??"]}
    outcome = settled(played(unseen, other, dealer="2D 3C 5H 7S 9C TD"), stand)
    assert outcome.reversals == (5,)


def test_670a_13_d_the_contribution_comes_off_before_the_first_turn() -> None:
    outcome = outcome_of(
        played(
            seat(2, None, **VOIDED, progressive="1.00"),
            seat(6, "AH KH QH JH TH 4C", progressive="1.00"),
            meter={"value": "20000.00", "reset": "5000.00"},
        )
    )

    (paid,) = [line for line in outcome["lines"] if line["position"] == 6 and "terms" in line]
    assert paid["meter_at_turn"] == "20000.21"
    assert outcome["meters"][0]["contributed"] == "0.21"


@pytest.mark.parametrize("paragraph", ["670a.13(c)", "670a.13(h)", "§ 670a.8(f)"])
def test_670a_13_a_void_returns_every_wager_of_its_lockout(paragraph: str) -> None:
    lockout_document = locked(
        seat(2, progressive="1.00"), seat(6, fortune_bonus="5.00", progressive="1.00")
    )
    outcome = voided_round(lockout_document, irregularity={"cite": paragraph})

    cite = paragraph.removeprefix("§ ")
    assert lines(outcome) == [
        f"6 main returned +0.00 <25.00 {cite}",
        f"6 fortune_bonus returned +0.00 <5.00 {cite}",
        f"6 progressive returned +0.00 <1.00 {cite}",
        f"2 main returned +0.00 <25.00 {cite}",
        f"2 progressive returned +0.00 <1.00 {cite}",
    ]
    assert outcome.reversals == (6, 2)
    assert outcome.contributions == ()
    assert flags(outcome) == []


def test_670a_13_a_double_down_made_before_the_void_is_returned_too() -> None:
    lockout_document = locked(seat(2), seat(6))
    outcome = voided_round(lockout_document, positions=[seat(6, double_down="25.00")])

    assert lines(outcome) == [
        "6 main returned +0.00 <25.00 670a.13(e)",
        "6 double_down returned +0.00 <25.00 670a.13(e)",
        "2 main returned +0.00 <25.00 670a.13(e)",
    ]
    assert flags(outcome) == []


def test_670a_13_a_round_that_was_never_locked_out_moves_no_meter() -> None:
    outcome = voided_round(positions=[seat(2, progressive="1.00")])

    assert lines(outcome, "progressive") == ["2 progressive returned +0.00 <1.00 670a.13(e)"]
    assert outcome.reversals == ()
    assert voided_round().outcome["lines"] == []


def test_670a_13_h_a_void_may_hold_any_number_of_cards_and_a_repetition_alarms() -> None:
    hands = [seat(2, "QS JH ?? 6C 4H 3S 2D"), seat(3, "QS ?? ??")]
    outcome = voided_round(
        positions=hands,
        dealer_hand={"cards": ["AS"]},
        stub=["??", "??", "KC"],
        left_count=12,
        irregularity=[{"cite": "670a.13(h)", "deck_out": True}, {"cite": "670a.13(g)"}],
    )

    assert flags(outcome) == [("repeated_card", "positions[1].cards[0]", "alarm")]


def test_670a_13_a_void_under_another_paragraph_is_accepted_with_an_exception() -> None:
    outcome = voided_round(irregularity={"cite": "670a.13(l)", "note": "shuffler jammed"})

    assert flags(outcome) == [("void_paragraph", "irregularity", "exception")]


def test_670a_13_a_flag_never_cites_what_is_no_paragraph() -> None:
    outcome = voided_round(
        irregularity={"cite": "the floorperson said so, twice, on the telephone"}
    )

    (flag,) = outcome.flags
    assert (flag["code"], flag["cite"]) == ("void_paragraph", "")


def test_670a_13_a_void_that_lists_other_wagers_than_its_lockout_is_flagged() -> None:
    outcome = voided_round(locked(seat(2)), positions=[seat(2, main="30.00")])

    assert lines(outcome) == ["2 main returned +0.00 <25.00 670a.13(e)"]
    assert flags(outcome) == [
        ("wagers_changed_after_lockout", "positions[0].wagers.main", "exception")
    ]


def test_670a_13_what_was_paid_before_a_void_is_put_before_a_person() -> None:
    outcome = voided_round(positions=[seat(2, paid={"main": "25.00"})])

    assert flags(outcome) == [("mispay", "positions[0].paid.main", "exception")]


def test_670a_13_f_one_card_face_up_is_out_two_alarm() -> None:
    up = [{"card": card, "cite": "670a.13(f)"} for card in ("KC", "KD")]

    assert flags(settled(played(seat(2, HAND), discarded=up[:1]))) == []
    assert flags(settled(played(seat(2, HAND), discarded=up))) == [
        ("two_cards_face_up", "discarded", "alarm")
    ]


@pytest.mark.parametrize(
    ("cite", "found"),
    [
        ("670a.13(g)", []),
        ("670a.13(f)", []),
        ("§ 670a.13(e)", [("void_paragraph_settled", "irregularity", "alarm")]),
        ("the usual", [("unknown_paragraph", "irregularity", "exception")]),
    ],
)
def test_670a_13_an_irregularity_of_a_settled_round(cite: str, found: list) -> None:
    outcome = settled(played(seat(2, HAND), irregularity={"cite": cite}))

    assert flags(outcome) == found


def test_670a_13_d_a_status_that_rests_on_another_paragraph_is_flagged() -> None:
    hand = seat(2, HAND, status="voided", irregularity={"cite": "670a.13(g)"})

    assert flags(settled(played(hand))) == [
        ("status_paragraph", "positions[0].irregularity", "exception")
    ]


def test_a_lockout_only_tells_what_goes_on_the_meters() -> None:
    document = locked(
        seat(2, progressive="1.00"), seat(6, player="P1", progressive="1.00"), seat(4)
    )
    check_event(document, terms())
    outcome = lockout(document, terms())

    assert [(c.position, c.player, str(c.stake)) for c in outcome.contributions] == [
        (6, "P1", "1.00"),
        (2, None, "1.00"),
    ]
    assert outcome.outcome["lines"] == []
