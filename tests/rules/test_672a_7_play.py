"""§ 672a.7, § 672a.9, § 672a.10: what can have happened, and what each hand comes to."""

from typing import Any

import pytest

from tests.rules.made_blackjack import flags, hand, lines, played, refused, seat, settled

NO = "hand_does_not_follow"
PUSHED = {"push_22": "5.00"}


@pytest.mark.parametrize(
    ("dealer", "cite"),
    [
        ("AD KC", None),
        ("AD KC 5S", "§ 672a.7(l)"),
        ("TD 7C", None),
        ("TD 7C 2S", "§ 672a.7(l)"),
        ("AD 6C", None),
        ("AD 6C 4S", "§ 672a.7(l)"),
        ("AD 5C", "§ 672a.7(l)"),
        ("AD 5C TS", "§ 672a.7(l)"),
        ("AD 5C TS AS", None),
        ("TD 6C", "§ 672a.7(l)"),
        ("2D 2C 2S 2H 2D 2C 2S 2H", "§ 672a.7(l)"),
        ("2D 2C 2S 2H 2D 2C 2S 2H AS", None),
        ("TD 6C 5S", None),
        ("TD 6C 5S AS", "§ 672a.7(l)"),
        ("TD 6C KS", None),
        ("TD 6C KS 2D", "§ 672a.7(l)"),
    ],
)
def test_672a_7_l_the_dealer_draws_to_17_and_stands(dealer: str, cite: str | None) -> None:
    document = played(seat(2, "TS 8H"), dealer=dealer)

    if cite is None:
        settled(document)
    else:
        assert refused(document) == (NO, "dealer_hand.cards", cite)


@pytest.mark.parametrize(
    ("seats", "draws"),
    [
        ([seat(2, "TS 8H")], True),
        ([seat(2, "TS 6H KD")], False),
        ([seat(2, "AS KH")], False),
        ([seat(2, "AS KH"), seat(3, "TS 6H KD")], False),
        ([seat(2, "AS KH"), seat(3, "TS 6H")], True),
        ([seat(2, "AS KH", **PUSHED)], True),
        ([seat(2, "TS 6H KD", **PUSHED)], True),
        ([seat(2, "7S 7H 7D")], True),
        ([seat(2, hand("8S 6H KD"), hand("8H 5C KD", "free"))], False),
        ([seat(2, hand("8S 6H KD"), hand("8H 5C", "free"))], True),
        ([seat(2, hand("AS KH"), hand("AH KC", "free"))], True),
    ],
)
def test_672a_7_m_when_the_dealer_draws(seats: list[dict[str, Any]], draws: bool) -> None:
    """Two cards of 12, and the same with a third card that makes 19."""
    stood, drew = played(*seats, dealer="TD 2C"), played(*seats, dealer="TD 2C 7S")

    settled(drew if draws else stood)
    cite = "§ 672a.7(l)" if draws else "§ 672a.7(m)"
    assert refused(stood if draws else drew) == (NO, "dealer_hand.cards", cite)


def test_672a_7_m_even_money_is_settled_before_the_dealer_draws() -> None:
    paid = seat(2, "AS KH", even_money=True)

    settled(played(paid, dealer="AD 3C"))
    assert refused(played(paid, dealer="AD 3C 7S"))[0] == NO


def test_672a_7_m_a_tucked_hand_keeps_the_dealer_drawing_only_where_it_may_come_back() -> None:
    """The lammer's hand is dead, so that nothing but the tucked wager is left."""
    dead = {"status": "dead", "irregularity": {"cite": "672a.12(h)", "choice": "dead"}}
    tucked = seat(2, hand("8S 6H KD"), hand("8H 5C", "free", **dead))
    drew, stood = played(tucked, dealer="TD 6C 6S"), played(tucked, dealer="TD 6C")
    returned = {"readings": {"FB-1": "tucked_returned"}}

    assert lines(settled(drew, **returned)) == [
        "2 main push 24 +0.00 <20.00 672a.7(n)(1) FB-1",
        "2 main returned +0.00 <0.00 672a.12(h) FB-9",
    ]
    assert refused(stood, **returned)[2] == "§ 672a.7(l)"
    assert lines(settled(stood))[0] == "2 main lose 24 +0.00 <0.00 672a.7(q)(1)"
    assert refused(drew)[2] == "§ 672a.7(m)"


