"""Print a game as a lawyer would check it: every figure in the chapter's order, with its paragraph.

``rules_text`` prints the chapter, or what a submission makes of it; ``readings_page`` every
reading of every game. The printouts are committed, so that a change of law is a change one can
read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from tables.rules.cards import JOKER
from tables.rules.choices import Choice, choices_of, lines_of
from tables.rules.explained import EXPLAINED
from tables.rules.games import GAMES, definition_of, definition_version
from tables.rules.paytables import EnvySchedule, GameDefinition, Paytable, Reading
from tables.rules.rounds import Submission

WIDTH = 96

#: When a paytable counts, where its wager's name alone would mislead.
WHEN = {
    ("671a", "ante"): "when the dealer has no ace-king",
    ("671a", "super"): "on the own, the dealer's or another hand",
}
SAMPLE = "SAMPLE, NOT FROM THE REGULATION"


def rules_text(definition: GameDefinition, submission: Submission | None = None) -> list[str]:
    """Return the printout of a game; with a submission only what is in force under it."""
    lines = [*heading(definition, submission), ""]
    parts = (
        table_part(definition, submission),
        wager_part(definition, submission),
        paytable_part(definition, submission),
        envy_part(definition, submission),
        progressive_part(definition, submission),
        choice_part(definition, submission),
        reading_part(definition.readings, submission),
        void_part(definition),
        refusal_part(definition),
    )
    for part in parts:
        if printed := list(part):
            lines += [*printed, ""]
    return lines[:-1]


def heading(definition: GameDefinition, submission: Submission | None) -> Iterator[str]:
    """Name the game, the definition and the submission; a sample is marked first."""
    if submission is not None and submission.mark:
        yield f"*** {SAMPLE} ***"
        yield from wrapped(str(submission.mark.get("source", "")), "    ")
        yield ""
    yield definition.title.upper()
    chapter = f"58 Pa. Code ch. {definition.chapter}"
    yield two(chapter, f"definition {definition_version(definition.name)}")
    if submission is not None:
        yield two(f"Rules Submission {submission.version}", f"digest {submission.digest[:12]}")
    yield "=" * WIDTH


def two(left: str, right: str) -> str:
    """Put two texts at the ends of a line."""
    return f"{left}{right:>{max(WIDTH - len(left), len(right) + 1)}}".rstrip()


def cited(left: str, cite: str) -> str:
    """Put a text and its paragraph on a line."""
    return two(f"  {left}", cite)


def title(text: str) -> list[str]:
    """Return a part's title."""
    return [text, "-" * len(text)]


def wrapped(text: str, indent: str) -> Iterator[str]:
    """Break words into lines of the page."""
    line = ""
    for word in text.split():
        if line and len(indent) + len(line) + 1 + len(word) > WIDTH:
            yield indent + line
            line = word
        else:
            line = f"{line} {word}".strip()
    if line:
        yield indent + line


def figures(text: str) -> str:
    """Write a figure as people read it: 1,000 to 1."""
    return re.sub(r"\d{4,}", lambda found: f"{int(found[0]):,}", text)


def spoken(name: str) -> str:
    """Write a name as it is said."""
    return name.replace("_", " ").capitalize()


# ---- the table and its wagers ----------------------------------------------------------------


def table_part(definition: GameDefinition, submission: Submission | None) -> Iterator[str]:
    """Print positions and cards."""
    yield from title("The table")
    yield cited(
        f"Betting positions: at most {definition.positions}",
        definition.refusal_cites.get("position_out_of_range", ""),
    )
    jokers = definition.deck.count(JOKER)
    joker = f", one of them {'the joker' if jokers else ''}" if jokers else ""
    decks = [submission.decks] if submission else list(definition.decks)
    number = " or ".join(map(str, decks))
    many = f"{number} decks of" if decks != [1] else "One deck of"
    yield cited(f"{many} {len(definition.deck)} cards{joker}", f"§ {definition.chapter}.3(a)")
    if definition.cards_each:
        yield cited(f"Cards to each position and the dealer: {definition.cards_each}", "")


def wager_part(definition: GameDefinition, submission: Submission | None) -> Iterator[str]:
    """Print the wagers, each with when it is made."""
    yield from title("Wagers" if submission is None else "Wagers offered")
    for wager in definition.wagers:
        if submission is not None and wager.kind not in submission.offered:
            continue
        notes = [wager.kind]
        if wager.kind == definition.main_wager:
            notes.append("to take part")
        elif wager.kind in definition.always_offered:
            notes.append("whatever a submission says")
        if wager.kind in definition.after_lockout:
            notes.append("once the cards are seen")
        yield cited(f"{wager.name} ({', '.join(notes)})", wager.cite)


