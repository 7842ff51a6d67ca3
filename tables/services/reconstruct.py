"""Reconstruct a round from the log alone (§ 670a.11(j)): what lay where, who was paid what, when.

Nothing is read but ``audit``'s events: the round is told as it was written down when it happened,
also where a row of another table says something else today. The rules that settled it are found by
the digest that the log names, and say what a joker stood for.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from uuid import UUID

from audit.access import HOUSES_OWN
from audit.canonical import parse
from audit.models import AuditEvent
from tables.models import Round
from tables.rules import Submission
from tables.rules.rack import rack_of
from tables.rules.shown_hands import shown_dealer, shown_hands
from tables.services.batch import round_uuid
from tables.services.between import Between, elsewhere
from tables.services.reconstruct_amended import AMENDED, amended_steps
from tables.services.submission_of import Find, find_submission

# What a position's cards and decisions may be told by, whatever the game.
HAND_KEYS = (
    *("position", "player", "status", "irregularity", "cards", "low", "surrender", "counted"),
    *("declares", "decision", "hands", "even_money", "wagers", "lamp", "envy_lammer", "paid"),
)


class NotInTheLog(Exception):
    """The log tells nothing of such a round."""


def find_round(round_id: UUID) -> tuple[str, int]:
    """Return table and number of a round's id."""
    found = Round.objects.filter(pk=round_id).values_list("table__code", "number").first()
    if found is None:
        raise NotInTheLog("There is no such round, or it is not over yet.")
    return found


class Logged(NamedTuple):
    """One event of the log, wherever it was read from."""

    chain: str
    sequence: int
    body: bytes


def reconstruct(table: str, number: int) -> dict[str, Any]:
    """Return a round as JSON: its steps in the order in which they happened.

    Raises NotInTheLog where the log has nothing of it.
    """
    events = AuditEvent.objects.filter(subject=f"{table}/{number}").exclude(action__in=HOUSES_OWN)
    rows = events.order_by("chain", "sequence").values_list("chain__name", "sequence", "body")
    logged = [Logged(chain, sequence, bytes(body)) for chain, sequence, body in rows]
    return told_of(table, number, logged, find=find_submission, between=elsewhere)


def told_of(
    table: str, number: int, events: Iterable[Logged], *, find: Find, between: Between
) -> dict[str, Any]:
    """Return a round as JSON, from its events in the order of their chains.

    ``find`` knows the submissions; ``between`` tells what moved on the lane between two of the
    round's own events.
    """
    steps: list[dict[str, Any]] = []
    told: dict[str, Any] = {"game": None, "rules": None, "gaming_day": None}
    last: Logged | None = None
    for event in events:
        body = parse(event.body)
        facts = body["facts"]
        if "entries" in facts:
            if last is not None and last.chain == event.chain:
                steps += between(event.chain, last.sequence, event.sequence)
            last = event
        names = named_by(facts)
        told |= {key: names[key] for key in told if names[key]}
        steps += steps_of(event, body, find)
    if not steps:
        raise NotInTheLog(f"The log tells nothing of round {number} at {table}.")
    return {
        "spec": "reconstruction/1",
        "table": table,
        "round": number,
        "round_id": str(round_uuid(table, number)),
        "state": state_of(steps),
        **told,
        "steps": steps,
    }


def named_by(facts: dict[str, Any]) -> dict[str, Any]:
    """Return what an event says of its round as a whole."""
    if "effects" in facts:  # an amendment: the round stays where it was
        return {"game": None, "rules": None, "gaming_day": None}
    document = facts.get("document")
    game = document.get("game") if isinstance(document, dict) else None
    outcome = facts.get("outcome") or {}
    return {"game": game, "rules": outcome.get("rules"), "gaming_day": facts.get("gaming_day")}


def state_of(steps: list[dict[str, Any]]) -> str:
    """Return how far the round has come."""
    kinds = {step["step"] for step in steps}
    if "void" in kinds:
        return "void"
    return "settled" if "dealer" in kinds else "open"