@pytest.mark.parametrize(
    ("dealer", "line"),
    [
        ("TD 6C 6S", "push 24 +0.00 <20.00 672a.7(n)(1) FB-1"),
        ("TD 6C 7S", "lose 24 +0.00 <0.00 672a.7(q)(1) FB-1"),
        ("TD 6C 5S", "lose 24 +0.00 <0.00 672a.7(q)(1)"),
    ],
)
def test_672a_10_c_2_a_tucked_hand_comes_back_at_22_only(dealer: str, line: str) -> None:
    split = seat(2, hand("8S 6H KD"), hand("8H TC", "free"))

    outcome = settled(played(split, dealer=dealer), readings={"FB-1": "tucked_returned"})

    assert lines(outcome)[0] == f"2 main {line}"


def test_672a_10_c_2_a_tucked_hand_is_collected_once_the_others_are_over_21() -> None:
    over = seat(2, hand("8S 6H KD"), hand("8H 5C TS", "free"), **PUSHED)

    outcome = settled(played(over, dealer="TD 6C 6S"), readings={"FB-1": "tucked_returned"})

    assert lines(outcome, "main") == ["2 main lose 24 +0.00 <0.00 672a.7(q)(1) FB-1"] + [
        "2 main lose 23 +0.00 <0.00 672a.7(q)(1) FB-1"
    ]


def test_672a_10_c_2_only_the_first_hand_is_tucked() -> None:
    second = seat(2, hand("8S TC"), hand("8H 6C TS", "free"))

    outcome = settled(played(second, dealer="TD 6C 6S"), readings={"FB-1": "tucked_returned"})

    assert lines(outcome)[1] == "2 main lose 24 +0.00 <0.00 672a.7(q)(1) FB-1"


def test_672a_10_c_1_ten_values_are_collected_at_once_and_never_tucked() -> None:
    split = seat(2, hand("KS 6H KD"), hand("QH TC", "paid"))

    outcome = settled(played(split, dealer="TD 6C 6S"), readings={"FB-1": "tucked_returned"})

    assert lines(outcome)[0] == "2 main lose 26 +0.00 <0.00 672a.10(c)(1) FB-1"


@pytest.mark.parametrize(
    ("cards", "place"),
    [
        ("TS 5H 6D", None),
        ("TS 5H 5D KD", None),
        ("TS 5H 6D 2C", "cards"),
        ("AS TH 2D", "cards"),
        ("AS 5H 5D 9C", "cards"),
        ("TS 6H KD 2C", "cards"),
        ("AS AH AD AC AS 5H", None),
        ("AS AH AD AC AS 6H 2D", "cards"),
    ],
)
def test_672a_7_j_a_player_draws_below_21(cards: str, place: str | None) -> None:
    document = played(seat(2, cards), dealer="TD 8C")

    if place is None:
        settled(document)
    else:
        told = (NO, f"positions[0].hands[0].{place}", "§ 672a.7(j)(1)")
        assert refused(document) == told


def test_672a_7_g_nothing_is_drawn_doubled_or_split_against_a_blackjack() -> None:
    places = {
        "positions[0].hands[0].cards": seat(2, "TS 2H 3D"),
        "positions[0].hands[0].double": seat(2, hand("6S 5H TD", double="free")),
        "positions[0].hands": seat(2, hand("8S TH"), hand("8H TC", "free")),
    }
    for path, told in places.items():
        for dealer in ("AD KC", "KD AC"):
            assert refused(played(told, dealer=dealer)) == (NO, path, "§ 672a.7(g)")


def test_672a_7_e_the_dealer_has_two_cards_and_so_has_each_hand() -> None:
    told = refused(played(seat(2, "TS 8H"), dealer="TD"))
    assert told == ("wrong_card_count", "dealer_hand.cards", "§ 672a.7(e)")
    told = refused(played(seat(2, "TS")))
    assert told == ("wrong_card_count", "positions[0].hands[0].cards", "§ 672a.7(e)")
    assert refused(played(seat(2)))[:2] == ("missing_key", "positions[0].hands")
    empty = {**seat(2), "hands": []}
    assert refused(played(empty))[:2] == ("bad_value", "positions[0].hands")
    unseen = refused(played(seat(2, "TS ??")))
    assert unseen[:2] == ("bad_card", "positions[0].hands[0].cards[1]")