# ---- what is paid ----------------------------------------------------------------------------


def own(submission: Submission | None, name: str) -> Mapping[str, Any]:
    """Return figures that a submission brings because the chapter's are not at hand."""
    found = getattr(submission.plan, name, {}) if submission is not None else {}
    return found if isinstance(found, Mapping) else {}


def paytables(
    definition: GameDefinition, submission: Submission | None
) -> Iterator[tuple[str, Paytable]]:
    """Yield every paytable with its title, in the chapter's order of wagers."""
    names = {wager.kind: wager.name for wager in definition.wagers}
    plain = own(submission, "paytables") if definition.needs_submission else definition.paytables
    found: list[tuple[str, str, Paytable]] = [
        (kind, names.get(kind, spoken(kind)), table) for kind, table in plain.items()
    ]
    for name, by_letter in definition.lettered.items():
        for letter, table in by_letter.items():
            if submission is None or submission.paytables[name] is table:
                words = f"{names.get(table.wager, spoken(name))}, {name.replace('_', ' ')}"
                found.append((table.wager, f"{words} paytable {letter}", table))
    order = list(names)
    for kind, words, table in sorted(found, key=lambda one: order.index(one[0])):
        if submission is None or kind in submission.offered:
            when = WHEN.get((definition.chapter, kind)) if "paytable" not in words else None
            yield f"{words}, {when}" if when else words, table


def paytable_part(definition: GameDefinition, submission: Submission | None) -> Iterator[str]:
    """Print the paytables, each line as the chapter has it."""
    yield from title("Payout odds")
    if definition.even is not None:
        cite, terms = definition.even
        yield cited(f"{' and '.join(even_wagers(definition, submission))}: {terms}", cite)
    printed = list(paytables(definition, submission))
    if not printed and definition.needs_submission:
        yield "  No other figures: the chapter's are not at hand, and a submission brings its own."
    for words, table in printed:
        yield ""
        yield cited(words, table.cite)
        for line in table.lines:
            yield f"    {spoken(line.hand):<48}{figures(line.terms_text):>20}"


def even_wagers(definition: GameDefinition, submission: Submission | None) -> list[str]:
    """Return what is paid the same whatever the hand: the main wager, and its double."""
    main, *others = definition.wagers
    when = WHEN.get((definition.chapter, main.kind))
    hand = "any other hand" if main.kind in definition.paytables else "any hand"
    hand = f"{when}, {hand}" if when else hand
    double = [wager.name for wager in others if wager.kind == "double_down"]
    if submission is not None and "double_down" not in submission.offered:
        double = []
    return [*double, f"{main.name}, {hand}"]


def schedules(
    definition: GameDefinition, submission: Submission | None
) -> Iterator[tuple[str, EnvySchedule]]:
    """Yield the envy schedules of the wagers that are offered."""
    found = own(submission, "envies") if definition.needs_submission else definition.envies
    for kind, schedule in found.items():
        if submission is None or kind in submission.offered:
            yield kind, schedule


def envy_part(definition: GameDefinition, submission: Submission | None) -> Iterator[str]:
    """Print the Envy Bonuses, a column for each wager that the chapter prints one for."""
    names = {wager.kind: wager.name for wager in definition.wagers}
    printed = False
    for kind, schedule in schedules(definition, submission):
        yield from [""] if printed else title("Envy Bonus")
        printed = True
        yield cited(names.get(kind, spoken(kind)), schedule.cite)
        stakes = list(schedule.columns)
        heads = "".join(f"{f'wager ${stake}':>20}" for stake in stakes)
        yield f"    {'Hand of another player':<48}{heads}"
        for hand in next(iter(schedule.columns.values())):
            sums = (column_text(schedule, stake, hand) for stake in stakes)
            yield f"    {spoken(hand):<48}{''.join(f'{text:>20}' for text in sums)}"


def column_text(schedule: EnvySchedule, stake: Decimal, hand: str) -> str:
    """Write the fixed sum that a hand pays in a column."""
    line = schedule.columns[stake].get(hand)
    return "-" if line is None else figures(line.terms_text.removeprefix("fixed "))


def progressive_part(definition: GameDefinition, submission: Submission | None) -> Iterator[str]:
    """Print what a progressive grows by and starts from."""
    terms = submission.progressive if submission is not None else definition.progressive
    if terms is None or (submission is not None and "progressive" not in submission.offered):
        return
    yield from title("Progressive")
    yield cited(f"The meter grows by {terms.increment_percent} % of each wager", terms.cite)
    for unit in terms.units:
        least = f"${terms.lowest_reset(unit):,.2f}"
        words = f"Wager ${unit}: initial and reset amount at least {least}"
        yield cited(words, terms.cite)


