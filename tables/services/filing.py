"""File what is over, so that it can be found: the rounds of each lane, and what came later.

Safe to run twice and side by side: a cursor is held while its part is filed. Nothing here is
evidence; the rows can be made again from the rounds (``file_again``).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q

from audit.canonical import parse
from audit.models import AuditEvent, ExceptionRecord
from progressives.models import ClaimStep, Lane
from progressives.selectors import look_token
from tables.findable import Filed, Seat, key
from tables.models import (
    AccessKey,
    AppliedEvent,
    FiledRound,
    FilingCursor,
    GamingTable,
    Round,
    RoundPosition,
)
from tables.services.batch import round_uuid

BATCH = 500  # events of a lane in one transaction
EXCEPTIONS, CLAIMS = "exceptions", "claims"
OVERLAP = 500  # exceptions looked at again, since a lower number may be committed later
PAPER = "paper form "  # how the intake names what was entered from a form
ENDS = ("round", "settlement", "void")

ADD_KEYS_SQL = """
UPDATE tables_filedround AS f SET keys = f.keys || n.key
FROM unnest(%s::uuid[], %s::int[]) AS n (round_id, key)
WHERE f.round_id = n.round_id AND NOT f.keys @> ARRAY[n.key]
"""


def file_rounds(*, seconds: float = 5.0) -> int:
    """File what every lane has done since the last time; return how many rounds were filed.

    Ends after ``seconds`` at the latest; the next run goes on.
    """
    ends_at, filed = monotonic() + seconds, 0
    for lane_id in Lane.objects.order_by("pk").values_list("pk", flat=True):
        while (found := file_lane(lane_id)) is not None and monotonic() < ends_at:
            filed += found
    file_exceptions()
    file_claim_steps()
    return filed


def file_again() -> None:
    """Begin anew: every round is filed once more by the runs that follow."""
    FilingCursor.objects.update(place=0)


def cursor_of(name: str) -> FilingCursor | None:
    """Return a cursor, held until commit; None if somebody else is at it."""
    FilingCursor.objects.bulk_create([FilingCursor(name=name)], ignore_conflicts=True)
    held = FilingCursor.objects.select_for_update(no_key=True, skip_locked=True)
    return held.filter(name=name).first()


@transaction.atomic
def file_lane(lane_id: int) -> int | None:
    """File the next events of a lane; return how many rounds, None where nothing was left."""
    cursor = cursor_of(lane_cursor(lane_id))
    if cursor is None:
        return None
    events = events_after(lane_id, cursor.place, BATCH)
    if not events:
        return None
    rows = list(filed_rows(events))
    FiledRound.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["round"],
        update_fields=["table", "occurred_at", "keys", "hands"],
    )
    cursor.place = events[-1].number
    cursor.save(update_fields=["place"])
    return len(rows)


def lane_cursor(lane_id: int) -> str:
    """Return the name of a lane's cursor."""
    return f"lane:{lane_id}"


def events_after(lane_id: int, number: int, limit: int) -> list[AppliedEvent]:
    """Return the lane's events after a number, in their order, with the intake's rows."""
    events = AppliedEvent.objects.filter(lane=lane_id, number__gt=number).select_related("event")
    return list(events.order_by("number")[:limit])


def filed_rows(events: Iterable[AppliedEvent]) -> list[FiledRound]:
    """Return a row for each round that these events ended."""
    codes = dict(GamingTable.objects.values_list("pk", "code"))
    ended = {
        round_uuid(codes[found.event.table_id], found.event.round or 0): found
        for found in events
        if found.state == AppliedEvent.State.APPLIED and found.event.type in ENDS
    }
    rows = [
        FiledRound(
            round_id=round_.pk,
            table_id=round_.table_id,
            occurred_at=round_.occurred_at,
            keys=filed.keys(),
            hands=filed.hands(),
        )
        for round_, filed in gathered(ended, codes)
    ]
    return sorted(rows, key=lambda row: row.round_id)  # always locked in the same order


def gathered(ended: dict[UUID, AppliedEvent], codes: dict[int, str]) -> list[tuple[Round, Filed]]:
    """Read all that these rounds can be found by, in one query of each kind."""
    rounds = list(Round.objects.filter(pk__in=list(ended)))
    seats = seats_of(ended)
    places = [(codes[round_.table_id], round_.number) for round_ in rounds]
    apart = [r for r in rounds if ended[r.pk].event.type != "round"]
    lockouts = lockouts_of([f"{codes[r.table_id]}/{r.number}" for r in apart])
    flags = flags_of(places)
    steps, bypassing = claim_flags(ended), past_the_controller()
    made = []
    for round_, place in zip(rounds, places, strict=True):
        applied = ended[round_.pk]
        document = parse(bytes(applied.event.body))
        locked, moved = lockouts.get(place, ({}, []))
        found = {flag["code"] for flag in round_.flags} | flags[place] | steps[round_.pk]
        if applied.late:
            found.add("late")
        by = applied.event.key_name
        if by.startswith(PAPER) or by in bypassing.get(round_.table_id, ()):
            found.add("manual")
        filed = Filed(
            table=place[0],
            number=place[1],
            game=round_.game,
            state=round_.state,
            dealer=round_.dealer,
            floorperson=round_.floorperson,
            occurred_at=round_.occurred_at,
            seats=named(seats[round_.pk], locked),
            meters=round_.meters,
            decks={d["deck"] for d in (document, locked) if d.get("deck")},
            flags=found,
            documents=[document],
            moved=moved,
        )
        made.append((round_, filed))
    return made


