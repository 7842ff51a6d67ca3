"""§ 672a.12: dead hands, refused cards, cards drawn in error; voids; what a person has to see."""

from typing import Any

import pytest

from tables.rules import check_event, void
from tests.rules.made_blackjack import (
    event,
    flags,
    hand,
    lines,
    played,
    refused,
    seat,
    settled,
    terms,
)

NO_CARDS = {"status": "dead", "irregularity": {"cite": "672a.12(g)"}}
MISSED = {"status": "dead", "irregularity": {"cite": "672a.12(h)", "choice": "dead"}}
BOTH = {"push_22": "5.00"}


# ---- § 672a.12(g), (h). Dead hands ------------------------------------------------------------


@pytest.mark.parametrize(
    "left_out",
    [
        seat(3, **NO_CARDS, **BOTH),
        seat(3, "", **NO_CARDS, **BOTH),
        seat(3, "9S", **NO_CARDS, **BOTH),
        seat(3, "??", **NO_CARDS, **BOTH),
        seat(3, {"status": "dead", "irregularity": NO_CARDS["irregularity"]}, **BOTH),
        seat(3, hand("9S", **NO_CARDS), **BOTH),
    ],
)
def test_672a_12_g_who_was_not_dealt_in_has_all_wagers_back(left_out: dict[str, Any]) -> None:
    outcome = settled(played(left_out, seat(1, "9S 9D"), dealer="TD 7C"))

    assert lines(outcome) == [
        "3 main returned +0.00 <20.00 672a.12(g) FB-9",
        "3 push_22 returned +0.00 <5.00 672a.12(g) FB-9",
        "1 main win 18 1 to 1 +20.00 <20.00 672a.7(o)(2)",
    ]
    assert flags(outcome) == []


def test_672a_12_g_the_wagers_of_a_left_out_position_keep_no_dealer_drawing() -> None:
    settled(played(seat(3, **NO_CARDS, **BOTH), dealer="TD 2C"))


def test_672a_12_g_insurance_goes_back_too() -> None:
    left_out = seat(3, **NO_CARDS, insurance="10.00")

    outcome = settled(played(left_out, seat(1, "9S 9D"), dealer="AD KC"))

    assert lines(outcome)[1] == "3 insurance returned +0.00 <10.00 672a.12(g) FB-9"


@pytest.mark.parametrize(
    ("dealer", "push_22"),
    [
        ("TD 6C 6S", "win other_22 8 to 1 +40.00 <5.00 672a.11(c) FB-9"),
        ("TD 6C 7S", "lose 23 +0.00 <0.00 672a.7(n)(2)"),
    ],
)
def test_672a_12_h_push_22_of_a_dead_hand_stands(dealer: str, push_22: str) -> None:
    outcome = settled(played(seat(3, "9S 5D", **MISSED, **BOTH), dealer=dealer))

    assert lines(outcome) == [
        "3 main returned +0.00 <20.00 672a.12(h) FB-9",
        f"3 push_22 {push_22}",
    ]


def test_672a_12_h_all_real_money_of_a_dead_position_goes_back() -> None:
    doubled = hand("8S 4H", double="paid", double_wager="15.00")
    dead = seat(3, doubled, hand("8H 7D", "free"), **MISSED, insurance="10.00")

    outcome = settled(played(dead, dealer="AD 7C"))

    assert lines(outcome) == [
        "3 main returned +0.00 <35.00 672a.12(h) FB-9",
        "3 main returned +0.00 <0.00 672a.12(h) FB-9",
        "3 insurance lose +0.00 <0.00 672a.8(d)",
    ]


def test_672a_12_h_a_hand_never_told_has_its_wager_back() -> None:
    outcome = settled(played(seat(3, **MISSED, **BOTH), dealer="KD AC"))

    assert lines(outcome) == [
        "3 main returned +0.00 <20.00 672a.12(h) FB-9",
        "3 push_22 lose blackjack +0.00 <0.00 672a.7(g)(2)",
    ]


