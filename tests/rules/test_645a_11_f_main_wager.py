"""§ 645a.11(b), (c), (f): two hands against two, the vigorish, the Queen's Dragon, the bank."""

import pytest

from tests.rules.made import flags, lines
from tests.rules.made_pai_gow import (
    DEALER,
    DEALER_LOW,
    DRAGON,
    DRAGON_LOW,
    LOSER,
    LOSER_LOW,
    QUADS,
    QUADS_LOW,
    played,
    refusal_of,
    seat,
    settled,
    terms,
)

# The dealer: nines over ace-king low.
NINES, NINES_LOW = "9C 9D 7H 5S 2C AS KD", "AS KD"


@pytest.mark.parametrize(
    ("cards", "low", "line"),
    [
        ("8S 8H 7D 5C 3S AD QS", "AD QS", "lose pair +0.00 <0.00 645a.11(f)(1)(i)"),
        ("9S 9H 7D 5C 2S AD QS", "AD QS", "lose pair +0.00 <0.00 645a.11(f)(1)(ii)"),
        ("8S 8H 7D 5C 3S AD KS", "AD KS", "lose pair +0.00 <0.00 645a.11(f)(1)(ii)"),
        ("9S 9H 7D 5C 2S AD KS", "AD KS", "lose pair +0.00 <0.00 645a.11(f)(1)(ii)"),
        ("TS TH 7D 5C 2S AD QS", "AD QS", "push pair +0.00 <25.00 645a.11(f)(2)(i)"),
        ("TS TH 7D 5C 2S AD KS", "AD KS", "push pair +0.00 <25.00 645a.11(f)(2)(i)"),
        ("8S 8H 7D 5C 3S 3D 3H", "3D 3H", "push pair +0.00 <25.00 645a.11(f)(2)(ii)"),
        ("9S 9H 7D 5C 2S 2D 2H", "2D 2H", "push pair +0.00 <25.00 645a.11(f)(2)(ii)"),
        ("TS TH 7D 5C 3S 3D 2S", "3S 3D", "win pair 1 to 1 +23.75 <25.00 645a.11(f)(3) PG-10"),
        ("TS TH 7D 5C 3S JK AD", "JK AD", "lose pair +0.00 <0.00 645a.11(f)(1)(iii)"),
        ("TS TH 7D JK AD 2S 2H", "2S 2H", "win two_pair 1 to 1 +23.75 <25.00 645a.11(f)(3) PG-10"),
    ],
)
def test_645a_11_f_main_wager(cards: str, low: str, line: str) -> None:
    outcome = settled(played(seat(4, cards, low), dealer=NINES, low=NINES_LOW))

    assert lines(outcome) == [f"4 main {line}"]


JACKS = {"dealer": "JS JC TS 8C 6S 4D 2D", "low": "TS 8C"}


@pytest.mark.parametrize(
    ("cards", "low", "told"),
    [
        ("AS KH QD 9C 7S 5H 3D", "AS KH", "lose queen_high +0.00 <0.00 645a.11(f)(1)(iii) PG-13"),
        ("AS AH KD QC 9S 7H 5D", "AS KD", "lose ace_high +0.00 <0.00 645a.11(f)(1)(iii) PG-13"),
        ("AS KD 7C 7H 5S 4H 2C", "7C 7H", "lose ace_high +0.00 <0.00 645a.11(f)(1)(iii)"),
        ("8S 8D 7C 7H KS 4H 2C", "8S 8D", "lose pair +0.00 <0.00 645a.11(f)(1)(iii)"),
        ("AS AH KD KC 9S 7H 5D", "AS KD", "push ace_high +0.00 <25.00 645a.11(f)(2)(ii) PG-13"),
        ("JK AH KD KC 9S 7H 5D", "JK KD", "push ace_high +0.00 <25.00 645a.11(f)(2)(ii) PG-13"),
        ("AS KH QD 9C 7S 5H 3D", "KH QD", "push ace_high +0.00 <25.00 645a.11(f)(2)(ii)"),
        ("7S 7D 7C 7H KS 4H 2C", "7C 7H", "push pair +0.00 <25.00 645a.11(f)(2)(ii)"),
        ("AS KH QD QC 7S 5H 3D", "AS KH", "win pair 1 to 1 +23.75 <25.00 645a.11(f)(3) PG-10"),
    ],
)
def test_645a_11_b_the_high_hand_is_equal_or_higher(cards: str, low: str, told: str) -> None:
    """Without pairs card by card, as far as two cards go, the joker an ace."""
    assert lines(settled(played(seat(4, cards, low), **JACKS))) == [f"4 main {told}"]


def test_645a_11_f_1_iv_hands_not_set_correctly_lose() -> None:
    told = {"status": "mis_set", "irregularity": {"cite": "645a.11(f)(1)(iv)"}}
    seats = [
        seat(1, QUADS, "KH 5D 3H", **told, fortune_bonus="5.00"),
        seat(3, "AS AH AD AC QH 6D 4H", **told),
    ]
    outcome = settled(played(*seats))

    assert lines(outcome) == [
        "3 main lose +0.00 <0.00 645a.11(f)(1)(iv)",
        "1 main lose +0.00 <0.00 645a.11(f)(1)(iv)",
        "1 fortune_bonus win four_of_a_kind 25 to 1 +125.00 <5.00 645a.11(h)(1)(i)(B)",
        "1 fortune_bonus envy four_of_a_kind fixed $5.00 +5.00 <0.00 from 3 645a.11(h)(1)(ii)",
    ]
    assert flags(outcome) == []


