"""What somebody with every right in the database does to the log, and what it is called.

Each attack is done with the owner's SQL and the triggers off. Beside each stands a verifier that
lacks one check (a mutant): it must miss the attack, else the test proves nothing of that check.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.test import override_settings

from audit import anchors, sinks, walking
from audit.anchors import kept_outside
from audit.chain import START, link_hash
from audit.checkpoints import make_checkpoint
from audit.services import record_one
from audit.signer_files import SignerFiles
from audit.verify import verify_chains, verify_log
from tests.databases import Databases, connected_to

TABLES = ("audit_auditevent", "audit_chain", "audit_checkpoint", "audit_signerkey")
A = "chain_id = (SELECT id FROM audit_chain WHERE name = 'lane:A')"
NAME = "lane:A"


class Insider:
    """A hand that the database refuses nothing, and a way back to what was there."""

    def __init__(self, url: str) -> None:
        self.owner = psycopg.connect(url, autocommit=True)
        for table in TABLES:
            self.do(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for table, key in self.do(
            "SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE contype = 'f'"
            " AND confrelid::regclass::text = ANY(%s)",
            [*TABLES],
        ):
            self.do(f"ALTER TABLE {table} DROP CONSTRAINT {key}")

    def do(self, statement: str, *values: Any) -> list[Any]:
        cursor = self.owner.execute(statement, values or None)
        return cursor.fetchall() if cursor.description else []

    def back_up(self, name: str) -> None:
        for table in TABLES:
            self.do(f"CREATE TABLE {name}_{table} AS TABLE {table}")

    def restore(self, name: str) -> None:
        for table in TABLES:
            self.do(f"DELETE FROM {table}")
            self.do(f"INSERT INTO {table} SELECT * FROM {name}_{table}")

    def relink(self, first: int, change: Callable[[int, bytes], bytes] = lambda _, b: b) -> None:
        """Write a chain's links anew from an event on, and move its head there."""
        rows = self.do(f"SELECT sequence, body FROM audit_auditevent WHERE {A} ORDER BY 1")
        [*before] = self.do(
            f"SELECT hash FROM audit_auditevent WHERE {A} AND sequence = %s", first - 1
        )
        head = bytes(before[0][0]) if before else START
        self.do(
            f"UPDATE audit_auditevent SET previous = decode(md5(sequence::text), 'hex') WHERE {A}"
            " AND sequence >= %s",
            first,
        )
        for number, body in rows:
            if number < first:
                continue
            text = change(number, bytes(body))
            digest = link_hash(NAME, number, head, text)
            self.do(
                f"UPDATE audit_auditevent SET body = %s, previous = %s, hash = %s WHERE {A}"
                " AND sequence = %s",
                text,
                head,
                digest,
                number,
            )
            head = digest
        self.do(
            "UPDATE audit_chain SET sequence = %s, head = %s WHERE name = 'lane:A'",
            rows[-1][0],
            head,
        )


@pytest.fixture(scope="module")
def place(
    databases: Databases, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Insider]:
    """Write a log with three checkpoints, the last two seen outside; hand it to an insider."""
    clone, folder = databases.clone(), tmp_path_factory.mktemp("signer")
    with ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        stack.enter_context(connected_to(clone.name))
        stack.enter_context(
            override_settings(
                SIGNER_DIR=folder / "signer", CHECKPOINT_SINKS=[f"file://{folder / 'kept'}"]
            )
        )
        insider = Insider(clone.owner_url)
        write(5)
        make_checkpoint()
        insider.back_up("older")
        write(4)
        make_checkpoint()
        write(3)
        make_checkpoint()
        sinks.hand_over()
        write(2)
        insider.back_up("whole")
        yield insider
        insider.owner.close()
    databases.drop(clone.name)


@pytest.fixture
def insider(place: Insider) -> Iterator[Insider]:
    assert verify_log(outside=kept_outside()).ok
    yield place
    place.restore("whole")


def write(number: int) -> None:
    for n in range(number):
        record_one("test.written", f"place/{n}", {"n": n}, chain=NAME)
        record_one("test.written", f"place/{n}", {"n": n}, chain="lane:B")


def found(*, outside: bool = True) -> list[tuple[str, int, str]]:
    result = verify_log(outside=kept_outside() if outside else ())
    return [fault[:3] for fault in result.faults]


def nothing(*_: Any, **__: Any) -> None:
    return None


def test_a_changed_row(insider: Insider, monkeypatch: pytest.MonkeyPatch) -> None:
    insider.do(f"UPDATE audit_auditevent SET body = body || ' ' WHERE {A} AND sequence = 7")
    assert found() == [(NAME, 7, "changed")]
    monkeypatch.setattr(walking.Stretch, "_trace", nothing)
    assert found() == []


def test_a_deleted_row(insider: Insider, monkeypatch: pytest.MonkeyPatch) -> None:
    insider.do(f"DELETE FROM audit_auditevent WHERE {A} AND sequence = 7")
    assert found() == [(NAME, 7, "missing")]
    monkeypatch.setattr(walking.Stretch, "_place", nothing)
    monkeypatch.setattr(anchors, "check_tree", nothing)
    assert found() == []


