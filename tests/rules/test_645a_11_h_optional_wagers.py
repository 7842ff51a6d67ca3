"""§ 645a.11(h): eight optional wagers on all seven cards, their order, and three kinds of envy."""

import pytest

from tests.rules.made import flags, lines
from tests.rules.made_pai_gow import (
    DRAGON,
    DRAGON_LOW,
    LOSER,
    LOSER_LOW,
    QUADS,
    QUADS_LOW,
    played,
    red,
    refusal_of,
    seat,
    settled,
    terms,
)

ALL = {
    "fortune_bonus": "5.00",
    "emperors_treasure": "5.00",
    "pai_gow_insurance": "5.00",
    "progressive": "1.00",
    "queens_dragon": "5.00",
    "dynasty_bonus": "5.00",
    "protection": "5.00",
    "red_black": red(),
}
OTHER_DEALER = {"dealer": "8C 7C 6D 5D 4C 3C 2C", "low": "3C 2C"}  # eight-high straight


def won(cards: str, *kinds: str, **choices: object) -> list[str]:
    """What a hand comes to for the wagers asked for: ``hand terms``, or ``-`` where it lost."""
    low = " ".join(cards.split()[:2])
    document = played(seat(4, cards, low, **ALL), **OTHER_DEALER)
    told = settled(document, terms(**choices)).outcome["lines"]
    by_kind = {line["wager"]: line for line in told}
    return [
        f"{by_kind[k]['hand']} {by_kind[k]['terms']}" if by_kind[k]["result"] == "win" else "-"
        for k in kinds
    ]


def test_645a_11_h_order_of_the_wagers_and_of_the_positions() -> None:
    seats = [
        seat(2, LOSER, LOSER_LOW, **ALL),
        seat(6, QUADS, QUADS_LOW, **ALL),
    ]
    outcome = settled(played(*seats, dealer="KC JD TS 8C 6S 4D 2C", low="JD TS"))

    assert [(line["position"], line["wager"]) for line in outcome.outcome["lines"]] == [
        *((6, kind) for kind in ("main", *ALL)),
        *((2, kind) for kind in ("main", *ALL)),
        (2, "fortune_bonus"),
        (2, "emperors_treasure"),
        (2, "dynasty_bonus"),
    ]


@pytest.mark.parametrize(
    ("cards", "fortune", "dynasty", "progressive"),
    [
        (
            "8H 9H TH JH QH KH AH",
            "seven_card_straight_flush_no_joker 8000 to 1",
            "seven_card_straight_flush_no_joker 8000 to 1",
            "seven_card_straight_flush_no_joker 100% of meter",
        ),
        (
            "AH 2H 3H 4H 5H JK 7H",
            "seven_card_straight_flush_with_joker 1000 to 1",
            "seven_card_straight_flush_with_joker 1000 to 1",
            "seven_card_straight_flush_with_joker 100% of meter",
        ),
        (
            "KH QH AS KS QS JS TS",
            "royal_flush_and_royal_match 2000 to 1",
            "royal_flush 100 to 1",
            "royal_flush 500 for 1",
        ),
        (
            "KH QH AS JK QS JS TS",
            "royal_flush_and_royal_match 2000 to 1",
            "royal_flush 100 to 1",
            "royal_flush 500 for 1",
        ),
        ("KH QD AS KS QS JS TS", "royal_flush 150 to 1", "royal_flush 100 to 1",
         "royal_flush 500 for 1"),
        ("JK KH AS KS QS JS TS", "royal_flush 150 to 1", "royal_flush 100 to 1",
         "royal_flush 500 for 1"),
        ("KH KD AS AH AD AC JK", "five_aces 400 to 1", "five_aces 400 to 1",
         "five_aces 10% of meter"),
        ("9H 8H 4H 5H 6H 7H KS", "straight_flush 50 to 1", "straight_flush 40 to 1",
         "straight_flush 100 for 1"),
        ("9H 9D 9S 9C KH KS KD", "four_of_a_kind 25 to 1", "four_of_a_kind 20 to 1",
         "four_of_a_kind 75 for 1"),
        ("9H 9D 9S KC KH 2S 3D", "full_house 5 to 1", "full_house 5 to 1", "full_house 4 for 1"),
        ("9H 9D 9S KH JH 2H 3H", "flush 4 to 1", "flush 4 to 1", "-"),
        ("9H 9D 9S TH JS QD KD", "three_of_a_kind 3 to 1", "straight 2 to 1", "-"),
        ("9H 9D AS TH JS QD KD", "straight 2 to 1", "straight 2 to 1", "-"),
        ("9H 9D 9S TH 2S QD KD", "three_of_a_kind 3 to 1", "three_of_a_kind 1 to 1", "-"),
        ("9H 9D TS TH QS QD KD", "-", "-", "-"),
        ("9H 9D TS 2H QS 4D KD", "-", "-", "-"),
        ("AH JK TS 2H QS 4D KD", "straight 2 to 1", "straight 2 to 1", "-"),
        ("AH JK TS 2H QS 4D 6S", "-", "-", "-"),
    ],
)  # fmt: skip
def test_645a_11_h_1_2_4_6_the_hands_of_seven_cards(
    cards: str, fortune: str, dynasty: str, progressive: str
) -> None:
    kinds = ("fortune_bonus", "emperors_treasure", "dynasty_bonus", "progressive")

    assert won(cards, *kinds) == [fortune, fortune, dynasty, progressive]


