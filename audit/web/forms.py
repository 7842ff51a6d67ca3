"""Forms of pages: where what a person sent is taken from the request, and how it is refused."""

from collections.abc import Iterator
from typing import Any, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, QueryDict

AnyForm = TypeVar("AnyForm", bound=forms.BaseForm)


class Mistyped(Exception):
    """A form holds something that cannot be read; nothing was changed.

    ``path`` names the field, ``code`` is for programs, ``detail`` is the sentence for the person.
    """

    def __init__(self, code: str, path: str, detail: str) -> None:
        super().__init__(detail)
        self.code, self.path, self.detail = code, path, detail


def posted(kind: type[AnyForm], request: HttpRequest, **options: Any) -> AnyForm:
    """Return the form as it was sent; empty where nothing was, on a GET.

    No other place reads ``request.POST`` or ``request.FILES``.
    """
    return kind(request.POST, request.FILES, **options)


def in_address(kind: type[AnyForm], request: HttpRequest, **options: Any) -> AnyForm:
    """Return the form as the address fills it."""
    return kind(request.GET, **options)


def words_sent(request: HttpRequest) -> Iterator[str]:
    """Return every text of the form that was sent, whichever form it is."""
    return (str(word) for _, words in request.POST.lists() for word in words)


class Form(forms.Form):
    """A form of a page: ``read`` it after a POST, ask for ``choices`` that an address makes."""

    data: QueryDict

    def read(self) -> dict[str, Any]:
        """Return what the service takes. Raises Mistyped for the first field of no use."""
        if not self.is_valid():
            path, mistakes = next(iter(self.errors.as_data().items()))
            sentence = " ".join(mistakes[0].messages)
            raise Mistyped(mistakes[0].code or "bad_value", path, sentence)
        return self.arrange(dict(self.cleaned_data))

    def arrange(self, typed: dict[str, Any]) -> dict[str, Any]:
        """Return the fields as the service takes them: a form whose names differ says how."""
        return typed

    def choices(self) -> dict[str, Any]:
        """Return every field's value; one that cannot be read counts as not given."""
        self.is_valid()
        return {
            name: self.cleaned_data[name] if name in self.cleaned_data else empty(field)
            for name, field in self.fields.items()
        }


def empty(field: forms.Field) -> Any:
    """Return what a field reads where nothing was given, None for one that must be given."""
    try:
        return field.clean(None)
    except ValidationError:
        return None
