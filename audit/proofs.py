"""Prove that an event is in the signed log, and that a later log begins with an earlier one.

    prove_event("lane:MAIN", 17)            # against the last checkpoint, or the one asked for
    prove_growth(old=3, new=8)              # by numbers of checkpoints

No leaf is stored. A whole subtree that was once the right edge's is found with the checkpoint that
kept it; the rest is hashed from the stored links. Each proof is tried against the signed root
before it is given away: what does not lead there is refused (``Unproven``), whatever the reason.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from audit.models import AuditEvent, Chain, Checkpoint
from audit.tree import (
    Edge,
    ProofError,
    check_consistency,
    consistency_path,
    inclusion_path,
    leaf_hash,
    node_hash,
    root_of_inclusion,
)

SMALL = 64  # leaves that are hashed rather than looked for in the checkpoints


class Unproven(Exception):
    """There is no such proof; the text says why. ``code`` is for programs."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


@dataclass(frozen=True)
class Inclusion:
    """That an event is a leaf of a signed tree."""

    chain: str
    sequence: int
    link: str  # its hash, in hex
    index: int
    size: int
    path: list[str]
    checkpoint: int
    note: str


@dataclass(frozen=True)
class Growth:
    """That a signed tree begins with another one."""

    old: int
    new: int
    old_size: int
    size: int
    path: list[str]
    old_note: str
    note: str


class Tree:
    """The tree as the checkpoints say it grew."""

    @cached_property
    def _pks(self) -> dict[str, int]:
        return dict(Chain.objects.values_list("name", "pk"))

    def subtree(self, first: int, last: int) -> bytes:
        """Return the hash of a whole subtree."""
        size = last - first
        if size > SMALL:
            kept = None if first % (2 * size) else self._kept(first, size)
            if kept is not None:
                return kept
            middle = first + size // 2
            return node_hash(self.subtree(first, middle), self.subtree(middle, last))
        edge = Edge()
        for link in self._links(first, last):
            edge.add(leaf_hash(link))
        if edge.size != size:
            raise Unproven("log_broken", "Events of the signed log are not there any more.")
        return edge.root()

    def _kept(self, first: int, size: int) -> bytes | None:
        """Return the subtree from the edge of a checkpoint that ended beside it."""
        rows = Checkpoint.objects.filter(size__gte=first + size, size__lt=first + 2 * size)
        row = rows.order_by("size").only("size", "edge").first()
        if row is None:
            return None
        place = (row.size >> size.bit_length()).bit_count()
        return bytes.fromhex(row.edge[place])

    def _links(self, first: int, last: int) -> Iterator[bytes]:
        """Yield the stored link hashes of leaves, in the tree's order."""
        row = Checkpoint.objects.filter(size__gt=first).order_by("size").first()
        before = self._before(row.number) if row else None
        while row is not None:
            at = before.size if before else 0
            for name, reached, until in grown(before, row):
                after, upto = reached + max(first - at, 0), min(until, reached + last - at)
                yield from self._hashes(name, after, upto)
                at += until - reached
            if at >= last:
                return
            before, row = row, Checkpoint.objects.filter(number=row.number + 1).first()

    def _hashes(self, name: str, after: int, upto: int) -> Iterator[bytes]:
        if after < upto and name in self._pks:
            rows = AuditEvent.objects.filter(
                chain_id=self._pks[name], sequence__gt=after, sequence__lte=upto
            )
            for digest in rows.order_by("sequence").values_list("hash", flat=True):
                yield bytes(digest)

    def _before(self, number: int) -> Checkpoint | None:
        return Checkpoint.objects.filter(number=number - 1).first()

    def place_of(self, chain: str, sequence: int) -> int:
        """Return an event's leaf. Raises Unproven where no checkpoint covers it yet."""
        last = Checkpoint.objects.order_by("-number").first()
        low, high = 1, last.number if last else 0
        if last is None or last.heads.get(chain, [0])[0] < sequence or sequence < 1:
            raise Unproven("not_signed_yet", "No checkpoint covers this event yet: sign one.")
        while low < high:  # the first checkpoint that covers it
            middle = (low + high) // 2
            heads = Checkpoint.objects.values_list("heads", flat=True).get(number=middle)
            if heads.get(chain, [0])[0] >= sequence:
                high = middle
            else:
                low = middle + 1
        row, before = Checkpoint.objects.get(number=low), self._before(low)
        at = before.size if before else 0
        for name, reached, until in grown(before, row):
            if name == chain:
                return at + sequence - reached - 1
            at += until - reached
        raise Unproven("log_broken", "The checkpoints do not say where this event is.")


def grown(before: Checkpoint | None, row: Checkpoint) -> Iterator[tuple[str, int, int]]:
    """Yield per chain, in the leaves' order, from where to where a checkpoint covers it."""
    for name, (until, _) in sorted(row.heads.items()):
        yield name, before.heads.get(name, [0])[0] if before else 0, until


def checkpoint_of(number: int | None) -> Checkpoint:
    """Return a checkpoint, the last one without a number. Raises Unproven."""
    rows = Checkpoint.objects.order_by("-number")
    row = rows.first() if number is None else rows.filter(number=number).first()
    if row is None:
        raise Unproven("unknown_checkpoint", "There is no such checkpoint.")
    return row


def prove_event(chain: str, sequence: int, number: int | None = None) -> Inclusion:
    """Prove that an event is in the log that a checkpoint signs. Raises Unproven."""
    event = AuditEvent.objects.filter(chain__name=chain, sequence=sequence).first()
    if event is None:
        raise Unproven("unknown_event", f"There is no event {sequence} in {chain}.")
    tree, row = Tree(), checkpoint_of(number)
    index = tree.place_of(chain, sequence)
    if index >= row.size:
        raise Unproven("not_signed_yet", f"Checkpoint {row.number} was signed before this event.")
    path = inclusion_path(tree.subtree, index, row.size)
    link = bytes(event.hash)
    if root_of_inclusion(leaf_hash(link), index, row.size, path) != bytes(row.root):
        raise Unproven("log_broken", "The log does not lead to its signed root: verify_audit.")
    told = [step.hex() for step in path]
    return Inclusion(chain, sequence, link.hex(), index, row.size, told, row.number, row.note)


def prove_growth(old: int, new: int | None = None) -> Growth:
    """Prove that a checkpoint's log begins with an earlier one's. Raises Unproven."""
    first, last = checkpoint_of(old), checkpoint_of(new)
    if first.size > last.size:
        raise Unproven("wrong_order", "The earlier checkpoint comes first.")
    path = consistency_path(Tree().subtree, first.size, last.size)
    try:
        check_consistency(first.size, bytes(first.root), last.size, bytes(last.root), path)
    except ProofError as error:
        raise Unproven("log_broken", f"The log does not lead there: {error}") from error
    told = [step.hex() for step in path]
    notes = first.note, last.note
    return Growth(first.number, last.number, first.size, last.size, told, *notes)


def as_json(proof: Inclusion | Growth) -> dict[str, Any]:
    """Return a proof as JSON."""
    return {"kind": type(proof).__name__.lower(), **proof.__dict__}
