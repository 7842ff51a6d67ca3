"""Find rounds by whatever is known of them, newest first, at a cost that history does not raise.

A search first walks back over the newest rounds of the window it was given; where that does not
fill a page, what is asked for is rare enough for the inverted index, which is asked for spans of
8, 64 and 512 days and then for all. Each step is bounded, so is the sum: a search that has done
its share answers with what it has and says how far it looked back. The planner is not asked which
way to go: a rare and a common fact together would be its undoing.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from django.db import OperationalError, connection, transaction

from audit.models import ExceptionRecord, User
from audit.services import record_one, timestamp
from progressives.models import JackpotClaim, Lane, PayoutSlip
from tables.findable import LEVELS, Asked, Seat, day_of, span_keys
from tables.models import AppliedEvent, FiledRound, FilingCursor, Round
from tables.rules import Refusal
from tables.services import filing
from tables.services.batch import round_uuid

PAGE = 25
GLANCE = 200  # rounds walked over first: enough for what is common
WALK = 2000  # rounds walked over before the index is asked
WALK_FOR_CARDS = 12_000  # cards alone have no index: a longer walk, and "search on"
CANDIDATES = 100  # read in one step
CHECKED = 400  # rounds looked at closely in one search
LISTED = 4000  # rounds with the keys that asking for cards goes through before it rests
TAIL = 500  # rounds that are over and not filed yet, looked at one by one
TIMEOUT = "1500ms"

WALK_SQL = """
WITH walked AS MATERIALIZED (
    SELECT round_id, occurred_at, keys, hands FROM tables_filedround
    WHERE (occurred_at, round_id) < (%(until)s, %(last)s) AND occurred_at >= %(since)s {table}
    ORDER BY occurred_at DESC, round_id DESC LIMIT %(limit)s
), keyed AS MATERIALIZED (
    SELECT round_id, occurred_at, hands FROM walked WHERE keys @> %(keys)s::int[]
), matching AS (
    SELECT * FROM keyed WHERE {cards} ORDER BY occurred_at DESC, round_id DESC LIMIT %(most)s
), reached AS (
    SELECT round_id, occurred_at FROM walked ORDER BY occurred_at, round_id LIMIT 1
)
SELECT 'match', round_id, occurred_at, hands, 0, 0 FROM matching
UNION ALL
SELECT 'reached', round_id, occurred_at, NULL, (SELECT count(*) FROM walked),
    (SELECT count(*) FROM keyed) FROM reached
