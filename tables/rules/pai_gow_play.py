"""The round of Pai Gow Poker: § 645a.11(d)-(h), surrender and main wager, then the optional ones.

The figures are the submission's (``pai_gow_plan``). A reading is named where it decided a line.
"""

from typing import Any, NamedTuple

from tables.rules.documents import check_submission
from tables.rules.hands import CATEGORY_FROM, NOTHING, TOP_FROM, name_of
from tables.rules.pai_gow_flags import flag_round
from tables.rules.pai_gow_optional import pay_envies, settle_optional
from tables.rules.pai_gow_plan import Plan
from tables.rules.pai_gow_set import Play, dealer_block, plain_wagers, play_of
from tables.rules.pai_gow_shapes import KINDS_HERE, MIS_SET, OPTIONAL, is_surrendered
from tables.rules.rounds import Settled, TableTerms
from tables.rules.settle import Reckoning, Seat, definition_in_force, line_of
from tables.rules.wagers import NOTHING as NO_MONEY

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
    plan.limit_payout(line)
    reckoning.lines.append(line)


def surrender(reckoning: Reckoning, seat: Seat, play: Play) -> None:
    """Collect the whole main wager (§ 645a.11(d)), also against a Queen's Dragon (PG-9)."""
    reading = "PG-9" if play.pushes else None
    if reading is None and any(kind in seat.wagers for kind in OPTIONAL):
        reading = "PG-5"
    line = line_of(seat, "main", "surrender", NO_MONEY, NO_MONEY, "§ 645a.11(d)", reading=reading)
    reckoning.lines.append(line)


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