def steps_of(event: Logged, told: dict[str, Any], find: Find) -> Iterator[dict[str, Any]]:
    """Yield the steps that one event of the log tells, each with its place in the log."""
    facts = told["facts"]
    log = {"chain": event.chain, "sequence": event.sequence, "recorded_at": told["at"]}
    document = facts.get("document")
    if not isinstance(document, dict):  # what people did: claims, refusals at the door
        yield {"step": told["action"], "by": told["by"], "facts": facts, "log": log}
        return
    if told["action"] == AMENDED:
        yield from ({**step, "log": log} for step in amended_steps(told, facts))
        return
    base = {"occurred_at": document["occurred_at"], "log": log}
    if "refusal" in facts:
        yield {"step": "refused", **base, **facts["refusal"], "type": document["type"]}
        return
    if told["action"] == "tables.event_set_aside":
        yield {"step": "set_aside", **base, "error": facts["error"]}
        return
    makers = {"lockout": lockout_steps, "void": void_steps, "operation": operation_steps}
    maker = makers.get(document["type"])
    if maker is None:
        rules = facts["outcome"]["rules"]
        steps = settled_steps(document, facts, find(document["game"], rules))
    else:
        steps = maker(document, facts)
    for step in steps:
        yield {**step, **base}
    if facts.get("watched"):
        yield {"step": "watched", **base, "found": facts["watched"]}


def entries_of(facts: dict[str, Any], *kinds: str) -> list[dict[str, Any]]:
    """Return the meter's movements of these kinds, in their order."""
    return [entry for entry in facts.get("entries", ()) if entry["kind"] in kinds]


def won_by_wagers(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the table's further progressives paid for: a wager won it, no hand's turn."""
    return [e for e in entries_of(facts, "award", "reset") if "progressive" in e]


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
        "marks": document.get("marks", {}),
        "flags": facts.get("flags", []),
    }
    yield from (moved(entry) for entry in entries_of(facts, "contribution"))
    yield from (moved(entry) for entry in won_by_wagers(facts))


def operation_steps(document: dict[str, Any], facts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Tell what was done at the table beside a round, where it names one."""
    people = {key: document.get(key) for key in ("dealer", "floorperson")}
    yield {"step": "operation", **people, **document["operation"]}


def moved(entry: dict[str, Any]) -> dict[str, Any]:
    """Tell one movement of a meter."""
    return {"step": "meter", **entry}


def settled_steps(
    document: dict[str, Any], facts: dict[str, Any], submission: Submission | None
) -> Iterator[dict[str, Any]]:
    """Tell the hands and each settlement turn, with the meter before and after it."""
    outcome = facts["outcome"]
    if document["type"] == "round":
        yield from lockout_steps(document, {**facts, "flags": []})
    yield dealt_step(document, submission)
    yield from (moved(entry) for entry in entries_of(facts, "reversal"))
    stood_for = shown_dealer(outcome["dealer"], submission) if submission else {}
    yield {"step": "dealer", **outcome["dealer"], **stood_for}
    awards = [e for e in entries_of(facts, "award", "reset") if "progressive" not in e]
    for line in outcome["lines"]:
        step = {"step": "settled", **line}
        if line.get("meter_at_turn") is not None:
            step["meter"] = take_turn(awards, line["position"])
        yield step
    chapter = submission.definition.chapter if submission and submission.definition else ""
    rack = rack_of(chapter, document, outcome["dealer"], outcome["lines"])
    end = {"meters": outcome["meters"], "flags": outcome["flags"], "rack": rack}
    yield {"step": "end", **end, "claims": facts.get("claims", [])}


def dealt_step(document: dict[str, Any], submission: Submission | None) -> dict[str, Any]:
    """Tell how the cards were dealt, and how each position's lay."""
    kept = {key: document.get(key) for key in ("start", "deck", "dealing", "shuffle", "bank")}
    hands = []
    for seat in document["positions"]:
        hand = {key: seat[key] for key in HAND_KEYS if key in seat}
        if submission is not None and (shown := shown_hands(seat, submission)):
            hand["shown"] = shown
        hands.append(hand)
    return {
        "step": "dealt",
        **kept,
        "marks": document.get("marks", {}),
        "video": document.get("video", []),
        "discarded": document.get("discarded", []),
        "left_count": document.get("left_count"),
        "hands": hands,
    }


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
            for key in ("positions", "dealer_hand", "discarded", "left_count", "stub", "video")
            if key in document
        },
        "dealer": document.get("dealer"),
        "floorperson": document.get("floorperson"),
        "flags": outcome["flags"],
    }
    yield from (moved(entry) for entry in entries_of(facts, "reversal"))
    yield from ({"step": "settled", **line} for line in outcome["lines"])