"""
INDEX_SQL = """
WITH listed AS MATERIALIZED (
    SELECT round_id, occurred_at, hands FROM tables_filedround
    WHERE keys @> %(keys)s::int[] {spans}
), matching AS (
    SELECT * FROM listed
    WHERE (occurred_at, round_id) < (%(until)s, %(last)s) AND occurred_at >= %(since)s AND {cards}
    ORDER BY occurred_at DESC, round_id DESC LIMIT %(most)s
)
SELECT 'match', round_id, occurred_at, hands, 0, 0 FROM matching
UNION ALL
SELECT 'listed', NULL, NULL, NULL, 0, count(*) FROM listed
"""
CARDS_SQL = "EXISTS (SELECT FROM unnest(hands) AS hand WHERE hand & %(bits)s = %(bits)s)"

BEGINNING = datetime.fromisoformat("2000-01-01T00:00:00+00:00")
END = datetime.fromisoformat("2200-01-01T00:00:00+00:00")
LAST_ID = UUID(int=(1 << 128) - 1)

TOO_LONG = "This search takes too long now. Add a table, a player or a shorter time, and try again."


class Place(NamedTuple):
    """A place in the order of rounds: everything before it is older."""

    at: datetime
    round_id: UUID

    def told(self) -> str:
        """Write the place for an address, as ``place_of`` reads it."""
        return f"{timestamp(self.at)}_{self.round_id}"


def place_of(text: str) -> Place:
    """Read a place; raise ``Refusal`` where it is none."""
    try:
        moment, _, round_id = text.partition("_")
        return Place(datetime.fromisoformat(moment), UUID(round_id))
    except ValueError:
        raise Refusal("bad_value", "after", "Take after from the answer before.") from None


class Candidate(NamedTuple):
    """A filed round that may be one. Without ``keys`` the database has compared them."""

    round_id: UUID
    occurred_at: datetime
    hands: list[int]
    keys: list[int] | None = None

    @property
    def place(self) -> Place:
        return Place(self.occurred_at, self.round_id)


class Match(NamedTuple):
    """A round that was found, its positions, and which of them all of what was asked holds."""

    round: Round
    seats: list[Seat]
    positions: list[int]

    @property
    def place(self) -> Place:
        return Place(self.round.occurred_at, self.round.pk)


@dataclass
class Result:
    """What a search found. ``after`` is where to search on, None where nothing is left.

    ``reached`` is how far back it looked where it stopped before the end; ``unfiled`` how many
    rounds are over and so new that they were not looked at.
    """

    matches: list[Match] = field(default_factory=list)
    after: Place | None = None
    reached: datetime | None = None
    unfiled: int = 0


def search(asked: Asked, *, by: User, after: Place | None = None, page: int = PAGE) -> Result:
    """Find rounds and write down who asked for what.

    Raises ``Refusal`` where the database does not answer in time.
    """
    try:
        result = find(asked, after=after, page=page)
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", "") != "57014":
            raise
        record_one("tables.rounds_searched", "rounds", {**told(asked), "found": None}, by=by)
        raise Refusal("search_too_long", "", TOO_LONG) from error
    facts = {**told(asked), "found": len(result.matches)}
    facts["rounds"] = [f"{m.round.table.code}/{m.round.number}" for m in result.matches]
    if after is not None:
        facts["after"] = after.told()
    record_one("tables.rounds_searched", "rounds", facts, by=by)
    return result


def told(asked: Asked) -> dict[str, Any]:
    """Return what was asked for as JSON values, without what was left open."""
    values = {name: getattr(asked, name) for name in asked.__dataclass_fields__}
    return {
        name: timestamp(value) if isinstance(value, datetime)
        else str(value) if isinstance(value, Decimal)
        else list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value not in (None, "", ())
    }  # fmt: skip


@transaction.atomic
def find(asked: Asked, *, after: Place | None = None, page: int = PAGE) -> Result:
    """Return the newest rounds before ``after`` of which all holds that was asked."""
    with set_locally(statement_timeout=TIMEOUT):
        if (known := known_round(asked)) is not None:
            return Result(checked(known_candidates(known), asked))
        finder = Finder(asked, after, page)
        tail, unfiled = tail_of(asked, finder.begins)
        finder.run()
    return finder.result(tail, unfiled)


@contextmanager
def set_locally(**settings: str) -> Iterator[None]:
    """Set PostgreSQL's settings inside of this transaction, and put them back."""
    with connection.cursor() as cursor:
        cursor.execute(
            "; ".join(f"SET LOCAL {name} = '{value}'" for name, value in settings.items())
        )
        yield
        cursor.execute("; ".join(f"SET LOCAL {name} TO DEFAULT" for name in settings))


def known_round(asked: Asked) -> set[UUID] | None:
    """Return the rounds that a claim, a slip or a table's round number name, if any was told."""
    named: list[set[UUID]] = []
    if asked.claim is not None:
        claims = JackpotClaim.objects.filter(pk=asked.claim)
        named.append(set(claims.values_list("round_id", flat=True)))
    if asked.slip is not None:
        slips = PayoutSlip.objects.filter(number=asked.slip)
        named.append(set(slips.values_list("claim__round_id", flat=True)))
    if asked.round is not None and asked.table:
        named.append({round_uuid(asked.table, asked.round)})
    return set.intersection(*named) if named else None


def known_candidates(round_ids: set[UUID]) -> list[Candidate]:
    """Return the filed rows of rounds that are known by their ids, made where there is none."""
    rows = list(FiledRound.objects.filter(pk__in=round_ids))
    missing = round_ids - {row.pk for row in rows}
    for round_ in Round.objects.filter(pk__in=missing).select_related("table"):
        events = AppliedEvent.objects.filter(lane=round_.table.lane_id, number=round_.lane_number)
        rows += filing.filed_rows(events.select_related("event"))
    return [Candidate(row.pk, row.occurred_at, row.hands, row.keys) for row in rows]


