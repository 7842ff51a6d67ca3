"""Cards: two characters each, the joker, the face nobody saw; and the keys that add up.

A hand's key is the sum of its cards' keys. It tells how many cards of each rank and of each suit
the hand holds, whatever their order, and so looks a ranking up without sorting anything.
"""

RANKS = "23456789TJQKA"
SUITS = "SHDC"
JOKER = "JK"
UNSEEN = "??"
ACE = 14

DECK = tuple(rank + suit for suit in SUITS for rank in RANKS)
DECK_AND_JOKER = (*DECK, JOKER)

RANK = {card: RANKS.index(card[0]) + 2 for card in DECK} | {JOKER: ACE}
RANK_NAMES = "two three four five six seven eight nine ten jack queen king ace".split()

# The key of a hand, from its low end: four counters of suits, then thirteen of ranks, then the
# joker. A suit's counter starts at three, so that its fifth card reaches the counter's top bit.
SUIT_BITS = 4
RANK_BITS = 3
RANKS_FROM = SUIT_BITS * len(SUITS)
JOKER_FROM = RANK_BITS * len(RANKS)  # counted within the ranks' part of the key
EMPTY = 0x3333
FIVE_SUITED = 0x8888

KEY = {
    card: (1 << (SUIT_BITS * SUITS.index(card[1])))
    + (1 << (RANKS_FROM + RANK_BITS * RANKS.index(card[0])))
    for card in DECK
}
KEY[JOKER] = 0x1111 + (1 << (RANKS_FROM + JOKER_FROM))  # it may complete a flush of any suit

RANK_BIT = {card: 1 << RANKS.index(card[0]) for card in DECK}
JOKER_BIT = len(RANKS)

#: For the suit of which a hand's key shows five: the bits of its ranks, nothing for other cards.
SUITED = {
    8 << SUIT_BITS * place: {
        JOKER: 1 << JOKER_BIT,
        **{card: RANK_BIT[card] if card[1] == suit else 0 for card in DECK},
    }
    for place, suit in enumerate(SUITS)
}


def spelled(rank: int) -> str:
    """Return a rank's name, for sentences and for hands without a pair: ``king``."""
    return RANK_NAMES[rank - 2]
