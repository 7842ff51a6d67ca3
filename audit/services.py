"""The one way into the log, and the one way to put something before a person."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.utils import timezone

from audit.canonical import canonical
from audit.chain import Link, forge_links, log_head
from audit.copying import copy_rows
from audit.models import Chain, ExceptionNote, ExceptionRecord, User

SYSTEM = "system"

EVENT_COLUMNS = {
    "chain_id": "int8",
    "sequence": "int8",
    "action": "varchar",
    "subject": "varchar",
    "body": "bytea",
    "previous": "bytea",
    "hash": "bytea",
}


class LogEvent(NamedTuple):
    """An event on its way into a chain: what it is, of what, and its canonical bytes."""

    action: str
    subject: str
    body: bytes


def timestamp(moment: datetime) -> str:
    """Write a moment as UTC text with microseconds, the one form the log keeps."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def log_event(
    action: str,
    subject: str,
    facts: dict[str, Any],
    *,
    by: User | None = None,
    at: datetime | None = None,
) -> LogEvent:
    """Make an event of ``facts`` (JSON values, money as strings)."""
    body = canonical(
        {
            "action": action,
            "at": timestamp(at or timezone.now()),
            "by": None if by is None else (by.staff_code or by.username),
            "facts": facts,
            "subject": subject,
        }
    )
    return LogEvent(action, subject, body)


def chain_of_lane(lane: str) -> str:
    """Return the name of a lane's chain."""
    return f"lane:{lane}"


def record(chain: str, events: Sequence[LogEvent]) -> list[Link]:
    """Append events to a chain, in this transaction and as its last step.

    The head is locked here and until commit, so call it after everything else. Raises
    TransactionManagementError outside a transaction: an event without its deed is a lie.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("record() belongs into the deed's transaction")
    if not events:
        return []
    head = lock_head(chain)
    links = forge_links(chain, head.sequence, bytes(head.head), (e.body for e in events))
    copy_rows(
        "audit_auditevent",
        EVENT_COLUMNS,
        [
            (head.pk, number, event.action, event.subject, event.body, previous, digest)
            for (number, previous, digest), event in zip(links, events, strict=True)
        ],
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE audit_chain SET sequence = %s, head = %s WHERE id = %s",
            [links[-1].sequence, links[-1].hash, head.pk],
        )
    return links


def lock_head(name: str) -> Chain:
    """Return the chain's head, locked; make the chain where there is none yet."""
    chains = Chain.objects.select_for_update(no_key=True)
    found = chains.filter(name=name).first()
    if found is None:
        Chain.objects.bulk_create([Chain(name=name)], ignore_conflicts=True)
        found = chains.get(name=name)
    return found


def take_heads() -> tuple[dict[str, list[Any]], str]:
    """Return how far every chain has come, and one hash over all of them.

    A close notes them at its second signature: what a checkpoint of the log is made over.
    """
    heads = [(c.name, c.sequence, bytes(c.head)) for c in Chain.objects.order_by("name")]
    return {name: [sequence, head.hex()] for name, sequence, head in heads}, log_head(heads)


def record_one(
    action: str, subject: str, facts: dict[str, Any], *, chain: str = SYSTEM, by: User | None = None
) -> None:
    """Append one event; opens a transaction of its own where none is open."""
    with transaction.atomic():
        record(chain, [log_event(action, subject, facts, by=by)])


def open_exceptions(found: Iterable[ExceptionRecord]) -> list[ExceptionRecord]:
    """Put records before a person; one that is open already (same ``once``) stays as it is."""
    records = list(found)
    if records:
        ExceptionRecord.objects.bulk_create(records, ignore_conflicts=True)
    return records


class NoReason(Exception):
    """A person closes an exception with a reason, or not at all."""


@transaction.atomic
def close_exception(*, exception_id: int, by: User, reason: str) -> ExceptionRecord:
    """Close an exception; a second call leaves it as the first closed it."""
    if not reason.strip():
        raise NoReason("Say why this exception can be closed.")
    found = ExceptionRecord.objects.select_for_update(no_key=True).get(pk=exception_id)
    if found.state == ExceptionRecord.State.OPEN:
        found.state = ExceptionRecord.State.CLOSED
        found.closed_by, found.closed_at, found.reason = by, timezone.now(), reason.strip()
        found.save(update_fields=["state", "closed_by", "closed_at", "reason"])
        facts = {"exception": found.pk, "kind": found.kind, "reason": found.reason}
        record(SYSTEM, [log_event("audit.exception_closed", exception_place(found), facts, by=by)])
    return found


def exception_place(found: ExceptionRecord) -> str:
    """Return where the exception belongs, as the log's subjects write it."""
    return f"{found.table}/{found.round}" if found.round is not None else found.table


@transaction.atomic
def note_exception(*, exception_id: int, by: User, text: str) -> ExceptionNote:
    """Write a note on an exception, open or closed; notes are never changed."""
    if not text.strip():
        raise NoReason("Write what others should know of this exception.")
    return _note(exception_id, by, ExceptionNote.Kind.NOTE, text.strip())


@transaction.atomic
def take_exception(*, exception_id: int, by: User) -> ExceptionNote | None:
    """Make an open exception one's own, from nobody or from another; a second call is none."""
    return _own(exception_id, by, by, ExceptionNote.Kind.TAKEN)


@transaction.atomic
def leave_exception(*, exception_id: int, by: User) -> ExceptionNote | None:
    """Give one's own exception back, so that somebody else takes it."""
    return _own(exception_id, by, None, ExceptionNote.Kind.LEFT)


def _own(exception_id: int, by: User, owner: User | None, kind: str) -> ExceptionNote | None:
    found = ExceptionRecord.objects.select_for_update(no_key=True).get(pk=exception_id)
    is_change = found.owner_id != by.pk if owner else found.owner_id == by.pk
    if found.state != ExceptionRecord.State.OPEN or not is_change:
        return None
    found.owner = owner
    found.save(update_fields=["owner"])
    return _note(exception_id, by, kind, "")


def _note(exception_id: int, by: User, kind: str, text: str) -> ExceptionNote:
    found = ExceptionRecord.objects.get(pk=exception_id)
    note = ExceptionNote.objects.create(exception=found, kind=kind, by=by, text=text)
    facts = {"exception": found.pk, "kind": found.kind, "note": kind, "text": text}
    record(SYSTEM, [log_event("audit.exception_noted", exception_place(found), facts, by=by)])
    return note
