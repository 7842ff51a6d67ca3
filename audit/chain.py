"""The hash link of the log: pure, and small enough to be written again by an outsider."""

from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

DOMAIN = b"casino-audit/1\n"
START = bytes(32)  # what the first event of a chain names as its predecessor


class Link(NamedTuple):
    """Where one event stands in its chain."""

    sequence: int
    previous: bytes
    hash: bytes


def link_hash(chain: str, sequence: int, previous: bytes, body: bytes) -> bytes:
    """Return the SHA-256 of one link.

    The domain and the lengths stand in front, so that no two different links have the
    same pre-image: domain, chain name (two-byte length), sequence (eight bytes),
    predecessor (32 bytes), body.
    """
    name = chain.encode()
    return sha256(
        b"".join(
            (
                DOMAIN,
                len(name).to_bytes(2, "big"),
                name,
                sequence.to_bytes(8, "big"),
                previous,
                body,
            )
        )
    ).digest()


def forge_links(chain: str, sequence: int, head: bytes, bodies: Iterable[bytes]) -> list[Link]:
    """Return the links that append ``bodies`` to a chain standing at ``sequence`` and ``head``."""
    name = chain.encode()
    prefix = DOMAIN + len(name).to_bytes(2, "big") + name
    links = []
    for body in bodies:
        sequence += 1
        digest = sha256(b"".join((prefix, sequence.to_bytes(8, "big"), head, body))).digest()
        links.append(Link(sequence, head, digest))
        head = digest
    return links


def log_head(chains: Iterable[tuple[str, int, bytes]]) -> str:
    """Return one hash over every chain's (name, sequence, head), sorted by name."""
    digest = sha256(DOMAIN)
    for name, sequence, head in sorted(chains):
        digest.update(f"{name}\n{sequence}\n{head.hex()}\n".encode())
    return digest.hexdigest()
