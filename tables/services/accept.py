"""Take what tables report into the intake: whole, once, in order, durable before the answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from audit.canonical import canonical
from audit.models import ExceptionRecord
from audit.services import SYSTEM, LogEvent, log_event, open_exceptions, record
from tables import rules
from tables.models import AccessKey
from tables.services.terms import TermsBook

ALARMING = {"duplicate_card"}  # a refusal that says something may be wrong with the deck
KEPT_BYTES = 16_384  # of a refused body; the log keeps its digest in any case

INSERT_SQL = """
INSERT INTO tables_tableevent
    (event_id, table_id, sequence, type, round, occurred_at, body, key_name)
SELECT * FROM unnest(%s::uuid[], %s::bigint[], %s::bigint[], %s::text[], %s::bigint[],
                     %s::timestamptz[], %s::bytea[], %s::text[])
ON CONFLICT DO NOTHING RETURNING event_id
"""

FOUND_SQL = """
SELECT e.event_id, e.table_id, e.sequence, e.type, sha256(e.body)
FROM tables_tableevent e
WHERE e.event_id = ANY(%s)
   OR (e.table_id, e.sequence) IN (SELECT * FROM unnest(%s::bigint[], %s::bigint[]))
"""


@dataclass(slots=True)
class Answer:
    """What the sender is told of one event. A repeat is told what the first was told."""

    event_id: str | None
    table: str | None
    sequence: int | None
    status: str  # accepted, refused or conflict
    code: str = ""
    path: str = ""
    detail: str = ""
    repeated: bool = False
    lane_id: int | None = None

    def told(self) -> dict[str, Any]:
        """Return the answer as JSON."""
        known = {"event_id": self.event_id, "table": self.table, "sequence": self.sequence}
        if self.status == "accepted":
            return {**known, "status": self.status}
        why = {"code": self.code, "path": self.path, "detail": self.detail}
        return {**known, "status": self.status, **why}


@dataclass(slots=True)
class Checked:
    """An event that passed every check that needs only itself and the table's set-up."""

    answer: Answer
    table_id: int
    body: bytes
    document: dict[str, Any]
    occurred_at: datetime

    @property
    def key(self) -> UUID:
        return UUID(self.document["event_id"])


def accept_events(
    received: Sequence[Any], *, key: AccessKey, only_table: str | None = None
) -> list[Answer]:
    """Store each event of a list, in its order; return an answer for each, in the same order.

    ``received`` holds documents as ``rules.read_json`` gives them, or the Refusal it raised.
    When this returns, what it calls accepted is on disk; what it refuses is in the log.
    """
    book = TermsBook()
    bound = set(key.tables.values_list("code", flat=True))
    outcome = [check_one(document, book, bound, only_table) for document in received]
    checked = [found for found in outcome if isinstance(found, Checked)]
    with transaction.atomic(durable=True):
        if checked:
            store_checked(checked, key.name)
        answers = [found.answer if isinstance(found, Checked) else found for found in outcome]
        log_refusals(answers, received, key)
    return answers


def check_one(
    document: Any, book: TermsBook, bound: set[str], only_table: str | None
) -> Checked | Answer:
    """Check one document against its own words and its table's set-up."""
    known = told_of(document)
    try:
        if isinstance(document, rules.Refusal):
            raise document
        rules.check_envelope(document)
        table = book.by_code.get(document["table"])
        if table is None:
            raise rules.Refusal("unknown_table", "table", f"There is no table {known[1]} here.")
        if table.code not in bound:
            raise rules.Refusal(
                "table_not_bound", "table", f"This key does not report for table {table.code}."
            )
        if only_table is not None and table.code != only_table:
            raise rules.Refusal(
                "bad_value",
                "table",
                f"This address takes the events of {only_table}, not of {table.code}.",
            )
        occurred_at = datetime.fromisoformat(document["occurred_at"])
        rules.check_event(document, book.at(table, occurred_at))
    except rules.Refusal as refusal:
        return Answer(*known, "refused", refusal.code, refusal.path, refusal.detail)
    answer = Answer(*known, "accepted", lane_id=table.lane_id)
    # In UTC: PostgreSQL reads no offset of 16 hours or more, and one such event would fail a list.
    return Checked(answer, table.pk, canonical(document), document, occurred_at.astimezone(UTC))