def test_a_deleted_row_and_the_gap_closed(insider: Insider) -> None:
    insider.do(f"DELETE FROM audit_auditevent WHERE {A} AND sequence = 7")
    insider.do(f"UPDATE audit_auditevent SET sequence = sequence + 1000 WHERE {A} AND sequence > 7")
    insider.do(f"UPDATE audit_auditevent SET sequence = sequence - 1001 WHERE {A} AND sequence > 7")
    insider.do("UPDATE audit_chain SET sequence = sequence - 1 WHERE name = 'lane:A'")
    assert found() == [(NAME, 7, "missing")]


@pytest.mark.parametrize(("one", "other"), [(6, 7), (2, 12)])
def test_swapped_rows(
    insider: Insider, one: int, other: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for statement in (
        f"UPDATE audit_auditevent SET sequence = 9999 WHERE {A} AND sequence = {one}",
        f"UPDATE audit_auditevent SET sequence = {one} WHERE {A} AND sequence = {other}",
        f"UPDATE audit_auditevent SET sequence = {other} WHERE {A} AND sequence = 9999",
    ):
        insider.do(statement)
    assert found() == [(NAME, one, "swapped")]
    monkeypatch.setattr(walking, "deeds_of", lambda *_: iter(()))
    assert (NAME, one, "swapped") not in found()


def test_a_tail_cut_off(insider: Insider, monkeypatch: pytest.MonkeyPatch) -> None:
    insider.do(f"DELETE FROM audit_auditevent WHERE {A} AND sequence > 10")
    assert found() == [(NAME, 11, "tail_cut")]
    head = insider.do(f"SELECT hash FROM audit_auditevent WHERE {A} AND sequence = 10")[0][0]
    insider.do("UPDATE audit_chain SET sequence = 10, head = %s WHERE name = 'lane:A'", head)
    assert found() == [(NAME, 11, "tail_cut")]
    assert found(outside=False) == [(NAME, 11, "tail_cut")]
    monkeypatch.setattr(anchors, "check_chains", nothing)
    monkeypatch.setattr(anchors, "check_tree", nothing)
    assert found() == []


def test_a_tail_cut_off_with_new_rows_behind_it(insider: Insider) -> None:
    insider.do(f"DELETE FROM audit_auditevent WHERE {A} AND sequence > 10")
    head = insider.do(f"SELECT hash FROM audit_auditevent WHERE {A} AND sequence = 10")[0][0]
    insider.do("UPDATE audit_chain SET sequence = 10, head = %s WHERE name = 'lane:A'", head)
    write(6)
    assert verify_chains().ok  # the mutant: a walk that knows no checkpoint
    assert found() == [(NAME, 10, "tail_replaced")]
    assert found(outside=False) == [(NAME, 10, "tail_replaced")]


def other(number: int, body: bytes) -> bytes:
    return body.replace(b'"n":1', b'"n":8')


def test_a_chain_rewritten_whole(insider: Insider) -> None:
    insider.relink(1, other)
    assert verify_chains().ok
    assert found() == [(NAME, 1, "rewritten")]


def test_a_chain_rewritten_from_the_middle(insider: Insider) -> None:
    insider.relink(6, other)
    assert verify_chains().ok
    assert found() == [(NAME, 6, "tail_replaced")]


def rewritten_checkpoints(insider: Insider) -> None:
    """Bring the stored checkpoints into line with rows that were written anew."""
    from audit.models import Checkpoint  # noqa: PLC0415

    private = SignerFiles().private_keys()[0]
    edge, before = anchors.Edge(), dict[str, int]()
    for row in Checkpoint.objects.order_by("number"):
        heads = {}
        for name, (number, _) in row.heads.items():
            digest = anchors.hashes_at(name, [number])[number]
            heads[name] = (number, digest)
        for leaf in anchors.leaves_between(before, heads):
            edge.add(leaf)
        before = {name: number for name, (number, _) in heads.items()}
        at = anchors.notes.read_checkpoint(anchors.notes.split(row.note)[0]).at
        head = anchors.log_head((name, *told) for name, told in heads.items())
        origin = row.note.split("\n")[0]
        text = anchors.notes.Checkpoint(origin, row.size, edge.root(), head, at).text()
        insider.do(
            "UPDATE audit_checkpoint SET root = %s, edge = %s, heads = %s, note = %s"
            " WHERE number = %s",
            edge.root(),
            psycopg.types.json.Jsonb([digest.hex() for digest in edge.hashes]),
            psycopg.types.json.Jsonb({n: [s, d.hex()] for n, (s, d) in heads.items()}),
            anchors.notes.sign(text, origin, private),
            row.number,
        )


def test_rows_and_stored_checkpoints_rewritten_together(insider: Insider) -> None:
    """Even with the signing key: only what was kept outside tells."""
    insider.relink(1, other)
    rewritten_checkpoints(insider)
    assert found(outside=False) == []  # the mutant: a verifier that asks nobody outside
    assert ("checkpoints", 1, "checkpoint_rewritten") in found()
    assert (NAME, 1, "rewritten") in found()


def test_stored_checkpoints_rewritten_without_the_key(
    insider: Insider, monkeypatch: pytest.MonkeyPatch
) -> None:
    insider.relink(1, other)
    rewritten_checkpoints(insider)
    insider.do("UPDATE audit_checkpoint SET note = replace(note, 'at 20', 'at 21')")
    assert found(outside=False) == [("checkpoints", n, "bad_signature") for n in (1, 2, 3)]
    monkeypatch.setattr(anchors.notes, "must_hold", nothing)
    assert found(outside=False) == []


def test_an_event_inserted_in_the_past(insider: Insider) -> None:
    insider.do(f"UPDATE audit_auditevent SET sequence = sequence + 1000 WHERE {A} AND sequence > 5")
    insider.do(f"UPDATE audit_auditevent SET sequence = sequence - 999 WHERE {A} AND sequence > 5")
    insert(insider, 6)
    insider.do("UPDATE audit_chain SET sequence = sequence + 1 WHERE name = 'lane:A'")
    assert found() == [(NAME, 6, "inserted")]
    insider.relink(6)  # and every link behind it made right
    assert verify_chains().ok
    assert found() == [(NAME, 6, "tail_replaced")]


def insert(insider: Insider, number: int) -> None:
    body, previous = insider.do(
        f"SELECT body, hash FROM audit_auditevent WHERE {A} AND sequence = %s", number - 1
    )[0]
    digest = link_hash(NAME, number, bytes(previous), bytes(body))
    insider.do(
        "INSERT INTO audit_auditevent (chain_id, sequence, action, subject, body, previous, hash,"
        f" recorded_at) SELECT chain_id, %s, action, subject, body, %s, %s, recorded_at"
        f" FROM audit_auditevent WHERE {A} AND sequence = %s",
        number,
        b"\x01" + bytes(previous)[1:],
        digest,
        number - 1,
    )


def test_a_clock_set_back(insider: Insider, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest events, which no checkpoint has seen, are told an hour earlier."""

    def earlier(number: int, body: bytes) -> bytes:
        year = walking.parse(body)["at"][:4]
        return body.replace(f'"at":"{year}'.encode(), f'"at":"{int(year) - 1}'.encode())

    insider.relink(13, earlier)
    insider.do(
        f"UPDATE audit_auditevent SET recorded_at = recorded_at - interval '1 year' WHERE {A}"
        " AND sequence > 12"
    )
    assert found() == [(NAME, 13, "clock_set_back")]
    monkeypatch.setattr(walking.Stretch, "_read", nothing)
    assert found() == []


def test_a_time_filed_otherwise(insider: Insider) -> None:
    insider.do(
        f"UPDATE audit_auditevent SET recorded_at = recorded_at - interval '1 hour' WHERE {A}"
        " AND sequence = 3"
    )
    assert found() == [(NAME, 3, "time_differs")]


def test_an_older_backup_restored(insider: Insider, monkeypatch: pytest.MonkeyPatch) -> None:
    insider.restore("older")
    assert verify_log().ok  # the mutant: a verifier that asks nobody outside
    assert found() == [("checkpoints", 2, "older_backup")]
    write(9)  # and the house goes on
    assert found() == [("checkpoints", 2, "older_backup")]


def test_a_checkpoint_taken_out(insider: Insider) -> None:
    insider.do("DELETE FROM audit_checkpoint WHERE number = 2")
    assert ("checkpoints", 2, "checkpoint_missing") in found()


def test_another_key_in_the_house(insider: Insider) -> None:
    key = insider.do("SELECT key FROM audit_signerkey")[0][0]
    assert verify_log(outside=kept_outside(), first_key=key).ok
    name, _, rest = key.partition("+")
    published = anchors.notes.Key(name, 1, bytes(32))
    result = verify_log(outside=kept_outside(), first_key=str(published))
    assert ("checkpoints", 0, "key_changed") in [fault[:3] for fault in result.faults]
    assert rest


def test_a_single_note_that_somebody_kept(insider: Insider, tmp_path: Path) -> None:
    path = tmp_path / "kept.note"
    path.write_text(insider.do("SELECT note FROM audit_checkpoint WHERE number = 2")[0][0])
    assert verify_log(outside=kept_outside(notes_given=[path])).ok
    insider.relink(1, other)
    rewritten_checkpoints(insider)
    bare = [one for one in kept_outside(notes_given=[path]) if one.number is None]
    kinds = [fault.kind for fault in verify_log(outside=bare).faults]
    assert kinds == ["root_differs"]


def test_the_stored_edge_changed(insider: Insider) -> None:
    insider.do(
        "UPDATE audit_checkpoint SET edge = jsonb_set(edge, '{0}', %s) WHERE number = 3",
        psycopg.types.json.Jsonb("00" * 32),
    )
    assert found() == [("checkpoints", 3, "edge_changed")]
