"""Tick off what the house owes in Envy Bonuses: paid from the table inventory, or not owed."""

from typing import Any

from audit.models import User
from audit.services import SYSTEM, chain_of_lane, log_event, record
from progressives import errors
from progressives.models import EnvyPayment, EnvyPayout, JackpotClaim
from progressives.services.claims import step
from progressives.services.persons import is_dealer, must_be_allowed
from progressives.services.rounds import close_round_if_done, hold_round

State = JackpotClaim.State
FALLEN = (State.REFUSED, State.VOIDED)


@step
def pay_envy(*, envy_id: int, officer: User) -> EnvyPayment:
    """Tick an Envy Bonus as paid from the table inventory, once.

    Not before the payout of the hand it is for is validated (§ 670a.11(h)(3)(ii)), not while the
    round is disputed, and not by the dealer of the round.
    """
    envy, hand = envy_for(envy_id, officer)
    if hand is not None and hand.state in FALLEN:
        raise errors.EnvyNotOwed
    return tick(envy, EnvyPayment.Kind.PAID, officer, "")


@step
def drop_envy(*, envy_id: int, officer: User, reason: str) -> EnvyPayment:
    """Tick an Envy Bonus as not owed: the payout of the hand it was for was refused or voided."""
    envy, hand = envy_for(envy_id, officer)
    if hand is None or hand.state not in FALLEN:
        raise errors.EnvyStillOwed
    if not reason.strip():
        raise errors.ReasonMissing
    return tick(envy, EnvyPayment.Kind.NOT_OWED, officer, reason.strip())


def envy_for(envy_id: int, officer: User) -> tuple[EnvyPayout, JackpotClaim | None]:
    """Return an Envy Bonus that this person may tick now, and the payout of its hand if any."""
    envy = EnvyPayout.objects.select_related("lane").filter(pk=envy_id).first()
    if envy is None:
        raise errors.EnvyUnknown
    must_be_allowed(officer, "pay")
    if is_dealer(officer, envy.dealer):
        raise errors.DealerOfTheRound
    claims = hold_round(envy.round_id)
    disputed = next((claim for claim in claims if claim.state == State.DISPUTED), None)
    if disputed is not None:
        raise errors.RoundDisputed(disputed.position)
    done = EnvyPayment.objects.select_related("by").filter(envy=envy).first()
    if done is not None:
        raise errors.EnvyTicked(str(done.by), done.at)
    hand = hand_of(envy, claims)
    if hand is not None and hand.state in JackpotClaim.BEFORE_VALIDATED:
        raise errors.EnvyTooEarly(hand.position)
    return envy, hand


def hand_of(envy: EnvyPayout, claims: list[JackpotClaim]) -> JackpotClaim | None:
    """Return the payout of the hand that an Envy Bonus of the progressive wager is for."""
    if envy.wager != "progressive":
        return None
    return next((c for c in reversed(claims) if c.position == envy.from_position), None)


def tick(envy: EnvyPayout, kind: EnvyPayment.Kind, officer: User, reason: str) -> EnvyPayment:
    """Write it, tell the log, and close the round if this was the last thing open."""
    made = tick_only(envy, kind, officer, reason)
    close_round_if_done(envy.round_id, officer)
    return made


def tick_only(envy: EnvyPayout, kind: EnvyPayment.Kind, officer: User, reason: str) -> EnvyPayment:
    """Write it and tell the log: part of a step that goes on."""
    made = EnvyPayment.objects.create(envy=envy, kind=kind, by=officer, reason=reason)
    facts: dict[str, Any] = {
        "amount": str(envy.amount),
        "envy": envy.pk,
        "from_position": envy.from_position,
        "position": envy.position,
        "reason": reason,
        "round_id": str(envy.round_id),
        "source": "table inventory",
        "wager": envy.wager,
    }
    subject = f"{envy.table}/{envy.round}"
    event = log_event(f"progressives.envy_{kind}", subject, facts, by=officer)
    record(chain_of_lane(envy.lane.name) if envy.lane else SYSTEM, [event])
    return made
