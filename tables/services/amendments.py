"""Amend a settled round: one person proposes a corrected document, another approves or refuses it.

Approved, the outcome's next version stands beside those before it. Adjustments, payouts and Envy
Bonuses follow in the same transaction, under the lane's next number; what later rounds were paid
stands.
"""

from typing import Any
from uuid import UUID

from django.contrib.auth.models import Permission
from django.db.models import Q

from audit.canonical import canonical, parse
from audit.models import ExceptionRecord, User
from audit.services import chain_of_lane, log_event, open_exceptions, record, timestamp
from progressives import errors
from progressives.models import JackpotClaim, Lane, RoundAdjustment
from progressives.services.adjusting import Effects, adjust, end_disputes, take_back
from progressives.services.claims import step
from progressives.services.ledger import Ledger, LevelMeter, RoundFacts, SplitMeter
from progressives.services.persons import is_dealer, must_be_independent
from progressives.services.rounds import close_round_if_done, hold_round
from tables.models import AmendmentDecision, Round, RoundAmendment
from tables.rules import Refusal
from tables.services.amend_work import work_out
from tables.services.amended_round import Original, Work, find_original
from tables.services.further import feeds_of

Kind = AmendmentDecision.Kind
FIXED = ("spec", "event_id", "table", "sequence", "type", "round", "occurred_at", "game")
DEEDS = {
    "propose": "propose the amendment of a settled round",
    "approve": "decide on the amendment of a settled round",
}


class AmendmentUnknown(errors.ClaimUnknown):
    code = "unknown_amendment"
    sentence = "There is no such round or amendment."


@step
def propose_amendment(
    *, round_id: UUID, document: dict[str, Any], officer: User, reason: str
) -> RoundAmendment:
    """Propose a corrected document for a settled round, and show what it would change.

    The document is the round's own with its facts corrected: table, round, moment and event stay.
    It is settled under the submission that was in force then. A later proposal takes the place of
    an earlier one only when it is approved.
    """
    found = find_round(round_id)
    must_be_allowed(officer, "propose", found)
    if not reason.strip():
        raise errors.ReasonMissing
    original = find_original(found)
    lane = Lane.objects.get(pk=found.table.lane_id)
    work = worked_out(original, document, Ledger(lane.pk), lane)
    made = RoundAmendment.objects.create(
        round=found,
        version=work.version,
        document=canonical(document),
        rules=work.rules,
        outcome=work.outcome,
        effects=work.effects(),
        digest=work.digest(),
        reason=reason.strip(),
        proposed_by=officer,
    )
    tell(made, lane, officer, "proposed", {"reason": made.reason})
    return made


@step
def refuse_amendment(*, amendment_id: int, officer: User, remark: str) -> AmendmentDecision:
    """Refuse a proposed amendment; nothing of it takes effect."""
    amendment, lane = lock_amendment(amendment_id, officer)
    if not remark.strip():
        raise errors.ReasonMissing
    decided = AmendmentDecision.objects.create(
        amendment=amendment, kind=Kind.REFUSED, by=officer, remark=remark.strip()
    )
    tell(amendment, lane, officer, "refused", {"reason": remark.strip()})
    return decided


@step
def approve_amendment(
    *, amendment_id: int, officer: User, digest: str, remark: str = ""
) -> AmendmentDecision:
    """Approve an amendment exactly as it was shown (``digest``), and let it take effect.

    Refused to who proposed it, dealt the round or decided on one of its payouts; and where round,
    payouts or Envy Bonuses are not what they were when it was proposed.
    """
    amendment, lane = lock_amendment(amendment_id, officer)
    found = amendment.round
    claims = list(JackpotClaim.objects.filter(round_id=found.pk).select_related("lane"))
    for claim in claims:
        must_be_independent(officer, claim)
    lane.number += 1
    ledger = Ledger(lane.pk)
    original = find_original(found)
    work = worked_out(original, parse(bytes(amendment.document)), ledger, lane)
    if not amendment.digest == work.digest() == digest:
        raise errors.AmendmentOutdated
    adjustment = RoundAdjustment.objects.create(
        lane=lane,
        lane_number=lane.number,
        round_id=found.pk,
        version=work.version,
        table=found.table.code,
        round=found.number,
        dealer=found.dealer,
        digest=work.digest(),
        reason=amendment.reason,
        proposed_by=amendment.proposed_by,
        approved_by=officer,
    )
    take_effect(work, original, amendment, adjustment, ledger, lane)
    decided = AmendmentDecision.objects.create(
        amendment=amendment, kind=Kind.APPROVED, by=officer, remark=remark.strip()
    )
    close_round_if_done(found.pk, officer)
    return decided


def take_effect(
    work: Work,
    original: Original,
    amendment: RoundAmendment,
    adjustment: RoundAdjustment,
    ledger: Ledger,
    lane: Lane,
) -> None:
    """Move the money, say what a person must still look at, and tell the log."""
    found, officer = original.round, adjustment.approved_by
    claims = hold_round(found.pk)
    end_disputes(claims, adjustment.proposed_by, officer, adjustment.reason)
    gone = {claim.pk for claim in work.taken_back}
    for claim in JackpotClaim.objects.filter(pk__in=gone).select_related("lane").order_by("pk"):
        take_back(claim, adjustment)
    effects = Effects(
        work.adjustments, work.opened, list(gone), [envy.pk for envy in work.dropped], work.owed
    )
    facts = facts_of(original, lane)
    entries = adjust(meter_of(ledger, found), effects, facts, adjustment)
    ledger.store()
    lane.save(update_fields=["number"])
    open_exceptions(overpaid(work, original, lane))
    told = {
        "claims": [
            {"amount": str(c.amount), "hand": c.hand, "kind": c.kind, "position": c.position}
            for c in work.opened
        ],
        "document": parse(bytes(amendment.document)),
        "effects": work.effects(),
        "entries": [entry.told() for entry in entries],
        "gaming_day": facts.gaming_day.isoformat(),
        "lane_number": lane.number,
        "outcome": work.outcome,
        "proposed_by": adjustment.proposed_by.staff_code,
        "reason": adjustment.reason,
        "version": work.version,
    }
    subject = f"{found.table.code}/{found.number}"
    event = log_event("tables.round_amended", subject, told, by=officer)
    record(chain_of_lane(lane.name), [event])


