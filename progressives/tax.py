"""What federal tax asks of a payout at the day it is paid: pure.

Table games are "other wagering" on Form W-2G: reported from a threshold on, if the winnings are so
many times the wager; a share is withheld from larger ones. Each figure is dated; a new year's is
another row, and what was decided under an old one stays as it was decided.
"""

from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

CENT = Decimal("0.01")


class TaxTerms(NamedTuple):
    """The figures that hold from a day on."""

    effective: date
    threshold: Decimal
    multiple: int
    withhold_above: Decimal
    rate_percent: Decimal


class TaxDecision(NamedTuple):
    """What was decided, by which figures, and why in words."""

    reportable: bool
    withheld: Decimal
    reason: str
    terms: TaxTerms


# fmt: off
TERMS = (
    #                          from      times the wager     withhold above    per cent
    TaxTerms(date(2018, 1, 1), Decimal("600"),  300,  Decimal("5000"),  Decimal("24")),
    TaxTerms(date(2026, 1, 1), Decimal("2000"), 300,  Decimal("5000"),  Decimal("24")),
)
# fmt: on


def terms_on(day: date) -> TaxTerms:
    """Return the figures of a day; before the first known day the first."""
    return max((t for t in TERMS if t.effective <= day), default=TERMS[0])


def decide(amount: Decimal, wager: Decimal, day: date) -> TaxDecision:
    """Decide whether a payout is reported and what is withheld from it.

    The form goes by the winnings, the withholding by what is left of them after the wager. An Envy
    Bonus is tried against the wager of who receives it.
    """
    terms = terms_on(day)
    often = amount >= terms.multiple * wager
    times = f"{terms.multiple} times the wager of ${wager:,.2f}"
    if amount < terms.threshold:
        return TaxDecision(
            False, Decimal("0.00"), f"No form: less than ${terms.threshold:,.2f}.", terms
        )
    if not often:
        return TaxDecision(False, Decimal("0.00"), f"No form: less than {times}.", terms)
    said = f"Form W-2G: at least ${terms.threshold:,.2f} and at least {times}."
    net = amount - wager
    if net <= terms.withhold_above:
        kept = f" Nothing withheld: not more than ${terms.withhold_above:,.2f} after the wager."
        return TaxDecision(True, Decimal("0.00"), said + kept, terms)
    withheld = (net * terms.rate_percent / 100).quantize(CENT, ROUND_HALF_UP)
    kept = f" {terms.rate_percent}% of ${net:,.2f} is withheld: more than "
    return TaxDecision(
        True, withheld, f"{said}{kept}${terms.withhold_above:,.2f} after the wager.", terms
    )
