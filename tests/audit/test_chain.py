"""The hash link: what it covers, and that no two different links share a pre-image."""

import json

import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from audit.canonical import canonical, parse
from audit.chain import START, forge_links, link_hash, log_head

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
KEYS = st.text(st.characters(min_codepoint=1, max_codepoint=127), max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_canonical_bytes_are_those_of_rfc_8785(value: object) -> None:
    assert canonical(value) == rfc8785.dumps(value)
    assert parse(canonical(value)) == value


def test_key_order_of_the_sender_does_not_matter() -> None:
    one = json.loads('{"b": 1, "a": {"d": [1, 2], "c": "é"}}')
    other = json.loads('{"a": {"c": "\\u00e9", "d": [1, 2]}, "b": 1}')
    assert canonical(one) == canonical(other) == '{"a":{"c":"é","d":[1,2]},"b":1}'.encode()


def test_each_link_names_the_one_before_it() -> None:
    links = forge_links("lane:A", 0, START, [b"one", b"two", b"three"])

    assert [link.sequence for link in links] == [1, 2, 3]
    assert links[0].previous == START
    assert [link.previous for link in links[1:]] == [link.hash for link in links[:-1]]
    assert links[1].hash == link_hash("lane:A", 2, links[0].hash, b"two")


def test_appending_at_once_or_one_by_one_gives_the_same_chain() -> None:
    whole = forge_links("lane:A", 0, START, [b"one", b"two"])
    first = forge_links("lane:A", 0, START, [b"one"])
    second = forge_links("lane:A", 1, first[0].hash, [b"two"])

    assert whole == first + second


@given(st.binary(max_size=40), st.binary(max_size=40), st.integers(1, 2**40), st.integers(1, 2**40))
def test_no_two_different_links_hash_alike(
    body: bytes, other: bytes, number: int, another: int
) -> None:
    same = (body, number) == (other, another)
    left = link_hash("lane:A", number, START, body)
    assert (left == link_hash("lane:A", another, START, other)) is same
    assert left != link_hash("lane:A ", number, START, body)


def test_head_of_the_log_does_not_depend_on_the_order_of_chains() -> None:
    chains = [("system", 3, b"\1" * 32), ("lane:A", 5, b"\2" * 32)]
    assert log_head(chains) == log_head(reversed(chains))
    assert log_head(chains) != log_head([("system", 3, b"\1" * 32), ("lane:A", 6, b"\2" * 32)])
