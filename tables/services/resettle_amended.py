"""Settle an amended round again from the log: the same document must come to the same version."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from audit.canonical import canonical, parse
from progressives.meters import RunningMeter, increment
from tables import rules
from tables.services.terms import TermsBook

AMENDED = "tables.round_amended"


def amended_again(book: TermsBook, facts: Mapping[str, Any]) -> Any:
    """Return the outcome that an amendment's document comes to, its shares priced at their turns.

    The meter begins where the log says it stood, after the round's own contributions.
    """
    document = facts["document"]
    table = book.by_code[document["table"]]
    terms = book.at(table, datetime.fromisoformat(document["occurred_at"]))
    settled = rules.settle(document, terms)
    outcome = settled.outcome
    strips = facts["outcome"].get("meters") or []
    if strips:
        told = facts["effects"]["meter_terms"]
        rate, reset = Decimal(told["increment_percent"]), Decimal(told["reset"])
        grows = terms.submission.meter_terms(rate, reset)
        running = RunningMeter(Decimal(strips[0]["before"]), grows)
        stakes = {c.position: c.stake for c in settled.contributions}
        for position in settled.reversals:
            running.reverse(increment(stakes[position], running.terms.increment_percent))
        for win in settled.wins:
            if win.percent is not None:
                award = running.award(win.percent)
                rules.price_win(win, award.before, -award.amount)
        outcome["meters"] = strips
    return parse(canonical(outcome))