def test_645a_11_f_1_iv_the_status_names_its_paragraph() -> None:
    other = {"status": "mis_set", "irregularity": {"cite": "645a.11(f)(1)(iii)"}}

    assert refusal_of(played(seat(1, QUADS, "KH", status="mis_set"))) == (
        "missing_key",
        "positions[0].irregularity",
    )
    assert flags(settled(played(seat(1, QUADS, "KH", **other)))) == [
        ("status_paragraph", "positions[0].irregularity", "exception")
    ]


# ---- EZ tables and the Queen's Dragon -----------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "low", "told", "cite"),
    [
        ("JC 9H 8S 5C 4S 3H 2C", "9H 8S", {}, "(1)(v) PG-2"),  # would lose
        ("AS KH QD 9C 7S 5H 3D", "AS KH", {}, "(1)(v) PG-1"),  # fouled
        (
            "AS KH QD 9C 7S 5H 3D",
            "KH QD 3D",
            {"status": "mis_set", "irregularity": {"cite": "645a.11(f)(1)(iv)"}},
            "(1)(v) PG-1",
        ),
        ("AS 9H 8S 5C 4S 3H 2C", "9H 8S", {}, "(2)(iii) PG-2"),  # would tie
        ("AS KD JC 8H 5C 3S 2H", "KD JC", {}, "(3) PG-2"),  # would win
    ],
)
def test_645a_11_f_1_v_2_iii_3_a_queens_dragon_pushes_all(
    cards: str, low: str, told: dict, cite: str
) -> None:
    document = played(seat(4, cards, low, **told), dealer=DRAGON, low=DRAGON_LOW)
    outcome = settled(document, terms(ez=True))

    (line,) = lines(outcome)
    assert line.startswith("4 main push")
    assert line.endswith(f"+0.00 <25.00 645a.11(f){cite}")
    assert outcome.outcome["dealer"]["queens_dragon"] is True
    assert "push" not in lines(settled(document))[0] or cite.startswith("(2)")


def test_645a_11_f_3_an_ez_table_takes_no_vigorish() -> None:
    (line,) = settled(played(seat(4, QUADS, QUADS_LOW)), terms(ez=True)).outcome["lines"]

    assert (line["pays"], "vigorish" in line, "reading" in line) == ("25.00", False, False)


@pytest.mark.parametrize(
    ("stake", "rounding", "pays", "vigorish"),
    [
        ("25.00", "down", "23.75", "1.25"),
        ("25.10", "down", "23.85", "1.25"),
        ("25.10", "half_up", "23.84", "1.26"),
        ("25.05", "up", "23.79", "1.26"),
        ("0.10", "down", "0.10", "0.00"),
    ],
)
def test_645a_11_f_3_vigorish_of_the_winnings(
    stake: str, rounding: str, pays: str, vigorish: str
) -> None:
    outcome = settled(
        played(seat(4, QUADS, QUADS_LOW, main=stake)), terms(vigorish_rounding=rounding)
    )

    (line,) = outcome.outcome["lines"]
    assert (line["pays"], line["vigorish"], line["returned"]) == (pays, vigorish, stake)
    assert line["reading"] == "PG-10"


# ---- (c). The bank ------------------------------------------------------------------------------

BANK, BANK_LOW = "AS AD KH 8D 7C 5S 3H", "KH 8D"  # aces over king-eight


def banked(*seats: dict, bank: dict | None = None, **keys: object) -> dict:
    return played(seat(3, BANK, BANK_LOW, main=None), *seats, bank=bank or {"position": 3}, **keys)


def test_645a_11_c_hands_meet_the_banks_and_copies_are_the_banks() -> None:
    copies = seat(5, "KD 8S QH QC 6H 4C 2H", "KD 8S")
    wins = seat(6, "QS QD TC TD KS 9H 2S", "KS 9H")
    outcome = settled(banked(copies, wins))

    assert lines(outcome) == [
        "6 main win two_pair 1 to 1 +23.75 <25.00 645a.11(f)(3) PG-11",
        "5 main lose pair +0.00 <0.00 645a.11(f)(1)(ii) PG-11",
    ]
    assert outcome.outcome["dealer"]["bank"] == {
        "position": 3,
        "high": ["AS", "AD", "7C", "5S", "3H"],
        "low": ["KH", "8D"],
        "hand": "pair",
    }
    assert outcome.outcome["dealer"]["high"] == ["KC", "8C", "6S", "4D", "2C"]


@pytest.mark.parametrize("bank", [{"position": 3}, {"co_bank": 3}])
def test_645a_11_c_every_round_with_a_bank_says_that_645a_12_is_not_known(bank: dict) -> None:
    outcome = settled(banked(bank=bank))

    assert flags(outcome) == [("section_not_in_text", "bank", "exception")]
    assert "645a.12 not in text" in outcome.flags[0]["detail"]
    assert outcome.flags[0]["cite"] == "§ 645a.12"