def seats_of(round_ids: Iterable[UUID]) -> dict[UUID, list[Seat]]:
    """Return the positions of rounds."""
    found: dict[UUID, list[Seat]] = defaultdict(list)
    rows = RoundPosition.objects.filter(round_id__in=list(round_ids)).order_by("round", "-position")
    told = rows.values_list("round_id", "position", "player", "wagers", "lines")
    for round_id, position, player, wagers, lines in told:
        found[round_id].append(Seat(position, player, wagers, lines))
    return found


def lockouts_of(
    subjects: Sequence[str],
) -> dict[tuple[str, int], tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Return, of rounds with a lock-out of their own, its document and what it moved.

    From the log: the intake is not ordered by rounds. ``subjects`` are as the log writes them.
    """
    events = AuditEvent.objects.filter(subject__in=subjects, action="tables.lockout_applied")
    told = [parse(bytes(body)) for body in events.values_list("body", flat=True)]
    return {
        place_of(page["subject"]): (page["facts"]["document"], page["facts"]["entries"])
        for page in told
    }


def named(seats: Sequence[Seat], lockout: dict[str, Any]) -> list[Seat]:
    """Return the positions with player and wagers where only the lock-out tells them (a void)."""
    told = {seat["position"]: seat for seat in lockout.get("positions", ())}
    found = []
    for seat in seats:
        locked = told.get(seat.position, {})
        player, wagers = locked.get("player", ""), locked.get("wagers", {})
        found.append(replace(seat, player=seat.player or player, wagers=seat.wagers or wagers))
    return found


def place_of(subject: str) -> tuple[str, int]:
    """Return table and round of a subject of the log."""
    table, _, number = subject.rpartition("/")
    return table, int(number)


def flags_of(places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], set[str]]:
    """Return the kinds and severities of the exceptions of rounds."""
    found: dict[tuple[str, int], set[str]] = defaultdict(set)
    by_table: dict[str, list[int]] = defaultdict(list)
    for table, number in places:
        by_table[table].append(number)
    asked = Q(pk__in=[])
    for table, numbers in by_table.items():
        asked |= Q(table=table, round__in=numbers)
    rows = ExceptionRecord.objects.filter(asked).order_by()
    for table, odd_at, kind, severity in rows.values_list("table", "round", "kind", "severity"):
        if odd_at is not None:
            found[table, odd_at] |= {kind, severity}
    return found


def claim_flags(round_ids: Iterable[UUID]) -> dict[UUID, set[str]]:
    """Return what became of the claims of rounds: claim, refused, disputed …"""
    found: dict[UUID, set[str]] = defaultdict(set)
    steps = ClaimStep.objects.filter(claim__round_id__in=list(round_ids)).order_by()
    for round_id, kind in steps.values_list("claim__round_id", "kind"):
        found[round_id] |= {"claim", kind}
    return found


def past_the_controller() -> dict[int, set[str]]:
    """Return, of each table with a controller of its own, the keys of others that report for it.

    What comes by one of these was entered past the table's controller.
    """
    rows = AccessKey.tables.through.objects.values_list(
        "gamingtable", "accesskey__kind", "accesskey__name"
    )
    kinds: dict[int, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for table, kind, name in rows:
        kinds[table][kind].add(name)
    return {
        table: by_kind[AccessKey.Kind.GATEWAY] - by_kind[AccessKey.Kind.CONTROLLER]
        for table, by_kind in kinds.items()
        if by_kind[AccessKey.Kind.CONTROLLER]
    }


@transaction.atomic
def file_exceptions() -> None:
    """Add what was found odd about rounds after they were filed."""
    cursor = cursor_of(EXCEPTIONS)
    if cursor is None:
        return
    rows = ExceptionRecord.objects.filter(pk__gt=cursor.place - OVERLAP).order_by("pk")
    seen = list(rows.values_list("pk", "table", "round", "kind", "severity")[:5000])
    pairs = [
        (round_uuid(table, number), key("flag", flag))
        for _, table, number, kind, severity in seen
        if number is not None
        for flag in (kind, severity)
    ]
    add_keys(pairs)
    if seen and seen[-1][0] > cursor.place:
        cursor.place = seen[-1][0]
        cursor.save(update_fields=["place"])


@transaction.atomic
def file_claim_steps() -> None:
    """Add what became of claims after their rounds were filed: refused, disputed …"""
    cursor = cursor_of(CLAIMS)
    if cursor is None:
        return
    token = look_token()
    steps = ClaimStep.objects.filter(transaction__gte=cursor.place).order_by()
    add_keys(
        (round_id, key("flag", kind))
        for round_id, kind in steps.values_list("claim__round_id", "kind").distinct()
    )
    if token != cursor.place:
        cursor.place = token
        cursor.save(update_fields=["place"])


def add_keys(pairs: Iterable[tuple[UUID, int]]) -> None:
    """Give filed rounds further keys; a round that is not filed yet finds them when it is.

    One statement adds one key to a row, so a row with several new keys needs as many.
    """
    rest = sorted(set(pairs))
    while rest:
        now = dict(reversed(rest))
        rest = [pair for pair in rest if now[pair[0]] != pair[1]]
        with connection.cursor() as cursor:
            cursor.execute(ADD_KEYS_SQL, [list(now), list(now.values())])
