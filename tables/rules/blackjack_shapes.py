"""What a position of Free Bet Blackjack looks like in a round document."""

from collections.abc import Mapping
from typing import Any

from tables.rules import shapes
from tables.rules.cards import UNSEEN
from tables.rules.events import IRREGULARITIES
from tables.rules.refusals import Refusal
from tables.rules.shapes import Check, shape
from tables.rules.wagers import KINDS

KINDS_HERE = ("main", "push_22", "insurance")

_free_or_paid = shapes.one_of("free", "paid")


def _how(value: Any) -> None:
    """Check how a hand was doubled or split: free, for money, or not at all."""
    if value is not None:
        _free_or_paid(value)


_HAND_KEYS: dict[str, Check] = {
    "cards": shapes.plain_cards_or_unseen,
    "from_split": _how,
    "double": _how,
    "double_wager": shapes.money,
    "status": shapes.one_of("dead"),
    "irregularity": IRREGULARITIES,
}
_HAND = shape(_HAND_KEYS)
_AT_LOCKOUT: dict[str, Check] = {
    "position": shapes.any_whole,
    "player": shapes.text(),
    "wagers": shapes.wagers(dict.fromkeys(KINDS_HERE, shapes.money)),
    "irregularity": IRREGULARITIES,
}
_EVIDENCE: dict[str, Check] = {
    **_AT_LOCKOUT,
    "lamp": shapes.flag,
    "envy_lammer": shapes.list_of(shapes.one_of(*sorted(KINDS))),
    "even_money": shapes.flag,
    "hands": shapes.list_of(_HAND),
    "status": shapes.one_of("dead"),
    "paid": shapes.payments((*KINDS_HERE, "envy")),
}


def is_dead(position: Mapping[str, Any], hand: Mapping[str, Any]) -> bool:
    """Whether a hand was called dead, alone or with its position (§ 672a.12(g), (h))."""
    return "status" in hand or "status" in position


def _settled_hand(hand: Any) -> None:
    """Check a hand of a settled round: its cards are known unless it is dead."""
    _HAND(hand)
    _status(hand)
    if hand.get("double") == "paid":
        if "double_wager" not in hand:
            detail = "A double for money tells its wager."
            raise Refusal("missing_key", "double_wager", detail, "§ 672a.9(a)(2)")
    elif "double_wager" in hand:
        detail = "Only a double for money has a wager of its own."
        raise Refusal("bad_value", "double_wager", detail, "§ 672a.9(a)(2)")


def _status(facts: Mapping[str, Any]) -> None:
    if "status" in facts and "irregularity" not in facts:
        raise Refusal("missing_key", "irregularity", "A status names its paragraph.")


def _known(hand: Mapping[str, Any]) -> None:
    if "cards" not in hand:
        raise Refusal("missing_key", "cards", "'cards' must be here.")
    if UNSEEN in hand["cards"]:
        place = hand["cards"].index(UNSEEN)
        raise Refusal("bad_card", f"cards[{place}]", "This hand's cards must be known.")


_SETTLED = shape(
    {**_EVIDENCE, "hands": shapes.list_of(_settled_hand)},
    required=("position", "wagers"),
)


def _settled_position(value: Any) -> None:
    """Check a position of a settled round: it has a hand, and its cards are known."""
    _SETTLED(value)
    _status(value)
    hands = value.get("hands")
    if not hands:
        if "status" in value:
            return
        code = "missing_key" if hands is None else "bad_value"
        raise Refusal(code, "hands", "A player has a hand, or several once he splits.")
    for place, hand in enumerate(hands):
        if not is_dead(value, hand):
            try:
                _known(hand)
            except Refusal as refusal:
                raise refusal.under(place).under("hands") from None


POSITION_SHAPES: dict[str, Check] = {
    "lockout": shape(_AT_LOCKOUT, ("position", "wagers")),
    "settlement": _settled_position,
    "round": _settled_position,
    "void": shape(_EVIDENCE, ("position",)),
}
_DEALER = shape({"cards": shapes.plain_cards}, ("cards",))


def _dealer(value: Any) -> None:
    """Check the dealer's hand: his up card first, his hole card second, then what he drew."""
    _DEALER(value)
    if len(value["cards"]) < 2:
        detail = "The dealer has an up card and a hole card."
        raise Refusal("wrong_card_count", "cards", detail, "§ 672a.7(e)")


DEALER_SHAPES: dict[str, Check] = {
    "settlement": _dealer,
    "round": _dealer,
    "void": shape({"cards": shapes.plain_cards_or_unseen}),
}
