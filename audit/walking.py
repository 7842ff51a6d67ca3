"""Walk a chain's stored events and name what is wrong, event by event.

``walk`` recomputes each link from the stored bytes; a row that holds only under another number is
traced to where it was written, so that ``named`` can say whether rows were swapped, put in or taken
out, and not only that something does not fit.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

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


Finding = Fault | Moved


class Stretch:
    """Part of a chain, from where it is known to be right up to a number.

    Iterating yields the rows; ``findings`` then says what was found on the way.
    """

    def __init__(
        self, chain_id: int, chain: str, last: int, after: int = 0, previous: bytes = START
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
        self.reached, self.head = expected - 1, previous
        if self.reached != self.last:
            lost = f"Events {expected} to {self.last} are not there."
            self._find(expected, "tail_cut", lost)

    @property
    def broken(self) -> bool:
        """Whether the chain is not the one that was written."""
        return any(not isinstance(f, Fault) or f.kind not in SOFT for f in self.findings)

    def _find(self, sequence: int, kind: str, detail: str) -> None:
        self.findings.append(Fault(self.chain, sequence, kind, detail))

    def _place(self, row: Row, expected: int, previous: bytes) -> None:
        """Compare a row's number and predecessor with what must come here."""
        number = row.sequence
        if number < expected:
            self._find(number, "inserted", f"Event {number} is there twice: one was put in.")
        elif number != expected:
            gone = f"{expected}" if number == expected + 1 else f"{expected}-{number - 1}"
            self._find(expected, "missing", f"Event {gone} is not there any more.")
        elif row.previous != previous:
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


def told_in(body: bytes) -> dict[str, object]:
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


def named(findings: Iterable[Finding]) -> list[Fault]:
    """Return the faults, one for each deed: what moved rows and broken links come to."""
    faults: list[Fault] = []
    chains: dict[str, list[Finding]] = {}
    for finding in findings:
        chains.setdefault(finding.chain, []).append(finding)
    for chain, found in chains.items():
        moved = {one.sequence: one.was for one in found if isinstance(one, Moved)}
        told = list(deeds_of(chain, moved))
        explained = {n + step for n in moved for step in (0, 1)} | {f.sequence for f in told}
        explained |= {f.sequence + 1 for f in told if f.kind == "inserted"}
        told += [
            one
            for one in found
            if isinstance(one, Fault)
            and not (moved and one.kind == "does_not_follow" and one.sequence in explained)
            and not (one.kind == "changed" and one.sequence in {f.sequence for f in told})
        ]
        faults += sorted(told, key=lambda fault: fault.sequence)
    return faults


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