class Finder:
    """One search on its way back through the rounds."""

    def __init__(self, asked: Asked, after: Place | None, page: int) -> None:
        self.asked, self.page = asked, page
        until = Place(asked.until or END, LAST_ID)
        self.begins = min(after, until) if after is not None else until
        self.at = self.begins
        self.since = asked.since or BEGINNING
        self.matches: list[Match] = []
        self.looked_at = 0
        self.finished = False  # nothing is left before ``at``

    @property
    def is_done(self) -> bool:
        return self.finished or len(self.matches) > self.page or self.looked_at >= CHECKED

    def run(self) -> None:
        """Walk, and then ask the index, until a page is full, nothing is left or it is enough."""
        keys = self.asked.keys()
        is_selective = set(keys) > set(Asked(table=self.asked.table).keys())
        self._walk(keys, GLANCE)
        if is_selective:
            keyed = self._walk(keys, WALK)
            is_selective = not self.asked.cards or keyed < WALK // 50
        if not is_selective:
            self._walk(keys, WALK_FOR_CARDS)
            return
        last = day_of(min(self.at.at, newest_filed() or self.at.at))
        for level in LEVELS[1:]:
            first = ((last >> level) - 1) << level
            listed = self._ask(keys, span_keys(level, first, last), datetime_of(first))
            if self.asked.cards and listed > LISTED:
                return
        self._ask(keys, None, self.since)

    def _walk(self, keys: list[int], limit: int) -> int:
        """Look over the next rounds, and take those that have keys and cards.

        Returns how many have the keys.
        """
        table = "AND table_id = (SELECT id FROM tables_gamingtable WHERE code = %(table)s)"
        sql = WALK_SQL.format(
            table=table if self.asked.table else "", cards=CARDS_SQL if self.asked.cards else "true"
        )
        keyed, goes_on = 0, True
        while goes_on and not self.is_done:
            rows = self._rows(sql, keys, "enable_bitmapscan", limit=limit)
            found = [row for row in rows if row[0] == "match"]
            goes_on = len(found) == CANDIDATES  # more of these rounds may be candidates
            self._take([Candidate(*row[1:4]) for row in found])
            if len(found) == len(rows):
                self.finished = True
            elif not self.is_done and not goes_on:
                _, round_id, at, _, walked, keyed = rows[-1]
                self.at, self.finished = Place(at, round_id), walked < limit
        return keyed

    def _ask(self, keys: list[int], spans: list[int] | None, since: datetime) -> int:
        """Take what the index lists of these spans, down to ``since``; return how many it lists."""
        since, listed = max(since, self.since), 0
        spanned = "AND keys && %(spans)s::int[]" if spans else ""
        sql = INDEX_SQL.format(spans=spanned, cards=CARDS_SQL if self.asked.cards else "true")
        while not self.is_done and self.at.at >= since:
            rows = self._rows(sql, keys, "enable_indexscan", spans=spans, since=since)
            listed = rows[-1][5]
            self._take([Candidate(*row[1:4]) for row in rows[:-1]])
            if len(rows) <= CANDIDATES and not self.is_done:
                self.at, self.finished = Place(since, UUID(int=0)), since == self.since
                break
        return listed

    def _rows(self, sql: str, keys: list[int], switched_off: str, **more: Any) -> list[Any]:
        given = {
            "until": self.at.at,
            "last": self.at.round_id,
            "keys": keys,
            "since": self.since,
            "table": self.asked.table,
            "bits": self.asked.card_bits,
            "most": CANDIDATES,
            **more,
        }
        off = {switched_off: "off", "enable_seqscan": "off"}
        with set_locally(**off), connection.cursor() as cursor:
            cursor.execute(sql, given)
            return list(cursor.fetchall())

    def _take(self, candidates: Sequence[Candidate]) -> None:
        """Look at candidates closely, page by page, until one page and one more are found."""
        for first in range(0, len(candidates), self.page + 1):
            if self.is_done:
                return
            part = candidates[first : first + self.page + 1]
            self.matches += checked(part, self.asked)
            self.looked_at += len(part)
            self.at = part[-1].place

    def result(self, tail: list[Match], unfiled: int) -> Result:
        """Return the page, with what is not filed yet put where it belongs."""
        stopped = None if self.finished else self.at
        new = [match for match in tail if stopped is None or match.place >= stopped]
        ids = {match.round.pk for match in new}
        every = new + [match for match in self.matches if match.round.pk not in ids]
        every.sort(key=lambda match: match.place, reverse=True)
        if len(every) > self.page:
            shown = every[: self.page]
            return Result(shown, after=shown[-1].place, unfiled=unfiled)
        reached = None if stopped is None else stopped.at
        return Result(every, after=stopped, reached=reached, unfiled=unfiled)


