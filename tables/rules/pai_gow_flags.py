"""What is odd about a round of Pai Gow Poker that was played all the same.

The sections on dealing and on the bank are not in the text that these rules are made from, so that
nothing here says that a round had to be void.
"""

from typing import TYPE_CHECKING

from tables.rules import flags
from tables.rules.pai_gow_shapes import CARDS_EACH, MIS_SET, is_surrendered
from tables.rules.paid import flag_payments
from tables.rules.settle import Reckoning, Seat
from tables.rules.wagers import AMOUNTS, NOTHING

if TYPE_CHECKING:
    from tables.rules.pai_gow_plan import Plan
    from tables.rules.pai_gow_set import Play

PLACES = 7  # six positions and the dealer
LEFT = 4  # of fifty-two cards and the joker, seven to each place
DEALT_FROM = {"hand": "§ 645a.9", "automated_shoe": "§ 645a.10", "manual_shoe": "§ 645a.8"}
SURRENDER = "§ 645a.11(d)"


def flag_round(reckoning: Reckoning, play: "Play") -> None:
    """Flag what is odd about a round that was played and settled."""
    dealing = DEALT_FROM[reckoning.document.get("dealing", "manual_shoe")]
    flag_setting(reckoning, play)
    if play.bank is not None:
        flag_bank(reckoning, play.bank)
    for seat in reckoning.seats:
        if is_surrendered(seat.facts):
            flag_surrender(reckoning, seat, play.plan)
    flags.flag_start(reckoning, dealing, PLACES, voids=False)
    flags.flag_chip_count(reckoning, dealing)
    flags.flag_left_count(reckoning, dealing, LEFT, voids=False)
    flags.flag_players(reckoning, "§ 645a.7")
    flags.flag_lammers(reckoning, play.plan.minimums, "§ 645a.11(h)")
    flags.flag_lamps(reckoning, "§ 645a.11(h)(4)(ii)(B)")
    flags.flag_irregularities(reckoning, frozenset(), {MIS_SET: "645a.11(f)(1)(iv)"})
    flag_payments(reckoning)


def flag_setting(reckoning: Reckoning, play: "Play") -> None:
    """Flag a dealer or a bank whose low hand is the higher one: compared as it was set."""
    if play.low <= play.high:
        return
    who, path = "dealer", "dealer_hand.low"
    if play.bank is not None:
        who, path = "bank", f"positions[{play.bank.index}].low"
    detail = f"The {who} set a low hand that is higher than the high hand."
    reckoning.flag(f"{who}_fouled", path, "§ 645a.11(c)", detail)


def flag_bank(reckoning: Reckoning, bank: Seat) -> None:
    """Flag every round with a bank: how it is chosen and what it owes is in § 645a.12 (PG-11)."""
    alone = "position" in reckoning.document["bank"]
    detail = (
        f"Position {bank.position} {'banks' if alone else 'banks with the house'}: its hands met"
        " the others' by § 645a.11(c). 645a.12 not in text: what it asks of a bank is not checked."
    )
    reckoning.flag("section_not_in_text", "bank", "§ 645a.12", detail, seat=bank)
    if "main" in bank.wagers:
        detail = "The bank's main wager meets no hand; it is returned."
        path = f"positions[{bank.index}].wagers.main"
        reckoning.flag("bank_main_wager", path, "§ 645a.12", detail, seat=bank)


def flag_surrender(reckoning: Reckoning, seat: Seat, plan: "Plan") -> None:
    """Alarm where not seven cards were collected; flag cards that an envy waits for (PG-7)."""
    path = f"positions[{seat.index}]"
    counted = seat.facts.get("counted", CARDS_EACH)
    if counted != CARDS_EACH:
        detail = f"{counted} cards were collected from position {seat.position}, not {CARDS_EACH}."
        reckoning.flag(
            "surrender_count", f"{path}.counted", SURRENDER, detail, alarm=True, seat=seat
        )
    if not seat.cards and any(
        other.who != seat.who and has_lammer(other, plan) for other in reckoning.seats
    ):
        detail = (
            f"A Qualifying Wager stands, so that the cards of position {seat.position} stay on"
            " the table; they were not reported, and an Envy Bonus may be due for them."
        )
        reckoning.flag(
            "surrendered_cards_unknown", f"{path}.surrender", SURRENDER, detail, seat=seat
        )


def has_lammer(seat: Seat, plan: "Plan") -> bool:
    """Whether a position has a Qualifying Wager, for which an Envy lammer lies there."""
    return any(
        AMOUNTS[seat.wagers.get(kind, NOTHING)] >= minimum
        for kind, minimum in plan.minimums.items()
    )
