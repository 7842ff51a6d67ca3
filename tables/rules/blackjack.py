"""The round of Free Bet Blackjack: § 672a.7(g) to (r), with § 672a.8 to .12.

The figures stand in ``games.free_bet_blackjack``; what can have happened at all is in
``blackjack_play``. A line for each hand: its ``stake`` is the real money on it, and a Free Bet
lammer only adds to what it ``pays`` (FB-3).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tables.rules import flags
from tables.rules.blackjack_plan import Plan
from tables.rules.blackjack_play import (
    MISSED_CARD,
    NO_CARDS,
    dead_under,
    has_blackjack,
    is_left_out,
    is_tucked,
)
from tables.rules.blackjack_points import MOST, PUSH, is_natural, name_of_22, total
from tables.rules.blackjack_shapes import is_dead
from tables.rules.paid import flag_payments
from tables.rules.paytables import Paytable
from tables.rules.rounds import Settled, TableTerms
from tables.rules.settle import Reckoning, Seat, line_of
from tables.rules.wagers import AMOUNTS, NOTHING

BLACKJACK = "blackjack"
NO_FACTS: dict[str, Any] = {}
ODD_CENTS = frozenset("13579")  # half a cent is left over at 3 to 2


class Dealer(NamedTuple):
    """The dealer's hand as it counts. ``hand`` is a Blackjack, a kind of 22, or its total."""

    cards: list[str]
    total: int
    hand: str


def read_dealer(cards: list[str]) -> Dealer:
    """Return what the dealer's cards come to."""
    points = total(cards)
    if points == PUSH:
        return Dealer(cards, points, name_of_22(cards))
    return Dealer(cards, points, BLACKJACK if is_natural(cards) else str(points))


# ---- § 672a.9, § 672a.10. What lies at a hand -------------------------------------------------


class Money(NamedTuple):
    """What a hand risks and what it can win, in dollars."""

    stake: str  # real money
    gains: str  # at 1 to 1, lammers counted as the original wager
    has_lammer: bool


def money_on(hand: Mapping[str, Any], main: str) -> Money:
    """Return the money at a hand: the original wager, an equal one or a lammer, and its double."""
    is_lammers = hand.get("from_split") == "free"
    double = hand.get("double")
    if double is None:
        return Money(NOTHING if is_lammers else main, main, is_lammers)
    if double == "free":
        return Money(NOTHING if is_lammers else main, str(2 * AMOUNTS[main]), True)
    added = AMOUNTS[hand.get("double_wager", NOTHING)]
    both = str(AMOUNTS[main] + added)
    return Money(str(added) if is_lammers else both, both, is_lammers)


# ---- § 672a.7(g), (h), (n)-(q). The Blackjack Wager -------------------------------------------


class Verdict(NamedTuple):
    """What a hand comes to against the dealer's."""

    result: str
    cite: str


BEATEN = Verdict("lose", "§ 672a.7(g)(2)")  # by a Blackjack
DEALER_22 = Verdict("push", "§ 672a.7(n)(1)")
DEALER_OVER = Verdict("win", "§ 672a.7(o)(1)")
HIGHER = Verdict("win", "§ 672a.7(o)(2)")
EQUAL = Verdict("push", "§ 672a.7(p)")
OVER = Verdict("lose", "§ 672a.7(q)(1)")
LOWER = Verdict("lose", "§ 672a.7(q)(2)")
COLLECTED = Verdict("lose", "§ 672a.10(c)(1)")


def judge(points: int, dealer: Dealer) -> Verdict:
    """Compare a hand's total with the dealer's."""
    if points > MOST:
        return OVER  # also where the dealer is over 21, of which the text says nothing (FB-1)
    if dealer.total > MOST:
        return DEALER_22 if dealer.total == PUSH else DEALER_OVER
    if points == dealer.total:
        return EQUAL
    return HIGHER if points > dealer.total else LOWER


def settle_hands(reckoning: Reckoning, seat: Seat, dealer: Dealer, plan: Plan) -> None:
    """Settle the Blackjack Wager of each of a position's hands, in order of play."""
    facts = seat.facts
    hands = facts.get("hands") or [NO_FACTS]
    several = len(hands) > 1
    for index, hand in enumerate(hands):
        if is_dead(facts, hand):
            cite = f"§ {dead_under(hand if 'status' in hand else facts)}"
            money = money_on(hand, seat.wagers["main"])
            line = hand_line(seat, money, "returned", None, cite, "FB-9")
        elif not several and is_natural(hand["cards"]):
            line = blackjack_line(reckoning, seat, dealer)
        else:
            line = line_against(dealer, seat, hands, index, plan)
        if several:
            line["hand_index"] = index
        reckoning.lines.append(line)


