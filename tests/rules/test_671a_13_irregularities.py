"""§ 671a.13, and what is odd about a round that was played: voids, exceptions, alarms."""

from typing import Any

import pytest

from tables.rules import check_event, void
from tests.rules.made_lunar import (
    QUALIFIED,
    brief,
    buys,
    event,
    exchanges,
    flags,
    played,
    refused,
    seat,
    settled,
    terms,
)

HAND = "JS JH 5D 4C 8S"
FLUSH = "KS QS 9S 5S 2S"


def voided(*seats: Any, cite: str = "671a.13(d)", locked: Any = None, **told: Any) -> Any:
    choices = told.pop("choices", {})
    document = event("void", positions=list(seats), irregularity={"cite": cite}, **told)
    check_event(document, terms(**choices))
    return void(document, terms(**choices), locked)


# ---- Voids ------------------------------------------------------------------------------------


def test_671a_13_d_all_is_returned_although_it_was_settled() -> None:
    outcome = voided(
        seat(1, FLUSH, "fold", super_on={"3": "5.00", "dealer": "5.00"}, paid={"super": "600.00"}),
        seat(3, HAND, buys("2C", None)),
        seat(4, "9H 8H 7H 6H 5H"),
    )

    assert brief(outcome) == [
        "4 ante returned +0.00 <10.00",
        "4 super returned +0.00 <10.00 LP-12",
        "3 ante returned +0.00 <10.00",
        "3 super returned +0.00 <10.00 LP-12",
        "3 options_fee returned +0.00 <10.00 LP-12",
        "1 ante returned +0.00 <10.00 LP-12",
        "1 super returned +0.00 <10.00 LP-12",
        "1 super_on on 3 returned +0.00 <5.00 LP-12",
        "1 super_on on dealer returned +0.00 <5.00",
    ]
    assert {line["cite"] for line in outcome.outcome["lines"]} == {"§ 671a.13(d)"}
    assert flags(outcome) == [("mispay", "positions[0].paid.super", "exception")]


def test_671a_13_d_what_was_settled_stands_where_the_submission_says_so() -> None:
    outcome = voided(
        seat(1, FLUSH, "fold", super_on={"3": "5.00", "dealer": "5.00"}, paid={"super": "600.00"}),
        seat(2, "TS TH 9C 4D 3C", exchanges("9C 4D", "6D 7D", "fold")),
        seat(3, HAND, buys("2C", None)),
        seat(4, "9H 8H 7H 6H 5H", super_on={"5": "5.00"}),
        seat(5, "AD ?? ?? ?? ??", "bet"),
        choices={"readings": {"LP-12": "settled_stands"}},
    )

    assert brief(outcome) == [
        "5 ante returned +0.00 <10.00",
        "5 super returned +0.00 <10.00",
        "5 bet returned +0.00 <20.00",
        "4 ante instant +2500.00 <10.00 LP-12",
        "4 super win +20.00 <10.00 LP-12",
        "4 super_on on 5 returned +0.00 <5.00",
        "3 ante returned +0.00 <10.00",
        "3 super lose +0.00 <0.00 LP-12",
        "3 options_fee lose +0.00 <0.00 LP-12",
        "2 ante fold +0.00 <0.00 LP-12",
        "2 super lose +0.00 <0.00 LP-12",
        "2 options_fee lose +0.00 <0.00 LP-12",
        "1 ante fold +0.00 <0.00 LP-12",
        "1 super win +600.00 <10.00 LP-12",
        "1 super_on on 3 lose +0.00 <0.00 LP-12",
        "1 super_on on dealer returned +0.00 <5.00",
    ]
    assert flags(outcome) == []


def test_671a_13_d_before_any_card_was_drawn_nothing_had_been_settled() -> None:
    outcome = voided(seat(1, FLUSH, "fold"), choices={"readings": {"LP-12": "settled_stands"}})

    assert [line["result"] for line in outcome.outcome["lines"]] == ["returned", "returned"]


def test_671a_13_c_a_void_holds_hands_of_any_length_and_knows_its_lockout() -> None:
    locked = event("lockout", positions=[seat(1, super_on={"2": "5.00"}), seat(2)])
    outcome = voided(
        {"position": 1, "cards": ["AS", "??"]},
        cite="671a.13(c)",
        locked=locked,
        dealer_hand={"cards": ["KD"]},
    )

    assert brief(outcome) == [
        "2 ante returned +0.00 <10.00",
        "2 super returned +0.00 <10.00",
        "1 ante returned +0.00 <10.00",
        "1 super returned +0.00 <10.00",
        "1 super_on on 2 returned +0.00 <5.00",
    ]
    assert outcome.contributions == outcome.reversals == ()


@pytest.mark.parametrize("paragraph", ["a", "c", "d", "f"])
def test_671a_13_paragraphs_that_void_a_round(paragraph: str) -> None:
    assert flags(voided(seat(1), cite=f"671a.13({paragraph})")) == []


