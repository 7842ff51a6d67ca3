"""Bytes that have one canonical form are read; all others are refused with their place."""

import pytest

from tables.rules import Refusal, check_event, read_json
from tables.rules.strict import MAX_BYTES
from tests.rules.made import event, terms


def refusal_of(raw: bytes) -> tuple[str, str]:
    with pytest.raises(Refusal) as refusal:
        read_json(raw)
    assert refusal.value.detail
    return refusal.value.code, refusal.value.path


@pytest.mark.parametrize(
    ("raw", "refused"),
    [
        (b"", ("bad_json", "")),
        (b"{", ("bad_json", "")),
        (b"\xff{}", ("bad_json", "")),
        (b"\xef\xbb\xbf{}", ("bad_json", "")),
        ('{"a": 1}'.encode("utf-16"), ("bad_json", "")),
        (b'{"a": NaN}', ("bad_json", "")),
        (b'{"a": -Infinity}', ("bad_json", "")),
        (b'{"a": "\x00"}', ("bad_json", "")),
        (b'{"a": 1} {"b": 2}', ("bad_json", "")),
        (b'{"a": ' + b"9" * 5000 + b"}", ("bad_json", "")),
        (b"[" * 100_000, ("bad_json", "")),
        (b'{"a":' * 100_000, ("bad_json", "")),
        (b"[]", ("wrong_type", "")),
        (b"3", ("wrong_type", "")),
        (b'{"a": 1, "b": [{"c": 1, "c": 2}]}', ("duplicate_key", "b[0].c")),
        (b'{"a": {"x": 1}, "b": 2, "a": 3}', ("duplicate_key", "a")),
        (b'{"_a": {"x": 1, "x": 1}}', ("duplicate_key", "_a.x")),
        (b'{"a": 9007199254740993}', ("bad_value", "a")),
        (b'{"a": [-90071992547409930]}', ("bad_value", "a[0]")),
        (b'{"a": ["\\u0000"]}', ("bad_value", "a[0]")),
        (b'{"a": "\\ud800"}', ("bad_value", "a")),
        (b'{"a": {"\\u0000": 1}}', ("unknown_key", "a.")),
        ('{"_é": 1}'.encode(), ("unknown_key", "_\\xe9")),
        (b'{"a\\ud800": 1}', ("unknown_key", "a\\ud800")),
        (b'{"x": "' + b"x" * MAX_BYTES + b'"}', ("too_large", "")),
        (b'{"a":' * 40 + b'"\xc3\xa9"' + b"}" * 40, ("bad_value", ".".join("a" * 32))),
    ],
)
def test_what_is_refused(raw: bytes, refused: tuple[str, str]) -> None:
    assert refusal_of(raw) == refused


def test_the_first_problem_in_document_order_is_told() -> None:
    assert refusal_of(b'{"a": "\\u0000", "b": {"x": 1, "x": 2}}') == ("bad_value", "a")
    assert refusal_of(b'{"b": {"x": 1, "x": 2}, "a": "\\u0000"}') == ("duplicate_key", "b.x")


def test_what_is_read() -> None:
    raw = '{"a": "é \\u00e9 \\ud83d\\ude00", "n": 9007199254740992, "f": 1.5, "_x": null}'

    assert read_json(raw.encode()) == {"a": "é é 😀", "n": 2**53, "f": 1.5, "_x": None}


def test_depth_under_the_senders_own_key_is_bounded() -> None:
    deep = read_json(b'{"_a":' + b"[" * 200 + b"]" * 200 + b"}")
    document = {**event("void", irregularity={"cite": "670a.13(e)"}), **deep}

    with pytest.raises(Refusal) as refusal:
        check_event(document, terms())
    assert refusal.value.code == "bad_value"
    assert refusal.value.path.startswith("_a[0]")
