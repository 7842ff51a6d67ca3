"""The hands of a round of Pai Gow Poker as they were set: § 645a.11(b), (c)."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tables.rules.cards import RANK
from tables.rules.hands import CATEGORY_FROM, NOTHING, PAIR, TOP_FROM, Ranking, name_of
from tables.rules.pai_gow_plan import Plan
from tables.rules.pai_gow_shapes import MIS_SET, bank_of
from tables.rules.settle import Reckoning, Seat

QUEEN_HIGH = NOTHING << 4 | 12  # ``best >> TOP_FROM`` of a Queen's Dragon (PG-2)


class Play(NamedTuple):
    """A round's hands that all others meet, and what is on offer.

    ``high`` and ``low`` are the bank's where a player banks; ``best`` and ``dragon``, whether the
    dealer has a Queen's Dragon, are of the dealer's seven cards in any case (PG-11).
    """

    plan: Plan
    high: int
    low: int
    best: int
    dragon: bool
    bank: Seat | None

    @property
    def pushes(self) -> bool:
        """Whether every main wager is returned: an EZ table and a Queen's Dragon."""
        return self.dragon and self.plan.ez


def low_value(low: Sequence[str]) -> int:
    """Return the value of two cards, comparable with that of five; the joker is an ace."""
    first, second = RANK[low[0]], RANK[low[1]]
    if first == second:
        return PAIR << CATEGORY_FROM | first << TOP_FROM
    return max(first, second) << TOP_FROM | min(first, second) << TOP_FROM - 4


def high_cards(cards: Sequence[str], low: Sequence[str]) -> list[str]:
    """Return the cards of the high hand."""
    return [card for card in cards if card not in low]


def set_seat(seat: Seat, ranking: Ranking) -> None:
    """Work out what a position's seven cards come to, and its two hands."""
    seat.cards = cards = seat.facts.get("cards", [])
    if not cards:  # surrendered unseen
        return
    seat.best = ranking.evaluate(cards)
    low = seat.facts.get("low", ())
    if seat.status == MIS_SET or len(low) != 2:
        return
    seat.high = ranking.evaluate(high_cards(cards, low))
    seat.low = low_value(low)
    seat.fouled = seat.low > seat.high  # card by card, and a pair beats no pair (PG-13)


def play_of(reckoning: Reckoning, plan: Plan) -> Play:
    """Read the dealer's hands, those of every position, and find the bank."""
    for seat in reckoning.seats:
        plain_wagers(seat)
        set_seat(seat, plan.ranking)
    hand = reckoning.document["dealer_hand"]
    cards, low = hand["cards"], hand["low"]
    best = plan.ranking.evaluate(cards)
    dragon = best >> TOP_FROM == QUEEN_HIGH
    number = bank_of(reckoning.document)
    if number is not None:
        bank = next(seat for seat in reckoning.seats if seat.position == number)
        return Play(plan, bank.high, bank.low, best, dragon, bank)
    high = plan.ranking.evaluate(high_cards(cards, low))
    return Play(plan, high, low_value(low), best, dragon, None)


def plain_wagers(seat: Seat) -> None:
    """Let a Red/Black Wager stand among the wagers as a sum, as the others do."""
    told: Any = seat.wagers.get("red_black")
    if told is not None:
        seat.wagers = {**seat.wagers, "red_black": told["amount"]}


def dealer_block(reckoning: Reckoning, play: Play) -> dict[str, Any]:
    """Return the dealer's hands, and the bank's, as the outcome tells them."""
    block = hands_block(reckoning.document["dealer_hand"], play.plan.ranking)
    block["cite"] = "§ 645a.11(c)"
    if play.dragon:
        block["queens_dragon"] = True
    if play.bank is not None:
        told = hands_block(play.bank.facts, play.plan.ranking)
        block["bank"] = {"position": play.bank.position, **told}
    return block


def hands_block(hand: Mapping[str, Any], ranking: Ranking) -> dict[str, Any]:
    """Return two hands as they were set, and the name of the high one."""
    high = high_cards(hand["cards"], hand["low"])
    return {"high": high, "low": list(hand["low"]), "hand": name_of(ranking.evaluate(high))}
