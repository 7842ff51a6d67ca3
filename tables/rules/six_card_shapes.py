"""What a position of Six-Card Fortune Pai Gow Poker looks like in a round document."""

from typing import Any

from tables.rules import shapes
from tables.rules.cards import UNSEEN
from tables.rules.events import IRREGULARITIES
from tables.rules.refusals import Refusal
from tables.rules.rounds import TableTerms
from tables.rules.shapes import Check, shape

CARDS_EACH = 6
KINDS_HERE = ("main", "double_down", "fortune_bonus", "insurance", "progressive")


_WAGERS = shapes.wagers(dict.fromkeys(KINDS_HERE, shapes.money))
_PAID = shapes.payments((*KINDS_HERE, "envy"))
_AT_LOCKOUT: dict[str, Check] = {
    "position": shapes.any_whole,
    "player": shapes.text(),
    "wagers": _WAGERS,
    "irregularity": IRREGULARITIES,
}
_DEALT: dict[str, Check] = {
    **_AT_LOCKOUT,
    "lamp": shapes.flag,
    "envy_lammer": shapes.list_of(shapes.one_of(*KINDS_HERE)),
    "cards": shapes.cards_or_unseen,
    "low": shapes.cards,
    "status": shapes.one_of("voided", "abandoned"),
    "paid": _PAID,
}
_SETTLED = shape(_DEALT, ("position", "wagers"))


def _settled_position(value: Any) -> None:
    """Check a position of a settled round: its cards are known unless its hand was voided."""
    _SETTLED(value)
    status = value.get("status")
    if status is not None and "irregularity" not in value:
        detail = "A status names its paragraph."
        raise Refusal("missing_key", "irregularity", detail)
    if status == "voided":
        return
    if "cards" not in value:
        raise Refusal("missing_key", "cards", "'cards' must be here.")
    if UNSEEN in value["cards"]:
        place = value["cards"].index(UNSEEN)
        raise Refusal("bad_card", f"cards[{place}]", "This hand's cards must be known.")


POSITION_SHAPES: dict[str, Check] = {
    "lockout": shape(_AT_LOCKOUT, ("position", "wagers")),
    "settlement": _settled_position,
    "round": _settled_position,
    "void": shape({**_DEALT, "low": shapes.cards_or_unseen}, ("position",)),
}
_DEALER = shape({"cards": shapes.cards, "low": shapes.cards}, ("cards",))
DEALER_SHAPES: dict[str, Check] = {
    "settlement": _DEALER,
    "round": _DEALER,
    "void": shape({"cards": shapes.cards_or_unseen, "low": shapes.cards_or_unseen}),
}


def check_position(position: dict[str, Any], terms: TableTerms) -> None:
    """Refuse a Double Down that is not the main wager, and hands that cannot be set."""
    wagers = position["wagers"]
    double = wagers.get("double_down")
    if double is not None and double != wagers["main"]:
        detail = f"A Double Down Wager equals the main wager, ${wagers['main']}."
        raise Refusal("double_down_mismatch", "wagers.double_down", detail, "§ 670a.7(e)(1)")
    if position.get("status") == "voided":
        if len(position.get("cards", ())) > CARDS_EACH:
            raise _wrong_count("cards", CARDS_EACH)
        return
    _check_hand(position)


def check_dealer(hand: dict[str, Any], terms: TableTerms) -> None:
    """Refuse a dealer's hand that is not six cards, or whose low card is not among them."""
    _check_hand(hand)


def _check_hand(hand: dict[str, Any]) -> None:
    if len(hand["cards"]) != CARDS_EACH:
        raise _wrong_count("cards", CARDS_EACH)
    low = hand.get("low")
    if low is None:
        return
    if len(low) != 1:
        raise _wrong_count("low", 1)
    if low[0] not in hand["cards"]:
        detail = f"{low[0]} is not one of the six cards."
        raise Refusal("low_not_in_hand", "low[0]", detail, "§ 670a.11(b)")


def _wrong_count(place: str, right: int) -> Refusal:
    cards = "card" if right == 1 else "cards"
    return Refusal("wrong_card_count", place, f"There must be {right} {cards}.", "§ 670a.13(h)")
