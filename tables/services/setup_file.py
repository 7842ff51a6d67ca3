"""Read a set-up file (``setup/1``): what a house is made of, checked before anything is made.

Pure. A problem is refused with a code, the JSON path and a sentence, as a round's is.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from progressives.meters import increment
from tables.rules import GAMES, Refusal, Submission
from tables.rules.games import definition_of
from tables.rules.paytables import ProgressiveTerms

SPEC = "setup/1"
CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
MONEY = re.compile(r"\d{1,11}\.\d{2}")
PERCENT = re.compile(r"\d{1,3}(\.\d{1,4})?")
TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

# Betting positions at most, where no definition of the game says it: § 671a.2(a), § 672a.2(a).
MOST_POSITIONS = {"pai_gow": 6, "lunar_poker": 5, "free_bet_blackjack": 6}
WITHOUT_PROGRESSIVE = {"lunar_poker", "free_bet_blackjack"}


class SetupRefused(Refusal):
    """A set-up file that cannot be loaded: why, where, and in words."""


@dataclass(frozen=True)
class FacilitySetup:
    """The licensed facility and when its gaming day begins."""

    name: str
    time_zone: str
    gaming_day_starts: time


@dataclass(frozen=True)
class LevelSetup:
    """One meter of a progressive, with its terms."""

    code: str
    initial: Decimal
    reset: Decimal
    increment_percent: Decimal


@dataclass(frozen=True)
class ProgressiveSetup:
    """One progressive: its wager unit and its meters."""

    path: str
    code: str
    name: str
    wager_unit: Decimal
    levels: tuple[LevelSetup, ...]


@dataclass(frozen=True)
class SubmissionSetup:
    """One dated rules submission of one game, with the choices as the file has them."""

    path: str
    game: str
    version: str
    effective: date
    choices: dict[str, Any]
    digest: str


@dataclass(frozen=True)
class TableSetup:
    """One gaming table."""

    path: str
    code: str
    pit: str
    game: str
    positions: int
    progressive: str | None
    decks_in_use: int | None


@dataclass(frozen=True)
class SetupFile:
    """A whole set-up file that holds together."""

    facility: FacilitySetup
    progressives: tuple[ProgressiveSetup, ...]
    submissions: tuple[SubmissionSetup, ...]
    tables: tuple[TableSetup, ...]


class Part:
    """One object of the file: gives its values by kind and refuses keys nobody asked for."""

    def __init__(self, value: Any, path: str) -> None:
        if not isinstance(value, dict):
            raise SetupRefused("wrong_type", path, "An object belongs here.")
        self._value, self.path = value, path
        self._asked: set[str] = set()

    def at(self, key: str) -> str:
        """Return the JSON path of a key."""
        return f"{self.path}.{key}" if self.path else key

    def get(self, key: str, kind: type, default: Any = ...) -> Any:
        """Return a value of the kind; without a default the key must be there."""
        self._asked.add(key)
        found = self._value.get(key)
        if found is None and default is not ...:
            return default
        if key not in self._value:
            raise SetupRefused("missing_key", self.at(key), f"The key {key} is missing.")
        if not isinstance(found, kind) or isinstance(found, bool):
            names = {str: "A text", int: "A whole number", list: "A list", dict: "An object"}
            raise SetupRefused("wrong_type", self.at(key), f"{names[kind]} belongs here.")
        return found

    def text(self, key: str, longest: int) -> str:
        """Return a text that is not empty and not too long."""
        found = str(self.get(key, str))
        if not found.strip() or len(found) > longest:
            raise SetupRefused(
                "bad_value", self.at(key), f"A text of 1 to {longest} characters belongs here."
            )
        return found

    def maybe(self, key: str, longest: int) -> str | None:
        """Return a text that need not be there."""
        self._asked.add(key)
        return None if self._value.get(key) is None else self.text(key, longest)

    def code(self, longest: int) -> str:
        """Return the code by which everything else names this part."""
        found = self.text("code", longest)
        if not CODE.fullmatch(found):
            raise SetupRefused(
                "bad_value", self.at("code"), "A code is letters, digits, dots and hyphens."
            )
        return found

    def matching(self, key: str, pattern: re.Pattern[str], code: str, wanted: str) -> str:
        """Return a text of the pattern; numbers are refused under the same code as bad texts."""
        found: Any = self.get(key, object)
        if not isinstance(found, str) or not pattern.fullmatch(found):
            raise SetupRefused(code, self.at(key), f"{wanted} belongs here.")
        return str(found)

    def money(self, key: str) -> Decimal:
        """Return dollars and cents, more than zero."""
        amount = Decimal(self.matching(key, MONEY, "bad_money", 'An amount such as "5000.00"'))
        if not amount:
            raise SetupRefused("bad_money", self.at(key), "The amount must be more than zero.")
        return amount

    def percent(self, key: str) -> Decimal:
        """Return a percentage above zero and up to a hundred."""
        found = Decimal(self.matching(key, PERCENT, "bad_percent", 'A percentage such as "21"'))
        if not 0 < found <= 100:
            raise SetupRefused(
                "bad_percent", self.at(key), "The percentage must be above 0 and at most 100."
            )
        return found

    def day(self, key: str) -> date:
        """Return a calendar day."""
        written = self.matching(key, DATE, "bad_value", 'A day such as "2026-01-31"')
        try:
            return date.fromisoformat(written)
        except ValueError:
            raise SetupRefused(
                "bad_value", self.at(key), f"There is no day {written} in the calendar."
            ) from None

    def parts(self, key: str, default: Any = ...) -> Iterator["Part"]:
        """Yield the objects of a list, each with its path."""
        for place, value in enumerate(self.get(key, list, default)):
            yield Part(value, f"{self.at(key)}[{place}]")

    def whole(self) -> dict[str, Any]:
        """Return the whole object, for a reader that judges its keys itself."""
        return dict(self._value)

    def done(self) -> None:
        """Refuse the first key that nobody asked for; keys with ``_`` are the writer's own."""
        for key in self._value:
            if key not in self._asked and not key.startswith("_"):
                raise SetupRefused("unknown_key", self.at(key), f"The key {key} is not known here.")


