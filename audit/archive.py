"""An archive: a month of the log in one signed, compressed file that is read without a database.

A ZIP with these members, each named with its SHA-256 in the manifest:

    manifest.json       month, and for each chain: first and last event, the hash before and after
                        (of a chain without events in the month: where it stands)
    manifest.note       the manifest's hash, signed with the log's key (C2SP signed note)
    events/0001.ndjson  a chain's events, the bytes that were hashed, one a line
    checkpoints.ndjson  those of the month, the one before them and the one after
    keys.ndjson         the log's public keys, each named by the one before it
    submissions.ndjson  what the floor adds, so that rounds can be told (see ``tables``)

Pure: ``audit.archiving`` reads the database and writes such files.
"""

import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from audit import notes
from audit.canonical import canonical
from audit.chain import link_hash, log_head
from audit.tree import Edge, leaf_hash

SPEC = "archive/1"
MANIFEST, NOTE = "manifest.json", "manifest.note"
CHECKPOINTS, KEYS = "checkpoints.ndjson", "keys.ndjson"
WHOLE = "archive"  # what faults outside the chains are filed under
ZIPPED_AT = (1980, 1, 1, 0, 0, 0)  # the same events make the same file

# What reading a file that was damaged, or made to do harm, can come to.
BROKEN = (
    *(AttributeError, EOFError, LookupError, OSError, RuntimeError, TypeError, ValueError),
    *(zipfile.BadZipFile, zlib.error),
)

Heads = dict[str, tuple[int, bytes]]


class ArchiveError(ValueError):
    """A file is no archive, or it cannot be made; the text says why."""


class ArchiveFault(NamedTuple):
    """One thing that is wrong with an archive: where, of what kind, in a sentence."""

    chain: str
    sequence: int
    kind: str
    detail: str


class Part(NamedTuple):
    """One chain's part: events ``first`` to ``last``, the hash before them and the last one's."""

    name: str
    member: str
    first: int
    last: int
    before: bytes
    head: bytes

    def told(self) -> dict[str, Any]:
        """Return the part as the manifest tells it."""
        hashes = {"before": self.before.hex(), "head": self.head.hex()}
        return {**self._asdict(), **hashes}


def part_of(told: dict[str, Any]) -> Part:
    """Read a part of the manifest. Raises one of BROKEN."""
    before, head = bytes.fromhex(told["before"]), bytes.fromhex(told["head"])
    first, last = int(told["first"]), int(told["last"])
    return Part(str(told["name"]), str(told["member"]), first, last, before, head)


def signed_text(origin: str, month: str, manifest: bytes) -> str:
    """Return what the log's key signs under an archive."""
    return f"{origin}\narchive {month}\nsha256 {sha256(manifest).hexdigest()}\n"


class Archive:
    """An archive to read. Raises ArchiveError where the file is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.zip = zipfile.ZipFile(path)
            self.manifest_bytes = self.zip.read(MANIFEST)
            self.manifest: dict[str, Any] = json.loads(self.manifest_bytes)
            self.note = self.zip.read(NOTE).decode()
            self.parts = [part_of(told) for told in self.manifest["chains"]]
            needed = [self.manifest[name] for name in ("month", "origin", "until")]
            if not all(isinstance(told, str) for told in needed):
                raise ValueError("its manifest is none")
            dict.items(self.manifest["members"])
        except BROKEN as error:
            raise ArchiveError(f"{path.name} is no archive of the log: {error}") from error
        if self.manifest.get("spec") != SPEC:
            raise ArchiveError(f"{path.name} is of a kind that is not known here.")

    @property
    def month(self) -> str:
        """The month it holds, as 2026-03."""
        return str(self.manifest["month"])

    def bodies(self, part: Part) -> Iterator[tuple[int, bytes]]:
        """Yield (sequence, bytes) of a chain's events in order; of some it has none."""
        if not part.member:
            return
        try:
            with self.zip.open(part.member) as lines:
                for sequence, line in enumerate(lines, part.first):
                    yield sequence, line.rstrip(b"\n")
        except BROKEN as error:
            raise ArchiveError(f"{self.path.name}: {part.member} is broken: {error}") from error

    def rows(self, member: str) -> list[dict[str, Any]]:
        """Return the JSON values of a member, one a line; none where it is not there."""
        if member not in self.zip.namelist():
            return []
        try:
            return [json.loads(line) for line in self.zip.read(member).splitlines()]
        except BROKEN as error:
            raise ArchiveError(f"{self.path.name}: {member} is broken: {error}") from error

    def events_of(self, subject: str) -> Iterator[tuple[str, int, bytes]]:
        """Yield (chain, sequence, bytes) of the events of a subject."""
        end = b'"subject":' + canonical(subject) + b"}"  # the last key of an event
        for part in self.parts:
            for sequence, body in self.bodies(part):
                if body.endswith(end):
                    yield part.name, sequence, body

    def between(self, chain: str, after: int, before: int) -> Iterator[bytes]:
        """Yield the events of a chain between two of its events."""
        for part in self.parts:
            if part.name == chain:
                for sequence, body in self.bodies(part):
                    if after < sequence < before:
                        yield body


