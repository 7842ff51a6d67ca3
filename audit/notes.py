"""Signed notes: checkpoints as text that any verifier of transparency logs reads.

C2SP signed-note (text, blank line, one line a signature), tlog-checkpoint (origin, size, root) and
tlog-cosignature (a witness signs time and text). Two extension lines follow the root: ``head``, one
hash over where every chain stood (``chain.log_head``), and ``at``, when it was signed. Pure.
"""

import base64
import binascii
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

DASH = "— "
SIGNS, COSIGNS = 1, 4  # the kinds of Ed25519 keys: of a log, of a witness
ROTATION = "key rotation"


class NoteError(ValueError):
    """A note, a key or a signature cannot be read, or does not hold; the text says which."""


class Key(NamedTuple):
    """A public key with its name: ``name+id+base64(kind, key)`` as text."""

    name: str
    kind: int
    public: bytes  # 32 bytes

    @property
    def id(self) -> bytes:
        """Return the first four bytes of the hash that tells keys of one name apart."""
        told = self.name.encode() + b"\n" + bytes([self.kind]) + self.public
        return sha256(told).digest()[:4]

    def __str__(self) -> str:
        told = base64.b64encode(bytes([self.kind]) + self.public).decode()
        return f"{self.name}+{self.id.hex()}+{told}"


class Signature(NamedTuple):
    """One signature line: whose, by which key, and what was signed."""

    name: str
    key_id: bytes
    signed: bytes

    def __str__(self) -> str:
        told = base64.b64encode(self.key_id + self.signed).decode()
        return f"{DASH}{self.name} {told}"


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint's text says."""

    origin: str
    size: int
    root: bytes
    head: str  # hex, over (chain, sequence, hash) of every chain
    at: str  # UTC text with microseconds

    def text(self) -> str:
        """Return the text that is signed."""
        root = base64.b64encode(self.root).decode()
        return f"{self.origin}\n{self.size}\n{root}\nhead {self.head}\nat {self.at}\n"


def read_key(text: str) -> Key:
    """Read a public key as it is published. Raises NoteError."""
    name, _, rest = text.strip().partition("+")
    told_id, _, told = rest.partition("+")
    body = decoded(told)
    if not name or any(c.isspace() for c in name) or len(body) != 33:
        raise NoteError("A key is written as name+id+key, without blanks.")
    key = Key(name, body[0], body[1:])
    if key.kind not in (SIGNS, COSIGNS) or key.id.hex() != told_id:
        raise NoteError("The key's id does not belong to this name and key.")
    return key


def public_of(name: str, private: Ed25519PrivateKey, kind: int = SIGNS) -> Key:
    """Return the public half of a key under its name."""
    return Key(name, kind, private.public_key().public_bytes_raw())


def decoded(text: str) -> bytes:
    """Return what a base64 text says. Raises NoteError."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise NoteError("This is not base64.") from error


def sign(text: str, name: str, private: Ed25519PrivateKey) -> str:
    """Return a note: the text and one signature."""
    key = public_of(name, private)
    return f"{text}\n{Signature(name, key.id, private.sign(text.encode()))}\n"


def cosign(text: str, name: str, private: Ed25519PrivateKey, time: int) -> str:
    """Return a witness's line for a note's text, as of ``time`` (Unix seconds)."""
    key = public_of(name, private, COSIGNS)
    signed = time.to_bytes(8, "big") + private.sign(cosigned(text, time))
    return str(Signature(name, key.id, signed))


def cosigned(text: str, time: int) -> bytes:
    """Return what a witness signs."""
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def split(note: str) -> tuple[str, list[Signature]]:
    """Return a note's text, with its last line end, and its signatures. Raises NoteError."""
    text, blank, lines = note.rpartition("\n\n")
    if not blank or not lines.endswith("\n"):
        raise NoteError("The note has no signatures.")
    return text + "\n", [read_signature(line) for line in lines[:-1].split("\n")]


def read_signature(line: str) -> Signature:
    """Read one signature line. Raises NoteError."""
    name, _, told = line.removeprefix(DASH).partition(" ")
    body = decoded(told)
    if not line.startswith(DASH) or not name or len(body) <= 4:
        raise NoteError("A signature line is a dash, a name and the signature in base64.")
    return Signature(name, body[:4], body[4:])


def must_be_signed(note: str, key: Key) -> str:
    """Return the note's text if this key signed it. Raises NoteError."""
    text, signatures = split(note)
    for signature in signatures:
        if (signature.name, signature.key_id) == (key.name, key.id):
            must_hold(key, signature.signed, text.encode())
            return text
    raise NoteError(f"The key {key.name} ({key.id.hex()}) did not sign this.")


def must_be_cosigned(text: str, line: str, key: Key) -> int:
    """Return when a witness signed a note's text (Unix seconds). Raises NoteError."""
    signature = read_signature(line)
    if (signature.name, signature.key_id) != (key.name, key.id) or len(signature.signed) != 72:
        raise NoteError(f"This is no cosignature of {key.name}.")
    time = int.from_bytes(signature.signed[:8], "big")
    must_hold(key, signature.signed[8:], cosigned(text, time))
    return time


def must_hold(key: Key, signature: bytes, told: bytes) -> None:
    """Raise NoteError unless the signature is the key's over these bytes."""
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(signature, told)
    except (InvalidSignature, ValueError) as error:
        raise NoteError(f"The signature of {key.name} does not hold.") from error


def read_checkpoint(text: str) -> Checkpoint:
    """Read a checkpoint's text. Raises NoteError."""
    lines = text.split("\n")
    if len(lines) != 6 or lines[5] or not lines[1].isdecimal() or lines[1] != str(int(lines[1])):
        raise NoteError("A checkpoint has an origin, a size, a root, a head and a time.")
    head, at = lines[3].removeprefix("head "), lines[4].removeprefix("at ")
    found = Checkpoint(lines[0], int(lines[1]), decoded(lines[2]), head, at)
    if found.text() != text or len(found.root) != 32:
        raise NoteError("A checkpoint's lines are: origin, size, root, head, time.")
    return found


def rotation_text(origin: str, successor: Key) -> str:
    """Return what an old key signs to name the one that follows it."""
    return f"{origin}\n{ROTATION}\n{successor}\n"


def successor_in(note: str, key: Key) -> Key:
    """Return the key that a rotation, signed by ``key``, names. Raises NoteError."""
    lines = must_be_signed(note, key).split("\n")
    if len(lines) != 4 or lines[1] != ROTATION or lines[0] != key.name:
        raise NoteError("This is no key rotation.")
    return read_key(lines[2])
