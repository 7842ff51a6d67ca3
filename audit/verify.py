"""Verify the log: every chain from its bytes, the tree, the signatures, and what lies outside.

``verify_log`` does it all; ``verify_chains`` walks the chains only. The heads are read first: what
is appended during the walk is left to the next one.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from audit import crew
from audit.anchors import Anchored, check_anchors
from audit.chain import START, log_head
from audit.models import AuditEvent, Chain
from audit.walking import Absent, Fault, Finding, Moved, Stretch, named

__all__ = ["Fault", "Plan", "Verification", "verify_chains", "verify_log"]

STEP = 20_000  # events in one piece of work

Told = Callable[[int], None]


@dataclass
class Verification:
    """What the walk came to: how many events, one hash over all heads, checkpoints, faults."""

    events: int = 0
    head: str = ""
    checkpoints: int = 0
    outside: int = 0
    faults: list[Fault] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.faults


@dataclass(frozen=True)
class Plan:
    """Where the chains stood when the walk began: (pk, name, sequence, head in hex)."""

    heads: list[tuple[int, str, int, str]]

    @classmethod
    def make(cls) -> "Plan":
        """Read the heads as they are now."""
        rows = Chain.objects.order_by("name").values_list("pk", "name", "sequence", "head")
        return cls([(pk, name, number, bytes(head).hex()) for pk, name, number, head in rows])

    @property
    def head(self) -> str:
        """Return one hash over all heads."""
        return log_head((name, number, bytes.fromhex(head)) for _, name, number, head in self.heads)

    def pieces(self) -> list[crew.Piece]:
        """Return the walk in pieces that can be done in any order."""
        return [
            crew.Piece("audit.verify:walk_piece", (pk, name, after, last), last - after)
            for pk, name, number, _ in self.heads
            for after, last in spans(number)
        ]


def spans(number: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a chain of this length; one even where it is empty."""
    for after in range(0, max(number, 1), STEP):
        yield after, min(after + STEP, number)


def walk_piece(chain_id: int, name: str, after: int, last: int) -> dict[str, Any]:
    """Walk one stretch of a chain; the answer is JSON."""
    stretch = Stretch(chain_id, name, last, after, hash_at(chain_id, after))
    walked = sum(1 for _ in stretch)
    found = [[type(one).__name__, *one] for one in stretch.findings]
    return {"walked": walked, "found": found}


def hash_at(chain_id: int, sequence: int) -> bytes | None:
    """Return the stored hash of an event; None where it is not there."""
    if not sequence:
        return START
    rows = AuditEvent.objects.filter(chain_id=chain_id, sequence=sequence)
    found = rows.values_list("hash", flat=True).first()
    return None if found is None else bytes(found)


def read_finding(told: Sequence[Any]) -> Finding:
    """Read back a finding of a stretch."""
    kinds: dict[str, Any] = {"Fault": Fault, "Moved": Moved, "Absent": Absent}
    found: Finding = kinds[told[0]](*told[1:])
    return found


def verify_chains(progress: Told | None = None) -> Verification:
    """Recompute every link of every chain from the stored bytes, here and now."""
    plan = Plan.make()
    pieces = plan.pieces()
    answers = crew.run(pieces, tell=lambda _, a: progress(a["walked"]) if progress else None)
    return verification_of(plan, answers)


def verification_of(plan: Plan, answers: Sequence[dict[str, Any]]) -> Verification:
    """Return what the walk's answers come to, with what lies at and behind each head."""
    found = [read_finding(told) for answer in answers for told in answer["found"]]
    ends = {name: number for _, name, number, _ in plan.heads}
    result = Verification(sum(answer["walked"] for answer in answers), plan.head)
    result.faults = named(found, ends)
    broken_ends = {f.chain for f in result.faults if f.kind == "tail_cut"}
    for pk, name, number, head in plan.heads:
        if name not in broken_ends and hash_at(pk, number) != bytes.fromhex(head):
            told = "The chain does not end in its recorded head."
            result.faults.append(Fault(name, number, "head_differs", told))
        result.faults += beyond_the_head(pk, name, number)
    return result


def verify_log(
    progress: Told | None = None, outside: Sequence[Anchored] = (), first_key: str = ""
) -> Verification:
    """Verify chains, tree, signatures and what was kept outside."""
    return with_anchors(verify_chains(progress), outside, first_key)


def with_anchors(
    result: Verification, outside: Sequence[Anchored], first_key: str = ""
) -> Verification:
    """Add what the checkpoints say, the database's own and those that were kept outside."""
    found = check_anchors(result.faults, outside, first_key)
    result.checkpoints, result.outside = found.checkpoints, found.outside
    result.faults = found.faults
    return result


def beyond_the_head(chain_id: int, name: str, sequence: int) -> Iterator[Fault]:
    """Yield a fault where events lie behind the head that the chain itself does not know."""
    fresh = Chain.objects.get(pk=chain_id)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT min(sequence) FROM audit_auditevent WHERE chain_id = %s AND sequence > %s",
            [chain_id, max(sequence, fresh.sequence)],
        )
        (first,) = cursor.fetchone()
    still = Chain.objects.get(pk=chain_id).sequence
    if first is not None and first > still:
        yield Fault(name, first, "beyond_head", f"Event {first} lies behind the chain's head.")
