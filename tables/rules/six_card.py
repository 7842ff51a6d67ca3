"""The round of Six-Card Fortune Pai Gow Poker: § 670a.11 step by step, with § 670a.13.

The figures stand in ``games.six_card_fortune_pai_gow``. Settling is the engine's hot path, so a
reading is asked whether it decided a line only where it can have.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tables.rules import flags
from tables.rules.cards import ACE, EMPTY, JOKER, KEY, RANK, UNSEEN
from tables.rules.hands import (
    CATEGORY_FROM,
    FLUSH,
    FULL_HOUSE,
    NOTHING,
    PAIR,
    ROYAL_FLUSH,
    STRAIGHT_FLUSH,
    TOP_FROM,
    Ranking,
    name_of,
)
from tables.rules.house_way import Setting, is_set_alike
from tables.rules.paid import flag_payments
from tables.rules.rounds import Settled, TableTerms
from tables.rules.settle import Reckoning, Seat, line_of
from tables.rules.six_card_plan import Plan
from tables.rules.six_card_shapes import CARDS_EACH, KINDS_HERE
from tables.rules.wagers import AMOUNTS
from tables.rules.wagers import NOTHING as NO_MONEY

PLACES = 7  # six positions and the dealer
LEFT = 11  # § 670a.8(e)
ENVY_KINDS = ("fortune_bonus", "progressive")
QUALIFYING_FORTUNE = "5.00"  # § 670a.1


# ---- § 670a.11(d). The dealer's hands ---------------------------------------------------------


class Dealer(NamedTuple):
    """The dealer's hands as they count."""

    cards: list[str]
    low_card: str
    low: int
    high: int
    setting: Setting  # as the house way has it


def set_dealer(reckoning: Reckoning, plan: Plan) -> Dealer:
    """Set the dealer's hands; what was set otherwise is reset (§ 670a.13(i)) and flagged."""
    hand = reckoning.document["dealer_hand"]
    cards = hand["cards"]
    setting = plan.way.set(cards)
    low_card = setting.low
    told = hand.get("low")
    if told is not None and told[0] != low_card:
        if is_set_alike(plan.ranking, cards, told[0], setting):
            low_card = told[0]
        else:
            detail = f"The dealer put {told[0]} low; the house way puts {low_card} low."
            reckoning.flag("dealer_hand_reset", "dealer_hand.low", "§ 670a.13(i)", detail)
    return Dealer(cards, low_card, RANK[low_card], setting.high_value, setting)


def dealer_block(dealer: Dealer) -> dict[str, Any]:
    """Return the dealer's hands as the outcome tells them."""
    setting = dealer.setting
    block: dict[str, Any] = {
        "high": [card for card in dealer.cards if card != dealer.low_card],
        "low": [dealer.low_card],
        "hand": name_of(dealer.high),
        "cite": setting.cite,
    }
    if setting.reading is not None:
        block["reading"] = setting.reading
    return block


# ---- § 670a.11(b), (f), (g). The main wager and the Double Down -------------------------------


class Verdict(NamedTuple):
    """What the two hands of a player come to against the dealer's."""

    result: str
    cite: str
    reading: str | None = None


LOWER, IDENTICAL, HIGHER = -1, 0, 1

#: By how the player's high hand and low hand stand to the dealer's.
VERDICTS = {
    (LOWER,     LOWER):     Verdict("lose", "§ 670a.11(f)(1)(i)"),
    (LOWER,     IDENTICAL): Verdict("lose", "§ 670a.11(f)(1)(ii)"),
    (IDENTICAL, LOWER):     Verdict("lose", "§ 670a.11(f)(1)(iii)"),
    (IDENTICAL, IDENTICAL): Verdict("lose", "§ 670a.11(f)(1)(iv)"),
    (HIGHER,    LOWER):     Verdict("push", "§ 670a.11(f)(2)(i)"),
    (LOWER,     HIGHER):    Verdict("push", "§ 670a.11(f)(2)(ii)"),
    (HIGHER,    HIGHER):    Verdict("win",  "§ 670a.11(f)(3)"),
    # Not listed in (f): identical hands are the dealer's, so each of these is won by one hand.
    (HIGHER,    IDENTICAL): Verdict("push", "§ 670a.6(c)", "SC-3"),
    (IDENTICAL, HIGHER):    Verdict("push", "§ 670a.6(c)", "SC-3"),
}  # fmt: skip
FOULED = Verdict("lose", "§ 670a.11(f)(1)(v)", "SC-2")

