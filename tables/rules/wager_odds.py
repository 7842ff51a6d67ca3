"""The wagers of a submission that the hand alone decides, each with its exact odds.

Left out is what needs another's cards or a player's choices: main wagers, Lunar Poker's Ante and
Bet, the Queen's Dragon and Red/Black wagers of § 645a.11(h)(5), (8).
"""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from tables.rules.odds import DEAL_OF, Counts, counts_of
from tables.rules.paytables import Line, Paytable
from tables.rules.push_22 import push_22_chances
from tables.rules.risk import WagerRisk, fixed_sums, pays_of
from tables.rules.rounds import Submission
from tables.rules.wagers import AMOUNTS, ToOne

NOT_BY_HAND = frozenset("main ante bet queens_dragon red_black".split())
FORTUNE_STAKES = ("1.00", "5.00")  # the chapter prints an envy column for each


class Odds(NamedTuple):
    """One wager of one size: which paytable holds, and what it costs.

    ``part``: only a part of the wager, so that it has no advantage of its own (§ 671a.12(a)).
    """

    kind: str
    letter: str
    stake: Decimal
    cite: str
    risk: WagerRisk
    part: bool = False


class Push22(NamedTuple):
    """The Push 22 Wager of one paytable and number of decks."""

    letter: str
    decks: int
    rows: tuple[tuple[str, str, Fraction], ...]  # hand, odds, chance
    advantage: Fraction


def counts_for(submission: Submission) -> Counts | None:
    """Return the counted hands of the submission's game under its readings, if they are counted."""
    deal = DEAL_OF.get(submission.game)
    return None if deal is None else counts_of(deal, submission.readings.get(deal.by, ""))


def paytable_of(submission: Submission, kind: str) -> Paytable | None:
    """Return the paytable by which a wager is paid, if the game has one for it."""
    own: Mapping[str, Paytable] = getattr(submission.plan, "paytables", {})
    if kind in own:
        return own[kind]
    definition = submission.definition
    return None if definition is None else definition.paytables.get(kind)


def envy_column(submission: Submission, kind: str, stake: Decimal) -> tuple[Line, ...]:
    """Return the Envy Bonuses that a wager of this size buys; none where it buys none.

    A Fortune Bonus Wager buys them from $5 on, by SC-8's other reading from $1 on.
    """
    minimums: Mapping[str, Decimal] = getattr(submission.plan, "minimums", {})
    if kind in minimums:
        enough = stake >= minimums[kind]
        return tuple(submission.plan.columns[kind].values()) if enough else ()
    definition = submission.definition
    schedule = definition.envies.get(kind) if definition else None
    if schedule is None:
        return ()
    if kind == "fortune_bonus" and stake < AMOUNTS["5.00"] and not submission.plan.one_dollar_envy:
        return ()
    return tuple(schedule.columns.get(stake, {}).values())


def progressive_risk(submission: Submission, unit: Decimal) -> tuple[str, WagerRisk] | None:
    """Return what the game's Progressive Payout Wager pays, by which paragraph; if it has one."""
    counts, table = counts_for(submission), paytable_of(submission, "progressive")
    if counts is None or table is None:
        return None
    envies = fixed_sums(envy_column(submission, "progressive", unit))
    return table.cite, WagerRisk(counts, unit, pays_of(table.lines, unit), envies)


def optional_odds(submission: Submission) -> list[Odds]:
    """Return the odds of every other wager that a hand alone decides, in the chapter's order."""
    counts, definition = counts_for(submission), submission.definition
    if counts is None or definition is None:
        return []
    limit: Decimal | None = getattr(submission.plan, "limit", None)
    found = []
    for wager in definition.wagers:
        kind = wager.kind
        table = paytable_of(submission, kind)
        if table is None or kind in NOT_BY_HAND or kind == "progressive":
            continue
        for stake in stakes_of(submission, kind):
            envies = fixed_sums(envy_column(submission, kind, stake))
            risk = WagerRisk(counts, stake, pays_of(table.lines, stake, limit), envies)
            found.append(Odds(kind, "", stake, table.cite, risk))
    for letter, table in definition.lettered.get("instant", {}).items():
        stake = AMOUNTS["1.00"]
        risk = WagerRisk(counts, stake, pays_of(table.lines, stake), {})
        found.append(Odds("instant", letter, stake, table.cite, risk, part=True))
    return found


def stakes_of(submission: Submission, kind: str) -> list[Decimal]:
    """Return the sizes that make a difference: one dollar, and what buys Envy Bonuses."""
    minimums: Mapping[str, Decimal] = getattr(submission.plan, "minimums", {})
    if kind in minimums:
        return sorted({AMOUNTS["1.00"], minimums[kind]})
    texts = FORTUNE_STAKES if kind == "fortune_bonus" else FORTUNE_STAKES[:1]
    return [AMOUNTS[text] for text in texts]


def push_22_odds(submission: Submission) -> list[Push22]:
    """Return the Push 22 Wager by paytable letter and number of decks (§ 672a.11(c))."""
    definition = submission.definition
    if definition is None:
        return []
    found = []
    for letter, table in definition.lettered.get("push_22", {}).items():
        for decks in definition.decks:
            chances = push_22_chances(decks)
            advantage = 1 - sum(chances.values(), Fraction(0))
            for line in table.lines:
                if isinstance(line.terms, ToOne):
                    advantage -= chances[line.hand] * line.terms.pays / line.terms.per
            rows = tuple((line.hand, line.terms_text, chances[line.hand]) for line in table.lines)
            found.append(Push22(letter, decks, rows, advantage))
    return found