def read_setup(document: Any) -> SetupFile:
    """Return what the document sets up; raise the first ``SetupRefused``."""
    whole = Part(document, "")
    if whole.get("spec", object) != SPEC:
        raise SetupRefused("bad_value", "spec", f'This reads "{SPEC}" and nothing else.')
    found = SetupFile(
        read_facility(Part(whole.get("facility", dict), "facility")),
        tuple(map(read_progressive, whole.parts("progressives", []))),
        tuple(map(read_submission, whole.parts("rules_submissions", []))),
        tuple(map(read_table, whole.parts("tables"))),
    )
    whole.done()
    check_codes(found)
    check_progressives(found)
    return found


def read_facility(part: Part) -> FacilitySetup:
    """Read the facility; its zone must be one that this machine knows."""
    name, zone = part.text("name", 80), part.text("time_zone", 48)
    try:
        ZoneInfo(zone)
    except (KeyError, OSError, ValueError):  # unknown, or no name at all such as "../UTC"
        raise SetupRefused(
            "bad_time_zone", part.at("time_zone"), f"There is no time zone {zone}."
        ) from None
    starts = part.matching("gaming_day_starts", TIME, "bad_time", 'A time such as "06:00"')
    part.done()
    return FacilitySetup(name, zone, time.fromisoformat(starts))


def read_progressive(part: Part) -> ProgressiveSetup:
    """Read a progressive with its one meter (§ 670a.12(d) knows no second one)."""
    code, unit = part.code(24), part.money("wager_unit")
    levels = tuple(read_level(level, unit) for level in part.parts("levels"))
    if len(levels) != 1:
        raise SetupRefused("bad_value", part.at("levels"), "A progressive has exactly one meter.")
    name = part.maybe("name", 60) or ""
    part.done()
    return ProgressiveSetup(part.path, code, name, unit, levels)


def read_level(part: Part, unit: Decimal) -> LevelSetup:
    """Read one meter's terms."""
    level = LevelSetup(
        part.code(24), part.money("initial"), part.money("reset"), part.percent("increment_percent")
    )
    try:
        increment(unit, level.increment_percent)
    except ValueError as error:
        raise SetupRefused("bad_percent", part.at("increment_percent"), f"{error}.") from None
    part.done()
    return level


def read_submission(part: Part) -> SubmissionSetup:
    """Read a rules submission; the engine judges its choices (§ 601a.2)."""
    game = read_game(part)
    version, effective = part.text("version", 24), part.day("effective")
    choices = part.whole()
    try:
        submission = Submission.make(game, choices)
    except Refusal as refusal:
        path = refusal.under(part.path).path
        raise SetupRefused(refusal.code, path, refusal.detail, refusal.cite) from refusal
    return SubmissionSetup(part.path, game, version, effective, choices, submission.digest)


