"""The signer: what it signs, what it refuses, and what it makes good after a crash."""

import base64
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from audit import checkpoints, keys, notes, sinks
from audit.chain import log_head
from audit.checkpoints import SignerRefused, make_checkpoint
from audit.models import AuditEvent, Chain, Checkpoint, ExceptionRecord, SignerKey
from audit.services import record_one
from audit.signer_files import SignerFiles
from audit.tree import Edge, leaf_hash
from tests.make import make_user


@pytest.fixture
def signer(settings: Any, tmp_path: Path) -> Path:
    """Give the test a signer's folder and a sink of its own."""
    settings.SIGNER_DIR = tmp_path / "signer"
    settings.CHECKPOINT_SINKS = [f"file://{tmp_path / 'kept'}"]
    return tmp_path


def write(number: int, chain: str = "lane:A") -> None:
    for n in range(number):
        record_one("test.written", f"place/{n}", {"n": n}, chain=chain)


def signed() -> Checkpoint:
    made = make_checkpoint()
    assert made is not None
    return made


def leaves_in_order() -> list[bytes]:
    """All leaves by the definition: by checkpoint, chain, sequence."""
    found, before = [], dict[str, int]()
    for point in Checkpoint.objects.order_by("number"):
        for chain, (reached, _) in sorted(point.heads.items()):
            rows = AuditEvent.objects.filter(
                chain__name=chain, sequence__gt=before.get(chain, 0), sequence__lte=reached
            )
            found += [leaf_hash(bytes(row.hash)) for row in rows.order_by("sequence")]
            before[chain] = reached
    return found


@pytest.mark.django_db
def test_checkpoints_cover_the_whole_log_in_order(signer: Path) -> None:
    write(3)
    write(2, "lane:B")
    first = signed()
    assert make_checkpoint() is None  # nothing was written since
    write(2)
    record_one("test.written", "place", {})
    second = signed()
    assert (first.number, first.size, second.number, second.size) == (1, 6, 2, 9)
    edge = Edge()
    for leaf in leaves_in_order():
        edge.add(leaf)
    assert bytes(second.root) == edge.root()
    told = notes.read_checkpoint(
        notes.must_be_signed(second.note, notes.read_key(SignerKey.objects.get().key))
    )
    heads = [(c.name, c.sequence, bytes(c.head)) for c in Chain.objects.all()]
    assert (told.size, told.root, told.head) == (9, edge.root(), log_head(heads))


@pytest.mark.django_db
def test_the_private_key_is_the_owners_alone_and_nowhere_in_the_database(signer: Path) -> None:
    write(1)
    signed()
    [path] = signer.rglob("*.pem")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    event = AuditEvent.objects.get(action="audit.signer_key_made")
    assert SignerKey.objects.get().key.encode() in bytes(event.body)
    seed = SignerFiles().private_keys()[0].private_bytes_raw()
    assert seed not in bytes(event.body)
    assert base64.b64encode(seed) not in bytes(event.body)


@pytest.mark.django_db
def test_the_next_key_is_signed_by_the_one_before(signer: Path) -> None:
    write(1)
    signed()
    followed = keys.rotate(make_user("A001", "administrator"))
    second = signed()
    assert (followed.number, second.key_id) == (2, 2)
    rows = list(SignerKey.objects.values_list("number", "key", "endorsement"))
    old, new = keys.trusted(rows)
    notes.must_be_signed(second.note, new)
    with pytest.raises(notes.NoteError, match="did not sign"):
        notes.must_be_signed(second.note, old)
    forged = notes.sign(
        notes.rotation_text(old.name, new), old.name, SignerFiles().private_keys()[0]
    )
    with pytest.raises(notes.NoteError, match="did not sign"):
        keys.trusted([rows[0], (2, rows[1][1], forged)])
    call_command("checkpoint", "--key")


@pytest.mark.django_db
def test_keys_may_come_from_the_environment(signer: Path, settings: Any) -> None:
    seeds = [base64.b64encode(bytes([n]) * 32).decode() for n in (1, 2)]
    settings.CHECKPOINT_KEYS, settings.CHECKPOINT_ORIGIN = seeds[1:], "log.example"
    write(1)
    signed()
    settings.CHECKPOINT_KEYS = seeds  # a new one in front: the old one signs it
    write(1)
    assert signed().key_id == 2
    assert [k.key.partition("+")[0] for k in SignerKey.objects.all()] == ["log.example"] * 2
    assert not list(signer.rglob("*.pem"))
    settings.CHECKPOINT_KEYS = [base64.b64encode(bytes(32)).decode()]
    with pytest.raises(keys.KeyRefused, match="not the one that the house has registered"):
        make_checkpoint()
    with pytest.raises(keys.KeyRefused, match="CHECKPOINT_KEYS"):
        keys.rotate(make_user("A001", "administrator"))


