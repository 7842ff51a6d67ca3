"""Rules Submissions under two-person control: one proposes, another approves (§ 601a.2)."""

from collections.abc import Callable, Mapping
from datetime import date
from functools import wraps
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from audit.guards import TRANSITION_STATE
from audit.models import User
from audit.services import SYSTEM, chain_of_lane, log_event, record
from progressives.models import Lane
from tables.models import Facility, GamingTable, RulesSubmission, SubmissionApproval
from tables.rules.chosen import check_chosen
from tables.services.setup import ONE_AT_A_TIME
from tables.services.terms import GamingDay

PROPOSE, APPROVE = "tables.propose_rulessubmission", "tables.approve_rulessubmission"
Kind = SubmissionApproval.Kind


class SubmissionError(Exception):
    """A step on a submission that cannot be taken: why, in words for the person."""


def proposed_choices(
    game: str, version: str, effective: date, choices: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the choices with what names them, as a set-up file writes them."""
    named = {"game": game, "version": version, "effective": effective.isoformat()}
    return {**choices, **named}


@transaction.atomic
def propose_submission(
    *,
    game: str,
    version: str,
    effective: date,
    choices: Mapping[str, Any],
    by: User,
    reason: str,
) -> RulesSubmission:
    """Record a proposal; it holds for no round until another person has approved it.

    Raises Refusal, with the place, for choices that the chapter or the house does not allow, and
    SubmissionError for everything else.
    """
    must_be_allowed(by, PROPOSE, "propose a rules submission")
    if not reason.strip():
        raise SubmissionError("Say why the rules should change.")
    if not version.strip() or len(version) > 24:
        raise SubmissionError("A version has a name of 1 to 24 characters.")
    one_at_a_time()
    whole = proposed_choices(game, version.strip(), effective, choices)
    submission = check_chosen(game, whole)
    if RulesSubmission.objects.filter(game=game, version=version.strip()).exists():
        raise SubmissionError(f"There is a version {version.strip()} of {game} already.")
    must_be_free(game, effective, lanes_of(game))
    made = RulesSubmission.objects.create(
        game=game,
        version=version.strip(),
        effective=effective,
        choices=whole,
        digest=submission.digest,
        proposed_by=by,
        reason=reason.strip(),
    )
    facts = {"choices": whole, "digest": submission.digest, "reason": reason.strip()}
    record(SYSTEM, [log_event("tables.submission_proposed", subject(made), facts, by=by)])
    return made


def guarded(deed: Callable[..., SubmissionApproval]) -> Callable[..., SubmissionApproval]:
    """Say in words what the database itself refuses."""

    @wraps(deed)
    def decide(**asked: Any) -> SubmissionApproval:
        try:
            return deed(**asked)
        except DatabaseError as error:
            if getattr(error.__cause__, "sqlstate", "") == TRANSITION_STATE:
                raise SubmissionError(f"{str(error.__cause__).splitlines()[0]}.") from error
            raise

    return decide


@guarded
@transaction.atomic
def approve_submission(*, submission_id: int, by: User, remark: str = "") -> SubmissionApproval:
    """Approve another person's proposal; it is in force from its gaming day on.

    Each lane that deals the game takes its next number, so that whatever is being worked out
    under the terms of before is worked out anew.
    """
    found = waiting(submission_id, by)
    lanes = lanes_of(found.game, hold=True)
    check_chosen(found.game, found.choices)
    must_be_free(found.game, found.effective, lanes)
    approval = decide(found, Kind.APPROVED, by, remark)
    facts = {"digest": found.digest, "effective": found.effective.isoformat(), "remark": remark}
    for lane in lanes:
        lane.number += 1
        lane.save(update_fields=["number"])
        told = {**facts, "lane_number": lane.number}
        event = log_event("tables.submission_approved", subject(found), told, by=by)
        record(chain_of_lane(lane.name), [event])
    record(SYSTEM, [log_event("tables.submission_approved", subject(found), facts, by=by)])
    return approval


@guarded
@transaction.atomic
def refuse_submission(*, submission_id: int, by: User, remark: str) -> SubmissionApproval:
    """Refuse another person's proposal, with a reason; it will never be in force."""
    if not remark.strip():
        raise SubmissionError("Say why this submission is refused.")
    found = waiting(submission_id, by)
    approval = decide(found, Kind.REFUSED, by, remark)
    facts = {"digest": found.digest, "remark": remark.strip()}
    record(SYSTEM, [log_event("tables.submission_refused", subject(found), facts, by=by)])
    return approval


# ---- what the steps share --------------------------------------------------------------------


def waiting(submission_id: int, by: User) -> RulesSubmission:
    """Return a proposal that nobody has decided on, for a person who may."""
    must_be_allowed(by, APPROVE, "decide on a rules submission")
    one_at_a_time()
    found = RulesSubmission.objects.select_related("approval__by").get(pk=submission_id)
    if hasattr(found, "approval"):
        word = found.approval.get_kind_display().lower()
        who = f" by {found.approval.by}" if found.approval.by else ""
        raise SubmissionError(f"This submission is decided on: {word}{who}.")
    if found.proposed_by_id == by.pk:
        raise SubmissionError("You have proposed this submission; another person decides on it.")
    return found


def decide(found: RulesSubmission, kind: str, by: User, remark: str) -> SubmissionApproval:
    """Write down what was decided."""
    return SubmissionApproval.objects.create(
        submission=found,
        kind=kind,
        game=found.game,
        effective=found.effective,
        by=by,
        remark=remark.strip(),
    )


def must_be_allowed(by: User, permission: str, deed: str) -> None:
    """Refuse whoever has no role for it, or no staff code to sign with."""
    if not by.is_active or not by.has_perm(permission):
        raise SubmissionError(f"Your role does not {deed}.")
    if not by.staff_code:
        raise SubmissionError("Your account has no staff code to sign with.")


def one_at_a_time() -> None:
    """Wait for whoever else is at the submissions, until this transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [ONE_AT_A_TIME])


def lanes_of(game: str, *, hold: bool = False) -> list[Lane]:
    """Return the lanes whose tables deal the game; with ``hold`` they stand still meanwhile."""
    ids = GamingTable.objects.filter(game=game).values_list("lane_id", flat=True).distinct()
    lanes = Lane.objects.filter(pk__in=list(ids)).order_by("pk")
    return list(lanes.select_for_update(no_key=True) if hold else lanes)


def must_be_free(game: str, effective: date, lanes: list[Lane]) -> None:
    """Refuse a day that has begun at any of the game's tables, or that has its submission.

    A change of rules must not touch a round that is settled, nor one that is being dealt.
    """
    if not Facility.objects.exists():
        raise SubmissionError("The house is not set up yet.")
    days = [lane.gaming_day for lane in lanes if lane.gaming_day is not None]
    begun = max([today(), *days])
    if effective <= begun:
        raise SubmissionError(
            f"Gaming day {begun} has begun; a submission takes effect on a later one."
        )
    other = SubmissionApproval.objects.exclude(kind=Kind.REFUSED).filter(
        game=game, effective=effective
    )
    if (held := other.select_related("submission").first()) is not None:
        raise SubmissionError(f"From {effective} on, submission {held.submission.version} holds.")


def subject(found: RulesSubmission) -> str:
    """Return where the log keeps what happened to a submission."""
    return f"submission/{found.game}/{found.version}"


# ---- what is in force -------------------------------------------------------------------------


def today() -> date:
    """Return the gaming day that it is now, or the calendar's where no house is set up."""
    facility = Facility.objects.first()
    return GamingDay(facility).of(timezone.now()) if facility else timezone.localdate()


def in_force(game: str, day: date) -> RulesSubmission | None:
    """Return the game's submission on a gaming day; None where the chapter's defaults hold."""
    approved = SubmissionApproval.objects.exclude(kind=Kind.REFUSED).select_related("submission")
    found = approved.filter(game=game, effective__lte=day).order_by("-effective").first()
    return None if found is None else found.submission
