"""§ 670a.11(b), (e) to (h): fouls, the main wager, the Double Down, side wagers, their order."""

import pytest

from tests.rules.made import lines, played, seat, settled, terms

QUEENS = "QD QC 9S 7H 4D 2C"  # the dealer: queens, nine low
ALL = {
    "double_down": "25.00",
    "fortune_bonus": "5.00",
    "insurance": "2.00",
    "progressive": "1.00",
}


@pytest.mark.parametrize(
    ("cards", "low", "line"),
    [
        ("JS JH 8D 6C 5S 3H", "8D", "lose pair +0.00 <0.00 670a.11(f)(1)(i)"),
        ("JS JH 9D 6C 5S 3H", "9D", "lose pair +0.00 <0.00 670a.11(f)(1)(ii)"),
        ("QS QH 8D 7C 4S 2H", "8D", "lose pair +0.00 <0.00 670a.11(f)(1)(iii)"),
        ("QS QH 9D 7C 4S 2H", "9D", "lose pair +0.00 <0.00 670a.11(f)(1)(iv)"),
        ("QS QH 9D 7C 4S 2H", "2H", "push pair +0.00 <25.00 670a.11(f)(2)(i)"),
        ("KS KH 8D 6C 5S 3H", "8D", "push pair +0.00 <25.00 670a.11(f)(2)(i)"),
        ("JS JH TD 6C 5S 3H", "TD", "push pair +0.00 <25.00 670a.11(f)(2)(ii)"),
        ("JS JH JK 6C 5S 3H", "JK", "push pair +0.00 <25.00 670a.11(f)(2)(ii)"),
        ("KS KH TD 6C 5S 3H", "TD", "win pair 1 to 1 +25.00 <25.00 670a.11(f)(3)"),
        ("KS KH JK 6C 5S 3H", "JK", "win pair 1 to 1 +25.00 <25.00 670a.11(f)(3)"),
        ("KS KH 9D 6C 5S 3H", "9D", "push pair +0.00 <25.00 670a.6(c) SC-3"),
        ("QS QH TD 7C 4S 2H", "TD", "push pair +0.00 <25.00 670a.6(c) SC-3"),
        ("KS JH TD 8C 5S 3H", "KS", "lose jack_high +0.00 <0.00 670a.11(f)(1)(v) SC-2"),
        ("JK KH TD 8C 5S 3H", "JK", "lose king_high +0.00 <0.00 670a.11(f)(1)(v) SC-2"),
    ],
)
def test_670a_11_f_main_wager(cards: str, low: str, line: str) -> None:
    outcome = settled(played(seat(4, cards, low), dealer="QD QC 9S 7H 4D 2C"))

    assert lines(outcome) == [f"4 main {line}"]


def test_670a_11_f_1_iii_high_identical_low_lower() -> None:
    outcome = settled(played(seat(4, "AS QH TD 8C 5S 9H", "9H"), dealer="AD QC TS 8H 5D KC"))

    assert lines(outcome) == ["4 main lose ace_high +0.00 <0.00 670a.11(f)(1)(iii)"]


def test_670a_11_b_an_ace_low_beside_an_ace_is_no_foul() -> None:
    outcome = settled(played(seat(4, "AS AH TD 8C 5S 3H", "AS"), dealer=QUEENS))

    assert lines(outcome) == ["4 main push ace_high +0.00 <25.00 670a.11(f)(2)(ii)"]


def test_670a_6_c_a_joker_low_beats_a_dealers_ace() -> None:
    """Counted as an ace it would be identical, and the dealer's: the reading decides."""
    dealer = "QD QC AS 7H 4D 2C"
    outcome = settled(played(seat(4, "KS KH JK 8C 5S 3H", "JK"), dealer=dealer))

    assert lines(outcome) == ["4 main win pair 1 to 1 +25.00 <25.00 670a.11(f)(3) SC-25"]


def test_670a_6_c_a_dealers_joker_low_is_an_ace() -> None:
    outcome = settled(played(seat(4, "KS KH AS 8C 5S 3H", "AS"), dealer="QD QC JK 7H 4D 2C"))

    assert lines(outcome) == ["4 main push pair +0.00 <25.00 670a.6(c) SC-3"]


@pytest.mark.parametrize(
    ("dealer", "line"),
    [
        ("8D 8C TS JH 4D 2C", "win pair 1 to 1 +25.00 <25.00 670a.11(g)(1)"),
        ("AD JK TS JH 4D 2C", "lose pair +0.00 <0.00 670a.11(g)(1)"),
        ("9D 8C 7S 6H 5D 2C", "push pair +0.00 <25.00 670a.11(g)(1)"),
        ("7D 7C TS JH 4D 2C", "returned pair +0.00 <25.00 670a.11(g)(2)"),
        ("AD 9C 8S 7H 4D 2C", "returned ace_high +0.00 <25.00 670a.11(g)(2)"),
    ],
)
def test_670a_11_g_double_down_by_the_dealers_hand(dealer: str, line: str) -> None:
    kings_and_queen_low = seat(4, "KS KH QD 9S 5S 3H", "QD", double_down="25.00")
    if dealer.startswith("AD JK"):
        kings_and_queen_low = seat(4, "KS KH QD 9S 5S 3H", "3H", double_down="25.00")
    outcome = settled(played(kings_and_queen_low, dealer=dealer))

    assert lines(outcome, "double_down") == [f"4 double_down {line}"]


