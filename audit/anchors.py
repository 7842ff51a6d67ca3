"""Hold the log against its checkpoints: the database's own, and those that were kept outside it.

What agrees with itself may still be another log than the one that was signed: a chain rewritten
whole, an end that was cut off and grown again, an older backup. Each checkpoint says where every
chain stood; the first one that a chain does not agree with, and the last one that it does, say
between which events somebody was at work.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection

from audit import keys, notes, sinks
from audit.chain import log_head
from audit.checkpoints import Heads, heads_of, remembered
from audit.models import AuditEvent, Chain, Checkpoint, SignerKey
from audit.signer_files import SignerFiles
from audit.tree import Edge, leaf_hash
from audit.walking import Fault

CHECKPOINTS = "checkpoints"  # what faults of no chain are filed under
PAGE = 50_000
UNSOUND = frozenset({"missing", "inserted", "swapped", "tail_cut"})  # the leaves' order is gone


class Anchored(NamedTuple):
    """A checkpoint and where it was found. Of a bare note ``number`` and ``heads`` are unknown."""

    place: str
    number: int | None
    size: int
    root: bytes
    heads: Heads | None
    note: str


@dataclass
class Anchoring:
    """What the checkpoints say."""

    checkpoints: int = 0
    outside: int = 0
    faults: list[Fault] = field(default_factory=list)


def kept_outside(folders: Sequence[Path] = (), notes_given: Sequence[Path] = ()) -> list[Anchored]:
    """Return what the signer remembers and what folders and single notes hold.

    Without folders: those that the house writes to, where they are folders of this machine.
    """
    found = []
    if last := SignerFiles().last():
        found.append(anchored("the signer's memory", last))
    if not folders and not notes_given:
        folders = [
            sinks.folder_of(address)
            for address in settings.CHECKPOINT_SINKS
            if address.startswith("file:")
        ]
    for folder in folders:
        found += [anchored(str(folder), told) for told in sinks.kept_in(folder)]
    for path in notes_given:
        text = path.read_text()
        said = notes.read_checkpoint(notes.split(text)[0])
        found.append(Anchored(str(path), None, said.size, said.root, None, text))
    return found


def anchored(place: str, told: Mapping[str, Any]) -> Anchored:
    """Return a checkpoint as it was kept somewhere."""
    root, heads = bytes.fromhex(told["root"]), heads_of(told["heads"])
    return Anchored(place, told["number"], told["size"], root, heads, told["note"])


def check_anchors(
    known: Sequence[Fault], outside: Sequence[Anchored], first_key: str = ""
) -> Anchoring:
    """Return all faults: those that are known of the chains, and what the checkpoints add."""
    own = [
        anchored("the database", remembered(row)) for row in Checkpoint.objects.order_by("number")
    ]
    found = Anchoring(len(own), len(outside), list(known))
    trusted = trusted_keys(found, first_key)
    sound = [one for one in own if holds(one, trusted, found)]
    kept = [one for one in outside if holds(one, trusted, found)]
    backup = compare(own, kept, found)
    check_chains(sound + kept, found, backup)
    if not any(fault.kind in UNSOUND for fault in found.faults):
        check_tree(own, kept, found)
    return found


def trusted_keys(found: Anchoring, first_key: str) -> list[notes.Key]:
    """Return the keys that may have signed, each proven by the one before it."""
    rows = list(SignerKey.objects.values_list("number", "key", "endorsement"))
    try:
        first = notes.read_key(first_key) if first_key else None
        return keys.trusted(rows, first)
    except notes.NoteError as error:
        found.faults.append(Fault(CHECKPOINTS, 0, "key_changed", f"{error}"))
        return [notes.read_key(first_key)] if first_key else []


def holds(one: Anchored, trusted: Sequence[notes.Key], found: Anchoring) -> bool:
    """Whether a checkpoint is signed by a key of the log and says what is kept beside it."""
    number = one.number or 0
    try:
        _, signatures = notes.split(one.note)
        signer = next(
            (k for k in trusted if (k.name, k.id) in {(s.name, s.key_id) for s in signatures}), None
        )
        if signer is None:
            raise notes.NoteError("No key of this log signed it.")
        said = notes.read_checkpoint(notes.must_be_signed(one.note, signer))
    except notes.NoteError as error:
        told = f"Checkpoint {number} in {one.place} is not signed: {error}"
        found.faults.append(Fault(CHECKPOINTS, number, "bad_signature", told))
        return False
    beside = one.heads and log_head((name, *reached) for name, reached in one.heads.items())
    if (said.size, said.root) != (one.size, one.root) or (beside and beside != said.head):
        told = f"What lies beside checkpoint {number} in {one.place} is not what was signed."
        found.faults.append(Fault(CHECKPOINTS, number, "checkpoint_changed", told))
        return False
    return True


def compare(own: Sequence[Anchored], kept: Sequence[Anchored], found: Anchoring) -> int | None:
    """Compare the database's checkpoints with the same ones outside.

    Returns the number at which the database ends although more were signed, or None.
    """
    by_number = {one.number: one for one in own}
    last = max((one.number or 0 for one in own), default=0)
    behind = None
    told: set[int] = set()
    for one in sorted(kept, key=lambda one: one.size):
        if one.number is None or one.number in told:
            continue
        ours = by_number.get(one.number)
        if ours is None and one.number > last:
            behind = last
        elif ours is None:
            told.add(one.number)
            detail = f"Checkpoint {one.number} is kept in {one.place}; the database lost it."
            found.faults.append(Fault(CHECKPOINTS, one.number, "checkpoint_missing", detail))
        elif ours.note != one.note:
            told.add(one.number)
            detail = f"Checkpoint {one.number} is another one than {one.place} keeps."
            found.faults.append(Fault(CHECKPOINTS, one.number, "checkpoint_rewritten", detail))
    if behind is not None:
        most = max(one.number or 0 for one in kept)
        detail = (
            f"Checkpoint {most} was signed; the database ends at checkpoint {behind}: an older "
            "backup was restored, or the end was cut off with its checkpoints."
        )
        found.faults.append(Fault(CHECKPOINTS, behind + 1, "older_backup", detail))
    return behind


def check_chains(anchors: Sequence[Anchored], found: Anchoring, backup: int | None) -> None:
    """Find for each chain the last checkpoint it agrees with and the first that it does not."""
    lengths = dict(Chain.objects.values_list("name", "sequence"))
    displaced = [(fault.chain, fault.sequence) for fault in found.faults if fault.kind in UNSOUND]
    for name in sorted({name for one in anchors for name in one.heads or ()}):
        places: dict[int, dict[bytes, Anchored]] = {}
        for one in anchors:
            if one.heads and name in one.heads:
                sequence, digest = one.heads[name]
                places.setdefault(sequence, {}).setdefault(digest, one)
        actual = hashes_at(name, list(places))
        agreed = 0
        for sequence in sorted(places):
            digests = places[sequence]
            if set(digests) == {actual.get(sequence)}:
                agreed = sequence
                continue
            other = next(one for digest, one in digests.items() if digest != actual.get(sequence))
            older = backup is not None and (other.number or 0) > backup
            named = any(chain == name and place <= sequence for chain, place in displaced)
            if not (older or named):
                found.faults.append(difference(name, agreed, sequence, other, lengths, actual))
            break


def difference(
    name: str,
    agreed: int,
    sequence: int,
    other: Anchored,
    lengths: Mapping[str, int],
    actual: Mapping[int, bytes],
) -> Fault:
    """Name what was done between the last event that agrees and the first that does not."""
    which = f"checkpoint {other.number} in {other.place}"
    if sequence not in actual and lengths.get(name, 0) < sequence:
        first = lengths.get(name, 0) + 1
        detail = f"Events {first} to {sequence} are not there; {which} has seen them."
        return Fault(name, first, "tail_cut", detail)
    if agreed:
        detail = (
            f"Events {agreed + 1} to {sequence} are others than {which} has seen: the end was "
            "cut off and written again."
        )
        return Fault(name, agreed + 1, "tail_replaced", detail)
    detail = f"Events 1 to {sequence} are others than {which} has seen: written anew as a whole."
    return Fault(name, 1, "rewritten", detail)


def hashes_at(name: str, sequences: list[int]) -> dict[int, bytes]:
    """Return the stored hashes of some of a chain's events."""
    rows = AuditEvent.objects.filter(chain__name=name, sequence__in=sequences)
    return {number: bytes(digest) for number, digest in rows.values_list("sequence", "hash")}


