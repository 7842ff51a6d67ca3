"""The log's own keys: made at set-up, registered, and each one named by the one before it.

    signer = ready_signer(SignerFiles())   # None on a machine that has no private key
    rotate()                               # a new key, named in a note that the old one signs

The public keys are rows and events of the log; the private ones lie outside (``signer_files``).
"""

from collections.abc import Iterable
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.db import transaction

from audit import notes
from audit.models import SignerKey, User
from audit.services import SYSTEM, log_event, record
from audit.signer_files import SignerFiles


class Signer(NamedTuple):
    """The key that signs now."""

    number: int
    key: notes.Key
    private: Ed25519PrivateKey


class KeyRefused(Exception):
    """A key cannot be taken or followed by another; the text says why."""


def ready_signer(files: SignerFiles, by: User | None = None) -> Signer | None:
    """Return the signing key, made and registered where the house has none yet.

    A private key that is new follows the registered one if that is at hand too, to sign so.
    Runs in the caller's transaction. Returns None where this machine has no key.
    """
    latest = SignerKey.objects.order_by("-number").first()
    private = files.private_keys()
    if not private:
        if latest is not None:
            return None
        files.make_key()
        private = files.private_keys()
    if latest is None:
        made = notes.public_of(origin_of(private[-1]), private[-1])
        latest = register(1, made, "", by)
    for _ in private[1:]:
        registered = notes.read_key(latest.key)
        place = place_of(registered, private)
        if place in (None, 0):
            break
        assert place is not None  # noqa: S101  # for the reader of types
        successor = notes.public_of(registered.name, private[place - 1])
        text = notes.rotation_text(registered.name, successor)
        endorsement = notes.sign(text, registered.name, private[place])
        latest = register(latest.number + 1, successor, endorsement, by)
    registered = notes.read_key(latest.key)
    if place_of(registered, private) != 0:
        raise KeyRefused(
            "The signer's key is not the one that the house has registered, and the one that "
            "could name it as its successor is not here."
        )
    return Signer(latest.number, registered, private[0])


def make_ready() -> None:
    """Make and register the house's first key where it has none: at set-up."""
    files = SignerFiles()
    with files.alone(), transaction.atomic():
        ready_signer(files)


def place_of(key: notes.Key, private: list[Ed25519PrivateKey]) -> int | None:
    """Return which of the private keys belongs to a public one."""
    publics = [one.public_key().public_bytes_raw() for one in private]
    return publics.index(key.public) if key.public in publics else None


def origin_of(first: Ed25519PrivateKey) -> str:
    """Return the log's name: the setting's, or one that no other log will have."""
    told = first.public_key().public_bytes_raw().hex()[:12]
    return settings.CHECKPOINT_ORIGIN or f"audit-log-{told}.invalid"


def register(number: int, key: notes.Key, endorsement: str, by: User | None) -> SignerKey:
    """Write a public key down, and tell the log."""
    made = SignerKey.objects.create(number=number, key=str(key), endorsement=endorsement)
    action = "audit.signer_key_made" if number == 1 else "audit.signer_key_followed"
    facts = {"endorsement": endorsement, "key": str(key), "number": number}
    record(SYSTEM, [log_event(action, f"signer/{number}", facts, by=by)])
    return made


@transaction.atomic
def rotate(by: User) -> SignerKey:
    """Make a new signing key; the old one signs that it follows."""
    if settings.CHECKPOINT_KEYS:
        raise KeyRefused(
            "The keys come from CHECKPOINT_KEYS: put a new one in front of the list there."
        )
    files = SignerFiles()
    with files.alone():
        if ready_signer(files, by) is None:
            raise KeyRefused("This machine has no signing key: rotate it where it is.")
        files.make_key()
        ready_signer(files, by)
    return SignerKey.objects.order_by("-number")[0]


def trusted(
    rows: Iterable[tuple[int, str, str]], first: notes.Key | None = None
) -> list[notes.Key]:
    """Return the keys by number, each proven by the one before it. Raises NoteError.

    ``rows`` are (number, key, endorsement) in order; ``first`` is what an outsider knows.
    """
    found: list[notes.Key] = []
    for number, told, endorsement in rows:
        key = notes.read_key(told)
        if number != len(found) + 1:
            raise notes.NoteError(f"Key {len(found) + 1} is not there.")
        if found and notes.successor_in(endorsement, found[-1]) != key:
            raise notes.NoteError(f"Key {number} is not the one that key {number - 1} names.")
        if not found and first is not None and key != first:
            raise notes.NoteError("The first key is not the one that was published.")
        found.append(key)
    return found
