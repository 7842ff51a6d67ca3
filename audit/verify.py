"""Walk the chains of the log and say what broke, and where."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson
from django.db import connection

from audit.canonical import parse
from audit.chain import START, link_hash, log_head
from audit.models import Chain

PAGE = 2000


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


@dataclass
class Verification:
    """What a walk over the whole log found."""

    events: int = 0
    head: str = ""
    faults: list[Fault] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.faults


def verify_chains(progress: Callable[[int], None] | None = None) -> Verification:
    """Recompute every link of every chain from the stored bytes.

    The heads are read first: what is appended during the walk is left to the next one.
    """
    heads = [(c.pk, c.name, c.sequence, bytes(c.head)) for c in Chain.objects.order_by("name")]
    result = Verification(head=log_head((name, number, head) for _, name, number, head in heads))
    for chain_id, name, sequence, head in heads:
        walked = 0
        for fault in walk(chain_id, name, sequence, head):
            if isinstance(fault, Fault):
                result.faults.append(fault)
            else:
                walked += 1
                if progress is not None and walked % PAGE == 0:
                    progress(PAGE)
        if progress is not None:
            progress(walked % PAGE)
        result.events += walked
    return result


def walk(chain_id: int, name: str, sequence: int, head: bytes) -> Iterator[Fault | Row]:
    """Yield each row of a chain up to its head, and each fault where it is found."""
    expected, previous = 1, START
    for row in rows_of(chain_id, sequence):
        if row.sequence != expected:
            missing = (
                f"{expected}" if row.sequence == expected + 1 else f"{expected}-{row.sequence - 1}"
            )
            yield Fault(name, expected, "missing", f"Event {missing} is not there any more.")
        elif row.previous != previous:
            yield Fault(
                name,
                row.sequence,
                "does_not_follow",
                f"Event {row.sequence} does not name the event before it: one was replaced.",
            )
        if link_hash(name, row.sequence, row.previous, row.body) != row.hash:
            yield Fault(
                name,
                row.sequence,
                "changed",
                f"Event {row.sequence} ({row.action} {row.subject}) is not what was written.",
            )
        elif not tells_the_same(row):
            yield Fault(
                name,
                row.sequence,
                "relabelled",
                f"Event {row.sequence} is filed as {row.action} {row.subject}: its text is not.",
            )
        expected, previous = row.sequence + 1, row.hash
        yield row
    if expected - 1 != sequence:
        yield Fault(name, expected, "tail_cut", f"Events {expected} to {sequence} are not there.")
    elif previous != head:
        yield Fault(name, sequence, "head_differs", "The chain does not end in its recorded head.")
    yield from beyond_the_head(chain_id, name, sequence)


def tells_the_same(row: Row) -> bool:
    """Whether the columns used for searching repeat what the hashed bytes say."""
    try:
        told = parse(row.body)
    except orjson.JSONDecodeError:
        return False
    return isinstance(told, dict) and (told.get("action"), told.get("subject")) == (
        row.action,
        row.subject,
    )


def beyond_the_head(chain_id: int, name: str, sequence: int) -> Iterator[Fault]:
    """Yield a fault where events lie behind the head that the chain itself does not know."""
    fresh = Chain.objects.get(pk=chain_id)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT min(sequence) FROM audit_auditevent WHERE chain_id = %s AND sequence > %s",
            [chain_id, max(sequence, fresh.sequence)],
        )
        (first,) = cursor.fetchone()
    still = Chain.objects.get(pk=chain_id).sequence
    if first is not None and first > still:
        yield Fault(name, first, "beyond_head", f"Event {first} lies behind the chain's head.")


def rows_of(chain_id: int, last: int) -> Iterator[Row]:
    """Yield a chain's events in order, a page at a time, up to ``last``."""
    reached = -1
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT sequence, action, subject, body, previous, hash FROM audit_auditevent"
                " WHERE chain_id = %s AND sequence > %s AND sequence <= %s"
                " ORDER BY sequence LIMIT %s",
                [chain_id, reached, last, PAGE],
            )
            page = cursor.fetchall()
        for sequence, action, subject, body, previous, digest in page:
            yield Row(sequence, action, subject, bytes(body), bytes(previous), bytes(digest))
        if len(page) < PAGE:
            return
        reached = page[-1][0]
