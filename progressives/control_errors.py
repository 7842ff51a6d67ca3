"""What is refused at the control of progressives, each by name."""

from datetime import datetime

from django.utils import timezone

from progressives.errors import Incomplete, Unknown, WrongMoment, WrongPerson


class ControlUnknown(Unknown):
    code = "unknown_control"
    sentence = "There is no such request."


class MeterUnknown(Unknown):
    code = "unknown_meter"
    path = "meter"
    sentence = "There is no such meter."


# ---- the wrong person -----------------------------------------------------------------------


class MayNotControl(WrongPerson):
    code = "not_allowed"

    def __init__(self, deed: str) -> None:
        super().__init__(f"Your role may not {deed}.")


class BothAuthorities(WrongPerson):
    code = "both_authorities"
    sentence = (
        "You hold configuration and reset authority. They are kept apart: an administrator must "
        "take one of them from you first."
    )


class Deactivated(WrongPerson):
    code = "deactivated"
    sentence = "This account is deactivated; nobody acts in its name."


class OwnRequest(WrongPerson):
    code = "own_request"
    sentence = "You asked for this. Another person with the other authority must decide on it."


class NotOwnRequest(WrongPerson):
    code = "not_own_request"
    sentence = "Only the person who asked for it can take it back."


class TookPart(WrongPerson):
    code = "took_part"
    sentence = "You asked for this or approved it. Another person acknowledges it for accounting."


# ---- the wrong moment -----------------------------------------------------------------------


class AlreadyDecided(WrongMoment):
    code = "already_decided"

    def __init__(self, what: str, by: str, at: datetime) -> None:
        when = timezone.localtime(at).strftime("%Y-%m-%d %H:%M")
        who = f" by {by}" if by else ""
        super().__init__(f"This request is {what.lower()} already{who}, at {when}.")


class NotApproved(WrongMoment):
    code = "not_approved"
    sentence = "A person with the other authority must approve this first."


class NotInEffect(WrongMoment):
    code = "not_in_effect"
    sentence = "This is not in effect yet; there is nothing to acknowledge."


class TooEarly(WrongMoment):
    code = "too_early"

    def __init__(self, at: datetime) -> None:
        when = timezone.localtime(at).strftime("%Y-%m-%d %H:%M")
        super().__init__(f"This takes effect at {when}, not before.")


class InThePast(WrongMoment):
    code = "in_the_past"
    path = "effective_at"
    sentence = "Nothing takes effect in the past: a settled round is never touched."


class InOperation(WrongMoment):
    code = "in_operation"

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}. Nothing is changed while a link is in operation.")


class Outdated(WrongMoment):
    code = "outdated"

    def __init__(self, title: str, was: str, is_now: str) -> None:
        super().__init__(
            f"{title} was {was} when this was asked for and is {is_now} now. Ask anew."
        )


class BelowTheMeter(WrongMoment):
    code = "limit_below_meter"
    path = "limit"

    def __init__(self, limit: str, value: str) -> None:
        super().__init__(f"The meter stands at {value}; a limit of {limit} would be below it.")


class NotEnough(WrongMoment):
    code = "not_enough"
    path = "amount"

    def __init__(self, value: str) -> None:
        super().__init__(f"The meter holds {value}; it cannot give more.")


class HoldsABalance(WrongMoment):
    code = "holds_a_balance"

    def __init__(self, meter: str, value: str) -> None:
        super().__init__(
            f"{meter} still holds {value}. A meter closes empty: transfer its balance first."
        )


class Retired(WrongMoment):
    code = "retired"

    def __init__(self, meter: str) -> None:
        super().__init__(f"{meter} is retired; nothing moves it any more.")


# ---- something missing ----------------------------------------------------------------------


class ParameterWrong(Incomplete):
    code = "bad_parameter"

    def __init__(self, path: str, detail: str) -> None:
        self.path = path
        super().__init__(detail)


class AmountWrong(Incomplete):
    code = "bad_amount"
    path = "amount"
    sentence = "Say by how much, in dollars, with at most six decimals and other than zero."


class NoticeMissing(Incomplete):
    code = "notice_missing"
    path = "told_on"
    sentence = (
        "Say on which day the public was told, and on which day the progressive is removed; the "
        "first is not after the second."
    )


class OtherMeterWrong(Incomplete):
    code = "bad_other"
    path = "other"
    sentence = "Choose another meter that the balance goes to."