def test_672a_7_h_2_there_is_no_surrender() -> None:
    document = played({**seat(2, "TS 6H"), "surrender": True})
    assert refused(document)[:2] == ("unknown_key", "positions[0].surrender")


# ---- § 672a.9. Doubles ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "double", "cite"),
    [
        ("5S 4H TD", "free", None),
        ("6S 4H TD", "free", None),
        ("6S 5H TD", "free", None),
        ("4S 4H TD", "free", "§ 672a.9(a)(1)"),
        ("7S 5H 8D", "free", "§ 672a.9(a)(1)"),
        ("AS 8H TD", "free", "§ 672a.9(a)(1)"),
        ("AS TH TD", "free", "§ 672a.9(a)"),
        ("4S 4H TD", "paid", None),
        ("AS 9H TD", "paid", None),
        ("5S 4H TD", "paid", "§ 672a.9(a)(2)"),
        ("6S 5H TD", "paid", "§ 672a.9(a)(2)"),
        ("AS TH TD", "paid", "§ 672a.9(a)"),
    ],
)
def test_672a_9_a_which_hands_are_doubled_how(cards: str, double: str, cite: str | None) -> None:
    wager = {"double_wager": "20.00"} if double == "paid" else {}
    document = played(seat(2, hand(cards, double=double, **wager)))

    if cite is None:
        settled(document)
    else:
        assert refused(document) == (NO, "positions[0].hands[0].double", cite)


def test_672a_9_a_a_split_21_is_not_doubled_either() -> None:
    twice = seat(2, hand("AS KH 5D", double="paid", double_wager="5.00"), hand("AH 9C", "free"))

    assert refused(played(twice)) == (NO, "positions[0].hands[0].double", "§ 672a.7(j)(1)")


@pytest.mark.parametrize("cards", ["6S 5H", "6S 5H 2D 2C"])
def test_672a_9_c_one_card_on_a_double(cards: str) -> None:
    told = refused(played(seat(2, hand(cards, double="free"))))
    assert told == (NO, "positions[0].hands[0].cards", "§ 672a.7(j)(2)")


def test_672a_9_a_2_the_wager_of_a_double() -> None:
    paid = hand("7S 5H 2D", double="paid")
    told = refused(played(seat(2, paid)))
    assert told[:2] == ("missing_key", "positions[0].hands[0].double_wager")
    told = refused(played(seat(2, {**paid, "double_wager": "20.01"})))
    assert told[:2] == ("double_too_large", "positions[0].hands[0].double_wager")
    told = refused(played(seat(2, {**paid, "double_wager": 20})))
    assert told[:2] == ("bad_money", "positions[0].hands[0].double_wager")
    free = hand("6S 5H 2D", double="free", double_wager="5.00")
    told = refused(played(seat(2, free)))
    assert told[:2] == ("bad_value", "positions[0].hands[0].double_wager")
    told = refused(played(seat(2, hand("6S 5H 2D", double="yes"))))
    assert told[:2] == ("bad_value", "positions[0].hands[0].double")


def test_672a_9_a_2_stake_of_a_line_is_the_real_money_on_the_hand() -> None:
    free, paid = {"split": "free"}, {"double": "paid", "double_wager": "5.00"}
    split = seat(
        2, hand("8S 6H 4D", **paid), hand("8H 6C 4S", **free, **paid), hand("8D TC", **free)
    )

    outcome = settled(played(split, dealer="TD 7C"))

    told = [(line["stake"], line["pays"], line["returned"]) for line in outcome.outcome["lines"]]
    assert told == [
        ("25.00", "25.00", "25.00"), ("5.00", "25.00", "5.00"), ("0.00", "20.00", "0.00"),
    ]  # fmt: skip
    assert [line["hand_index"] for line in outcome.outcome["lines"]] == [0, 1, 2]


