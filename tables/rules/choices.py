"""What a Rules Submission may choose, game by game, each choice explained (§ 601a.2).

One list serves the form that proposes, the page that compares and the printout.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from tables.rules.explained import EXPLAINED
from tables.rules.paytables import GameDefinition, Reading
from tables.rules.wagers import AMOUNTS


class Option(NamedTuple):
    """One way to choose."""

    value: Any
    label: str
    sentence: str = ""


class Choice(NamedTuple):
    """One thing that a certificate holder chooses, and where it stands in the submission.

    ``widget``: many or one of the options; money, percent, number, text; json for whole tables.
    """

    path: tuple[str, ...]
    widget: str
    title: str
    sentence: str
    cite: str = ""
    options: tuple[Option, ...] = ()
    default: Any = None

    @property
    def name(self) -> str:
        """The choice's name in a form."""
        return "--".join(self.path)


YES_NO = (Option(True, "Yes"), Option(False, "No"))


def choices_of(definition: GameDefinition) -> list[Choice]:
    """Return every choice of the game, in the order in which a person makes them."""
    found = [*wagers_offered(definition), *letters(definition), *limits(definition)]
    found += [*progressive(definition), *of_the_table(definition)]
    if definition.needs_submission:
        found += OWN_FIGURES
    return [*found, *readings(definition)]


def wagers_offered(definition: GameDefinition) -> Iterator[Choice]:
    """Yield which optional wagers are offered."""
    always = {definition.main_wager, *definition.always_offered}
    optional = [wager for wager in definition.wagers if wager.kind not in always]
    if optional:
        yield Choice(
            ("wagers",),
            "many",
            "Wagers offered",
            f"Beside the {definition.wagers[0].name}, which every player makes.",
            optional[0].cite.rpartition("(")[0] if len(optional) > 1 else optional[0].cite,
            tuple(Option(wager.kind, wager.name, wager.cite) for wager in optional),
            [wager.kind for wager in optional],
        )


def letters(definition: GameDefinition) -> Iterator[Choice]:
    """Yield the paytables of which one is selected by its letter."""
    for name, by_letter in definition.lettered.items():
        options = tuple(
            Option(letter, f"Paytable {letter}", ", ".join(map(line_text, table.lines)))
            for letter, table in by_letter.items()
        )
        first = next(iter(by_letter.values()))
        title = f"Paytable: {name.replace('_', ' ')}"
        sentence = "The chapter prints several; one is in force."
        yield Choice(("paytables", name), "one", title, sentence, first.cite, options,
                     options[0].value)  # fmt: skip


def line_text(line: Any) -> str:
    """Write a paytable's line in a line."""
    return f"{line.hand.replace('_', ' ')} {line.terms_text}"


def limits(definition: GameDefinition) -> Iterator[Choice]:
    """Yield the least and the most that may be wagered."""
    for wager in definition.wagers:
        if wager.kind == "progressive" or wager.kind in ("bet", "options_fee", "double_down"):
            continue  # these follow from another wager, or from the progressive's unit
        for bound, word in (("minimum", "least"), ("maximum", "most")):
            title = f"{wager.name}: {bound}"
            yield Choice((bound, wager.kind), "money", title, f"The {word} that is accepted.")


def progressive(definition: GameDefinition) -> Iterator[Choice]:
    """Yield what a progressive of the chapter starts from and goes back to."""
    terms = definition.progressive
    if terms is None:
        return
    options = tuple(Option(str(unit), f"${unit}") for unit in terms.units)
    yield Choice(
        ("progressive_units",),
        "many",
        "Wager units of progressives",
        "Each table takes the unit of its own progressive. The meter grows by"
        f" {terms.increment_percent} percent of every wager; that is not a choice.",
        terms.cite,
        options,
        [option.value for option in options],
    )
    for unit in terms.units:
        least = f"${terms.lowest_reset(unit):,.2f}"
        for key, what in (
            ("initial", "what a new meter starts from"),
            ("reset", "what the meter goes back to after an award of the whole of it"),
        ):
            title = f"${unit} progressive: {key} amount"
            sentence = f"At least {least}: {what}. Left empty, the set-up's amount holds."
            yield Choice(("progressive", str(unit), key), "money", title, sentence, terms.cite)


