"""The optional wagers of Pai Gow Poker, on all seven cards, and their envies: § 645a.11(h)."""

from tables.rules.cards import JOKER
from tables.rules.hands import Best, name_of
from tables.rules.pai_gow_hands import (
    OF_SEVEN,
    ROYAL_MATCH,
    cards_that_make,
    is_royal_match_by_reading,
    line_for,
)
from tables.rules.pai_gow_plan import ENVY_KINDS, Plan
from tables.rules.pai_gow_set import Play
from tables.rules.pai_gow_shapes import OPTIONAL, is_surrendered
from tables.rules.paytables import Line, Paytable
from tables.rules.settle import Reckoning, Seat
from tables.rules.wagers import AMOUNTS

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
        plan.limit_payout(found[1])


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
