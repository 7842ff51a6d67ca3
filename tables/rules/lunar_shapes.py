"""What a position of Lunar Poker looks like in a round document, and what can be wrong with it."""

from collections.abc import Mapping
from typing import Any

from tables.rules import shapes
from tables.rules.cards import EMPTY, KEY
from tables.rules.documents import check_range
from tables.rules.events import IRREGULARITIES
from tables.rules.lunar_hands import LOWEST_INSTANT, RANKING
from tables.rules.refusals import Refusal
from tables.rules.rounds import TableTerms
from tables.rules.shapes import Check, shape
from tables.rules.wagers import AMOUNTS, KINDS, ToOne, payout

CARDS_EACH = 5  # § 671a.8(c)
BET = ToOne(2)  # a Bet Wager is twice the Ante: § 671a.11(b)(2), (d)(3)
BUY, EXCHANGE = "buy", "exchange"
DRAWS = (BUY, EXCHANGE)
LEFT = "abandoned"
KINDS_HERE = ("ante", "super", "super_on", "bet", "options_fee")


# ---- Keys, types and values -------------------------------------------------------------------


def _supers_on(value: Any) -> None:
    """Check Super Wagers by the hand they are on; which hands there are is seen later."""
    if type(value) is not dict:
        raise Refusal("wrong_type", "", 'This must be an object such as {"dealer": "5.00"}.')
    for target, amount in value.items():
        try:
            (shapes.sender_own if target[:1] == "_" else shapes.money)(amount)
        except Refusal as refusal:
            raise refusal.under(target) from None


def _decision(check_cards: Check) -> Check:
    return shape(
        {
            "action": shapes.one_of("fold", "bet", BUY, EXCHANGE),
            "discard": check_cards,
            "draw": check_cards,
            "then": shapes.one_of("bet", "fold"),
            "at": shapes.instant,
        },
        required=("action",),
    )


_AT_LOCKOUT: dict[str, Check] = {
    "position": shapes.any_whole,
    "player": shapes.text(),
    "wagers": shapes.wagers({**dict.fromkeys(KINDS_HERE, shapes.money), "super_on": _supers_on}),
    "irregularity": IRREGULARITIES,
}
_DEALT: dict[str, Check] = {
    **_AT_LOCKOUT,
    "cards": shapes.plain_cards,
    "declares": shapes.flag,
    "decision": _decision(shapes.plain_cards),
    "status": shapes.one_of(LEFT),
    "lamp": shapes.flag,
    "envy_lammer": shapes.list_of(shapes.one_of(*sorted(KINDS))),
    "paid": shapes.payments(KINDS_HERE),
}
_EVIDENCE: dict[str, Check] = {
    **_DEALT,
    "cards": shapes.plain_cards_or_unseen,
    "decision": _decision(shapes.plain_cards_or_unseen),
}
_SETTLED = shape(_DEALT, ("position", "wagers", "cards"))


def _settled_position(value: Any) -> None:
    _SETTLED(value)
    if "status" in value and "irregularity" not in value:
        raise Refusal("missing_key", "irregularity", "A status names its paragraph.")


POSITION_SHAPES: dict[str, Check] = {
    "lockout": shape(_AT_LOCKOUT, ("position", "wagers")),
    "settlement": _settled_position,
    "round": _settled_position,
    "void": shape(_EVIDENCE, ("position",)),
}
_DEALER = shape({"cards": shapes.plain_cards}, ("cards",))
DEALER_SHAPES: dict[str, Check] = {
    "settlement": _DEALER,
    "round": _DEALER,
    "void": shape({"cards": shapes.plain_cards_or_unseen}),
}


# ---- § 671a.7. Wagers -------------------------------------------------------------------------


def check_wagers(position: dict[str, Any], listed: frozenset[int], terms: TableTerms) -> None:
    """Refuse a Super Wager below the Ante, and one on a hand that is not there (LP-10)."""
    wagers = position["wagers"]
    ante, own = wagers["ante"], wagers.get("super")
    if own is None or AMOUNTS[own] < AMOUNTS[ante]:
        detail = f"A Super Wager on the player's own hand, at least the Ante of ${ante}, is due."
        raise Refusal("super_below_ante", "wagers.super", detail, "§ 671a.7(c)(2)")
    if "super_on" not in wagers:
        return
    minimum = terms.submission.minimum
    low = None if "super_on" in minimum else minimum.get("ante")  # the table's, § 671a.7(c)(3)
    for target, amount in wagers["super_on"].items():
        if target[:1] == "_":
            continue
        path = f"wagers.super_on.{target}"
        if target != "dealer" and target not in {str(n) for n in listed - {position["position"]}}:
            detail = "A Super Wager is on the dealer or on another position of this round."
            raise Refusal("super_target", path, detail, "§ 671a.7(c)(3)")
        check_range(path, AMOUNTS[amount], low, None)


# ---- § 671a.11(b), (d). Cards and decisions ---------------------------------------------------


