"""Validate, refuse and pay a claim: each a step that one person takes once.

Locks in one order: the claim's row, then (where an award goes back) its lane, the log's head last.
The steps that put an award back and that call for help stand in files of their own.
"""

from collections.abc import Callable, Collection
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from django.db import DatabaseError, transaction

from audit.models import User
from audit.services import chain_of_lane, log_event, record
from progressives import errors
from progressives.models import ClaimStep, JackpotClaim
from progressives.models.claims import IS_FULL, TierOfClaim
from progressives.paragraphs import Check, chapter_of, checks_to_pay, checks_to_validate
from progressives.services.persons import (
    must_be_allowed,
    must_not_be_the_dealer,
    must_not_have_acted,
    must_not_have_resolved,
)
from progressives.services.rounds import close_round_if_done
from progressives.services.slips import issue_slip, void_slip

Kind, State, Tier = JackpotClaim.Kind, JackpotClaim.State, JackpotClaim.Tier

DONE = {
    ClaimStep.Kind.VALIDATED: errors.AlreadyValidated,
    ClaimStep.Kind.APPROVED: errors.AlreadyApproved,
    ClaimStep.Kind.DOCUMENTED: errors.AlreadyDocumented,
    ClaimStep.Kind.REFUSED: errors.AlreadyRefused,
    ClaimStep.Kind.PAID: errors.AlreadyPaid,
    ClaimStep.Kind.RETURNED: errors.AlreadyReturned,
    ClaimStep.Kind.VOIDED: errors.AlreadyVoided,
}

PAYABLE = {State.VALIDATED, State.APPROVED, State.DOCUMENTED}

Given = ParamSpec("Given")
Result = TypeVar("Result")


