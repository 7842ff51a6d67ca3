"""The round of Lunar Poker: § 671a.11 step by step, with § 671a.7 and § 671a.13.

The figures stand in ``games.lunar_poker``. Supers, instant payouts, folds and draws go clockwise
from the dealer's left, the Bet Wagers counterclockwise from his right (LP-11).
"""

from typing import Any, NamedTuple

from tables.rules.cards import EMPTY, KEY
from tables.rules.lunar_flags import flag_round
from tables.rules.lunar_hands import LOWEST_ACE_KING, LOWEST_INSTANT, RANKING, Plan
from tables.rules.lunar_supers import (
    DEALER,
    LOST_ON_DEALER,
    Hand,
    Shown,
    final_cards,
    on_target,
    own_super,
    shown,
    super_on_line,
    supers_by_target,
    supers_of,
)
from tables.rules.paytables import Paytable
from tables.rules.rounds import Settled, TableTerms
from tables.rules.settle import Reckoning, Seat, line_of
from tables.rules.wagers import NOTHING

# ---- § 671a.11(c). Instant payouts, folded Antes ----------------------------------------------


def instant_line(hand: Hand, terms: TableTerms) -> dict[str, Any]:
    """Return the line of an Ante that its player's first five cards win at once."""
    seat = hand.seat
    table = terms.submission.paytables["instant"]
    name = RANKING.name(hand.first)
    row, ante = table.row[name], seat.wagers["ante"]
    return line_of(
        seat,
        "ante",
        "instant",
        row.pays(ante),
        ante,
        table.cite,
        hand=name,
        terms=row.terms_text,
        reading="LP-9" if hand.undeclared else None,
    )


def settle_first(reckoning: Reckoning, hand: Hand, others: list[tuple[Seat, str]]) -> None:
    """Settle what comes before any further card: Supers on a hand, instant payout, fold."""
    seat, lines = hand.seat, reckoning.lines
    if hand.left:
        collect_left(reckoning, seat)
    else:
        lines.append(own_super(hand))
    target = str(seat.position)
    lines.extend(super_on_line(other, target, stake, hand.shown) for other, stake in others)
    if hand.left:
        return
    if hand.instant:
        lines.append(instant_line(hand, reckoning.terms))
        for kind, cite in RETURNED_TO_INSTANT:
            if kind in seat.wagers:
                reckoning.give_back(seat, kind, cite, reading="LP-9")
    elif hand.decision.folds and not hand.decision.drew:
        lines.append(line_of(seat, "ante", "fold", NOTHING, NOTHING, "§ 671a.11(c)(4)"))


#: What an instant hand should not have and gets back: the round is over for it.
RETURNED_TO_INSTANT = (("options_fee", "§ 671a.11(c)(3)"), ("bet", "§ 671a.11(b)(2)"))


def collect_left(reckoning: Reckoning, seat: Seat) -> None:
    """Collect every wager of a player who left the table (§ 671a.7(b))."""
    for kind in ("ante", "super", "bet", "options_fee"):
        if kind in seat.wagers:
            reckoning.collect(seat, kind, LEFT_CITE, hand=None, reading=None)
    for target, stake in supers_of(seat):
        line = line_of(seat, "super_on", "lose", NOTHING, NOTHING, LEFT_CITE)
        reckoning.lines.append(on_target(line, target, stake))


LEFT_CITE = "§ 671a.7(b)"


# ---- § 671a.11(d). Draws ----------------------------------------------------------------------


def settle_draw(reckoning: Reckoning, hand: Hand) -> None:
    """Collect a draw's Options fee, and the Ante of a player who folds after it."""
    seat = hand.seat
    reckoning.collect(seat, "options_fee", "§ 671a.11(d)(1)", hand=None, reading=None)
    if hand.decision.folds:
        reckoning.lines.append(line_of(seat, "ante", "fold", NOTHING, NOTHING, "§ 671a.11(d)(4)"))


# ---- § 671a.11(f). Ante and Bet Wager against the dealer --------------------------------------


class Dealer(NamedTuple):
    """The dealer's hand. It qualifies with an ace-king or better (§ 671a.11(f))."""

    cards: list[str]
    value: int
    shown: Shown

    @property
    def qualifies(self) -> bool:
        """Whether the hands are compared."""
        return self.value >= LOWEST_ACE_KING


def reveal(cards: list[str], plan: Plan, table: Paytable) -> Dealer:
    """Reveal the dealer's hand (§ 671a.11(e))."""
    key = sum(map(KEY.__getitem__, cards), EMPTY)
    value = RANKING.of_key(key, cards)
    return Dealer(cards, value, shown(plan, table, key, value, LOST_ON_DEALER))


