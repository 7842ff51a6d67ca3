"""A dossier is asked for, agreed to and taken out; an outsider verifies it without the house."""

import io
import json
import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from django.test import Client

from audit.access import PRESERVED
from audit.models import AuditEvent, SignerKey
from audit.services import record_one
from config.supervisor import BASE_DIR
from tables.dossier import errors
from tables.dossier.verify import Broken, packed, unpacked, verify
from tables.models import DossierRequest, DossierStep, Facility
from tables.services.dossier import answer_dossier, export_dossier, request_dossier
from tests.documents import NOTHING, ROYAL, STRAIGHT, Sender, seat
from tests.make import make_user

Ask = Callable[..., DossierRequest]


@pytest.fixture
def played(floor: Any, settings: Any, tmp_path: Path) -> Any:
    """Play a round with its lock-out, and one of another table between its events."""
    settings.SIGNER_DIR, settings.CHECKPOINT_SINKS = tmp_path, [f"file://{tmp_path / 'kept'}"]
    sender, other = Sender(), Sender("T-2")
    seats = (seat(2, ROYAL, player="P-77"), seat(5, STRAIGHT), seat(6, NOTHING, progressive=False))
    floor.play(sender.lockout(*seats), other.whole(seat(1, STRAIGHT)), sender.settlement(*seats))
    return floor


@pytest.fixture
def ask(played: Any) -> Ask:
    by = make_user("S451", "surveillance")

    def ask(**changes: Any) -> DossierRequest:
        told = {"table": "T-1", "round_number": 1, "reason": "Complaint 12", "by": by, **changes}
        return request_dossier(**{"recipient": "Gaming Control Board", **told})

    return ask


def taken_out(asked: DossierRequest) -> bytes:
    return export_dossier(request_id=asked.pk, by=asked.by)


def published() -> str:
    return SignerKey.objects.get(number=1).key


def test_a_dossier_is_whole_and_verifies(ask: Ask) -> None:
    record_one(PRESERVED, "T-1/1", {"reason": "Complaint 12"})
    asked = ask()
    body = taken_out(asked)
    sentence, key = verify(body, published())
    assert "T-1, round 1:" in sentence
    assert key == published()
    members = unpacked(body)
    assert list(members) == [
        *("read-me.txt", "round.json", "round.txt", "round.pdf", "events.json"),
        *("checkpoint.note", "keys.json", "export.json", "verify.py"),
        *("manifest.json", "manifest.note"),
    ]
    told = json.loads(members["round.json"])
    assert [event["action"] for event in told["events"]][:2] == [
        *("tables.lockout_applied", "tables.settlement_applied")
    ]
    assert told["told"]["state"] == "settled"
    assert members["round.pdf"].startswith(b"%PDF")
    # that somebody here looks into the round is the house's own affair
    assert b"preserved" not in members["round.json"] + members["events.json"]
    out = json.loads(members["export.json"])
    assert (out["recipient"], out["taken_out_by"]) == ("Gaming Control Board", "S451")


def test_every_step_is_in_the_log_with_the_file_that_left(ask: Ask) -> None:
    body = taken_out(ask())
    step = DossierStep.objects.get(kind="exported")
    assert step.digest == sha256(body).hexdigest()
    events = AuditEvent.objects.filter(subject__startswith="dossier/").order_by("sequence")
    assert [event.action for event in events] == [
        *("tables.dossier_requested", "tables.dossier_exported")
    ]
    assert step.digest.encode() in bytes(events[1].body)
    assert b"Complaint 12" in bytes(events[0].body)


