"""Report events through the API's front door, as any gateway does: with a key, in lists."""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from tables.models import AccessKey, GamingTable
from tables.services.keys import make_key, revoke_key

PATH = "/api/v1/events/"
TRIES = 8  # then the sender gives up: some two minutes of waiting, all in all
LONGEST_WAIT_SECONDS = 30.0
TIMEOUT_SECONDS = 60
PASSING = {429, 502, 503, 504}  # whoever answers so asks to be asked again


class NotSent(Exception):
    """A list of events could not be reported; what was answered before stays as it is."""


@contextmanager
def gateway_key(name: str, tables: Iterable[GamingTable]) -> Iterator[str]:
    """Make a gateway's key for these tables, and revoke it at the end, whatever happens."""
    key, secret = make_key(name=name, kind=AccessKey.Kind.GATEWAY, tables=tables)
    try:
        yield secret
    finally:
        revoke_key(key_id=key.pk)


class Gateway:
    """A connection that is kept open; a dropped one is made again and the same list sent again.

    Sending twice is harmless: the event ids are the same, so a repeat is answered as the first was.
    """

    def __init__(self, url: str, secret: str, tries: int = TRIES) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise NotSent(f"{url} is no address of a web server.")
        self._parts, self._secret, self._tries = parts, secret, tries
        self._connection: HTTPConnection | None = None

    def __enter__(self) -> "Gateway":
        return self

    def __exit__(self, *_: object) -> None:
        self._drop()

    def send(self, events: Sequence[bytes]) -> list[dict[str, Any]]:
        """Report a list of events; return an answer for each, in the same order."""
        body = b"[" + b",".join(events) + b"]"
        trouble = ""
        for attempt in range(self._tries):
            if attempt:
                time.sleep(min(0.25 * 2**attempt, LONGEST_WAIT_SECONDS))
            try:
                status, raw = self._post(body)
            except (OSError, HTTPException) as error:
                self._drop()
                trouble = str(error) or type(error).__name__
                continue
            if status not in PASSING:
                return results_of(status, raw, len(events))
            trouble = f"the answer was {status}"
        raise NotSent(
            f"{self._parts.netloc} could not be reached in {self._tries} tries: {trouble}."
        )

    def _post(self, body: bytes) -> tuple[int, bytes]:
        if self._connection is None:
            kind = HTTPSConnection if self._parts.scheme == "https" else HTTPConnection
            host = self._parts.hostname or ""
            self._connection = kind(host, self._parts.port, timeout=TIMEOUT_SECONDS)
        headers = {"Authorization": f"Key {self._secret}", "Content-Type": "application/json"}
        self._connection.request("POST", self._parts.path.rstrip("/") + PATH, body, headers)
        response = self._connection.getresponse()
        return response.status, response.read()

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def results_of(status: int, raw: bytes, expected: int) -> list[dict[str, Any]]:
    """Return the answers of a list; raise NotSent where the list as a whole was not taken."""
    if status != 202:
        raise NotSent(f"The list was refused with {status}: {raw[:500].decode(errors='replace')}")
    results: list[dict[str, Any]] = json.loads(raw)["results"]
    if len(results) != expected:
        raise NotSent(f"{expected} events were sent and {len(results)} answered.")
    return results
