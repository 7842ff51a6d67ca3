"""What the pages of downtimes ask: which step the button means, and what each step needs."""

from typing import Any

from audit.web.fields import Keyed, Moment, Several, Text, Whole, read_whole
from audit.web.forms import Form, Mistyped

LONGEST_NUMBER = 12  # digits


class StepForm(Form):
    """The step that the button names."""

    deed = Text()


class BeginForm(Form):
    table = Text()
    began_at = Moment(required=True, code="incomplete")
    reason = Text()


class IssueForm(Form):
    table = Text()
    number = Whole(required=True, longest=LONGEST_NUMBER, code="incomplete")


class VoidForm(Form):
    """The paper forms to be void, each by its number."""

    form = Several(Whole(required=True, longest=LONGEST_NUMBER, code="incomplete"))
    reason = Text()

    def arrange(self, typed: dict[str, Any]) -> dict[str, Any]:
        return {"numbers": typed["form"], "reason": typed["reason"]}


class ReadingsForm(Form):
    """What each meter shows, after which entry: ``value:`` and ``sequence:`` with its number."""

    value = Keyed()
    sequence = Keyed()

    def arrange(self, typed: dict[str, Any]) -> dict[str, Any]:
        values = {}
        for key, text in typed["value"].items():
            if not text.strip():
                continue
            meter_id = read_whole(key, LONGEST_NUMBER)
            if meter_id is None:
                raise Mistyped("incomplete", "value", "Enter a whole number.")
            values[meter_id] = (text, typed["sequence"].get(key, ""))
        return {"values": values}


class EndForm(Form):
    note = Text()
