"""What an amendment does to the money: adjustments, payouts opened and taken back, Envy Bonuses.

The caller has agreed two people on it, holds the round's claims and its lane, and writes the log's
event of it last.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from audit.models import User
from progressives import errors
from progressives.models import (
    ClaimStep,
    EnvyPayment,
    EnvyPayout,
    JackpotClaim,
    PayoutSlip,
    RoundAdjustment,
)
from progressives.services.claims import tell
from progressives.services.claims_dispute import end_dispute, write
from progressives.services.claims_open import ClaimFacts, open_claims, store_envies
from progressives.services.envies import tick_only
from progressives.services.ledger import Entry, LevelMeter, RoundFacts
from progressives.services.slips import void_slip

State, Taken = JackpotClaim.State, ClaimStep.Kind


class Effects(NamedTuple):
    """What an amendment comes to for the ledger.

    ``adjustments``: (position, amount) in the order in which they are entered; ``opened`` the new
    payouts, a share of the meter by the adjustment of its position; ``taken_back`` the payouts that
    do not stand; ``dropped`` and ``owed`` the Envy Bonuses that go and come.
    """

    adjustments: Sequence[tuple[int, Decimal]]
    opened: Sequence[ClaimFacts]
    taken_back: Sequence[int]
    dropped: Sequence[int]
    owed: Sequence[tuple[Any, ...]]


def end_disputes(
    claims: Sequence[JackpotClaim], proposer: User, approver: User, reason: str
) -> None:
    """End the round's disputes: the amendment is their outcome."""
    for claim in claims:
        if claim.state == State.DISPUTED:
            write(claim, Taken.PROPOSED, proposer, reason, {"outcome": "amended"})
            end_dispute(claim, approver, reason, "amended", "")


def take_back(claim: JackpotClaim, adjustment: RoundAdjustment) -> None:
    """Void a payout that the amended outcome does not have; its slip keeps its number."""
    proposer, approver, reason = adjustment.proposed_by, adjustment.approved_by, adjustment.reason
    facts: dict[str, Any] = {"amendment": adjustment.version}
    ClaimStep.objects.create(
        claim=claim, kind=Taken.VOID_ASKED, by=proposer, reason=reason, facts=facts
    )
    tell(claim, Taken.VOID_ASKED, proposer, {**facts, "reason": reason})
    if PayoutSlip.objects.filter(claim=claim, void__isnull=True).exists():
        slip = void_slip(claim, approver, f"Round amended, version {adjustment.version}")
        facts["void_slip"] = slip.number if slip else None
    ClaimStep.objects.create(
        claim=claim, kind=Taken.VOIDED, by=approver, reason=reason, facts=facts
    )
    JackpotClaim.objects.filter(pk=claim.pk).update(state=State.VOIDED)
    claim.state = State.VOIDED
    tell(claim, Taken.VOIDED, approver, {**facts, "reason": reason})


def adjust(
    meter: LevelMeter | None, effects: Effects, facts: RoundFacts, adjustment: RoundAdjustment
) -> list[Entry]:
    """Enter the adjustments, open the payouts and change what is owed in Envy Bonuses.

    The meter is the held ledger's, which the caller stores. Raises MeterTooLow where it does not
    hold what is to be taken off: awards that came later stand.
    """
    entries: dict[int, Entry] = {}
    if meter is not None:
        total = sum((amount for _, amount in effects.adjustments), Decimal(0))
        if meter.running.value + total < 0:
            raise errors.MeterTooLow(meter.running.value, -total)
        for position, amount in effects.adjustments:
            meter.move("adjustment", amount, facts, position)
            entries[position] = meter.told[-1]
    opened = [
        claim._replace(meter_id=meter.meter.pk, entry_sequence=entries[claim.position].sequence)
        if claim.kind == JackpotClaim.Kind.METER and meter is not None
        else claim
        for claim in effects.opened
    ]
    open_claims(opened)
    dropped = EnvyPayout.objects.filter(pk__in=effects.dropped).select_related("lane")
    for envy in dropped.order_by("pk"):
        reason = f"Round amended, version {adjustment.version}"
        tick_only(envy, EnvyPayment.Kind.NOT_OWED, adjustment.approved_by, reason)
    store_envies(effects.owed)
    return list(entries.values())
