"""Read a file of real events, and count what only the file's order can tell. Pure."""

import json
from collections.abc import Sequence
from json import JSONDecodeError
from pathlib import Path
from typing import Any, NamedTuple


class BadFile(Exception):
    """The file is not what a replay reads."""


class Sent(NamedTuple):
    """One line of the file: the event's own bytes, and what of it could be read."""

    raw: bytes
    event_id: str | None
    table: str | None
    sequence: int | None
    type: str | None
    round: int | None


def read_events(path: Path) -> list[Sent]:
    """Read a file of events, one a line, bare or under the key ``event``."""
    found = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if line.strip():
            try:
                found.append(read_line(line.decode()))
            except ValueError as error:
                at = f" (character {error.colno})" if isinstance(error, JSONDecodeError) else ""
                raise BadFile(
                    f"Line {number} of {path} is no JSON object{at}; nothing was sent."
                ) from error
    return found


def read_line(line: str) -> Sent:
    """Read one line, keeping the event's text exactly as it stands there."""
    document = json.loads(line)
    if not isinstance(document, dict):
        raise ValueError("an object belongs on each line")
    if isinstance(document.get("event"), dict):
        line, document = value_of(line, "event"), document["event"]

    def kept(key: str, kind: type) -> Any:
        value = document.get(key)
        return value if isinstance(value, kind) and not isinstance(value, bool) else None

    texts = (kept("event_id", str), kept("table", str))
    return Sent(line.encode(), *texts, kept("sequence", int), kept("type", str), kept("round", int))


def value_of(text: str, wanted: str) -> str:
    """Return the text of a key's value in a JSON object that has been read once already."""
    decode, place = json.JSONDecoder().raw_decode, text.index("{") + 1
    while True:
        key, place = decode(text, skip_blanks(text, place))
        start = skip_blanks(text, skip_blanks(text, place) + 1)  # past the colon
        _, place = decode(text, start)
        if key == wanted:
            return text[start:place]
        place = skip_blanks(text, place) + 1  # past the comma


def skip_blanks(text: str, place: int) -> int:
    """Return the next place that is no blank."""
    while text[place] in " \t\n\r":
        place += 1
    return place


def count_retries(events: Sequence[Sent]) -> int:
    """Count the events that repeat an id sent before."""
    ids = [event.event_id for event in events if event.event_id is not None]
    return len(ids) - len(set(ids))


def count_out_of_order(events: Sequence[Sent]) -> int:
    """Count the events that come after a later one of their table; a repeat is none."""
    latest: dict[str, int] = {}
    seen: set[str] = set()
    late = 0
    for event in events:
        if event.table is None or event.sequence is None or event.event_id in seen:
            continue
        seen.add(event.event_id or "")
        late += event.sequence < latest.get(event.table, 0)
        latest[event.table] = max(latest.get(event.table, 0), event.sequence)
    return late


def in_turn_order(events: Sequence[Sent]) -> list[Sent]:
    """Return the events as the lanes take them: as sent, each table's by its sequence."""
    waiting: dict[str, dict[int, Sent]] = {}
    for event in events:
        if event.table is not None and event.sequence is not None:
            waiting.setdefault(event.table, {}).setdefault(event.sequence, event)
    expected = {table: min(found) for table, found in waiting.items()}
    here: dict[str, set[int]] = {table: set() for table in waiting}
    order: list[Sent] = []
    for event in events:
        if event.table is None or event.sequence is None:
            continue
        here[event.table].add(event.sequence)
        while expected[event.table] in here[event.table]:
            order.append(waiting[event.table][expected[event.table]])
            expected[event.table] += 1
    return order