class Verified(NamedTuple):
    """What the verification of archives came to."""

    months: list[str]
    events: int
    checkpoints: int
    faults: list[ArchiveFault]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


def verify_archives(
    paths: Sequence[Path], *, first_key: str = "", kept: Iterable[str] = ()
) -> Verified:
    """Verify archives, and that each goes on where the one before it ended.

    ``first_key``: the log's first public key as it was published. ``kept``: notes of checkpoints
    that somebody kept elsewhere.
    """
    archives = sorted((Archive(path) for path in paths), key=lambda archive: archive.month)
    faults: list[ArchiveFault] = []
    events = checkpoints = 0
    stands: Heads = {}
    for place, archive in enumerate(archives):
        checking = Checking(archive, first_key)
        faults += checking.check(list(kept))
        faults += seams(archive, stands) if place else []
        stands |= {part.name: (part.last, part.head) for part in archive.parts}
        events += checking.events
        checkpoints += checking.checkpoints
    return Verified([archive.month for archive in archives], events, checkpoints, faults)


def seams(archive: Archive, stands: Heads) -> Iterator[ArchiveFault]:
    """Yield where an archive does not go on where those before it ended."""
    for part in archive.parts:
        reached, head = stands.get(part.name, (0, bytes(32)))
        if (part.first - 1, part.before) != (reached, head):
            told = f"{archive.month} begins at event {part.first}; what is before ends at {reached}"
            yield ArchiveFault(part.name, part.first, "seam", f"{told}, or at another event.")


