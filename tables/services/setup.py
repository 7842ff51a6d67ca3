"""Make a house from a set-up file: its facility, progressives, rules submissions and tables.

A file only adds. What is there already must be as the file says; a difference is refused with a
sentence and nothing of the file is loaded, so that nobody believes a meter has new terms.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from audit.services import SYSTEM, chain_of_lane, log_event, record
from progressives.meters import cents
from progressives.models import Lane, LinkStatement, Meter, MeterEntry, Progressive
from progressives.services import must_hit
from progressives.services.ledger import Ledger, RoundFacts
from tables.models import (
    Facility,
    GamingTable,
    Round,
    RulesSubmission,
    SubmissionApproval,
    TableCursor,
    TableProgressive,
)
from tables.services.setup_file import (
    FacilitySetup,
    SetupFile,
    SubmissionSetup,
    TableSetup,
    read_setup,
)
from tables.services.setup_part import SetupRefused
from tables.services.setup_progressives import (
    ProgressiveSetup,
    make_level,
    stored_terms,
    told_terms,
)
from tables.services.terms import GamingDay

ONE_AT_A_TIME = 601_002  # number of the advisory lock: two loads at once would race for the names


@dataclass
class Loaded:
    """What a file brought: the parts that are new, and how many were there already."""

    made: list[str] = field(default_factory=list)
    unchanged: int = 0


@transaction.atomic(durable=True)
def load_setup(document: Any) -> Loaded:
    """Load a set-up file, all of it or nothing; the same file again changes nothing.

    Raises SetupRefused for a file that does not hold together or contradicts what is there.
    """
    setup = read_setup(document)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [ONE_AT_A_TIME])
    loaded = Loaded()
    facility = put_facility(setup.facility, loaded)
    put_submissions(setup, loaded)
    meters = put_progressives(setup, loaded)
    put_tables(setup, loaded)
    entries = open_meters(meters, GamingDay(facility))
    if loaded.made:
        facts = {"document": document, "entries": entries, "made": loaded.made}
        commit_draws(meters)
        record(SYSTEM, [log_event("tables.setup_loaded", setup.facility.name[:80], facts)])
    return loaded


def commit_draws(meters: list[Meter]) -> None:
    """Draw for each new level that must hit, and commit it in its lane's chain before any play."""
    drawn = [meter for meter in meters if meter.must_hit_by is not None]
    for lane in sorted({meter.progressive.lane.name for meter in drawn}):
        own = [meter for meter in drawn if meter.progressive.lane.name == lane]
        record(chain_of_lane(lane), must_hit.begin(own))


def put_facility(wanted: FacilitySetup, loaded: Loaded) -> Facility:
    """Make the facility, or find it as the file says it."""
    found = Facility.objects.filter(pk=1).first()
    if found is None:
        loaded.made.append(f"facility {wanted.name}")
        return Facility.objects.create(
            pk=1,
            name=wanted.name,
            time_zone=wanted.time_zone,
            gaming_day_starts=wanted.gaming_day_starts,
        )
    must_agree(
        "The facility",
        "facility",
        {
            "name": (found.name, wanted.name),
            "time_zone": (found.time_zone, wanted.time_zone),
            "gaming_day_starts": (found.gaming_day_starts, wanted.gaming_day_starts),
        },
    )
    loaded.unchanged += 1
    return found


def put_submissions(setup: SetupFile, loaded: Loaded) -> None:
    """Record each rules submission that is new; one that is recorded is never changed."""
    for wanted in setup.submissions:
        name = f"submission {wanted.game} {wanted.version}"
        rows = RulesSubmission.objects.filter(game=wanted.game)
        found = rows.filter(version=wanted.version).first()
        if found is not None:
            if (found.effective, found.choices) != (wanted.effective, wanted.choices):
                raise SetupRefused(
                    "already_set_up",
                    wanted.path,
                    f"The {name} is recorded with other choices or another day; a changed "
                    "submission takes a version of its own.",
                )
            loaded.unchanged += 1
            continue
        must_not_rewrite(wanted)
        made = RulesSubmission.objects.create(
            game=wanted.game,
            version=wanted.version,
            effective=wanted.effective,
            choices=wanted.choices,
            digest=wanted.digest,
        )
        SubmissionApproval.objects.create(  # by whoever loads the file: the log tells it
            submission=made,
            kind=SubmissionApproval.Kind.SET_UP,
            game=made.game,
            effective=made.effective,
        )
        loaded.made.append(name)


