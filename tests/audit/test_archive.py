"""Archives: a month of the log in a signed file, verified and told without a database."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import CommandError, call_command

from audit import notes
from audit.archive import (
    MANIFEST,
    NOTE,
    Archive,
    ArchiveError,
    Checking,
    signed_text,
    verify_archives,
)
from audit.canonical import canonical
from audit.chain import link_hash
from audit.checkpoints import make_checkpoint
from audit.models import AuditEvent, Checkpoint, SignerKey
from audit.signer_files import SignerFiles
from config.supervisor import BASE_DIR
from tables.services.archives import Archives, archive_month
from tables.services.reconstruct import NotInTheLog, reconstruct
from tests import four_games
from tests.tables.conftest import Floor

ROUNDS = [("SC-1", 1), ("SC-2", 1), ("PG-1", 1), ("LP-1", 1), ("FB-1", 1), ("SC-1", 2)]
TODAY = datetime.now(UTC)
LATER = TODAY.replace(day=1) - timedelta(days=10)  # two months that are over, one behind the other
EARLIER = LATER.replace(day=1) - timedelta(days=10)
MONTHS = [f"{moment:%Y-%m}" for moment in (EARLIER, LATER)]


class Written(NamedTuple):
    """Two months' archives, and what an outsider kept of the log."""

    paths: list[Path]
    key: str
    notes: list[str]
    told: dict[tuple[str, int], dict[str, Any]]


@pytest.fixture
def written(committed_db: Any, settings: Any, tmp_path: Path) -> Written:
    """Play in two months, a round begun in one and ended in the other, and archive both."""
    settings.SIGNER_DIR = tmp_path / "signer"
    settings.CHECKPOINT_SINKS = []
    floor = Floor(four_games.setup())
    begun, *rest = four_games.six_card()
    floor.play(begun, *four_games.pai_gow(), *four_games.lunar())
    file_all_under(committed_db, EARLIER)
    floor.play(*rest, *four_games.free_bet(), *four_games.void())
    file_all_under(committed_db, LATER)
    paths = [archive_month(month, tmp_path / "copies").path for month in MONTHS]
    told = {place: reconstruct(*place) for place in ROUNDS}
    kept = list(Checkpoint.objects.order_by("number").values_list("note", flat=True))
    return Written(paths, SignerKey.objects.get(number=1).key, kept, told)


def file_all_under(database: Any, moment: datetime) -> None:
    """Sign what is new, and let the database say that all of it was written then."""
    make_checkpoint()
    with psycopg.connect(database.owner_url, autocommit=True) as owner:
        for table, column in (
            ("audit_auditevent", "recorded_at"),
            ("audit_checkpoint", "made_at"),
        ):
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            newer = datetime.now(UTC) - timedelta(hours=1)
            owner.execute(f"UPDATE {table} SET {column} = %s WHERE {column} > %s", [moment, newer])
            owner.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER append_only_rows")


def rewrite(path: Path, changes: dict[str, Callable[[bytes], bytes]]) -> Path:
    """Write the archive again with some members changed; return the other file."""
    other = path.with_name(f"forged-{path.name}")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            body = old.read(name)
            new.writestr(name, changes.get(name, lambda same: same)(body))
    return other


def forge(path: Path, member: str, change: Callable[[bytes], bytes], key: Any = None) -> Path:
    """Change a chain's events and everything that follows from them; sign with ``key``, if any."""
    archive = Archive(path)
    body = change(archive.zip.read(member))
    manifest = archive.manifest
    [part] = [one for one in manifest["chains"] if one["member"] == member]
    digest, lines = bytes.fromhex(part["before"]), body.splitlines()
    for sequence, line in enumerate(lines, part["first"]):
        digest = link_hash(part["name"], sequence, digest, line)
    part |= {"head": digest.hex(), "last": part["first"] + len(lines) - 1}
    manifest["members"][member] = sha256(body).hexdigest()
    told = canonical(manifest)
    changes = {member: lambda _: body, MANIFEST: lambda _: told}
    if key is not None:
        text = signed_text(manifest["origin"], archive.month, told)
        changes[NOTE] = lambda _: notes.sign(text, manifest["origin"], key).encode()
    return rewrite(path, changes)


def member_of(path: Path, chain: str) -> str:
    return next(part.member for part in Archive(path).parts if part.name == chain)


def kinds(*paths: Path, **told: Any) -> set[str]:
    return {fault.kind for fault in verify_archives(paths, **told).faults}


def test_two_months_are_archived_verified_and_told(written: Written, tmp_path: Path) -> None:
    found = verify_archives(written.paths, first_key=written.key, kept=written.notes)
    assert found.faults == []
    assert (found.months, found.checkpoints) == (MONTHS, 4)
    archived = AuditEvent.objects.filter(recorded_at__lt=TODAY - timedelta(days=2)).count()
    assert found.events == archived > 10
    assert kinds(written.paths[1]) == set(), "each stands alone"
    told = AuditEvent.objects.filter(action="audit.archive_made").count()
    assert told == 2
    tells_every_round_as_the_database_does(written)
    is_read_by_the_commands_without_any_database(written)
    refuses_what_is_no_month_and_replaces_nothing(written, tmp_path)