def test_any_changed_byte_of_any_member_fails_with_a_sentence(ask: Ask) -> None:
    body, key = taken_out(ask()), published()
    members = unpacked(body)
    for name, told in members.items():
        for place in {0, len(told) // 3, len(told) // 2, len(told) - 1}:
            changed = bytearray(told)
            changed[place] ^= 1
            with pytest.raises(Broken) as broken:  # packed anew, as a forger would
                verify(packed({**members, name: bytes(changed)}), key)
            assert str(broken.value).endswith(".") or ":" in str(broken.value)
    for place in range(0, len(body), 997):  # and in the file itself, wherever it is
        changed = bytearray(body)
        changed[place] ^= 1
        with pytest.raises(Broken):
            verify(bytes(changed), key)
    for name in members:
        with pytest.raises(Broken):
            verify(packed({other: told for other, told in members.items() if other != name}), key)


def test_who_signs_anew_is_told_by_the_published_key(ask: Ask, settings: Any) -> None:
    """A forger with a key of his own makes a whole dossier: only the published key tells."""
    body, key = taken_out(ask()), published()
    name, ident, _ = key.split("+", 2)
    other = f"audit-log-forged.invalid+{ident}+{key.split('+', 2)[2]}"
    with pytest.raises(Broken):
        verify(body, other)
    assert verify(body)[1] == key  # without one, the key is printed to be compared
    assert name in key


def test_an_event_that_is_not_in_the_log_is_not_proven(ask: Ask) -> None:
    members = unpacked(taken_out(ask()))
    events = json.loads(members["events.json"])
    events[0]["index"], events[1]["index"] = events[1]["index"], events[0]["index"]
    forged = json.dumps(events).encode()
    from tables.dossier.verify import check_events, trusted_keys  # noqa: PLC0415

    keys = trusted_keys(json.loads(members["keys.json"]), published())
    with pytest.raises(Broken, match="is not in the log that the checkpoint signs"):
        check_events({**members, "events.json": forged}, keys)
    assert check_events(members, keys)[1]


def test_a_dossier_verifies_on_a_machine_that_has_nothing_of_ours(ask: Ask, tmp_path: Path) -> None:
    """In an empty environment with cryptography alone, run from another folder."""
    body, key = taken_out(ask()), published()  # the database does not wait while pip installs
    folder = tmp_path / "elsewhere"
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    pinned = next(
        line.split()[0]
        for line in (BASE_DIR / "requirements.txt").read_text().splitlines()
        if line.startswith("cryptography==")
    )
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "DJANGO"))}
    install = ["-m", "pip", "install", "-q", "--only-binary", ":all:", pinned]
    subprocess.run([python, *install], env=clean, check=True, timeout=300)
    (folder / "dossier.zip").write_bytes(body)
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        archive.extract("verify.py", folder)
    changed = bytearray(body)
    changed[body.index(b"Complaint 12")] ^= 1
    (folder / "changed.zip").write_bytes(bytes(changed))

    def run(*told: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, "-I", "verify.py", *told],
            cwd=folder,
            env=clean,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    has = subprocess.run([python, "-I", "-c", "import django"], capture_output=True, check=False)
    assert has.returncode != 0
    good = run("dossier.zip", "--key", key)
    assert (good.returncode, good.stdout[:9]) == (0, "Verified."), good.stderr
    assert "compare it with the published one" in run("dossier.zip").stdout
    bad = run("changed.zip", "--key", key)
    assert (bad.returncode, bad.stdout[:13], bad.stderr) == (1, "NOT VERIFIED.", "")
    assert sys.version_info >= (3, 9)


# ---- the controlled act ------------------------------------------------------------------------


def test_who_may_ask_and_for_what(ask: Ask) -> None:
    for changes, refusal in (
        ({"by": make_user("F201", "floorperson")}, errors.MayNotExport),
        ({"reason": "  "}, errors.SayWhy),
        ({"recipient": ""}, errors.SayWhy),
        ({"round_number": 99}, errors.NothingToExport),
    ):
        with pytest.raises(refusal):
            ask(**changes)
    with pytest.raises(errors.UnknownRequest):
        export_dossier(request_id=0, by=make_user("S452", "surveillance"))
    asked = ask()
    with pytest.raises(errors.MayNotExport):
        export_dossier(request_id=asked.pk, by=make_user("F202", "floorperson"))


