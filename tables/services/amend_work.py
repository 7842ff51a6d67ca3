"""Work an amendment out: settle the corrected document as then, and compare it with what stands.

Nothing is written here. The meter is followed from where it stood before the round was settled, so
that each share is priced as it would have been at its turn (§ 670a.12(d)(3)); what came later
stands, and the difference becomes an adjustment.
"""

from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from audit.canonical import parse
from audit.models import AuditEvent
from audit.services import chain_of_lane
from progressives.meters import RunningMeter, increment
from progressives.models import Meter, MeterEntry
from progressives.retold import CHANGED
from progressives.services.control_terms import give_terms
from progressives.services.ledger import LevelMeter, Priced, RoundFacts
from tables import rules
from tables.rules import Settled
from tables.services.amended_owed import adjust_wagers, change_envies, change_payouts
from tables.services.amended_round import NOTHING, Original, Wagers, Work, differences_of
from tables.services.terms import TermsBook
from tables.services.turn import AtTurn


def work_out(
    original: Original, document: Mapping[str, Any], meter: LevelMeter | None, facts: RoundFacts
) -> Work:
    """Settle the corrected document under the submission in force then, and say what changes.

    Raises Refusal where the document could not have been the round's.
    """
    book = TermsBook([original.round.table], retired_too=True)
    terms = book.at(original.round.table, original.round.occurred_at)
    told = dict(document)
    rules.check_event(told, terms)
    settled = rules.settle(told, terms)
    pending: Any = original.event
    turn = AtTurn(pending, original.round.table, terms, told, False, facts, meter)
    priced: dict[int, Priced] = {}
    work = Work(settled.outcome, settled.outcome["rules"], original.version + 1)
    wagers = None
    if meter is not None:
        give_terms_of_then(original, meter)
        wagers = first_wagers(original, meter.meter)
        running = RunningMeter(wagers.before, book.meter_terms(meter, terms))
        work.terms = {
            "increment_percent": str(running.terms.increment_percent),
            "reset": str(running.terms.reset),
        }
        priced = price(original, settled, wagers, running, meter, work)
    work.differences = differences_of(original.lines, work.outcome["lines"])
    change_payouts(original, settled, turn, priced, work)
    if meter is not None and wagers is not None:
        adjust_wagers(original, wagers, work)
    change_envies(original, settled, facts, work)
    return work


def give_terms_of_then(original: Original, meter: LevelMeter) -> None:
    """Give the meter the terms that held when the round was settled: later changes undone.

    Only in the hands of whoever works the amendment out; the meter's row keeps its own.
    """
    progressive = meter.meter.progressive
    name = f"{progressive.code}:{meter.name}"
    found = AuditEvent.objects.filter(
        chain__name=chain_of_lane(progressive.lane.name), action=CHANGED
    )
    for body in found.order_by("-sequence").values_list("body", flat=True):
        facts = parse(bytes(body))["facts"]
        if facts["lane_number"] <= original.settled_at:
            break
        if facts.get("meter") == name and facts.get("before"):
            give_terms(meter, facts["before"])


def first_wagers(original: Original, meter: Meter) -> Wagers:
    """Return what the round's wagers did to the meter, by the ledger's own entries."""
    entries = MeterEntry.objects.filter(meter=meter)
    before = entries.filter(lane_number__lt=original.settled_at).order_by("-sequence").first()
    locked = entries.filter(lane_number__lt=original.locked_at).order_by("-sequence").first()
    of_round = entries.filter(
        sequence__gt=locked.sequence if locked else 0,
        lane_number__lte=original.settled_at,
        round_id=original.round.pk,
    )
    added: dict[int, Decimal] = {}
    stakes: dict[int, Decimal] = {}
    net: dict[int, Decimal] = defaultdict(Decimal)
    for entry in of_round.order_by("sequence"):
        if entry.kind not in ("contribution", "reversal"):
            continue
        position = entry.position or 0
        net[position] += entry.amount
        if entry.kind == "contribution":
            added[position], stakes[position] = entry.amount, entry.stake or NOTHING
    return Wagers(before.after if before else NOTHING, added, stakes, dict(net))


def price(
    original: Original,
    settled: Settled,
    wagers: Wagers,
    running: RunningMeter,
    meter: LevelMeter,
    work: Work,
) -> dict[int, Priced]:
    """Follow the meter through the corrected round; return what each share comes to."""
    in_one = original.event.type == "round"
    added = {
        c.position: increment_of(c.position, c.stake, wagers, running)
        for c in settled.contributions
    }
    for position in sorted({*added, *wagers.added}, reverse=True):
        already = NOTHING if in_one else wagers.added.get(position, NOTHING)
        if change := added.get(position, NOTHING) - already:
            running.move("contribution", change)
    before, net = running.value, dict(added)
    for position in settled.reversals:
        moved = running.reverse(added[position]) if added.get(position) else None
        net[position] = added.get(position, NOTHING) + (moved.amount if moved else NOTHING)
    found, paid = {}, NOTHING
    for win in settled.wins:
        if win.percent is None:
            continue
        award = running.award(win.percent)
        reset = running.value - award.after
        rules.price_win(win, award.before, -award.amount)
        found[win.position] = Priced(meter.meter.pk, 0, award.before, -award.amount, reset)
        paid -= award.amount
    strip = {"before": before, "contributed": sum(added.values(), NOTHING), "paid": paid}
    strip["after"] = running.value
    told = {key: str(value) for key, value in strip.items()}
    work.outcome["meters"] = [{"level": meter.meter.level, **told}]
    work.net = net
    return found


def increment_of(position: int, stake: Decimal, wagers: Wagers, running: RunningMeter) -> Decimal:
    """Return what a wager puts on the meter: what it did put there, or at that round's own rate."""
    if wagers.stakes.get(position) == stake:
        return wagers.added[position]
    for other, amount in wagers.added.items():
        if wagers.stakes[other]:
            return increment(stake, amount * 100 / wagers.stakes[other])
    return increment(stake, running.terms.increment_percent)
