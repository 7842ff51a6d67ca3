"""Exact chances: classes against listing every hand, kept counts against counting anew, chance."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import comb, sqrt
from pathlib import Path
from random import Random

import pytest

from tables.rules import odds
from tables.rules.blackjack_points import STANDS, total
from tables.rules.cards import DECK, DECK_AND_JOKER, JOKER
from tables.rules.classes import classes_of
from tables.rules.counting import count_deal, held_by_sevens, may_be_royal, six_of_53
from tables.rules.hands import SIX_CARD, name_of
from tables.rules.odds import (
    DEALS,
    FIVE_OF_52,
    LUNAR_FIVE,
    SEVEN_OF_53,
    SIX_OF_53,
    Deal,
    StaleCounts,
    counts_of,
    written,
)
from tables.rules.pai_gow_hands import hands_in
from tables.rules.push_22 import push_22_chances
from tests.rules.made_pai_gow import terms
from tests.rules.test_645a_counts import MATCHES, SEVEN_SUITED, WITH_JOKER
from tests.rules.test_counts import FIVE_OF_52 as FIVES
from tests.rules.test_counts import SEVEN_OF_53 as SEVENS
from tests.rules.test_counts import SIX_OF_53 as SIXES


def deck_of(ranks: str, suits: str) -> list[str]:
    return [card for card in DECK if card[0] in ranks and card[1] in suits] + [JOKER]


@pytest.mark.parametrize(("ranks", "suits"), [("AKQJT9", "SHD"), ("A2345", "SHDC")])
def test_classes_of_a_small_deck_are_all_its_hands_of_six(ranks: str, suits: str) -> None:
    listed = Counter(SIX_CARD.evaluate(hand) for hand in combinations(deck_of(ranks, suits), 6))
    by_class: Counter[int] = Counter()
    for hand, ways in classes_of(6, joker=True, ranks=ranks, suits=suits):
        by_class[SIX_CARD.evaluate(hand)] += ways

    assert by_class == listed
    assert sum(listed.values()) == comb(len(ranks) * len(suits) + 1, 6)


def test_classes_of_a_small_deck_are_all_its_hands_of_seven_by_all_they_make() -> None:
    ranks, suits = "A2345", "SHD"  # no royal flush: the cards beside one are listed
    every = (((list(hand)), 1) for hand in combinations(deck_of(ranks, suits), 7))

    by_class = held_by_sevens(classes_of(7, joker=True, ranks=ranks, suits=suits), SIX_CARD)

    assert by_class == held_by_sevens(every, SIX_CARD)
    assert sum(by_class.values()) == comb(16, 7)


def test_kept_counts_are_the_combinatorics_of_every_deal() -> None:
    assert counts_of(SIX_OF_53).ways(list(SIXES)) == SIXES
    narrow = counts_of(SIX_OF_53, "narrow").ways(list(SIXES))
    assert narrow == {**SIXES, "royal_flush": 380, "straight_flush": 9_000}
    assert counts_of(FIVE_OF_52).ways(list(FIVES)) == FIVES
    assert counts_of(LUNAR_FIVE).ways(["ace_king"]) == {"ace_king": 167_280}
    by_category = ["five_aces", "royal_flush", "straight_flush", "four_of_a_kind", "full_house"]
    sevens = counts_of(SEVEN_OF_53)
    assert sevens.ways(by_category) == {hand: SEVENS[hand] for hand in by_category}
    suited = "seven_card_straight_flush_no_joker", "seven_card_straight_flush_with_joker"
    match = "royal_flush_and_royal_match"
    assert [sevens.ways([name])[name] for name in (*suited, match)] == [
        SEVEN_SUITED,
        WITH_JOKER,
        MATCHES,
    ]
    assert [deal.hands for deal in (SIX_OF_53, SEVEN_OF_53)] == [22_957_480, 154_143_080]


def test_the_quick_counts_are_the_kept_ones() -> None:
    """Six of 53 and five of 52 take seconds: they are counted anew in every run."""
    assert six_of_53("any") == Counter(dict(counts_of(SIX_OF_53).held))
    kept = (odds.FOLDER / "five_of_52.json").read_text(encoding="utf-8")
    assert written(FIVE_OF_52, count_deal(FIVE_OF_52)) == kept


@pytest.mark.slow
@pytest.mark.parametrize("deal", DEALS.values(), ids=DEALS)
def test_counting_anew_gives_the_kept_file(deal: Deal) -> None:
    kept = (odds.FOLDER / f"{deal.code}.json").read_text(encoding="utf-8")
    assert written(deal, count_deal(deal)) == kept


def test_counts_of_other_definitions_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = (odds.FOLDER / "six_of_53.json").read_text(encoding="utf-8")
    path = tmp_path / "six_of_53.json"
    monkeypatch.setattr(odds, "FOLDER", tmp_path)
    for wrong in (
        kept.replace(odds.definitions_digest(SIX_OF_53), 64 * "0"),
        kept.replace("10809876", "10809875"),
    ):
        path.write_text(wrong, encoding="utf-8")
        counts_of.cache_clear()
        with pytest.raises(StaleCounts, match="manage count_hands"):
            counts_of(SIX_OF_53)
    counts_of.cache_clear()


def within(seen: int, chance: Fraction, dealt: int) -> bool:
    """Whether a frequency lies within five standard deviations of what is expected."""
    spread = sqrt(dealt * chance * (1 - chance))
    return abs(seen - dealt * chance) <= 5 * max(spread, 1)


DEALT = 60_000


def dealt(deck: tuple[str, ...], cards: int, held: Callable[[list[str]], str | None]) -> Counter:
    rng = Random(670)
    return Counter(held(rng.sample(deck, cards)) for _ in range(DEALT))


def test_dealt_hands_of_six_fall_as_often_as_counted() -> None:
    seen = dealt(DECK_AND_JOKER, 6, lambda hand: name_of(SIX_CARD.evaluate(hand)))
    counts = counts_of(SIX_OF_53)
    for hand, ways in counts.ways(list(SIXES)).items():
        assert within(seen[hand], counts.chance(ways), DEALT), hand


def test_dealt_hands_of_seven_are_paid_as_often_as_counted() -> None:
    """By the sample's own order of hands, in which three of a kind stands above a straight."""
    lines = terms().submission.plan.paytables["fortune_bonus"].lines
    order = [line.hand for line in lines]

    def paid(hand: list[str]) -> str | None:
        if SIX_CARD.evaluate(hand) < 3 << 20:
            return None
        held = hands_in(tuple(hand), SIX_CARD)
        return next((name for name in order if name in held), None)

    seen = dealt(DECK_AND_JOKER, 7, paid)
    counts = counts_of(SEVEN_OF_53)
    for hand, ways in counts.ways(order).items():
        assert within(seen[hand], counts.chance(ways), DEALT), hand


def test_a_hand_that_may_be_royal_is_told_by_one_suit() -> None:
    assert may_be_royal("AS KS QS JS JK 2H 3H".split())
    assert not may_be_royal("AS KS QS JS TH 2H 3H".split())
    assert not may_be_royal("AS KS QS JK TH JH 3H".split())


@pytest.mark.parametrize("decks", [6, 8])
def test_672a_11_c_dealers_22_as_often_as_played(decks: int) -> None:
    rng, shoe = Random(672), [card for card in DECK for _ in range(decks)]
    seen: Counter[str] = Counter()
    for _ in range(DEALT):
        hand, drawn = [], iter(rng.sample(shoe, 22))
        while len(hand) < 2 or total(hand) < STANDS:
            hand.append(next(drawn))
        if total(hand) == 22:
            suits = {card[1] for card in hand}
            same = "same_suit_22" if len(suits) == 1 else "other_22"
            color = suits <= set("SC") or suits <= set("HD")
            seen["same_color_22" if same == "other_22" and color else same] += 1
    for hand, chance in push_22_chances(decks).items():
        assert within(seen[hand], chance, DEALT), hand
