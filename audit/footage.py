"""What cameras saw and how long it is kept: the camera map, holds, preserved rounds."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from audit.access import PRESERVED
from audit.canonical import canonical
from audit.casebook import CaseRefused, cases_for, must_be
from audit.models import (
    Camera,
    Case,
    ExceptionRecord,
    FootageHold,
    HoldEnd,
    PreservedRound,
    User,
)
from audit.services import SYSTEM, log_event, open_exceptions, record, timestamp

WARN_BEFORE = timedelta(hours=48)
AROUND = timedelta(minutes=5)  # footage held before and after a preserved round
SENTENCE = "Footage that is held will be overwritten soon; save it, or release the hold."


@transaction.atomic
def place_camera(
    *, by: User, table: str, camera: str, sees: bool, sees_from: datetime, keeps_days: int
) -> Camera:
    """Say that a camera sees a table, or no longer does, from a moment on."""
    must_be(table.strip(), "table", "Say which table.")
    must_be(camera.strip(), "camera", "Say which camera.")
    must_be(1 <= keeps_days <= 3650, "keeps_days", "Say for how many days the recorder keeps it.")
    placed = Camera.objects.create(
        by=by, table=table.strip(), camera=camera.strip(), sees=sees, sees_from=sees_from,
        keeps_days=keeps_days,
    )  # fmt: skip
    facts = {"camera": placed.camera, "from": timestamp(sees_from), "keeps_days": keeps_days}
    record(SYSTEM, [log_event("audit.camera_placed", placed.table, {**facts, "sees": sees}, by=by)])
    return placed


def cameras_at(table: str, moment: datetime) -> list[Camera]:
    """Return the cameras that saw a table at a moment."""
    rows = Camera.objects.filter(table=table, sees_from__lte=moment)
    last = {row.camera: row for row in rows.order_by("sees_from", "pk")}
    return [row for row in last.values() if row.sees]


@transaction.atomic
def hold(
    *, by: User, table: str, begins: datetime, ends: datetime, reason: str, case: Case | None = None
) -> list[FootageHold]:
    """Hold what every camera of a table saw in a stretch of time.

    Raises CaseRefused where the map knows no camera, or all of it is overwritten already.
    """
    must_be(reason.strip(), "reason", "Say why the footage is held.")
    must_be(ends > begins, "ends", "The end lies before the beginning.")
    cameras = cameras_at(table, begins)
    must_be(cameras, "table", f"The camera map has no camera at {table} then.", "no_camera")
    held = [
        FootageHold(by=by, table=table, camera=camera.camera, begins=begins, ends=ends,
                    reason=reason.strip(), case=case,
                    expires_at=begins + timedelta(days=camera.keeps_days))
        for camera in cameras
    ]  # fmt: skip
    late = all(one.expires_at <= timezone.now() for one in held)
    must_be(not late, "begins", "The recorder has overwritten it already.", "overwritten")
    held = FootageHold.objects.bulk_create(held)
    facts = {"begins": timestamp(begins), "ends": timestamp(ends)}
    facts["holds"] = [one.pk for one in held]  # type: ignore[assignment]
    record(SYSTEM, [log_event("audit.footage_held", table, facts, by=by)])
    return held


@transaction.atomic
def end_hold(*, by: User, hold_id: int, kind: str, where: str) -> HoldEnd:
    """Say that held footage is saved, and where, or released, and why."""
    held = FootageHold.objects.filter(pk=hold_id).first()
    hidden = held and held.case_id and not cases_for(by).filter(pk=held.case_id).exists()
    must_be(held and not hidden, "hold", "There is no such hold.")  # nobody learns which
    must_be(kind in HoldEnd.Kind.values, "kind", "Saved or released?")
    must_be(where.strip(), "where", "Say where it was saved to, or why it is released.")
    if HoldEnd.objects.filter(pk=hold_id).exists():
        raise CaseRefused("answered_already", "hold", "This hold has ended already.")
    end = HoldEnd.objects.create(hold_id=hold_id, by=by, kind=kind, where=where.strip())
    facts = {"hold": hold_id, "kind": kind}
    record(SYSTEM, [log_event("audit.footage_hold_ended", f"hold/{hold_id}", facts, by=by)])
    return end


def open_holds() -> QuerySet[FootageHold]:
    """Return what is held and neither saved nor released, the most urgent first."""
    return FootageHold.objects.filter(end__isnull=True).select_related("case", "by")


@transaction.atomic
def warn_of_expiry() -> int:
    """Put holds before a person whose footage will be overwritten soon; return how many there are.

    One exception a hold; asking again opens no second one.
    """
    soon = list(open_holds().filter(expires_at__lte=timezone.now() + WARN_BEFORE))
    open_exceptions(warning_of(one) for one in soon)
    return len(soon)


def warning_of(held: FootageHold) -> ExceptionRecord:
    """Return the alarm of a hold that expires."""
    facts: dict[str, Any] = {"hold": held.pk, "camera": held.camera}
    facts |= {"expires_at": timestamp(held.expires_at)}
    return ExceptionRecord(
        kind="footage_expires",
        severity=ExceptionRecord.Severity.ALARM,
        table=held.table,
        sentence=SENTENCE,
        cite="§ 465a.9",
        facts=facts,
        once=f"footage_expires/{held.pk}",
    )


@transaction.atomic
def preserve(
    *,
    by: User,
    round_id: UUID,
    table: str,
    round: int,  # noqa: A002 - the field's name
    occurred_at: datetime,
    evidence: Any,
    reason: str,
    case: Case | None,
) -> tuple[PreservedRound, list[FootageHold]]:
    """Freeze a round's evidence as it stands, and hold what the cameras saw of it.

    ``evidence`` is JSON: what the log tells. Without a camera, or where its footage is gone, only
    the evidence is kept.
    """
    must_be(reason.strip(), "reason", "Say why the round is preserved.")
    body = canonical(evidence)
    digest = sha256(body).hexdigest()
    kept = PreservedRound.objects.create(
        by=by, round_id=round_id, table=table, round=round, body=body, digest=digest,
        reason=reason.strip(), case=case,
    )  # fmt: skip
    held: Iterable[FootageHold] = ()
    try:
        begins, ends = occurred_at - AROUND, occurred_at + AROUND
        held = hold(by=by, table=table, begins=begins, ends=ends, reason=reason, case=case)
    except CaseRefused:
        held = ()
    facts = {"digest": digest, "holds": [one.pk for one in held]}
    record(SYSTEM, [log_event(PRESERVED, f"{table}/{round}", facts, by=by)])
    return kept, list(held)