@pytest.mark.parametrize(
    ("cards", "paragraph", "push_22"),
    [("9S", "g", "returned +0.00 <5.00 672a.12(g) FB-9"), ("9S 5D", "h", None)],
)
def test_672a_12_a_dead_hand_without_its_paragraph_by_its_cards(
    cards: str, paragraph: str, push_22: str | None
) -> None:
    dead = seat(3, cards, status="dead", irregularity={"cite": "672a.12(f)"}, **BOTH)
    outcome = settled(played(dead, dealer="TD 6C 5S") if push_22 is None else played(dead))

    assert lines(outcome)[0] == f"3 main returned +0.00 <20.00 672a.12({paragraph}) FB-9"
    if push_22 is not None:
        assert lines(outcome)[1] == f"3 push_22 {push_22}"
    assert flags(outcome) == [("status_paragraph", "positions[0].irregularity", "exception")]


def test_672a_12_a_status_names_its_paragraph() -> None:
    told = refused(played(seat(3, "9S 5D", status="dead")))
    assert told[:2] == ("missing_key", "positions[0].irregularity")
    told = refused(played(seat(3, hand("9S 5D", status="dead"))))
    assert told[:2] == ("missing_key", "positions[0].hands[0].irregularity")
    told = refused(played(seat(3, "9S 5D", **{**MISSED, "status": "voided"})))
    assert told[:2] == ("bad_value", "positions[0].status")


def test_672a_12_h_irregularities_of_a_hand_are_looked_at() -> None:
    odd = {"status": "dead", "irregularity": {"cite": "a card was missed"}}
    split = seat(3, hand("8S TH"), hand("8H 5D", "free", **odd))

    found = flags(settled(played(split)))

    path = "positions[0].hands[1].irregularity"
    assert found == [
        ("status_paragraph", path, "exception"),
        ("unknown_paragraph", path, "exception"),
    ]


# ---- § 672a.12(c), (d). Cards drawn in error --------------------------------------------------


REFUSES = {"irregularity": {"cite": "672a.12(c)", "choice": "refuse"}}


@pytest.mark.parametrize(
    ("told", "points"),
    [
        (seat(3, "TS 6H", **REFUSES), 16),
        (seat(3, hand("6S 5H", double="free"), irregularity=[REFUSES["irregularity"]]), 11),
        (seat(3, hand("6S 5H", double="free", **REFUSES)), 11),
    ],
)
def test_672a_12_c_who_refuses_the_card_gets_no_more(told: dict[str, Any], points: int) -> None:
    outcome = settled(played(told, discarded=[{"card": "9S", "cite": "672a.12(c)"}]))

    assert lines(outcome) == [f"3 main lose {points} +0.00 <0.00 672a.7(q)(2)"]
    assert flags(outcome) == []


def test_672a_12_c_a_refused_second_card_of_a_split_hand() -> None:
    outcome = settled(played(seat(3, hand("8S TH"), hand("8H", "free"), **REFUSES)))

    assert [line["hand"] for line in outcome.outcome["lines"]] == ["18", "8"]


def test_672a_12_d_a_card_too_many_is_told_as_discarded() -> None:
    drew = played(seat(3, "TS 9H"), dealer="TD 7C 4S")
    assert refused(drew) == ("hand_does_not_follow", "dealer_hand.cards", "§ 672a.7(l)")

    put_away = played(
        seat(3, "TS 9H"), dealer="TD 7C", discarded=[{"card": "4S", "cite": "672a.12(d)"}]
    )
    assert lines(settled(put_away)) == ["3 main win 19 1 to 1 +20.00 <20.00 672a.7(o)(2)"]


def test_672a_12_a_many_discarded_cards_void_nothing() -> None:
    away = [{"card": card, "cite": "672a.12(a)"} for card in ("2S", "3S", "4S")]

    assert flags(settled(played(seat(3, "TS 9H"), discarded=away, left_count=40))) == []


# ---- § 672a.12(i). The card reader ------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "flagged"),
    [
        ({"irregularity": {"cite": "672a.12(i)", "floorperson": "F200"}}, False),
        ({"irregularity": {"cite": "§ 672a.12(i)"}, "floorperson": "F200"}, False),
        ({"irregularity": {"cite": "672a.12(i)"}}, True),
        ({"irregularity": [{"cite": "672a.12(b)"}, {"cite": "672a.12(i)"}]}, True),
    ],
)
def test_672a_12_i_the_floorperson_is_told(keys: dict[str, Any], flagged: bool) -> None:
    outcome = settled(played(seat(3, "TS 9H"), dealer="6D TC 3S", **keys))

    found = ("floorperson_not_named", "irregularity", "exception")
    assert flags(outcome) == [found] * flagged


