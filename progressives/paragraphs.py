"""What the floor checks before it pays, and by which paragraphs it may refuse: pure.

Two chapters offer a Progressive Payout Wager; both ask the same four things in the same order.
"""

import re
from typing import NamedTuple


class Check(NamedTuple):
    """Something a person states that he has done or seen."""

    code: str
    sentence: str
    cite: str


class Paragraph(NamedTuple):
    """A paragraph by which a payout may be refused."""

    cite: str
    sentence: str


class Chapter(NamedTuple):
    """Where a chapter says how a winning Progressive Payout Wager is validated and paid."""

    hand: str
    lamp: str
    validate: str
    pay: str
    refusals: tuple[Paragraph, ...]
    looked: str = "I looked at the cards: it is a winning hand."


# fmt: off
SIX_CARD = Chapter(
    hand     = "§ 670a.11(h)(3)(i)(B)(I)",
    lamp     = "§ 670a.11(h)(3)(i)(B)(II)",
    validate = "§ 670a.11(h)(3)(i)(B)(III)",
    pay      = "§ 670a.11(h)(3)(i)(B)(IV)",
    refusals = (
        Paragraph("§ 670a.11(h)(3)(i)(B)(I)",  "The hand is not the winning hand that was called."),
        Paragraph("§ 670a.11(h)(3)(i)(B)(II)", "The light for this position was not lit."),
        Paragraph("§ 670a.8(b)(2)",            "The wager was not accepted before the lock-out."),
        Paragraph("§ 670a.8(f)",               "The stub was not 11 cards: all hands are void."),
        Paragraph("§ 670a.13(c)",              "The first card went to the wrong position."),
        Paragraph("§ 670a.13(d)",              "The player voided his exposed hand."),
        Paragraph("§ 670a.13(e)",              "A card of the dealer's hand was exposed."),
        Paragraph("§ 670a.13(f)",              "More than one card lay face up in shoe or deck."),
        Paragraph("§ 670a.13(h)",              "Player or dealer: wrong number of cards."),
        Paragraph("§ 670a.13(j)",              "A card was exposed while the stacks were dealt."),
        Paragraph("§ 670a.13(k)",              "Position or dealer: wrong number of cards."),
        Paragraph("§ 670a.13(m)",              "The dealing shoe failed during the round."),
    ),
)
PAI_GOW = Chapter(
    hand     = "§ 645a.11(h)(4)(ii)(A)",
    lamp     = "§ 645a.11(h)(4)(ii)(B)",
    validate = "§ 645a.11(h)(4)(ii)(C)",
    pay      = "§ 645a.11(h)(4)(ii)(D)",
    refusals = (
        Paragraph("§ 645a.11(h)(4)(i)",     "The hand is lower than a full house."),
        Paragraph("§ 645a.11(h)(4)(ii)(A)", "The hand is not the winning hand that was called."),
        Paragraph("§ 645a.11(h)(4)(ii)(B)", "The light for this position was not lit."),
    ),
)
MUST_HIT = Chapter(  # a level that no hand wins: the wager that brings it to what was drawn does
    hand     = "§ 605a.7(a)(1)",
    lamp     = "§ 605a.7(a)(1)",
    validate = "§ 605a.7(a)(1)",
    pay      = "§ 605a.7(a)(3)",
    refusals = (
        Paragraph("§ 605a.7(a)(1)", "The wager that won the level was not made by this position."),
        Paragraph("§ 605a.7",       "The wager that won the level was given back."),
    ),
    looked   = "No hand decides. I saw the wager, and that the level's draw is in the log.",
)
# fmt: on

CHAPTERS = {"670a": SIX_CARD, "645a": PAI_GOW, "605a": MUST_HIT}
OF_CITE = re.compile(r"(\d{3}a)\.")


def chapter_of(cite: str) -> Chapter:
    """Return the chapter that a claim's citation belongs to."""
    found = OF_CITE.search(cite)
    return CHAPTERS.get(found.group(1), SIX_CARD) if found else SIX_CARD


def checks_to_validate(
    chapter: Chapter, *, checklist: bool, held: bool, lamp: bool | None, flags: list[str]
) -> tuple[Check, ...]:
    """Return what must be confirmed before a payout is validated: nothing for a small fixed award.

    A share of the meter is always confirmed point by point (§ 670a.11(h)(3)(i)(B)).
    """
    checks = []
    if checklist:
        checks.append(Check("hand", chapter.looked, chapter.hand))
    if lamp is False:
        said = "The table reports the light as dark. I looked at it and at the wager myself."
        checks.append(Check("lamp", said, chapter.lamp))
    elif checklist:
        checks.append(Check("lamp", "The light for this position is lit.", chapter.lamp))
    if flags:
        said = "I looked into what the system flagged in this round."
        checks.append(Check("flags", said, chapter.validate))
    if held:
        said = "The player's cards stay on the table until the documentation is complete."
        checks.append(Check("cards_held", said, chapter.pay))
    return tuple(checks)


def checks_to_approve(chapter: Chapter) -> tuple[Check, ...]:
    """Return what the second person confirms: that he looked for himself."""
    return (
        Check("seen", "I looked at the cards, the light and the amount myself.", chapter.validate),
    )


def checks_to_pay(chapter: Chapter, *, documented: bool, cage: bool) -> tuple[Check, ...]:
    """Return what must be confirmed before a payout is marked paid."""
    checks = []
    if documented:
        checks.append(Check("documents", "The documentation is complete and signed.", chapter.pay))
    if cage:
        said = "The player was paid from the cage, not from the table."
        checks.append(Check("source", said, chapter.pay))
    return tuple(checks)