@pytest.mark.django_db
def test_a_machine_without_the_key_signs_nothing(signer: Path, settings: Any) -> None:
    write(1)
    signed()
    settings.SIGNER_DIR = signer / "elsewhere"
    write(1)
    assert make_checkpoint() is None
    with pytest.raises(keys.KeyRefused, match="no signing key"):
        keys.rotate(make_user("A001", "administrator"))


@pytest.mark.django_db
def test_a_long_log_is_caught_up_in_several_checkpoints(
    signer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "MOST", 4)
    write(7)
    write(3, "lane:B")
    sizes = [made.size for made in iter(make_checkpoint, None) if made]
    assert sizes == [4, 8, 11]
    edge = Edge()
    for leaf in leaves_in_order():
        edge.add(leaf)
    assert bytes(Checkpoint.objects.get(number=3).root) == edge.root()


@pytest.mark.django_db
def test_a_crash_before_the_database_has_it_is_made_good(
    signer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(2)
    signed()
    write(2)

    class Crashed(Exception):
        pass

    def crash(*_: Any) -> None:
        raise Crashed

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "stored", crash)
        with pytest.raises(Crashed):
            make_checkpoint()
    remembered = SignerFiles().last()
    assert remembered is not None
    assert (remembered["number"], Checkpoint.objects.count()) == (2, 1)
    write(1)
    assert signed().number == 3
    assert Checkpoint.objects.get(number=2).note == remembered["note"]  # not a second one


@pytest.mark.django_db
def test_a_signer_that_forgot_does_not_sign(signer: Path) -> None:
    write(1)
    signed()
    (SignerFiles().folder / "last.json").unlink()
    write(1)
    with pytest.raises(SignerRefused, match="remembers none") as refused:
        make_checkpoint()
    assert refused.value.code == "signer_forgot"


@pytest.mark.django_db
def test_a_clock_that_was_set_back_is_not_signed(signer: Path) -> None:
    write(1)
    signed()
    files = SignerFiles()
    last = files.last()
    assert last is not None
    ahead = last["note"].replace("\nat 20", "\nat 21")
    write(1)
    row = Checkpoint.objects.get()
    state = checkpoints.state_of(row)._replace(at=notes.read_checkpoint(notes.split(ahead)[0]).at)
    made = keys.ready_signer(files)
    assert made is not None
    with pytest.raises(SignerRefused) as refused:
        checkpoints.next_of(state, made)
    assert refused.value.code == "clock_set_back"


@pytest.mark.django_db
def test_postgresql_takes_checkpoints_in_order_and_for_good(signer: Path) -> None:
    write(1)
    made = signed()
    told = {"root": made.root, "edge": [], "heads": {}, "note": "x", "key_id": 1}
    for number, size in ((3, 99), (2, 1)):
        with pytest.raises(DatabaseError, match="does not go on"), transaction.atomic():
            Checkpoint.objects.create(number=number, size=size, **told)
    with pytest.raises(DatabaseError), transaction.atomic():
        Checkpoint.objects.update(note="other")
    with pytest.raises(DatabaseError), transaction.atomic():
        SignerKey.objects.all().delete()


# ---- an insider with the owner's rights --------------------------------------------------------


@pytest.fixture
def insider(committed_db: Any, signer: Path) -> Callable[[str], None]:
    """Write and sign; return a hand that the database refuses nothing."""
    write(6)
    write(4, "lane:B")
    signed()
    write(4)

    def insider(statement: str) -> None:
        with psycopg.connect(committed_db.owner_url, autocommit=True) as owner:
            for table in ("audit_auditevent", "audit_chain", "audit_checkpoint"):
                owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            owner.execute(statement)

    return insider


A = "chain_id = (SELECT id FROM audit_chain WHERE name = 'lane:A')"


def refusal() -> str:
    with pytest.raises(SignerRefused) as refused:
        make_checkpoint()
    [alarm] = ExceptionRecord.objects.filter(kind="log_fault")
    assert alarm.facts["fault"] == refused.value.code
    return refused.value.code


def test_a_broken_chain_stays_behind_and_the_others_go_on(insider: Callable[[str], None]) -> None:
    insider(f"UPDATE audit_auditevent SET body = body || ' ' WHERE {A} AND sequence = 8")
    write(2, "lane:B")
    assert signed().heads["lane:A"][0] == 6
    assert Checkpoint.objects.get(number=2).heads["lane:B"][0] == 6
    [alarm] = ExceptionRecord.objects.filter(kind="log_fault")
    assert (alarm.severity, alarm.facts) == ("alarm", {"fault": "changed", "chain": "lane:A"})
    assert make_checkpoint() is None


