"""The round of Pai Gow Poker: § 645a.11 step by step.

The figures are the submission's (``pai_gow_plan``). A reading is named where it decided a line.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tables.rules.cards import JOKER, RANK
from tables.rules.documents import check_submission
from tables.rules.hands import (
    CATEGORY_FROM,
    NOTHING,
    PAIR,
    TOP_FROM,
    Best,
    Ranking,
    name_of,
)
from tables.rules.pai_gow_flags import flag_round
from tables.rules.pai_gow_hands import (
    OF_SEVEN,
    ROYAL_MATCH,
    cards_that_make,
    is_royal_match_by_reading,
    line_for,
)
from tables.rules.pai_gow_plan import ENVY_KINDS, Plan
from tables.rules.pai_gow_shapes import KINDS_HERE, MIS_SET, OPTIONAL, bank_of, is_surrendered
from tables.rules.paytables import Line, Paytable
from tables.rules.rounds import Settled, TableTerms
from tables.rules.settle import Reckoning, Seat, definition_in_force, line_of
from tables.rules.wagers import AMOUNTS
from tables.rules.wagers import NOTHING as NO_MONEY

QUEEN_HIGH = NOTHING << 4 | 12  # ``best >> TOP_FROM`` of a Queen's Dragon (PG-2)

# ---- § 645a.11(b), (c). The hands as they were set --------------------------------------------


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


# ---- § 645a.11(d), (f). Surrender and the main wager ------------------------------------------


class Verdict(NamedTuple):
    """What the two hands of a player come to."""

    result: str
    cite: str
    reading: str | None = None


LOWER, IDENTICAL, HIGHER = -1, 0, 1

#: By how the player's high hand and low hand stand to those they meet.
VERDICTS = {
    (LOWER,     LOWER):     Verdict("lose", "§ 645a.11(f)(1)(i)"),
    (IDENTICAL, IDENTICAL): Verdict("lose", "§ 645a.11(f)(1)(ii)"),
    (IDENTICAL, LOWER):     Verdict("lose", "§ 645a.11(f)(1)(ii)"),
    (LOWER,     IDENTICAL): Verdict("lose", "§ 645a.11(f)(1)(ii)"),
    (HIGHER,    IDENTICAL): Verdict("push", "§ 645a.11(f)(2)(i)"),
    (HIGHER,    LOWER):     Verdict("push", "§ 645a.11(f)(2)(i)"),
    (IDENTICAL, HIGHER):    Verdict("push", "§ 645a.11(f)(2)(ii)"),
    (LOWER,     HIGHER):    Verdict("push", "§ 645a.11(f)(2)(ii)"),
    (HIGHER,    HIGHER):    Verdict("win",  "§ 645a.11(f)(3)"),
}  # fmt: skip
FOULED = Verdict("lose", "§ 645a.11(f)(1)(iii)")
SET_WRONG = Verdict("lose", "§ 645a.11(f)(1)(iv)")

#: Each of them pushes at an EZ table where the dealer has a Queen's Dragon.
PUSHED = {
    "lose": "§ 645a.11(f)(1)(v)",
    "push": "§ 645a.11(f)(2)(iii)",
    "win":  "§ 645a.11(f)(3)",
}  # fmt: skip


def verdict_of(seat: Seat, play: Play) -> Verdict:
    """Return what becomes of a main wager, and the reading that decided it."""
    if seat.status == MIS_SET:
        return pushed(SET_WRONG, "PG-1") if play.pushes else SET_WRONG
    if seat.fouled:
        if play.pushes:
            return pushed(FOULED, "PG-1")
        return FOULED._replace(reading="PG-13") if is_without_pairs(seat) else FOULED
    verdict = VERDICTS[
        (seat.high > play.high) - (seat.high < play.high),
        (seat.low > play.low) - (seat.low < play.low),
    ]
    if play.pushes:
        return pushed(verdict, "PG-2" if play.bank is None else "PG-11")
    if play.bank is not None:
        return verdict._replace(reading="PG-11")
    if is_without_pairs(seat) and seat.high >> TOP_FROM == seat.low >> TOP_FROM:
        return verdict._replace(reading="PG-13")
    return verdict


def pushed(verdict: Verdict, reading: str) -> Verdict:
    """Return the push that a Queen's Dragon makes of a verdict (PG-1)."""
    return Verdict("push", PUSHED[verdict.result], reading)


def is_without_pairs(seat: Seat) -> bool:
    """Whether neither hand holds a pair, so that they are compared card by card."""
    return (seat.high | seat.low) >> CATEGORY_FROM == NOTHING