def test_645a_11_c_the_queens_dragon_stays_the_dealers() -> None:
    queen_high = "QC TS 9S 7D 6D 4C 2H"
    document = played(
        seat(3, queen_high, "TS 9S", main=None),
        seat(5, LOSER, LOSER_LOW, queens_dragon="5.00"),
        bank={"position": 3},
        dealer="KC JD TH 8C 6S 4S 2C",
        low="JD TH",
    )
    outcome = settled(document, terms(ez=True))

    assert lines(outcome, "queens_dragon") == [
        "5 queens_dragon lose king_high +0.00 <0.00 645a.11(h)(5) PG-11"
    ]
    assert lines(outcome, "main")[0].endswith("645a.11(f)(2)(ii) PG-11")
    pushed = settled(
        banked(
            seat(5, "QS JH 8H 7S 5C 4H 3D", "JH 8H", queens_dragon="5.00"),
            dealer="QC TS 9D 7D 6S 4S 2D",
            low="TS 9D",
        ),
        terms(ez=True),
    )  # fmt: skip
    assert lines(pushed) == [
        "5 main push queen_high +0.00 <25.00 645a.11(f)(1)(v) PG-11",
        "5 queens_dragon win queens_dragon 50 to 1 +250.00 <5.00 645a.11(h)(5) PG-11",
    ]


def test_645a_11_c_a_bank_makes_optional_wagers_gives_and_takes_envies() -> None:
    bank = seat(3, "5D 6D 7D 8D 9D KH 4S", "KH 4S", main=None, fortune_bonus="5.00")
    other = seat(5, "AS AH AD AC QH 6H 4H", "QH 6H", fortune_bonus="5.00")
    outcome = settled(played(bank, other, bank={"position": 3}))

    assert lines(outcome, "fortune_bonus") == [
        "5 fortune_bonus win four_of_a_kind 25 to 1 +125.00 <5.00 645a.11(h)(1)(i)(B)",
        "3 fortune_bonus win straight_flush 50 to 1 +250.00 <5.00 645a.11(h)(1)(i)(B)",
        "5 fortune_bonus envy straight_flush fixed $20.00 +20.00 <0.00 from 3 645a.11(h)(1)(ii)"
        " PG-7",
        "3 fortune_bonus envy four_of_a_kind fixed $5.00 +5.00 <0.00 from 5 645a.11(h)(1)(ii)",
    ]


def test_645a_11_c_a_banks_main_wager_meets_no_hand() -> None:
    outcome = settled(played(seat(3, BANK, BANK_LOW), bank={"position": 3}))

    assert lines(outcome) == ["3 main returned +0.00 <25.00 645a.11(c) PG-11"]
    assert ("bank_main_wager", "positions[0].wagers.main", "exception") in flags(outcome)


@pytest.mark.parametrize(
    ("document", "refused"),
    [
        (
            played(seat(5, QUADS, QUADS_LOW), bank={"position": 3}),
            ("bad_value", "bank.position"),
        ),
        (played(seat(5, QUADS, QUADS_LOW), bank={"co_bank": 9}), ("bad_value", "bank.co_bank")),
        (played(seat(5, QUADS, QUADS_LOW), bank={}), ("missing_key", "bank.position")),
        (
            played(seat(5, QUADS, QUADS_LOW), bank={"position": 5, "co_bank": 5}),
            ("bad_value", "bank.co_bank"),
        ),
        (
            played(seat(5, QUADS, QUADS_LOW), bank={"position": "5"}),
            ("wrong_type", "bank.position"),
        ),
        (
            played(seat(5, main=None, surrender=True), bank={"position": 5}),
            ("surrender_not_allowed", "positions[0].surrender"),
        ),
        (
            played(
                seat(5, QUADS, "KH", main=None, status="mis_set", irregularity={"cite": "x"}),
                bank={"position": 5},
            ),
            ("bad_value", "positions[0].status"),
        ),
        (
            played(seat(5, QUADS, QUADS_LOW, main=None), seat(3, BANK, BANK_LOW)),
            ("main_wager_required", "positions[0].wagers"),
        ),
    ],
)
def test_645a_11_c_a_bank_that_cannot_be(document: dict, refused: tuple) -> None:
    assert refusal_of(document) == refused


@pytest.mark.parametrize(
    ("keys", "code", "path"),
    [
        ({"dealer": DEALER, "low": "KC JD"}, "dealer_fouled", "dealer_hand.low"),
        ({"dealer": DEALER, "low": DEALER_LOW}, None, None),
    ],
)
def test_645a_11_c_a_dealers_low_hand_that_is_the_higher_one(
    keys: dict, code: str | None, path: str | None
) -> None:
    """The text does not say what becomes of it: compared as it was set, and looked at."""
    outcome = settled(played(seat(5, LOSER, LOSER_LOW), **keys))

    assert flags(outcome) == ([(code, path, "exception")] if code else [])
