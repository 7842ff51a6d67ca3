"""What a round owes beyond the table: claims for progressive wins, Envy Bonuses."""

from decimal import Decimal
from typing import Any

from progressives.models import JackpotClaim
from progressives.services.claims_open import ClaimFacts
from progressives.services.ledger import Priced, RoundFacts
from tables import rules
from tables.services.turn import AtTurn

SAMPLE = " (sample)"  # figures that no regulation has: every screen says so

FIXED, METER = JackpotClaim.Kind.FIXED.value, JackpotClaim.Kind.METER.value


def claim_of(lane_id: int, turn: AtTurn, win: rules.ProgressiveWin) -> ClaimFacts:
    """Return the claim of a progressive win, a share of the meter priced at its turn.

    Moves the meter for a meter award (§ 670a.12(d)(3)) and writes what it came to into the
    win's line.
    """
    facts = turn.facts
    if turn.meter is None or facts.round_id is None or facts.round is None:
        raise ValueError("a progressive wager won at a table without a progressive")
    priced = None
    pays = win.pays
    cards = " ".join(win.cards)
    if win.percent is not None:
        priced = turn.meter.award(
            facts,
            position=win.position,
            percent=win.percent,
            stake=win.stake,
            hand=win.hand,
            cards=cards,
        )
        rules.price_win(win, priced.meter_at_turn, priced.pays)
        pays = priced.pays
    if pays is None:
        raise ValueError("a progressive wager won neither a sum nor a share")
    return won(lane_id, turn, turn.meter.meter.progressive_id, win, pays, priced)


def won(
    lane_id: int,
    turn: AtTurn,
    progressive_id: int,
    win: rules.ProgressiveWin,
    pays: Decimal,
    priced: Priced | None,
) -> ClaimFacts:
    """Return the claim of a win whose price is known."""
    facts = turn.facts
    if facts.round_id is None or facts.round is None:
        raise ValueError("a win belongs to a round")
    return ClaimFacts(
        lane_id=lane_id,
        lane_number=facts.lane_number,
        progressive_id=progressive_id,
        round_id=facts.round_id,
        table=facts.table,
        round=facts.round,
        position=win.position,
        player=win.player or "",
        dealer=facts.dealer,
        floorperson=turn.document.get("floorperson", ""),
        hand=win.hand,
        cards=" ".join(win.cards),
        joker_as=rules.joker_as(turn.terms, win.cards) or "",
        dealt=" ".join(turn.document["positions"][win.index].get("cards", ())),
        stake=win.stake,
        terms=f"{win.line['terms']}{SAMPLE if turn.terms.submission.mark else ''}",
        cite=win.line["cite"],
        amount=pays,
        lamp=win.lamp,
        flags=[flag["code"] for flag in win.flags],
        gaming_day=facts.gaming_day,
        occurred_at=turn.pending.occurred_at,
        accepted_at=turn.pending.accepted_at,
        **meter_facts(priced),
    )


def meter_facts(priced: Priced | None) -> dict[str, Any]:
    """Return what only the claim of a meter award says."""
    if priced is None:
        return {"kind": FIXED}
    return {
        "kind": METER,
        "meter_id": priced.meter_id,
        "entry_sequence": priced.sequence,
        "meter_at_turn": priced.meter_at_turn,
        "reset_put_in": priced.reset_put_in,
    }


def envy_row(
    lane_id: int, facts: RoundFacts, envy: rules.Envy, version: int = 1
) -> tuple[Any, ...]:
    """Return the row of an Envy Bonus that the house owes (§ 670a.12(b)(2), (d)(4))."""
    number, day, round_id, table, round_number, dealer = facts
    return (
        (lane_id, number, round_id, table, round_number, envy.wager, envy.position)
        + (envy.player or "", envy.from_position, version, envy.hand, envy.stake, envy.pays)
        + (envy.line["cite"], dealer, day)
    )
