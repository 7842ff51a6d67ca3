"""Put what is odd about an event before a person, with the facts that the desk sorts it by."""

from decimal import Decimal
from typing import Any

from audit.models import ExceptionRecord
from progressives.services.ledger import RoundFacts
from tables import rules
from tables.rules.wagers import told_wager
from tables.rules.watch.late import late_wagers
from tables.services.turn import AtTurn, Lockout

Severity = ExceptionRecord.Severity


def record_of(facts: RoundFacts, kind: str, sentence: str, told: dict[str, Any]) -> ExceptionRecord:
    """Return the record of something odd at its place, as a flag or a refusal tells it."""
    round_id = None if facts.round_id is None else str(facts.round_id)
    place = {"gaming_day": facts.gaming_day.isoformat(), "round_id": round_id}
    desk = {"dealer": facts.dealer, "lane_number": facts.lane_number, **place, **told}
    if "paid" in told and "due" in told:
        desk |= difference(told["paid"], told["due"])
    return ExceptionRecord(
        kind=kind,
        severity=told.get("severity", Severity.EXCEPTION),
        table=facts.table,
        round=facts.round,
        position=told.get("position"),
        sentence=sentence,
        cite=told.get("cite") or "",
        facts=desk,
    )


def difference(paid: str, due: str) -> dict[str, str]:
    """Say by how much a payment was wrong, and for whom."""
    amount = Decimal(paid) - Decimal(due)
    return {"difference": f"{amount:+.2f}", "direction": "over" if amount > 0 else "under"}


def refused(turn: AtTurn, refusal: rules.Refusal, locked: Lockout | None) -> ExceptionRecord:
    """Return the record of an event that was refused at its turn.

    A settlement with a wager that its lock-out does not have is an alarm: somebody wagered after
    "no more bets" (§ 670a.2(c)(2)).
    """
    told = {"code": refusal.code, "path": refusal.path, "cite": refusal.cite or ""}
    told["detail"] = refusal.detail
    definition = turn.terms.submission.definition
    if locked is not None and definition and refusal.code == "wagers_changed_after_lockout":
        late = late_wagers(turn.document, locked.document, definition.after_lockout)
        if late:
            first = late[0]
            sentence = (
                f"Position {first['position']}: a {first['wager'].replace('_', ' ')} wager of"
                f" {told_wager(first['amount'])} was made or raised after the lock-out."
            )
            alarm = {"severity": Severity.ALARM, "late": late, **first}
            return record_of(turn.facts, "wager_after_lockout", sentence, told | alarm)
    return record_of(turn.facts, "event_refused_at_turn", refusal.detail, told)