JOKER_LOW = ACE + 1  # a player's joker beats any low card of the dealer's: § 670a.6(c)
EIGHTS = PAIR << CATEGORY_FROM | 8 << TOP_FROM


def set_seat(seat: Seat, plan: Plan) -> None:
    """Work out what a position's six cards come to, set by the player or by the house way."""
    cards = seat.cards
    key = sum(map(KEY.__getitem__, cards), EMPTY)
    of_key = plan.ranking.of_key
    seat.best = of_key(key, cards)
    seat.hand = name_of(seat.best)
    told = seat.facts.get("low")
    low = told[0] if told else plan.way.set(cards).low
    seat.low_card = low
    seat.low = JOKER_LOW if low == JOKER else RANK[low]
    seat.high = of_key(key - KEY[low], cards, low)
    # § 670a.11(b): five cards against one. A pair is more than any card; the joker is an ace.
    seat.fouled = seat.high >> CATEGORY_FROM == NOTHING and seat.high >> TOP_FROM < RANK[low]


def judge(high: int, low: int, dealer_high: int, dealer_low: int) -> Verdict:
    """Compare two hands that are not fouled with the dealer's (§ 670a.11(f))."""
    return VERDICTS[
        (high > dealer_high) - (high < dealer_high), (low > dealer_low) - (low < dealer_low)
    ]


def settle_main(reckoning: Reckoning, seat: Seat, dealer: Dealer, plan: Plan) -> Verdict:
    """Settle the main wager (§ 670a.11(f)) and return the verdict for the Double Down."""
    if seat.fouled:
        verdict = FOULED
    else:
        verdict = judge(seat.high, seat.low, dealer.high, dealer.low)
        if JOKER in seat.cards or JOKER in dealer.cards or dealer.setting.reading:
            verdict = with_reading(verdict, seat, dealer, plan)
    pay_even(reckoning, seat, "main", verdict, verdict.cite)
    return verdict


def settle_double_down(reckoning: Reckoning, seat: Seat, dealer: Dealer, verdict: Verdict) -> None:
    """Settle the Double Down as the main wager against eights or better (§ 670a.11(g))."""
    if dealer.high >= EIGHTS:
        pay_even(reckoning, seat, "double_down", verdict, "§ 670a.11(g)(1)")
        return
    reading = "SC-16" if seat.fouled else None
    hand = name_of(dealer.high)
    reckoning.give_back(seat, "double_down", "§ 670a.11(g)(2)", hand=hand, reading=reading)


def pay_even(reckoning: Reckoning, seat: Seat, kind: str, verdict: Verdict, cite: str) -> None:
    """Pay 1 to 1, return or collect (§ 670a.12(a))."""
    stake = seat.wagers[kind]
    result = verdict.result
    pays = stake if result == "win" else NO_MONEY
    returned = NO_MONEY if result == "lose" else stake
    line = line_of(
        seat,
        kind,
        result,
        pays,
        returned,
        cite,
        hand=name_of(seat.high),
        terms="1 to 1" if result == "win" else None,
        reading=verdict.reading,
    )
    reckoning.lines.append(line)


def with_reading(verdict: Verdict, seat: Seat, dealer: Dealer, plan: Plan) -> Verdict:
    """Return the verdict with the reading that decided it, if one did."""
    for reading in deciding_readings(seat, dealer, plan):
        return verdict._replace(reading=reading)
    return verdict


def deciding_readings(seat: Seat, dealer: Dealer, plan: Plan) -> list[str]:
    """Return the readings of joker and house way that the result hangs on."""
    result = judge(seat.high, seat.low, dealer.high, dealer.low).result
    found = []
    if seat.low == JOKER_LOW and judge(seat.high, ACE, dealer.high, dealer.low).result != result:
        found.append("SC-25")
    if min(seat.high, dealer.high) >> CATEGORY_FROM >= FLUSH:
        for reading, other in plan.other_rankings.items():
            theirs = high_value(other, seat.cards, seat.low_card)
            ours = high_value(other, dealer.cards, dealer.low_card)
            if judge(theirs, seat.low, ours, dealer.low).result != result:
                found.append(reading)
    way = plan.other_ways.get(dealer.setting.reading or "")
    if way is not None:
        other_setting = way.set(dealer.cards)
        against = other_setting.high_value, RANK[other_setting.low]
        if judge(seat.high, seat.low, *against).result != result:
            found.append(dealer.setting.reading or "")
    return found