def settle_bet(reckoning: Reckoning, hand: Hand, dealer: Dealer, plan: Plan) -> None:
    """Settle the Ante and the Bet Wager of a player who stayed."""
    seat = hand.seat
    cards, value = seat.cards, hand.first
    if hand.decision.drew:
        cards = final_cards(seat)
        value = RANKING.evaluate(cards)
    if not dealer.qualifies:
        pay_ante(reckoning, hand, cards, value, plan)
    elif value > dealer.value:
        pay_bet(reckoning, hand, cards, value, plan)
    else:
        result, cite = ("push", TIE) if value == dealer.value else ("lose", LOWER)
        for kind in ("ante", "bet"):
            back = seat.wagers[kind] if result == "push" else NOTHING
            name = RANKING.name(value)
            reckoning.lines.append(line_of(seat, kind, result, NOTHING, back, cite, hand=name))


LOWER = "§ 671a.11(f)(2)(i)"
HIGHER = "§ 671a.11(f)(2)(ii)"
TIE = "§ 671a.11(f)(2)(iii)"


def pay_ante(reckoning: Reckoning, hand: Hand, cards: list[str], value: int, plan: Plan) -> None:
    """Return the Bet Wager and pay the Ante: the dealer does not qualify (§ 671a.12(c), LP-4)."""
    seat, chapter = hand.seat, reckoning.chapter
    reckoning.give_back(seat, "bet", "§ 671a.11(f)(1)")
    ante, name = seat.wagers["ante"], RANKING.name(value)
    row = chapter.paytables["ante"].row.get(name)
    even_cite, even = chapter.even or ("", "")
    reading = drawn_or_undeclared(hand, value)
    if reading is None and (hand.decision.drew or plan.paid_seconds(value, cards)[0]):
        reading = "LP-4"  # the final hand counts; no second combination is paid
    line = line_of(
        seat,
        "ante",
        "win",
        row.pays(ante) if row else ante,
        ante,
        even_cite,
        hand=name,
        terms=row.terms_text if row else str(even),
        reading=reading,
    )
    reckoning.lines.append(line)


def drawn_or_undeclared(hand: Hand, value: int) -> str | None:
    """Return the reading by which a straight flush is in the round without an instant payout."""
    if hand.undeclared:
        return "LP-9"
    return "LP-5" if value >= LOWEST_INSTANT else None


def pay_bet(reckoning: Reckoning, hand: Hand, cards: list[str], value: int, plan: Plan) -> None:
    """Return the Ante and pay the Bet Wager, a second time for a second combination."""
    seat, table = hand.seat, reckoning.chapter.paytables["bet"]
    bet, name = seat.wagers["bet"], RANKING.name(value)
    reckoning.give_back(seat, "ante", HIGHER, hand=name)
    row = table.row[name]
    reckoning.lines.append(
        line_of(
            seat,
            "bet",
            "win",
            row.pays(bet),
            bet,
            table.cite,
            hand=name,
            terms=row.terms_text,
            reading=drawn_or_undeclared(hand, value),
        )
    )
    seconds, reading = plan.paid_seconds(value, cards)
    for second in seconds:
        row = table.row[second]
        line = line_of(
            seat,
            "bet",
            "win",
            row.pays(bet),
            NOTHING,
            HIGHER,
            hand=second,
            terms=row.terms_text,
            reading=reading,
        )
        line["stake"] = NOTHING
        line["second_combination"] = True
        reckoning.lines.append(line)


# ---- The whole round --------------------------------------------------------------------------


def settle(document: dict[str, Any], terms: TableTerms) -> Settled:
    """Settle a round in the order of § 671a.11(c)-(f)."""
    plan: Plan = terms.submission.plan
    reckoning = Reckoning(document, terms)
    table = reckoning.chapter.paytables["super"]
    hands = [Hand(seat, plan, table) for seat in reversed(reckoning.seats)]  # clockwise
    others = supers_by_target(hands)
    for hand in hands:
        settle_first(reckoning, hand, others.get(str(hand.seat.position), []))
    for hand in hands:
        if hand.decision.drew and not hand.instant and not hand.left:
            settle_draw(reckoning, hand)
    dealer = reveal(document["dealer_hand"]["cards"], plan, table)
    for seat, stake in others.get(DEALER, ()):
        reckoning.lines.append(super_on_line(seat, DEALER, stake, dealer.shown))
    for hand in reversed(hands):
        if hand.decision.bets and not hand.instant and not hand.left:
            settle_bet(reckoning, hand, dealer, plan)
    flag_round(reckoning)
    return reckoning.settled(
        {
            "cards": dealer.cards,
            "hand": RANKING.name(dealer.value),
            "qualifies": dealer.qualifies,
            "cite": "§ 671a.11(f)(2)" if dealer.qualifies else "§ 671a.11(f)(1)",
        }
    )