def check_tree(own: Sequence[Anchored], kept: Sequence[Anchored], found: Anchoring) -> None:
    """Grow the tree again from its first leaf and compare every root on the way."""
    named_already = {fault.sequence for fault in found.faults if fault.chain == CHECKPOINTS}
    explained = any(fault.chain != CHECKPOINTS for fault in found.faults)
    roots: dict[int, list[Anchored]] = {}
    for one in (*own, *kept):
        roots.setdefault(one.size, []).append(one)
    edges = {row.number: row.edge for row in Checkpoint.objects.only("number", "edge")}
    edge, before = Edge(), dict[str, int]()
    for point in own:
        for leaf in leaves_between(before, point.heads or {}):
            edge.add(leaf)
            if roots and edge.size in roots:
                check_root(edge, roots.pop(edge.size), found, named_already, explained)
        before = {name: number for name, (number, _) in (point.heads or {}).items()}
        stored = [bytes.fromhex(digest) for digest in edges[point.number or 0]]
        if not explained and point.number not in named_already and stored != edge.hashes:
            told = f"The edge stored with checkpoint {point.number} is not the tree's."
            found.faults.append(Fault(CHECKPOINTS, point.number or 0, "edge_changed", told))
    for size, left in roots.items():
        if size <= edge.size or not (explained or named_already):
            told = f"{left[0].place} keeps a root of {size} events that this log does not have."
            found.faults.append(Fault(CHECKPOINTS, left[0].number or 0, "root_differs", told))


def check_root(
    edge: Edge, anchors: Sequence[Anchored], found: Anchoring, named: set[int], explained: bool
) -> None:
    """Compare the root at one size; a difference that has a better name is not told twice."""
    for one in anchors:
        if one.root != edge.root() and not (explained or one.number in named):
            told = f"The root of {one.size} events in {one.place} is not this log's."
            found.faults.append(Fault(CHECKPOINTS, one.number or 0, "root_differs", told))
            return


def leaves_between(before: Mapping[str, int], heads: Heads) -> Iterator[bytes]:
    """Yield the leaves that a checkpoint adds, in their order, from the stored hashes."""
    pks = dict(Chain.objects.values_list("name", "pk"))
    for name, (last, _) in sorted(heads.items()):
        reached = before.get(name, 0)
        while reached < last and name in pks:
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT sequence, hash FROM audit_auditevent WHERE chain_id = %s"
                    " AND sequence > %s AND sequence <= %s ORDER BY sequence LIMIT %s",
                    [pks[name], reached, last, PAGE],
                )
                page = cursor.fetchall()
            if not page:
                break
            for _, digest in page:
                yield leaf_hash(bytes(digest))
            reached = page[-1][0]
