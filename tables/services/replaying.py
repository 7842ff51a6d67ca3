"""Replay a file of real events through the API, wait for them, and say what they came to."""

import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from audit.verify import verify_chains
from progressives.meters import cents
from progressives.models import JackpotClaim, Meter
from tables.models import AppliedEvent, GamingTable, Round, TableCursor
from tables.rules import SUPPORTED_GAMES
from tables.services.batch import round_uuid
from tables.services.replay_file import Sent, count_out_of_order, count_retries, in_turn_order
from tables.services.sending import Gateway

LIST_LENGTH = 200  # events in one request
POLL_SECONDS = 0.1
PATIENCE_SECONDS = 600.0  # without any progress, then the replay says what waits
GAP_SECONDS = 3.0  # when nothing but events behind a gap is left
MISPAY = "mispay"  # the rules' flag: paid is not what the lines come to
SETTLING = ("settlement", "round", "void")


@dataclass
class Replay:
    """A file on its way through the API."""

    events: list[Sent]
    answers: list[dict[str, Any]] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)  # sentences: what stays waiting, and why

    @property
    def accepted(self) -> dict[str, dict[str, Any]]:
        """The answers of the accepted events, by event id."""
        return {
            one_form(answer["event_id"]): answer
            for answer in self.answers
            if answer["status"] == "accepted"
        }

    def sequences(self) -> dict[str, list[int]]:
        """Return the accepted sequences of each table, in order."""
        found: dict[str, set[int]] = {}
        for answer in self.accepted.values():
            found.setdefault(answer["table"], set()).add(answer["sequence"])
        return {table: sorted(sequences) for table, sequences in found.items()}


def one_form(event_id: str) -> str:
    """Return an event id as the database writes it."""
    return str(UUID(event_id))


# ---- the way --------------------------------------------------------------------------------


def send_events(replay: Replay, gateway: Gateway, progress: Callable[[int], None]) -> None:
    """Send all events in the file's order, as lists; keep the answers."""
    for start in range(0, len(replay.events), LIST_LENGTH):
        part = replay.events[start : start + LIST_LENGTH]
        replay.answers += gateway.send([event.raw for event in part])
        progress(len(part))


def wait_until_applied(replay: Replay, progress: Callable[[int, int], None]) -> bool:
    """Wait until every accepted event that has an engine came to its turn.

    ``progress`` is told (done, of how many). Returns False, and says in ``replay.waiting`` what
    waits, where nothing has moved for ten minutes or only events behind a gap are left.
    """
    sequences = replay.sequences()
    tables = GamingTable.objects.filter(code__in=sequences, game__in=SUPPORTED_GAMES)
    reported = {table.pk: sequences[table.code] for table in tables}
    wanted = {pk: found[-1] for pk, found in reported.items()}
    total = sum(map(len, reported.values()))
    before, since = expected_of(wanted), time.monotonic()
    while True:
        now = expected_of(wanted)
        done = sum(bisect_left(found, now[pk]) for pk, found in reported.items())
        progress(done, total)
        if done == total:
            return True
        if now != before:
            before, since = now, time.monotonic()
        idle = time.monotonic() - since
        if idle > PATIENCE_SECONDS or (idle > GAP_SECONDS and not can_move(wanted, now)):
            replay.waiting = what_waits(wanted, now)
            return False
        time.sleep(POLL_SECONDS)


def expected_of(wanted: dict[int, int]) -> dict[int, int]:
    """Return the sequence that comes next at each of the tables."""
    rows = TableCursor.objects.filter(table_id__in=wanted).values_list("table_id", "expected")
    return dict(rows)


def can_move(wanted: dict[int, int], expected: dict[int, int]) -> bool:
    """Whether the event that some unfinished table waits for is in the intake."""
    behind = [pk for pk in wanted if expected[pk] <= wanted[pk]]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM unnest(%s::bigint[], %s::bigint[]) AS next (table_id, sequence)"
            " JOIN tables_tableevent USING (table_id, sequence) LIMIT 1",
            [behind, [expected[pk] for pk in behind]],
        )
        return cursor.fetchone() is not None


def what_waits(wanted: dict[int, int], expected: dict[int, int]) -> list[str]:
    """Say for each table that is not done what it waits for."""
    told = []
    for cursor in TableCursor.objects.filter(table_id__in=wanted).select_related("table"):
        last, place = wanted[cursor.table_id], cursor.expected
        if place <= last:
            there = can_move({cursor.table_id: last}, {cursor.table_id: place})
            why = cursor.last_error or "no worker takes it"
            what = f"is in the intake, but {why}" if there else "has not come"
            told.append(
                f"{cursor.table.code}: event {place} {what}; "
                f"events up to {last} of this replay wait behind it."
            )
    return told


