"""Places outside the database that keep checkpoints: one interface, each place an address.

``CHECKPOINT_SINKS`` lists them, separated by commas:

    file:///a/folder                        a folder; best on another machine, or write-once
    s3://bucket/prefix?endpoint=https://…   any S3-compatible store (keys in AWS_ACCESS_KEY_ID and
                                            AWS_SECRET_ACCESS_KEY; region in AWS_REGION)
    mailto:someone@example.org?via=host:25  a message a checkpoint

A sink is given ``NNNNNNNN.note`` (what is signed) and ``NNNNNNNN.json`` (the same with where each
chain stood). It never changes what it has: an address that holds other bytes for the same number is
an alarm (two signers, or a rewritten log). ``hand_over`` delivers what has not arrived yet.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import parse_qs, unquote, urlsplit

import structlog
from django.conf import settings
from django.db import connection

from audit.checkpoints import alarm, remembered
from audit.mail_sink import MailSink
from audit.models import Checkpoint, CheckpointCopy
from audit.s3_sink import S3Sink
from audit.sink_errors import SinkConflict, SinkError

log = structlog.get_logger(__name__)

MOST = 500  # checkpoints handed over in one round


class Sink(Protocol):
    """A place that keeps files for good."""

    def put(self, name: str, body: bytes) -> None:
        """Keep a file. Raises SinkError; SinkConflict where another one has its name."""


class FolderSink:
    """A folder of files that nobody writes twice."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, name: str, body: bytes) -> None:
        """Write a file whole, or find that it is there already."""
        path = self.folder / name
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if path.exists():
                if path.read_bytes() != body:
                    raise SinkConflict(f"{path} holds other bytes.")
                return
            scratch = self.folder / f".{name}.{os.getpid()}"
            with scratch.open("wb") as file:
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            scratch.chmod(0o444)
            os.link(scratch, path)  # fails where somebody was first
            scratch.unlink()
        except OSError as error:
            raise SinkError(f"{path} could not be written: {error.strerror}.") from error


def sink_of(address: str) -> Sink:
    """Return the sink at an address. Raises SinkError where it is none."""
    parts = urlsplit(address)
    asked = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    if parts.scheme == "file" and parts.path.startswith("/"):
        return FolderSink(folder_of(address))
    if parts.scheme == "s3" and parts.netloc and asked.get("endpoint"):
        return S3Sink(asked["endpoint"], parts.netloc, parts.path.strip("/"), os.environ)
    if parts.scheme == "mailto" and "@" in parts.path and asked.get("via"):
        return MailSink(unquote(parts.path), asked["via"], asked.get("from", ""))
    raise SinkError(
        f"{address} is no place for checkpoints: file:, s3: or mailto:, see the manual."
    )


def folder_of(address: str) -> Path:
    """Return the folder of this database's checkpoints below a ``file:`` address."""
    name = str(connection.settings_dict["NAME"]).replace("/", "_")
    return Path(unquote(urlsplit(address).path)) / name


def files_of(row: Checkpoint) -> dict[str, bytes]:
    """Return a checkpoint's files by name."""
    told = json.dumps(remembered(row), sort_keys=True, indent=1).encode()
    return {f"{row.number:08}.note": row.note.encode(), f"{row.number:08}.json": told + b"\n"}


def hand_over() -> int:
    """Give every sink what it has not got yet, in order; returns how many checkpoints arrived.

    A sink that fails is tried again at the next round, and an alarm says so.
    """
    return sum(_hand_over_to(address) for address in settings.CHECKPOINT_SINKS)


def _hand_over_to(address: str) -> int:
    name = address.partition("?")[0][:200]
    missing = Checkpoint.objects.exclude(copies__sink=name).order_by("number")[:MOST]
    arrived = 0
    try:
        sink = sink_of(address)
        for row in missing:
            for file, body in files_of(row).items():
                sink.put(file, body)
            CheckpointCopy.objects.get_or_create(checkpoint=row, sink=name)
            arrived += 1
    except SinkConflict as conflict:
        alarm("checkpoint_rewritten", f"A checkpoint outside is another one: {conflict}", name)
    except SinkError as error:
        log.warning("sink_failed", sink=name, error=str(error))
        alarm("sink_failed", f"Checkpoints do not reach {name}: {error}", name)
    return arrived


def kept_in(folder: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the checkpoints that a folder holds, in order, as ``remembered`` tells them.

    The note is the evidence: what the JSON says beside it is checked against it by who asks.
    """
    for path in sorted(folder.glob("*.json")):
        told = json.loads(path.read_text())
        note = path.with_suffix(".note")
        yield {**told, "note": note.read_text()} if note.exists() else told
