"""Rounds of each supported game for the engine alone: full tables, played without much art."""

from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

from config.bench.rounds import Dealers
from tables.rules import Submission, TableTerms
from tables.rules.blackjack_points import is_natural, total
from tables.rules.cards import DECK, DECK_AND_JOKER, RANK
from tables.rules.samples import read_sample

SIX_CARD = "six_card_fortune_pai_gow"
TABLE = "B-1"
DECKS = 6  # § 672a.3


def terms_of(game: str) -> TableTerms:
    """Return what holds at a table of the game; Pai Gow Poker under the sample submission."""
    choices = read_sample("645a") if game == "pai_gow" else {}
    unit = Decimal("1.00") if game in (SIX_CARD, "pai_gow") else None
    positions = 5 if game == "lunar_poker" else 6
    return TableTerms(TABLE, game, positions, Submission.make(game, choices), unit)


def rounds_of(game: str, count: int, seed: int = 3) -> list[dict[str, Any]]:
    """Return rounds of a game, each a whole event."""
    if game == SIX_CARD:
        return Dealers([terms_of(game)], seed).rounds(count)
    rng = Random(seed)  # noqa: S311 - a play
    return [envelope(game, number) | DEALT[game](rng) for number in range(1, count + 1)]


def envelope(game: str, number: int) -> dict[str, Any]:
    """Return what every round's event begins with."""
    return {
        "spec": "round/1",
        "event_id": f"5eed0000-0000-4000-8000-{number:012}",
        "table": TABLE,
        "sequence": number,
        "type": "round",
        "occurred_at": "2026-03-14T12:00:00-05:00",
        "round": number,
        "game": game,
        "dealer": "D1100",
    }


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
    if any(total(cards) <= 21 and not is_natural(cards) for cards in hands):
        dealer = drawn(dealer)
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
