"""Notes and keys as everybody else's verifiers read them."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from audit import notes

# The published example of signed notes (C2SP signed-note; Go's sumdb/note).
PUBLISHED_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PUBLISHED_NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpR"
    "Zb6KE6RyyBwJnAM=\n"
)
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
TOLD = notes.Checkpoint("log.example", 12, bytes(range(32)), "ab" * 32, "2026-01-02T03:04:05.6Z")


def test_the_published_example_holds() -> None:
    key = notes.read_key(PUBLISHED_KEY)
    assert str(key) == PUBLISHED_KEY
    assert notes.must_be_signed(PUBLISHED_NOTE, key).startswith("If you think")
    with pytest.raises(notes.NoteError, match="does not hold"):
        notes.must_be_signed(PUBLISHED_NOTE.replace("problem is", "problem was"), key)


def test_a_checkpoint_is_signed_and_read_back() -> None:
    key = notes.public_of("log.example", PRIVATE)
    note = notes.sign(TOLD.text(), "log.example", PRIVATE)
    assert note.split("\n")[:3] == ["log.example", "12", base64.b64encode(TOLD.root).decode()]
    assert notes.read_checkpoint(notes.must_be_signed(note, key)) == TOLD


def test_no_byte_of_a_signed_checkpoint_can_be_another() -> None:
    key = notes.public_of("log.example", PRIVATE)
    note = notes.sign(TOLD.text(), "log.example", PRIVATE)
    for place in range(len(note)):
        other = note[:place] + chr(ord(note[place]) ^ 1) + note[place + 1 :]
        with pytest.raises(notes.NoteError):
            notes.must_be_signed(other, key)


def test_another_key_of_the_same_name_did_not_sign() -> None:
    other = Ed25519PrivateKey.from_private_bytes(bytes(32))
    note = notes.sign(TOLD.text(), "log.example", other)
    with pytest.raises(notes.NoteError, match="did not sign this"):
        notes.must_be_signed(note, notes.public_of("log.example", PRIVATE))


def test_a_witness_signs_text_and_time() -> None:
    witness = notes.public_of("watch.example", PRIVATE, notes.COSIGNS)
    line = notes.cosign(TOLD.text(), "watch.example", PRIVATE, 1_800_000_000)
    assert notes.must_be_cosigned(TOLD.text(), line, witness) == 1_800_000_000
    with pytest.raises(notes.NoteError, match="does not hold"):
        notes.must_be_cosigned(TOLD.text() + "x\n", line, witness)
    as_log = notes.public_of("watch.example", PRIVATE)  # a key signs for one purpose only
    with pytest.raises(notes.NoteError, match="no cosignature"):
        notes.must_be_cosigned(TOLD.text(), line, as_log)


@pytest.mark.parametrize(
    "told",
    ["", "name", "name+00000000+AQ==", PUBLISHED_KEY.replace("c74f", "c74e"), "a b+c74f20a3+ARpc"],
)
def test_what_is_no_key_is_refused(told: str) -> None:
    with pytest.raises(notes.NoteError):
        notes.read_key(told)


@pytest.mark.parametrize(
    "text", ["", "a\n1\n", TOLD.text().replace("\n12\n", "\n012\n"), TOLD.text() + "more\n"]
)
def test_what_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(notes.NoteError):
        notes.read_checkpoint(text)


def test_a_key_names_the_one_that_follows_it() -> None:
    old = notes.public_of("log.example", PRIVATE)
    successor = notes.public_of("log.example", Ed25519PrivateKey.from_private_bytes(bytes(32)))
    text = notes.rotation_text("log.example", successor)
    assert notes.successor_in(notes.sign(text, "log.example", PRIVATE), old) == successor
    with pytest.raises(notes.NoteError, match="no key rotation"):
        notes.successor_in(notes.sign(TOLD.text(), "log.example", PRIVATE), old)
