"""Everything verified: a whole day settled again from its log, and what was changed beside it."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from audit import crew, verify
from audit.chain import link_hash
from audit.checkpoints import make_checkpoint
from progressives.models import Lane
from tables.models import GamingTable
from tables.services import verify_all as module
from tables.services.accept import accept_events
from tables.services.apply import apply_lane
from tables.services.keys import make_key
from tables.services.verify_all import Everything, verify_all
from tests import days
from tests.databases import Databases, connected_to


@pytest.fixture(scope="module")
def day(
    databases: Databases, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[psycopg.Connection[Any]]:
    """Play a day of the floor, sign it, and hand the database's owner over."""
    clone, folder = databases.clone(), tmp_path_factory.mktemp("day")
    with ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        stack.enter_context(connected_to(clone.name))
        stack.enter_context(override_settings(SIGNER_DIR=folder / "signer", DATA_DIR=folder))
        call_command("load_setup", days.SETUP, stdout=StringIO())
        key, _ = make_key(name="test", kind="gateway", tables=GamingTable.objects.all())
        accept_events(days.read_lines(days.EVENTS), key=key)
        while any(apply_lane(lane_id=lane.pk) for lane in Lane.objects.all()):
            pass
        make_checkpoint()
        with psycopg.connect(clone.owner_url, autocommit=True) as owner:
            for (table,) in owner.execute(
                "SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal"
            ).fetchall():
                owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            for table, key in owner.execute(
                "SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE contype = 'f'"
            ).fetchall():
                owner.execute(f"ALTER TABLE {table} DROP CONSTRAINT {key}")
            yield owner
    databases.drop(clone.name)


@pytest.fixture
def forge(day: psycopg.Connection[Any]) -> Iterator[Callable[[str, str, str], None]]:
    """Change a table as somebody with all rights, and bring it back afterwards."""
    changed: list[str] = []

    def change(table: str, statement: str, *others: str) -> None:
        for name in (table, *others):
            day.execute(f"CREATE TABLE kept_{name} AS TABLE {name}")
            changed.append(name)
        day.execute(statement)

    yield change
    for name in changed:
        day.execute(f"DELETE FROM {name}")
        columns = ", ".join(
            f'"{row[0]}"'
            for row in day.execute(
                "SELECT column_name FROM information_schema.columns WHERE table_name = %s"
                " AND is_generated = 'NEVER'",
                [name],
            )
        )
        day.execute(f"INSERT INTO {name} ({columns}) SELECT {columns} FROM kept_{name}")
        day.execute(f"DROP TABLE kept_{name}")


def kinds(found: Everything) -> set[str]:
    return {fault.kind for fault in found.faults}


