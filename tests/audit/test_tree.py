"""The tree against RFC 6962's definition, the public vectors, and proofs that prove nothing."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.tree import (
    EMPTY,
    Edge,
    ProofError,
    check_consistency,
    consistency_path,
    inclusion_path,
    leaf_hash,
    node_hash,
    root_of_inclusion,
    split_of,
)

# The entries and roots that every implementation of certificate transparency is tried with.
ENTRIES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657"]
ENTRIES.append("606162636465666768696a6b6c6d6e6f")
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def tree_hash(leaves: list[bytes]) -> bytes:
    """The definition, word for word (RFC 6962, section 2.1)."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = split_of(len(leaves))
    return node_hash(tree_hash(leaves[:split]), tree_hash(leaves[split:]))


def leaves_of(size: int) -> list[bytes]:
    return [leaf_hash(sha256(str(n).encode()).digest()) for n in range(size)]


def test_rfc_6962_2_1_public_vectors() -> None:
    edge = Edge()
    assert edge.root() == EMPTY
    for entry, root in zip(ENTRIES, ROOTS, strict=True):
        edge.add(leaf_hash(bytes.fromhex(entry)))
        assert edge.root().hex() == root


@given(st.integers(0, 130), st.integers(0, 130))
def test_an_edge_goes_on_from_any_size(begun: int, more: int) -> None:
    leaves = leaves_of(begun + more)
    first = Edge()
    for leaf in leaves[:begun]:
        first.add(leaf)
    again = Edge(first.size, first.hashes)
    for leaf in leaves[begun:]:
        again.add(leaf)
    assert again.root() == tree_hash(leaves)


@given(st.integers(1, 100), st.data())
def test_each_leaf_is_proven_and_nothing_else(size: int, data: st.DataObject) -> None:
    leaves = leaves_of(size)
    index = data.draw(st.integers(0, size - 1))
    root = tree_hash(leaves)
    path = inclusion_path(lambda a, b: tree_hash(leaves[a:b]), index, size)
    assert root_of_inclusion(leaves[index], index, size, path) == root
    other = data.draw(st.integers(0, size - 1))
    if other != index:
        assert leads_to(leaves[other], index, size, path) != root
        assert leads_to(leaves[index], other, size, path) != root
    if path:
        assert leads_to(leaves[index], index, size, path[:-1]) != root
    assert leads_to(leaves[index], index, size, [*path, root]) != root


def leads_to(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes | None:
    try:
        return root_of_inclusion(leaf, index, size, path)
    except ProofError:
        return None


@given(st.integers(1, 90), st.integers(1, 90), st.data())
def test_a_tree_is_proven_to_begin_with_an_earlier_one(a: int, b: int, data: st.DataObject) -> None:
    old, size = sorted((a, b))
    leaves = leaves_of(size)
    before, after = tree_hash(leaves[:old]), tree_hash(leaves)
    path = consistency_path(lambda first, last: tree_hash(leaves[first:last]), old, size)
    check_consistency(old, before, size, after, path)
    changed = leaves_of(size)
    changed[data.draw(st.integers(0, old - 1))] = leaf_hash(bytes(32))
    with pytest.raises(ProofError):
        check_consistency(old, before, size, tree_hash(changed), path)
    forged = consistency_path(lambda first, last: tree_hash(changed[first:last]), old, size)
    with pytest.raises(ProofError):
        check_consistency(old, before, size, tree_hash(changed), forged)


def test_forms_that_are_no_proofs_are_refused() -> None:
    with pytest.raises(ProofError):
        check_consistency(0, EMPTY, 3, ROOTS[2].encode(), [])
    with pytest.raises(ProofError):
        check_consistency(3, b"a", 3, b"b", [])
    with pytest.raises(ProofError):
        root_of_inclusion(EMPTY, 3, 3, [])
    with pytest.raises(ProofError):
        inclusion_path(lambda a, b: EMPTY, 5, 5)
    with pytest.raises(ProofError):
        consistency_path(lambda a, b: EMPTY, 6, 5)
    with pytest.raises(ValueError, match="has 2 hashes"):
        Edge(3, [EMPTY])