def must_not_rewrite(wanted: SubmissionSetup) -> None:
    """Refuse a submission for a day that has one, or on which rounds were settled without it."""
    path = wanted.path + ".effective"
    rows = SubmissionApproval.objects.exclude(kind=SubmissionApproval.Kind.REFUSED)
    same_day = rows.filter(game=wanted.game, effective=wanted.effective).first()
    if same_day is not None:
        raise SetupRefused(
            "already_set_up",
            path,
            f"From {wanted.effective} on, submission {same_day.submission.version} holds for"
            f" {wanted.game}.",
        )
    played = Round.objects.filter(game=wanted.game, gaming_day__gte=wanted.effective)
    if played.exists():
        raise SetupRefused(
            "already_played",
            path,
            f"Rounds of {wanted.game} were settled on or after {wanted.effective} under the rules "
            "in force then; a submission takes effect on a later day.",
        )


def put_progressives(setup: SetupFile, loaded: Loaded) -> list[Meter]:
    """Make each progressive with its lane and its meters; return the meters that are new."""
    fresh: list[Meter] = []
    for wanted in setup.progressives:
        found = Progressive.objects.filter(code=wanted.code).first()
        if found is not None:
            compare_progressive(found, wanted)
            loaded.unchanged += 1
            continue
        progressive = Progressive.objects.create(
            code=wanted.code,
            name=wanted.name,
            lane=lane_shared(setup, wanted),
            wager_unit=wanted.wager_unit,
            paytables=wanted.paytables,
        )
        if wanted.different_games is not None:
            kind, text = wanted.different_games
            LinkStatement.objects.create(progressive=progressive, kind=kind, text=text)
        fresh += [make_level(progressive, level) for level in wanted.levels]
        loaded.made.append(f"progressive {wanted.code}")
    return fresh


def lane_shared(setup: SetupFile, wanted: ProgressiveSetup) -> Lane:
    """Return the lane of a new progressive: that of all it shares a table with, or one of its own.

    What happens at a table happens in one order, so all its progressives share a lane.
    """
    together = linked_with(setup, wanted.code)
    lanes = Lane.objects.filter(progressives__code__in=together).distinct()
    if len(lanes) > 1:
        names = " and ".join(sorted(lane.name for lane in lanes))
        raise SetupRefused(
            "two_lanes",
            wanted.path,
            f"{wanted.code} would join what is played in the lanes {names}: they stay apart.",
        )
    return lanes[0] if lanes else make_lane(wanted.code, wanted.path + ".code")


def linked_with(setup: SetupFile, code: str) -> set[str]:
    """Return every progressive that is linked with this one by the file's tables, itself too."""
    found, grown = {code}, True
    while grown:
        before = len(found)
        for table in setup.tables:
            if found.intersection(table.feeds):
                found.update(table.feeds)
        grown = len(found) > before
    return found


def compare_progressive(found: Progressive, wanted: ProgressiveSetup) -> None:
    """Refuse a file that says other terms than the progressive and its meters have."""
    must_agree(
        f"Progressive {found.code}",
        wanted.path,
        {
            "name": (found.name, wanted.name),
            "wager_unit": (found.wager_unit, wanted.wager_unit),
            "paytables": (found.paytables, wanted.paytables),
            "different_games": (stated(found), wanted.different_games),
        },
    )
    stored = stored_terms(found)
    for place, level in enumerate(wanted.levels):
        path = f"{wanted.path}.levels[{place}]"
        terms = stored.get(level.code)
        if terms is None:
            raise SetupRefused(
                "already_set_up", path, f"Progressive {found.code} has no meter {level.code}."
            )
        must_agree(
            f"Meter {found.code}:{level.code}",
            path,
            {name: (terms[name], said) for name, said in told_terms(level).items()},
        )


def stated(progressive: Progressive) -> tuple[str, str] | None:
    """Return why a progressive may link different games, as the file says it."""
    statement = LinkStatement.objects.filter(progressive=progressive).first()
    return None if statement is None else (statement.kind, statement.text)


