"""What can have happened in a round of Free Bet Blackjack: § 672a.7 to .10, hand by hand.

All of it is known from the document alone, so that the sender hears of it at once. A card that
came to the table against these paragraphs is told under ``discarded``: it counts for nobody.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tables.rules.blackjack_plan import Plan
from tables.rules.blackjack_points import (
    MOST,
    STANDS,
    is_ace,
    is_doubled_free,
    is_natural,
    total,
    worth,
)
from tables.rules.blackjack_shapes import is_dead
from tables.rules.flags import irregularities, section
from tables.rules.refusals import Refusal
from tables.rules.rounds import TableTerms
from tables.rules.wagers import AMOUNTS

MOST_HANDS = 4  # § 672a.10(d)
NO_CARDS, MISSED_CARD = "672a.12(g)", "672a.12(h)"


def does_not_follow(path: str, detail: str, cite: str) -> Refusal:
    """Return the refusal of a play that the chapter does not know."""
    return Refusal("hand_does_not_follow", path, detail, cite)


# ---- § 672a.9, § 672a.10. A position's hands --------------------------------------------------


def check_position(position: dict[str, Any], _terms: TableTerms) -> None:
    """Refuse splits, doubles and cards drawn that do not follow from the hands before them."""
    hands = position.get("hands", ())
    if len(hands) > MOST_HANDS:
        detail = f"A pair may be split into {MOST_HANDS} hands, not {len(hands)}."
        raise does_not_follow("hands", detail, "§ 672a.10(d)")
    refuses = has_refused(position)
    for place, hand in enumerate(hands):
        try:
            check_split(hand, hands, place)
            check_double_wager(hand, position["wagers"]["main"])
            if not is_dead(position, hand):
                check_cards_drawn(hand, len(hands) > 1, refuses or has_refused(hand))
        except Refusal as refusal:
            raise refusal.under(place).under("hands") from None


def has_refused(facts: Mapping[str, Any]) -> bool:
    """Whether a player refused an exposed card and so gets no more of them (§ 672a.12(c))."""
    return "irregularity" in facts and any(
        entry.get("choice") == "refuse" for entry in irregularities(facts)
    )


def check_split(hand: Mapping[str, Any], hands: list[dict[str, Any]], place: int) -> None:
    """Refuse a hand that the pair before it cannot have made (§ 672a.10(a), (b))."""
    split = hand.get("from_split")
    if place == 0:
        if split is not None:
            detail = "The first hand keeps the original wager: it comes from no split."
            raise does_not_follow("from_split", detail, "§ 672a.10(b)(2)(ii)")
        return
    if split is None:
        detail = "A further hand comes from a split."
        raise does_not_follow("from_split", detail, "§ 672a.10(a)")
    pair = [told["cards"][0] for told in (hands[0], hand) if told.get("cards")]
    values = {worth(card) for card in pair if card[0] != "?"}
    if len(values) > 1:
        detail = f"{pair[0]} and {pair[1]} are not identical in value."
        raise does_not_follow("cards[0]", detail, "§ 672a.10(a)")
    for value in values:
        if (split == "paid") != (value == 10):
            how = "for an equal wager" if value == 10 else "without a wager"
            cite = "§ 672a.10(b)(1)" if value == 10 else "§ 672a.10(b)(2)"
            raise does_not_follow("from_split", f"This pair is split {how}.", cite)


def check_double_wager(hand: Mapping[str, Any], main: str) -> None:
    """Refuse a double above the original wager (§ 672a.9(a)(2))."""
    double = hand.get("double_wager")
    if double is not None and AMOUNTS[double] > AMOUNTS[main]:
        detail = f"The additional wager is ${main} at most, like the Blackjack Wager."
        raise Refusal("double_too_large", "double_wager", detail, "§ 672a.9(a)(2)")


def check_cards_drawn(hand: Mapping[str, Any], is_split: bool, refuses: bool) -> None:
    """Refuse a hand with cards that its player could not have, or without those he must."""
    cards = hand["cards"]
    double = hand.get("double")
    if len(cards) < 2 and not (refuses and cards):
        raise Refusal("wrong_card_count", "cards", "A hand has two cards at least.", "§ 672a.7(e)")
    if double is not None:
        check_double(cards, double, is_split, refuses)
        return
    for drawn in range(2, len(cards)):
        if total(cards[:drawn]) >= MOST:
            detail = f"A hand of {total(cards[:drawn])} may not draw."
            raise does_not_follow("cards", detail, "§ 672a.7(j)(1)")


def check_double(cards: list[str], double: str, is_split: bool, refuses: bool) -> None:
    """Refuse a double that the first two cards do not allow, and all but one card on it."""
    two = cards[:2]
    if is_natural(two):
        if is_split:
            detail, cite = "A hand of 21 draws no card, so it is not doubled.", "§ 672a.7(j)(1)"
        else:
            detail, cite = "A Blackjack may not be doubled.", "§ 672a.9(a)"
        raise does_not_follow("double", detail, cite)
    if (double == "free") != is_doubled_free(two):
        if double == "free":
            detail, cite = "Only a hard 9, 10 or 11 is doubled free.", "§ 672a.9(a)(1)"
        else:
            detail, cite = "A hard 9, 10 or 11 is doubled without a wager.", "§ 672a.9(a)(2)"
        raise does_not_follow("double", detail, cite)
    if len(cards) != 3 and not (refuses and len(cards) == 2):
        detail = "A player who doubles draws one card."
        raise does_not_follow("cards", detail, "§ 672a.7(j)(2)")


# ---- § 672a.7(f)-(g), § 672a.8. A position against the dealer's up card -----------------------


def check_play(position: dict[str, Any], document: Mapping[str, Any], terms: TableTerms) -> None:
    """Refuse insurance, even money and cards that the dealer's first two cards do not allow."""
    dealt = document["dealer_hand"]["cards"][:2]
    plan: Plan = terms.submission.plan
    if "insurance" in position["wagers"]:
        check_insurance(position["wagers"], is_ace(dealt[0]), plan)
    if position.get("even_money"):
        check_even_money(position, is_ace(dealt[0]), plan)
    if is_natural(dealt):
        check_no_cards_drawn(position)