def line_against(
    dealer: Dealer, seat: Seat, hands: list[dict[str, Any]], index: int, plan: Plan
) -> dict[str, Any]:
    """Return the line of a hand that meets the dealer's."""
    hand = hands[index]
    cards = hand["cards"]
    money = money_on(hand, seat.wagers["main"])
    points = total(cards)
    verdict = BEATEN if dealer.hand == BLACKJACK else judge(points, dealer)
    reading = None
    if points > MOST:
        verdict, reading = judge_over(hands, index, seat.facts, dealer, plan)
    elif points == MOST and len(cards) == 2:
        reading = "FB-2"  # after a split: no Blackjack
    elif money.has_lammer and verdict.result == "win":
        reading = "FB-4" if hand.get("double") == "paid" else "FB-3"
    return hand_line(seat, money, verdict.result, str(points), verdict.cite, reading)


def judge_over(
    hands: list[dict[str, Any]], index: int, facts: Mapping[str, Any], dealer: Dealer, plan: Plan
) -> tuple[Verdict, str | None]:
    """Return what a hand over 21 comes to: lost, but for a tucked one where so submitted (FB-1)."""
    reading = "FB-1" if dealer.total > MOST else None
    if index == 0 and len(hands) > 1:
        if plan.tucked_returned and dealer.total == PUSH and is_tucked(facts):
            return DEALER_22, reading
        if hands[1].get("from_split") == "paid":
            return COLLECTED, reading
    return OVER, reading


def blackjack_line(reckoning: Reckoning, seat: Seat, dealer: Dealer) -> dict[str, Any]:
    """Return the line of a player's Blackjack: paid at once, unless the dealer has one too."""
    stake = seat.wagers["main"]
    if seat.facts.get("even_money"):
        terms, pays, cite = "1 to 1", stake, "§ 672a.8(e)"
        reading = None
    elif dealer.hand == BLACKJACK:
        return line_of(seat, "main", "push", NOTHING, stake, "§ 672a.7(g)(1)", hand=BLACKJACK)
    else:
        row = reckoning.chapter.paytables["main"].row[BLACKJACK]
        terms, pays, cite = row.terms_text, row.pays(stake) or NOTHING, "§ 672a.7(h)(1)"
        reading = "FB-10" if stake[-1] in ODD_CENTS else None
    if dealer.total == PUSH:
        reading = "FB-8"
    return line_of(
        seat, "main", "win", pays, stake, cite, hand=BLACKJACK, terms=terms, reading=reading
    )


def hand_line(
    seat: Seat, money: Money, result: str, hand: str | None, cite: str, reading: str | None
) -> dict[str, Any]:
    """Return the line of a hand paid 1 to 1, tied, lost or called dead."""
    won = result == "win"
    pays = money.gains if won else NOTHING
    returned = NOTHING if result == "lose" else money.stake
    terms = "1 to 1" if won else None
    line = line_of(
        seat, "main", result, pays, returned, cite, hand=hand, terms=terms, reading=reading
    )
    line["stake"] = money.stake
    return line


# ---- § 672a.7(n), § 672a.8. Push 22 and insurance ---------------------------------------------


def settle_push_22(reckoning: Reckoning, seat: Seat, dealer: Dealer, table: Paytable) -> None:
    """Settle the Push 22 Wager on the dealer's hand, whatever the player's own came to (FB-12)."""
    row = table.row.get(dealer.hand)
    stake = seat.wagers["push_22"]
    if row is None:
        cite, reading = "§ 672a.7(n)(2)", None
        if dealer.hand == BLACKJACK:
            cite = "§ 672a.7(g)(1)" if has_blackjack(seat.facts) else "§ 672a.7(g)(2)"
            reading = "FB-12" if seat.facts.get("even_money") else None
        reckoning.collect(seat, "push_22", cite, hand=dealer.hand, reading=reading)
        return
    reckoning.lines.append(
        line_of(
            seat,
            "push_22",
            "win",
            row.pays(stake),
            stake,
            table.cite,
            hand=dealer.hand,
            terms=row.terms_text,
            reading=push_22_reading(seat.facts),
        )
    )


