"""What a position of Pai Gow Poker looks like in a round document."""

from collections.abc import Mapping
from typing import Any

from tables.rules import shapes
from tables.rules.events import IRREGULARITIES
from tables.rules.refusals import Refusal
from tables.rules.rounds import TableTerms
from tables.rules.shapes import Check, shape

CARDS_EACH = 7
LOW_EACH = 2

#: The wagers in the order of § 645a.11(h); (d) counts the first five of them as § 645a.7(e)(1)-(5).
OPTIONAL = (
    "fortune_bonus",
    "emperors_treasure",
    "pai_gow_insurance",
    "progressive",
    "queens_dragon",
    "dynasty_bonus",
    "protection",
    "red_black",
)
KINDS_HERE = ("main", *OPTIONAL)
MIS_SET = "mis_set"

_RED_BLACK = shape(
    {"amount": shapes.money, "on": shapes.one_of("red", "black")}, required=("amount", "on")
)
_WAGERS = shapes.wagers(
    {**dict.fromkeys(KINDS_HERE, shapes.money), "red_black": _RED_BLACK},
)
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
    "cards": shapes.cards,
    "low": shapes.cards,
    "surrender": shapes.flag,
    "counted": shapes.whole(0),
    "status": shapes.one_of(MIS_SET),
    "paid": _PAID,
}
_SETTLED = shape(_DEALT, ("position", "wagers"))


def _settled_position(value: Any) -> None:
    """Check a position of a settled round: set into two hands, unless it was surrendered."""
    _SETTLED(value)
    status = value.get("status")
    if status is not None and "irregularity" not in value:
        raise Refusal("missing_key", "irregularity", "A status names its paragraph.")
    if is_surrendered(value):
        return
    if "cards" not in value:
        raise Refusal("missing_key", "cards", "'cards' must be here.")
    if "low" not in value and status != MIS_SET:
        detail = "The two cards of the low hand must be here."
        raise Refusal("missing_key", "low", detail, "§ 645a.11(b)")


def is_surrendered(position: Mapping[str, Any]) -> bool:
    """Whether the player of a position surrendered his wager (§ 645a.11(d))."""
    return position.get("surrender", False) is True


POSITION_SHAPES: dict[str, Check] = {
    "lockout": shape(_AT_LOCKOUT, ("position", "wagers")),
    "settlement": _settled_position,
    "round": _settled_position,
    "void": shape(
        {**_DEALT, "cards": shapes.cards_or_unseen, "low": shapes.cards_or_unseen}, ("position",)
    ),
}
_DEALER = shape({"cards": shapes.cards, "low": shapes.cards}, ("cards", "low"))
DEALER_SHAPES: dict[str, Check] = {
    "settlement": _DEALER,
    "round": _DEALER,
    "void": shape({"cards": shapes.cards_or_unseen, "low": shapes.cards_or_unseen}),
}

_BANK = shape({"position": shapes.any_whole, "co_bank": shapes.any_whole})


def _bank(value: Any) -> None:
    """Check who banks the round: a position alone, or together with the house."""
    _BANK(value)
    if "position" not in value and "co_bank" not in value:
        raise Refusal("missing_key", "position", "The position that banks must be here.")
    if "position" in value and "co_bank" in value:
        raise Refusal("bad_value", "co_bank", "A position banks alone or as a co-bank, not both.")


EVENT_KEYS: dict[str, Check] = {"bank": _bank}


def bank_of(document: Mapping[str, Any]) -> int | None:
    """Return the position that banks the round, None where the dealer does."""
    bank: dict[str, int] = document.get("bank", {})
    return bank.get("position", bank.get("co_bank"))


def without_main(document: Mapping[str, Any]) -> frozenset[int]:
    """Return the position that takes part without a main wager: the bank (PG-11)."""
    bank = bank_of(document)
    return frozenset() if bank is None else frozenset((bank,))


def check_position(position: dict[str, Any], terms: TableTerms) -> None:
    """Refuse a surrender beside an optional wager, and hands that cannot be set."""
    surrendered = is_surrendered(position)
    if surrendered:
        check_surrender(position, terms)
    if "cards" in position:
        check_hands(position, any_length=surrendered or position.get("status") == MIS_SET)


def check_surrender(position: Mapping[str, Any], terms: TableTerms) -> None:
    """Refuse a surrender that an optional wager bars (§ 645a.11(d), PG-5)."""
    wagers = position["wagers"]
    barring = [kind for kind in terms.submission.plan.bars_surrender if kind in wagers]
    if barring:
        name = barring[0].replace("_", " ")
        detail = f"A player with an optional wager, here {name}, cannot surrender."
        raise Refusal("surrender_not_allowed", "surrender", detail, "§ 645a.11(d)")
    if "cards" not in position and any(kind in wagers for kind in OPTIONAL):
        detail = "The optional wagers of a surrendered hand are settled by its cards."
        raise Refusal("missing_key", "cards", detail, "§ 645a.11(h)")


def check_dealer(hand: dict[str, Any], terms: TableTerms) -> None:
    """Refuse a dealer's hand that is not seven cards, or whose low hand is not two of them."""
    check_hands(hand)


def check_hands(hand: Mapping[str, Any], any_length: bool = False) -> None:
    """Refuse a hand that is not seven cards, and a low hand that is not of them."""
    cards = hand["cards"]
    if len(cards) != CARDS_EACH:
        detail = f"There must be {CARDS_EACH} cards."
        raise Refusal("wrong_card_count", "cards", detail, "§ 645a.11(a)(2)")
    low = hand.get("low")
    if low is None:
        return
    if len(low) != LOW_EACH and not any_length:
        detail = f"The low hand has {LOW_EACH} cards."
        raise Refusal("wrong_card_count", "low", detail, "§ 645a.11(b)")
    for place, card in enumerate(low):
        if card not in cards or card in low[:place]:
            detail = f"{card} is not one of the seven cards, or stands here twice."
            raise Refusal("low_not_in_hand", f"low[{place}]", detail, "§ 645a.11(b)")


def check_round(document: Mapping[str, Any], terms: TableTerms) -> None:
    """Refuse a bank that is no position of the round, or whose hands cannot be compared (PG-11)."""
    bank = bank_of(document)
    if bank is None:
        return
    key = "position" if "position" in document["bank"] else "co_bank"
    for place, position in enumerate(document["positions"]):
        if position["position"] == bank:
            check_bank(position, f"positions[{place}]")
            return
    detail = f"Position {bank} banks the round and must be listed with its cards."
    raise Refusal("bad_value", f"bank.{key}", detail, "§ 645a.11(c)")


def check_bank(position: Mapping[str, Any], place: str) -> None:
    """Refuse a bank that surrenders, or whose cards do not make two hands."""
    if is_surrendered(position):
        detail = "The bank has no wager to surrender."
        raise Refusal("surrender_not_allowed", f"{place}.surrender", detail, "§ 645a.11(d)")
    if position.get("status") == MIS_SET:
        detail = "All other hands meet the bank's, so that it must be set into two hands."
        raise Refusal("bad_value", f"{place}.status", detail, "§ 645a.11(c)")
