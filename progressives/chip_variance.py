"""Why the chips of a table are not what its lock-outs say: pure, likeliest cause first."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from progressives.chips import NOTHING, Tally
from progressives.meters import cents
from progressives.variance import (
    DUPLICATE,
    LATE,
    LOCKOUT,
    MANUAL,
    MISSING,
    OTHER_DEALER,
    Cause,
    typed,
)


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
    table: str, tally: Tally, counted: Decimal, others: Mapping[str, Decimal]
) -> list[Cause]:
    """Say why a count could differ from the lock-outs, likeliest first.

    ``others``: by how much the counts of this table's other dealers differ.
    """
    gap = counted - tally.kept
    if not gap:
        return []
    causes = []
    if sum((off for _, off in tally.miscounted), NOTHING) == gap:
        rounds = tuple((table, number) for number, _ in tally.miscounted)
        sentence = f"The counts at {len(rounds)} of the lock-outs are off by as much."
        causes.append(Cause(LOCKOUT, gap, sentence, rounds))
    for dealer, off in others.items():
        if off == -gap:
            sentence = f"The count of dealer {dealer} is off by as much, the other way."
            causes.append(Cause(OTHER_DEALER, gap, sentence))
    late = [taken for taken in tally.rounds if taken.late]
    if late and sum((taken.amount for taken in late), NOTHING) == -gap:
        rounds = tuple((table, taken.number) for taken in late)
        sentence = (
            "It is the count without the rounds that were reported late, from an earlier day."
        )
        causes.append(Cause(LATE, gap, sentence, rounds))
    mistyped = typed(counted, tally.kept, "counted")
    if mistyped is not None:
        causes.append(Cause(MANUAL, gap, mistyped))
    same = tuple((table, taken.number) for taken in tally.rounds if taken.amount == abs(gap))
    if same:
        kind, verb = (MISSING, "without") if gap < 0 else (DUPLICATE, "with twice")
        noun = "round" if len(same) == 1 else "rounds"
        sentence = f"It is the count {verb} one round; {len(same):,} {noun} took as much."
        causes.append(Cause(kind, gap, sentence, same[::-1]))
    if not causes:
        sentence = f"{cents(counted)} was counted; the lock-outs come to {cents(tally.kept)}."
        causes.append(Cause(MANUAL, gap, sentence))
    return causes
