"""Proofs over the stored log, and the doors that give them to outsiders."""

import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import CommandError, call_command
from django.test import Client

from audit import notes, proofs
from audit.checkpoints import make_checkpoint
from audit.models import AuditEvent, Checkpoint, Cosignature
from audit.proofs import Unproven, prove_event, prove_growth
from audit.services import record_one
from audit.tree import check_consistency, leaf_hash, root_of_inclusion
from tests.make import make_user

WITNESS = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
WITNESS_KEY = str(notes.public_of("watch.example", WITNESS, notes.COSIGNS))


@pytest.fixture
def log(db: None, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a log of three chains that grew under seven checkpoints."""
    settings.SIGNER_DIR, settings.CHECKPOINT_SINKS = tmp_path, [f"file://{tmp_path / 'kept'}"]
    monkeypatch.setattr(proofs, "SMALL", 2)  # so that a small log is looked for in the edges
    for step in range(7):
        for n in range(step % 4 + 1):
            record_one("test.written", f"place/{n}", {"n": n}, chain="lane:A")
            record_one("test.written", f"place/{n}", {"n": n}, chain=f"lane:{'BC'[step % 2]}")
        make_checkpoint()


def root_in(note: str) -> tuple[int, bytes]:
    told = notes.read_checkpoint(notes.split(note)[0])
    return told.size, told.root


def test_every_event_is_proven_against_every_checkpoint_that_covers_it(log: None) -> None:
    proven = 0
    for row in Checkpoint.objects.all():
        for event in AuditEvent.objects.select_related("chain"):
            if row.heads.get(event.chain.name, [0])[0] < event.sequence:
                continue
            proof = prove_event(event.chain.name, event.sequence, row.number)
            size, root = root_in(proof.note)
            path = [bytes.fromhex(step) for step in proof.path]
            leaf = leaf_hash(bytes(event.hash))
            assert (proof.size, proof.link) == (size, bytes(event.hash).hex())
            assert root_of_inclusion(leaf, proof.index, size, path) == root
            proven += 1
    assert proven > 60


def test_every_checkpoint_is_proven_to_go_on_from_every_earlier_one(log: None) -> None:
    for old in range(1, 8):
        for new in range(old, 8):
            proof = prove_growth(old, new)
            (size, root), (later, its_root) = root_in(proof.old_note), root_in(proof.note)
            path = [bytes.fromhex(step) for step in proof.path]
            check_consistency(size, root, later, its_root, path)


def test_what_cannot_be_proven_is_refused_by_name(log: None) -> None:
    record_one("test.written", "late", {}, chain="lane:A")
    last = AuditEvent.objects.filter(chain__name="lane:A").latest("sequence").sequence
    for asked, code in (
        (("lane:A", last), "not_signed_yet"),
        (("lane:A", last - 1, 1), "not_signed_yet"),
        (("lane:A", 999), "unknown_event"),
        (("lane:X", 1), "unknown_event"),
        (("lane:A", 1, 99), "unknown_checkpoint"),
    ):
        with pytest.raises(Unproven) as refused:
            prove_event(*asked)  # type: ignore[arg-type]
        assert refused.value.code == code
    with pytest.raises(Unproven, match="comes first"):
        prove_growth(5, 2)


def test_a_proof_that_does_not_lead_to_the_root_is_not_given(
    log: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proofs.Tree, "subtree", lambda *_: bytes(32))
    with pytest.raises(Unproven, match="verify_audit"):
        prove_event("lane:A", 3)
    with pytest.raises(Unproven, match="does not lead there"):
        prove_growth(2, 5)


def test_outsiders_get_keys_checkpoints_and_growth_and_no_more(log: None, client: Client) -> None:
    [key] = client.get("/api/v1/log/keys/").json()
    latest = client.get("/api/v1/log/checkpoints/latest/").json()
    text = client.get("/api/v1/log/checkpoints/7/?form=note").content.decode()
    assert latest["note"] == text
    notes.must_be_signed(text, notes.read_key(key["key"]))
    assert client.get("/api/v1/log/proofs/growth/?old=2&new=6").json()["old_size"] > 0
    unknown = client.get("/api/v1/log/checkpoints/99/")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown_checkpoint")
    asked = "/api/v1/log/proofs/event/?chain=lane:A&sequence=3"
    assert client.get(asked).status_code in (401, 403)
    client.force_login(make_user("S451", "surveillance"))
    proof = client.get(asked).json()
    assert (proof["kind"], proof["chain"], proof["sequence"]) == ("inclusion", "lane:A", 3)
    assert client.get(f"{asked}9999").json()["code"] == "unknown_event"


def test_a_registered_witness_cosigns_and_nobody_else(log: None, client: Client) -> None:
    text = notes.split(Checkpoint.objects.get(number=4).note)[0]
    line = notes.cosign(text, "watch.example", WITNESS, 1_800_000_000)
    address = "/api/v1/log/checkpoints/4/cosign/"

    def post(told: str, where: str = address) -> Any:
        return client.post(where, {"line": told}, content_type="application/json")

    assert post(line).json()["code"] == "unknown_witness"
    make_user("A001", "administrator", is_superuser=True)
    call_command("prove", "witness", WITNESS_KEY, by="A001")
    assert post(line.replace("A", "B", 1)).json()["code"] == "bad_signature"
    assert post(line, "/api/v1/log/checkpoints/5/cosign/").json()["code"] == "bad_signature"
    assert post("words").json()["code"] == "bad_signature"
    for _ in range(2):  # the second time nothing is added
        answer = post(line)
        assert answer.status_code == 200
    assert answer.json()["note"].endswith(f"{line}\n")
    assert Cosignature.objects.get().seen_at.timestamp() == 1_800_000_000
    assert AuditEvent.objects.filter(action="audit.checkpoint_cosigned").count() == 1


def test_the_command_prints_proofs(log: None, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("prove", "event", "lane:A", "3")
    assert json.loads(capsys.readouterr().out)["kind"] == "inclusion"
    call_command("prove", "growth", "3")
    assert json.loads(capsys.readouterr().out)["new"] == 7
    with pytest.raises(CommandError, match="no event 999"):
        call_command("prove", "event", "lane:A", "999")
    with pytest.raises(CommandError, match="Only an administrator"):
        call_command("prove", "witness", WITNESS_KEY, by="nobody")
    make_user("A001", "administrator", is_superuser=True)
    with pytest.raises(CommandError, match="of another kind"):
        call_command("prove", "witness", str(notes.public_of("x", WITNESS)), by="A001")
