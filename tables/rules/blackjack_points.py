"""What cards count at Free Bet Blackjack: § 672a.3(d), with the terms of § 672a.1.

A card's number is its points; an ace counts one and carries a mark, so that the sum of a hand
tells whether one of its aces can count eleven.
"""

from collections.abc import Sequence

from tables.rules.cards import DECK

MOST = 21
STANDS = 17  # § 672a.7(l)
PUSH = 22  # § 672a.7(n)(1)
ACE_MARK = 0x100

POINTS = {
    card: ACE_MARK + 1 if card[0] == "A" else int(card[0]) if card[0] in "23456789" else 10
    for card in DECK
}
RED, BLACK = frozenset("HD"), frozenset("SC")


def total(cards: Sequence[str]) -> int:
    """Return a hand's total: an ace counts eleven unless that exceeds 21 (§ 672a.3(d)(3))."""
    points = sum(map(POINTS.__getitem__, cards))
    hard = points & (ACE_MARK - 1)
    return hard + 10 if points >= ACE_MARK and hard <= MOST - 10 else hard


def worth(card: str) -> int:
    """Return the value by which two cards are a pair: tens and pictures alike (§ 672a.10(a))."""
    return POINTS[card] & (ACE_MARK - 1)


def is_ace(card: str) -> bool:
    """Whether a card is an ace."""
    return card[0] == "A"


def is_natural(cards: Sequence[str]) -> bool:
    """Whether two cards are an ace and a ten: a Blackjack, if they were dealt (§ 672a.1)."""
    return len(cards) == 2 and total(cards) == MOST


def is_doubled_free(cards: Sequence[str]) -> bool:
    """Whether two cards are a hard 9, 10 or 11; beside an ace they are soft (§ 672a.9(a)(1))."""
    points = sum(map(POINTS.__getitem__, cards))
    return 9 <= points <= 11


def name_of_22(cards: Sequence[str]) -> str:
    """Return which of the paytable's hands a dealer's 22 is; all its cards count (§ 672a.11(c))."""
    suits = {card[1] for card in cards}
    if len(suits) == 1:
        return "same_suit_22"
    return "same_color_22" if suits <= RED or suits <= BLACK else "other_22"