@pytest.mark.parametrize(
    ("cards", "reading"),
    [
        ("9H 9D 9S TH JS QD KD", "PG-8"),
        ("9H 9D 9S TH 2S QD KD", "PG-8"),
        ("KH QH AS KS QS JS TS", "PG-12"),
        ("KH QD AS KS QS JS TS", "PG-12"),  # of two suits
        ("JK KH AS KS QS JS TS", "PG-12"),  # the joker is no missing queen
        ("KH 2D AS KS QS JS TS", None),
        ("9H 9D AS TH JS QD KD", None),
    ],
)
def test_645a_11_h_1_the_reading_that_gave_the_hand_is_named(
    cards: str, reading: str | None
) -> None:
    low = " ".join(cards.split()[:2])
    outcome = settled(played(seat(4, cards, low, fortune_bonus="5.00"), **OTHER_DEALER))

    assert outcome.outcome["lines"][1].get("reading") == reading


@pytest.mark.parametrize(
    ("cards", "insurance", "protection"),
    [
        ("9S 8H 7D 6C 4S 3H 2D", "nine_high 100 to 1", "nine_high 50 to 1"),
        ("TS 8H 7D 6C 4S 3H 2D", "ten_high 25 to 1", "ten_high 20 to 1"),
        ("JS 8H 7D 6C 4S 3H 2D", "jack_high 15 to 1", "jack_high 10 to 1"),
        ("QS 8H 7D 6C 4S 3H 2D", "queen_high 7 to 1", "queen_high 5 to 1"),
        ("KS 8H 7D 6C 4S 3H 2D", "king_high 5 to 1", "king_high 3 to 1"),
        ("AS TH 8D 6C 4S 3H 2D", "ace_high 3 to 1", "ace_high 2 to 1"),
        ("JK TH 9D 7C 4S 3H 2D", "ace_high 3 to 1", "ace_high 2 to 1"),
        ("JK AH 8D 6C 4S 3H 9D", "-", "-"),
        ("9S 9H 7D 6C 4S 3H 2D", "-", "-"),
        ("9S 8H 7D 6C 5S 3H 2D", "-", "-"),
        ("9S 8S 7S 6C 4S 3H 2S", "-", "-"),
    ],
)
def test_645a_11_h_3_7_insurance_and_protection_win_without_a_pair(
    cards: str, insurance: str, protection: str
) -> None:
    low = " ".join(cards.split()[:2])
    document = played(
        seat(4, cards, low, pai_gow_insurance="5.00", protection="5.00"),
        dealer="AD KC KD QC QD JC JD",
        low="QC QD",
    )
    told = [
        f"{line['hand']} {line['terms']}" if line["result"] == "win" else "-"
        for line in settled(document).outcome["lines"][1:]
    ]

    assert told == [insurance, protection]


def test_645a_11_h_4_ii_a_progressive_win_names_the_cards_that_make_it() -> None:
    full = settled(played(seat(4, "9H 9D 9S KD KH 2S 3D", "2S 3D", progressive="1.00")))
    seven = settled(
        played(seat(4, "8H 9H TH JH QH KH AH", "8H 9H", progressive="1.00"), **OTHER_DEALER)
    )

    (win,) = full.wins
    assert (win.hand, str(win.pays), win.percent) == ("full_house", "4.00", None)
    assert win.cards == ("9S", "9H", "9D", "KH", "KD")
    (win,) = seven.wins
    assert (win.pays, win.percent, win.line["pays"]) == (None, 100, None)
    assert win.cards == ("8H", "9H", "TH", "JH", "QH", "KH", "AH")


