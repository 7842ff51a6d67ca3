"""What must hold after every fault, asked of the database by plain SQL and of the log by hand."""

import time
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Any

import psycopg

from tests.databases import CommittedDatabase
from tests.faults.load import Sent
from tests.faults.refold import Told, fold, link

LATEST_SECONDS = 15.0  # after a fault ends, nothing waits longer

WAITING_SQL = """
SELECT count(*) FROM tables_tableevent e JOIN tables_gamingtable t ON t.id = e.table_id
LEFT JOIN tables_appliedevent a ON a.event_id = e.id
WHERE a.event_id IS NULL AND NOT t.code = ANY(%s)
"""
INTAKE_SQL = """
SELECT e.event_id::text, t.code, e.sequence, e.type, sha256(e.body), a.lane_id, a.number
FROM tables_tableevent e JOIN tables_gamingtable t ON t.id = e.table_id
LEFT JOIN tables_appliedevent a ON a.event_id = e.id
"""
METERS_SQL = """
SELECT p.code, m.id, m.value, m.sequence FROM progressives_meter m
JOIN progressives_progressive p ON p.id = m.progressive_id
"""


@dataclass
class Found:
    """What the check saw, for figures and for further questions."""

    events: int
    applied: int
    awards: int
    claims: int
    waited_seconds: float
    told: Told


def assert_sound(
    database: CommittedDatabase,
    sent: Sent,
    *,
    held: Collection[str] = (),
    seconds: float = LATEST_SECONDS,
) -> Found:
    """Hold the database to every answer that was given, and to its own arithmetic.

    ``held``: tables that rightly wait behind a gap. Raises AssertionError at the first breach.
    """
    with psycopg.connect(database.owner_url, autocommit=True) as connection:
        check_acknowledged(connection, sent)  # I1
        waited = wait_until_applied(connection, held, seconds)  # I6
        check_acknowledged(connection, sent)
        applied = check_order(connection, held)  # I2
        entries = check_ledger(connection)  # I3
        told = check_log(connection)  # I5
        check_retold(connection, told, entries)  # I4
        check_claims(connection, told)
        assert sum(told.states.values()) == applied
        assert max(told.events.values(), default=1) == 1, "the log tells an event twice"
        assert max(told.rounds.values(), default=1) == 1, "the log tells a round twice"
        awards = sum(kind == "award" for rows in entries.values() for kind, _, _ in rows)
        return Found(len(sent.acknowledged), applied, awards, len(told.claims), waited, told)


def wait_until_applied(connection: Any, held: Collection[str], seconds: float) -> float:
    """I6: nothing waits longer than it may."""
    begun = time.monotonic()
    while waiting := count(connection, WAITING_SQL, [list(held)]):
        assert time.monotonic() - begun < seconds, f"{waiting} events still wait"
        time.sleep(0.05)
    return time.monotonic() - begun


def check_acknowledged(connection: Any, sent: Sent) -> None:
    """I1: what was acknowledged is in the intake, once, as it was sent; and nothing else is."""
    rows = connection.execute(INTAKE_SQL).fetchall()
    stored = {row[0]: row for row in rows}
    assert len(stored) == len(rows), "an event id stands twice in the intake"
    for event_id, event in sent.acknowledged.items():
        assert event_id in stored, f"{event.table}/{event.sequence} was acknowledged and is lost"
        _, table, sequence, _, digest, *_ = stored[event_id]
        assert (table, sequence) == (event.table, event.sequence)
        assert bytes(digest) == sha256(event.raw).digest(), "stored otherwise than sent"
    skipped = {row[0] for row in rows if row[3] == "sequence_skipped"}
    strangers = stored.keys() - skipped - sent.acknowledged.keys()
    assert not strangers, f"{len(strangers)} events were taken that nobody was told of"
    places = [(row[1], row[2]) for row in rows]
    assert len(set(places)) == len(places), "two events stand at one sequence of a table"


