"""Chapter 672a over made-up rounds: every stake accounted for, no order in the document counts."""

import random
from collections import defaultdict
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tables.rules import Settled
from tables.rules.blackjack_play import must_draw
from tables.rules.blackjack_points import is_doubled_free, is_natural, total, worth
from tables.rules.cards import DECK
from tests.rules.made_blackjack import event, hand, seat, settled, terms

PLAN = terms().submission.plan


class Shoe:
    """Six decks, and players who do whatever the chapter lets them."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.cards = list(DECK) * 6
        self.chance.shuffle(self.cards)

    def deal(self) -> str:
        return self.cards.pop()

    def often(self, percent: int) -> bool:
        return self.chance.randrange(100) < percent

    def play(self, cards: list[str], main: int, *, is_split: bool) -> dict[str, Any]:
        """Play one hand to its end: doubled, or drawn to as long as the player likes."""
        if (is_split or not is_natural(cards)) and total(cards) < 21 and self.often(30):
            free = is_doubled_free(cards)
            told = {} if free else {"double_wager": f"{self.chance.randint(1, main)}.00"}
            double = "free" if free else "paid"
            return hand(" ".join([*cards, self.deal()]), double=double, **told)
        while total(cards) < 21 and self.often(60):
            cards.append(self.deal())
        return hand(" ".join(cards))

    def hands(self, main: int) -> list[dict[str, Any]]:
        """Play a position's cards, split into up to four hands."""
        waiting, played = [[self.deal(), self.deal()]], []
        while waiting:
            cards = waiting.pop(0)
            if len(cards) == 1:
                cards.append(self.deal())
            splits = len(played) + len(waiting) < 3 and self.often(70)
            if splits and worth(cards[0]) == worth(cards[1]):
                waiting[:0] = [cards[:1], cards[1:]]
            else:
                several = bool(played or waiting)
                played.append(self.play(cards, main, is_split=several))
        paid = worth(played[0]["cards"][0]) == 10
        for one in played[1:]:
            one["from_split"] = "paid" if paid else "free"
        return played


def round_of(seed: int) -> dict[str, Any]:
    """A round that was played by the chapter."""
    shoe = Shoe(seed)
    dealer = [shoe.deal(), shoe.deal()]
    document = event("round", positions=[], dealer_hand={"cards": dealer})
    for place in sorted(shoe.chance.sample(range(1, 7), shoe.chance.randint(1, 6))):
        main = shoe.chance.choice([5, 15, 25])
        told: dict[str, Any] = {"main": f"{main}.00"}
        if shoe.often(30):
            told["push_22"] = "5.00"
        if dealer[0][0] == "A" and shoe.often(50):
            told["insurance"] = f"{main // 2}.00"
        hands = [hand(f"{shoe.deal()} {shoe.deal()}")]
        if not is_natural(dealer):
            hands = shoe.hands(main)
        elif dealer[0][0] == "A" and is_natural(hands[0]["cards"]) and "insurance" not in told:
            told["even_money"] = True
        document["positions"].append(seat(place, *hands, **told))
    while total(dealer) < 17 and must_draw(document, PLAN):
        dealer.append(shoe.deal())
    return document


def real_money(document: dict[str, Any]) -> dict[int, Decimal]:
    """What each position put on the table: lammers are no money."""
    put: dict[int, Decimal] = defaultdict(Decimal)
    for told in document["positions"]:
        wagers = told["wagers"]
        put[told["position"]] += sum(Decimal(amount) for amount in wagers.values())
        for one in told["hands"]:
            put[told["position"]] += Decimal(one.get("double_wager", "0"))
            put[told["position"]] += Decimal(wagers["main"]) * (one["from_split"] == "paid")
    return put


def sums(outcome: Settled, key: str) -> dict[int, Decimal]:
    found: dict[int, Decimal] = defaultdict(Decimal)
    for line in outcome.outcome["lines"]:
        found[line["position"]] += Decimal(line[key])
    return found


ROUNDS = st.integers(min_value=0, max_value=2**32).map(round_of)


@settings(max_examples=150)
@given(ROUNDS)
def test_672a_7_every_stake_is_accounted_for(document: dict[str, Any]) -> None:
    outcome = settled(document)

    assert outcome.flags == []
    assert sums(outcome, "stake") == real_money(document)
    for line in outcome.outcome["lines"]:
        stake, pays, returned = (Decimal(line[key]) for key in ("stake", "pays", "returned"))
        assert returned == (0 if line["result"] == "lose" else stake)
        assert (pays > 0) == (line["result"] == "win")


@settings(max_examples=100)
@given(ROUNDS, st.randoms(use_true_random=False))
def test_672a_7_r_2_order_of_positions_in_the_document_does_not_matter(
    document: dict[str, Any], chance: random.Random
) -> None:
    shuffled = {**document, "positions": list(document["positions"])}
    chance.shuffle(shuffled["positions"])

    lines = settled(shuffled).outcome["lines"]

    assert lines == settled(document).outcome["lines"]
    places = [line["position"] for line in lines]
    assert places == sorted(places, reverse=True)


@settings(max_examples=100)
@given(ROUNDS)
def test_672a_7_r_1_losers_first_changes_nothing_but_the_order(document: dict[str, Any]) -> None:
    lines = settled(document, settlement="losers_first").outcome["lines"]

    by_player = settled(document).outcome["lines"]
    assert sorted(map(repr, lines)) == sorted(map(repr, by_player))
    lost = [line["result"] == "lose" for line in lines]
    assert lost == sorted(lost, reverse=True)


@settings(max_examples=100)
@given(ROUNDS)
def test_672a_11_a_a_lammer_never_costs_its_player(document: dict[str, Any]) -> None:
    """Without lammers' doubles a hand stakes the same and wins no more (FB-3)."""
    plain = {**document, "positions": [without_free_doubles(p) for p in document["positions"]]}

    with_lammers = settled(document).outcome["lines"]
    without = settled(plain).outcome["lines"]

    for more, less in zip(with_lammers, without, strict=True):
        assert more["stake"] == less["stake"]
        assert more["result"] == less["result"]
        assert Decimal(more["pays"]) >= Decimal(less["pays"])


def without_free_doubles(position: dict[str, Any]) -> dict[str, Any]:
    hands = [
        {**one, "double": None} if one["double"] == "free" else one for one in position["hands"]
    ]
    return {**position, "hands": hands}
