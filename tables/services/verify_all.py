"""Verify everything: the log, the tree, the signatures, each round, meter and claim.

``verify_all`` is what ``manage verify_audit`` runs: in pieces, on all cores, and able to go on
where it was interrupted. Whatever the number of processes, the findings come in the same order.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db import DatabaseError

from audit import crew
from audit.anchors import Anchored
from audit.verify import Plan, Verification, read_finding, spans, verification_of, with_anchors
from audit.walking import Fault
from progressives.models import Meter
from progressives.services.must_hit_verify import must_hit_faults
from progressives.services.reconcile import reconcile
from tables.services.unlogged import unlogged

DATABASE = "database"  # what faults outside the chains are filed under


@dataclass
class Everything:
    """What the verification came to."""

    log: Verification
    rounds: int = 0
    meters: int = 0
    faults: list[Fault] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.faults


def pieces_of(plan: Plan, *, log_only: bool = False) -> list[crew.Piece]:
    """Return all work: each stretch of a chain walked, and each of a lane's settled again."""
    pieces = plan.pieces()
    if not log_only:
        pieces += [
            crew.Piece(
                "tables.services.resettle:settle_piece", (pk, name, *span), span[1] - span[0]
            )
            for pk, name, number, _ in plan.heads
            if name.startswith("lane:")
            for span in spans(number)
        ]
    return pieces


def verify_all(
    *,
    jobs: int = 1,
    outside: Sequence[Anchored] = (),
    first_key: str = "",
    log_only: bool = False,
    kept: crew.Kept | None = None,
    resume: bool = False,
    begun: Callable[[int, int], None] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Everything:
    """Verify the log and what it must have come to.

    ``begun`` is told how much there is to do and how much of it was done before.
    """
    before = kept.read() if kept is not None and resume else None
    plan = Plan([tuple(head) for head in before[0]]) if before else Plan.make()
    done = before[1] if before else {}
    if kept is not None and not before:
        kept.begin(plan.heads)
    pieces = pieces_of(plan, log_only=log_only)
    if begun is not None:
        begun(sum(p.weight for p in pieces), sum(pieces[place].weight for place in done))

    def tell(place: int, answer: Any) -> None:
        if kept is not None:
            kept.add(place, answer)
        if progress is not None:
            progress(pieces[place].weight)

    answers = crew.run(pieces, jobs=jobs, done=done, tell=tell)
    walked = [a for p, a in zip(pieces, answers, strict=True) if p.work.startswith("audit.")]
    settled = answers[len(walked) :]
    log = with_anchors(verification_of(plan, walked), outside, first_key)
    found = Everything(log, sum(a["rounds"] for a in settled), faults=list(log.faults))
    if not log_only:
        found.faults += [read_finding(told) for a in settled for told in a["found"]]  # type: ignore[misc]
        found.faults += meters_follow(settled)
        found.faults += database_faults()
        found.meters = Meter.objects.count()
    if kept is not None:
        kept.end()
    return found


def meters_follow(settled: Sequence[dict[str, Any]]) -> Iterator[Fault]:
    """Yield a fault where a stretch does not begin where a meter stood at the end of the last."""
    stood: dict[str, tuple[int, Decimal]] = {}
    for answer in settled:
        for name, (sequence, value, last, after) in sorted(answer["meters"].items()):
            if name in stood and stood[name] != (sequence, Decimal(value)):
                told = f"Meter {name} stood at {stood[name][1]}; the log goes on from {value}."
                yield Fault(DATABASE, 0, "meter_differs", told)
            stood[name] = last, Decimal(after)
    for meter in Meter.objects.select_related("progressive").order_by("pk"):
        name = f"{meter.progressive.code}:{meter.name}"
        if name in stood and stood[name][0] == meter.sequence and stood[name][1] != meter.value:
            told = f"Meter {name} shows {meter.value}; by the log it stands at {stood[name][1]}."
            yield Fault(DATABASE, 0, "meter_differs", told)


def database_faults() -> Iterator[Fault]:
    """Yield what the ledger's own sums and the rows that no event tells come to."""
    for meter in reconcile():
        if meter.difference:
            told = f"Meter {meter.meter} shows {meter.difference} more than its entries come to."
            yield Fault(DATABASE, 0, "meter_changed", told)
        for sentence in meter.faults:
            yield Fault(DATABASE, 0, "meter_entries", f"Meter {meter.meter}: {sentence}")
    for sentence in must_hit_faults():
        yield Fault(DATABASE, 0, "must_hit", sentence)
    try:
        counted = unlogged()
    except DatabaseError as error:  # an event's bytes are no document any more: it is named above
        yield Fault(DATABASE, 0, "unlogged", f"The log cannot be compared with the rows: {error}")
        return
    for what, number in counted.items():
        told = f"The log tells nothing of {number} {what}{'' if number == 1 else 's'}."
        yield Fault(DATABASE, 0, "unlogged", told)