# ---- § 672a.10. Splits ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hands", "place", "cite"),
    [
        ([hand("8S TH"), hand("8H TC")], "hands[1].from_split", "§ 672a.10(a)"),
        ([hand("8S TH", "free")], "hands[0].from_split", "§ 672a.10(b)(2)(ii)"),
        ([hand("8S TH"), hand("9H TC", "free")], "hands[1].cards[0]", "§ 672a.10(a)"),
        ([hand("8S TH"), hand("8H TC", "paid")], "hands[1].from_split", "§ 672a.10(b)(2)"),
        ([hand("KS 9H"), hand("TH 8C", "free")], "hands[1].from_split", "§ 672a.10(b)(1)"),
        ([hand("AS 9H"), hand("AH 8C", "paid")], "hands[1].from_split", "§ 672a.10(b)(2)"),
        (
            [hand("2S TH"), *(hand("2H TC", "free") for _ in range(4))],
            "hands",
            "§ 672a.10(d)",
        ),
    ],
)
def test_672a_10_splits_that_cannot_be(hands: list[dict], place: str, cite: str) -> None:
    assert refused(played(seat(2, *hands))) == (NO, f"positions[0].{place}", cite)


def test_672a_10_a_ten_values_are_one_value() -> None:
    outcome = settled(played(seat(2, hand("KS 9H"), hand("TH 8C", "paid"), hand("JH AC", "paid"))))

    assert lines(outcome) == [
        "2 main win 19 1 to 1 +20.00 <20.00 672a.7(o)(2)",
        "2 main push 18 +0.00 <20.00 672a.7(p)",
        "2 main win 21 1 to 1 +20.00 <20.00 672a.7(o)(2) FB-2",
    ]


# ---- § 672a.7(n)-(r). Outcomes, Push 22, the order of lines -----------------------------------


@pytest.mark.parametrize(
    ("dealer", "name", "odds"),
    [
        ("TS 6S 6S", "same_suit_22", "50 to 1"),
        ("TD 6D 6D", "same_suit_22", "50 to 1"),
        ("TD 6H 6D", "same_color_22", "20 to 1"),
        ("TS 6C 6C", "same_color_22", "20 to 1"),
        ("TS 6C 6D", "other_22", "8 to 1"),
        ("AS 5S TS 6S", "same_suit_22", "50 to 1"),
        ("TS 2S 3S 7H", "other_22", "8 to 1"),
    ],
)
def test_672a_11_c_kinds_of_22(dealer: str, name: str, odds: str) -> None:
    outcome = settled(played(seat(2, "9S 9D", **PUSHED), dealer=dealer))

    pays = 5 * int(odds.split(maxsplit=1)[0])
    assert lines(outcome, "push_22") == [f"2 push_22 win {name} {odds} +{pays}.00 <5.00 672a.11(c)"]
    assert outcome.outcome["dealer"]["hand"] == name
    assert outcome.outcome["dealer"]["total"] == 22


def test_672a_7_r_losers_first_keeps_the_order_within_each_part() -> None:
    seats = [
        seat(1, "TS 7H", **PUSHED),
        seat(2, "TS 9H", **PUSHED),
        seat(3, "TS 8H", **PUSHED),
    ]
    by_player = settled(played(*seats)).outcome["lines"]
    losers_first = settled(played(*seats), settlement="losers_first").outcome["lines"]

    told = [(line["position"], line["wager"], line["result"]) for line in losers_first]
    assert told == [
        (3, "push_22", "lose"), (2, "push_22", "lose"), (1, "main", "lose"), (1, "push_22", "lose"),
        (3, "main", "push"), (2, "main", "win"),
    ]  # fmt: skip
    assert [line["position"] for line in by_player] == [3, 3, 2, 2, 1, 1]
    assert sorted(map(str, by_player)) == sorted(map(str, losers_first))


def test_672a_7_r_a_position_and_its_hands_in_order_of_play() -> None:
    split = seat(4, hand("8S TH"), hand("8H 9C", "free"), insurance="10.00", **PUSHED)
    outcome = settled(played(split, dealer="AD 7C"))

    assert [(line["wager"], line.get("hand_index")) for line in outcome.outcome["lines"]] == [
        ("main", 0), ("main", 1), ("push_22", None), ("insurance", None),
    ]  # fmt: skip
    assert flags(outcome) == []