def high_value(by: Ranking, cards: list[str], low: str) -> int:
    """Return the value of a set high hand under another ranking."""
    return by.evaluate([card for card in cards if card != low])


# ---- § 670a.11(h). The side wagers and their Envy Bonuses -------------------------------------

FORTUNE_LOST = "§ 670a.11(h)(1)(i)(A)"
INSURANCE_LOST = "§ 670a.11(h)(2)(i)"
PROGRESSIVE_LOST = "§ 670a.11(h)(3)(i)(A)"
FORTUNE, INSURANCE, PROGRESSIVE = "fortune_bonus", "insurance", "progressive"
LOWEST_ENVY = FULL_HOUSE << CATEGORY_FROM  # § 670a.1; the columns say which hand pays


def settle_side_wagers(reckoning: Reckoning, seat: Seat, plan: Plan, reading: str | None) -> None:
    """Settle a position's side wagers on the best hand of its six cards (§ 670a.11(h))."""
    wagers = seat.wagers
    tables = reckoning.chapter.paytables
    if seat.best >> CATEGORY_FROM in (STRAIGHT_FLUSH, ROYAL_FLUSH):
        reading = royal_reading(seat, plan) or reading
    if FORTUNE in wagers:
        reckoning.pay_line(seat, tables[FORTUNE], FORTUNE_LOST, reading, to_one=True)
    if INSURANCE in wagers:
        reckoning.pay_line(seat, tables[INSURANCE], INSURANCE_LOST, reading, to_one=True)
    if PROGRESSIVE in wagers:
        best = plan.ranking.best
        reckoning.pay_progressive(seat, tables[PROGRESSIVE], PROGRESSIVE_LOST, reading, best)


def royal_reading(seat: Seat, plan: Plan) -> str | None:
    """Return SC-4 where the hand is a royal flush by one of its readings only."""
    other = plan.other_rankings["SC-4"].evaluate(seat.cards)
    return None if other >> CATEGORY_FROM == seat.best >> CATEGORY_FROM else "SC-4"


def pay_envies(reckoning: Reckoning, seats: list[Seat], plan: Plan) -> None:
    """Pay the Envy Bonuses, Fortune first, to each position in turn order (§ 670a.11(h)(1), (3)).

    Nobody is paid for a hand of his own, and nobody for the dealer's.
    """
    donors = [seat for seat in seats if gives_envy(seat, plan)]
    if not donors:
        return
    for kind in ENVY_KINDS:
        schedule = reckoning.chapter.envies[kind]
        for seat in seats:
            if kind not in seat.wagers or not takes_envy(seat, plan):
                continue
            column, column_reading = envy_column(schedule.columns, kind, seat.wagers[kind], plan)
            for donor in donors:
                line = column.get(donor.hand)
                if line is not None and donor.who != seat.who:
                    reading = envy_reading(donor, plan) or column_reading
                    reckoning.pay_envy(schedule, seat, donor, line, reading)


def gives_envy(seat: Seat, plan: Plan) -> bool:
    """Whether a position's hand can pay others an Envy Bonus (§ 670a.1)."""
    if seat.best < LOWEST_ENVY:
        return False
    return seat.status != "abandoned" or plan.leavers_envy


def takes_envy(seat: Seat, plan: Plan) -> bool:
    """Whether a position can be paid for others' hands: not one that was left or voided."""
    if seat.status == "voided":
        return plan.side_wagers_stand and seat.best > 0
    return seat.status != "abandoned"


def envy_column(
    columns: Mapping[Any, dict[str, Any]], kind: str, stake: str, plan: Plan
) -> tuple[dict[str, Any], str | None]:
    """Return the column that a wager buys, and the reading that chose it.

    A Fortune Bonus Wager qualifies from $5 (§ 670a.1) and then buys the $5 column, whatever it is.
    """
    amount = AMOUNTS[stake]
    if kind == PROGRESSIVE:
        return columns.get(amount, {}), None
    five = AMOUNTS[QUALIFYING_FORTUNE]
    if amount >= five:
        return columns[five], None if amount == five else "SC-8"
    one = AMOUNTS["1.00"]
    if plan.one_dollar_envy and amount >= one:
        return columns[one], "SC-8"
    return {}, None


