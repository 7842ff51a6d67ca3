"""The payout sign of a table: what patrons are told, from the figures that settle.

§ 670a.2(b)(9), § 671a.2(b)(5)-(7), § 672a.2(b)(3) and (5).
"""

from collections.abc import Iterator
from decimal import Decimal

from tables.rules.paytables import EnvySchedule, GameDefinition
from tables.rules.printing import (
    SAMPLE,
    WIDTH,
    column_text,
    even_wagers,
    figures,
    paytables,
    schedules,
    spoken,
)
from tables.rules.rounds import Submission

#: What a chapter wants to be said beside the odds, with the paragraph that asks for it.
NOTICES = {
    "671a": (
        ("The dealer plays with an ace-king or higher.", "§ 671a.2(b)(6)(i)"),
        (
            "Instant payout: a royal flush or a straight flush among a player's first five cards.",
            "§ 671a.2(b)(6)(ii)",
        ),
    ),
    "672a": (
        ("The dealer draws to 16 and stands on all 17s.", "§ 672a.2(b)(3)(iii)"),
        ("Blackjack Wagers push when the dealer has 22.", "§ 672a.2(b)(3)(iv)"),
        ("There is no surrender at this table.", "§ 672a.2(b)(3)(v)"),
    ),
}
ODDS = {
    "670a": "§ 670a.2(b)(9)",
    "671a": "§ 671a.2(b)(5)",
    "672a": "§ 672a.2(b)(5)",
}
SAID = {"blackjack": "Blackjack pays", "insurance": "Insurance pays"}  # § 672a.2(b)(3)(i)-(ii)
SIGN_WIDTH = 64


def sign_text(definition: GameDefinition, submission: Submission) -> list[str]:
    """Return the sign's lines: every wager on offer with its odds, and what must be said."""
    lines = []
    if submission.mark:
        lines += [f"*** {SAMPLE} ***".center(SIGN_WIDTH).rstrip(), ""]
    lines += [definition.title.upper().center(SIGN_WIDTH).rstrip(), ""]
    for words, _ in NOTICES.get(definition.chapter, ()):
        lines.append(words.center(SIGN_WIDTH).rstrip())
    lines += list(odds(definition, submission))
    lines += list(envies(definition, submission))
    return [*lines, "", *foot(definition, submission)]


def odds(definition: GameDefinition, submission: Submission) -> Iterator[str]:
    """Yield the odds of every wager on offer."""
    if definition.even is not None:
        yield ""
        for words in even_wagers(definition, submission):
            yield row(words.removesuffix(", any hand"), str(definition.even[1]))
    vigorish = getattr(submission.plan, "vigorish", None)
    if vigorish is not None:
        yield row("less a vigorish, of what is won, of", f"{vigorish} %")
    limit = getattr(submission.plan, "limit", None)
    if limit is not None:
        yield row("No wager at odds is paid more than", f"${limit:,.2f}")
    for words, table in paytables(definition, submission):
        yield ""
        if [line.hand for line in table.lines] == ["blackjack"]:  # one line says it all
            said = SAID["insurance" if table.wager == "insurance" else "blackjack"]
            yield row(said, table.lines[0].terms_text)
            continue
        yield words.upper()
        for line in table.lines:
            yield row(spoken(line.hand), figures(line.terms_text))


def envies(definition: GameDefinition, submission: Submission) -> Iterator[str]:
    """Yield the Envy Bonuses that can be won under the submission's readings."""
    names = {wager.kind: wager.name for wager in definition.wagers}
    for kind, schedule in schedules(definition, submission):
        for stake in columns_in_force(kind, schedule, submission):
            yield ""
            yield f"ENVY BONUS, {names[kind].upper()}"
            yield f"with a wager {reach(kind, stake, schedule)}, for the hand of another player"
            for hand in schedule.columns[stake]:
                yield row(spoken(hand), column_text(schedule, stake, hand))


def columns_in_force(
    kind: str, schedule: EnvySchedule, submission: Submission
) -> Iterator[Decimal]:
    """Yield the columns that are paid: by the units on offer, and by reading SC-8."""
    units = submission.choices.get("progressive_units")
    for stake in schedule.columns:
        if kind == "progressive" and units is not None and str(stake) not in units:
            continue
        if kind == "fortune_bonus" and stake < 5 and submission.readings.get("SC-8") == "from_five":
            continue
        yield stake


def reach(kind: str, stake: Decimal, schedule: EnvySchedule) -> str:
    """Say for which wagers a column is paid."""
    if kind == "progressive":
        return f"of ${stake}"
    higher = [other for other in schedule.columns if other > stake]
    return f"from ${stake} to below ${min(higher)}" if higher else f"of ${stake} or more"


def row(words: str, shown: str) -> str:
    """Put words and odds at the ends of a line, dots between them."""
    dots = "." * max(SIGN_WIDTH - len(words) - len(shown) - 2, 2)
    return f"{words} {dots} {shown}"


def foot(definition: GameDefinition, submission: Submission) -> Iterator[str]:
    """Say under which submission the sign was printed, and why it has to hang there."""
    yield "-" * SIGN_WIDTH
    yield f"Rules Submission {submission.version}, digest {submission.digest[:12]}"
    cites = [cite for _, cite in NOTICES.get(definition.chapter, ())]
    asked = ", ".join([*([ODDS[definition.chapter]] if definition.chapter in ODDS else []), *cites])
    if asked:
        yield f"Asked for by {asked}"[:WIDTH]
