"""What an amendment is about: a settled round as it stands, and what changes of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256
from typing import Any, NamedTuple

from audit.canonical import canonical, parse
from progressives.meters import cents
from progressives.models import EnvyPayout, JackpotClaim
from progressives.services.claims_open import ClaimFacts
from progressives.services.rounds import standing_of
from tables.models import AppliedEvent, Round, RoundAmendment, TableEvent

NOTHING = Decimal(0)
SHOWN = ("result", "hand", "terms", "pays", "returned", "stake")


class Original(NamedTuple):
    """A settled round as it came in: its event, and the lane's numbers of lock-out and settlement.

    ``document`` is the one that its present version was settled from.
    """

    round: Round
    event: TableEvent
    document: dict[str, Any]
    lines: list[dict[str, Any]]
    locked_at: int
    settled_at: int
    version: int


class Wagers(NamedTuple):
    """What the round's wagers put on its meter, by position: the first settlement's own entries."""

    before: Decimal  # the meter when the settlement came
    added: dict[int, Decimal]
    stakes: dict[int, Decimal]
    net: dict[int, Decimal]  # what is left of it after reversals


@dataclass
class Work:
    """An amendment worked out: the outcome's next version and all that follows from it."""

    outcome: dict[str, Any]
    rules: str
    version: int
    differences: list[dict[str, Any]] = field(default_factory=list)
    adjustments: list[tuple[int, Decimal]] = field(default_factory=list)
    opened: list[ClaimFacts] = field(default_factory=list)
    taken_back: list[JackpotClaim] = field(default_factory=list)
    overpaid: list[dict[str, Any]] = field(default_factory=list)
    dropped: list[EnvyPayout] = field(default_factory=list)
    owed: list[tuple[Any, ...]] = field(default_factory=list)
    net: dict[int, Decimal] = field(default_factory=dict)
    terms: dict[str, str] = field(default_factory=dict)  # the meter's, of then

    def effects(self) -> dict[str, Any]:
        """Return what both people are shown, as JSON."""
        return {
            "adjustments": [[position, cents(amount)] for position, amount in self.adjustments],
            "differences": self.differences,
            "envies_dropped": [envy_told(envy) for envy in self.dropped],
            "envies_owed": [
                {
                    "wager": row[5],
                    "position": row[6],
                    "from_position": row[8],
                    "amount": str(row[12]),
                }
                for row in self.owed
            ],
            "net": {str(position): cents(amount) for position, amount in sorted(self.net.items())},
            "meter_terms": self.terms,
            "opened": [
                {"position": c.position, "hand": c.hand, "kind": c.kind, "amount": str(c.amount)}
                for c in self.opened
            ],
            "overpaid": self.overpaid,
            "taken_back": [
                {"claim": c.pk, "position": c.position, "hand": c.hand, "amount": str(c.amount)}
                for c in self.taken_back
            ],
        }

    def digest(self) -> str:
        """Return the hash over outcome and effects."""
        told = {"effects": self.effects(), "outcome": self.outcome, "rules": self.rules}
        return sha256(canonical(told)).hexdigest()


def differences_of(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return each line that is another now: what it was, what it is, what the player gets more."""
    old, new = by_place(before), by_place(after)
    found = []
    for place in sorted({*old, *new}, key=lambda key: (-key[0], *key[1:])):
        was, now = shown(old.get(place)), shown(new.get(place))
        if was == now:
            continue
        change = got(now) - got(was)
        said = {"position": place[0], "wager": place[1], "change": f"{change:+.2f}"}
        found.append({**said, "before": was, "after": now})
    return found


def by_place(lines: Sequence[Mapping[str, Any]]) -> dict[tuple[int, str, int, int], Any]:
    """Return lines by position, wager, whose hand, and which of several of the same place."""
    found: dict[tuple[int, str, int, int], Any] = {}
    for line in lines:
        place = line["position"], line["wager"], line.get("from_position") or 0
        number = 0
        while (*place, number) in found:
            number += 1
        found[*place, number] = line
    return found


def shown(line: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if line is None else {key: line.get(key) for key in SHOWN}


def got(line: Mapping[str, Any] | None) -> Decimal:
    """Return what a line hands to its player, stake included."""
    if line is None:
        return NOTHING
    return Decimal(line["pays"] or 0) + Decimal(line["returned"] or 0)


def envy_told(envy: EnvyPayout) -> dict[str, Any]:
    """Return an Envy Bonus as both people are shown it."""
    return {
        "wager": envy.wager,
        "position": envy.position,
        "from_position": envy.from_position,
        "amount": str(envy.amount),
    }


def find_original(found: Round) -> Original:
    """Return a settled round with the document that its present version was settled from."""
    events = TableEvent.objects.filter(
        table=found.table, round=found.number, applied__state=AppliedEvent.State.APPLIED
    ).select_related("applied")
    by_type = {event.type: event for event in events}
    event = by_type.get("round") or by_type["settlement"]
    locked = by_type.get("lockout", event)
    version = standing_of(found.pk)["version"]
    last = (
        RoundAmendment.objects.filter(round=found, version=version, decision__kind="approved")
        .order_by("pk")
        .last()
    )
    if last is None:
        lines = [line for seat in found.seats.order_by("-position") for line in seat.lines]
        document = parse(bytes(event.body))
    else:
        lines, document = last.outcome["lines"], parse(bytes(last.document))
    return Original(
        found, event, document, lines, locked.applied.number, event.applied.number, version
    )
