"""What goes into a settlement and what comes out of it: terms in, lines, awards and flags out."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from tables.rules.cards import JOKER
from tables.rules.games import GAMES, definition_of, definition_version
from tables.rules.hands import Ranking
from tables.rules.paytables import GameDefinition, Paytable, ProgressiveTerms
from tables.rules.refusals import Refusal
from tables.rules.wagers import KINDS

if TYPE_CHECKING:
    from progressives.meters import MeterTerms

#: What a Rules Submission may name (§ 601a.2); a slip of the pen must not pass for a choice.
CHOICES = frozenset(
    "spec game version effective sample source wagers paytables paytable_rows envy readings"
    " progressive progressive_units decks even_money minimum maximum adjacent_positions"
    " smallest_chip settlement commission ez vigorish_rounding payout_limit house_way"
    " joker_color".split()
)


class Submission(NamedTuple):
    """A certificate holder's choices for one game, checked and ready to settle with (§ 601a.2).

    ``rules`` names the definition and the choices by version and digest; every outcome carries it.
    ``plan`` is what the game made of the choices, so that no round has to look them up again.
    """

    game: str
    version: str
    digest: str
    rules: str
    choices: Mapping[str, Any]
    offered: frozenset[str]
    readings: Mapping[str, str]
    minimum: Mapping[str, Decimal]
    maximum: Mapping[str, Decimal]
    adjacent_positions: bool
    decks: int
    definition: GameDefinition | None
    paytables: Mapping[str, Paytable]  # the lettered ones
    plan: Any
    progressive: ProgressiveTerms | None  # the chapter's, or the submission's own
    mark: Mapping[str, Any]  # what every outcome says of a submission that is only a sample

    @classmethod
    def make(cls, game: str, choices: Mapping[str, Any]) -> "Submission":
        """Read the choices; refuse, with the place, what the chapter does not leave to choose."""
        if game not in GAMES:
            raise Refusal("bad_value", "game", f"There is no game called {game!r}.")
        definition = definition_of(game)
        check_choices(choices)
        readings = readings_of(definition, choices.get("readings", {}))
        digest = digest_of(choices)
        version = str(choices.get("version", "default"))
        return cls(
            game,
            version,
            digest,
            f"{game}/{definition_version(game)} + {version} {digest[:12]}",
            dict(choices),
            offered_of(definition, choices.get("wagers")),
            readings,
            limits(choices.get("minimum"), "minimum", definition),
            limits(choices.get("maximum"), "maximum", definition),
            choices.get("adjacent_positions", True) is not False,
            decks_of(definition, choices),
            definition,
            paytables_of(definition, choices.get("paytables", {})),
            definition.plan(readings, choices) if definition else None,
            progressive_of(definition, choices),
            {key: choices[key] for key in ("sample", "source") if choices.get("sample")},
        )

    def meter_terms(self, increment_percent: Decimal, reset: Decimal) -> "MeterTerms":
        """Return how a meter of this game behaves (readings SC-10, SC-12, SC-23)."""
        from progressives.meters import MeterTerms  # noqa: PLC0415 - only where a meter is priced

        readings = self.readings
        return MeterTerms(
            increment_percent=increment_percent,
            reset=reset,
            rounding=readings.get("SC-10", "down"),
            top_up=readings.get("SC-12") == "top_up",
            hold_reset=readings.get("SC-23") == "not_below_reset",
        )


class TableTerms(NamedTuple):
    """What holds at one table: its game, its positions, the submission, the progressive's unit.

    ``progressive_unit`` None: the table has no progressive. ``any_unit`` stands for a table that
    takes every wager unit of the chapter, which only the engine's shell knows.
    """

    code: str
    game: str
    positions: int
    submission: Submission
    progressive_unit: Decimal | None
    any_unit: tuple[Decimal, ...] = ()

    @property
    def units(self) -> tuple[Decimal, ...]:
        """The progressive wagers that the table takes (SC-9)."""
        return self.any_unit if self.progressive_unit is None else (self.progressive_unit,)


class Contribution(NamedTuple):
    """A progressive wager, by which a meter grows."""

    position: int
    player: str | None
    stake: Decimal


class ProgressiveWin(NamedTuple):
    """A progressive wager that won. ``percent``: its share of the meter, or None when ``pays``
    is known. ``cards`` are the five that make the hand; ``index`` is the position's place in the
    document."""

    line: dict[str, Any]
    position: int
    player: str | None
    hand: str
    cards: tuple[str, ...]
    stake: Decimal
    percent: int | None
    level: str
    pays: Decimal | None
    lamp: bool | None
    index: int  # type: ignore[assignment]  # hides a method of tuples that nobody needs here
    flags: list[dict[str, Any]]


class Envy(NamedTuple):
    """An Envy Bonus: what ``position`` is paid for the hand of ``from_position``."""

    line: dict[str, Any]
    wager: str
    position: int
    player: str | None
    from_position: int
    hand: str
    stake: Decimal
    pays: Decimal


class Settled(NamedTuple):
    """A round as the rules see it.

    ``contributions``: the round's progressive wagers in turn order, also of a settlement whose
    lock-out has put them on the meter already. ``reversals``: positions whose contribution comes
    off the meter again before the round's first turn (§ 670a.13(d)), or at a void.
    """

    outcome: dict[str, Any]
    contributions: tuple[Contribution, ...]
    reversals: tuple[int, ...]
    wins: tuple[ProgressiveWin, ...]
    envies: tuple[Envy, ...]
    flags: list[dict[str, Any]]


def price_win(win: ProgressiveWin, meter_at_turn: Decimal, pays: Decimal) -> None:
    """Write into a meter award's line what it came to at its turn (§ 670a.12(d)(3))."""
    from progressives.meters import cents  # noqa: PLC0415 - only where a meter is priced

    line = win.line
    line["meter_at_turn"] = cents(meter_at_turn)
    line["pays"] = str(pays)
    if win.percent and meter_at_turn * win.percent != pays * 100:
        line.setdefault("reading", "SC-10")