def datetime_of(day: int) -> datetime:
    """Return when a day begins, by its number."""
    return datetime.fromtimestamp(day * 86_400, BEGINNING.tzinfo)


def newest_filed() -> datetime | None:
    """Return when the newest filed round happened."""
    newest = FiledRound.objects.order_by("-occurred_at", "-round")
    return newest.values_list("occurred_at", flat=True).first()


def checked(candidates: Sequence[Candidate], asked: Asked) -> list[Match]:
    """Return those of which all holds, by their own rows and not by keys alone."""
    ids = [candidate.round_id for candidate in candidates]
    rounds = Round.objects.select_related("table").in_bulk(ids)
    seats = filing.seats_of(ids)
    voids = [r for r in rounds.values() if r.state == Round.State.VOID]
    lockouts = filing.lockouts_of([f"{r.table.code}/{r.number}" for r in voids]) if voids else {}
    for (table, number), (document, _) in lockouts.items():
        pk = round_uuid(table, number)
        seats[pk] = filing.named(seats[pk], document)
    keys = set(asked.keys())
    found = []
    for candidate in candidates:
        round_ = rounds.get(candidate.round_id)
        if round_ is None or not holds(round_, asked):
            continue
        if candidate.keys is not None and not keys <= set(candidate.keys):
            continue
        by_dealer = paid_at(round_) if asked.paid is not None else {}
        positions = asked.positions(candidate.hands, seats[round_.pk], by_dealer)
        if positions or not asked.of_a_position:
            told_of = positions if asked.of_a_position else []
            found.append(Match(round_, seats[round_.pk], told_of))
    return found


def holds(round_: Round, asked: Asked) -> bool:
    """Whether what was told of the whole round is so."""
    return (
        (not asked.table or round_.table.code == asked.table)
        and (asked.round is None or round_.number == asked.round)
        and (not asked.game or round_.game == asked.game)
        and (not asked.dealer or round_.dealer == asked.dealer)
        and (not asked.floorperson or round_.floorperson == asked.floorperson)
        and (asked.since is None or round_.occurred_at >= asked.since)
        and (asked.until is None or round_.occurred_at <= asked.until)
    )


def paid_at(round_: Round) -> dict[int, set[Decimal]]:
    """Return what the dealer said he paid, by position, from the exceptions that tell of it."""
    found: dict[int, set[Decimal]] = {}
    rows = ExceptionRecord.objects.filter(
        table=round_.table.code, round=round_.number, facts__has_key="paid"
    )
    for position, facts in rows.values_list("position", "facts"):
        if position is not None:
            found.setdefault(position, set()).add(Decimal(facts["paid"]))
    return found


def tail_of(asked: Asked, before: Place) -> tuple[list[Match], int]:
    """Look at the rounds that are over and not filed yet; return what fits and how many are left.

    Usually there are none or a handful: the filing runs every few seconds.
    """
    places = dict(FilingCursor.objects.values_list("name", "place"))
    candidates, unfiled = [], 0
    for lane_id, number in Lane.objects.values_list("pk", "number"):
        filed = places.get(filing.lane_cursor(lane_id), 0)
        if number > filed:
            first = max(filed, number - TAIL)
            unfiled += first - filed
            rows = filing.filed_rows(filing.events_after(lane_id, first, TAIL))
            candidates += [Candidate(r.round_id, r.occurred_at, r.hands, r.keys) for r in rows]
    older = [candidate for candidate in candidates if candidate.place < before]
    bits = asked.card_bits
    with_cards = [c for c in older if not bits or any(h & bits == bits for h in c.hands)]
    return checked(with_cards, asked), unfiled
