"""The further progressives of a table: fed by a wager of the round, won by reaching a drawn amount.

A game's own progressive is priced by its hands, in ``batch``; these know no hands.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from audit.services import LogEvent
from progressives.models import JackpotClaim, MeterRetirement
from progressives.must_hit import MUST_HIT
from progressives.services.claims_open import ClaimFacts
from progressives.services.ledger import Ledger, Priced
from progressives.services.level_meters import MustHitMeter
from progressives.services.must_hit import committed, revealed
from tables import rules
from tables.models import GamingTable, TableProgressive
from tables.services.turn import AtTurn, Fed, Put

CITE = "§ 605a.7"


class Outcome(NamedTuple):
    """What a round's wagers did to a table's further progressives."""

    put: list[Put]
    claims: list[ClaimFacts]
    log: list[LogEvent]


def feeds_of(
    tables: Iterable[GamingTable], *, retired_too: bool = False
) -> dict[int, tuple[Fed, ...]]:
    """Return what each of these tables feeds besides its game's own progressive."""
    retired = MeterRetirement.objects.values("meter__progressive")  # takes no wager any more
    rows = TableProgressive.objects.filter(table__in=list(tables)).select_related("progressive")
    if not retired_too:
        rows = rows.exclude(progressive__in=retired)
    found: dict[int, tuple[Fed, ...]] = {}
    for row in rows.order_by("pk"):
        made = Fed(row.progressive_id, row.progressive.code, row.wager, row.progressive.wager_unit)
        found[row.table_id] = (*found.get(row.table_id, ()), made)
    return found


def feed(lane_id: int, ledger: Ledger, turn: AtTurn, settled: rules.Settled) -> Outcome:
    """Put the round's wagers on every level, in turn order; open a claim where one wins a level.

    A wager counts by whole units: what a smaller one would add is not a fraction of anything.
    """
    put: list[Put] = []
    claims: list[ClaimFacts] = []
    log: list[LogEvent] = []
    for fed in turn.further:
        for position, wagered in wagers_of(turn, settled, fed.wager):
            stake = wagered // fed.unit * fed.unit
            for held in ledger.levels(fed.progressive_id) if stake else ():
                amount = held.contribute(turn.facts, position, stake)
                won = isinstance(held, MustHitMeter) and held.reached
                put.append(Put(position, amount, held.meter.pk, fed.wager, won))
                if isinstance(held, MustHitMeter) and won:
                    priced = held.win(turn.facts, position, stake)
                    claims.append(claim_of(lane_id, turn, held, priced, position, stake))
                    log += told(turn, held, priced, position)
    return Outcome(put, claims, log)


def wagers_of(turn: AtTurn, settled: rules.Settled, wager: str) -> list[tuple[int, Decimal]]:
    """Return (position, stake) of everybody who made the wager, in turn order."""
    if wager == "progressive":
        return [(made.position, made.stake) for made in settled.contributions]
    made = [
        (seat["position"], Decimal(seat["wagers"][wager]))
        for seat in turn.document["positions"]
        if wager in seat.get("wagers", {})
    ]
    return sorted(made, key=lambda pair: -pair[0])


def take_back(ledger: Ledger, turn: AtTurn, put: Sequence[Put]) -> list[int]:
    """Take what returned wagers put on the levels off again; return the positions that had won."""
    meters = {held.meter.pk: held for held in ledger.meters.values()}
    for one in put:
        meters[one.meter_id].reverse(turn.facts, one.position, one.amount)
    return [one.position for one in put if one.won]


def returned(turn: AtTurn, settled: rules.Settled, put: Sequence[Put]) -> list[Put]:
    """Return what was put on by wagers that the settlement gave back."""
    if not put:
        return []
    back = {
        (line["position"], line["wager"])
        for line in settled.outcome["lines"]
        if line["result"] == "returned"
    }
    back |= {(position, "progressive") for position in settled.reversals}
    return [one for one in put if (one.position, one.wager) in back]


def claim_of(
    lane_id: int, turn: AtTurn, held: MustHitMeter, priced: Priced, position: int, stake: Decimal
) -> ClaimFacts:
    """Return the claim of a level that a position's wager has won: no hand, no cards."""
    facts = turn.facts
    if facts.round_id is None or facts.round is None:
        raise ValueError("a level is won in a round")
    seat = next(s for s in turn.document["positions"] if s["position"] == position)
    return ClaimFacts(
        lane_id=lane_id,
        lane_number=facts.lane_number,
        progressive_id=held.meter.progressive_id,
        kind=JackpotClaim.Kind.METER.value,
        round_id=facts.round_id,
        table=facts.table,
        round=facts.round,
        position=position,
        player=seat.get("player", ""),
        dealer=facts.dealer,
        floorperson=turn.document.get("floorperson", ""),
        hand=MUST_HIT,
        cards="",
        dealt="",
        stake=stake,
        terms=f"must hit by ${held.meter.must_hit_by:.2f}",
        cite=CITE,
        amount=priced.pays,
        lamp=seat.get("lamp"),
        flags=[],
        gaming_day=facts.gaming_day,
        occurred_at=turn.pending.occurred_at,
        accepted_at=turn.pending.accepted_at,
        meter_id=priced.meter_id,
        entry_sequence=priced.sequence,
        meter_at_turn=priced.meter_at_turn,
        reset_put_in=priced.reset_put_in,
    )


def told(turn: AtTurn, held: MustHitMeter, priced: Priced, position: int) -> list[LogEvent]:
    """Return the pages that reveal what was drawn and commit what is drawn next."""
    won, facts = held.won[-1], turn.facts
    number = {"lane_number": facts.lane_number}
    more = {"position": position, "amount": str(priced.pays), **number}
    subject = f"{facts.table}/{facts.round}"
    return [revealed(won, subject, **more), committed(won.following, **number)]


def told_claim(claim: ClaimFacts) -> dict[str, Any]:
    """Return a claim as the round's page in the log tells it."""
    told = {"hand": claim.hand, "kind": claim.kind, "position": claim.position}
    return {**told, "amount": str(claim.amount)}


def put_in(
    entries: Sequence[dict[str, Any]], meters: dict[str, int], feeds: Sequence[Fed]
) -> list[Put]:
    """Return what a lock-out put on further progressives, read from its page in the log.

    ``meters``: the key of each, by the name that pages give it ("MYSTERY:mini").
    """
    wagers = {fed.code: fed.wager for fed in feeds}
    named = [entry for entry in entries if entry.get("progressive") in wagers]
    awards = {(e["progressive"], e["level"], e["sequence"]) for e in named if e["kind"] == "award"}
    return [
        Put(
            e["position"],
            Decimal(e["amount"]),
            meters[f"{e['progressive']}:{e['level']}"],
            wagers[e["progressive"]],
            (e["progressive"], e["level"], e["sequence"] + 1) in awards,
        )
        for e in named
        if e["kind"] == "contribution"
    ]
