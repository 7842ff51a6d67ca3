"""An archive that was damaged, or made to do harm, is named as such; the verifier goes on."""

import json
import random
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from audit.archive import CHECKPOINTS, KEYS, MANIFEST, NOTE, SPEC, ArchiveError, verify_archives
from audit.chain import link_hash
from tables.services.archives import Archives

LINES = [f'{{"n":{n},"subject":"T-1/{n}"}}'.encode() for n in range(1, 400)]
EVENTS = "events/0001.ndjson"


def manifest(**changes: Any) -> dict[str, Any]:
    """Return the manifest of a chain of events that belong together."""
    digest = bytes(32)
    for sequence, line in enumerate(LINES, 1):
        digest = link_hash("lane", sequence, digest, line)
    part = {
        "name": "lane", "member": EVENTS, "first": 1, "last": len(LINES),
        "before": bytes(32).hex(), "head": digest.hex(),
    }  # fmt: skip
    members = {EVENTS: sha256(b"\n".join(LINES)).hexdigest()}
    told = {"spec": SPEC, "month": "2026-10", "origin": "house/log", "until": "2026-11-01"}
    return {**told, "chains": [part], "members": members, **changes}


def written(path: Path, told: Any, **members: bytes) -> Path:
    """Write an archive whose manifest says ``told``."""
    named = {EVENTS: b"\n".join(LINES), NOTE: b"no note", **members}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MANIFEST, told if isinstance(told, bytes) else json.dumps(told))
        for name, body in named.items():
            archive.writestr(name, body)
    return path


def kinds(path: Path) -> set[str]:
    """Return what the verifier finds; a file that is no archive is one finding."""
    try:
        return {fault.kind for fault in verify_archives([path]).faults}
    except ArchiveError:
        return {"no archive"}


def test_the_archive_that_is_damaged_below_is_whole(tmp_path: Path) -> None:
    assert kinds(written(tmp_path / "a.zip", manifest())) == {"signature"}


@pytest.mark.parametrize(
    "told",
    [
        b"", b"[]", b"5", b"null", b'"x"', b"[" * 100_000, b"\xff\xfe",
        manifest(chains=5), manifest(chains=[5]), manifest(chains=[None]), manifest(chains=[{}]),
        manifest(month=None), manifest(month=[1]), manifest(members=[EVENTS]),
        manifest(members=5), manifest(until=5), manifest(origin=None),
        {k: v for k, v in manifest().items() if k != "origin"},
        {k: v for k, v in manifest().items() if k != "members"},
    ],
)  # fmt: skip
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, told: Any) -> None:
    path = written(tmp_path / "a.zip", told)
    assert kinds(path) == {"no archive"}
    with pytest.raises(CommandError, match="archive"):
        call_command("verify_audit", archive=[path])


@pytest.mark.parametrize("body", [b"5\n", b"[" * 100_000, b"\xff\n", b"{}\n", b'{"key":5}\n'])
def test_keys_and_checkpoints_that_are_none_are_named(tmp_path: Path, body: bytes) -> None:
    path = written(tmp_path / "a.zip", manifest(), **{KEYS: body, CHECKPOINTS: body})
    assert kinds(path) >= {"key", "signature"}


def test_each_flipped_byte_of_the_events_is_found(tmp_path: Path) -> None:
    whole = written(tmp_path / "a.zip", manifest()).read_bytes()
    start = whole.index(EVENTS.encode()) + len(EVENTS)
    chance, path = random.Random(20), tmp_path / "b.zip"
    for _ in range(150):
        place = chance.randrange(start, start + 900)
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        assert kinds(path) & {"member", "unreadable", "changed", "missing", "no archive"}
    for length in range(0, len(whole), 97):
        path.write_bytes(whole[:length])
        assert kinds(path) == {"no archive"}


def test_a_file_that_is_no_archive_tells_no_round(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04")
    with pytest.raises(ArchiveError):
        verify_archives([tmp_path / "a.zip"])
    with pytest.raises(ArchiveError):
        Archives([tmp_path / "a.zip"])

    whole = bytearray(written(tmp_path / "b.zip", manifest()).read_bytes())
    place = whole.index(EVENTS.encode()) + len(EVENTS) + 400
    whole[place : place + 40] = bytes(40)
    (tmp_path / "b.zip").write_bytes(whole)
    with pytest.raises(ArchiveError, match="broken"):
        Archives([tmp_path / "b.zip"]).reconstruct("T-1", 399)
    with pytest.raises(CommandError, match="broken"):
        call_command("reconstruct", "T-1", "399", archive=[tmp_path / "b.zip"])
