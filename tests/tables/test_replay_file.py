"""What the file's order alone tells: which events repeat, come late, and whose turn is when."""

import json
from pathlib import Path

import pytest

from tables.services.replay_file import (
    BadFile,
    Sent,
    count_out_of_order,
    count_retries,
    in_turn_order,
    read_events,
    read_line,
)


def sent(table: str, sequence: int, event_id: str | None = None) -> Sent:
    return Sent(b"{}", event_id or f"{table}{sequence}", table, sequence, "round", sequence)


def names(events: list[Sent]) -> list[str | None]:
    return [event.event_id for event in events]


def test_a_bare_event_keeps_its_text() -> None:
    line = '{"event_id": "x", "table":"A","sequence":1, "round": 2, "type":"round", "n": 1.50}'
    assert read_line(line) == Sent(line.encode(), "x", "A", 1, "round", 2)


def test_an_event_under_its_key_keeps_its_text_even_what_json_would_lose() -> None:
    event = '{"table":"A", "main": 25.10, "table":"B",\t"u":"\\u00e9{,}"}'
    before = '{"code":"duplicate_key" , "path":"t[0]", "note":"a \\"b\\", {c}",'
    line = before + ' "event" : ' + event + " }"
    assert read_line(line).raw == event.encode()


def test_what_has_the_wrong_type_is_not_read_but_sent() -> None:
    line = '{"event_id": 5, "table": null, "sequence": true, "round": "1", "type": []}'
    assert read_line(line) == Sent(line.encode(), None, None, None, None, None)


def test_blank_lines_are_nothing(tmp_path: Path) -> None:
    path = tmp_path / "day.ndjson"
    path.write_text('\n{"table": "A"}\n\n{"table": "B"}\n')
    assert [event.table for event in read_events(path)] == ["A", "B"]


@pytest.mark.parametrize("line", ["{", "[1]", "7", '{"a": 1} {"b": 2}'])
def test_a_line_that_is_no_object_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "day.ndjson"
    path.write_text(json.dumps({"table": "A"}) + "\n" + line + "\n")
    with pytest.raises(BadFile, match="Line 2 of "):
        read_events(path)


def test_repeats_are_counted_and_events_without_an_id_are_none() -> None:
    nameless = Sent(b"{}", None, "A", 1, "round", 1)
    assert count_retries([sent("A", 1), sent("A", 2), sent("A", 1), nameless, nameless]) == 1


def test_an_overtaken_event_is_out_of_order_and_a_repeat_is_not() -> None:
    events = [sent("A", 2), sent("A", 1), sent("B", 1), sent("A", 3), sent("A", 2)]
    assert count_out_of_order(events) == 1


def test_events_come_to_their_turn_as_sent_each_table_by_its_sequence() -> None:
    events = [sent("A", 2), sent("B", 1), sent("A", 1), sent("A", 3), sent("B", 2)]
    assert names(in_turn_order(events)) == ["B1", "A1", "A2", "A3", "B2"]


def test_what_stands_behind_a_gap_has_no_turn() -> None:
    events = [sent("A", 1), sent("A", 3), sent("B", 7)]
    assert names(in_turn_order(events)) == ["A1", "B7"]


def test_of_two_events_at_one_sequence_the_first_has_the_turn() -> None:
    events = [sent("A", 1), sent("A", 2), sent("A", 2, "other")]
    assert names(in_turn_order(events)) == ["A1", "A2"]