def settle_main(reckoning: Reckoning, seat: Seat, play: Play) -> None:
    """Settle the main wager: even money less the vigorish, returned or collected (f)."""
    stake, plan = seat.wagers["main"], play.plan
    result, cite, reading = verdict_of(seat, play)
    pays = vigorish = None
    if result == "win":
        pays = stake
        if plan.vigorish is not None:
            pays, vigorish = plan.after_vigorish(stake)
            reading = reading or "PG-10"
    line = line_of(
        seat,
        "main",
        result,
        pays or NO_MONEY,
        NO_MONEY if result == "lose" else stake,
        cite,
        hand=name_of(seat.high) if seat.high else None,
        terms=None if pays is None else "1 to 1",
        reading=reading,
    )
    if vigorish is not None:
        line["vigorish"] = vigorish
    limit_payout(line, plan)
    reckoning.lines.append(line)


def limit_payout(line: dict[str, Any], plan: Plan) -> None:
    """Cut the winnings of one wager to the submission's limit, where it has one (PG-14)."""
    if plan.limit is not None and AMOUNTS[line["pays"]] > plan.limit:
        line["pays"] = str(plan.limit)
        line["reading"] = "PG-14"


def surrender(reckoning: Reckoning, seat: Seat, play: Play) -> None:
    """Collect the whole main wager (§ 645a.11(d)), also against a Queen's Dragon (PG-9)."""
    reading = "PG-9" if play.pushes else None
    if reading is None and any(kind in seat.wagers for kind in OPTIONAL):
        reading = "PG-5"
    line = line_of(seat, "main", "surrender", NO_MONEY, NO_MONEY, "§ 645a.11(d)", reading=reading)
    reckoning.lines.append(line)


# ---- § 645a.11(h). The optional wagers, on all seven cards ------------------------------------

LOST = {
    "fortune_bonus":     "§ 645a.11(h)(1)(i)(A)",
    "emperors_treasure": "§ 645a.11(h)(2)(i)(A)",
    "pai_gow_insurance": "§ 645a.11(h)(3)(i)",
    "progressive":       "§ 645a.11(h)(4)(i)",
    "queens_dragon":     "§ 645a.11(h)(5)",
    "dynasty_bonus":     "§ 645a.11(h)(6)(i)(A)",
    "protection":        "§ 645a.11(h)(7)",
    "red_black":         "§ 645a.11(h)(8)",
}  # fmt: skip
OF_STRAIGHT_ORDER = ("fortune_bonus", "emperors_treasure")  # (h)(1), (2): "a straight or higher"


def settle_optional(reckoning: Reckoning, seat: Seat, play: Play) -> None:
    """Settle a position's optional wagers in the order of (h)(1)-(8)."""
    for kind in OPTIONAL:
        if kind not in seat.wagers:
            continue
        table = play.plan.paytables[kind]
        if kind == "queens_dragon":
            settle_queens_dragon(reckoning, seat, table, play)
        elif kind == "red_black":
            settle_red_black(reckoning, seat, table, play.plan)
        else:
            settle_by_hand(reckoning, seat, table, play.plan)


def settle_by_hand(reckoning: Reckoning, seat: Seat, table: Paytable, plan: Plan) -> None:
    """Settle a wager on the highest hand, by its own order, that the seven cards make."""
    kind, best, cards = table.wager, seat.best, seat.cards
    line = line_for(table.lines, table.row, best, cards, plan.ranking)
    if line is None:
        reckoning.collect(seat, kind, LOST[kind], hand=name_of(best), reading=None)
        return
    seat.hand = line.hand
    reading = deciding_reading(kind, line, table, seat)
    if kind == "progressive":
        made = cards_that_make(line.hand, cards, plan.ranking)
        reckoning.pay_progressive(
            seat, table, LOST[kind], reading, lambda _: Best(best, made, None)
        )
        return
    pay(reckoning, seat, table, reading, plan)


def pay(reckoning: Reckoning, seat: Seat, table: Paytable, reading: str | None, plan: Plan) -> None:
    """Pay a wager for the hand that it won with, within the payout limit."""
    found = reckoning.pay_line(seat, table, LOST[table.wager], reading, to_one=True)
    if found is not None:
        limit_payout(found[1], plan)


def deciding_reading(kind: str, line: Line, table: Paytable, seat: Seat) -> str | None:
    """Return the reading that gave a wager the hand that it won with, if one did.

    PG-8: by § 645a.6(b) a three-of-a-kind is no "straight or higher", and another hand of the
    paytable would have been the highest.
    """
    if kind in OF_STRAIGHT_ORDER and line.hand == "three_of_a_kind":
        return "PG-8"
    if ROYAL_MATCH in table.row and is_royal_match_by_reading(seat.best, seat.cards):
        return "PG-12"
    usual = name_of(seat.best)
    if line.hand not in OF_SEVEN and line.hand != usual and usual in table.row:
        return "PG-8"
    return None


