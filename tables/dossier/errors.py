"""Why a dossier is not given out, worded for the person who asks."""

from progressives.errors import ProgressiveError


class DossierRefused(ProgressiveError):
    """A dossier is not asked for, agreed to or taken out."""

    code = "dossier_refused"


class NothingToExport(DossierRefused):
    code = "unknown_round"
    path = "round"
    sentence = "The log tells nothing of this round: look at its table and number again."


class SayWhy(DossierRefused):
    code = "reason_missing"
    path = "reason"
    sentence = "Write for what the dossier is needed, and who receives it."


class MayNotExport(DossierRefused):
    code = "not_allowed"
    sentence = "Your role may not do this. Ask surveillance."


class AnotherPerson(DossierRefused):
    code = "another_person_needed"
    sentence = "You asked for this dossier yourself: another person must agree."


class NotAgreed(DossierRefused):
    code = "not_agreed"
    sentence = "Another person must agree first that this dossier leaves the house."


class Answered(DossierRefused):
    code = "already_answered"
    sentence = "This request has its answer already, or needs none."


class UnknownRequest(DossierRefused):
    code = "unknown_request"
    sentence = "There is no such request."


class NotSigned(DossierRefused):
    code = "not_signed"
    sentence = "The log's signer does not answer for these events now; see the alarms."
