"""Seal what must not lie readable in the database: code devices' secrets, payees' names.

The keys come from ``SEALING_KEYS``: the first seals, each of them opens, so that a key can be
followed by another without anything being lost.
"""

import base64
from functools import cache

from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


def seal(text: str) -> str:
    """Return ``text`` sealed: encrypted and signed, as plain letters."""
    return box(tuple(settings.SEALING_KEYS)).encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """Return what was sealed. Raises ``InvalidToken`` where it was altered or no key opens it."""
    return box(tuple(settings.SEALING_KEYS)).decrypt(sealed.encode()).decode()


@cache
def box(secrets: tuple[str, ...]) -> MultiFernet:
    """Return the box that these secrets lock and open."""
    return MultiFernet([Fernet(key_of(secret)) for secret in secrets])


def key_of(secret: str) -> bytes:
    """Stretch a secret of any length to a key that is good for nothing else."""
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"progressives sealing 1")
    return base64.urlsafe_b64encode(derived.derive(secret.encode()))