def test_645a_11_h_4_ii_b_a_light_that_was_not_on() -> None:
    unlit = seat(4, QUADS, QUADS_LOW, progressive="1.00", lamp=False)
    outcome = settled(played(unlit))

    assert flags(outcome) == [("lamp_not_lit", "positions[0].lamp", "exception")]
    assert outcome.wins[0].lamp is False


def test_645a_11_h_5_queens_dragon_is_the_dealers() -> None:
    seats = [seat(4, "AS KD JC 8H 5C 3S 2H", "KD JC", queens_dragon="5.00")]

    assert lines(settled(played(*seats, dealer=DRAGON, low=DRAGON_LOW)), "queens_dragon") == [
        "4 queens_dragon win queens_dragon 50 to 1 +250.00 <5.00 645a.11(h)(5) PG-2"
    ]
    assert lines(settled(played(*seats, dealer="JD TS 9D 7C 6S 4H 2D", low="TS 9D")),
                 "queens_dragon") == [
        "4 queens_dragon lose jack_high +0.00 <0.00 645a.11(h)(5)"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("cards", "color", "joker", "line"),
    [
        ("AH KD 9H 7D 5S 3C 2S", "red", "none", "win four_or_more 1 to 1 +5.00 <5.00"),
        ("AH KD 9H 7D 5S 3C 2S", "black", "none", "lose +0.00 <0.00"),
        ("AH KD 9H 7S 5S 3C 2S", "black", "none", "win four_or_more 1 to 1 +5.00 <5.00"),
        ("JK KD 9H 7H 5S 3C 2S", "red", "none", "lose +0.00 <0.00 PG-6"),
        ("JK KD 9H 7H 5S 3C 2S", "black", "none", "lose +0.00 <0.00 PG-6"),
        ("JK KD 9H 7H 5S 3C 2S", "black", "black", "win four_or_more 1 to 1 +5.00 <5.00 PG-6"),
        ("JK KD 9H 7H 5S 3C 2S", "red", "black", "lose +0.00 <0.00 PG-6"),
        ("JK KD 9H 7H 5H 3C 2S", "red", "black", "win four_or_more 1 to 1 +5.00 <5.00"),
    ],
)
def test_645a_11_h_8_four_of_a_colour(cards: str, color: str, joker: str, line: str) -> None:
    low = " ".join(cards.split()[:2])
    document = played(
        seat(4, cards, low, red_black={"amount": "5.00", "on": color}),
        dealer="8C 7C 6D 5D 4C 3D 2C",
        low="3D 2C",
    )
    told = lines(settled(document, terms(joker_color=joker)), "red_black")

    reading = line[-5:] if line.endswith("PG-6") else ""
    assert told == [f"4 red_black {line.removesuffix(reading)} 645a.11(h)(8){reading}"]


# ---- Envy Bonuses -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wagers", "paid"),
    [
        ({"fortune_bonus": "5.00"}, ["fortune_bonus 20.00"]),
        ({"emperors_treasure": "5.00"}, ["emperors_treasure 20.00"]),
        ({"dynasty_bonus": "50.00"}, ["dynasty_bonus 20.00"]),
        ({"fortune_bonus": "4.99", "dynasty_bonus": "5.00"}, ["dynasty_bonus 20.00"]),
        ({"pai_gow_insurance": "5.00", "progressive": "1.00"}, []),
    ],
)
def test_645a_11_h_1_ii_2_ii_6_ii_lammers_are_kept_by_wager(wagers: dict, paid: list) -> None:
    taker = seat(2, LOSER, LOSER_LOW, **wagers)
    giver = seat(5, "5H 6H 7H 8H 9H KD 3C", "KD 3C")
    outcome = settled(played(taker, giver))

    assert [f"{e.wager} {e.pays}" for e in outcome.envies] == paid
    assert {(e.position, e.from_position) for e in outcome.envies} == ({(2, 5)} if paid else set())