def put_tables(setup: SetupFile, loaded: Loaded) -> None:
    """Make each table in its progressive's lane, or in one of its own."""
    progressives = {p.code: p for p in Progressive.objects.select_related("lane")}
    for wanted in setup.tables:
        found = GamingTable.objects.select_related("progressive").filter(code=wanted.code).first()
        if found is not None:
            compare_table(found, wanted)
            loaded.unchanged += 1
            continue
        must_be_fair(wanted)
        progressive = progressives[wanted.progressive] if wanted.progressive else None
        feeds = [progressives[code] for code in wanted.feeds]
        lane = feeds[0].lane if feeds else make_lane(wanted.code, wanted.path + ".code")
        table = GamingTable.objects.create(
            code=wanted.code,
            pit=wanted.pit,
            game=wanted.game,
            positions=wanted.positions,
            lane=lane,
            progressive=progressive,
            decks_in_use=wanted.decks_in_use,
        )
        TableCursor.objects.create(table=table)
        for code, wager in wanted.also_feeds:
            TableProgressive.objects.create(
                table=table, progressive=progressives[code], wager=wager
            )
        loaded.made.append(f"table {wanted.code}")


def must_be_fair(wanted: TableSetup) -> None:
    """Refuse a table of another game at a progressive that nothing lets link different games."""
    others = GamingTable.objects.exclude(game=wanted.game)
    for code in wanted.feeds:
        linked = others.filter(Q(progressive__code=code) | Q(also_feeds__progressive__code=code))
        if linked.exists() and not LinkStatement.objects.filter(progressive__code=code).exists():
            raise SetupRefused(
                "different_games",
                wanted.path,
                f"Progressive {code} links tables of another game. Its different_games says why"
                " that is fair: an equal probability at every table, or a waiver.",
            )


def compare_table(found: GamingTable, wanted: TableSetup) -> None:
    """Refuse a file that says something else of a table."""
    linked = found.progressive.code if found.progressive else None
    also = tuple(found.also_feeds.values_list("progressive__code", "wager"))
    decks = found.decks_in_use if wanted.decks_in_use is None else wanted.decks_in_use
    must_agree(
        f"Table {found.code}",
        wanted.path,
        {
            "decks_in_use": (found.decks_in_use, decks),
            "game": (found.game, wanted.game),
            "progressive": (linked, wanted.progressive),
            "also_feeds": (also, wanted.also_feeds),
            "positions": (found.positions, wanted.positions),
            "pit": (found.pit, wanted.pit),
        },
    )


def make_lane(name: str, path: str) -> Lane:
    """Make the lane of this name; one that is there belongs to somebody else."""
    lane, made = Lane.objects.get_or_create(name=name)
    if not made:
        raise SetupRefused("duplicate_code", path, f"There is a lane {name} already.")
    return lane


def open_meters(meters: list[Meter], days: GamingDay) -> list[dict[str, Any]]:
    """Put each new meter's initial amount on it through its ledger; return the entries.

    The ledger knows no other way up: a meter that began without an entry could not be explained.
    """
    facts = RoundFacts(0, days.of(timezone.now()), None, "", None, "")
    told: list[dict[str, Any]] = []
    for lane_id in sorted({meter.progressive.lane_id for meter in meters}):
        ledger = Ledger(lane_id)
        for held in ledger.meters.values():
            if held.sequence == 0:
                held.move(MeterEntry.Kind.INITIAL, held.meter.initial, facts, None)
                entries = ledger.take_told(held.meter.progressive_id)
                code = held.meter.progressive.code
                told += [{**entry.told(), "progressive": code} for entry in entries]
        ledger.store()
    return told


def must_agree(what: str, path: str, values: dict[str, tuple[Any, Any]]) -> None:
    """Refuse the first value that the file says differently from what is set up."""
    for name, (is_now, wanted) in values.items():
        if is_now != wanted:
            raise SetupRefused(
                "already_set_up",
                f"{path}.{name}",
                f"{what} is set up with {name} {worded(is_now)}; the file says {worded(wanted)}. "
                "A set-up file adds; it changes nothing that is there.",
            )


def worded(value: Any) -> str:
    """Write a value for a sentence."""
    if value is None or value == "":
        return "none"
    return cents(value) if isinstance(value, Decimal) else str(value)
