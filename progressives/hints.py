"""What a wrong reading could mean, where the log itself gives a hint: pure."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from progressives.causes import DUPLICATE, LATE, MISSING, RATE, Cause, place_told, places
from progressives.evidence import Evidence
from progressives.retold import NOTHING, Move

POSITIONS = 6  # of a table, at the most
RATES_OFF = [Decimal(d) for d in ("-1", "1", "-2", "2", "-0.5", "0.5", "-3", "3", "-5", "5")]
HOUR, ABOUT = timedelta(hours=1), timedelta(minutes=15)
FEWEST = 5  # wagers that say anything of a rate


def hinted_causes(
    log: Sequence[Move],
    after: Sequence[Move],
    gap: Decimal,
    percent: Decimal,
    evidence: Evidence,
) -> list[Cause]:
    """Return what the log hints at, the surest first. ``gap``: the reading less the replay."""
    found = [
        came_late(after, gap),
        never_came(log, gap, percent, evidence),
        came_twice(log, gap, evidence),
        another_rate(log, gap, percent),
    ]
    return [cause for cause in found if cause is not None]


def came_late(after: Sequence[Move], gap: Decimal) -> Cause | None:
    """Return whether the reading holds what was reported only after the day had been ended."""
    late = [moved for moved in after if moved.late]
    if not late or sum((moved.amount for moved in late), NOTHING) != gap:
        return None
    rounds = places(late)
    said = f"{len(rounds)} round{'' if len(rounds) == 1 else 's'}"
    sentence = (
        f"The reading holds {said} of this day that came after its end, from {place_told(late[0])} "
        f"to {place_told(late[-1])}: an adjustment of the next day."
    )
    return Cause(LATE, gap, sentence, rounds)


def never_came(
    log: Sequence[Move], gap: Decimal, percent: Decimal, evidence: Evidence
) -> Cause | None:
    """Return whether the reading holds rounds whose numbers a table left out."""
    stakes = {moved.stake for moved in log if moved.kind == "contribution" and moved.stake}
    if gap <= 0 or not evidence.skipped or len(stakes) != 1:
        return None
    each = stakes.pop() * percent / 100
    wagers, rest = divmod(gap, each)
    if rest or wagers > POSITIONS * len(evidence.skipped):
        return None
    rounds = tuple((skipped.table, skipped.number) for skipped in evidence.skipped)
    named = ", ".join(f"{table} round {number}" for table, number in rounds[:3])
    more = f" and {len(rounds) - 3:,} more" if len(rounds) > 3 else ""
    count = f"{int(wagers)} wager{'' if wagers == 1 else 's'}"
    sentence = (
        f"{named}{more} never arrived: its number was left out. The reading holds {count} of it."
    )
    return Cause(MISSING, gap, sentence, rounds)


def came_twice(log: Sequence[Move], gap: Decimal, evidence: Evidence) -> Cause | None:
    """Return whether the reading is the meter without rounds that say the same as another."""
    if gap >= 0 or not evidence.twins:
        return None
    added: dict[tuple[str, int | None], Decimal] = defaultdict(Decimal)
    for moved in log:
        added[moved.table, moved.round] += moved.amount
    every = tuple(evidence.twins)
    for twins in (every, *((twin,) for twin in every)):
        if sum((added[twin.table, twin.number] for twin in twins), NOTHING) == -gap:
            named = ", ".join(
                f"{twin.table} round {twin.number} says the same as round {twin.of}"
                for twin in twins[:3]
            )
            rounds = tuple((twin.table, twin.number) for twin in twins)
            return Cause(DUPLICATE, gap, f"{named}: it was counted twice.", rounds)
    return None


def another_rate(log: Sequence[Move], gap: Decimal, percent: Decimal) -> Cause | None:
    """Return about which hour the sign could have used another rate, if any comes to as much.

    Whole rounds only. Where several hours would do, the smallest error of the rate is likeliest,
    and of these the run that fits an hour best.
    """
    moves = [m for m in log if m.kind == "contribution" and m.stake and m.at and not m.late]
    timed = sorted(((datetime.fromisoformat(m.at), m) for m in moves), key=lambda pair: pair[0])
    times = [at for at, _ in timed]
    sums = [NOTHING]
    for _, moved in timed:
        sums.append(sums[-1] + (moved.stake or NOTHING))
    for off in RATES_OFF:
        wanted = gap * 100 / off
        if wanted <= 0 or percent + off <= 0:
            continue
        fits = [(off_an_hour(times, *run), run) for run in windows(sums, wanted)]
        likely = min((fit for fit in fits if fit[0] <= ABOUT), default=None)
        if likely is not None:
            first, last = likely[1]
            return rate_cause([moved for _, moved in timed[first : last + 1]], gap, percent, off)
    return None


def rate_cause(moves: Sequence[Move], gap: Decimal, percent: Decimal, off: Decimal) -> Cause:
    """Say between which rounds a sign could have used another rate."""
    rate = f"{(percent + off).normalize():f}% instead of {percent.normalize():f}%"
    sentence = (
        f"It is the meter with {rate} for about an hour: {len(moves):,} wagers from "
        f"{place_told(moves[0])} to {place_told(moves[-1])}, {moves[0].at} to {moves[-1].at}."
    )
    return Cause(RATE, gap, sentence, places(moves))


def off_an_hour(times: Sequence[datetime], first: int, last: int) -> timedelta:
    """Return by how much a run of wagers misses an hour; one that cuts a round in two misses all.

    The hour began between the wager before the run and its first one, and ended likewise.
    """
    before = times[first - 1] if first else datetime.min.replace(tzinfo=UTC)
    after = times[last + 1] if last + 1 < len(times) else datetime.max.replace(tzinfo=UTC)
    inner, outer = times[last] - times[first], after - before
    if before == times[first] or after == times[last]:
        return timedelta.max
    return max(inner - HOUR, HOUR - outer, timedelta(0))


def windows(sums: Sequence[Decimal], wanted: Decimal) -> list[tuple[int, int]]:
    """Return the runs of wagers whose stakes come to exactly so much: first and last, both in."""
    found, first = [], 0
    for last in range(1, len(sums)):
        while sums[last] - sums[first] > wanted:
            first += 1
        if sums[last] - sums[first] == wanted and last - first >= FEWEST:
            found.append((first, last - 1))
    return found