def check_insurance(wagers: Mapping[str, str], offered: bool, plan: Plan) -> None:
    """Refuse insurance without an ace up, or above its limit."""
    if not offered:
        detail = "Insurance is offered where the dealer's first card is an ace."
        raise Refusal("insurance_not_offered", "wagers.insurance", detail, "§ 672a.8(a)")
    most = most_insurance(AMOUNTS[wagers["main"]], plan.smallest_chip)
    if AMOUNTS[wagers["insurance"]] > most:
        detail = f"Insurance on a Blackjack Wager of ${wagers['main']} is ${most:.2f} at most."
        raise Refusal("insurance_too_large", "wagers.insurance", detail, "§ 672a.8(b)")


def most_insurance(main: Decimal, chip: Decimal | None) -> Decimal:
    """Return the most that may be wagered: one half, or the next unit in chips (FB-6)."""
    half = main / 2
    if chip is None or half % chip == 0:
        return half
    return half - half % chip + chip


def check_even_money(position: Mapping[str, Any], offered: bool, plan: Plan) -> None:
    """Refuse even money other than for a Blackjack, against an ace, instead of insurance."""
    hands = position.get("hands", ())
    if not plan.even_money:
        detail = "The Rules Submission does not offer even money."
    elif not offered:
        detail = "Even money is offered where the dealer's first card is an ace."
    elif len(hands) != 1 or is_dead(position, hands[0]) or not is_natural(hands[0]["cards"]):
        detail = "Even money is offered to a player who has a Blackjack."
    elif "insurance" in position["wagers"]:
        detail = "Even money is taken instead of an Insurance Wager."
    else:
        return
    raise Refusal("even_money_not_offered", "even_money", detail, "§ 672a.8(e)")