def test_a_whole_day_is_settled_again_and_nothing_differs(
    day: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = verify_all()
    assert found.faults == []
    rounds = day.execute("SELECT count(*) FROM tables_round").fetchone()
    assert rounds is not None
    assert found.rounds == rounds[0] > 10
    monkeypatch.setattr(verify, "STEP", 7)  # in many pieces: the same
    assert verify_all() == found
    assert len(module.pieces_of(verify.Plan.make())) > 10


@pytest.mark.parametrize(
    ("table", "statement", "expected"),
    [
        (
            "progressives_meter",
            "UPDATE progressives_meter SET value = value + 1 WHERE id ="
            " (SELECT min(id) FROM progressives_meter)",
            {"meter_changed", "meter_differs"},
        ),
        (
            "tables_round",
            "UPDATE tables_round SET dealer = 'X' WHERE id = (SELECT id FROM tables_round LIMIT 1)",
            {"row_differs"},
        ),
        (
            "tables_roundposition",
            "DELETE FROM tables_roundposition WHERE position = 3",
            {"row_missing"},
        ),
        (
            "tables_roundposition",
            "UPDATE tables_roundposition SET cards = 'AS AH AD AC JK 4D 2C' WHERE ctid ="
            " (SELECT min(ctid) FROM tables_roundposition WHERE cards <> '')",
            {"row_differs"},
        ),
        (
            "tables_tableevent",
            "UPDATE tables_tableevent SET body = body || ' ' WHERE id ="
            " (SELECT event_id FROM tables_appliedevent WHERE state = 'applied' LIMIT 1)",
            {"row_differs"},
        ),
        (
            "tables_appliedevent",
            "UPDATE tables_appliedevent SET late = NOT late WHERE state = 'applied'",
            {"row_differs"},
        ),
        (
            "progressives_jackpotclaim",
            "UPDATE progressives_jackpotclaim SET player = 'friend' WHERE id ="
            " (SELECT min(id) FROM progressives_jackpotclaim)",
            {"row_differs"},
        ),
        (
            "progressives_envypayout",
            "UPDATE progressives_envypayout SET hand = 'flush' WHERE id ="
            " (SELECT min(id) FROM progressives_envypayout)",
            {"row_differs"},
        ),
    ],
)
def test_a_changed_row_beside_the_log_is_named(
    forge: Callable[..., None], table: str, statement: str, expected: set[str]
) -> None:
    forge(table, statement)
    assert kinds(verify_all()) == expected
    assert verify_all(log_only=True).ok  # the mutant: a walk of the log alone


def test_a_round_that_was_settled_wrongly_is_named(
    forge: Callable[..., None], day: psycopg.Connection[Any]
) -> None:
    """The insider writes the log itself anew: every link holds, the rules do not."""
    forge("audit_auditevent", "SELECT 1", "audit_chain")
    row = day.execute(
        "SELECT c.id, c.name, e.sequence FROM audit_auditevent e JOIN audit_chain c"
        " ON c.id = e.chain_id WHERE convert_from(body, 'UTF8') LIKE '%\"pays\":\"3.00\"%'"
        " ORDER BY e.chain_id, e.sequence LIMIT 1"
    ).fetchone()
    assert row is not None
    chain, name, first = row
    rows = day.execute(
        "SELECT sequence, body, previous FROM audit_auditevent WHERE chain_id = %s"
        " AND sequence >= %s ORDER BY 1",
        [chain, first],
    ).fetchall()
    head = bytes(rows[0][2])
    for number, body, _ in rows:
        text = bytes(body)
        if number == first:
            text = bytes(body).replace(b'"pays":"3.00"', b'"pays":"4.00"', 1)
        digest = link_hash(name, number, head, text)
        day.execute(
            "UPDATE audit_auditevent SET body = %s, previous = %s, hash = %s"
            " WHERE chain_id = %s AND sequence = %s",
            [text, head, digest, chain, number],
        )
        head = digest
    day.execute("UPDATE audit_chain SET head = %s WHERE id = %s", [head, chain])
    found = verify_all()
    assert ("settles_otherwise", name, first) in [
        (f.kind, f.chain, f.sequence) for f in found.faults
    ]
    assert "'4.00' in the log, '3.00' again" in str(found.faults)
    assert {f.kind for f in found.faults} >= {"rewritten"}  # the signed checkpoint saw another


def test_all_cores_say_the_same_and_an_interrupted_run_goes_on(
    day: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(verify, "STEP", 100)
    alone = verify_all()
    assert verify_all(jobs=2) == alone
    kept = crew.Kept(tmp_path / "kept.jsonl")
    seen: list[int] = []

    class Interrupted(Exception):
        pass

    def interrupt(weight: int) -> None:
        seen.append(weight)
        if len(seen) == 3:
            raise Interrupted

    with pytest.raises(Interrupted):
        verify_all(kept=kept, progress=interrupt)
    with kept.path.open("a") as file:
        file.write('[99, {"wal')  # killed in the middle of a line
    totals: list[tuple[int, int]] = []
    again = verify_all(kept=kept, resume=True, begun=lambda *told: totals.append(told))
    assert again == alone
    [(total, done)] = totals
    assert (done, total) == (sum(seen), sum(p.weight for p in module.pieces_of(verify.Plan.make())))
    assert not kept.path.exists()


def test_the_command_says_what_it_did(
    forge: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("verify_audit", "--jobs", "1")
    said = capsys.readouterr().out
    assert "rounds settled again" in said
    assert "Verified; head" in said
    forge("tables_round", "UPDATE tables_round SET dealer = 'X' WHERE number = 1")
    with pytest.raises(CommandError, match="faults were found"):
        call_command("verify_audit", "--jobs", "1", "--json")
    told = json.loads(capsys.readouterr().out)
    assert (told["verified"], told["kept_outside"]) == (False, 1)
    assert {fault["kind"] for fault in told["faults"]} == {"row_differs"}
