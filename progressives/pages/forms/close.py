"""What each step of the daily close asks."""

from typing import Any

from django import forms

from audit.web.fields import Keyed, Text
from audit.web.forms import Form, Mistyped
from progressives.models import MeterReading
from progressives.services.close_counts import Counted
from progressives.services.close_readings import LARGEST_FILE

METHODS = (MeterReading.Method.SIGN, MeterReading.Method.CONTROLLER)


class ReadingsForm(Form):
    """What each meter was read to show, in fields named ``value:`` and the meter."""

    value = Keyed()
    method = Text()

    def arrange(self, typed: dict[str, Any]) -> dict[str, Any]:
        method = typed["method"] if typed["method"] in METHODS else MeterReading.Method.SIGN
        return {"values": typed["value"], "method": method}


class CountsForm(Form):
    """Counts of progressive chips, in fields named ``chips:``, table, colon and dealer."""

    chips = Keyed()

    def arrange(self, typed: dict[str, Any]) -> dict[str, Any]:
        counts = []
        for place, count in typed["chips"].items():
            table, _, dealer = place.partition(":")
            counts.append(Counted(table, dealer, count))
        return {"counts": counts}


class FileForm(Form):
    """A CSV file of readings or counts."""

    file = forms.FileField(required=False, allow_empty_file=True)

    def arrange(self, typed: dict[str, Any]) -> dict[str, Any]:
        file = typed["file"]
        if file is None or file.size is None or file.size > LARGEST_FILE:
            raise Mistyped("file_refused", "file", "Choose a CSV file.")
        return {"content": file.read(), "name": file.name or ""}


class NoteForm(Form):
    note = Text()


class SendBackForm(NoteForm):
    def arrange(self, typed: dict[str, Any]) -> dict[str, Any]:
        return {"reason": typed["note"]}
