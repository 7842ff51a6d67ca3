"""Table controllers under load: they post, they ask again, and they remember every answer.

Whoever gets no answer cannot know whether his event was taken. So he sends the same bytes with
the same id again, until he is told; what he was told is what ``assert_sound`` holds us to.
"""

import json
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

from tests.faults.floor import Event

TIMEOUT_SECONDS = 15.0
GIVE_UP_SECONDS = 90.0
PAUSE_SECONDS = 0.05
ASK_AGAIN = {429, 500, 502, 503, 504}


@dataclass
class Sent:
    """What was sent and what was answered. ``told`` keeps every answer of each event."""

    events: dict[str, Event] = field(default_factory=dict)
    told: dict[str, list[tuple[int, dict[str, Any]]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    began: dict[str, float] = field(default_factory=dict)  # when it was first sent
    latencies: list[float] = field(default_factory=list)
    unclear: int = 0  # requests without an answer
    asked_again: int = 0  # answers that ask for the same again
    statuses: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    failure: BaseException | None = None

    @property
    def acknowledged(self) -> dict[str, Event]:
        """Return the events that were called accepted, by id."""
        return {
            event_id: self.events[event_id]
            for event_id, answers in self.told.items()
            if any(answer.get("status") == "accepted" for _, answer in answers)
        }

    def assert_equal_answers(self) -> None:
        """Hold that nobody was ever told two things of one event."""
        for event_id, answers in self.told.items():
            assert all(answer == answers[0] for answer in answers), (event_id, answers)

    def count(self, status: str) -> int:
        """Return how many events were answered so."""
        return sum(answers[0][1].get("status") == status for answers in self.told.values())

    def slowest(self, share: float) -> float:
        """Return the latency that this share of the requests stayed under."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


class Client:
    """One connection; dropped and made again as often as needed."""

    def __init__(self, url: str, secret: str, sent: Sent, timeout: float = TIMEOUT_SECONDS) -> None:
        parts = urlsplit(url)
        self._where = (parts.hostname or "", parts.port)
        self._headers = {"Authorization": f"Key {secret}", "Content-Type": "application/json"}
        self._sent, self._timeout = sent, timeout
        self._connection: HTTPConnection | None = None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def once(self, path: str, body: bytes) -> tuple[int, Any] | None:
        """Post once; return status and answer, or None where nobody answered."""
        begun = time.monotonic()
        try:
            if self._connection is None:
                self._connection = HTTPConnection(*self._where, timeout=self._timeout)
            self._connection.request("POST", path, body, self._headers)
            response = self._connection.getresponse()
            raw = response.read()
        except (OSError, HTTPException):
            self.close()
            self._sent.unclear += 1
            return None
        self._sent.latencies.append(time.monotonic() - begun)
        self._sent.statuses[response.status] += 1
        try:
            return response.status, json.loads(raw)
        except ValueError:
            return response.status, {"raw": raw[:200].decode(errors="replace")}

    def until_told(self, path: str, body: bytes) -> tuple[int, Any]:
        """Post the same again and again until somebody says what became of it."""
        deadline = time.monotonic() + GIVE_UP_SECONDS
        while time.monotonic() < deadline:
            found = self.once(path, body)
            if found is not None and found[0] not in ASK_AGAIN:
                return found
            if found is not None:
                self._sent.asked_again += 1
            time.sleep(PAUSE_SECONDS)
        raise TimeoutError(f"no answer in {GIVE_UP_SECONDS} s")

    def report(self, event: Event) -> dict[str, Any]:
        """Report one event at its table's door."""
        self._begin(event)
        status, answer = self.until_told(f"/api/v1/tables/{event.table}/events/", event.raw)
        self._sent.told[event.event_id].append((status, answer))
        return dict(answer)

    def report_list(self, events: Sequence[Event]) -> None:
        """Report events as a gateway does."""
        for event in events:
            self._begin(event)
        body = b"[" + b",".join(event.raw for event in events) + b"]"
        status, answer = self.until_told("/api/v1/events/", body)
        assert status == 202, (status, answer)
        for event, told in zip(events, answer["results"], strict=True):
            self._sent.told[event.event_id].append((202, told))

    def _begin(self, event: Event) -> None:
        self._sent.events[event.event_id] = event
        self._sent.began.setdefault(event.event_id, time.monotonic())


def by_table(events: Sequence[Event]) -> list[list[Event]]:
    """Return each table's events, in their order."""
    tables: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        tables[event.table].append(event)
    return list(tables.values())


@contextmanager
def under_load(
    url: str,
    secret: str,
    events: Sequence[Event],
    *,
    list_length: int = 1,
    per_second: float | None = None,
    all_of_them: bool = True,
) -> Iterator[Sent]:
    """Let one controller a table post its events while the block breaks things.

    ``per_second`` spreads the events of all tables over time. On leaving, the rest is posted too,
    or with ``all_of_them`` off the controllers end where they are. Whatever was sent has been
    answered then, or the test fails.
    """
    sent = Sent()
    begun = time.monotonic()
    due = {
        e.event_id: begun + n / per_second if per_second else begun for n, e in enumerate(events)
    }
    stop = threading.Event()

    def control(own: list[Event]) -> None:
        client = Client(url, secret, sent)
        try:
            for start in range(0, len(own), list_length):
                part = own[start : start + list_length]
                if stop.wait(max(0.0, due[part[-1].event_id] - time.monotonic())):
                    return
                if list_length == 1:
                    client.report(part[0])
                else:
                    client.report_list(part)
        except BaseException as error:
            sent.failure = error
            stop.set()
        finally:
            client.close()

    threads = [threading.Thread(target=control, args=[own]) for own in by_table(events)]
    for thread in threads:
        thread.start()
    try:
        yield sent
        assert still_loading(sent, events) or all_of_them, "the load ended before its faults"
    except BaseException:
        stop.set()
        raise
    finally:
        if not all_of_them:
            stop.set()
        for thread in threads:
            thread.join()
    if sent.failure is not None:
        raise sent.failure
    sent.assert_equal_answers()


def still_loading(sent: Sent, events: Sequence[Event]) -> bool:
    """Tell whether some of the events still wait for their answer."""
    return sent.failure is None and len(sent.told) < len(events)