def joker_as(terms: TableTerms, cards: Sequence[str]) -> str | None:
    """Return the card that the joker stands for in a hand, under the table's readings."""
    ranking: Ranking | None = getattr(terms.submission.plan, "ranking", None)
    if JOKER not in cards or ranking is None:
        return None
    return ranking.best(cards).joker_as


def digest_of(choices: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the choices in one canonical form."""
    text = json.dumps(choices, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def check_choices(choices: Mapping[str, Any]) -> None:
    """Refuse choices that no submission has."""
    for key in choices:
        if key not in CHOICES and not key.startswith("_"):
            raise Refusal("unknown_key", key, f"A rules submission has no {key!r}.")
    for key, kind, word in (
        ("wagers", list, "a list"),
        ("paytables", dict, "an object"),
        ("readings", dict, "an object"),
        ("progressive_units", list, "a list"),
        ("sample", bool, "true or false"),
        ("source", str, "a text"),
    ):
        if key in choices and type(choices[key]) is not kind:
            raise Refusal("wrong_type", key, f"{key!r} must be {word}.")


def offered_of(definition: GameDefinition | None, wagers: list[Any] | None) -> frozenset[str]:
    """Return the wagers on offer: what the submission names, or all that the chapter allows."""
    for place, kind in enumerate(wagers or ()):
        if type(kind) is not str or kind not in KINDS:
            raise Refusal("bad_value", f"wagers[{place}]", f"There is no wager called {kind!r}.")
    if definition is None:
        return frozenset(wagers or ())
    if wagers is None:
        return frozenset(definition.kinds)
    always = definition.always_offered
    return frozenset(definition.kinds) & {*wagers, definition.main_wager, *always}


def paytables_of(
    definition: GameDefinition | None, chosen: Mapping[str, Any]
) -> dict[str, Paytable]:
    """Return the paytables by the letters chosen; the first letter where none is.

    Paytables of other games may stand in the same submission and are left alone.
    """
    found = {}
    for name, by_letter in definition.lettered.items() if definition else ():
        letter = chosen.get(name, next(iter(by_letter)))
        if type(letter) is not str or letter not in by_letter:
            detail = f"The chapter has {name} paytables {', '.join(by_letter)}."
            raise Refusal("bad_value", f"paytables.{name}", detail)
        found[name] = by_letter[letter]
    return found


def progressive_of(
    definition: GameDefinition | None, choices: Mapping[str, Any]
) -> ProgressiveTerms | None:
    """Return what a progressive starts from and grows by: by the chapter, or by the choices."""
    if definition is None:
        return None
    if definition.progressive_of is not None:
        return definition.progressive_of(choices)
    return definition.progressive


def readings_of(definition: GameDefinition | None, chosen: Mapping[str, Any]) -> dict[str, str]:
    """Return the readings in force: the chapter's defaults, replaced by what was chosen.

    Readings of other games may stand in the same submission and are left alone.
    """
    if definition is None:
        return {key: str(choice) for key, choice in chosen.items()}
    known = {reading.id: reading for reading in definition.readings}
    found = {reading.id: reading.default for reading in definition.readings}
    ours = definition.readings[0].id.partition("-")[0]
    for key, choice in chosen.items():
        reading = known.get(key)
        if reading is None:
            if key.partition("-")[0] == ours:
                raise Refusal("unknown_key", f"readings.{key}", f"There is no reading {key!r}.")
            continue
        allowed = (reading.default, *reading.alternatives)
        if choice in allowed:
            found[key] = choice
        elif choice != "default":
            detail = f"{key} can be read as: {', '.join(allowed)}."
            raise Refusal("bad_value", f"readings.{key}", detail, reading.cite)
    return found


def decks_of(definition: GameDefinition | None, choices: Mapping[str, Any]) -> int:
    """Return how many decks are in play: as submitted, or the chapter's usual number."""
    allowed = definition.decks if definition else (1,)
    chosen = choices.get("decks", allowed[0])
    if definition is None or (type(chosen) is int and chosen in allowed):
        return int(chosen) if type(chosen) is int else allowed[0]
    known = " or ".join(str(number) for number in allowed)
    cite = f"§ {definition.chapter}.3(a)"
    raise Refusal("bad_value", "decks", f"{definition.title} is dealt from {known}.", cite)


def limits(told: Any, key: str, definition: GameDefinition | None) -> dict[str, Decimal]:
    """Return a submission's limits by wager; a plain amount is the main wager's."""
    if told is None:
        return {}
    main = definition.main_wager if definition else "main"
    by_kind = told if type(told) is dict else {main: told}
    found = {}
    for kind, amount in by_kind.items():
        try:
            found[kind] = Decimal(amount)
        except (ArithmeticError, TypeError, ValueError):
            raise Refusal("bad_money", key, f"The {key} must be dollars and cents.") from None
    return found