# ---- choices and readings --------------------------------------------------------------------


def choice_part(definition: GameDefinition, submission: Submission | None) -> Iterator[str]:
    """Print what a submission may choose, or what it has chosen."""
    plain = [c for c in choices_of(definition) if c.path[0] != "readings" and c.widget != "json"]
    if submission is None:
        yield from title("What a Rules Submission chooses")
        for choice in (choice for choice in plain if choice.cite):
            yield cited(choice.title, choice.cite)
            yield from wrapped(choice.sentence, "      ")
            yield from options_text(choice)
        return
    yield from title("What this submission chooses")
    for choice in plain:
        value = "; ".join(lines_of(choice, submission.choices))
        if value == "not set":
            continue
        yield from cited_lines(f"{choice.title}: {value}", choice.cite)


def options_text(choice: Choice) -> Iterator[str]:
    """Print the ways to choose."""
    for option in choice.options:
        words = f"{option.label}: {option.sentence}" if option.sentence else option.label
        yield from wrapped(f"- {words}", "      ")


def cited_lines(text: str, cite: str) -> Iterator[str]:
    """Print a text that may be long, its paragraph at the end of its first line."""
    first, *rest = list(wrapped(text, "  ")) or ["  "]
    if not rest and len(first) + len(cite) < WIDTH:
        yield two(first, cite)
        return
    short = list(wrapped_to(text, WIDTH - len(cite) - 4))
    yield two(f"  {short[0]}", cite)
    yield from (f"      {line}" for line in short[1:])


def wrapped_to(text: str, width: int) -> Iterator[str]:
    """Break words into lines of a width."""
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    yield line


def reading_part(readings: Sequence[Reading], submission: Submission | None) -> Iterator[str]:
    """Print each reading: the question, what is done, and what may be done instead."""
    yield from title("Where the text leaves room")
    for reading in readings:
        chosen = submission.readings.get(reading.id, reading.default) if submission else None
        explained = EXPLAINED[reading.id]
        yield cited(reading.id, reading.cite)
        yield from wrapped(explained.question, "      ")
        for name, sentence in explained.choices.items():
            if chosen is None:
                word = "default" if name == reading.default else "or"
            elif name == chosen:
                word = "in force"
            else:
                continue
            yield from wrapped(f"{word} {name}: {sentence}", "      ")


# ---- irregularities --------------------------------------------------------------------------


def in_order(cites: Iterable[str]) -> list[str]:
    """Put paragraphs in the chapter's order: 670a.8(f) before 670a.13(c)."""

    def key(cite: str) -> tuple[str, int, str]:
        chapter, _, rest = cite.partition(".")
        number = rest.partition("(")[0]
        return chapter, int(number), rest

    return sorted(cites, key=key)


def void_part(definition: GameDefinition) -> Iterator[str]:
    """Print the paragraphs that make a round void."""
    yield from title("A round is void under")
    found = [f"§ {cite}" for cite in in_order(definition.void_paragraphs)]
    yield from wrapped(", ".join(found) or "no paragraph that is at hand", "  ")


def refusal_part(definition: GameDefinition) -> Iterator[str]:
    """Print the paragraph behind each refusal of a round document."""
    yield from title("A round document is refused")
    for code, cite in definition.refusal_cites.items():
        yield cited(code, cite)


# ---- all readings on one page ----------------------------------------------------------------

INTRODUCTION = """\
# Readings

Where the regulation's text can be read in more than one way, the rules engine takes the way that
is called *default* here. Where another way is listed, a Rules Submission may choose it under
`readings`, by the name in the second column; each round keeps the submission it was settled by, and
a line of its outcome names the reading that decided it.

`./run manage print_rules --readings` prints this page."""


def readings_page() -> list[str]:
    """Return every reading of every game as one page of Markdown."""
    lines = INTRODUCTION.split("\n")
    for game in GAMES:
        definition = definition_of(game)
        if definition is None:
            continue
        lines += ["", f"## {definition.title} ({definition.chapter})"]
        for reading in definition.readings:
            lines += ["", *reading_entry(reading)]
    return lines


def reading_entry(reading: Reading) -> Iterator[str]:
    """Return one reading: its question, and a row for each way to read it."""
    explained = EXPLAINED[reading.id]
    yield f"### {reading.id}, {reading.cite}"
    yield ""
    yield explained.question
    yield ""
    yield "| | name | what it means |"
    yield "| --- | --- | --- |"
    for name, sentence in explained.choices.items():
        word = "default" if name == reading.default else "or"
        yield f"| {word} | `{name}` | {sentence} |"
