"""The tree over the whole log (RFC 6962, section 2.1): pure, and small enough to be written again.

A leaf is the hash of an event's link (``chain.link_hash``: chain, sequence, predecessor, bytes), so
a leaf says where its event stands. Leaves and nodes are hashed with different first bytes.

- ``Edge`` grows by leaves; it is all that must be kept to go on: one hash for each one in the
  binary form of the size, the largest subtree first.
- ``inclusion_path`` and ``consistency_path`` make proofs from any function that knows the hash of
  a *whole* subtree; ``root_of_inclusion`` and ``check_consistency`` verify them (RFC 9162, 2.1.3).
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

LEAF, NODE = b"\x00", b"\x01"
EMPTY = sha256(b"").digest()

Subtree = Callable[[int, int], bytes]  # (first leaf, one behind the last) -> its hash


class ProofError(ValueError):
    """A proof does not prove what it is said to; the text says in what it fails."""


def leaf_hash(link: bytes) -> bytes:
    """Return the leaf of an event with this link hash (32 bytes)."""
    return sha256(LEAF + link).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the node over two subtrees."""
    return sha256(NODE + left + right).digest()


class Edge:
    """A tree's right edge: the roots of its whole subtrees, the largest first."""

    def __init__(self, size: int = 0, hashes: Iterable[bytes] = ()) -> None:
        self.size, self.hashes = size, list(hashes)
        if len(self.hashes) != size.bit_count():
            raise ValueError(f"an edge of size {size} has {size.bit_count()} hashes")

    def add(self, leaf: bytes) -> None:
        """Append one leaf hash: every subtree it makes whole becomes one."""
        self.hashes.append(leaf)
        self.size += 1
        size = self.size
        while not size & 1:
            right = self.hashes.pop()
            self.hashes[-1] = sha256(NODE + self.hashes[-1] + right).digest()
            size >>= 1

    def root(self) -> bytes:
        """Return the tree's root."""
        if not self.hashes:
            return EMPTY
        root = self.hashes[-1]
        for left in reversed(self.hashes[:-1]):
            root = node_hash(left, root)
        return root


def split_of(size: int) -> int:
    """Return the largest power of two below ``size``."""
    return 1 << (size - 1).bit_length() - 1


def whole_parts(first: int, last: int) -> list[tuple[int, int]]:
    """Return the whole subtrees that leaves ``first`` to ``last`` (excluded) fall into, in order.

    ``first`` must be where a subtree of that many leaves may begin.
    """
    parts = []
    while first < last:
        size = 1 << (last - first).bit_length() - 1
        parts.append((first, first + size))
        first += size
    return parts


def hash_of_range(subtree: Subtree, first: int, last: int) -> bytes:
    """Return MTH of a range as RFC 6962 splits it, from whole subtrees."""
    hashes = [subtree(*part) for part in whole_parts(first, last)]
    return Edge(last - first, hashes).root()


def inclusion_path(subtree: Subtree, index: int, size: int) -> list[bytes]:
    """Return PATH(index, D[size]), the lowest node first."""
    if not 0 <= index < size:
        raise ProofError(f"There is no leaf {index} in a tree of {size}.")
    first, last, path = 0, size, []
    while last - first > 1:
        middle = first + split_of(last - first)
        if index < middle:
            path.append(hash_of_range(subtree, middle, last))
            last = middle
        else:
            path.append(hash_of_range(subtree, first, middle))
            first = middle
    return path[::-1]


def consistency_path(subtree: Subtree, old: int, size: int) -> list[bytes]:
    """Return PROOF(old, D[size]), the lowest node first; empty where nothing needs to be proven."""
    if not 0 < old <= size:
        raise ProofError(f"A tree of {size} does not go on from one of {old}.")
    first, last, whole, path = 0, size, True, []
    while old != last:
        middle = first + split_of(last - first)
        if old <= middle:
            path.append(hash_of_range(subtree, middle, last))
            last = middle
        else:
            path.append(hash_of_range(subtree, first, middle))
            first, whole = middle, False
    if not whole:
        path.append(hash_of_range(subtree, first, last))
    return path[::-1]


def root_of_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """Return the root that an inclusion proof leads to. Raises ProofError where its form is wrong.

    Compare it with the signed one.
    """
    if not 0 <= index < size:
        raise ProofError(f"There is no leaf {index} in a tree of {size}.")
    place, top, root = index, size - 1, leaf
    for step in path:
        if top == 0:
            raise ProofError("The proof is longer than the tree is high.")
        if place & 1 or place == top:
            root = node_hash(step, root)
            while not place & 1 and place:
                place, top = place >> 1, top >> 1
        else:
            root = node_hash(root, step)
        place, top = place >> 1, top >> 1
    if top:
        raise ProofError("The proof is shorter than the tree is high.")
    return root


def check_consistency(
    old: int, old_root: bytes, size: int, root: bytes, path: Sequence[bytes]
) -> None:
    """Raise ProofError unless the tree of ``size`` begins with the one of ``old`` leaves."""
    if old == size:
        if path or old_root != root:
            raise ProofError("Two trees of one size have different roots.")
        return
    if not 0 < old < size or not path:
        raise ProofError("The proof has not the form of a consistency proof.")
    steps = list(path) if old & (old - 1) else [old_root, *path]
    place, top = old - 1, size - 1
    while place & 1:
        place, top = place >> 1, top >> 1
    before = now = steps[0]
    for step in steps[1:]:
        if top == 0:
            raise ProofError("The proof is longer than the tree is high.")
        if place & 1 or place == top:
            before, now = node_hash(step, before), node_hash(step, now)
            while not place & 1 and place:
                place, top = place >> 1, top >> 1
        else:
            now = node_hash(now, step)
        place, top = place >> 1, top >> 1
    if top or before != old_root or now != root:
        raise ProofError("The later tree does not begin with the earlier one.")