def told_of(document: Any) -> tuple[str | None, str | None, int | None]:
    """Return event id, table and sequence as far as the document says them readably."""
    if not isinstance(document, dict):
        return None, None, None
    event_id, table = document.get("event_id"), document.get("table")
    sequence = document.get("sequence")
    return (
        event_id[:64] if isinstance(event_id, str) else None,
        table[:64] if isinstance(table, str) else None,
        sequence if isinstance(sequence, int) and not isinstance(sequence, bool) else None,
    )


def accept_from_paper(document: Any, *, table: str, name: str) -> Answer:
    """Store a round that people entered by hand, in the transaction of their confirmation.

    The checks, the intake and its keys are those of every other event; ``name`` says on whose
    word it came. What is not accepted is told to the person and leaves no trace here.
    """
    found = check_one(document, TermsBook(), {table}, table)
    if isinstance(found, Checked):
        store_checked([found], name)
        return found.answer
    return found


def store_checked(checked: list[Checked], name: str) -> None:
    """Insert what is new, and find for the rest whether it is a repeat or a conflict."""
    with connection.cursor() as cursor:
        cursor.execute(
            INSERT_SQL,
            [
                [c.key for c in checked],
                [c.table_id for c in checked],
                [c.document["sequence"] for c in checked],
                [c.document["type"] for c in checked],
                [c.document.get("round") for c in checked],
                [c.occurred_at for c in checked],
                [c.body for c in checked],
                [name] * len(checked),
            ],
        )
        fresh = {event_id for (event_id,) in cursor.fetchall()}
        seen: set[UUID] = set()
        old = []
        for one in checked:  # of two equal ids in one list the first is the event
            if one.key in fresh and one.key not in seen:
                seen.add(one.key)
            else:
                old.append(one)
        if old:
            cursor.execute(
                FOUND_SQL,
                [
                    [c.key for c in old],
                    [c.table_id for c in old],
                    [c.document["sequence"] for c in old],
                ],
            )
            compare(old, cursor.fetchall())


def compare(old: list[Checked], found: list[tuple[Any, ...]]) -> None:
    """Tell repeats from conflicts: the same id says the same bytes, or is refused."""
    by_id = {row[0]: bytes(row[4]) for row in found}
    by_place = {(row[1], row[2]): row[3] for row in found}
    for one in old:
        stored = by_id.get(one.key)
        answer = one.answer
        if stored is not None and stored == sha256(one.body).digest():
            answer.repeated = True
            continue
        answer.status, answer.code = "conflict", "event_conflict"
        if stored is not None:
            answer.path = "event_id"
            answer.detail = "An event with this id was accepted before, and it said something else."
        elif by_place.get((one.table_id, one.document["sequence"])) == "sequence_skipped":
            answer.status, answer.code, answer.path = "refused", "sequence_skipped", "sequence"
            answer.detail = (
                "This sequence was given up by a person; send the event under the next free one."
            )
        else:
            answer.path = "sequence"
            answer.detail = "Another event was accepted at this sequence of the table."


def log_refusals(answers: list[Answer], received: Sequence[Any], key: AccessKey) -> None:
    """Write each refusal into the system's chain, and raise the alarms."""
    events: list[LogEvent] = []
    alarms: list[ExceptionRecord] = []
    for answer, document in zip(answers, received, strict=True):
        if answer.status == "accepted":
            continue
        body = refused_bytes(document)
        facts = {
            "code": answer.code,
            "detail": answer.detail,
            "document": body[:KEPT_BYTES].decode("utf-8", "replace"),
            "event_id": answer.event_id,
            "key": key.name,
            "path": answer.path,
            "sha256": sha256(body).hexdigest(),
        }
        events.append(log_event("tables.event_refused_at_door", answer.table or "", facts))
        if answer.code in ALARMING:
            alarms.append(
                ExceptionRecord(
                    kind=f"refused_{answer.code}",
                    severity=ExceptionRecord.Severity.ALARM,
                    table=(answer.table or "")[:16],
                    sentence=answer.detail,
                    facts={k: facts[k] for k in ("code", "path", "event_id", "sha256")},
                )
            )
    open_exceptions(alarms)
    record(SYSTEM, events)


def refused_bytes(document: Any) -> bytes:
    """Return a refused document as bytes for the log, whatever it was."""
    if isinstance(document, rules.Refusal):
        return document.raw
    try:
        return canonical(document)
    except (TypeError, ValueError, RecursionError):
        return repr(document)[:KEPT_BYTES].encode("utf-8", "replace")
