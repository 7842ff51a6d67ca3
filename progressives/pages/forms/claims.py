"""What the page of each step of a payout asks."""

from typing import Any

from audit.web.fields import Secret, Several, Text
from audit.web.forms import Form
from progressives.services.claims_dispute import VIDEO


class ReasonForm(Form):
    reason = Text()


class ValidateForm(Form):
    checks = Several(Text())
    statement = Text()


class AnswerForm(ReasonForm):
    answer = Text()


class ApproveForm(Form):
    password = Secret()
    code = Text()
    checks = Several(Text())


class DocumentForm(Form):
    payee = Text()


class RefuseForm(ReasonForm):
    cite = Text()


class PayForm(Form):
    checks = Several(Text())


class DisputeForm(ReasonForm):
    """Reason and recordings; camera, beginning and end of a recording are fields of three lists."""

    camera = Several(Text())
    since = Several(Text())
    until = Several(Text())

    def arrange(self, typed: dict[str, Any]) -> dict[str, Any]:
        clips = zip(*(typed[key] for key in VIDEO), strict=False)
        return {
            "reason": typed["reason"],
            "video": [dict(zip(VIDEO, clip, strict=True)) for clip in clips],
        }


class ConfirmForm(ReasonForm):
    """A step that one person asks for and another confirms: ``deed`` is "confirm" then."""

    deed = Text()


class ResolveForm(ConfirmForm):
    outcome = Text()
    cite = Text()