def settle_queens_dragon(reckoning: Reckoning, seat: Seat, table: Paytable, play: Play) -> None:
    """Settle a Queen's Dragon Wager on the dealer's seven cards (§ 645a.11(h)(5))."""
    reading = None if play.bank is None else "PG-11"
    if not play.dragon:
        hand = name_of(play.best)
        reckoning.collect(seat, table.wager, LOST[table.wager], hand=hand, reading=reading)
        return
    seat.hand = table.lines[0].hand
    pay(reckoning, seat, table, reading or "PG-2", play.plan)


COLORS = {"red": "HD", "black": "SC"}
ENOUGH_OF_A_COLOR = 4


def settle_red_black(reckoning: Reckoning, seat: Seat, table: Paytable, plan: Plan) -> None:
    """Settle a Red/Black Wager on the colour of the seven cards (§ 645a.11(h)(8), PG-6)."""
    color = seat.facts["wagers"]["red_black"]["on"]
    of_color = sum(card[1] in COLORS[color] for card in seat.cards)
    reading = "PG-6" if JOKER in seat.cards and of_color == ENOUGH_OF_A_COLOR - 1 else None
    if JOKER in seat.cards and color == plan.joker_color:
        of_color += 1
    if of_color < ENOUGH_OF_A_COLOR:
        reckoning.collect(seat, table.wager, LOST[table.wager], hand=None, reading=reading)
        return
    seat.hand = table.lines[0].hand
    pay(reckoning, seat, table, reading, plan)


def pay_envies(reckoning: Reckoning, play: Play) -> None:
    """Pay the Envy Bonuses of (h)(1)(ii), (2)(ii) and (6)(ii), each wager's lammers by themselves.

    To each position in turn order; nobody for a hand of his own or the dealer's (PG-4, PG-7).
    """
    plan = play.plan
    donors = [seat for seat in reckoning.seats if seat.best >= plan.lowest_envy > 0]
    if not donors:
        return
    for kind in ENVY_KINDS:
        if kind not in plan.envies:
            continue
        schedule, column = plan.envies[kind], plan.columns[kind]
        given = [(donor, line) for donor in donors if (line := envy_line(column, donor, plan))]
        for seat in reckoning.seats:
            stake = seat.wagers.get(kind)
            if stake is None or AMOUNTS[stake] < plan.minimums[kind]:
                continue
            for donor, line in given:
                if donor.who != seat.who:
                    donor.hand = line.hand
                    reading = envy_reading(column, donor, play)
                    reckoning.pay_envy(schedule, seat, donor, line, reading)


def envy_line(column: dict[str, Line], donor: Seat, plan: Plan) -> Line | None:
    """Return what a hand gives by one wager's envies, if it is an Envy Bonus Qualifying Hand."""
    return line_for(list(column.values()), column, donor.best, donor.cards, plan.ranking)


def envy_reading(column: dict[str, Line], donor: Seat, play: Play) -> str | None:
    """Return the reading by which a hand gives the Envy Bonus that it gives."""
    if donor is play.bank or is_surrendered(donor.facts):
        return "PG-7"
    match = ROYAL_MATCH in column and is_royal_match_by_reading(donor.best, donor.cards)
    return "PG-12" if match else None


# ---- The whole round --------------------------------------------------------------------------


def settle(document: dict[str, Any], terms: TableTerms) -> Settled:
    """Settle a round in the order of § 645a.11(e)-(h), position by position from the right."""
    check_submission(terms, definition_in_force(terms))
    plan: Plan = terms.submission.plan
    reckoning = Reckoning(document, terms)
    play = play_of(reckoning, plan)
    for seat in reckoning.seats:
        settle_seat(reckoning, seat, play)
    pay_envies(reckoning, play)
    flag_round(reckoning, play)
    return reckoning.settled(dealer_block(reckoning, play))


def settle_seat(reckoning: Reckoning, seat: Seat, play: Play) -> None:
    """Settle one position: its main wager, then the optional ones."""
    if seat is play.bank:
        if "main" in seat.wagers:  # there is no hand that it could meet
            reckoning.give_back(seat, "main", "§ 645a.11(c)", reading="PG-11")
    elif is_surrendered(seat.facts):
        surrender(reckoning, seat, play)
    else:
        settle_main(reckoning, seat, play)
    if len(seat.wagers) > 1 or seat is play.bank:
        settle_optional(reckoning, seat, play)


def give_back(reckoning: Reckoning, seat: Seat, cite: str) -> None:
    """Return all wagers of a position of a round that is void."""
    plain_wagers(seat)
    for kind in KINDS_HERE:
        if kind in seat.wagers:
            reckoning.give_back(seat, kind, cite)