@pytest.mark.parametrize(
    ("lammers", "flagged"),
    [
        (["fortune_bonus", "dynasty_bonus"], False),
        (["dynasty_bonus", "fortune_bonus"], False),
        (["fortune_bonus"], True),
        ([], True),
        (["fortune_bonus", "dynasty_bonus", "emperors_treasure"], True),
    ],
)
def test_645a_11_h_lammers_lie_at_qualifying_wagers(lammers: list[str], flagged: bool) -> None:
    wagers = {"fortune_bonus": "5.00", "emperors_treasure": "4.99", "dynasty_bonus": "5.00"}
    outcome = settled(played(seat(2, LOSER, LOSER_LOW, envy_lammer=lammers, **wagers)))

    told = ("envy_lammer", "positions[0].envy_lammer", "exception")
    assert flags(outcome) == [told] * flagged


def test_645a_11_h_1_ii_a_royal_match_is_paid_as_what_each_schedule_knows() -> None:
    taker = seat(2, LOSER, LOSER_LOW, fortune_bonus="5.00", dynasty_bonus="5.00")
    giver = seat(5, "KD QD AH KH QH JC TC", "KD QD")
    royal = seat(6, "KC QC AS KS JK JS TS", "KC QC")
    outcome = settled(played(taker, giver, royal, dealer="9C 8C 7D 5D 4C 3C 2C", low="3C 2C"))

    assert [(e.wager, e.hand, str(e.pays), e.line.get("reading")) for e in outcome.envies] == [
        ("fortune_bonus", "royal_flush_and_royal_match", "1000.00", "PG-12"),
        ("dynasty_bonus", "royal_flush", "50.00", None),
    ]


# ---- What is on offer, and the payout limit -----------------------------------------------------


def test_645a_13_the_payout_limit_holds_for_each_wager_at_odds() -> None:
    suited = "4H 5H 6H 7H 8H 9H TH"
    giver = seat(6, suited, "9H TH", fortune_bonus="10.00", dynasty_bonus="1.00")
    taker = seat(2, "QS JC 8S 7C 5S 3D 2H", "JC 8S", fortune_bonus="5.00")
    outcome = settled(played(giver, taker), terms(payout_limit="2000.00"))

    assert lines(outcome, "fortune_bonus", "dynasty_bonus") == [
        "6 fortune_bonus win seven_card_straight_flush_no_joker 8000 to 1 +2000.00 <10.00"
        " 645a.11(h)(1)(i)(B) PG-14",
        "6 dynasty_bonus win seven_card_straight_flush_no_joker 8000 to 1 +2000.00 <1.00"
        " 645a.11(h)(6)(i)(B) PG-14",
        "2 fortune_bonus lose queen_high +0.00 <0.00 645a.11(h)(1)(i)(A)",
        "2 fortune_bonus envy seven_card_straight_flush_no_joker fixed $5000.00 +5000.00 <0.00"
        " from 6 645a.11(h)(1)(ii)",
    ]


@pytest.mark.parametrize(
    ("wager", "refused"),
    [
        ({"double_down": "25.00"}, "wager_not_offered"),
        ({"push_22": "5.00"}, "wager_not_offered"),
        ({"dragon": "5.00"}, "unknown_wager"),
        ({"progressive": "5.00"}, "progressive_unit"),
        ({"protection": 5}, "bad_money"),
    ],
)
def test_645a_11_h_wagers_that_cannot_be(wager: dict, refused: str) -> None:
    (kind,) = wager

    assert refusal_of(played(seat(4, QUADS, QUADS_LOW, **wager))) == (
        refused,
        f"positions[0].wagers.{kind}",
    )


def test_645a_11_h_a_table_without_a_progressive_takes_no_progressive_wager() -> None:
    document = played(seat(4, QUADS, QUADS_LOW, progressive="1.00"))

    assert refusal_of(document, terms(unit=None)) == (
        "wager_not_offered",
        "positions[0].wagers.progressive",
    )


@pytest.mark.parametrize(
    ("limits", "path"),
    [
        ({"minimum": {"red_black": "6.00"}}, "positions[0].wagers.red_black.amount"),
        ({"maximum": {"red_black": "4.00"}}, "positions[0].wagers.red_black.amount"),
        ({"minimum": "30.00"}, "positions[0].wagers.main"),
    ],
)
def test_645a_11_h_8_the_limits_hold_for_its_amount(limits: dict, path: str) -> None:
    document = played(seat(4, QUADS, QUADS_LOW, red_black=red()))

    assert refusal_of(document, terms(**limits)) == ("wager_out_of_range", path)
