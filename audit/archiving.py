"""Make archives: copy a month of the log into one signed file (see ``audit.archive``).

Nothing leaves the database by it. A month of a chain goes up to its last event that was recorded
before the month's end (UTC), so that the months of a chain follow each other without a gap whatever
clocks did.
"""

import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.utils import timezone

from audit import keys, notes
from audit.archive import (
    CHECKPOINTS,
    KEYS,
    MANIFEST,
    NOTE,
    SPEC,
    ZIPPED_AT,
    ArchiveError,
    Part,
    signed_text,
)
from audit.canonical import canonical
from audit.chain import START
from audit.checkpoints import remembered
from audit.models import Chain, Checkpoint, SignerKey, User
from audit.services import record_one, timestamp
from audit.signer_files import SignerFiles
from audit.walking import Stretch

PREFIX = "log"


class Made(NamedTuple):
    """An archive that was written."""

    path: Path
    sha256: str
    events: int
    chains: int


def month_bounds(month: str) -> tuple[datetime, datetime]:
    """Return a month's first moment and the next one's (UTC). Raises ArchiveError."""
    try:
        first = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
    except ValueError as error:
        raise ArchiveError(f"Write a month as 2026-03, not {month!r}.") from error
    following = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
    return first, following


def write_archive(
    month: str,
    folder: Path,
    *,
    extra: Mapping[str, Iterable[Any]] | None = None,
    so_far: bool = False,
    by: User | None = None,
) -> Made:
    """Write a month's archive into a folder, sign it, and let the log tell it.

    ``extra``: further members by name, their JSON values. ``so_far``: also of a month that is not
    over. Raises ArchiveError; a file that is there already is never replaced.
    """
    first, following = month_bounds(month)
    is_over = following <= timezone.now()
    if not is_over and not so_far:
        raise ArchiveError(f"{month} is not over yet.")
    name = f"{PREFIX}-{month}.zip" if is_over else f"{PREFIX}-{month}-so-far.zip"
    path = folder / name
    if path.exists():
        raise ArchiveError(f"{path} is there already; an archive is not replaced.")
    files = SignerFiles()
    with files.alone(), transaction.atomic():
        signer = keys.ready_signer(files)
    if signer is None:
        raise ArchiveError("This machine has no signing key: make archives where the signer is.")
    folder.mkdir(parents=True, exist_ok=True)
    scratch = folder / f".{name}.new"
    try:
        parts = write_file(scratch, month, first, following, signer, extra or {})
        scratch.rename(path)
    finally:
        scratch.unlink(missing_ok=True)
    digest = digest_of(path)
    events = sum(part.last - part.first + 1 for part in parts)
    facts = {"events": events, "file": name, "month": month, "sha256": digest}
    record_one("audit.archive_made", f"archive/{month}", facts, by=by)
    return Made(path, digest, events, sum(bool(part.member) for part in parts))


def write_file(
    path: Path,
    month: str,
    first: datetime,
    following: datetime,
    signer: keys.Signer,
    extra: Mapping[str, Iterable[Any]],
) -> list[Part]:
    """Write the file; return its chains."""
    members: dict[str, str] = {}
    parts: list[Part] = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for chain in Chain.objects.order_by("name"):
            member = f"events/{len(parts) + 1:04}.ndjson"
            after, last = reached(chain.pk, first), reached(chain.pk, following)
            if last > after:
                parts.append(write_chain(archive, chain, member, after, last, members))
            elif after:  # nothing in this month: where it stands is told all the same
                stands = hash_before(chain.pk, after)
                parts.append(Part(chain.name, "", after + 1, after, stands, stands))
        rows = (
            remembered(row) | {"cosignatures": lines_of(row)} for row in rows_of(first, following)
        )
        add(archive, CHECKPOINTS, rows, members)
        known = SignerKey.objects.order_by("number").values("number", "key", "endorsement")
        add(archive, KEYS, known, members)
        for name, values in extra.items():
            add(archive, name, values, members)
        manifest = canonical(
            {
                "spec": SPEC,
                "origin": signer.key.name,
                "month": month,
                "until": timestamp(following),
                "chains": [part.told() for part in parts],
                "members": members,
            }
        )
        put(archive, MANIFEST, manifest)
        text = signed_text(signer.key.name, month, manifest)
        put(archive, NOTE, notes.sign(text, signer.key.name, signer.private).encode())
    return parts


def reached(chain_id: int, moment: datetime) -> int:
    """Return the last event of a chain that was recorded before a moment; 0 where none was."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sequence FROM audit_auditevent WHERE chain_id = %s AND recorded_at < %s"
            " ORDER BY sequence DESC LIMIT 1",
            [chain_id, moment],
        )
        found = cursor.fetchone()
    return int(found[0]) if found else 0


def write_chain(
    archive: zipfile.ZipFile,
    chain: Chain,
    member: str,
    after: int,
    last: int,
    members: dict[str, str],
) -> Part:
    """Write a chain's events, each link recomputed on the way; refuse a chain that is broken."""
    before = hash_before(chain.pk, after)
    stretch = Stretch(chain.pk, chain.name, last, after, before)
    digest = sha256()
    with archive.open(entry(member), "w") as out:
        for row in stretch:
            line = row.body + b"\n"
            digest.update(line)
            out.write(line)
    if stretch.broken:
        raise ArchiveError(
            f"{chain.name} is broken between events {after + 1} and {last}: run verify_audit."
        )
    members[member] = digest.hexdigest()
    return Part(chain.name, member, after + 1, last, before, stretch.head)


def hash_before(chain_id: int, sequence: int) -> bytes:
    """Return the hash of an event, or of the begin of a chain."""
    if not sequence:
        return START
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT hash FROM audit_auditevent WHERE chain_id = %s AND sequence = %s",
            [chain_id, sequence],
        )
        return bytes(cursor.fetchone()[0])


def rows_of(first: datetime, following: datetime) -> Iterator[Checkpoint]:
    """Yield the month's checkpoints, the one before them and the one after."""
    made = Checkpoint.objects.order_by("number")
    before = made.filter(made_at__lt=first).last()
    after = made.filter(made_at__gte=following).first()
    low = before.number if before else 0
    within = made.filter(number__gte=low)
    yield from within.filter(number__lte=after.number) if after else within


def lines_of(row: Checkpoint) -> list[str]:
    """Return what witnesses signed of a checkpoint."""
    return list(row.cosignatures.order_by("pk").values_list("line", flat=True))


def entry(name: str) -> zipfile.ZipInfo:
    """Return a member's entry: the same whenever it is made."""
    made = zipfile.ZipInfo(name, ZIPPED_AT)
    made.compress_type = zipfile.ZIP_DEFLATED
    made.external_attr = 0o444 << 16
    return made


def add(
    archive: zipfile.ZipFile, name: str, values: Iterable[Any], members: dict[str, str]
) -> None:
    """Write JSON values as a member, one a line."""
    body = b"".join(canonical(value) + b"\n" for value in values)
    members[name] = sha256(body).hexdigest()
    put(archive, name, body)


def put(archive: zipfile.ZipFile, name: str, body: bytes) -> None:
    """Write a member."""
    archive.writestr(entry(name), body)


def digest_of(path: Path) -> str:
    """Return a file's SHA-256."""
    with path.open("rb") as file:
        digest = sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