def envy_reading(donor: Seat, plan: Plan) -> str | None:
    """Return the reading by which a hand gives the Envy Bonus that it gives."""
    royal = donor.best >> CATEGORY_FROM in (STRAIGHT_FLUSH, ROYAL_FLUSH)
    reading = royal_reading(donor, plan) if royal else None
    if reading is None and donor.status == "abandoned":
        return "SC-22"
    if reading is None and donor.status == "voided":
        return "SC-21"
    return reading or ("SC-19" if donor.fouled else None)


# ---- The whole round --------------------------------------------------------------------------


def settle(document: dict[str, Any], terms: TableTerms) -> Settled:
    """Settle a round in the order of § 670a.11(e)-(h), position by position from the right."""
    plan: Plan = terms.submission.plan
    reckoning = Reckoning(document, terms)
    dealer = set_dealer(reckoning, plan)
    for seat in reckoning.seats:
        settle_seat(reckoning, seat, dealer, plan)
    pay_envies(reckoning, reckoning.seats, plan)
    flag_round(reckoning)
    return reckoning.settled(dealer_block(dealer))


def settle_seat(reckoning: Reckoning, seat: Seat, dealer: Dealer, plan: Plan) -> None:
    """Settle one position: main, Double Down, Fortune, Insurance, Progressive."""
    if seat.status == "voided":
        void_hand(reckoning, seat, plan)
        return
    set_seat(seat, plan)
    if seat.status == "abandoned":
        for kind in KINDS_HERE:
            if kind in seat.wagers:
                reckoning.collect(seat, kind, "§ 670a.7(b)", hand=None, reading="SC-22")
        return
    verdict = settle_main(reckoning, seat, dealer, plan)
    if "double_down" in seat.wagers:
        settle_double_down(reckoning, seat, dealer, verdict)
    settle_side_wagers(reckoning, seat, plan, "SC-19" if seat.fouled else None)


def void_hand(reckoning: Reckoning, seat: Seat, plan: Plan) -> None:
    """Return the wagers of a hand that its player voided (§ 670a.13(d), SC-21).

    Where the side wagers stand they need six known cards; without them they are returned too.
    """
    stand = plan.side_wagers_stand and len(seat.cards) == CARDS_EACH and UNSEEN not in seat.cards
    for kind in KINDS_HERE[:2] if stand else KINDS_HERE:
        if kind in seat.wagers:
            reckoning.give_back(seat, kind, "§ 670a.13(d)", reading="SC-21")
    if stand:
        key = sum(map(KEY.__getitem__, seat.cards), EMPTY)
        seat.best = plan.ranking.of_key(key, seat.cards)
        seat.hand = name_of(seat.best)
        settle_side_wagers(reckoning, seat, plan, "SC-21")


DEALT_FROM = {"hand": "§ 670a.9", "automated_shoe": "§ 670a.10", "manual_shoe": "§ 670a.8"}
CHIPS = {"hand": "(a)(3)(ii)", "automated_shoe": "(a)(2)(ii)", "manual_shoe": "(b)(2)"}
LAMMERS = {"hand": "(a)(3)(i)", "automated_shoe": "(a)(2)(i)", "manual_shoe": "(b)(1)"}
LEFT_OVER = {"hand": "(e)", "automated_shoe": "(e)", "manual_shoe": "(f)"}


def flag_round(reckoning: Reckoning) -> None:
    """Flag what is odd about a round that was played and settled."""
    document = reckoning.document
    dealing = document.get("dealing", "manual_shoe")
    section = DEALT_FROM[dealing]
    flags.flag_start(reckoning, "§ 670a.13(c)", PLACES)
    flags.flag_discarded(reckoning, "§ 670a.13(f)")
    flags.flag_chip_count(reckoning, section + CHIPS[dealing])
    flags.flag_left_count(reckoning, section + LEFT_OVER[dealing], LEFT)
    flags.flag_dealing(reckoning, "§ 670a.9(a)(1)")
    flags.flag_players(reckoning, "§ 670a.7(f)")
    qualifying = {FORTUNE: AMOUNTS[QUALIFYING_FORTUNE]}
    flags.flag_lammers(reckoning, qualifying, section + LAMMERS[dealing])
    flags.flag_lamps(reckoning, "§ 670a.11(h)(3)(i)(B)(II)")
    void_by = reckoning.chapter.void_paragraphs - {"670a.13(f)"}  # one card face up does not
    by_status = {"voided": "670a.13(d)", "abandoned": "670a.7(b)"}
    flags.flag_irregularities(reckoning, void_by, by_status)
    flag_payments(reckoning)
