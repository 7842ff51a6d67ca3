"""Outcomes in plain words, and where the cards went: over every golden round of every game."""

import re
import tomllib
from collections import Counter
from typing import Any

import pytest

from tables.rules import Refusal, Submission
from tables.rules.games import definition_of
from tables.rules.plain import paragraph, what_happened
from tables.rules.rack import rack_of
from tables.rules.shown_hands import final_cards, shown_dealer, shown_hands
from tests.rules.test_golden_rounds import ROUNDS, document_of, outcome_of


def settled_rounds() -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    found = []
    for path in ROUNDS:
        document = document_of(tomllib.loads(path.read_text(encoding="utf-8")))
        try:
            found.append((path.stem, document, outcome_of(document)))
        except Refusal:
            continue  # a golden refusal
    return found


SETTLED = settled_rounds()


def test_there_are_many() -> None:
    assert len(SETTLED) > 250


def test_every_line_has_its_paragraph_in_plain_words() -> None:
    missing = {
        line["cite"]
        for _, _, outcome in SETTLED
        for line in outcome["lines"]
        if not paragraph(line["cite"])
    }
    assert missing == set()


def test_a_sentence_says_what_was_paid_and_nobody_elses_place() -> None:
    for name, _, outcome in SETTLED:
        for line in outcome["lines"]:
            told = what_happened(line)
            pays = line["pays"]
            if pays not in (None, "0.00"):
                assert f"${float(pays):,.2f}" in told, (name, told)
            if line["result"] == "envy":
                assert "position" not in told, (name, told)
            assert not re.search(r"_|  |\bNone\b", told), (name, told)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            {"wager": "main", "stake": "25.00", "result": "win", "hand": "pair", "terms": "1 to 1",
             "pays": "23.75", "returned": "25.00", "vigorish": "1.25"},
            "The main wager of $25.00 wins with a pair, 1 to 1. $23.75 is paid, after a vigorish"
            " of $1.25, and $25.00 goes back.",
        ),
        (
            {"wager": "progressive", "stake": "1.00", "result": "win", "hand": "royal_flush",
             "terms": "10% of meter", "pays": "2000.04", "returned": "0.00",
             "meter_at_turn": "20000.42"},
            "The Progressive Payout Wager of $1.00 wins with a royal flush, 10% of meter. The meter"
            " showed $20,000.42 at this turn. $2,000.04 is paid.",
        ),
        (
            {"wager": "progressive", "stake": "1.00", "result": "envy", "hand": "five_aces",
             "from_position": 3, "pays": "100.00", "returned": "0.00"},
            "Envy Bonus on the Progressive Payout Wager of $1.00: another player has five aces."
            " $100.00 is paid.",
        ),
        (
            {"wager": "ante", "stake": "10.00", "result": "fold", "pays": "0.00",
             "returned": "0.00"},
            "The Ante of $10.00 is given up: the hand was folded.",
        ),
    ],
)  # fmt: skip
def test_some_sentences(line: dict[str, Any], told: str) -> None:
    assert what_happened(line) == told


def test_every_card_of_a_round_reaches_the_rack_once() -> None:
    for name, document, outcome in SETTLED:
        if document.get("type") == "void":
            continue
        chapter = definition_of(document["game"]).chapter  # type: ignore[union-attr]
        rack = rack_of(chapter, document, outcome["dealer"] or {}, outcome["lines"])
        racked = Counter(card for taken in rack for card in taken["cards"])
        assert racked == cards_on_the_table(document, outcome), name
        places = [taken["what"] for taken in rack]
        shares = {n["position"] for n in outcome["lines"] if n.get("meter_at_turn") is not None}
        assert places[::-1].index("dealer") == len(shares), name


def cards_on_the_table(document: dict[str, Any], outcome: dict[str, Any]) -> Counter[str]:
    dealer = outcome["dealer"]
    cards = list(dealer.get("cards") or [*dealer["high"], *dealer["low"]])
    cards += [gone["card"] for gone in document.get("discarded", ())]
    for seat in document["positions"]:
        cards += final_cards(seat)
        cards += (seat.get("decision") or {}).get("discard") or []
        cards += [card for hand in seat.get("hands", ()) for card in hand.get("cards", ())]
    return Counter(cards)


def test_a_hand_that_others_envy_and_one_that_is_documented_go_in_late() -> None:
    lines = [
        {"position": 6, "wager": "main", "result": "win", "cite": ""},
        {"position": 6, "wager": "progressive", "result": "win", "cite": "", "meter_at_turn": "1"},
        {"position": 4, "wager": "main", "result": "lose", "cite": ""},
        {"position": 2, "wager": "main", "result": "lose", "cite": ""},
        {"position": 2, "wager": "progressive", "result": "envy", "cite": "", "from_position": 4},
    ]
    seats = [{"position": n, "cards": [f"{n}S"]} for n in (2, 4, 6)]
    rack = rack_of("670a", {"positions": seats, "left_count": 11}, {"cards": ["AS"]}, lines)
    assert [(t["what"], t["position"]) for t in rack] == [
        ("stub", None), ("position", 2), ("position", 4), ("dealer", None), ("position", 6),
    ]  # fmt: skip


def test_what_the_joker_stood_for() -> None:
    submission = Submission.make("six_card_fortune_pai_gow", {})
    high = shown_hands({"cards": "KS QS JS TS JK 4D".split(), "low": ["4D"]}, submission)
    assert (high["joker_as"], high["best"]["hand"]) == ("AS", "royal_flush")
    low = shown_hands({"cards": "9S 8H 7D 6C 5S JK".split(), "low": ["JK"]}, submission)
    assert (low["low_joker"], low["best"]["joker_as"]) == ("an ace", "TS")
    house = shown_hands({"cards": "9S 8H 7D 6C 5S KD".split()}, submission)
    assert (house["low"], house["set_by"]) == (["KD"], "house way")
    assert shown_hands({"cards": ["??"] * 6}, submission) == {}
    dealer = {"high": "KS QS JS TS JK".split(), "low": ["4D"]}
    assert shown_dealer(dealer, submission) == {"joker_as": "AS"}
