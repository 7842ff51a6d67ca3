"""One claim as one member of staff sees it: where it belongs, and what he may do with it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone

from audit.models import User
from progressives.models import ClaimStep, JackpotClaim
from progressives.services.claims import PAYABLE, required_checks, required_to_pay
from progressives.services.persons import APART, dealt, verbs_of

Kind, State, Tier = JackpotClaim.Kind, JackpotClaim.State, JackpotClaim.Tier
Taken = ClaimStep.Kind

WORDS = {
    Taken.VALIDATED: "Validated",
    Taken.ANSWERED: "Surveillance answered",
    Taken.APPROVED: "Approved",
    Taken.DOCUMENTED: "Documented",
    Taken.REFUSED: "Refused",
    Taken.PAID: "Paid",
    Taken.RETURNED: "Back on the meter",
    Taken.DISPUTED: "Disputed",
    Taken.PROPOSED: "Outcome proposed",
    Taken.RESOLVED: "Dispute resolved",
    Taken.VOID_ASKED: "Void asked for",
    Taken.VOIDED: "Voided",
}


@dataclass(frozen=True)
class Viewer:
    """Who looks, and which steps his roles give him."""

    user: User
    verbs: frozenset[str]

    @classmethod
    def of(cls, user: Any) -> "Viewer":
        return cls(user, verbs_of(user))


@dataclass(frozen=True)
class Action:
    """A button: with ``armed`` two taps do it, without it a page asks first."""

    verb: str
    label: str
    armed: str = ""


@dataclass(frozen=True)
class Row:
    """What the queue shows of a claim. ``version`` changes with every step."""

    claim: JackpotClaim
    list: str
    version: int
    escalated: bool
    note: str
    actions: tuple[Action, ...]
    two_taps: bool


def row_of(claim: JackpotClaim, viewer: Viewer) -> Row:
    """Make a claim's row; the claim's steps must be there already (``claims_with_steps``)."""
    steps = {step.kind: step for step in claim.steps.all()}
    last = max(steps.values(), key=lambda step: step.pk)
    two_taps = not required_checks(claim)
    where = list_of(claim, steps)
    if viewer.user.staff_code is None:
        actions, why_not = (), "Your account has no staff code"
    elif where and dealt(viewer.user, claim):
        actions, why_not = (), "You dealt this round"
    elif where and where != "disputed" and getattr(claim, "round_disputed", False):
        actions, why_not = (), "Its round is disputed"
    elif where == "disputed":
        may = "resolve" in viewer.verbs
        actions, why_not = ((Action("resolve", "Resolve"),) if may else ()), ""
    else:
        actions, why_not = actions_of(claim, where, steps, viewer, two_taps)
    told = [said(step) for kind, step in steps.items() if kind == last.kind and kind in WORDS]
    note = " · ".join([*told, *([why_not] if why_not and viewer.verbs else [])])
    escalated = Taken.ESCALATED in steps and claim.state == State.WAITING
    return Row(claim, where, last.pk, escalated, note, actions, two_taps)


def list_of(claim: JackpotClaim, steps: dict[str, ClaimStep]) -> str:
    """Return the list a claim belongs to: waiting, approve, pay, return, or none any more."""
    if claim.state in JackpotClaim.BEFORE_VALIDATED:
        return "waiting"
    if claim.state == State.DISPUTED:
        return "disputed"
    if claim.state == State.VALIDATED and claim.tier == Tier.FULL:
        return "approve"
    if claim.state in PAYABLE:
        return "pay"
    if claim.state == State.REFUSED and claim.kind == Kind.METER and Taken.RETURNED not in steps:
        return "return"
    return ""


def actions_of(
    claim: JackpotClaim, where: str, steps: dict[str, ClaimStep], viewer: Viewer, two_taps: bool
) -> tuple[tuple[Action, ...], str]:
    """Return the buttons of a row for this viewer, and why one he could expect is missing."""
    found, why_not = [], ""
    full = claim.tier == Tier.FULL
    acted = {kind for kind in APART if kind in steps and steps[kind].by_id == viewer.user.pk}
    if where == "waiting" and "validate" in viewer.verbs:
        armed = "Tap again to validate" if two_taps else ""
        found.append(Action("validate", "Validate", armed))
    if where == "approve":
        why_not = not_yet_approved(steps, viewer, bool(acted))
        if "approve" in viewer.verbs and not why_not:
            found.append(Action("approve", "Approve"))
    documents_first = claim.state == State.APPROVED
    if where == "pay" and documents_first:
        why_not = "" if "document" in viewer.verbs else "Waits for its slip"
        found += [Action("document", "Issue slip")] if not why_not else []
    elif where == "pay" and "pay" in viewer.verbs:
        issuer = steps.get(Taken.DOCUMENTED)
        if full and (acted or (issuer and issuer.by_id == viewer.user.pk)):
            why_not = "Another person pays"
        else:
            armed = "" if required_to_pay(claim) else "Tap again: it is paid"
            found.append(Action("pay", "Mark paid", armed))
    open_to_answer = full and where in ("waiting", "approve", "pay")
    if open_to_answer and "answer" in viewer.verbs and not acted - {Taken.ANSWERED}:
        found.append(Action("answer", "Answer again" if Taken.ANSWERED in steps else "Answer"))
    if where in ("waiting", "approve", "pay") and "refuse" in viewer.verbs:
        found.append(Action("refuse", "Refuse"))
    if where == "return" and "return" in viewer.verbs:
        if steps[Taken.REFUSED].by_id == viewer.user.pk:
            why_not = "Another person puts it back"
        else:
            found.append(Action("return", "Put back"))
    return tuple(found), why_not


def asked_by_another(steps: dict[str, ClaimStep], viewer: Viewer) -> bool:
    """Whether somebody else asked that a payout be voided, which this viewer may confirm."""
    asked = steps.get(Taken.VOID_ASKED)
    return asked is not None and asked.by_id != viewer.user.pk and "void" in viewer.verbs


def branches_of(claim: JackpotClaim, viewer: Viewer) -> tuple[Action, ...]:
    """Return what may be done with a payout beside its next step: to object, to have it voided."""
    found = []
    if dealt(viewer.user, claim):
        return ()
    if "dispute" in viewer.verbs and claim.state not in (State.DISPUTED, State.VOIDED):
        found.append(Action("dispute", "Raise a dispute"))
    steps = {step.kind: step for step in claim.steps.all()}
    voidable = claim.state in JackpotClaim.UNDECIDED and not getattr(claim, "round_disputed", False)
    if voidable and "void" in viewer.verbs:
        asked = asked_by_another(steps, viewer)
        found.append(Action("void", "Confirm void" if asked else "Ask for a void"))
    return tuple(found)


def not_yet_approved(steps: dict[str, ClaimStep], viewer: Viewer, acted: bool) -> str:
    """Return what a second approval still waits for; empty when this viewer may give it."""
    answer = steps.get(Taken.ANSWERED)
    if answer is None:
        return "Waits for surveillance"
    if answer.facts.get("answer") != "verified":
        return "Surveillance sees a problem"
    if acted and "approve" in viewer.verbs:
        return "Another person approves"
    return ""


def said(step: ClaimStep) -> str:
    """Write a step as the row tells it: Validated by F200 at 14:03."""
    at = timezone.localtime(step.at)
    return f"{WORDS[Taken(step.kind)]} by {step.by} at {at:%H:%M}"


def rows_of(claims: Iterable[JackpotClaim], viewer: Viewer) -> list[Row]:
    """Make the rows of many claims."""
    return [row_of(claim, viewer) for claim in claims]


def as_json(row: Row) -> dict[str, Any]:
    """Return a row as the script takes it: facts to decide by, and the markup to show."""
    return {
        "id": row.claim.pk,
        "version": row.version,
        "state": row.claim.state,
        "list": row.list,
        "html": render_to_string("progressives/_row.html", {"row": row, "now": timezone.now()}),
    }
