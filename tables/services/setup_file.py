"""Read a set-up file (``setup/1``): what a house is made of, checked before anything is made.

Pure. A problem is refused with a code, the JSON path and a sentence, as a round's is.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, time
from typing import Any
from zoneinfo import ZoneInfo

from tables.rules import GAMES, Refusal, Submission, chosen
from tables.rules.games import definition_of
from tables.rules.paytables import ProgressiveTerms
from tables.services.setup_part import Part, SetupRefused
from tables.services.setup_progressives import ProgressiveSetup, read_progressive

SPEC = "setup/1"
TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")

# Betting positions at most, where no definition of the game says it: § 671a.2(a), § 672a.2(a).
MOST_POSITIONS = {"pai_gow": 6, "lunar_poker": 5, "free_bet_blackjack": 6}
WITHOUT_PROGRESSIVE = {"lunar_poker", "free_bet_blackjack"}
OF_SEVERAL = {"super_on", "red_black"}  # wagers that are more than one amount


@dataclass(frozen=True)
class FacilitySetup:
    """The licensed facility and when its gaming day begins."""

    name: str
    time_zone: str
    gaming_day_starts: time


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
    also_feeds: tuple[tuple[str, str], ...] = ()  # (progressive, the wager that feeds it)

    @property
    def feeds(self) -> tuple[str, ...]:
        """Return every progressive that the table has, its game's own first."""
        own = () if self.progressive is None else (self.progressive,)
        return own + tuple(code for code, _ in self.also_feeds)


@dataclass(frozen=True)
class SetupFile:
    """A whole set-up file that holds together."""

    facility: FacilitySetup
    progressives: tuple[ProgressiveSetup, ...]
    submissions: tuple[SubmissionSetup, ...]
    tables: tuple[TableSetup, ...]


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
    check_links(found)
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


def read_submission(part: Part) -> SubmissionSetup:
    """Read a rules submission; the engine judges its choices (§ 601a.2)."""
    game = read_game(part)
    version, effective = part.text("version", 24), part.day("effective")
    choices = part.whole()
    try:
        submission = Submission.make(game, choices)
        if submission.definition is not None:
            chosen.check_progressives(submission.definition, choices)
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
    also = tuple(read_feed(feed, game, progressive) for feed in part.parts("also_feeds", []))
    refuse_second(((code, part.at("also_feeds")) for code, _ in also), "progressive")
    part.done()
    return TableSetup(part.path, code, pit, game, positions, progressive, decks_in_use, also)


def read_feed(part: Part, game: str, own: str | None) -> tuple[str, str]:
    """Read a further progressive of a table, and the wager whose making feeds it."""
    code, wager = part.text("progressive", 24), part.text("wager", 24)
    definition = definition_of(game)
    made = []
    if definition is not None:
        never = OF_SEVERAL | definition.after_lockout
        made = [kind for kind in definition.kinds if kind not in never]
    if own is None:
        made = [kind for kind in made if kind != "progressive"]
    if wager not in made:
        raise SetupRefused(
            "unknown_wager",
            part.at("wager"),
            f"Before the lock-out this table has {', '.join(made)}; not {wager}.",
        )
    if code == own:
        raise SetupRefused(
            "duplicate_code", part.at("progressive"), f"The table's own progressive is {code}."
        )
    part.done()
    return code, wager


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
        if asked and not linked.plain:
            raise SetupRefused(
                "bad_value",
                path,
                "This game's wager feeds one level at one rate, whatever is dealt.",
            )
        for terms in asked:
            check_amounts(linked, terms)


def check_links(found: SetupFile) -> None:
    """Check what else each table feeds."""
    by_code = {p.code: p for p in found.progressives}
    for table in found.tables:
        for place, (code, _) in enumerate(table.also_feeds):
            path = f"{table.path}.also_feeds[{place}].progressive"
            if code not in by_code:
                raise SetupRefused(
                    "unknown_progressive", path, f"The file has no progressive {code}."
                )
            if not by_code[code].must_hit:
                raise SetupRefused(
                    "bad_value",
                    path,
                    "A table's further progressive must hit by an amount: its hands pay no other.",
                )


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
