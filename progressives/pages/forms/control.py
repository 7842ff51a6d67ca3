"""What is asked of whoever asks for a change of a progressive, or decides on one."""

from typing import Any

from audit.web.fields import Day, Given, Key, Moment, Text
from audit.web.forms import Form
from progressives.parameters import PARAMETERS, RATES


class MeterForm(Form):
    """Which meter the page is about; the address may say it too."""

    meter = Text()


class CorrectionForm(Form):
    meter = Key()
    amount = Text()
    reason = Text()
    effective_at = Moment(code="bad_parameter", sentence="%(word)r is no date and time.")

    def arrange(self, typed: dict[str, Any]) -> dict[str, Any]:
        typed["meter_id"] = typed.pop("meter")
        return typed


class NoticeForm(Form):
    """A change of which the public is told: when it was, and when the notice is removed."""

    meter = Key()
    reason = Text()
    effective_at = Moment(code="bad_parameter", sentence="%(word)r is no date and time.")
    told_on = Day(code="bad_parameter", sentence="%(word)r is no day.")
    removed_on = Day(code="bad_parameter", sentence="%(word)r is no day.")

    def arrange(self, typed: dict[str, Any]) -> dict[str, Any]:
        typed["meter_id"] = typed.pop("meter")
        return typed


class TransferForm(NoticeForm):
    other = Key()
    amount = Text()

    def arrange(self, typed: dict[str, Any]) -> dict[str, Any]:
        typed["other_id"], typed["amount"] = typed.pop("other"), typed["amount"] or None
        return super().arrange(typed)


class ParametersForm(NoticeForm):
    """A field for each parameter; one that the form lacks stays as it is."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields.update({parameter.name: Given() for parameter in PARAMETERS})

    def arrange(self, typed: dict[str, Any]) -> dict[str, Any]:
        changes = {parameter.name: typed.pop(parameter.name) for parameter in PARAMETERS}
        changes = {name: value for name, value in changes.items() if value is not None}
        if RATES in changes:
            changes[RATES] = rates_of(changes[RATES])
        return super().arrange({**typed, "changes": changes})


def rates_of(text: str) -> list[list[str]]:
    """Read rates as the form's lines hold them, the parts of each between commas."""
    lines = [line for line in text.splitlines() if line.strip()]
    return [[part.strip() for part in line.split(",")] for line in lines]


class RemarkForm(Form):
    """A step with a remark, in the field that every step's form calls ``reason``."""

    reason = Text()

    def arrange(self, typed: dict[str, Any]) -> dict[str, Any]:
        return {"remark": typed["reason"]}
