"""The two signatures of a close: the preparer's, and another person's."""

from datetime import date
from typing import Any

from audit.checkpoints import sign_after_commit
from audit.models import User
from audit.services import SYSTEM, log_event, record, take_heads
from progressives import close_errors, errors
from progressives.models import CloseStep, GamingDayClose
from progressives.services.claims import step
from progressives.services.close_figures import Figures, digest_of, figures_of, signed_figures
from progressives.services.close_persons import must_be_allowed_to
from progressives.services.close_readings import lock_draft, put_before_a_person

State, Kind = GamingDayClose.State, CloseStep.Kind


@step
def prepare_close(*, day: date, by: User, note: str = "") -> GamingDayClose:
    """Sign a close as its preparer, when nothing blocks it any more.

    The day is told anew from the log for it. What is signed is the hash of the figures.
    """
    must_be_allowed_to(by, "prepare")
    close = lock_draft(day)
    figures = figures_of(day, fresh=True)
    must_not_be_blocked(figures)
    told = signed_figures(figures)
    close.state, close.prepared_by = State.PREPARED, by
    close.figures, close.digest = told, digest_of(told)
    close.save(update_fields=["state", "prepared_by", "figures", "digest"])
    tell(close, Kind.PREPARED, by, note)
    return close


@step
def send_close_back(*, day: date, by: User, reason: str) -> GamingDayClose:
    """Send a signed close back to its preparer, with a reason; its fence stays where it is."""
    must_be_allowed_to(by, "review")
    close = lock_prepared(day, by)
    if not reason.strip():
        raise errors.ReasonMissing
    tell(close, Kind.SENT_BACK, by, reason.strip())
    close.state, close.prepared_by, close.figures, close.digest = State.DRAFT, None, None, ""
    close.save(update_fields=["state", "prepared_by", "figures", "digest"])
    return close


@step
def review_close(*, day: date, by: User, note: str = "") -> GamingDayClose:
    """Sign a close as its reviewer, who is not its preparer: the day is closed for good.

    The day is told anew once more and must come to the very figures that were signed first. The
    head of every chain is noted, and a checkpoint over them is signed when the close has committed.
    """
    must_be_allowed_to(by, "review")
    close = lock_prepared(day, by)
    figures = figures_of(day, fresh=True)
    must_not_be_blocked(figures)
    if digest_of(signed_figures(figures)) != close.digest:
        raise close_errors.FiguresChanged
    close.retold = figures.told.retelling.state()
    close.state, close.reviewed_by = State.CLOSED, by
    close.heads, close.head = take_heads()
    close.save(update_fields=["state", "reviewed_by", "retold", "heads", "head"])
    put_back = {"head": close.head, "heads": close.heads}
    tell(close, Kind.CLOSED, by, note, put_back)
    sign_after_commit()
    return close


def lock_prepared(day: date, by: User) -> GamingDayClose:
    """Return a close that waits for its second signature, held; never for who gave the first."""
    close = GamingDayClose.objects.select_for_update(no_key=True).filter(gaming_day=day).first()
    if close is None:
        raise close_errors.CloseUnknown
    if close.state == State.CLOSED:
        raise close_errors.DayBehindFence(day)
    if close.state != State.PREPARED:
        raise close_errors.NotPrepared
    if close.prepared_by_id == by.pk:
        raise close_errors.PreparerCannotReview
    return close


def must_not_be_blocked(figures: Figures) -> None:
    """Refuse while anything blocks the signature."""
    if figures.blockers:
        raise close_errors.Blocked([blocker.sentence for blocker in figures.blockers])


def tell(
    close: GamingDayClose, kind: str, by: User, reason: str, more: dict[str, Any] | None = None
) -> None:
    """Write the step and tell the log, which comes last."""
    CloseStep.objects.create(close=close, kind=kind, by=by, reason=reason, digest=close.digest)
    day = close.gaming_day.isoformat()
    facts = {"digest": close.digest, "gaming_day": day, "reason": reason, **(more or {})}
    record(SYSTEM, [log_event(f"progressives.day_{kind}", day, facts, by=by)])


@step
def name_variances(*, day: date, by: User) -> None:
    """Look once more for variances that nobody was told of, and open their exceptions."""
    must_be_allowed_to(by, "prepare")
    lock_draft(day)
    put_before_a_person(day)
