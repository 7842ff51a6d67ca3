"""A round's dossier leaves the house as a controlled act: asked for, agreed to, taken out.

    asked = request_dossier(table="SC-11", round_number=7, reason="…", recipient="…", by=user)
    answer_dossier(request_id=asked.pk, by=another, agreed=True)   # where the facility wants it
    body = export_dossier(request_id=asked.pk, by=user)            # the ZIP

Each step is a row of its own and an event of the log; the file's SHA-256 is in both. What the ZIP
holds, see ``tables.dossier.build``; ``verify.py`` in it needs nothing of ours.
"""

from hashlib import sha256

from django.db import IntegrityError, transaction

from audit.access import HOUSES_OWN
from audit.models import AuditEvent, User
from audit.services import SYSTEM, log_event, record
from tables.dossier import errors
from tables.dossier.build import build_dossier
from tables.models import DossierRequest, DossierStep, Facility

EXPORT, APPROVE = "tables.export_round", "tables.approve_export"
Kind = DossierStep.Kind


@transaction.atomic
def request_dossier(
    *, table: str, round_number: int, reason: str, recipient: str, by: User
) -> DossierRequest:
    """Ask for a round's dossier. Raises DossierRefused."""
    if not by.has_perm(EXPORT):
        raise errors.MayNotExport
    if not reason.strip() or not recipient.strip():
        raise errors.SayWhy
    told_of = AuditEvent.objects.filter(subject=f"{table}/{round_number}").exclude(
        action__in=HOUSES_OWN
    )
    if not told_of.exists():
        raise errors.NothingToExport
    asked = DossierRequest.objects.create(
        table=table,
        round=round_number,
        reason=reason.strip(),
        recipient=recipient.strip()[:200],
        by=by,
        second_person=Facility.objects.filter(second_person_exports=True).exists(),
    )
    tell("requested", asked, by)
    return asked


@transaction.atomic
def answer_dossier(*, request_id: int, by: User, agreed: bool) -> DossierStep:
    """Agree that a dossier leaves the house, or refuse it: never who asked for it."""
    asked = request_of(request_id)
    if not by.has_perm(APPROVE):
        raise errors.MayNotExport
    if asked.by_id == by.pk:
        raise errors.AnotherPerson
    if not asked.second_person:
        raise errors.Answered
    kind = Kind.APPROVED if agreed else Kind.REFUSED
    try:
        with transaction.atomic():
            step = DossierStep.objects.create(request=asked, kind=kind, by=by)
    except IntegrityError as error:  # somebody was first
        raise errors.Answered from error
    tell(kind, asked, by)
    return step


def export_dossier(*, request_id: int, by: User) -> bytes:
    """Return the dossier, packed from the log as it is signed now; each time is told to the log."""
    asked = request_of(request_id)
    must_be_agreed(asked, by)
    body = build_dossier(asked, by)
    with transaction.atomic():
        digest = sha256(body).hexdigest()
        DossierStep.objects.create(request=asked, kind=Kind.EXPORTED, by=by, digest=digest)
        tell(Kind.EXPORTED, asked, by, digest)
    return body


def must_be_agreed(asked: DossierRequest, by: User) -> None:
    """Refuse whoever may not take it out, and what nobody agreed to."""
    if not by.has_perm(EXPORT):
        raise errors.MayNotExport
    answers = set(asked.steps.exclude(kind=Kind.EXPORTED).values_list("kind", flat=True))
    if Kind.REFUSED in answers or (asked.second_person and Kind.APPROVED not in answers):
        raise errors.NotAgreed


def request_of(request_id: int) -> DossierRequest:
    """Return a request. Raises UnknownRequest."""
    asked = DossierRequest.objects.select_related("by").filter(pk=request_id).first()
    if asked is None:
        raise errors.UnknownRequest
    return asked


def tell(word: str, asked: DossierRequest, by: User, digest: str = "") -> None:
    """Tell the system's chain; the round's own events stay what they were."""
    facts = {
        "reason": asked.reason,
        "recipient": asked.recipient,
        "request": asked.pk,
        "round": asked.round,
        "second_person": asked.second_person,
        "table": asked.table,
    }
    if digest:
        facts["digest"] = digest
    event = log_event(f"tables.dossier_{word}", f"dossier/{asked.pk}", facts, by=by)
    record(SYSTEM, [event])
