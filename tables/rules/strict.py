"""Read bytes into a document that has one canonical form, or refuse them.

What JSON leaves open is closed here: no key twice, no integer that a double cannot hold, no text
that a database or a canonical form cannot hold, keys in ASCII. Floats stay in the tree, so that
``documents`` can say of each what should have stood there.
"""

import json
import re
from typing import Any, NoReturn

from tables.rules.refusals import Refusal

MAX_BYTES = 1_048_576
MAX_DEPTH = 32
MAX_INTEGER = 2**53
KEY_LENGTH = 120

# Anything of this in the bytes asks for a look at every value; most documents have none of it.
_SUSPECT = re.compile(rb"\\u|[^\x20-\x7e\s]|[0-9]{16}")
_SURROGATE = re.compile("[\ud800-\udfff]")


class _Twice(dict[str, Any]):
    """An object in which a key stands twice; ``key`` is that key."""

    key = ""


def read_json(raw: bytes) -> dict[str, Any]:
    """Parse one document strictly; every problem is a ``Refusal``, whatever the bytes are."""
    if len(raw) > MAX_BYTES:
        raise Refusal("too_large", "", f"A document may have {MAX_BYTES} bytes at most.")
    document, twice = _parse(raw)
    if type(document) is not dict and type(document) is not _Twice:
        raise Refusal("wrong_type", "", "A document must be a JSON object.")
    if twice or _SUSPECT.search(raw):
        check_strict(document)
    return document


def read_json_list(raw: bytes, limit: int) -> list[Any]:
    """Parse a list of documents: each is one, or the ``Refusal`` that it alone earns.

    Refuses the whole where it is no list, or longer than ``limit``.
    """
    documents, twice = _parse(raw)
    if type(documents) is not list:
        raise Refusal("wrong_type", "", "A list of events must be a JSON array.")
    if len(documents) > limit:
        raise Refusal("too_large", "", f"A list may hold {limit} events at most.")
    if not twice and not _SUSPECT.search(raw):
        return [_object_or_refusal(document) for document in documents]
    return [_object_or_refusal(document, strict=True) for document in documents]


def _object_or_refusal(document: Any, strict: bool = False) -> dict[str, Any] | Refusal:
    try:
        if type(document) is not dict and type(document) is not _Twice:
            raise Refusal("wrong_type", "", "A document must be a JSON object.")
        if strict:
            check_strict(document)
    except Refusal as refusal:
        refusal.raw = json.dumps(document).encode()
        return refusal
    return document


def _parse(raw: bytes) -> tuple[Any, bool]:
    """Parse the bytes; tell whether a key stands twice somewhere in them."""
    twice: list[_Twice] = []

    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        marked = _Twice(found)
        keys = [key for key, _ in pairs]
        marked.key = next(key for place, key in enumerate(keys) if key in keys[:place])
        twice.append(marked)
        return marked

    try:
        text = raw.decode("utf-8")
        found = json.loads(text, object_pairs_hook=read_object, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refusal("bad_json", "", "This is not JSON in UTF-8.") from None
    return found, bool(twice)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def check_strict(tree: Any, floats: bool = True) -> None:
    """Refuse the first value, in document order, that has no canonical form.

    With ``floats`` False a float is refused too: where the document is the sender's own, nothing
    else looks at it. Walks without recursion, since depth is the sender's choice.
    """
    waiting: list[tuple[Any, str, int]] = [(tree, "", 0)]
    while waiting:
        value, path, depth = waiting.pop()
        kind = type(value)
        if kind is dict or kind is _Twice or kind is list:
            if depth >= MAX_DEPTH:
                raise Refusal("bad_value", path, f"Nested more than {MAX_DEPTH} levels deep.")
            waiting.extend(reversed(_inside(value, path, depth + 1)))
        elif kind is str:
            _check_text(value, path)
        elif kind is float:
            if not floats:
                raise Refusal("wrong_type", path, "Numbers must be whole; write others as text.")
        elif kind is int and not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise Refusal("bad_value", path, "Numbers beyond 2^53 must be written as text.")


def _inside(value: Any, path: str, depth: int) -> list[tuple[Any, str, int]]:
    """Return a container's values with their places; refuse keys that cannot be."""
    if type(value) is list:
        return [(item, f"{path}[{place}]", depth) for place, item in enumerate(value)]
    joint = "." if path else ""
    for key in value:
        if not key.isascii() or "\0" in key or len(key) > KEY_LENGTH:
            shown = key[:KEY_LENGTH].encode("ascii", "backslashreplace").decode().replace("\0", "")
            raise Refusal(
                "unknown_key", f"{path}{joint}{shown}", "Keys must be short and in ASCII."
            )
    if type(value) is _Twice:
        raise Refusal("duplicate_key", f"{path}{joint}{value.key}", "This key stands here twice.")
    return [(item, f"{path}{joint}{key}", depth) for key, item in value.items()]


def _check_text(value: str, path: str) -> None:
    if "\0" in value or _SURROGATE.search(value):
        raise Refusal("bad_value", path, "Text must be proper Unicode, without NUL.")
