"""Shuffling, dealing seven stacks of six, and how a player sets his hand."""

from collections.abc import Callable, Mapping
from random import Random
from typing import NamedTuple

from tables.rules.cards import DECK_AND_JOKER, JOKER, RANK, RANKS, SUITS
from tables.rules.hands import CATEGORY_FROM, NOTHING, evaluate

DEALER = 0
PLACES = 6  # stacks are dealt to all of them, wagers or not (§ 670a.8(d))
STACK = 6


class Deal(NamedTuple):
    """Seven stacks by place, the dealer's at 0, and the eleven cards that are left."""

    stacks: dict[int, list[str]]
    left: list[str]


def deal(rng: Random, stacked: Mapping[int, list[str]] | None = None) -> Deal:
    """Shuffle 53 cards and deal them; ``stacked`` cards lie in their place's stack before."""
    stacks = {place: list((stacked or {}).get(place, ())) for place in range(PLACES + 1)}
    taken = {card for stack in stacks.values() for card in stack}
    deck = [card for card in DECK_AND_JOKER if card not in taken]
    rng.shuffle(deck)
    for stack in stacks.values():
        while len(stack) < STACK:
            stack.append(deck.pop())
        rng.shuffle(stack)
    return Deal(stacks, deck)


def set_low(cards: list[str]) -> str:
    """Return the card a sound player puts low: the highest that leaves his best hand whole."""
    highest_first = sorted(cards, key=RANK.__getitem__, reverse=True)
    best = evaluate(cards) >> CATEGORY_FROM
    if best == NOTHING:
        return highest_first[1]
    for low in highest_first:
        if evaluate([card for card in cards if card != low]) >> CATEGORY_FROM == best:
            return low
    return highest_first[-1]


def set_foul(cards: list[str]) -> str:
    """Return what a careless player puts low: his highest card, a foul without a pair."""
    return max(cards, key=RANK.__getitem__)


# ---- hands that are stacked where luck is asked for -----------------------------------------


def royal_flush(rng: Random) -> list[str]:
    """Return A-K-Q-J-10 of a suit; one time in four the joker stands for one of them."""
    suit = rng.choice(SUITS)
    cards = [rank + suit for rank in "AKQJT"]
    if rng.random() < 0.25:
        cards[rng.randrange(5)] = JOKER
    return cards


def straight_flush(rng: Random) -> list[str]:
    """Return five cards of a suit in sequence, below the royal."""
    suit, lowest = rng.choice(SUITS), rng.randrange(8)
    return [rank + suit for rank in RANKS[lowest : lowest + 5]]


def four_of_a_kind(rng: Random) -> list[str]:
    """Return four cards of a rank."""
    rank = rng.choice(RANKS)
    return [rank + suit for suit in SUITS]


def full_house(rng: Random) -> list[str]:
    """Return three cards of a rank and two of another."""
    three, two = rng.sample(RANKS, 2)
    return [three + s for s in rng.sample(SUITS, 3)] + [two + s for s in rng.sample(SUITS, 2)]


def five_aces(rng: Random) -> list[str]:
    """Return the four aces and the joker."""
    return [*("A" + suit for suit in SUITS), JOKER]


LUCKY: list[tuple[Callable[[Random], list[str]], int]] = [
    (full_house, 30),
    (four_of_a_kind, 30),
    (straight_flush, 14),
    (royal_flush, 24),
    (five_aces, 2),
]


def stack_luck(rng: Random, places: list[int]) -> dict[int, list[str]]:
    """Return cards for one of the places; for two of them now and then, each a royal."""
    made, weights = zip(*LUCKY, strict=True)
    kind = rng.choices(made, weights)[0]
    first = rng.choice(places)
    stacked = {first: kind(rng)}
    others = [place for place in places if place != first]
    if kind is royal_flush and others and rng.random() < 0.3:
        second = royal_flush(rng)
        if not {*second} & {*stacked[first]}:
            stacked[rng.choice(others)] = second
    return stacked
