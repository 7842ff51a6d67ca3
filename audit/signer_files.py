"""What the signer keeps outside the database: its keys, and the last checkpoint it signed.

A folder a database below ``SIGNER_DIR`` (default ``DATA_DIR/signer``), for its owner alone:

    keys/1.pem, 2.pem …   private keys, mode 0600; the highest number signs
    last.json             the last checkpoint, written *before* the database learns of it

``CHECKPOINT_KEYS`` (base64 seeds of 32 bytes, the signing one first) takes the place of the files.
Whoever has the database has neither; whoever restores an older one is told by ``last.json``.
"""

import base64
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from django.conf import settings
from django.db import connection


class SignerFiles:
    """The signer's folder for the database that is connected to."""

    def __init__(self) -> None:
        name = str(connection.settings_dict["NAME"])
        self.folder = Path(settings.SIGNER_DIR) / name.replace("/", "_")
        self.keys = self.folder / "keys"

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep every other signer of this folder out."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def private_keys(self) -> list[Ed25519PrivateKey]:
        """Return the private keys, the one that signs first; none where this is no signer."""
        if settings.CHECKPOINT_KEYS:
            seeds = [base64.b64decode(told, validate=True) for told in settings.CHECKPOINT_KEYS]
            return [Ed25519PrivateKey.from_private_bytes(seed) for seed in seeds]
        numbers = sorted((int(path.stem) for path in self.keys.glob("*.pem")), reverse=True)
        return [self._read(number) for number in numbers]

    def make_key(self) -> None:
        """Make the key that signs from now on; the ones before it stay."""
        self.keys.mkdir(mode=0o700, parents=True, exist_ok=True)
        number = max((int(path.stem) for path in self.keys.glob("*.pem")), default=0) + 1
        made = Ed25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
        write_whole(self.keys / f"{number}.pem", made)

    def _read(self, number: int) -> Ed25519PrivateKey:
        found = load_pem_private_key((self.keys / f"{number}.pem").read_bytes(), None)
        if not isinstance(found, Ed25519PrivateKey):
            raise TypeError(f"Key {number} of the signer is no Ed25519 key.")
        return found

    def last(self) -> dict[str, Any] | None:
        """Return the last checkpoint that was signed here."""
        path = self.folder / "last.json"
        if not path.exists():
            return None
        found: dict[str, Any] = json.loads(path.read_text())
        return found

    def remember(self, told: dict[str, Any]) -> None:
        """Keep a checkpoint as the last one, on the disk before this returns."""
        write_whole(self.folder / "last.json", json.dumps(told, sort_keys=True).encode())


def write_whole(path: Path, body: bytes, mode: int = 0o600) -> None:
    """Write a file so that there is either all of it or what was there before."""
    scratch = path.with_name(f".{path.name}.new")
    target = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(target, "wb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
    scratch.rename(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