def push_22_reading(facts: Mapping[str, Any]) -> str | None:
    """Return the reading by which a Push 22 Wager outlives the hands beside it."""
    hands = facts.get("hands") or [NO_FACTS]
    if any(is_dead(facts, hand) for hand in hands):
        return "FB-9"
    return "FB-12" if all(total(hand["cards"]) > MOST for hand in hands) else None


def settle_insurance(reckoning: Reckoning, seat: Seat, dealer: Dealer) -> None:
    """Settle the Insurance Wager on the dealer's hole card (§ 672a.8(c), (d))."""
    stake, main = seat.wagers["insurance"], seat.wagers["main"]
    reading = "FB-6" if 2 * AMOUNTS[stake] > AMOUNTS[main] else None
    if dealer.hand != BLACKJACK:
        reckoning.collect(seat, "insurance", "§ 672a.8(d)", hand=None, reading=reading)
        return
    table = reckoning.chapter.paytables["insurance"]
    row = table.row[BLACKJACK]
    reckoning.lines.append(
        line_of(
            seat,
            "insurance",
            "win",
            row.pays(stake),
            stake,
            table.cite,
            hand=BLACKJACK,
            terms=row.terms_text,
            reading=reading,
        )
    )


# ---- The whole round --------------------------------------------------------------------------


def settle(document: dict[str, Any], terms: TableTerms) -> Settled:
    """Settle a round from the dealer's right, or all losing wagers first (§ 672a.7(r), FB-11)."""
    plan: Plan = terms.submission.plan
    reckoning = Reckoning(document, terms)
    dealer = read_dealer(document["dealer_hand"]["cards"])
    push_22 = terms.submission.paytables["push_22"]
    for seat in reckoning.seats:
        if is_left_out(seat.facts):
            give_back(reckoning, seat, f"§ {NO_CARDS}", "FB-9")
            continue
        settle_hands(reckoning, seat, dealer, plan)
        if "push_22" in seat.wagers:
            settle_push_22(reckoning, seat, dealer, push_22)
        if "insurance" in seat.wagers:
            settle_insurance(reckoning, seat, dealer)
    if plan.losers_first:
        reckoning.lines.sort(key=lambda line: line["result"] != "lose")
    flag_round(reckoning, plan)
    return reckoning.settled({"cards": dealer.cards, "total": dealer.total, "hand": dealer.hand})


def give_back(reckoning: Reckoning, seat: Seat, cite: str, reading: str | None = None) -> None:
    """Return all of a position's real money, paid splits and doubles included."""
    hands = seat.facts.get("hands") or [NO_FACTS]
    if "main" in seat.wagers:
        for index, hand in enumerate(hands):
            money = money_on(hand, seat.wagers["main"])
            line = hand_line(seat, money, "returned", None, cite, reading)
            if len(hands) > 1:
                line["hand_index"] = index
            reckoning.lines.append(line)
    for kind in ("push_22", "insurance"):
        if kind in seat.wagers:
            reckoning.give_back(seat, kind, cite, reading=reading)


def flag_round(reckoning: Reckoning, plan: Plan) -> None:
    """Flag what is odd about a round that was played and settled."""
    flags.flag_players(reckoning, "§ 672a.6(f)", plan.most_boxes)
    by_status = {"dead": (NO_CARDS, MISSED_CARD)}
    flags.flag_irregularities(reckoning, reckoning.chapter.void_paragraphs, by_status)
    flag_reader(reckoning)
    flags.flag_lammers(reckoning, {}, "")  # no wager of the chapter asks for one
    flag_payments(reckoning)


def flag_reader(reckoning: Reckoning) -> None:
    """Flag a hole card in the reader without need, of which no floorperson was told.

    The reader is for an up card that is an ace or a ten (§ 672a.12(i)).
    """
    document = reckoning.document
    if "irregularity" not in document or "floorperson" in document:
        return
    for entry in flags.irregularities(document):
        told = flags.section(entry["cite"])
        if told == "§ 672a.12(i)" and "floorperson" not in entry:
            detail = "The hole card was put into the reader; no floorperson is named."
            reckoning.flag("floorperson_not_named", "irregularity", told, detail)
