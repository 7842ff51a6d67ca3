"""All 154,143,080 hands of seven, counted by what each wager pays for them.

By ranks and suits apart: hands in which no suit can matter are counted, not listed. The numbers
are combinatorics: those of the categories, and what seven cards and a wager's own order move.
"""

from collections import Counter
from itertools import combinations, product
from math import comb

import pytest

from tables.rules.cards import DECK, JOKER
from tables.rules.classes import classes_of
from tables.rules.hands import SIX_CARD
from tables.rules.pai_gow_hands import ROYAL_MATCH, hands_in, line_for
from tables.rules.paytables import Paytable
from tests.rules.made_pai_gow import played, red, seat, settled, terms
from tests.rules.test_counts import SEVEN_OF_53

PAYTABLES = terms().submission.plan.paytables
ALL = comb(53, 7)
KINDS = ("fortune_bonus", "dynasty_bonus", "progressive", "pai_gow_insurance", "protection")

SEVEN_SUITED, WITH_JOKER = 4 * 8, 4 * (8 * 7 - 7)  # a run of seven lacks one card, or two runs do
# Beside a royal flush of a suit: a king and a queen of one of the three others. With the joker one
# of the royal's five cards is missing.
MATCHES = 4 * 3 + 4 * 5 * 3
# Runs of seven that are royal: 8 to ace; with the joker six of them, or 10 to king with two of
# 7, 8 and 9.
ROYAL_RUNS, ROYAL_RUNS_WITH_JOKER = 4, 4 * (7 + 2)

SUITS = 4
WINDOWS = [{14, 2, 3, 4, 5}, *({low + step for step in range(5)} for low in range(2, 11))]


def straights_beside_three_of_a_kind() -> int:
    """Hands that are a straight by § 645a.6(b) and hold three of a kind: no flush, no full house.

    By hand: without joker five ranks in sequence, one of them three times. With it three of a
    rank below the ace and three more that make four of a sequence; or two aces, whose third the
    joker is, and four other ranks.
    """
    without = len(WINDOWS) * 5 * (4 * SUITS**4 - 4 * 3)  # three of the suit sets hold the suit
    threes = [set(suits) for suits in combinations(range(SUITS), 3)]
    no_flush = sum(
        not any(suit in three and others == (suit,) * 3 for suit in range(SUITS))
        for three in threes
        for others in product(range(SUITS), repeat=3)
    )
    ranks = sum(
        any(set(four) <= window for window in WINDOWS) for four in combinations(range(2, 14), 4)
    )
    with_joker = ranks * 4 * no_flush
    pairs = [set(suits) for suits in combinations(range(SUITS), 2)]
    no_flush = sum(
        all(others.count(suit) + (suit in pair) < 4 for suit in range(SUITS))
        for pair in pairs
        for others in product(range(SUITS), repeat=4)
    )
    ranks = sum(
        any(len({14, *four} & window) >= 4 for window in WINDOWS)
        for four in combinations(range(2, 14), 4)
    )
    return without + with_joker + ranks * no_flush


def paid(table: Paytable, hand: list[str]) -> str:
    line = line_for(table.lines, table.row, SIX_CARD.evaluate(hand), hand, SIX_CARD)
    if line is None:
        return "nothing"
    return "royal_flush" if line.hand == ROYAL_MATCH else line.hand  # of which suits: see below


@pytest.mark.slow
def test_645a_11_h_all_hands_by_what_each_wager_pays() -> None:
    counted: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for hand, ways in classes_of(7, joker=True):
        for kind, found in counted.items():
            found[paid(PAYTABLES[kind], hand)] += ways

    moved = straights_beside_three_of_a_kind()
    same = {name: SEVEN_OF_53[name] for name in ("five_aces", "four_of_a_kind", "full_house")}
    special = {
        "seven_card_straight_flush_no_joker": SEVEN_SUITED,
        "seven_card_straight_flush_with_joker": WITH_JOKER,
        "royal_flush": SEVEN_OF_53["royal_flush"] - ROYAL_RUNS - ROYAL_RUNS_WITH_JOKER,
        "straight_flush": SEVEN_OF_53["straight_flush"]
        - (SEVEN_SUITED - ROYAL_RUNS)
        - (WITH_JOKER - ROYAL_RUNS_WITH_JOKER),
    }
    by_ranks = {name: SEVEN_OF_53[name] for name in ("flush", "straight", "three_of_a_kind")}
    own_order = {
        **by_ranks,
        "straight": by_ranks["straight"] - moved,
        "three_of_a_kind": by_ranks["three_of_a_kind"] + moved,
    }
    assert counted["fortune_bonus"] == with_rest({**special, **same, **own_order})
    assert counted["dynasty_bonus"] == with_rest({**special, **same, **by_ranks})
    assert counted["progressive"] == with_rest({**special, **same})
    highs = {name: SEVEN_OF_53[name] for name in PAYTABLES["protection"].row}
    assert counted["pai_gow_insurance"] == counted["protection"] == with_rest(highs)


def with_rest(found: dict[str, int]) -> dict[str, int]:
    """``found``, and all other hands as those that are paid nothing."""
    return {**found, "nothing": ALL - sum(found.values())}


@pytest.mark.slow
def test_645a_13_b_all_royal_flushes_counted_by_the_cards_beside_them() -> None:
    matches = royals = 0
    for suit in "SHDC":
        royal = [rank + suit for rank in "AKQJT"]
        for left in combinations((card for card in DECK if card not in royal), 2):
            matches += ROYAL_MATCH in hands_in((*royal, *left), SIX_CARD)
            royals += 1
        for card in DECK:  # beside a royal that needs no joker
            if card not in royal:
                matches += ROYAL_MATCH in hands_in((*royal, JOKER, card), SIX_CARD)
                royals += 1
        for missing in royal:
            four = [card for card in royal if card != missing]
            for left in combinations((card for card in DECK if card not in royal), 2):
                matches += ROYAL_MATCH in hands_in((*four, JOKER, *left), SIX_CARD)
                royals += 1

    assert royals == SEVEN_OF_53["royal_flush"]
    assert matches == MATCHES == 72


def test_645a_11_h_8_all_hands_by_their_red_cards() -> None:
    """With a joker of no colour fewer hands win than lose."""
    dealer = "TC TS 7C 6S 5C 4S 3C"
    won = 0
    for joker, reds in product((0, 1), range(8)):
        blacks = 7 - joker - reds
        if blacks < 0:
            continue
        cards = [JOKER] * joker
        cards += [rank + suit for rank in "AKQJ" for suit in "HD"][:reds]
        cards += [rank + suit for rank in "AKQJ" for suit in "SC"][:blacks]
        low = " ".join(cards[-2:])
        document = played(
            seat(4, " ".join(cards), low, red_black=red()), dealer=dealer, low="4S 3C"
        )
        line = settled(document).outcome["lines"][1]
        won += (line["result"] == "win") * comb(26, reds) * comb(26, blacks)

    assert won == comb(52, 7) // 2 + 6_799_260 == 73_691_540