def tells_every_round_as_the_database_does(written: Written) -> None:
    archives = Archives(written.paths)
    for place, told in written.told.items():
        assert archives.reconstruct(*place) == told, place
    six = written.told["SC-1", 1]["steps"]
    assert "elsewhere" in {step["step"] for step in six}, "in between, across two months"
    with pytest.raises(NotInTheLog):
        archives.reconstruct("SC-1", 99)
    with pytest.raises(NotInTheLog):
        Archives(written.paths[:1]).reconstruct("FB-1", 1)


def is_read_by_the_commands_without_any_database(written: Written) -> None:
    nowhere = {
        **os.environ,
        "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
        "REDIS_URL": "redis://127.0.0.1:1/0",
    }

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(
            command, cwd=BASE_DIR, env=nowhere, capture_output=True, text=True, check=False
        )

    files = [word for path in written.paths for word in ("--archive", str(path))]
    told = run("reconstruct", "SC-1", "1", "--json", *files)
    assert json.loads(told.stdout) == written.told["SC-1", 1]
    verified = run("verify_audit", "--key", written.key, *files)
    assert (verified.returncode, verified.stdout.splitlines()[-1]) == (0, "Verified.")
    forged = rewrite(
        written.paths[0], {"submissions.ndjson": lambda body: body.replace(b"t-1", b"t-9")}
    )
    refused = run("verify_audit", "--archive", str(forged))
    assert refused.returncode == 1
    assert "submissions.ndjson is not what was archived" in refused.stdout


def test_what_was_done_to_an_archive_is_named(written: Written) -> None:
    path = written.paths[0]
    member = member_of(path, "lane:P-1")
    changed = lambda body: body.replace(b"D117", b"D118", 1)  # noqa: E731

    assert kinds(rewrite(path, {member: changed})) == {"member", "changed", "checkpoint"}
    # An insider who makes everything agree, without the key, and with it:
    assert "signature" in kinds(forge(path, member, changed))
    own = SignerFiles().private_keys()[0]
    assert kinds(forge(path, member, changed, own)) == {"changed", "checkpoint"}
    cut = lambda body: b"".join(body.splitlines(keepends=True)[:-1])  # noqa: E731
    shortened = forge(path, member_of(path, "lane:P-2"), cut, own)
    assert kinds(shortened, written.paths[1]) == {"seam"}
    # Another's key, told to be the log's:
    stranger = Ed25519PrivateKey.generate()
    origin = Archive(path).manifest["origin"]
    theirs = canonical(
        {"number": 1, "key": str(notes.public_of(origin, stranger)), "endorsement": ""}
    )
    forged = forge(path, member, changed, stranger)
    forged = rewrite(forged, {"keys.ndjson": lambda _: theirs + b"\n"})
    assert {"key", "checkpoint"} <= kinds(forged, first_key=written.key)
    assert {"note", "checkpoint"} <= kinds(forged, kept=written.notes)
    assert kinds(written.paths[1], kept=["nonsense\n\n— x AAAAAAAA\n"]) == {"note"}
    is_missed_by_a_verifier_that_does_not_look(written)


def is_missed_by_a_verifier_that_does_not_look(written: Written) -> None:
    """Each check has an attack that only it finds."""
    path = written.paths[0]
    member = member_of(path, "lane:P-1")
    changed = lambda body: body.replace(b"D117", b"D118", 1)  # noqa: E731

    class NoSignature(Checking):
        def _signature(self, keys: list[notes.Key]) -> None:
            pass

        def _checkpoints(self, keys: list[notes.Key], kept: list[str]) -> None:
            pass

    assert NoSignature(Archive(forge(path, member, changed)), "").check([]) == []

    class NoCheckpoints(Checking):
        def _checkpoints(self, keys: list[notes.Key], kept: list[str]) -> None:
            pass

    own = SignerFiles().private_keys()[0]
    assert NoCheckpoints(Archive(forge(path, member, changed, own)), "").check([]) == []


def refuses_what_is_no_month_and_replaces_nothing(written: Written, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="there already"):
        archive_month(MONTHS[0], written.paths[0].parent)
    with pytest.raises(ArchiveError, match="not over yet"):
        archive_month(f"{datetime.now(UTC):%Y-%m}", tmp_path)
    with pytest.raises(CommandError, match="Write a month as 2026-03"):
        call_command("archive", "March", "--to", str(tmp_path))
    with pytest.raises(ArchiveError, match="no archive"):
        verify_archives([Path(__file__)])
    out = StringIO()
    this = f"{datetime.now(UTC):%Y-%m}"
    call_command("archive", this, "--to", str(tmp_path), "--so-far", stdout=out)
    assert "so-far.zip" in out.getvalue()
    [so_far] = tmp_path.glob("*-so-far.zip")
    assert kinds(so_far, kept=written.notes) == set()
    make_checkpoint()
    again = archive_month(this, tmp_path / "again", so_far=True).path
    cut = lambda body: b"".join(body.splitlines(keepends=True)[:-1])  # noqa: E731
    own = SignerFiles().private_keys()[0]
    assert "missing" in kinds(forge(again, member_of(again, "system"), cut, own))
    assert [path.name for path in tmp_path.glob(".*.new")] == []