# ---- Voids: the chapter knows none ------------------------------------------------------------


def voided(*seats: dict[str, Any], lockout: dict[str, Any] | None = None, **keys: Any) -> Any:
    irregularity = {"cite": "672a.12(j)", "floorperson": "F200"}
    document = event("void", positions=list(seats), irregularity=irregularity, **keys)
    check_event(document, terms())
    return void(document, terms(), lockout)


def test_672a_12_every_void_is_an_exception() -> None:
    for cite in ("672a.12(j)", "672a.12(f)", "670a.13(e)", "a quarrel"):
        document = event("void", positions=[seat(2)], irregularity={"cite": cite})
        check_event(document, terms())
        outcome = void(document, terms(), None)

        assert flags(outcome)[0] == ("void_paragraph", "irregularity", "exception")
        assert lines(outcome)[0].startswith("2 main returned +0.00 <20.00")


def test_672a_12_a_void_returns_doubles_and_splits_for_money_too() -> None:
    doubled = hand("KS 2H 9D", double="paid", double_wager="15.00")
    told = seat(2, doubled, hand("TH 6C", "paid"), insurance="5.00", **BOTH)
    free = seat(5, hand("8S 3H TD", double="free"), hand("8H ??", "free"))

    outcome = voided(told, free, lockout=event("lockout", positions=[seat(2, **BOTH), seat(5)]))

    assert lines(outcome) == [
        "5 main returned +0.00 <20.00 672a.12(j)",
        "5 main returned +0.00 <0.00 672a.12(j)",
        "2 main returned +0.00 <35.00 672a.12(j)",
        "2 main returned +0.00 <20.00 672a.12(j)",
        "2 push_22 returned +0.00 <5.00 672a.12(j)",
        "2 insurance returned +0.00 <5.00 672a.12(j)",
    ]
    assert [flag["code"] for flag in outcome.flags] == ["void_paragraph"]
    assert outcome.reversals == outcome.contributions == ()


def test_672a_12_evidence_of_a_void_follows_from_nothing() -> None:
    """Neither hands nor the dealer's cards are judged, and faces may be unseen."""
    odd = seat(2, hand("TS ?? KS KD", "paid", double="paid"), even_money=True)

    outcome = voided(odd, {"position": 4}, dealer_hand={"cards": ["??"]})

    assert lines(outcome) == ["2 main returned +0.00 <20.00 672a.12(j)"]


# ---- What was paid ----------------------------------------------------------------------------


def test_672a_11_what_the_dealer_paid_is_compared_by_wager() -> None:
    split = [hand("8S TH"), hand("8H 3C TS", "free", double="free")]
    right = {"main": "60.00"}

    assert flags(settled(played(seat(2, *split, paid=right), dealer="TD 7C"))) == []
    short = seat(2, *split, paid={"main": "40.00", "push_22": "5.00"}, **BOTH)
    outcome = settled(played(short, dealer="TD 7C"))
    assert [(flag["path"], flag["paid"], flag["due"]) for flag in outcome.flags] == [
        ("positions[0].paid.main", "40.00", "60.00"),
        ("positions[0].paid.push_22", "5.00", "0.00"),
    ]


def test_672a_11_a_blackjack_paid_6_to_5_is_a_mispay() -> None:
    outcome = settled(played(seat(2, "AS KH", paid={"main": "24.00"})))

    assert [(flag["code"], flag["due"], flag["cite"]) for flag in outcome.flags] == [
        ("mispay", "30.00", "§ 672a.7(h)(1)")
    ]


def test_672a_11_a_forgotten_insurance_is_a_mispay() -> None:
    insured = seat(2, "9S 9D", insurance="10.00", paid={})

    outcome = settled(played(insured, dealer="AD KC"))

    assert flags(outcome) == [("mispay", "positions[0].paid", "exception")]


def test_672a_there_is_no_envy_lammer_here() -> None:
    outcome = settled(played(seat(2, "9S 9D", envy_lammer=["fortune_bonus"], lamp=False)))

    assert flags(outcome) == [("envy_lammer", "positions[0].envy_lammer", "exception")]
    assert flags(settled(played(seat(2, "9S 9D", envy_lammer=[], lamp=True)))) == []
