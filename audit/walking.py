"""Walk a chain's stored events and name what is wrong, event by event.

``walk`` recomputes each link from the stored bytes; a row that holds only under another number is
traced to where it was written, so that ``named`` can say whether rows were swapped, put in or taken
out, and not only that something does not fit.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import orjson
from django.db import connection

from audit.canonical import parse
from audit.chain import START, link_hash

PAGE = 2000
#: Clocks of several workers differ, and a batch is worked out before it is written.
CLOCKS_DIFFER = timedelta(minutes=2)
#: What an event tells wrongly although it is the one that was written.
SOFT = frozenset({"relabelled", "time_differs", "clock_set_back"})
TRACED = 16  # numbers to each side that a row may have been moved from
SEARCHED = 20  # rows whose old place is looked for in the whole chain


class Fault(NamedTuple):
    """One break of the log: in which chain, at which sequence, of what kind, in a sentence."""

    chain: str
    sequence: int
    kind: str
    detail: str


class Row(NamedTuple):
    """One stored event as the walk reads it."""

    sequence: int
    action: str
    subject: str
    body: bytes
    previous: bytes
    hash: bytes
    recorded_at: datetime


class Moved(NamedTuple):
    """A row that was written under another number than it has now."""

    chain: str
    sequence: int
    was: int


class Absent(NamedTuple):
    """Events that are not there: from the first of them to the last."""

    chain: str
    first: int
    last: int


Finding = Fault | Moved | Absent


class Stretch:
    """Part of a chain, from where it is known to be right up to a number.

    Iterating yields the rows; ``findings`` then says what was found on the way.
    """

    def __init__(
        self,
        chain_id: int,
        chain: str,
        last: int,
        after: int = 0,
        previous: bytes | None = START,  # None: what should stand there is not there
    ) -> None:
        self.chain_id, self.chain, self.last = chain_id, chain, last
        self.after, self.previous = after, previous
        self.findings: list[Finding] = []
        self.searched = 0
        self.latest = ""  # the moment of the event before, as its text tells it

    def __iter__(self) -> Iterator[Row]:
        expected, previous = self.after + 1, self.previous
        if self.after:
            before = next(rows_of(self.chain_id, self.after - 1, self.after), None)
            self.latest = str(told_in(before.body).get("at", "")) if before else ""
        for row in rows_of(self.chain_id, self.after, self.last):
            self._place(row, expected, previous)
            if link_hash(self.chain, row.sequence, row.previous, row.body) != row.hash:
                self._trace(row)
            else:
                self._read(row)
            expected, previous = row.sequence + 1, row.hash
            yield row
        self.reached, self.head = expected - 1, previous or b""
        if self.reached < self.last:
            self.findings.append(Absent(self.chain, expected, self.last))

    @property
    def broken(self) -> bool:
        """Whether the chain is not the one that was written."""
        return any(not isinstance(f, Fault) or f.kind not in SOFT for f in self.findings)

    def _find(self, sequence: int, kind: str, detail: str) -> None:
        self.findings.append(Fault(self.chain, sequence, kind, detail))

    def _place(self, row: Row, expected: int, previous: bytes | None) -> None:
        """Compare a row's number and predecessor with what must come here."""
        number = row.sequence
        if number < expected:
            self._find(number, "inserted", f"Event {number} is there twice: one was put in.")
        elif number != expected:
            self.findings.append(Absent(self.chain, expected, number - 1))
        elif previous is not None and row.previous != previous:
            told = f"Event {number} does not name the event before it: one was replaced."
            self._find(number, "does_not_follow", told)

    def _trace(self, row: Row) -> None:
        """Say that a row is not what was written, or under which number it was."""
        for distance in range(1, TRACED + 1):
            for number in (row.sequence - distance, row.sequence + distance):
                if number > 0 and (
                    link_hash(self.chain, number, row.previous, row.body) == row.hash
                ):
                    self.findings.append(Moved(self.chain, row.sequence, number))
                    return
        if self.searched < SEARCHED:
            self.searched += 1
            was = number_behind(self.chain_id, row.previous)
            if was and link_hash(self.chain, was, row.previous, row.body) == row.hash:
                self.findings.append(Moved(self.chain, row.sequence, was))
                return
        told = f"Event {row.sequence} ({row.action} {row.subject}) is not what was written."
        self._find(row.sequence, "changed", told)

    def _read(self, row: Row) -> None:
        """Compare what is stored beside the hashed bytes with what they say; look at the clock."""
        told = told_in(row.body)
        if (told.get("action"), told.get("subject")) != (row.action, row.subject):
            filed = f"filed as {row.action} {row.subject}: its text is not."
            self._find(row.sequence, "relabelled", f"Event {row.sequence} is {filed}")
        at = told.get("at")
        if not isinstance(at, str):
            return
        moment = datetime.fromisoformat(at)
        if abs(row.recorded_at - moment) > CLOCKS_DIFFER:
            said = f"says it was written at {at}; it is filed under {row.recorded_at:%F %T} UTC."
            self._find(row.sequence, "time_differs", f"Event {row.sequence} {said}")
        if self.latest and at < self.latest:
            back = datetime.fromisoformat(self.latest) - moment
            if back > CLOCKS_DIFFER:
                said = f"is {back} earlier than the one before it: the clock was set back."
                self._find(row.sequence, "clock_set_back", f"Event {row.sequence} {said}")
        self.latest = at


