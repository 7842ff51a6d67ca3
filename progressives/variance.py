"""Why a meter is not where it should be: pure comparison, down to rounds, likeliest cause first.

Two questions. Where the ledger and the log differ, each round that differs is named. Where only the
reading differs, nothing but its own figures is known: what it could mean is ranked.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal

from progressives.causes import (
    DUPLICATE,
    FOLLOWS,
    LATE,
    MANUAL,
    MISSING,
    ORDER,
    RATE,
    Cause,
    place_told,
    places,
    rounds_told,
)
from progressives.evidence import NO_EVIDENCE, Evidence
from progressives.hints import hinted_causes
from progressives.meters import cents
from progressives.retold import NOTHING, Move

Key = tuple[str, str, int | None, int | None]


def by_key(moves: Iterable[Move]) -> dict[Key, list[Move]]:
    """Group movements by what they are of."""
    found: dict[Key, list[Move]] = defaultdict(list)
    for moved in moves:
        found[moved.kind, moved.table, moved.round, moved.position].append(moved)
    return found


def amounts(moves: dict[Key, list[Move]]) -> dict[Key, list[Decimal]]:
    """Return only what moved."""
    return {key: [moved.amount for moved in same] for key, same in moves.items()}


def explain(
    log: Sequence[Move],
    ledger: Sequence[Move],
    *,
    percent: Decimal,
    after: Sequence[Move] = (),
    reading: Decimal | None = None,
    published: Decimal | None = None,
    evidence: Evidence = NO_EVIDENCE,
) -> list[Cause]:
    """Return every reason found, likeliest first: what differs in the ledger, then the reading."""
    causes = differences(log, ledger, percent, after)
    if reading is not None and published is not None and reading != published:
        causes += reading_causes(log, after, reading, published, percent, evidence)
    return causes


# ---- the ledger beside the log --------------------------------------------------------------


def differences(
    log: Sequence[Move], ledger: Sequence[Move], percent: Decimal, after: Sequence[Move]
) -> list[Cause]:
    """Name each round in which the ledger is not what the log says."""
    told, entered = by_key(log), by_key(ledger)
    if amounts(told) == amounts(entered):
        return []
    later = {(moved.table, moved.round) for moved in after}
    missing: list[Move] = []
    twice: list[Move] = []
    late: list[Move] = []
    unknown: list[Move] = []
    rates: dict[Decimal, list[tuple[Move, Decimal]]] = defaultdict(list)
    other: list[tuple[Move, Decimal]] = []
    for key in told.keys() | entered.keys():
        said, wrote = told.get(key, []), entered.get(key, [])
        missing += said[len(wrote) :]
        if said:
            twice += wrote[len(said) :]
        elif (key[1], key[2]) in later:
            late += wrote
        else:
            unknown += wrote
        for one, two in zip(said, wrote, strict=False):
            if one.amount == two.amount:
                continue
            if one.kind == "contribution" and one.stake:
                rates[two.amount * 100 / one.stake].append((one, two.amount - one.amount))
            else:
                other.append((one, two.amount - one.amount))
    causes = whole_rounds(missing, twice, late, unknown)
    causes += [rate_cause(rate, pairs, percent) for rate, pairs in rates.items()]
    if other:
        amount = sum((gap for _, gap in other), NOTHING)
        what = ", ".join(sorted({moved.kind for moved, _ in other}))
        sentence = f"In {rounds_told(m for m, _ in other)} the ledger has another {what}."
        causes.append(Cause(FOLLOWS, amount, sentence, places(m for m, _ in other)))
    return sorted(causes, key=lambda c: (ORDER[c.kind], -abs(c.amount), c.kind))


def whole_rounds(
    missing: list[Move], twice: list[Move], late: list[Move], unknown: list[Move]
) -> list[Cause]:
    """Name what the ledger lacks, has twice, has too early, or has and the log does not."""
    causes = []
    if missing:
        amount = -sum((m.amount for m in missing), NOTHING)
        sentence = f"The log has {rounds_told(missing)}; the ledger does not."
        causes.append(Cause(MISSING, amount, sentence, places(missing)))
    if twice:
        amount = sum((m.amount for m in twice), NOTHING)
        sentence = f"The ledger has {rounds_told(twice)} more than once."
        causes.append(Cause(DUPLICATE, amount, sentence, places(twice)))
    if late:
        amount = sum((m.amount for m in late), NOTHING)
        sentence = f"The ledger has {rounds_told(late)}, which the log counts in a later day."
        causes.append(Cause(LATE, amount, sentence, places(late)))
    if unknown:
        amount = sum((m.amount for m in unknown), NOTHING)
        sentence = f"No event explains {rounds_told(unknown)}: entered by hand."
        causes.append(Cause(MANUAL, amount, sentence, places(unknown)))
    return causes


def rate_cause(rate: Decimal, pairs: list[tuple[Move, Decimal]], percent: Decimal) -> Cause:
    """Say between which rounds another rate was used."""
    pairs.sort(key=lambda pair: pair[0].lane_number)
    first, last = pairs[0][0], pairs[-1][0]
    hours = f", {first.at} to {last.at}" if first.at and last.at else ""
    sentence = (
        f"{len(pairs):,} wager{'' if len(pairs) == 1 else 's'} from {place_told(first)} to "
        f"{place_told(last)} went on at {rate.normalize():f}%, not {percent.normalize():f}%{hours}."
    )
    amount = sum((gap for _, gap in pairs), NOTHING)
    return Cause(RATE, amount, sentence, places(m for m, _ in pairs))


# ---- the reading beside both ----------------------------------------------------------------


def reading_causes(
    log: Sequence[Move],
    after: Sequence[Move],
    reading: Decimal,
    published: Decimal,
    percent: Decimal,
    evidence: Evidence,
) -> list[Cause]:
    """Say what a reading could mean where log and ledger agree on something else.

    First what the log itself gives a hint of, then a figure that was mistyped, then what only
    comes to as much.
    """
    gap = reading - published
    hinted = hinted_causes(log, after, gap, percent, evidence)
    causes = [cause for cause in hinted if cause.kind != RATE]
    manual = typed(reading, published)
    if manual is not None:
        causes.append(Cause(MANUAL, gap, manual))
    run = tail(reversed(log), -gap) if gap < 0 else tail(after, gap)
    if run and not any(cause.kind == LATE for cause in causes):
        when = "before the day's last" if gap < 0 else "after the day's end, with the first"
        sentence = f"It may have been read {when}: {rounds_told(run)}."
        causes.append(Cause(LATE, gap, sentence, places(run)))
    causes += [cause for cause in hinted if cause.kind == RATE]
    if not any(cause.kind in (MISSING, DUPLICATE) for cause in causes):
        causes += as_much_as_a_round(log, gap)
    if not causes:
        sentence = f"{cents(reading)} was read; ledger and log agree on {cents(published)}."
        causes.append(Cause(MANUAL, gap, sentence))
    return causes


def as_much_as_a_round(log: Sequence[Move], gap: Decimal) -> list[Cause]:
    """Say where the reading is the meter without, or with twice, a round that added as much."""
    sums: dict[tuple[str, int | None], Decimal] = defaultdict(Decimal)
    for moved in log:
        if moved.kind == "contribution":
            sums[moved.table, moved.round] += moved.amount
    same = tuple(place for place, amount in sums.items() if amount == abs(gap))
    if not same:
        return []
    kind, verb = (MISSING, "without") if gap < 0 else (DUPLICATE, "with twice")
    sentence = f"It is the meter {verb} one round; {len(same):,} rounds added as much."
    return [Cause(kind, gap, sentence, same[::-1])]


def typed(reading: Decimal, published: Decimal, verb: str = "read") -> str | None:
    """Say how a figure was mistyped: digits exchanged, one digit wrong, whole dollars off."""
    gap = reading - published
    one, two = f"{reading:.6f}", f"{published:.6f}"
    if len(one) == len(two):
        apart = [place for place in range(len(one)) if one[place] != two[place]]
        if len(apart) == 1:
            return f"One digit differs: {cents(reading)} was {verb}, {cents(published)} expected."
        if len(apart) == 2 and [one[p] for p in apart] == [two[p] for p in apart][::-1]:
            return f"Two digits are exchanged: {cents(reading)} for {cents(published)}."
    if gap == gap.to_integral_value():
        return f"Exactly ${abs(gap):,.0f} off: {cents(reading)} for {cents(published)}."
    return None


def tail(moves: Iterable[Move], amount: Decimal) -> list[Move]:
    """Return the movements in a row that come to the amount, if they do."""
    found: list[Move] = []
    total = NOTHING
    for moved in moves:
        found.append(moved)
        total += moved.amount
        if total == amount:
            return found
        if total > amount or len(found) >= 200:
            break
    return []