@pytest.mark.parametrize("cite", ["671a.13(b)", "671a.13(e)", "670a.13(e)"])
def test_671a_13_a_void_by_another_paragraph_is_an_exception(cite: str) -> None:
    assert flags(voided(seat(1), cite=cite)) == [("void_paragraph", "irregularity", "exception")]


def test_671a_11_d_draws_beyond_the_deck_void_the_round() -> None:
    ranks = "23456"
    hands = [" ".join(rank + suit for rank in ranks) for suit in "SHDC"]
    hands.append("7S 7H 7D 7C 8S")
    seats = [seat(n, hand, exchanges(hand, "", None)) for n, hand in enumerate(hands, 1)]
    outcome = voided(*seats, cite="671a.11(d)")

    assert flags(outcome) == [
        ("void_paragraph", "irregularity", "exception"),
        ("deck_exhausted", "positions", "exception"),
    ]
    assert outcome.flags[1]["reading"] == "LP-13"
    assert flags(voided(*seats[:4], cite="671a.13(d)")) == []


def test_671a_13_a_repeated_card_in_a_void_is_an_alarm() -> None:
    outcome = voided(seat(1, HAND, buys("JS", None)), cite="671a.13(c)")

    assert flags(outcome) == [("repeated_card", "positions[0].decision.draw[0]", "alarm")]


# ---- Played all the same ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "flagged"),
    [
        ({"discarded": ["7S"]}, []),
        ({"discarded": ["7S", "7H"]}, [("two_cards_face_up", "discarded", "alarm")]),
        ({"dealing": "hand", "shuffle": "device"}, []),
        (
            {"dealing": "hand", "shuffle": "manual"},
            [("hand_dealt_without_device", "shuffle", "exception")],
        ),
        ({"irregularity": {"cite": "671a.13(b)"}}, []),
        (
            {"irregularity": {"cite": "671a.13(d)"}},
            [("void_paragraph_settled", "irregularity", "alarm")],
        ),
        ({"left_count": 42}, []),
        ({"left_count": 41}, [("left_count", "left_count", "exception")]),
    ],
)
def test_671a_13_rounds_that_were_settled(facts: Any, flagged: list) -> None:
    if "discarded" in facts:
        facts = {"discarded": [{"card": c, "cite": "671a.13(a)"} for c in facts["discarded"]]}

    assert flags(settled(played(seat(1, HAND, "bet"), **facts))) == flagged


def test_671a_7_b_a_status_rests_on_its_paragraph() -> None:
    left = {"status": "abandoned", "irregularity": {"cite": "671a.13(b)"}}

    assert flags(settled(played(seat(1, HAND, "bet", **left)))) == [
        ("status_paragraph", "positions[0].irregularity", "exception")
    ]
    del left["irregularity"]
    assert refused(played(seat(1, HAND, "bet", **left)))[:2] == (
        "missing_key",
        "positions[0].irregularity",
    )
    assert refused(played(seat(1, HAND, "bet", status="voided")))[:2] == (
        "bad_value",
        "positions[0].status",
    )


@pytest.mark.parametrize(
    ("at", "flagged"),
    [
        ("2026-11-12T06:00:40-05:00", []),
        ("2026-11-12T11:00:40Z", []),
        (
            "2026-11-12T11:00:40.001Z",
            [("decision_after_lock", "positions[1].decision.at", "exception")],
        ),
    ],
)
def test_671a_11_a_3_a_decision_after_the_lock(at: str, flagged: list) -> None:
    marks = {
        "no_more_bets": "2026-11-12T06:00:15-05:00",
        "decisions_locked": "2026-11-12T06:00:40-05:00",
        "reveal": "2026-11-12T06:01:00-05:00",
    }
    seats = [seat(1, HAND, "bet"), seat(2, FLUSH, {"action": "bet", "at": at})]

    assert flags(settled(played(*seats, marks=marks))) == flagged
    assert flags(settled(played(*seats))) == []


def test_671a_11_e_the_dealer_reveals_after_the_lock() -> None:
    marks = {
        "decisions_locked": "2026-11-12T06:00:40-05:00",
        "reveal": "2026-11-12T06:00:39-05:00",
    }

    assert flags(settled(played(seat(1, HAND, "bet"), marks=marks))) == [
        ("marks_order", "marks.reveal", "exception")
    ]


def test_there_is_no_progressive_and_no_lammer_at_lunar_poker() -> None:
    told = seat(1, HAND, "bet", lamp=False, envy_lammer=["progressive"])

    assert flags(settled(played(told, dealer=QUALIFIED))) == [
        ("envy_lammer", "positions[0].envy_lammer", "exception")
    ]
    progressive = played(seat(1, HAND, "bet", progressive="1.00"))
    assert refused(progressive)[:2] == ("wager_not_offered", "positions[0].wagers.progressive")
