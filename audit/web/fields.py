"""Form fields for what people type: text, whole numbers, days, moments, buttons, rows of a table.

What is accepted, and the sentence that refuses the rest, is decided here once; the forms of every
page are made of these fields. An empty field that is not required reads as "" or None.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from audit.moments import in_range

LONGEST_KEY = 18  # digits: what PostgreSQL's bigint holds for certain
OUT_OF_RANGE = "This time is out of range."


def read_whole(word: str, longest: int = LONGEST_KEY) -> int | None:
    """Read a whole number; None for anything else."""
    if not (word.isascii() and word.isdecimal()) or len(word) > longest:
        return None
    return int(word)


class Typed(forms.Field):
    """A field with one sentence and one code for whatever it cannot read."""

    code, sentence = "bad_value", "This value cannot be read."

    def __init__(self, *, required: bool = False, sentence: str = "", code: str = "") -> None:
        super().__init__(required=required)
        self.sentence = sentence or self.sentence
        self.code = code or self.code

    def clean(self, value: Any) -> Any:
        """Return the value that was typed, None for an empty field that may be empty."""
        word = str(value or "").strip()
        if not word and not self.required:
            return None
        return self.read(word)

    def read(self, word: str) -> Any:
        """Return the value of a word. Raises ValidationError."""
        raise NotImplementedError

    def refusal(self, word: str) -> ValidationError:
        """Return the refusal of a word; the sentence may name it as ``%(word)r``."""
        return ValidationError(self.sentence, code=self.code, params={"word": word})


class Text(forms.CharField):
    """Text, blanks around it removed; it may be empty."""

    def __init__(self, *, strip: bool = True) -> None:
        super().__init__(required=False, strip=strip)


class Secret(Text):
    """A password or code, taken exactly as it was typed."""

    def __init__(self) -> None:
        super().__init__(strip=False)


class Given(forms.Field):
    """Text exactly as it was sent, None where the form has no field of this name."""

    def __init__(self) -> None:
        super().__init__(required=False)

    def clean(self, value: Any) -> str | None:
        return None if value is None else str(value)


class Whole(Typed):
    """A whole number, not below zero."""

    sentence = "Enter a whole number."

    def __init__(self, *, longest: int = LONGEST_KEY, **options: Any) -> None:
        super().__init__(**options)
        self.longest = longest

    def read(self, word: str) -> int:
        number = read_whole(word, self.longest)
        if number is None:
            raise self.refusal(word)
        return number


class Key(Typed):
    """A row's number; 0, which no row has, for anything else: the service says what is missing."""

    def clean(self, value: Any) -> int:
        return read_whole(str(value or "").strip()) or 0


class Named(forms.Field):
    """The row that a button names by its value, None where the button was not pressed."""

    def __init__(self) -> None:
        super().__init__(required=False)

    def clean(self, value: Any) -> int | None:
        return None if value is None else Key().clean(value)


class Day(Typed):
    """A calendar day, as a browser's date field sends it."""

    sentence = "Enter a day as 2026-03-14."

    def read(self, word: str) -> date:
        try:
            day = date.fromisoformat(word)
        except ValueError:
            raise self.refusal(word) from None
        if not in_range(day):
            raise self.refusal(word)
        return day


class Moment(Typed):
    """A day and a time of the facility's zone, read into UTC."""

    sentence = "Enter a day and a time."

    def read(self, word: str) -> datetime:
        try:
            moment = datetime.fromisoformat(word)
        except ValueError:
            raise self.refusal(word) from None
        if not in_range(moment):
            raise ValidationError(OUT_OF_RANGE, code=self.code)
        if timezone.is_naive(moment):
            moment = timezone.make_aware(moment)
        return moment.astimezone(UTC)  # PostgreSQL reads no offset beyond 16 hours


class Several(forms.Field):
    """Every value that was sent under one name, each read by the same field."""

    widget = forms.MultipleHiddenInput

    def __init__(self, each: forms.Field) -> None:
        super().__init__(required=False)
        self.each = each

    def clean(self, value: Any) -> list[Any]:
        return [self.each.clean(word) for word in value or ()]


class Pressed(forms.Field):
    """Whether the button of this name was pressed, whatever value it carries."""

    class widget(forms.HiddenInput):  # noqa: N801 - the name Django looks for
        def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> bool:
            return name in data

    def __init__(self) -> None:
        super().__init__(required=False)

    def clean(self, value: Any) -> bool:
        return bool(value)


class Keyed(forms.Field):
    """The texts of fields named ``name:key``, by their keys: one for each row of a table."""

    class widget(forms.HiddenInput):  # noqa: N801 - the name Django looks for
        def value_from_datadict(
            self, data: Mapping[str, Any], files: Any, name: str
        ) -> dict[str, str]:
            start = f"{name}:"
            return {
                key.removeprefix(start): str(data[key]) for key in data if key.startswith(start)
            }

    def __init__(self) -> None:
        super().__init__(required=False)

    def clean(self, value: Any) -> dict[str, str]:
        return dict(value or {})
