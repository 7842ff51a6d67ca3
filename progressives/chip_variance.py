"""Why the chips of a table are not what its lock-outs say: pure, likeliest cause first."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from progressives.causes import (
    DUPLICATE,
    LATE,
    LOCKOUT,
    MANUAL,
    MISSING,
    OTHER_DEALER,
    Cause,
)
from progressives.chips import NOTHING, Taken, Tally
from progressives.evidence import NO_EVIDENCE, Evidence
from progressives.meters import cents
from progressives.variance import typed


def whole(tallies: Iterable[Tally]) -> Tally:
    """Add several dealers' tallies up to their table's."""
    found = Tally()
    for tally in tallies:
        found.taken += tally.taken
        found.returned += tally.returned
        found.rounds += tally.rounds
        found.miscounted += tally.miscounted
    return found


def explain_count(
    table: str,
    tally: Tally,
    counted: Decimal,
    others: Mapping[str, Decimal],
    *,
    late: Sequence[Taken] = (),
    evidence: Evidence = NO_EVIDENCE,
) -> list[Cause]:
    """Say why a count could differ from the lock-outs, likeliest first.

    ``others``: by how much the counts of this table's other dealers differ. ``late``: what was
    reported after the day's end.
    """
    gap = counted - tally.kept
    if not gap:
        return []
    causes = from_the_log(table, tally, gap, late, evidence)
    for dealer, off in others.items():
        if off == -gap:
            sentence = f"The count of dealer {dealer} is off by as much, the other way."
            causes.append(Cause(OTHER_DEALER, gap, sentence))
    mistyped = typed(counted, tally.kept, "counted")
    if mistyped is not None:
        causes.append(Cause(MANUAL, gap, mistyped))
    same = tuple((table, taken.number) for taken in tally.rounds if taken.amount == abs(gap))
    if same and not any(cause.kind in (MISSING, DUPLICATE) for cause in causes):
        kind, verb = (MISSING, "without") if gap < 0 else (DUPLICATE, "with twice")
        noun = "round" if len(same) == 1 else "rounds"
        sentence = f"It is the count {verb} one round; {len(same):,} {noun} took as much."
        causes.append(Cause(kind, gap, sentence, same[::-1]))
    if not causes:
        sentence = f"{cents(counted)} was counted; the lock-outs come to {cents(tally.kept)}."
        causes.append(Cause(MANUAL, gap, sentence))
    return causes


def from_the_log(
    table: str, tally: Tally, gap: Decimal, late: Sequence[Taken], evidence: Evidence
) -> list[Cause]:
    """Return what the log itself hints at: late, missing and doubled rounds, odd lock-outs."""
    causes = []
    early = [taken for taken in tally.rounds if taken.late]
    for rounds, way, said in (
        (late, 1, "It is the count with the rounds that came after the day's end."),
        (early, -1, "It is the count without the rounds that came late, from an earlier day."),
    ):
        if rounds and way * sum((taken.amount for taken in rounds), NOTHING) == gap:
            named = tuple((table, taken.number) for taken in rounds)
            causes.append(Cause(LATE, gap, said, named))
    if gap > 0 and evidence.skipped:
        named = tuple((found.table, found.number) for found in evidence.skipped)
        numbers = ", ".join(str(found.number) for found in evidence.skipped[:3])
        sentence = f"Round {numbers} never arrived: its number was left out. Its chips lie there."
        causes.append(Cause(MISSING, gap, sentence, named))
    amounts = {taken.number: taken.amount for taken in tally.rounds}
    for twin in evidence.twins:
        if amounts.get(twin.number) == -gap:
            sentence = f"Round {twin.number} says the same as round {twin.of}: it was told twice."
            causes.append(Cause(DUPLICATE, gap, sentence, ((table, twin.number),)))
    if sum((off for _, off in tally.miscounted), NOTHING) == gap:
        named = tuple((table, number) for number, _ in tally.miscounted)
        sentence = f"The counts at {len(named)} of the lock-outs are off by as much."
        causes.append(Cause(LOCKOUT, gap, sentence, named))
    return causes
