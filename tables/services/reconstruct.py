"""Reconstruct a round from the log alone (§ 670a.11(j)): what lay where, who was paid what, when.

Nothing is read but ``audit``'s events: the round is told as it was written down when it happened,
also where a row of another table says something else today.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from audit.canonical import parse
from audit.models import AuditEvent
from tables.models import Round
from tables.services.batch import round_uuid

# What a position's cards and decisions may be told by, whatever the game.
HAND_KEYS = (
    *("position", "player", "status", "cards", "low", "surrender"),
    *("declares", "decision", "hands", "even_money"),
)


class NotInTheLog(Exception):
    """The log tells nothing of such a round."""


def find_round(round_id: UUID) -> tuple[str, int]:
    """Return table and number of a round's id."""
    found = Round.objects.filter(pk=round_id).values_list("table__code", "number").first()
    if found is None:
        raise NotInTheLog("There is no such round, or it is not over yet.")
    return found


def reconstruct(table: str, number: int) -> dict[str, Any]:
    """Return a round as JSON: its steps in the order in which they happened.

    Raises NotInTheLog where the log has nothing of it.
    """
    events = AuditEvent.objects.filter(subject=f"{table}/{number}").select_related("chain")
    steps = [step for event in events.order_by("chain", "sequence") for step in steps_of(event)]
    if not steps:
        raise NotInTheLog(f"The log tells nothing of round {number} at {table}.")
    return {
        "spec": "reconstruction/1",
        "table": table,
        "round": number,
        "round_id": str(round_uuid(table, number)),
        "state": state_of(steps),
        "steps": steps,
    }


def state_of(steps: list[dict[str, Any]]) -> str:
    """Return how far the round has come."""
    kinds = {step["step"] for step in steps}
    if "void" in kinds:
        return "void"
    return "settled" if "dealer" in kinds else "open"


def steps_of(event: AuditEvent) -> Iterator[dict[str, Any]]:
    """Yield the steps that one event of the log tells, each with its place in the log."""
    told = parse(bytes(event.body))
    facts = told["facts"]
    log = {"chain": event.chain.name, "sequence": event.sequence, "recorded_at": told["at"]}
    document = facts.get("document")
    if not isinstance(document, dict):  # what people did: claims, refusals at the door
        yield {"step": told["action"], "by": told["by"], "facts": facts, "log": log}
        return
    base = {"occurred_at": document["occurred_at"], "log": log}
    if "refusal" in facts:
        yield {"step": "refused", **base, **facts["refusal"], "type": document["type"]}
        return
    if told["action"] == "tables.event_set_aside":
        yield {"step": "set_aside", **base, "error": facts["error"]}
        return
    makers = {"lockout": lockout_steps, "void": void_steps, "operation": operation_steps}
    maker = makers.get(document["type"], settled_steps)
    for step in maker(document, facts):
        yield {**step, **base}
    if facts.get("watched"):
        yield {"step": "watched", **base, "found": facts["watched"]}


def entries_of(facts: dict[str, Any], *kinds: str) -> list[dict[str, Any]]:
    """Return the meter's movements of these kinds, in their order."""
    return [entry for entry in facts.get("entries", ()) if entry["kind"] in kinds]


def lockout_steps(document: dict[str, Any], facts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Tell the wagers at "no more bets" and what each put on the meter."""
    yield {
        "step": "no_more_bets",
        "dealer": document.get("dealer"),
        "floorperson": document.get("floorperson"),
        "wagers": [
            {"position": p["position"], "player": p.get("player"), "wagers": p.get("wagers", {})}
            for p in sorted(document["positions"], key=lambda p: -p["position"])
        ],
        "chip_count": document.get("chip_count"),
        "flags": facts.get("flags", []),
    }
    yield from (moved(entry) for entry in entries_of(facts, "contribution"))


def operation_steps(document: dict[str, Any], facts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Tell what was done at the table beside a round, where it names one."""
    people = {key: document.get(key) for key in ("dealer", "floorperson")}
    yield {"step": "operation", **people, **document["operation"]}


def moved(entry: dict[str, Any]) -> dict[str, Any]:
    """Tell one movement of a meter."""
    return {"step": "meter", **entry}


def settled_steps(document: dict[str, Any], facts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Tell the hands and each settlement turn, with the meter before and after it."""
    outcome = facts["outcome"]
    if document["type"] == "round":
        yield from lockout_steps(document, {**facts, "flags": []})
    yield {
        "step": "dealt",
        "start": document.get("start"),
        "deck": document.get("deck"),
        "dealing": document.get("dealing"),
        "discarded": document.get("discarded", []),
        "hands": [
            {key: seat[key] for key in HAND_KEYS if key in seat} for seat in document["positions"]
        ],
    }
    yield from (moved(entry) for entry in entries_of(facts, "reversal"))
    yield {"step": "dealer", **outcome["dealer"]}
    awards = entries_of(facts, "award", "reset")
    for line in outcome["lines"]:
        step = {"step": "settled", **line}
        if line.get("meter_at_turn") is not None:
            step["meter"] = take_turn(awards, line["position"])
        yield step
    yield {"step": "end", "meters": outcome["meters"], "flags": outcome["flags"]}


def take_turn(awards: list[dict[str, Any]], position: int) -> list[dict[str, Any]]:
    """Take from ``awards`` what moved at the position's turn: its award and a reset behind it."""
    taken: list[dict[str, Any]] = []
    while awards and awards[0]["position"] == position:
        if taken and awards[0]["kind"] == "award":
            break
        taken.append(awards.pop(0))
    return taken


def void_steps(document: dict[str, Any], facts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Tell why the round is void, what left the meter and what went back to whom."""
    outcome = facts["outcome"]
    yield {
        "step": "void",
        "irregularity": document.get("irregularity"),
        "evidence": {
            key: document[key]
            for key in ("positions", "dealer_hand", "discarded", "left_count", "stub")
            if key in document
        },
        "flags": outcome["flags"],
    }
    yield from (moved(entry) for entry in entries_of(facts, "reversal"))
    yield from ({"step": "settled", **line} for line in outcome["lines"])