class Checking:
    """The verification of one archive."""

    def __init__(self, archive: Archive, first_key: str) -> None:
        self.archive, self.first_key = archive, first_key
        self.faults: list[ArchiveFault] = []
        self.links: dict[str, dict[int, bytes]] = {}  # chain -> the hash at each event
        self.events = self.checkpoints = 0

    def check(self, kept: list[str]) -> list[ArchiveFault]:
        """Check everything; return what is wrong."""
        keys = self._keys()
        self._signature(keys)
        self._members()
        for part in self.archive.parts:
            self._chain(part)
        self._checkpoints(keys, kept)
        return self.faults

    def _find(self, kind: str, detail: str, chain: str = WHOLE, sequence: int = 0) -> None:
        self.faults.append(ArchiveFault(chain, sequence, kind, detail))

    def _keys(self) -> list[notes.Key]:
        """Return the log's keys, each proven by the one before it."""
        found: list[notes.Key] = []
        try:
            for row in self.archive.rows(KEYS):
                key = notes.read_key(row["key"])
                if found and notes.successor_in(row["endorsement"], found[-1]) != key:
                    raise notes.NoteError(f"Key {row['number']} is not named by the one before.")
                if not found and self.first_key and key != notes.read_key(self.first_key):
                    raise notes.NoteError("The first key is not the one that was published.")
                found.append(key)
        except (notes.NoteError, *BROKEN) as error:
            self._find("key", str(error))
        return found

    def _signature(self, keys: list[notes.Key]) -> None:
        told = signed_text(
            self.archive.manifest["origin"], self.archive.month, self.archive.manifest_bytes
        )
        try:
            if signed_by(self.archive.note, keys) != told:
                raise notes.NoteError("What was signed is another manifest.")
        except notes.NoteError as error:
            self._find("signature", f"The archive's signature does not hold: {error}")

    def _members(self) -> None:
        """Compare every member with its hash in the manifest."""
        named = self.archive.manifest["members"]
        there = set(self.archive.zip.namelist()) - {MANIFEST, NOTE}
        for name in sorted(there ^ set(named)):
            word = "is not in the manifest" if name in there else "is not there"
            self._find("member", f"{name} {word}.")
        for name in sorted(there & set(named)):
            digest = sha256()
            try:
                with self.archive.zip.open(name) as member:
                    while block := member.read(1 << 20):
                        digest.update(block)
            except BROKEN as error:
                self._find("member", f"{name} cannot be read: {error}")
                continue
            if digest.hexdigest() != named[name]:
                self._find("member", f"{name} is not what was archived.")

    def _chain(self, part: Part) -> None:
        """Recompute a chain's links from its bytes."""
        digest, reached = part.before, part.first - 1
        links = self.links[part.name] = {reached: digest}
        try:
            for sequence, body in self.archive.bodies(part):
                digest, reached = link_hash(part.name, sequence, digest, body), sequence
                links[sequence] = digest
        except BROKEN as error:
            self._find("unreadable", str(error), part.name, reached + 1)
        self.events += max(reached - part.first + 1, 0)
        if reached != part.last:
            told = f"Events {part.first} to {part.last} should be there; they end at {reached}."
            self._find("missing", told, part.name, min(reached, part.last) + 1)
        elif digest != part.head:
            self._find("changed", "An event is not what was written.", part.name, part.first)

    def _checkpoints(self, keys: list[notes.Key], kept: list[str]) -> None:
        """Compare links and tree with what was signed at the time."""
        before: dict[str, Any] | None = None
        texts = []
        for row in self._rows(CHECKPOINTS):
            self.checkpoints += 1
            try:
                text = signed_by(row["note"], keys)
                said = notes.read_checkpoint(text)
                self._covered(row, said, before)
                texts.append(text)
            except (notes.NoteError, *BROKEN) as error:
                self._find("checkpoint", f"Checkpoint {row.get('number')}: {error}")
            before = row
        for note in kept:
            self._kept(note, keys, texts)

    def _rows(self, member: str) -> list[dict[str, Any]]:
        """Return a member's rows; what cannot be read is told, and is none."""
        try:
            rows = self.archive.rows(member)
        except BROKEN as error:
            self._find("unreadable", f"{member}: {error}")
            return []
        return [row for row in rows if isinstance(row, dict)]

    def _covered(
        self, row: dict[str, Any], said: notes.Checkpoint, before: dict[str, Any] | None
    ) -> None:
        """Compare one checkpoint's heads, and its root where all of its leaves are here."""
        heads = heads_of(row)
        if log_head((name, *head) for name, head in heads.items()) != said.head:
            raise ValueError("its heads are not those that were signed.")
        for name, (sequence, digest) in sorted(heads.items()):
            if said.at < self.archive.manifest["until"] and sequence > self._last(name, sequence):
                told = f"Checkpoint {row['number']} saw events up to {sequence}; they are not here."
                self._find("missing", told, name, self._last(name, sequence) + 1)
            ours = self.links.get(name, {}).get(sequence)
            if ours is not None and ours != digest:
                told = f"Events up to {sequence} are not those that checkpoint {row['number']} saw."
                self._find("changed", told, name, sequence)
        leaves = self._leaves(heads, heads_of(before) if before else {})
        first = row["number"] == 1
        if leaves is None or (before is None and not first):
            return
        edge = Edge(0, []) if first or before is None else Edge(
            before["size"], [bytes.fromhex(digest) for digest in before["edge"]]
        )  # fmt: skip
        for leaf in leaves:
            edge.add(leaf)
        if (edge.size, edge.root()) != (said.size, said.root):
            raise ValueError("its events do not make the root that was signed.")

    def _leaves(self, heads: Heads, before: Heads) -> list[bytes] | None:
        """Return the leaves that a checkpoint adds; None where one of them is not here."""
        leaves = []
        for name, (sequence, _) in sorted(heads.items()):
            links = self.links.get(name, {})
            for number in range(before.get(name, (0, b""))[0] + 1, sequence + 1):
                if number not in links or number < self._first(name):
                    return None
                leaves.append(leaf_hash(links[number]))
        return leaves

    def _last(self, name: str, otherwise: int) -> int:
        parts = self.archive.parts
        return next((part.last for part in parts if part.name == name), otherwise)

    def _first(self, name: str) -> int:
        return next((part.first for part in self.archive.parts if part.name == name), 0)

    def _kept(self, note: str, keys: list[notes.Key], texts: list[str]) -> None:
        """Compare a note that somebody kept with the checkpoint of its size."""
        try:
            text = signed_by(note, keys)
            said = notes.read_checkpoint(text)
        except (notes.NoteError, ValueError) as error:
            self._find("note", f"A note that was kept does not hold: {error}")
            return
        sizes = {notes.read_checkpoint(known).size: known for known in texts}
        if said.size in sizes and sizes[said.size] != text:
            self._find("fork", f"A note that was kept says otherwise of the first {said.size}.")


def heads_of(row: dict[str, Any]) -> Heads:
    """Return where a checkpoint says each chain stood."""
    return {name: (int(at), bytes.fromhex(digest)) for name, (at, digest) in row["heads"].items()}


def signed_by(note: str, keys: list[notes.Key]) -> str:
    """Return a note's text if one of the keys signed it. Raises NoteError."""
    problem = notes.NoteError("No key of the log is known.")
    for key in reversed(keys):
        try:
            return notes.must_be_signed(note, key)
        except notes.NoteError as error:
            problem = error
    raise problem
