"""Put a dossier together: every member, the manifest over them, and the log's signature on it.

Members, in their order: ``read-me.txt``, ``round.json`` (the events' documents and the
reconstruction), ``round.txt``, ``round.pdf``, ``events.json`` (exact bytes, links, inclusion
proofs), ``checkpoint.note``, ``keys.json``, ``export.json`` (who asked, why, for whom),
``verify.py``, and over all of them ``manifest.json`` with ``manifest.note``.
"""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.utils import timezone

from audit import keys, notes
from audit.access import HOUSES_OWN
from audit.canonical import parse
from audit.checkpoints import SignerRefused, make_checkpoint
from audit.models import AuditEvent, Checkpoint, SignerKey, User
from audit.proofs import Unproven, prove_event
from audit.services import timestamp
from audit.signer_files import SignerFiles
from audit.witnesses import cosigned_note
from tables.dossier import errors
from tables.dossier.paper import pages_of
from tables.dossier.pdf import draw_dossier
from tables.dossier.verify import packed
from tables.models import DossierRequest, Facility
from tables.services.reconstruct import NotInTheLog, reconstruct
from tables.services.reconstruct_text import as_text

VERIFIER = Path(__file__).with_name("verify.py")
READ_ME = """A round of a table game, told from the house's log.

round.pdf         the table as it was dealt, what happened, who was there, where to look on video
round.txt         the same as text
round.json        the documents that the table sent, and the round as told from them
events.json       the events of the log as they were written, each with its proof
checkpoint.note   where the log stood when it was signed
keys.json         the log's public keys
export.json       who asked for this dossier, why, and for whom
manifest.json     the SHA-256 of every file; manifest.note is its signature
verify.py         checks all of it: python verify.py DOSSIER.zip --key NAME+ID+KEY
                  (Python 3.9 or newer; pip install cryptography)

What happened at linked tables between this round's events is told in round.txt for the reader; it
stands in other events of the log, which are not in here.
"""


def build_dossier(asked: DossierRequest, by: User) -> bytes:
    """Return the ZIP. Raises NothingToExport, NotSigned."""
    rows = events_of(asked.table, asked.round)
    signer, checkpoint = ready(rows)
    try:
        told = reconstruct(asked.table, asked.round)
        proven = [proven_event(row, checkpoint.number) for row in rows]
    except NotInTheLog as missing:
        raise errors.NothingToExport from missing
    except Unproven as error:
        raise errors.NotSigned(str(error)) from error
    bodies = [parse(bytes(row.body)) for row in rows]
    document = {"spec": "dossier/1", "table": asked.table, "round": asked.round}
    members = {
        "read-me.txt": READ_ME.encode(),
        "round.json": as_json({**document, "events": bodies, "told": told}),
        "round.txt": "".join(f"{line}\n" for line in as_text(told)).encode(),
        "round.pdf": draw_dossier(pages_of(told, proven, asked)),
        "events.json": as_json(proven),
        "checkpoint.note": cosigned_note(checkpoint).encode(),
        "keys.json": as_json(
            [{"key": key.key, "endorsement": key.endorsement} for key in SignerKey.objects.all()]
        ),
        "export.json": as_json(export_of(asked, by)),
        "verify.py": VERIFIER.read_bytes(),
    }
    return packed({**members, **manifest_of(members, signer)})


def events_of(table: str, number: int) -> list[AuditEvent]:
    """Return the round's events, chain by chain: all but who read of it or preserved it."""
    rows = AuditEvent.objects.filter(subject=f"{table}/{number}").exclude(action__in=HOUSES_OWN)
    found = list(rows.select_related("chain").order_by("chain__name", "sequence"))
    if not found:
        raise errors.NothingToExport
    return found


def ready(rows: list[AuditEvent]) -> tuple[keys.Signer, Checkpoint]:
    """Return the signer and a checkpoint that covers these events, signed now where none does."""
    try:
        while not covers(last := Checkpoint.objects.order_by("-number").first(), rows):
            if make_checkpoint() is None:
                raise errors.NotSigned
        signer = keys.ready_signer(SignerFiles())
    except (SignerRefused, keys.KeyRefused) as refused:
        raise errors.NotSigned(str(refused)) from refused
    if signer is None or last is None:
        raise errors.NotSigned("This machine has no signing key: export where the signer is.")
    return signer, last


def covers(checkpoint: Checkpoint | None, rows: list[AuditEvent]) -> bool:
    """Whether a checkpoint has seen all of these events."""
    if checkpoint is None:
        return False
    heads = checkpoint.heads
    return all(heads.get(row.chain.name, [0])[0] >= row.sequence for row in rows)


def proven_event(row: AuditEvent, number: int) -> dict[str, Any]:
    """Return an event as the verifier reads it: its exact bytes as text, and its proof."""
    proof = prove_event(row.chain.name, row.sequence, number)
    return {
        "chain": proof.chain,
        "sequence": proof.sequence,
        "previous": bytes(row.previous).hex(),
        "body": bytes(row.body).decode(),
        "link": proof.link,
        "index": proof.index,
        "path": proof.path,
    }


def export_of(asked: DossierRequest, by: User) -> dict[str, Any]:
    """Return who takes the dossier out, why, and for whom."""
    steps = asked.steps.select_related("by").exclude(kind="exported")
    return {
        "facility": Facility.objects.values_list("name", flat=True).first() or "",
        "request": asked.pk,
        "reason": asked.reason,
        "recipient": asked.recipient,
        "asked_for_by": str(asked.by),
        "asked_for_at": timestamp(asked.at),
        "agreed_to": [{"by": str(s.by), "at": timestamp(s.at), "as": s.kind} for s in steps],
        "taken_out_by": str(by),
        "taken_out_at": timestamp(timezone.now()),
    }


def manifest_of(members: dict[str, bytes], signer: keys.Signer) -> dict[str, bytes]:
    """Return the manifest over the members, and the log's signature on it."""
    digests = {name: sha256(body).hexdigest() for name, body in members.items()}
    manifest = as_json({"spec": "dossier-manifest/1", "members": digests})
    text = f"{signer.key.name}\ndossier manifest\n{sha256(manifest).hexdigest()}\n"
    note = notes.sign(text, signer.key.name, signer.private)
    return {"manifest.json": manifest, "manifest.note": note.encode()}


def as_json(value: Any) -> bytes:
    """Write JSON that people can read."""
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True).encode() + b"\n"
