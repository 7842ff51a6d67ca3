"""Each refusal by name, worded for the person at the table.

``code`` is for programs, ``str(refusal)`` for people. ``refusal_of`` is the one place where what
PostgreSQL itself refuses becomes one of these.
"""

from datetime import datetime
from decimal import Decimal

from django.db import DatabaseError
from django.utils import timezone

from audit.guards import APPEND_ONLY_STATE, TRANSITION_STATE


class ProgressiveError(Exception):
    """Something the floor asked for and does not get; nothing was changed."""

    code = "refused"
    path = ""  # which part of what was given it is about
    sentence = "This cannot be done."

    def __init__(self, sentence: str | None = None) -> None:
        super().__init__(sentence or self.sentence)


class Unknown(ProgressiveError):
    """There is nothing of that name."""


class ClaimUnknown(Unknown):
    code = "unknown_claim"
    sentence = "There is no such claim."


class LevelUnknown(Unknown):
    code = "unknown_level"
    sentence = "There is no such level of a progressive."


# ---- the wrong person -----------------------------------------------------------------------


class WrongPerson(ProgressiveError):
    """Somebody else must do it. Being a superuser changes none of these."""


class NotAllowed(WrongPerson):
    code = "not_allowed"

    def __init__(self, deed: str) -> None:
        super().__init__(f"Your role may not {deed}. Ask a floorperson or above.")


class NoStaffCode(WrongPerson):
    code = "no_staff_code"
    sentence = "Your account has no staff code, so this could not be signed with your name."


class DealerOfTheRound(WrongPerson):
    code = "dealer_of_the_round"
    sentence = "You dealt this round. Somebody else must decide on its payout."


class ValidatorCannotPay(WrongPerson):
    code = "validator_cannot_pay"
    sentence = "You validated this meter award. Another person must mark it paid."


class AlreadyActed(WrongPerson):
    """Validator, second approver, surveillance and payer are four different people."""

    code = "already_acted"

    def __init__(self, deed: str) -> None:
        super().__init__(f"You {deed} this payout. Another person must take this step.")


class NotProved(WrongPerson):
    """He did not show again that he is who he says he is."""

    path = "password"

    def __init__(self, code: str, sentence: str) -> None:
        self.code = code
        super().__init__(sentence)


class ProposerCannotConfirm(WrongPerson):
    code = "proposer_cannot_confirm"
    sentence = "You proposed this outcome. Another person must confirm it."


class AskerCannotVoid(WrongPerson):
    code = "asker_cannot_void"
    sentence = "You asked for this void. Another person must confirm it."


class ProposerCannotApprove(WrongPerson):
    code = "proposer_cannot_approve"
    sentence = "You proposed this amendment. Another person must decide on it."


class RefuserCannotReturn(WrongPerson):
    code = "refuser_cannot_return"
    sentence = "You refused this award. Another person must agree that it goes back on the meter."


# ---- the wrong moment -----------------------------------------------------------------------


class WrongMoment(ProgressiveError):
    """The claim is not where this step begins."""


class AlreadyDone(WrongMoment):
    """The step was taken already: by whom, and when."""

    done = "done"

    def __init__(self, by: str, at: datetime) -> None:
        when = timezone.localtime(at).strftime("%H:%M")
        super().__init__(f"This payout was already {self.done} by {by} at {when}.")


class AlreadyValidated(AlreadyDone):
    code = "already_validated"
    done = "validated"


class AlreadyRefused(AlreadyDone):
    code = "already_refused"
    done = "refused"


class AlreadyApproved(AlreadyDone):
    code = "already_approved"
    done = "approved"


class AlreadyDocumented(AlreadyDone):
    code = "already_documented"
    done = "documented"


class AlreadyPaid(AlreadyDone):
    code = "already_paid"
    done = "paid"


class AlreadyReturned(AlreadyDone):
    code = "already_returned"
    done = "put back on the meter"


class AlreadyVoided(AlreadyDone):
    code = "already_voided"
    done = "voided"