# ---- what the three share -------------------------------------------------------------------


def find_round(round_id: UUID) -> Round:
    """Return a settled round."""
    found = Round.objects.select_related("table").filter(pk=round_id).first()
    if found is None:
        raise AmendmentUnknown
    if found.state != Round.State.SETTLED:
        raise errors.NotSettled
    return found


def lock_amendment(amendment_id: int, officer: User) -> tuple[RoundAmendment, Lane]:
    """Return an open amendment and its lane, both held with the round's payouts."""
    amendments = RoundAmendment.objects.select_related("round__table", "proposed_by")
    amendment = amendments.filter(pk=amendment_id).first()
    if amendment is None:
        raise AmendmentUnknown
    must_be_allowed(officer, "approve", amendment.round)
    if amendment.proposed_by_id == officer.pk:
        raise errors.ProposerCannotApprove
    hold_round(amendment.round_id)
    lane = Lane.objects.select_for_update(no_key=True).get(pk=amendment.round.table.lane_id)
    decided = AmendmentDecision.objects.select_related("by").filter(amendment=amendment).first()
    if decided is not None:
        what = Kind(decided.kind).label.lower()
        raise errors.AmendmentDecided(what, str(decided.by), decided.at)
    return amendment, lane


def may_amend(user: User, verb: str) -> bool:
    """Whether a person's roles let him propose or approve; a superuser's flag does not."""
    return Permission.objects.filter(
        Q(group__user__pk=user.pk, group__user__is_active=True)
        | Q(user__pk=user.pk, user__is_active=True),
        content_type__app_label="progressives",
        codename=f"{verb}_roundadjustment",
    ).exists()


def must_be_allowed(officer: User, verb: str, found: Round) -> None:
    """Refuse whoever's role does not give it, who could not sign it, and the round's dealer."""
    if not may_amend(officer, verb):
        raise errors.NotAllowed(DEEDS[verb])
    if not officer.staff_code:
        raise errors.NoStaffCode
    if is_dealer(officer, found.dealer):
        raise errors.DealerOfTheRound


def worked_out(original: Original, document: dict[str, Any], ledger: Ledger, lane: Lane) -> Work:
    """Work an amendment out; what the rules refuse becomes a refusal with its place."""
    for key in FIXED:
        if document.get(key) != original.document.get(key):
            detail = "An amended round keeps its table, number, moment and event."
            raise errors.DocumentRefused("another_round", key, detail)
    if canonical(document) == canonical(original.document):
        raise errors.NothingAmended
    meter = meter_of(ledger, original.round)
    if isinstance(meter, SplitMeter) or feeds_of([original.round.table], retired_too=True):
        raise errors.NotAmendable
    try:
        return work_out(original, document, meter, facts_of(original, lane))
    except Refusal as refusal:
        raise errors.DocumentRefused(refusal.code, refusal.path, refusal.detail) from refusal


def facts_of(original: Original, lane: Lane) -> RoundFacts:
    """Return what an adjustment says of its round: today, under the lane's number."""
    found = original.round
    day = lane.gaming_day or found.gaming_day
    return RoundFacts(lane.number, day, found.pk, found.table.code, found.number, found.dealer)


def meter_of(ledger: Ledger, found: Round) -> LevelMeter | None:
    """Return the meter that the round's table feeds."""
    progressive_id = found.table.progressive_id
    return None if progressive_id is None else ledger.of(progressive_id)


def overpaid(work: Work, original: Original, lane: Lane) -> list[ExceptionRecord]:
    """Return what a person must look at: money that was paid and is not due by the amendment."""
    found = original.round
    return [
        ExceptionRecord(
            kind="paid_above_amended",
            table=found.table.code,
            round=found.number,
            position=told["position"],
            sentence=(
                f"Position {told['position']} was paid ${told['paid']};"
                f" by the amended round ${told['due']} was due."
            ),
            facts={**told, "lane_number": lane.number, "version": work.version},
            once=f"paid_above_amended/{found.pk}/{work.version}/{told['position']}"
            f"/{told.get('envy_from', 0)}",
        )
        for told in work.overpaid
    ]


def tell(
    amendment: RoundAmendment, lane: Lane, officer: User, what: str, told: dict[str, Any]
) -> None:
    """Write what was proposed or refused into the chain of the round's lane."""
    facts = {
        **told,
        "amendment": amendment.pk,
        "differences": amendment.effects["differences"],
        "digest": amendment.digest,
        "proposed_at": timestamp(amendment.proposed_at),
        "version": amendment.version,
    }
    subject = f"{amendment.round.table.code}/{amendment.round.number}"
    event = log_event(f"tables.amendment_{what}", subject, facts, by=officer)
    record(chain_of_lane(lane.name), [event])
