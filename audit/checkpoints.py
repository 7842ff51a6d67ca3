"""Sign where the whole log stands: the one way to a checkpoint.

    made = make_checkpoint()        # None where nothing was written since the last one
    sign_after_commit()             # the same, when the transaction that is open has committed

Before signing, every event since the last checkpoint is recomputed from its stored bytes. The
signer refuses (``SignerRefused``, with a fault's name and a sentence, and an alarm before a person)
to go back behind, or to fork from, what it remembers to have signed; a chain that is broken stays
where the last checkpoint left it while the others go on. A checkpoint is remembered outside the
database before the database has it, so a crash between the two is made good by the next call, with
the same bytes. Leaves are ordered by checkpoint, chain (name), sequence.
"""

from typing import Any, NamedTuple

import structlog
from django.db import connection, transaction
from django.utils import timezone

from audit import keys, notes
from audit.chain import START, log_head
from audit.models import AuditEvent, Chain, Checkpoint, ExceptionRecord
from audit.services import open_exceptions, timestamp
from audit.signer_files import SignerFiles
from audit.tree import Edge, leaf_hash
from audit.walking import Fault, Finding, Stretch, named

MOST = 50_000  # events in one checkpoint: what takes longer is caught up in several
LOCK = 0x6C6F67  # of PostgreSQL, held to the commit by whoever signs

log = structlog.get_logger(__name__)

Heads = dict[str, tuple[int, bytes]]


class SignerRefused(Exception):
    """The signer does not sign this log; ``code`` names why, the text says it."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class State(NamedTuple):
    """Where the last checkpoint left the log."""

    number: int
    size: int
    edge: Edge
    heads: Heads
    at: str


def make_checkpoint() -> Checkpoint | None:
    """Sign a checkpoint over what was written since the last one.

    Returns None where nothing was, or where this machine is not the signer. Raises SignerRefused.
    """
    files = SignerFiles()
    with files.alone():
        with transaction.atomic():  # first, and for itself: a checkpoint may cover its event
            signer = keys.ready_signer(files)
        if signer is None:
            return None
        try:
            with transaction.atomic():
                return _make(files, signer)
        except SignerRefused as refused:
            alarm(refused.code, str(refused))
            raise


def sign_after_commit() -> None:
    """Sign a checkpoint as soon as the open transaction has committed; refusals only alarm."""
    transaction.on_commit(sign_quietly, robust=True)


def sign_quietly() -> None:
    """Sign a checkpoint; the refusal of the signer is an alarm and not the caller's trouble."""
    try:
        make_checkpoint()
    except SignerRefused as refused:
        log.error("signer_refused", code=refused.code, detail=str(refused))
    except keys.KeyRefused as refused:
        log.error("signer_refused", code="wrong_key", detail=str(refused))
        alarm("wrong_key", str(refused))


def _make(files: SignerFiles, signer: keys.Signer) -> Checkpoint | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    last = settled(files, signer)
    told = next_of(last, signer)
    if told is None:
        return None
    files.remember(told)
    return stored(told, signer)


def settled(files: SignerFiles, signer: keys.Signer) -> State:
    """Return where the last checkpoint stands, once memory and database say the same.

    Raises SignerRefused where the database is behind the memory, or tells another story.
    """
    memory = files.last()
    row = Checkpoint.objects.order_by("-number").first()
    if memory is None:
        if row is not None:
            raise SignerRefused(
                "signer_forgot",
                f"The database has checkpoint {row.number}; this signer remembers none. Give it "
                "back its folder: what it signed last must be known.",
            )
        return State(0, 0, Edge(), {}, "")
    if row is None or row.number < memory["number"]:
        if memory["number"] - (row.number if row else 0) > 1:
            raise older_backup(row.number if row else 0, memory)
        before = state_of(row) if row else State(0, 0, Edge(), {}, "")
        must_extend(before, memory)
        row = stored(memory, signer)  # a crash came between the two
    elif row.number > memory["number"]:
        row = adopted(memory, signer, files)
    elif row.note != memory["note"]:
        raise SignerRefused(
            "checkpoint_rewritten",
            f"Checkpoint {row.number} in the database is not the one that was signed.",
        )
    state = state_of(row)
    must_stand(state)
    return state


def older_backup(number: int, memory: dict[str, Any]) -> SignerRefused:
    """Return the refusal to go back behind what was signed."""
    return SignerRefused(
        "older_backup",
        f"Checkpoint {memory['number']} was signed; the database ends at checkpoint {number}: an "
        "older backup was restored, or the log's end was cut off.",
    )


def must_extend(before: State, memory: dict[str, Any]) -> None:
    """Raise SignerRefused unless the database holds exactly what the remembered root covers."""
    upto = heads_of(memory["heads"])
    edge = Edge(before.size, before.edge.hashes)
    findings, grown = grow(edge, before, upto)
    if findings or grown != upto or edge.root().hex() != memory["root"]:
        raise older_backup(before.number, memory)


def adopted(memory: dict[str, Any], signer: keys.Signer, files: SignerFiles) -> Checkpoint:
    """Go on from a checkpoint that is newer than the memory: it must be our own and extend it."""
    ours = Checkpoint.objects.filter(number=memory["number"]).first()
    row = Checkpoint.objects.order_by("-number")[0]
    if ours is None or ours.note != memory["note"]:
        raise SignerRefused(
            "checkpoint_rewritten",
            f"Checkpoint {memory['number']} in the database is not the one that was signed.",
        )
    try:
        notes.must_be_signed(row.note, signer.key)
    except notes.NoteError as error:
        raise SignerRefused(
            "checkpoint_rewritten", f"Checkpoint {row.number} is not signed by this signer."
        ) from error
    files.remember(remembered(row))
    return row