def step(service: Callable[Given, Result]) -> Callable[Given, Result]:
    """Run a service as one durable transaction; PostgreSQL's own refusals get their sentence.

    Some guards speak only at commit, so they are caught around the transaction, not in it.
    """

    @wraps(service)
    def run(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        try:
            with transaction.atomic(durable=True):
                return service(*args, **kwargs)
        except DatabaseError as error:
            refusal = errors.refusal_of(error)
            if refusal is None:
                raise
            raise refusal from error

    return run


def lock_claim(claim_id: int, *, disputed_too: bool = False) -> JackpotClaim:
    """Return the claim, held until the transaction ends: whoever comes second waits here.

    The other claims of its round are held with it, so that a round cannot close beside a step.
    A disputed round stands still: only who works on the dispute asks for it too.
    """
    claims = JackpotClaim.objects.select_for_update(no_key=True, of=("self",))
    found = claims.select_related("lane").annotate(told_tier=TierOfClaim())
    of_round = JackpotClaim.objects.filter(pk=claim_id).values("round_id")
    claims_of_round = list(found.filter(round_id__in=of_round).order_by("pk"))
    for claim in () if disputed_too else claims_of_round:
        if claim.state == State.DISPUTED:
            raise errors.RoundDisputed(claim.position)
    for claim in claims_of_round:
        if claim.pk == claim_id:
            return claim
    raise errors.ClaimUnknown


def required_checks(claim: JackpotClaim) -> tuple[Check, ...]:
    """Return what must be confirmed to validate; empty means that two taps are enough."""
    return checks_to_validate(
        chapter_of(claim.cite),
        checklist=claim.tier != Tier.PLAIN,
        held=claim.tier == Tier.FULL,
        lamp=claim.lamp,
        flags=claim.flags,
    )


def needs_statement(claim: JackpotClaim) -> bool:
    """Whether the validator must say in his own words what he saw: a dark lamp, a flag."""
    return claim.lamp is False or bool(claim.flags)


def required_to_pay(claim: JackpotClaim) -> tuple[Check, ...]:
    """Return what must be confirmed to mark the claim paid."""
    return checks_to_pay(
        chapter_of(claim.cite),
        documented=claim.tier == Tier.FULL,
        cage=claim.kind == Kind.METER,
    )


@step
def validate_claim(
    *, claim_id: int, officer: User, checks: Collection[str] = (), statement: str = ""
) -> JackpotClaim:
    """Validate a payout, as a floorperson or above who did not deal the round.

    A small fixed award with its lamp lit and nothing flagged needs no more; a meter award needs
    every check of ``required_checks``, a dark lamp or a flag a statement as well. Of several
    winners of a round the first in turn is decided on first. A second call is refused with the
    name of whoever was first (§ 670a.11(h)(3)(i)(B)(I) to (III)).
    """
    claim = open_for(claim_id, officer, "validate", JackpotClaim.BEFORE_VALIDATED)
    must_be_in_turn(claim, JackpotClaim.BEFORE_VALIDATED)
    if claim.tier == Tier.FULL:
        must_not_have_acted(officer, claim, ClaimStep.Kind.VALIDATED)
    must_all_be_checked(required_checks(claim), checks)
    said = statement.strip()
    if needs_statement(claim) and not said:
        raise errors.StatementMissing
    facts = {"checks": [check.code for check in required_checks(claim)]}
    if claim.tier == Tier.FULL:
        verify_hand_and_lamp(claim, officer)
    return take(claim, ClaimStep.Kind.VALIDATED, officer, reason=said, facts=facts)


@step
def refuse_claim(*, claim_id: int, officer: User, cite: str, reason: str) -> JackpotClaim:
    """Refuse a payout by a paragraph and with a reason, also after it was validated, unless paid.

    A slip that was issued is voided and keeps its number. The award stays off the meter until
    accounting agrees that it goes back.
    """
    claim = open_for(claim_id, officer, "refuse", JackpotClaim.UNDECIDED)
    if cite not in {paragraph.cite for paragraph in chapter_of(claim.cite).refusals}:
        raise errors.RuleMissing
    if not reason.strip():
        raise errors.ReasonMissing
    void = void_slip(claim, officer, f"Refused by {cite}")
    facts = {"void_slip": void.number} if void else {}
    return take(
        claim, ClaimStep.Kind.REFUSED, officer, cite=cite, reason=reason.strip(), facts=facts
    )


@step
def pay_claim(
    *, claim_id: int, officer: User, checks: Collection[str] = (), source: str | None = None
) -> JackpotClaim:
    """Mark a validated payout paid; where the money came from follows from the kind of award.

    A caller may say the source: anything but the claim's own is refused. A meter award, and a
    large fixed one, is marked by another person than those who validated and approved it
    (§ 670a.11(h)(3)(i)(B)(IV)). A small award gets its slip and tax decision here.
    """
    claim = open_for(claim_id, officer, "pay", PAYABLE)
    if source is not None and source != claim.source_of_funds:
        raise errors.WrongSource(
            None
            if claim.kind == Kind.METER
            else f"This award is paid from the {claim.source_of_funds}."
        )
    if claim.tier == Tier.FULL:
        if taken(claim, ClaimStep.Kind.VALIDATED).by_id == officer.pk:
            raise errors.ValidatorCannotPay
        if claim.state == State.VALIDATED:
            raise errors.NotApproved
        if claim.state == State.APPROVED:
            raise errors.NotDocumented
        if taken(claim, ClaimStep.Kind.DOCUMENTED).by_id == officer.pk:
            raise errors.AlreadyActed("documented")
        must_not_have_acted(officer, claim, ClaimStep.Kind.PAID)
        must_be_verified(claim)
    must_all_be_checked(required_to_pay(claim), checks)
    slip = claim.slip if claim.tier == Tier.FULL else issue_slip(claim, officer)
    facts = {
        "checks": [check.code for check in required_to_pay(claim)],
        "slip": slip.number,
        "source": claim.source_of_funds,
    }
    return take(claim, ClaimStep.Kind.PAID, officer, facts=facts)


# ---- what the steps share -------------------------------------------------------------------


def open_for(claim_id: int, officer: User, verb: str, states: Collection[str]) -> JackpotClaim:
    """Return the claim, locked, if this person may take this step on it now; else refuse."""
    claim = lock_claim(claim_id)
    must_be_allowed(officer, verb)
    must_stand_in(claim, states)
    must_not_be_the_dealer(officer, claim)
    if verb != "refuse":
        must_not_have_resolved(officer, claim)
    return claim


def must_stand_in(claim: JackpotClaim, states: Collection[str]) -> None:
    """Refuse a claim that is elsewhere, and say who brought it there."""
    state = State(claim.state)
    if state in states:
        return
    if state == State.WAITING:
        raise errors.NotValidated
    if ClaimStep.Kind(state) not in DONE:
        raise errors.NotValidated
    last = taken(claim, ClaimStep.Kind(state))
    raise DONE[ClaimStep.Kind(state)](str(last.by), last.at)


def must_be_in_turn(claim: JackpotClaim, undecided: Collection[str]) -> None:
    """Refuse while a winner of the same round whose turn was earlier is undecided.

    Claims of a round are numbered as they were settled (§ 670a.11(e); § 670a.12(d)(3)).
    """
    earlier = JackpotClaim.objects.filter(
        round_id=claim.round_id, pk__lt=claim.pk, state__in=list(undecided)
    )
    if State.VALIDATED in undecided:  # the second approver's turns: small awards have none
        earlier = earlier.filter(IS_FULL)
    first = earlier.order_by("pk").first()
    if first is not None:
        raise errors.NotInTurn(first.position)


def must_be_verified(claim: JackpotClaim) -> None:
    """Refuse unless surveillance's last answer is that it saw nothing wrong."""
    answers = claim.steps.filter(kind=ClaimStep.Kind.ANSWERED).order_by("-pk")
    last = answers.first()
    if last is None:
        raise errors.NotYetAnswered
    if last.facts.get("answer") != "verified":
        raise errors.NotYetAnswered(f"Surveillance sees a problem: {last.reason}")


def verify_hand_and_lamp(claim: JackpotClaim, officer: User) -> None:
    """Write the two looks that come before validation, each a step and a state of its own."""
    for kind in (ClaimStep.Kind.HAND_VERIFIED, ClaimStep.Kind.LAMP_VERIFIED):
        take(claim, kind, officer)


def must_all_be_checked(required: tuple[Check, ...], given: Collection[str]) -> None:
    """Refuse where a check that the claim needs was not confirmed."""
    missing = [check.sentence for check in required if check.code not in given]
    if missing:
        raise errors.CheckMissing(missing)


def taken(claim: JackpotClaim, kind: ClaimStep.Kind) -> ClaimStep:
    """Return the step that was taken, with the person who took it."""
    return claim.steps.select_related("by").filter(kind=kind).latest("pk")


def take(
    claim: JackpotClaim,
    kind: ClaimStep.Kind,
    officer: User,
    *,
    cite: str = "",
    reason: str = "",
    facts: dict[str, Any] | None = None,
) -> JackpotClaim:
    """Write the step, move the state and tell the log, which comes last."""
    told = facts or {}
    ClaimStep.objects.create(
        claim=claim, kind=kind, by=officer, cite=cite, reason=reason, facts=told
    )
    before, claim.state = claim.state, State(kind)
    JackpotClaim.objects.filter(pk=claim.pk, state=before).update(state=claim.state)
    tell(claim, kind, officer, {**told, "cite": cite, "reason": reason})
    if claim.state in JackpotClaim.DECIDED:
        close_round_if_done(claim.round_id, officer)
    return claim


def tell(claim: JackpotClaim, kind: str, officer: User | None, told: dict[str, Any]) -> None:
    """Write what was done into the chain of the claim's lane, under its round."""
    facts = {
        **told,
        "amount": str(claim.amount),
        "claim": claim.pk,
        "hand": claim.hand,
        "kind": claim.kind,
        "position": claim.position,
        "round_id": str(claim.round_id),
    }
    subject = f"{claim.table}/{claim.round}"
    event = log_event(f"progressives.claim_{kind}", subject, facts, by=officer)
    record(chain_of_lane(claim.lane.name), [event])