# ---- what it came to ------------------------------------------------------------------------


def result_of(replay: Replay) -> dict[str, Any]:
    """Say what the file's events came to, from the database."""
    events = [
        event
        for event, answer in zip(replay.events, replay.answers, strict=True)
        if answer["status"] == "accepted"
    ]
    codes = {event.table for event in replay.events if event.table is not None}
    tables = {table.code: table for table in GamingTable.objects.filter(code__in=codes)}
    rounds = rounds_of(in_turn_order(events))
    claims = claims_of(rounds)
    fates = fates_of(replay)
    applied = sum(fate.state != AppliedEvent.State.SET_ASIDE for fate in fates.values())
    games = [tables[answer["table"]].game for answer in replay.accepted.values()]
    held = sum(game not in SUPPORTED_GAMES for game in games)  # they wait, and rightly
    over = Round.objects.filter(pk__in=list(rounds))
    log = verify_chains()
    return {
        "events_sent": len(replay.answers),
        "events_applied": applied,
        "retries": count_retries(replay.events),
        "meters": meters_of(tables.values()),
        "claims": len(claims),
        "meter_claims": [
            told_of(claim) for claim in claims if claim.kind == JackpotClaim.Kind.METER
        ],
        "mispays": count_mispays(over),
        "rounds": over.filter(state=Round.State.SETTLED).count(),
        "voids": over.filter(state=Round.State.VOID).count(),
        "out_of_order": count_out_of_order(events),
        "refused": refusals_of(replay, fates),
        "held": held,
        "waiting": len(replay.accepted) - held - applied,
        "audit": {"events": log.events, "head": log.head, "verified": log.ok},
    }


def count_mispays(over: QuerySet[Round]) -> int:
    """Count where the dealer paid otherwise than the rules say, among these rounds."""
    return sum(
        flag["code"] == MISPAY for flags in over.values_list("flags", flat=True) for flag in flags
    )


class Fate(NamedTuple):
    """What became of an event at its turn."""

    state: str
    code: str
    path: str
    detail: str


def fates_of(replay: Replay) -> dict[str, Fate]:
    """Return what became of each accepted event at its turn, by its id."""
    rows = AppliedEvent.objects.filter(event__event_id__in=list(replay.accepted)).values_list(
        "event__event_id", "state", "code", "path", "detail"
    )
    return {str(event_id): Fate(*fate) for event_id, *fate in rows}


def rounds_of(ordered: Sequence[Sent]) -> dict[UUID, int]:
    """Return the rounds that the events end, each with its place in the order of their turns."""
    found: dict[UUID, int] = {}
    for place, event in enumerate(ordered):
        if event.type in SETTLING and event.table is not None and event.round is not None:
            found[round_uuid(event.table, event.round)] = place
    return found


def claims_of(rounds: dict[UUID, int]) -> list[JackpotClaim]:
    """Return the claims of these rounds in the order of their turns, then by position."""
    claims = JackpotClaim.objects.filter(round_id__in=list(rounds))
    return sorted(claims, key=lambda claim: (rounds[claim.round_id], claim.position))


def told_of(claim: JackpotClaim) -> dict[str, Any]:
    """Say of a meter award where it fell, on what hand, and what it took from the meter."""
    return {
        "table": claim.table,
        "round": claim.round,
        "position": claim.position,
        "hand": claim.hand,
        "meter_at_turn": cents(claim.meter_at_turn) if claim.meter_at_turn is not None else None,
        "pays": f"{claim.amount:.2f}",
    }


def meters_of(tables: Any) -> dict[str, str]:
    """Return what the meters of these tables' progressives show."""
    linked = {table.progressive_id for table in tables if table.progressive_id}
    meters = Meter.objects.filter(progressive__in=linked).order_by("progressive__code", "pk")
    return {
        meter.progressive.code: cents(meter.value) for meter in meters.select_related("progressive")
    }


def refusals_of(replay: Replay, fates: dict[str, Fate]) -> list[dict[str, Any]]:
    """Return what was refused, at the door or at its turn, in the order sent; a repeat once."""
    told = []
    seen: set[str] = set()
    for answer in replay.answers:
        if answer["status"] != "accepted":
            told.append({key: answer[key] for key in ("event_id", "code", "path", "detail")})
            continue
        event_id = one_form(answer["event_id"])
        fate = fates.get(event_id)
        if fate is not None and fate.state == AppliedEvent.State.REFUSED and event_id not in seen:
            why = {"code": fate.code, "path": fate.path, "detail": fate.detail}
            told.append({"event_id": answer["event_id"], **why})
        seen.add(event_id)
    return told