def of_the_table(definition: GameDefinition) -> Iterator[Choice]:
    """Yield the choices that belong to one chapter only."""
    chapter = definition.chapter
    if len(definition.decks) > 1:
        options = tuple(Option(number, f"{number} decks") for number in definition.decks)
        yield Choice(("decks",), "one", "Decks in the shoe", "How many decks are dealt from.",
                     f"§ {chapter}.3(a)", options, options[0].value)  # fmt: skip
    if chapter == "672a":
        yield from BLACKJACK
    if chapter == "670a":
        sentence = "Whether one player may wager on two adjacent positions."
        yield Choice(("adjacent_positions",), "one", "Adjacent positions", sentence,
                     "§ 670a.7(f)", YES_NO, True)  # fmt: skip
    if chapter in ("670a", "645a"):
        cite = f"§ {chapter}.11(a)(1)"
        sentence = "How the house sets hands, in words: what a player who asks is told."
        yield Choice(("house_way",), "text", "House way", sentence, cite)


BLACKJACK = (
    Choice(
        ("even_money",),
        "one",
        "Even money",
        "Whether a player's Blackjack against an ace may be paid even at once.",
        "§ 672a.8(e)",
        YES_NO,
        True,
    ),
    Choice(
        ("adjacent_positions",),
        "number",
        "Adjacent boxes for one player",
        "On how many boxes side by side one player may wager. Left empty, none is set.",
        "§ 672a.6(f)",
    ),
    Choice(
        ("smallest_chip",),
        "money",
        "Smallest chip",
        "Insurance may go over half the wager up to the next unit of it.",
        "§ 672a.8(b)",
    ),
    Choice(
        ("settlement",),
        "one",
        "Order of settling",
        "Both begin at the dealer's right and go counterclockwise.",
        "§ 672a.7(r)",
        (
            Option("by_player", "Player by player", "Each player's losses, then his winnings."),
            Option("losers_first", "Losing wagers first", "All losses, then all winnings."),
        ),
        "by_player",
    ),
)

OWN_FIGURES = (
    Choice(("ez",), "one", "EZ table", "Without vigorish; the Queen's Dragon pushes main wagers.",
           "§ 645a.11(f)(1)(v)", YES_NO, False),
    Choice(("commission", "percent"), "percent", "Vigorish",
           "Percent of what the main wager wins; none at an EZ table.", "§ 645a.11(f)(3)"),
    Choice(("vigorish_rounding",), "one", "Rounding of the vigorish", "Where it ends on a fraction"
           " of a cent.", "", (Option("down", "Down"), Option("half_up", "To the nearest cent"),
                               Option("up", "Up")), "down"),
    Choice(("payout_limit",), "money", "Limit of a payout",
           "The most that one wager at odds is paid. Left empty, there is none."),
    Choice(("joker_color",), "one", "Colour of the joker", "What it counts as for Red/Black.",
           "§ 645a.11(h)(8)", (Option("none", "Neither"), Option("red", "Red"),
                               Option("black", "Black")), "none"),
    Choice(("progressive", "wager_unit"), "money", "Progressive: wager unit",
           "What a Progressive Payout Wager costs.", "§ 645a.13(e)"),
    Choice(("progressive", "initial"), "money", "Progressive: initial amount",
           "What a new meter starts from.", "§ 645a.13(e)"),
    Choice(("progressive", "reset"), "money", "Progressive: reset amount",
           "What the meter goes back to after an award of the whole of it.", "§ 645a.13(e)"),
    Choice(("progressive", "increment_percent"), "percent", "Progressive: increment rate",
           "By what share of each wager the meter grows.", "§ 645a.13(e)"),
    Choice(("paytable_rows",), "json", "Paytables", "Each wager's hands and what they pay, as"
           " approved: the chapter's own are not at hand.", "§ 645a.13"),
    Choice(("envy",), "json", "Envy Bonuses", "Each wager's least qualifying amount and what each"
           " hand pays the others.", "§ 645a.11(h)"),
)  # fmt: skip