def test_where_the_casino_wants_it_a_second_person_agrees(ask: Ask) -> None:
    Facility.objects.update(second_person_exports=True)
    asked = ask()
    second = make_user("S452", "surveillance")
    with pytest.raises(errors.NotAgreed):
        taken_out(asked)
    with pytest.raises(errors.AnotherPerson):
        answer_dossier(request_id=asked.pk, by=asked.by, agreed=True)
    with pytest.raises(errors.MayNotExport):
        answer_dossier(request_id=asked.pk, by=make_user("F203", "floorperson"), agreed=True)
    answer_dossier(request_id=asked.pk, by=second, agreed=True)
    with pytest.raises(errors.Answered):
        answer_dossier(request_id=asked.pk, by=second, agreed=False)
    members = unpacked(taken_out(asked))
    assert [one["by"] for one in json.loads(members["export.json"])["agreed_to"]] == ["S452"]
    refused = ask()
    answer_dossier(request_id=refused.pk, by=second, agreed=False)
    with pytest.raises(errors.NotAgreed):
        taken_out(refused)


def test_postgresql_lets_nothing_out_that_nobody_agreed_to(ask: Ask) -> None:
    Facility.objects.update(second_person_exports=True)
    asked = ask()
    for kind, by, digest in (("exported", asked.by, "ab"), ("approved", asked.by, "")):
        with pytest.raises(DatabaseError), transaction.atomic():
            DossierStep.objects.create(request=asked, kind=kind, by=by, digest=digest)
    Facility.objects.update(second_person_exports=False)  # what was asked for stays as it was
    with pytest.raises(errors.NotAgreed):
        taken_out(asked)


def test_without_the_signers_answer_nothing_leaves(ask: Ask, settings: Any, tmp_path: Path) -> None:
    taken_out(ask())
    settings.SIGNER_DIR = tmp_path / "another"
    with pytest.raises(errors.NotSigned, match="no signing key"):
        taken_out(ask())


def test_the_page_asks_and_gives_the_file(ask: Ask, client: Client) -> None:
    address = "/admin/rounds/T-1/1/export/"
    client.force_login(make_user("F204", "floorperson"))
    assert client.get(address).status_code == 403
    by, second = make_user("S453", "surveillance"), make_user("S454", "surveillance")
    Facility.objects.update(second_person_exports=True)
    client.force_login(by)
    assert client.get("/admin/rounds/T-1/99/export/").status_code == 404
    assert "Write for what" in client.post(address, {"ask": "1"}).content.decode()
    client.post(address, {"reason": "Complaint", "recipient": "Board"})
    asked = DossierRequest.objects.get()
    assert client.post(address, {"take": asked.pk}).status_code == 409
    assert client.post(address, {"agree": asked.pk}).status_code == 409
    client.force_login(second)
    assert "Agree" in client.get(address).content.decode()
    client.post(address, {"agree": asked.pk})
    answer = client.post(address, {"take": asked.pk})
    assert answer["Content-Disposition"] == f'attachment; filename="dossier-T-1-1-{asked.pk}.zip"'
    assert verify(answer.content, published())
    assert sha256(answer.content).hexdigest()[:16] in client.get(address).content.decode()
    for told in ("", "x", "9" * 30, "1"):
        assert client.post(address, {"take": told}).status_code == 409


def test_the_command_takes_it_out(
    ask: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.zip"
    make_user("S453", "surveillance")
    told = {"by": "S453", "output": path}
    call_command("export_round", "T-1", "1", "--reason", "Complaint", "--to", "Board", **told)
    assert verify(path.read_bytes(), published())
    with pytest.raises(CommandError, match="there already"):
        call_command("export_round", "T-1", "1", "--reason", "x", "--to", "Board", **told)
    path.unlink()
    Facility.objects.update(second_person_exports=True)
    call_command("export_round", "T-1", "1", "--reason", "x", "--to", "Board", **told)
    assert "waits for another person" in capsys.readouterr().out
    number = str(DossierRequest.objects.latest("pk").pk)
    with pytest.raises(CommandError, match="another person must agree"):
        call_command("export_round", "T-1", "1", "--request", number, "--agree", by="S453")
    call_command("export_round", "T-1", "1", "--request", number, "--agree", by="S451")
    call_command("export_round", "T-1", "1", "--request", number, **told)
    assert verify(path.read_bytes(), published())