def check_no_cards_drawn(position: Mapping[str, Any]) -> None:
    """Refuse whatever a player can do only where the dealer has no Blackjack (§ 672a.7(g))."""
    hands = position.get("hands", ())
    detail, cite = "The dealer has a Blackjack: no additional card is dealt.", "§ 672a.7(g)"
    if len(hands) > 1:
        raise does_not_follow("hands", detail, cite)
    for hand in hands:
        if is_dead(position, hand):
            continue
        if hand.get("double") is not None:
            raise does_not_follow("hands[0].double", detail, cite)
        if len(hand["cards"]) > 2:
            raise does_not_follow("hands[0].cards", detail, cite)


# ---- § 672a.7(k)-(m). The dealer's hand -------------------------------------------------------


def check_dealer(hand: dict[str, Any], _terms: TableTerms) -> None:
    """Refuse a dealer who drew to 17 or more; such a card is discarded (§ 672a.12(d))."""
    cards = hand["cards"]
    for drawn in range(2, len(cards)):
        points = total(cards[:drawn])
        if points >= STANDS:
            detail = f"The dealer stands on {points}; a card drawn to it is discarded."
            raise does_not_follow("cards", detail, "§ 672a.7(l)")


def check_round(document: Mapping[str, Any], terms: TableTerms) -> None:
    """Refuse a dealer who stopped before 17, or who drew where he may not (§ 672a.7(m))."""
    if "dealer_hand" not in document:  # a lock-out
        return
    cards = document["dealer_hand"]["cards"]
    if total(cards[:2]) >= STANDS:
        return
    draws = must_draw(document, terms.submission.plan)
    if draws and total(cards) < STANDS:
        detail = f"The dealer draws to 17 or more; he stopped at {total(cards)}."
        raise does_not_follow("dealer_hand.cards", detail, "§ 672a.7(l)")
    if not draws and len(cards) > 2:
        detail = "Nothing hung on the dealer's hand, so he may not draw; discard the cards drawn."
        raise does_not_follow("dealer_hand.cards", detail, "§ 672a.7(m)")


def must_draw(document: Mapping[str, Any], plan: Plan) -> bool:
    """Whether a wager still hangs on the dealer's hand (§ 672a.7(m), FB-7)."""
    return any(
        ("push_22" in position["wagers"] and not is_left_out(position))
        or any(is_live(position, hand) for hand in position.get("hands", ()))
        or (plan.tucked_returned and is_tucked(position))
        for position in document["positions"]
    )


def is_live(position: Mapping[str, Any], hand: Mapping[str, Any]) -> bool:
    """Whether a hand meets the dealer's: not dead, not over 21, no Blackjack."""
    if is_dead(position, hand):
        return False
    return total(hand["cards"]) <= MOST and not has_blackjack(position)


def has_blackjack(position: Mapping[str, Any]) -> bool:
    """Whether a position's initial two cards are a Blackjack (§ 672a.1)."""
    hands = position.get("hands", ())
    return len(hands) == 1 and not is_dead(position, hands[0]) and is_natural(hands[0]["cards"])


def is_tucked(position: Mapping[str, Any]) -> bool:
    """Whether the first hand is over 21 and tucked until the lammers' hands are settled.

    It is collected once they are all over 21 too (§ 672a.10(c)(2)).
    """
    hands = position.get("hands", ())
    if len(hands) < 2 or hands[1].get("from_split") != "free" or is_dead(position, hands[0]):
        return False
    if total(hands[0]["cards"]) <= MOST:
        return False
    return any(is_dead(position, hand) or total(hand["cards"]) <= MOST for hand in hands[1:])


def is_left_out(position: Mapping[str, Any]) -> bool:
    """Whether a position was not dealt in, so that all its wagers go back (§ 672a.12(g))."""
    if "status" in position:
        return dead_under(position) == NO_CARDS
    hands = position.get("hands", ())
    return len(hands) == 1 and "status" in hands[0] and dead_under(hands[0]) == NO_CARDS


def dead_under(facts: Mapping[str, Any]) -> str:
    """Return the paragraph of a dead hand or position: the one named, or by the cards it has."""
    for entry in irregularities(facts):
        cite = section(entry["cite"])[2:]
        if cite in (NO_CARDS, MISSED_CARD):
            return cite
    hands = facts.get("hands", [facts])
    return MISSED_CARD if any(len(one.get("cards", ())) > 1 for one in hands) else NO_CARDS
