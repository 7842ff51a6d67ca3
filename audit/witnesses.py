"""Witnesses: people outside the house whose signatures say that a checkpoint was there.

A witness's key is registered by an administrator; his signature is taken with the checkpoint that
it is over and needs no log-in, since nobody else can make it.
"""

from datetime import UTC, datetime

from django.db import transaction

from audit import notes
from audit.models import Checkpoint, Cosignature, User, Witness
from audit.services import SYSTEM, log_event, record


class WitnessRefused(Exception):
    """A witness or his signature is not taken; the text says why. ``code`` is for programs."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


@transaction.atomic
def add_witness(key: str, by: User) -> Witness:
    """Register a witness's public key; a second call is none."""
    try:
        read = notes.read_key(key)
    except notes.NoteError as error:
        raise WitnessRefused("bad_key", str(error)) from error
    if read.kind != notes.COSIGNS:
        raise WitnessRefused("bad_key", "This is a log's key; a witness's is of another kind.")
    witness, made = Witness.objects.get_or_create(key=str(read), defaults={"added_by": by})
    if made:
        facts = {"key": witness.key}
        record(SYSTEM, [log_event("audit.witness_added", f"witness/{witness.pk}", facts, by=by)])
    return witness


@transaction.atomic
def take_cosignature(number: int, line: str) -> Cosignature:
    """Take a witness's line for a checkpoint; the same again changes nothing."""
    row = Checkpoint.objects.filter(number=number).first()
    if row is None:
        raise WitnessRefused("unknown_checkpoint", "There is no such checkpoint.")
    text, _ = notes.split(row.note)
    try:
        signature = notes.read_signature(line.strip())
        witness, key = witness_of(signature)
        seen = datetime.fromtimestamp(notes.must_be_cosigned(text, line.strip(), key), UTC)
    except (notes.NoteError, OverflowError, ValueError, OSError) as error:
        raise WitnessRefused("bad_signature", str(error)) from error
    told = {"line": line.strip(), "seen_at": seen}
    found, made = Cosignature.objects.get_or_create(checkpoint=row, witness=witness, defaults=told)
    if made:
        facts = {"checkpoint": number, "line": found.line, "witness": witness.key}
        record(SYSTEM, [log_event("audit.checkpoint_cosigned", f"checkpoint/{number}", facts)])
    return found


def witness_of(signature: notes.Signature) -> tuple[Witness, notes.Key]:
    """Return the registered witness whose signature this says to be."""
    for witness in Witness.objects.filter(key__startswith=f"{signature.name}+"):
        key = notes.read_key(witness.key)
        if (key.name, key.id) == (signature.name, signature.key_id):
            return witness, key
    raise WitnessRefused("unknown_witness", f"No witness {signature.name} is registered here.")


def cosigned_note(row: Checkpoint) -> str:
    """Return a checkpoint's note with its witnesses' lines."""
    lines = row.cosignatures.order_by("pk").values_list("line", flat=True)
    return row.note + "".join(f"{line}\n" for line in lines)
