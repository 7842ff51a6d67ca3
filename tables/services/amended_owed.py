"""What an amendment changes of what is owed: payouts, adjustments, Envy Bonuses."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from progressives.models import EnvyPayout, JackpotClaim
from progressives.must_hit import MUST_HIT
from progressives.services.ledger import Priced, RoundFacts
from tables.rules import ProgressiveWin, Settled
from tables.services.amended_round import NOTHING, Original, Wagers, Work, shown
from tables.services.awards import envy_row, meter_facts, won
from tables.services.turn import AtTurn

State, Kind = JackpotClaim.State, JackpotClaim.Kind


def change_payouts(
    original: Original,
    settled: Settled,
    turn: AtTurn,
    priced: Mapping[int, Priced],
    work: Work,
) -> None:
    """Say which payouts open, which are taken back, what was paid that was not due."""
    won_before = {line["position"]: shown(line) for line in original.lines if is_win(line)}
    won_now = {win.position: win for win in settled.wins}
    claims: dict[int, list[JackpotClaim]] = defaultdict(list)
    of_round = JackpotClaim.objects.filter(round_id=original.round.pk)
    for claim in of_round.exclude(hand=MUST_HIT).order_by("pk"):  # a wager won that, no hand
        claims[claim.position].append(claim)
    for position in sorted({*won_before, *won_now}, reverse=True):
        win = won_now.get(position)
        if won_before.get(position) == (shown(win.line) if win else None):
            continue
        change_payout(position, claims[position], win, turn, priced.get(position), work)


def is_win(line: Mapping[str, Any]) -> bool:
    return bool(line["wager"] == "progressive" and line["result"] == "win")


def change_payout(
    position: int,
    claims: list[JackpotClaim],
    win: ProgressiveWin | None,
    turn: AtTurn,
    priced: Priced | None,
    work: Work,
) -> None:
    """Replace what a position was to be paid; what it was paid stays with the player."""
    stood = {claim.pk: stood_at(claim) for claim in claims}
    paid = sum((c.amount for c in claims if stood[c.pk] == State.PAID), NOTHING)
    work.taken_back += [c for c in claims if stood[c.pk] not in (State.PAID, State.VOIDED)]
    due = NOTHING
    if win is not None:
        due = priced.pays if priced else (win.pays or NOTHING)
    off = sum((c.amount - c.reset_put_in for c in claims if off_the_meter(c, stood[c.pk])), NOTHING)
    share = priced.pays - priced.reset_put_in if priced else NOTHING
    if off or share:
        work.adjustments.append((position, off - share))
    if paid > due:
        work.overpaid.append({"position": position, "paid": str(paid), "due": str(due)})
    if win is not None and due > paid and turn.meter is not None:
        progressive = turn.meter.meter.progressive
        claim = won(progressive.lane_id, turn, progressive.pk, win, due - paid, None)
        work.opened.append(claim._replace(version=work.version, **meter_facts(priced)))


def stood_at(claim: JackpotClaim) -> str:
    """Return where a payout stands, or stood before it was disputed."""
    if claim.state != State.DISPUTED:
        return str(claim.state)
    raised = claim.steps.filter(kind="disputed").latest("pk")
    return str(raised.facts["from"])


def off_the_meter(claim: JackpotClaim, stood: str) -> bool:
    """Whether a payout's share is off its meter still."""
    if claim.kind != Kind.METER or stood == State.VOIDED:
        return False
    return not claim.steps.filter(kind="returned").exists()


def adjust_wagers(original: Original, wagers: Wagers, work: Work) -> None:
    """Add what the wagers change on the meter; order the adjustments so that it never dips."""
    last = original.round.amendments.filter(
        decision__kind="approved", version=original.version
    ).first()
    had = wagers.net
    if last is not None:
        had = {int(p): Decimal(amount) for p, amount in last.effects["net"].items()}
    total: dict[int, Decimal] = defaultdict(Decimal)
    for position, amount in work.adjustments:
        total[position] += amount
    for position in {*had, *work.net}:
        change = work.net.get(position, NOTHING) - had.get(position, NOTHING)
        if change:
            total[position] += change
    needed = {claim.position for claim in work.opened if claim.kind == Kind.METER}
    kept = {p: amount for p, amount in total.items() if amount or p in needed}
    kept |= {p: NOTHING for p in needed if p not in kept}
    work.adjustments = sorted(kept.items(), key=lambda pair: (-pair[1], -pair[0]))


# ---- Envy Bonuses ---------------------------------------------------------------------------


def change_envies(original: Original, settled: Settled, facts: RoundFacts, work: Work) -> None:
    """Say which Envy Bonuses are owed now that were not, and which are not any more."""
    found = EnvyPayout.objects.filter(round_id=original.round.pk).select_related("payment")
    held: dict[tuple[str, int, int], list[EnvyPayout]] = defaultdict(list)
    for envy in found.order_by("pk"):
        held[envy.wager, envy.position, envy.from_position].append(envy)
    for now in settled.envies:
        had = held.pop((now.wager, now.position, now.from_position), [])
        standing = [e for e in had if not hasattr(e, "payment") or e.payment.kind == "paid"]
        if sum((e.amount for e in standing), NOTHING) == now.pays:
            continue
        paid = drop(standing, work)
        if now.pays > paid:
            lane_id = original.round.table.lane_id
            owed = now._replace(pays=now.pays - paid)
            work.owed.append(envy_row(lane_id, facts, owed, work.version))
        elif paid > now.pays:
            overpaid_envy(standing[0], paid, now.pays, work)
    for had in held.values():
        standing = [e for e in had if not hasattr(e, "payment") or e.payment.kind == "paid"]
        if paid := drop(standing, work):
            overpaid_envy(standing[0], paid, NOTHING, work)


def drop(standing: Sequence[EnvyPayout], work: Work) -> Decimal:
    """Drop what is not paid yet; return what was paid."""
    work.dropped += [envy for envy in standing if not hasattr(envy, "payment")]
    return sum((envy.amount for envy in standing if hasattr(envy, "payment")), NOTHING)


def overpaid_envy(envy: EnvyPayout, paid: Decimal, due: Decimal, work: Work) -> None:
    told = {"position": envy.position, "paid": str(paid), "due": str(due)}
    work.overpaid.append({**told, "envy_from": envy.from_position, "wager": envy.wager})