def number_behind(chain_id: int, digest: bytes) -> int | None:
    """Return the number that follows the event with this hash."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sequence + 1 FROM audit_auditevent WHERE chain_id = %s AND hash = %s",
            [chain_id, digest],
        )
        found = cursor.fetchone()
    return None if found is None else int(found[0])


def told_in(body: bytes) -> dict[str, Any]:
    """Return what an event's bytes say; nothing where they are no document."""
    try:
        told = parse(body)
    except orjson.JSONDecodeError:
        return {}
    return told if isinstance(told, dict) else {}


def rows_of(chain_id: int, after: int, last: int) -> Iterator[Row]:
    """Yield a chain's events in order, a page at a time, behind ``after`` and up to ``last``."""
    reached = after if after else -1  # whoever numbers an event 0 put it before the first
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT sequence, action, subject, body, previous, hash, recorded_at"
                " FROM audit_auditevent WHERE chain_id = %s AND sequence > %s AND sequence <= %s"
                " ORDER BY sequence LIMIT %s",
                [chain_id, reached, last, PAGE],
            )
            page = cursor.fetchall()
        for sequence, action, subject, body, previous, digest, at in page:
            yield Row(sequence, action, subject, bytes(body), bytes(previous), bytes(digest), at)
        if len(page) < PAGE:
            return
        reached = page[-1][0]


def named(findings: Iterable[Finding], ends: Mapping[str, int] | None = None) -> list[Fault]:
    """Return the faults, one for each deed: what moved rows and broken links come to.

    ``ends``: where each chain should end, so that a lost end has a name of its own.
    """
    chains: dict[str, list[Finding]] = {}
    for finding in findings:
        chains.setdefault(finding.chain, []).append(finding)
    faults: list[Fault] = []
    for chain, found in chains.items():
        end = (ends or {}).get(chain)
        moved = {one.sequence: one.was for one in found if isinstance(one, Moved)}
        told = [*deeds_of(chain, moved), *lost_of(chain, found, end)]
        explained = {n + step for n in moved for step in (0, 1)}
        placed = {f.sequence for f in told}
        told += [
            one
            for one in found
            if isinstance(one, Fault)
            and not (moved and one.kind == "does_not_follow" and one.sequence in explained | placed)
            and not (one.kind == "changed" and one.sequence in placed)
        ]
        faults += sorted(told, key=lambda fault: fault.sequence)
    return faults


def lost_of(chain: str, found: Iterable[Finding], end: int | None) -> Iterator[Fault]:
    """Yield what is not there any more, what lies side by side as one."""
    spans: list[tuple[int, int]] = []
    for one in sorted(one for one in found if isinstance(one, Absent)):
        if spans and one.first == spans[-1][1] + 1:
            spans[-1] = spans[-1][0], one.last
        else:
            spans.append((one.first, one.last))
    for first, last in spans:
        if last == end:
            yield Fault(chain, first, "tail_cut", f"Events {first} to {last} are not there.")
        else:
            gone = f"{first}" if first == last else f"{first}-{last}"
            yield Fault(chain, first, "missing", f"Event {gone} is not there any more.")


def deeds_of(chain: str, moved: dict[int, int]) -> Iterator[Fault]:
    """Yield what was done to the rows that have another number than they were written under."""
    left = dict(sorted(moved.items()))
    for now, was in list(left.items()):
        if now < was and left.get(was) == now:
            del left[now], left[was]
            yield Fault(chain, now, "swapped", f"Events {now} and {was} changed places.")
    run: tuple[int, int] | None = None  # (the last number of a run, by how much it moved)
    for now, was in left.items():
        by = now - was
        if run != (now - 1, by):
            if by > 0:
                first = now - by
                put = f"{by} put in before what is event {now} now."
                yield Fault(chain, first, "inserted", f"Event {first}: {put}")
            else:
                gone = f"{now}" if by == -1 else f"{now}-{was - 1}"
                detail = f"Event {gone} was taken out, and what followed moved up."
                yield Fault(chain, now, "missing", detail)
        run = (now, by)