def readings(definition: GameDefinition) -> Iterator[Choice]:
    """Yield every reading, also those of which there is only one."""
    for reading in definition.readings:
        yield reading_choice(reading)


def reading_choice(reading: Reading) -> Choice:
    """Return a reading with its alternatives, each with its sentence."""
    explained = EXPLAINED[reading.id]
    options = tuple(
        Option(name, name.replace("_", " "), explained.choices[name])
        for name in (reading.default, *reading.alternatives)
    )
    title = f"{reading.id}"
    path = ("readings", reading.id)
    return Choice(path, "one", title, explained.question, reading.cite, options, reading.default)


# ---- values in a submission ------------------------------------------------------------------


def value_at(choices: Mapping[str, Any], choice: Choice) -> Any:
    """Return what the submission says of a choice; None where it says nothing."""
    held: Any = choices
    for key in choice.path:
        if isinstance(held, list):  # progressives, by their unit
            held = next((one for one in held if one.get("wager_unit") == key), None)
        elif isinstance(held, Mapping):
            held = held.get(key)
            if key in ("minimum", "maximum") and isinstance(held, str):  # the main wager's alone
                return held if choice.path[1] in ("main", "ante") else None
        if held is None:
            return None
        if key == "progressive" and isinstance(held, Mapping) and choice.path[1][:1].isdigit():
            held = [held]
    if choice.path[0] == "readings" and held == "default":
        return choice.default
    return held


def put_at(choices: dict[str, Any], choice: Choice, value: Any) -> None:
    """Write a value where the choice stands in a submission."""
    first, *rest = choice.path
    if first == "progressive" and len(rest) == 2:
        progressives = choices.setdefault(first, [])
        held = next((one for one in progressives if one["wager_unit"] == rest[0]), None)
        if held is None:
            held = {"wager_unit": rest[0]}
            progressives.append(held)
        held[rest[1]] = value
    elif first == "commission":
        choices[first] = {"kind": "vigorish", "percent": value, "on": "winnings"}
    elif rest:
        choices.setdefault(first, {})[rest[0]] = value
    else:
        choices[first] = value


def progressives_in(choices: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what a submission says of its progressives: of one, or of one for each unit."""
    told = choices.get("progressive")
    if told is None:
        return []
    return [told] if isinstance(told, Mapping) else list(told)


def shown(choice: Choice, choices: Mapping[str, Any]) -> str:
    """Write what holds of a choice in words."""
    value = value_at(choices, choice)
    if value is None:
        value = choice.default
    if value is None:
        return "not set"
    labels = {str(option.value): option.label for option in choice.options}
    if choice.widget == "many":
        return ", ".join(labels.get(str(one), str(one)) for one in value if str(one) in labels)
    if choice.widget == "one":
        return labels.get(str(value), str(value))
    if choice.widget == "money":
        return f"${AMOUNTS[value]:,.2f}" if is_amount(value) else str(value)
    return f"{value} %" if choice.widget == "percent" else str(value)


def is_amount(value: Any) -> bool:
    """Whether a value is dollars and cents."""
    try:
        return isinstance(value, str) and Decimal(value) >= 0
    except ArithmeticError:
        return False


def lines_of(choice: Choice, choices: Mapping[str, Any]) -> list[str]:
    """Write what holds of a choice line by line; whole tables have a line for each hand."""
    value = value_at(choices, choice)
    if choice.widget != "json" or not isinstance(value, Mapping):
        return [shown(choice, choices)]
    lines = []
    for wager, told in value.items():
        name = wager.replace("_", " ").capitalize()
        is_envy = isinstance(told, Mapping)
        if is_envy:
            lines.append(f"{name}: from ${told.get('minimum_wager')}")
        rows = told.get("pays", ()) if is_envy else told
        lines += [f"{name}: {hand.replace('_', ' ')} {pays}" for hand, pays in rows]
    return lines
