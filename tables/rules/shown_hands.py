"""What a position's cards came to, for whoever looks at a round: how they lay, what the joker was.

Nothing is settled by this; it tells what the settlement saw. Cards that cannot be read (nobody saw
them, or there were too few) are told as they were reported.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tables.rules.blackjack_points import PUSH, is_natural, total
from tables.rules.cards import DECK_AND_JOKER, JOKER
from tables.rules.hands import Ranking
from tables.rules.lunar_hands import RANKING as LUNAR_RANKING
from tables.rules.lunar_shapes import BUY
from tables.rules.paytables import GameDefinition
from tables.rules.rounds import Submission

LOW_JOKER = "an ace"  # in a low hand it is never anything else


def shown_hands(seat: Mapping[str, Any], submission: Submission) -> dict[str, Any]:
    """Return how a position's cards lay: ``high`` and ``low``, ``cards``, or ``hands``.

    ``joker_as``: the card that a joker in the high hand stood for; ``low_joker`` says that it lay
    low. ``best``: the best five of all cards, by which optional wagers are settled.
    """
    definition = submission.definition
    if definition is None:
        return {}
    if definition.ranking is None:
        return {"hands": [points_of(hand) for hand in seat.get("hands", ())]}
    cards = final_cards(seat)
    if not is_readable(cards, definition):
        return {}
    ranking = ranking_of(submission)
    told: dict[str, Any] = {"best": best_of(cards, ranking)}
    low = low_of(seat, cards, submission)
    if low:
        told |= set_hands(cards, low, ranking)
        if not seat.get("low"):
            told["set_by"] = "house way"
    return told


def is_readable(cards: Sequence[str], definition: GameDefinition) -> bool:
    """Whether the cards are all known and as many as a hand is ranked by."""
    return 5 <= len(cards) <= 7 and all(card in definition.deck for card in cards)


def ranking_of(submission: Submission) -> Ranking:
    """Return the ranking under the submission's readings; Lunar Poker has one for all."""
    ranking: Ranking = getattr(submission.plan, "ranking", LUNAR_RANKING)
    return ranking


def final_cards(seat: Mapping[str, Any]) -> list[str]:
    """Return the cards that a position played with, a draw included."""
    cards: list[str] = seat.get("cards") or []
    decision = seat.get("decision") or {}
    drawn = decision.get("draw") or []
    if not drawn:
        return cards
    gone = [] if decision["action"] == BUY else decision.get("discard", [])
    return [*(card for card in cards if card not in gone), *drawn]


def low_of(seat: Mapping[str, Any], cards: list[str], submission: Submission) -> list[str]:
    """Return the low hand: as it was set, or as the house sets six cards."""
    told: list[str] = seat.get("low") or []
    if told or seat.get("surrender"):
        return told
    way = getattr(submission.plan, "way", None)
    return [way.set(cards).low] if way is not None and len(cards) == 6 else []


def set_hands(cards: Sequence[str], low: Sequence[str], ranking: Ranking) -> dict[str, Any]:
    """Return the two hands, and what the joker stood for in the one that holds it."""
    high = [card for card in cards if card not in low]
    told: dict[str, Any] = {"high": high, "low": list(low)}
    if JOKER in low:
        told["low_joker"] = LOW_JOKER
    if len(high) == 5 and JOKER in high:
        told["joker_as"] = ranking.best(high).joker_as
    return told


def best_of(cards: Sequence[str], ranking: Ranking) -> dict[str, Any]:
    """Return the best five of the cards, their name and what the joker stood for among them."""
    best = ranking.best(cards)
    told: dict[str, Any] = {"cards": list(best.cards), "hand": ranking.name(best.value)}
    if best.joker_as is not None:
        told["joker_as"] = best.joker_as
    return told


def points_of(hand: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a hand's cards count (§ 672a.3(d))."""
    cards = hand.get("cards") or []
    if not cards or any(card == JOKER or card not in DECK_AND_JOKER for card in cards):
        return {}
    return {"total": total(cards), "natural": is_natural(cards) and not hand.get("from_split")}


def shown_dealer(dealer: Mapping[str, Any], submission: Submission) -> dict[str, Any]:
    """Return what the joker stood for in the dealer's hand, or what its cards count."""
    definition = submission.definition
    if definition is None:
        return {}
    if definition.ranking is None:
        points = dealer.get("total")
        return {"pushes": True} if points == PUSH else {}
    high, low = dealer.get("high") or [], dealer.get("low") or []
    if len(high) != 5 or not is_readable(high, definition):
        return {}
    told = set_hands([*high, *low], low, ranking_of(submission))
    return {key: told[key] for key in ("joker_as", "low_joker") if key in told}
