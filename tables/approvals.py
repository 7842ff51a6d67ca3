"""How payouts are approved, from every side, and which three people meet more often than by chance.

Pure. The measure: within each gaming day and shift, whoever validates a payout is taken to be
independent of its dealer and player. So of a dealer's and a player's payouts each supervisor is
expected to validate his share of that shift; over all shifts the sum is what is expected of the
three. How improbable it is to see so many or more is the upper tail of a Poisson distribution, and
since many triples are looked at, the probability is multiplied by their number (Bonferroni).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from math import exp, log
from statistics import median, quantiles
from typing import Any

UNLIKELY = 0.01  # of all triples together, by chance
FEWEST = 3  # payouts: two meetings are never told
FENCE = 3.0  # spreads between the quartiles, of logarithms: beyond it a time is an outlier
FEWEST_TIMES = 8  # below it nothing is an outlier


@dataclass(frozen=True)
class Approval:
    """One payout that was validated: by whom, for whom, how fast, and what became of it."""

    claim: int
    table: str
    round: int
    position: int
    dealer: str
    player: str
    supervisor: str
    amount: Decimal
    day: date
    shift: int
    hour: int
    opened_at: datetime
    validated_at: datetime
    manual: bool
    changed: bool

    @property
    def seconds(self) -> float:
        """How long it took from the claim to its validation."""
        return max((self.validated_at - self.opened_at).total_seconds(), 0.0)


@dataclass
class Group:
    """Approvals that have something in common."""

    name: str
    approvals: list[Approval] = field(default_factory=list)

    @property
    def number(self) -> int:
        return len(self.approvals)

    @property
    def amount(self) -> Decimal:
        return sum((one.amount for one in self.approvals), Decimal(0))

    @property
    def times(self) -> list[float]:
        return [one.seconds for one in self.approvals]

    @property
    def median_seconds(self) -> float:
        return median(self.times)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The times between which the middle half lies."""
        if self.number < 2:
            return self.times[0], self.times[0]
        first, _, third = quantiles(self.times, n=4, method="inclusive")
        return first, third

    def percent(self, chosen: Callable[[Approval], bool]) -> Decimal:
        """Return in how many of a hundred it is so."""
        part = sum(1 for one in self.approvals if chosen(one))
        return (Decimal(100 * part) / self.number).quantize(Decimal("0.1"))

    @property
    def manual_percent(self) -> Decimal:
        return self.percent(lambda one: one.manual)

    @property
    def changed_percent(self) -> Decimal:
        return self.percent(lambda one: one.changed)


@dataclass(frozen=True)
class Triple:
    """Dealer, supervisor and player who meet more often than by chance."""

    dealer: str
    supervisor: str
    player: str
    seen: int
    expected: float
    probability: float  # of so many or more, for all triples looked at together
    amount: Decimal
    claims: tuple[int, ...]


@dataclass
class Watched:
    """Approvals looked at from every side."""

    whole: Group
    supervisors: list[Group]
    dealers: list[Group]
    positions: list[Group]
    hours: list[Group]
    outliers: list[Approval]
    triples: list[Triple]
    triples_looked_at: int


def watch(approvals: Sequence[Approval]) -> Watched:
    """Look at approvals by supervisor, dealer, position and hour, at their times and triples."""
    triples, looked_at = standing_out(approvals)
    return Watched(
        Group("All", list(approvals)),
        sorted(grouped(approvals, lambda one: one.supervisor), key=most_first),
        sorted(grouped(approvals, lambda one: one.dealer), key=most_first),
        sorted(grouped(approvals, lambda one: str(one.position)), key=lambda group: group.name),
        sorted(grouped(approvals, lambda one: f"{one.hour:02}"), key=lambda group: group.name),
        outliers(approvals),
        triples,
        looked_at,
    )


def grouped(approvals: Iterable[Approval], name: Callable[[Approval], str]) -> list[Group]:
    """Return the approvals of each name."""
    found: dict[str, Group] = {}
    for one in approvals:
        found.setdefault(name(one), Group(name(one))).approvals.append(one)
    return list(found.values())


def most_first(group: Group) -> tuple[Any, ...]:
    """Order by number, then by name."""
    return -group.number, group.name


def outliers(approvals: Sequence[Approval]) -> list[Approval]:
    """Return the payouts validated oddly fast or oddly slowly, the fastest first.

    Odd is what lies beyond Tukey's outer fences of the logarithms of the seconds.
    """
    if len(approvals) < FEWEST_TIMES:
        return []
    logs = [log(max(one.seconds, 0.5)) for one in approvals]
    first, _, third = quantiles(logs, n=4, method="inclusive")
    lowest, highest = first - FENCE * (third - first), third + FENCE * (third - first)
    odd = [one for one, value in zip(approvals, logs, strict=True)
           if not lowest <= value <= highest]  # fmt: skip
    return sorted(odd, key=lambda one: one.seconds)


def standing_out(approvals: Sequence[Approval]) -> tuple[list[Triple], int]:
    """Return the triples that meet too often, the most improbable first, and of how many."""
    known = [one for one in approvals if one.dealer and one.player]
    met: dict[tuple[str, str, str], list[Approval]] = defaultdict(list)
    for one in known:
        met[one.dealer, one.supervisor, one.player].append(one)
    expected = expectations(known)
    found = []
    for (dealer, supervisor, player), seen in met.items():
        if len(seen) < FEWEST:
            continue
        likely = expected[dealer, supervisor, player]
        probability = min(poisson_tail(len(seen), likely) * len(met), 1.0)
        if probability < UNLIKELY:
            amount = sum((one.amount for one in seen), Decimal(0))
            claims = tuple(one.claim for one in seen)
            found.append(
                Triple(dealer, supervisor, player, len(seen), likely, probability, amount, claims)
            )
    return sorted(found, key=lambda triple: (triple.probability, -triple.seen)), len(met)


def expectations(approvals: Iterable[Approval]) -> dict[tuple[str, str, str], float]:
    """Return how often each dealer, supervisor and player would meet by chance."""
    expected: dict[tuple[str, str, str], float] = defaultdict(float)
    for stratum in strata(approvals):
        supervisors = Counter(one.supervisor for one in stratum)
        pairs = Counter((one.dealer, one.player) for one in stratum)
        for (dealer, player), number in pairs.items():
            for supervisor, validated in supervisors.items():
                expected[dealer, supervisor, player] += number * validated / len(stratum)
    return expected


def strata(approvals: Iterable[Approval]) -> Iterator[list[Approval]]:
    """Yield the approvals of each shift of each gaming day."""
    found: dict[tuple[date, int], list[Approval]] = defaultdict(list)
    for one in approvals:
        found[one.day, one.shift].append(one)
    yield from found.values()


def poisson_tail(seen: int, expected: float) -> float:
    """Return how probable ``seen`` or more are where ``expected`` are expected."""
    if seen <= 0:
        return 1.0
    term = exp(-expected)
    for number in range(1, seen + 1):
        term *= expected / number  # now of exactly ``number``
    tail, number = term, seen
    while term > tail * 1e-16 and number < seen + 10_000:
        number += 1
        term *= expected / number
        tail += term
    return min(tail, 1.0)