def read_game(part: Part) -> str:
    """Read the name of a game that the regulation's chapters here know."""
    game = part.text("game", 32)
    if game not in GAMES:
        known = ", ".join(sorted(GAMES))
        raise SetupRefused("unknown_game", part.at("game"), f"The games are {known}; not {game}.")
    return game


def read_table(part: Part) -> TableSetup:
    """Read a table; it has no more positions than its chapter allows."""
    code, pit, game = part.code(16), part.maybe("pit", 8) or "", read_game(part)
    definition = definition_of(game)
    most = definition.positions if definition else MOST_POSITIONS[game]
    positions = part.get("positions", int)
    if not 1 <= positions <= most:
        raise SetupRefused(
            "bad_positions",
            part.at("positions"),
            f"A table of this game has 1 to {most} positions.",
        )
    progressive = part.maybe("progressive", 24)
    decks_in_use = part.get("decks_in_use", int, None)
    if decks_in_use not in (None, 1, 2):
        raise SetupRefused(
            "bad_value", part.at("decks_in_use"), "One deck or batch is in use, or two in turn."
        )
    part.done()
    return TableSetup(part.path, code, pit, game, positions, progressive, decks_in_use)


def check_codes(found: SetupFile) -> None:
    """Refuse a code that names two things; a table's own lane takes its name from the code."""
    refuse_second(((p.code, p.path + ".code") for p in found.progressives), "progressive")
    refuse_second(((t.code, t.path + ".code") for t in found.tables), "table")
    refuse_second(((f"{s.game} {s.version}", s.path) for s in found.submissions), "submission")
    refuse_second(((f"{s.game} {s.effective}", s.path) for s in found.submissions), "submission")
    lanes = {p.code for p in found.progressives}
    for table in found.tables:
        if table.progressive is None and table.code in lanes:
            raise SetupRefused(
                "duplicate_code", table.path + ".code", f"A progressive is called {table.code} too."
            )


def refuse_second(named: Iterable[tuple[str, str]], what: str) -> None:
    """Refuse the second thing of one name, at its path."""
    seen: set[str] = set()
    for name, path in named:
        if name in seen:
            raise SetupRefused("duplicate_code", path, f"There are two of the {what} {name}.")
        seen.add(name)


def check_progressives(found: SetupFile) -> None:
    """Check each table's link, and the amounts that the table's chapter asks for."""
    by_code = {p.code: p for p in found.progressives}
    for table in found.tables:
        if table.progressive is None:
            continue
        path, asked = table.path + ".progressive", progressive_terms(found, table.game)
        if asked is None:
            raise SetupRefused("bad_value", path, "This game has no Progressive Payout Wager.")
        linked = by_code.get(table.progressive)
        if linked is None:
            raise SetupRefused(
                "unknown_progressive", path, f"The file has no progressive {table.progressive}."
            )
        for terms in asked:
            check_amounts(linked, terms)


def progressive_terms(found: SetupFile, game: str) -> list[ProgressiveTerms] | None:
    """Return what a game's chapter asks of a progressive, or each of its submissions in the file.

    None: the game has no progressive.
    """
    definition = definition_of(game)
    if definition is None:
        return None if game in WITHOUT_PROGRESSIVE else []
    if not definition.needs_submission:
        return None if definition.progressive is None else [definition.progressive]
    made = [Submission.make(game, s.choices) for s in found.submissions if s.game == game]
    return [submission.progressive for submission in made if submission.progressive]


def check_amounts(progressive: ProgressiveSetup, terms: ProgressiveTerms) -> None:
    """Check that the chapter has envies for the unit, and that the seed is large enough for it."""
    unit = progressive.wager_unit
    if unit not in terms.units:
        raise SetupRefused(
            "progressive_unit",
            progressive.path + ".wager_unit",
            f"A Progressive Payout Wager here is {' or '.join(f'${u}' for u in terms.units)}.",
            terms.cite,
        )
    least = terms.lowest_reset(unit)
    for place, level in enumerate(progressive.levels):
        for name, amount in (("initial", level.initial), ("reset", level.reset)):
            if amount < least:
                raise SetupRefused(
                    "seed_too_small",
                    f"{progressive.path}.levels[{place}].{name}",
                    f"The {name} amount must be at least ${least:,.2f} where the wager is ${unit}.",
                    terms.cite,
                )