def check_position(position: dict[str, Any], terms: TableTerms) -> None:
    """Refuse a hand that is not five cards, and a decision that cannot have been made."""
    check_count(position)
    decision = position.get("decision")
    ended = position.get("status") == LEFT or is_instant(position, terms.submission.plan.verify)
    if decision is not None:
        try:
            check_decision(decision, position["cards"], ended)
        except Refusal as refusal:
            raise refusal.under("decision") from None
    elif not ended:
        detail = "A player folds, bets, buys a card or exchanges some."
        raise Refusal("missing_key", "decision", detail, "§ 671a.11(b)")
    check_agreement(position["wagers"], decision)


def check_dealer(hand: dict[str, Any], terms: TableTerms) -> None:
    """Refuse a dealer's hand that is not five cards."""
    check_count(hand)


def check_count(hand: Mapping[str, Any]) -> None:
    """Refuse a hand that is not five cards (§ 671a.8(c))."""
    if len(hand["cards"]) != CARDS_EACH:
        detail = f"There must be {CARDS_EACH} cards; dealt otherwise, the round is void."
        raise Refusal("wrong_card_count", "cards", detail, "§ 671a.13(c)")


def is_instant(position: Mapping[str, Any], verify: bool) -> bool:
    """Whether the first five cards end the player's round with an instant payout (LP-9)."""
    if not verify and position.get("declares", True) is False:
        return False
    cards = position["cards"]
    if len(set(cards)) != CARDS_EACH:  # refused once each position was looked at
        return False
    return RANKING.of_key(sum(map(KEY.__getitem__, cards), EMPTY), cards) >= LOWEST_INSTANT


def check_decision(decision: Mapping[str, Any], cards: list[str], ended: bool) -> None:
    """Refuse a decision whose cards do not go with it.

    ``ended``: the player's round ended before his draw, or may have; what he drew and did then
    may be missing.
    """
    action = decision["action"]
    if action in DRAWS:
        check_draw(decision, cards, ended)
        if not ended and "then" not in decision:
            detail = "After the draw the player folds or bets."
            raise Refusal("missing_key", "then", detail, "§ 671a.11(d)(3)")
        return
    for key in ("discard", "draw"):
        if decision.get(key):
            detail = f"Who decides to {action} draws no cards."
            raise Refusal("exchange_count", key, detail, "§ 671a.11(b)")
    if decision.get("then", action) != action:
        raise Refusal("bad_value", "then", f"The player decided to {action}.", "§ 671a.11(c)")


def check_draw(decision: Mapping[str, Any], cards: list[str], ended: bool) -> None:
    """Refuse an exchange of fewer than two cards, and a draw of more or less than is due."""
    cite, due = "§ 671a.11(d)(1)(i)", 1
    if decision["action"] == EXCHANGE:
        cite = "§ 671a.11(d)(1)(ii)"
        due = check_discard(decision, cards, cite)
    elif decision.get("discard"):
        detail = "Who buys a card discards none."
        raise Refusal("exchange_count", "discard", detail, "§ 671a.11(b)(3)")
    if "draw" not in decision:
        if not ended:
            raise Refusal("missing_key", "draw", "The cards drawn must be here.", cite)
        return
    if len(decision["draw"]) != due:
        raise Refusal("exchange_count", "draw", f"The player draws {due} here.", cite)


def check_discard(decision: Mapping[str, Any], cards: list[str], cite: str) -> int:
    """Refuse discards that are not two to five cards of the hand; return how many they are."""
    if "discard" not in decision:
        raise Refusal("missing_key", "discard", "The cards exchanged must be here.", cite)
    discard: list[str] = decision["discard"]
    if not 2 <= len(discard) <= CARDS_EACH:
        detail = "A player exchanges two to five cards."
        raise Refusal("exchange_count", "discard", detail, cite)
    for place, card in enumerate(discard):
        path = f"discard[{place}]"
        if card not in cards:
            raise Refusal("discard_not_in_hand", path, f"{card} is not in this hand.", cite)
        if card in discard[:place]:
            raise Refusal("duplicate_card", path, f"{card} is discarded twice.", cite)
    return len(discard)


def check_agreement(wagers: Mapping[str, Any], decision: Mapping[str, Any] | None) -> None:
    """Refuse a Bet Wager or an Options fee, sent as wagers, that the decision does not make.

    An instant hand may have them without a decision; they are returned (LP-9).
    """
    ante = wagers["ante"]
    action = decision["action"] if decision else None
    then = decision.get("then", action) if decision else "bet"
    bet, fee = wagers.get("bet"), wagers.get("options_fee")
    if bet is not None and (then != "bet" or AMOUNTS[bet] != payout(BET, AMOUNTS[ante])):
        detail = f"A Bet Wager is twice the Ante of ${ante}, of a player who decides to bet."
        raise Refusal("bet_mismatch", "wagers.bet", detail, "§ 671a.11(b)(2)")
    if fee is not None and (action in {"bet", "fold"} or fee != ante):
        detail = f"An Options fee is the Ante of ${ante}, of a player who buys or exchanges."
        raise Refusal("options_fee_mismatch", "wagers.options_fee", detail, "§ 671a.11(b)(3)")