class AlreadyDisputed(AlreadyDone):
    code = "already_disputed"
    done = "disputed"


class RoundDisputed(WrongMoment):
    """A dispute freezes the round: nothing goes on before two people have ended it."""

    code = "round_disputed"

    def __init__(self, position: int) -> None:
        super().__init__(
            f"The payout of position {position} is disputed: this round stands still until two"
            " people have resolved it."
        )


class NotDisputed(WrongMoment):
    code = "not_disputed"
    sentence = "Nobody disputes this payout."


class NothingToDispute(WrongMoment):
    code = "nothing_to_dispute"
    sentence = "This payout is void: there is nothing to dispute."


class NothingProposed(WrongMoment):
    code = "nothing_proposed"
    sentence = "Somebody must propose an outcome first; another person confirms it."


class PaidIsAmended(WrongMoment):
    code = "paid_is_amended"
    sentence = "This payout is paid. If it was wrong, its round is amended."


class RefusedIsAmended(WrongMoment):
    code = "refused_is_amended"
    sentence = "Its award went back or its slip is void. If the refusal was wrong, amend the round."


class VoidNotAsked(WrongMoment):
    code = "void_not_asked"
    sentence = "Somebody must ask for the void first; another person confirms it."


class MeterTooLow(WrongMoment):
    """Awards that came later stand, so the meter may not hold what an amendment takes off."""

    code = "meter_too_low"

    def __init__(self, value: Decimal, needed: Decimal) -> None:
        super().__init__(
            f"The meter stands at ${value:,.2f}; this amendment takes ${needed:,.2f} off it."
            " Agree on a correction that brings it up first."
        )


class AmendmentOutdated(WrongMoment):
    code = "amendment_outdated"
    sentence = "The round or its payouts changed since this was proposed. Propose it again."


class AmendmentDecided(WrongMoment):
    code = "amendment_decided"

    def __init__(self, what: str, by: str, at: datetime) -> None:
        when = timezone.localtime(at).strftime("%Y-%m-%d %H:%M")
        super().__init__(f"This amendment was already {what} by {by} at {when}.")


class NotSettled(WrongMoment):
    code = "not_settled"
    sentence = "Only a settled round is amended."


class NotAmendable(WrongMoment):
    code = "not_amendable"
    sentence = (
        "This table feeds several progressives, or one with a reserve or a limit: their meters are"
        " mended by a correction that two authorities agree on."
    )


class NotValidated(WrongMoment):
    code = "not_validated"
    sentence = "A floorperson must validate this payout before it is paid."


class NotApproved(WrongMoment):
    code = "not_approved"
    sentence = "A second person must approve this payout before it is paid."


class NotDocumented(WrongMoment):
    code = "not_documented"
    sentence = "Its slip must be issued before this payout is paid."


class NoSlip(WrongMoment):
    code = "no_slip"
    sentence = "This payout has no slip yet."


class NoApprovalNeeded(WrongMoment):
    code = "no_approval_needed"
    sentence = "This payout needs no second person."


class NotYetAnswered(WrongMoment):
    code = "not_yet_answered"
    sentence = "Surveillance has not verified this payout yet."


class NotInTurn(WrongMoment):
    """Several won in one round: they are settled in turn order (§ 670a.11(e))."""

    code = "not_in_turn"

    def __init__(self, position: int) -> None:
        super().__init__(f"Position {position} of this round comes first: decide on it before.")


class AnswerClosed(WrongMoment):
    code = "answer_closed"
    sentence = "This payout is decided: surveillance's answer comes too late."


class EnvyUnknown(ClaimUnknown):
    code = "unknown_envy"
    sentence = "There is no such Envy Bonus."


class EnvyTicked(AlreadyDone):
    code = "envy_ticked"

    def __init__(self, by: str, at: datetime) -> None:
        when = timezone.localtime(at).strftime("%H:%M")
        ProgressiveError.__init__(self, f"{by} ticked this Envy Bonus off at {when}.")