def test_a_tail_cut_off_behind_the_signature_is_refused(insider: Callable[[str], None]) -> None:
    insider(f"DELETE FROM audit_auditevent WHERE {A} AND sequence > 5")
    insider("UPDATE audit_chain SET sequence = 5 WHERE name = 'lane:A'")
    assert refusal() == "tail_cut"


def test_another_event_where_one_was_signed_is_refused(insider: Callable[[str], None]) -> None:
    insider(
        f"UPDATE audit_auditevent SET hash = decode(repeat('00', 32), 'hex')"
        f" WHERE {A} AND sequence = 6"
    )
    assert refusal() == "rewritten"


def test_a_database_that_lost_checkpoints_is_refused(insider: Callable[[str], None]) -> None:
    signed()
    write(1)
    signed()
    insider("DELETE FROM audit_checkpoint WHERE number > 1")
    assert refusal() == "older_backup"


def test_a_database_that_lost_the_last_signed_events_is_refused(
    insider: Callable[[str], None],
) -> None:
    signed()
    insider(f"DELETE FROM audit_auditevent WHERE {A} AND sequence > 6")
    insider("UPDATE audit_chain SET sequence = 6 WHERE name = 'lane:A'")
    insider("DELETE FROM audit_checkpoint WHERE number > 1")
    assert refusal() == "older_backup"


def test_a_rewritten_checkpoint_is_refused(insider: Callable[[str], None]) -> None:
    insider("UPDATE audit_checkpoint SET note = replace(note, 'at 20', 'at 19')")
    assert refusal() == "checkpoint_rewritten"


def test_a_signer_of_its_own_does_not_deceive_the_first(
    insider: Callable[[str], None], settings: Any
) -> None:
    """Two with the key: the second one's checkpoint is not the one that the first remembers."""
    own = settings.SIGNER_DIR
    key = SignerFiles().private_keys()[0].private_bytes_raw()
    settings.SIGNER_DIR = own.parent / "second"
    settings.CHECKPOINT_KEYS = [base64.b64encode(key).decode()]
    insider("DELETE FROM audit_checkpoint")
    assert signed().number == 1
    settings.SIGNER_DIR, settings.CHECKPOINT_KEYS = own, []
    assert refusal() == "checkpoint_rewritten"


# ---- out of the database -----------------------------------------------------------------------


@pytest.mark.django_db
def test_a_folder_gets_each_checkpoint_once_and_keeps_it(
    signer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(2)
    call_command("checkpoint")
    assert capsys.readouterr().out == Checkpoint.objects.get().note
    write(2)
    call_command("checkpoint")
    [folder] = (signer / "kept").iterdir()
    assert sorted(os.listdir(folder)) == [
        *("00000001.json", "00000001.note", "00000002.json", "00000002.note")
    ]
    assert (folder / "00000002.note").read_text() == Checkpoint.objects.get(number=2).note
    kept = list(sinks.kept_in(folder))
    assert [told["heads"]["lane:A"][0] for told in kept] == [2, 4]
    assert sinks.hand_over() == 0
    assert not ExceptionRecord.objects.filter(kind="log_fault").exists()


@pytest.mark.django_db
def test_a_folder_with_another_checkpoint_is_an_alarm(signer: Path) -> None:
    write(2)
    call_command("checkpoint")
    [folder] = (signer / "kept").iterdir()
    (folder / "00000002.note").write_text("another one's\n")
    write(1)
    call_command("checkpoint")
    assert ExceptionRecord.objects.get(kind="log_fault").facts["fault"] == "checkpoint_rewritten"


@pytest.mark.django_db
def test_a_place_that_fails_is_an_alarm_and_is_tried_again(signer: Path, settings: Any) -> None:
    (signer / "file").write_text("in the way")
    settings.CHECKPOINT_SINKS = [f"file://{signer / 'file'}", "ftp://nowhere"]
    write(2)
    call_command("checkpoint")
    assert ExceptionRecord.objects.filter(facts__fault="sink_failed").count() == 2
    (signer / "file").unlink()
    assert sinks.hand_over() == 1


@pytest.mark.django_db
def test_a_new_key_needs_a_person(signer: Path) -> None:
    with pytest.raises(CommandError, match="Say with --by"):
        call_command("checkpoint", "--rotate")
    make_user("A001", "administrator")
    call_command("checkpoint", "--rotate", by="A001")
    assert SignerKey.objects.count() == 2
    assert json.loads(bytes(AuditEvent.objects.latest("sequence").body))["by"] == "A001"