def must_stand(state: State) -> None:
    """Raise SignerRefused where an event that was signed is another one now, or is gone."""
    for name, (sequence, digest) in sorted(state.heads.items()):
        found = AuditEvent.objects.filter(chain__name=name, sequence=sequence)
        stored_hash = found.values_list("hash", flat=True).first()
        if stored_hash is None:
            raise SignerRefused(
                "tail_cut", f"Event {sequence} of {name} was signed and is not there any more."
            )
        if bytes(stored_hash) != digest:
            raise SignerRefused(
                "rewritten", f"Event {sequence} of {name} is not the one that was signed."
            )


def next_of(last: State, signer: keys.Signer) -> dict[str, Any] | None:
    """Return the checkpoint that follows, signed; None where nothing new is sound."""
    now = timezone.now()
    if last.at and timestamp(now) < last.at:
        raise SignerRefused(
            "clock_set_back",
            f"It is {now:%F %T} UTC here; the last checkpoint was signed at {last.at}.",
        )
    edge = Edge(last.size, last.edge.hashes)
    reach = reach_of(last)
    findings, heads = grow(edge, last, reach)
    for fault in named(findings, {name: number for name, (number, _) in reach.items()}):
        alarm(fault.kind, f"{fault.chain}: {fault.detail}", chain=fault.chain)
    if edge.size == last.size:
        return None
    told = notes.Checkpoint(
        origin=signer.key.name,
        size=edge.size,
        root=edge.root(),
        head=log_head((name, *reached) for name, reached in heads.items()),
        at=timestamp(now),
    )
    return {
        "number": last.number + 1,
        "size": edge.size,
        "root": edge.root().hex(),
        "edge": [digest.hex() for digest in edge.hashes],
        "heads": {name: [number, digest.hex()] for name, (number, digest) in heads.items()},
        "note": notes.sign(told.text(), signer.key.name, signer.private),
    }


def reach_of(last: State) -> Heads:
    """Return how far the next checkpoint goes in each chain: at most ``MOST`` events in all."""
    left, reach = MOST, {}
    for name, sequence, head in Chain.objects.order_by("name").values_list(
        "name", "sequence", "head"
    ):
        covered = last.heads.get(name, (0, START))[0]
        taken = min(sequence - covered, left)
        left -= max(taken, 0)
        # The hash of where it stops is known only at the head; else the walk finds it.
        reach[name] = (covered + taken, bytes(head) if covered + taken == sequence else b"")
    return reach


def grow(edge: Edge, last: State, upto: Heads) -> tuple[list[Finding], Heads]:
    """Append the leaves of the events up to ``upto``, recomputed from their bytes.

    Returns what is wrong and how far each chain is covered: a broken one is not taken further.
    """
    findings: list[Finding] = []
    heads = dict(last.heads)
    pks = dict(Chain.objects.values_list("name", "pk"))
    for name in sorted(set(upto) | set(heads)):
        after, previous = last.heads.get(name, (0, START))
        sequence, digest = upto.get(name, (0, b""))
        if name not in pks or sequence < after:
            findings.append(Fault(name, sequence + 1, "tail_cut", "Its end was cut off."))
            continue
        stretch = Stretch(pks[name], name, sequence, after, previous)
        leaves = [leaf_hash(row.hash) for row in stretch]
        if not stretch.findings and digest and stretch.head != digest:
            told = "The chain does not end in its recorded head."
            stretch.findings.append(Fault(name, sequence, "head_differs", told))
        if stretch.broken:
            findings += stretch.findings
            continue
        findings += stretch.findings
        for leaf in leaves:
            edge.add(leaf)
        if sequence:
            heads[name] = (sequence, stretch.head)
    return findings, heads


def stored(told: dict[str, Any], signer: keys.Signer) -> Checkpoint:
    """Write a signed checkpoint into the database."""
    return Checkpoint.objects.create(
        number=told["number"],
        size=told["size"],
        root=bytes.fromhex(told["root"]),
        edge=told["edge"],
        heads=told["heads"],
        note=told["note"],
        key_id=signer.number,
    )


def state_of(row: Checkpoint) -> State:
    """Return where a stored checkpoint leaves the log."""
    edge = Edge(row.size, [bytes.fromhex(digest) for digest in row.edge])
    said = notes.read_checkpoint(notes.split(row.note)[0])
    heads = heads_of(row.heads)
    head = log_head((name, *reached) for name, reached in heads.items())
    if (edge.root(), edge.size, head) != (said.root, said.size, said.head):
        raise SignerRefused(
            "checkpoint_rewritten",
            f"What is stored beside checkpoint {row.number} is not what was signed.",
        )
    return State(row.number, row.size, edge, heads, said.at)


def remembered(row: Checkpoint) -> dict[str, Any]:
    """Return a stored checkpoint as the memory keeps it, and as sinks write it."""
    return {
        "number": row.number,
        "size": row.size,
        "root": bytes(row.root).hex(),
        "edge": row.edge,
        "heads": row.heads,
        "note": row.note,
    }


def heads_of(told: dict[str, list[Any]]) -> Heads:
    """Read back where each chain stood."""
    return {name: (int(number), bytes.fromhex(digest)) for name, (number, digest) in told.items()}


def alarm(code: str, sentence: str, chain: str = "") -> None:
    """Put a fault of the log before a person, once while it is open."""
    open_exceptions(
        [
            ExceptionRecord(
                kind="log_fault",
                severity=ExceptionRecord.Severity.ALARM,
                sentence=sentence,
                facts={"fault": code, "chain": chain},
                once=f"log_fault/{code}/{chain}"[:120],
            )
        ]
    )