class EnvyTooEarly(WrongMoment):
    """Envy Bonuses are paid after the payouts of their round (§ 670a.11(h)(3)(ii))."""

    code = "envy_too_early"

    def __init__(self, position: int) -> None:
        super().__init__(f"The hand of position {position} must be validated first.")


class EnvyNotOwed(WrongMoment):
    code = "envy_not_owed"
    sentence = "The payout of this hand does not stand: tick its Envy Bonus as not owed."


class EnvyStillOwed(WrongMoment):
    code = "envy_still_owed"
    sentence = "The hand of this Envy Bonus stands: it is owed."


class NotRefused(WrongMoment):
    code = "not_refused"
    sentence = "Only a refused award can go back on its meter."


class NothingToReturn(WrongMoment):
    code = "nothing_to_return"
    sentence = "A fixed award never came off the meter, so there is nothing to put back."


class Busy(WrongMoment):
    code = "busy"
    sentence = "The system is busy with this table. Nothing was changed; try again."


class Guarded(WrongMoment):
    code = "guarded"


# ---- something missing ----------------------------------------------------------------------


class Incomplete(ProgressiveError):
    """The step needs more than was given."""


class CheckMissing(Incomplete):
    code = "check_missing"
    path = "checks"

    def __init__(self, sentences: list[str]) -> None:
        self.sentences = sentences
        super().__init__("Confirm first: " + " ".join(sentences))


class StatementMissing(Incomplete):
    code = "statement_missing"
    path = "statement"
    sentence = "Say in your own words what you saw when you checked."


class PayeeMissing(Incomplete):
    code = "payee_missing"
    path = "payee"
    sentence = "A tax form is needed for this payout: write the payee's name."


class AnswerMissing(Incomplete):
    code = "answer_missing"
    path = "answer"
    sentence = "Answer verified or problem."


class RuleMissing(Incomplete):
    code = "rule_missing"
    path = "cite"
    sentence = "Choose the paragraph by which this payout is refused."


class ReasonMissing(Incomplete):
    code = "reason_missing"
    path = "reason"
    sentence = "Say why, in your own words."


class NothingAmended(Incomplete):
    code = "nothing_amended"
    path = "document"
    sentence = "This document says what the round's own says: there is nothing to amend."


class DocumentRefused(Incomplete):
    """The corrected document is not one that the round could have had."""

    def __init__(self, code: str, path: str, detail: str) -> None:
        self.code, self.path = code, f"document.{path}" if path else "document"
        super().__init__(f"{path}: {detail}" if path else detail)


class OutcomeMissing(Incomplete):
    code = "outcome_missing"
    path = "outcome"
    sentence = "Say how the dispute ends: upheld or refused. A wrong round is amended."


class WrongSource(Incomplete):
    code = "wrong_source"
    path = "source"
    sentence = "A share of the meter may not be paid from the table inventory container."


# ---- what PostgreSQL refused ----------------------------------------------------------------

BUSY_STATES = {
    "40001": "serialization_failure",
    "40P01": "deadlock_detected",
    "55P03": "lock_not_available",
    "57014": "query_canceled",
}
GUARD_STATES = {APPEND_ONLY_STATE, TRANSITION_STATE}
TAKEN_ONCE = {
    "claim_step_once": "This step was taken already.",
    "progressives_envypayment_envy_id_key": "This Envy Bonus was ticked off already.",
    "round_closed_once": "This round was closed already.",
}


def refusal_of(error: DatabaseError) -> ProgressiveError | None:
    """Return what PostgreSQL refused as a refusal with a sentence; None for a real fault."""
    cause = error.__cause__
    state = getattr(cause, "sqlstate", None)
    told = getattr(cause, "diag", None)
    if state in BUSY_STATES:
        return Busy()
    if state in GUARD_STATES:
        return Guarded(f"The database refused it: {getattr(told, 'message_primary', error)}.")
    sentence = TAKEN_ONCE.get(getattr(told, "constraint_name", None) or "")
    return Guarded(sentence) if sentence else None