def test_670a_11_g_1_a_fouled_double_down_loses_against_eights() -> None:
    foul = seat(4, "KS JH TD 6C 5S 3H", "KS", double_down="25.00")

    assert lines(settled(played(foul, dealer="8D 8C QS JD 4D 2C")), "double_down") == [
        "4 double_down lose jack_high +0.00 <0.00 670a.11(g)(1) SC-2"
    ]
    assert lines(settled(played(foul, dealer="7D 7C QS JD 4D 2C")), "double_down") == [
        "4 double_down returned pair +0.00 <25.00 670a.11(g)(2) SC-16"
    ]


def test_670a_11_e_order_of_lines() -> None:
    """From the dealer's right; side by side main, Double Down, Fortune, Insurance, Progressive."""
    seats = [
        seat(2, "KS KH KD 9C 9H 3S", "3S", **ALL),
        seat(6, "TS TH TD TC 5S 3H", "5S", **ALL),
        seat(4, "JS 8H 7D 6C 5C 2H", "8H", **ALL),
    ]
    outcome = settled(played(*seats, dealer="QD QC AS 7H 4D 2C"))

    kinds = ["main", *ALL]
    assert [(line["position"], line["wager"]) for line in outcome.outcome["lines"]] == [
        *((6, kind) for kind in kinds),
        *((4, kind) for kind in kinds),
        *((2, kind) for kind in kinds),
        (6, "fortune_bonus"), (4, "fortune_bonus"), (4, "fortune_bonus"), (2, "fortune_bonus"),
        (4, "progressive"), (2, "progressive"),
    ]  # fmt: skip
    assert [(e.position, e.from_position, e.wager) for e in outcome.envies] == [
        (6, 2, "fortune_bonus"), (4, 6, "fortune_bonus"), (4, 2, "fortune_bonus"),
        (2, 6, "fortune_bonus"), (4, 6, "progressive"), (2, 6, "progressive"),
    ]  # fmt: skip


def test_670a_11_h_side_wagers_of_a_fouled_hand_are_settled_as_usual() -> None:
    """Nines high with a ten low: fouled, and still a straight of six cards."""
    foul = seat(4, "TS 9H 8D 7C 6S 2H", "TS", fortune_bonus="5.00", progressive="1.00")
    outcome = settled(played(foul, dealer=QUEENS.replace("9S", "KS")))

    assert lines(outcome) == [
        "4 main lose nine_high +0.00 <0.00 670a.11(f)(1)(v) SC-2",
        "4 fortune_bonus win straight 8 to 1 +40.00 <5.00 670a.12(b)(1) SC-19",
        "4 progressive win straight 3 for 1 +3.00 <0.00 670a.12(d)(1) SC-19",
    ]


@pytest.mark.parametrize(
    ("fortune", "table_pays", "by_default"),
    [
        ("0.99", [], []),
        ("1.00", ["15.00 SC-8"], []),
        ("4.99", ["15.00 SC-8"], []),
        ("5.00", ["75.00 None"], ["75.00 None"]),
        ("50.00", ["75.00 SC-8"], ["75.00 SC-8"]),
    ],
)
def test_670a_11_h_1_ii_fortune_envy_by_the_recipients_wager(
    fortune: str, table_pays: list[str], by_default: list[str]
) -> None:
    document = played(
        seat(2, "TS TH TD TC 5S 3H", "5S"),
        seat(4, "JS 8H 7D 6C 4C 2H", "8H", fortune_bonus=fortune),
    )

    def envies(**choices: dict) -> list[str]:
        found = settled(document, terms(**choices)).envies
        return [f"{envy.pays} {envy.line.get('reading')}" for envy in found]

    assert envies() == by_default
    assert envies(readings={"SC-8": "table"}) == table_pays


def test_670a_11_h_1_ii_nobody_is_paid_for_his_own_hand_or_the_dealers() -> None:
    quads = seat(2, "TS TH TD TC 5S 3H", "5S", fortune_bonus="5.00", progressive="1.00")
    outcome = settled(played(quads, dealer="KS KH KD KC 4S 2H"))

    assert outcome.envies == ()


@pytest.mark.parametrize(
    ("cards", "line"),
    [
        ("KS JH TD 8C 5S 3H", "win king_high 3 to 1 +6.00 <2.00 670a.12(c)"),
        ("AS JH TD 8C 5S 3H", "lose ace_high +0.00 <0.00 670a.11(h)(2)(i)"),
        ("JK JH TD 8C 5S 3H", "lose ace_high +0.00 <0.00 670a.11(h)(2)(i)"),
        ("2S 2H TD 8C 5S 3H", "lose pair +0.00 <0.00 670a.11(h)(2)(i)"),
        ("8S 7H 6D 5C 3S 2H", "win eight_high 100 to 1 +200.00 <2.00 670a.12(c)"),
    ],
)
def test_670a_11_h_2_insurance(cards: str, line: str) -> None:
    outcome = settled(played(seat(4, cards, insurance="2.00"), dealer="QD QC 9D 7D 4D 2C"))

    assert lines(outcome, "insurance") == [f"4 insurance {line}"]


def test_670a_11_h_3_i_b_ii_a_light_that_was_off_is_flagged_on_the_claim() -> None:
    dark = seat(4, "TS TH TD TC 5S 3H", "5S", progressive="1.00", lamp=False)
    outcome = settled(played(dark))

    (flag,) = outcome.flags
    assert (flag["code"], flag["path"], flag["position"]) == (
        "lamp_not_lit", "positions[0].lamp", 4
    )  # fmt: skip
    assert outcome.wins[0].flags == [flag]
    lost = settled(played(seat(4, "TS TH 8D 7C 5S 3H", progressive="1.00", lamp=False)))
    assert lost.flags == []
