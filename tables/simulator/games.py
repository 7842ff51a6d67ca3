"""Rounds of the games without a progressive here: dealt at random, played without much art."""

from collections.abc import Callable
from random import Random
from typing import Any

from tables.rules.blackjack_points import is_natural, total
from tables.rules.cards import DECK, DECK_AND_JOKER, RANK

DECKS = 6  # § 672a.3


def pai_gow(rng: Random) -> dict[str, Any]:
    """Deal seven cards to six positions and the dealer; everybody keeps pairs high."""
    deck = rng.sample(DECK_AND_JOKER, 49)
    stacks = [deck[place * 7 : place * 7 + 7] for place in range(7)]
    wagers = {"main": "25.00", "fortune_bonus": "5.00", "progressive": "1.00"}
    return {
        "positions": [
            {"position": place, "cards": stacks[place], "low": low_of(stacks[place])}
            | {"wagers": wagers, "player": f"P{place}"}
            for place in range(1, 7)
        ],
        "dealer_hand": {"cards": stacks[0], "low": low_of(stacks[0])},
    }


def low_of(cards: list[str]) -> list[str]:
    """Return the two highest cards that leave pairs together, and a high card above them."""
    ranks = [RANK[card] for card in cards]
    highest_first = sorted(cards, key=RANK.__getitem__, reverse=True)
    single = [card for card in highest_first if ranks.count(RANK[card]) == 1]
    if len(single) == len(cards):
        return single[1:3]
    return single[:2] if len(single) > 1 else highest_first[-2:]


def lunar_poker(rng: Random) -> dict[str, Any]:
    """Deal five cards to five positions; each bets, folds, buys a card or exchanges two."""
    deck = list(DECK)
    rng.shuffle(deck)
    dealer = [deck.pop() for _ in range(5)]
    positions = []
    for place in range(1, 6):
        cards = [deck.pop() for _ in range(5)]
        action = rng.choice(["bet", "bet", "fold", "buy", "exchange"])
        decision: dict[str, Any] = {"action": action}
        if action == "buy":
            decision |= {"draw": [deck.pop()], "then": "bet"}
        elif action == "exchange":
            decision |= {"discard": cards[:2], "draw": [deck.pop(), deck.pop()], "then": "fold"}
        wagers = {"ante": "10.00", "super": "10.00"}
        positions.append(
            {"position": place, "cards": cards, "wagers": wagers, "decision": decision}
        )
    return {"positions": positions, "dealer_hand": {"cards": dealer}}


def free_bet_blackjack(rng: Random) -> dict[str, Any]:
    """Deal to six positions that draw to seventeen as the dealer does."""
    shoe = list(DECK) * DECKS
    rng.shuffle(shoe)

    def drawn(cards: list[str]) -> list[str]:
        while total(cards) < 17:
            cards.append(shoe.pop())
        return cards

    dealer = [shoe.pop(), shoe.pop()]
    ends = is_natural(dealer)
    hands = [[shoe.pop(), shoe.pop()] for _ in range(6)]
    if not ends:
        hands = [drawn(cards) for cards in hands]
    dealer = drawn(dealer)  # the Push 22 Wagers hang on it, whatever the hands are (§ 672a.7(m))
    return {
        "positions": [
            {
                "position": place,
                "wagers": {"main": "20.00", "push_22": "5.00"},
                "hands": [{"cards": cards, "from_split": None, "double": None}],
            }
            for place, cards in enumerate(hands, 1)
        ],
        "dealer_hand": {"cards": dealer},
    }


DEALT: dict[str, Callable[[Random], dict[str, Any]]] = {
    "pai_gow": pai_gow,
    "lunar_poker": lunar_poker,
    "free_bet_blackjack": free_bet_blackjack,
}