def check_order(connection: Any, held: Collection[str]) -> int:
    """I2: each event was applied once, lanes count without a gap, tables in their sequence."""
    lanes: dict[int, list[int]] = defaultdict(list)
    tables: dict[str, list[tuple[int, int]]] = defaultdict(list)
    rows = connection.execute(INTAKE_SQL).fetchall()
    for _, table, sequence, _, _, lane, number in rows:
        if number is None:
            assert table in held, f"{table}/{sequence} was not applied"
            continue
        lanes[lane].append(number)
        tables[table].append((sequence, number))
    last = dict(connection.execute("SELECT id, number FROM progressives_lane").fetchall())
    for lane, numbers in lanes.items():
        assert sorted(numbers) == list(range(1, last[lane] + 1)), f"lane {lane} has gaps or repeats"
    for table, applied in tables.items():
        applied.sort()
        sequences = [sequence for sequence, _ in applied]
        assert sequences == list(range(1, len(applied) + 1)), f"{table} went on past a gap"
        numbers = [number for _, number in applied]
        assert numbers == sorted(numbers), f"{table} was not applied in its order"
    fates = count(connection, "SELECT count(*) FROM tables_appliedevent")
    assert fates == sum(map(len, lanes.values())), "something was applied that was never taken"
    return fates


def check_ledger(connection: Any) -> dict[str, list[tuple[str, Decimal, Decimal]]]:
    """I3: each meter is the sum of its entries, and each entry begins where the last one ended."""
    found = {}
    for code, meter, value, sequence in connection.execute(METERS_SQL).fetchall():
        rows = connection.execute(
            "SELECT sequence, kind, amount, before, after FROM progressives_meterentry"
            " WHERE meter_id = %s ORDER BY sequence",
            [meter],
        ).fetchall()
        standing = Decimal(0)
        for place, (number, _, amount, before, after) in enumerate(rows, start=1):
            assert number == place, f"entry {place} of {code} is missing or stands twice"
            assert before == standing, f"entry {place} of {code} does not follow"
            assert before + amount == after, f"entry {place} of {code} does not add up"
            standing = after
        assert (value, sequence) == (standing, len(rows)), f"{code} is not what its entries say"
        found[code] = [(kind, amount, after) for _, kind, amount, _, after in rows]
    return found


def check_log(connection: Any) -> Told:
    """I5: every chain holds together, link by link, up to its head; then tell it again."""
    chains: dict[str, list[bytes]] = {}
    heads = connection.execute("SELECT id, name, sequence, head FROM audit_chain").fetchall()
    for chain, name, last, head in heads:
        rows = connection.execute(
            "SELECT sequence, body, previous, hash FROM audit_auditevent"
            " WHERE chain_id = %s ORDER BY sequence",
            [chain],
        ).fetchall()
        standing = bytes(32)
        for place, (sequence, body, previous, digest) in enumerate(rows, start=1):
            assert (sequence, bytes(previous)) == (place, standing), f"{name} breaks at {place}"
            standing = link(name, sequence, standing, bytes(body))
            assert bytes(digest) == standing, f"event {place} of {name} is not what was written"
        assert (last, bytes(head)) == (len(rows), standing), f"{name} does not end in its head"
        chains[name] = [bytes(row[1]) for row in rows]
    return fold(chains)


def check_retold(
    connection: Any, told: Told, entries: dict[str, list[tuple[str, Decimal, Decimal]]]
) -> None:
    """I4: the log alone gives every movement of every meter, to the last fraction, in its order."""
    for code, progressive in told.progressives.items():
        assert progressive.movements == entries[code], f"{code} is not what the log comes to"
    for lane, numbers in told.numbers.items():
        assert numbers == list(range(1, len(numbers) + 1)), f"the log of {lane} is out of order"
    over = count(connection, "SELECT count(*) FROM tables_round")
    assert over == len(told.rounds), "rounds and log differ"


def check_claims(connection: Any, told: Told) -> None:
    """Each progressive win of the log has its claim, once, with its hand and its amount."""
    rows = connection.execute(
        "SELECT c.table, c.round, c.position, c.hand, c.amount FROM progressives_jackpotclaim c"
    ).fetchall()
    claims = {(table, number, place): (hand, amount) for table, number, place, hand, amount in rows}
    assert len(claims) == len(rows), "a win has two claims"
    assert claims == told.claims, "claims are not the wins of the log"
    assert dict(told.claimed) == dict.fromkeys(told.claims, 1), "the log tells other claims"


def count(connection: Any, statement: str, values: list[Any] | None = None) -> int:
    """Return the one number that a statement asks for."""
    return int(connection.execute(statement, values or []).fetchone()[0])
