"""The sample day of the replay tests, and what the pure engine alone says it comes to.

``python -m tests.days`` makes the files in ``tests/data/day`` anew: events of the simulator, some
sent twice, some after their followers, and a file of events that must be refused.
"""

import json
from copy import deepcopy
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from progressives.meters import MeterTerms, RunningMeter, cents
from tables.rules import Submission, TableTerms, lockout, price_win, settle
from tables.services.replay_file import Sent, in_turn_order, read_line
from tables.simulator import Start, play

DAY = Path(__file__).parent / "data" / "day"
SETUP, EVENTS = DAY / "setup.json", DAY / "events.ndjson"
REFUSED, EXPECTED = DAY / "refused.ndjson", DAY / "expected.json"
BEGINS = datetime(2026, 3, 14, 11, tzinfo=UTC)
ROUNDS, SEED = 90, 2489
REPEATED, SWAPPED = 5, 6


def read_lines(path: Path) -> list[Any]:
    """Return the JSON values of a file's lines."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def terms_of(setup: Any) -> dict[str, TableTerms]:
    """Return each table's terms under the set-up's one submission of its game."""
    chosen = {choices["game"]: choices for choices in setup["rules_submissions"]}
    units = {p["code"]: Decimal(p["wager_unit"]) for p in setup["progressives"]}
    return {
        table["code"]: TableTerms(
            table["code"],
            table["game"],
            table["positions"],
            Submission.make(table["game"], chosen[table["game"]]),
            units.get(table.get("progressive")),
        )
        for table in setup["tables"]
    }


class PureDay:
    """A day settled by the rules and the meters' arithmetic, without a database or a door."""

    def __init__(self, setup: Any) -> None:
        self.terms = terms_of(setup)
        self.progressive = {t["code"]: t.get("progressive") for t in setup["tables"]}
        self.meters = {
            p["code"]: RunningMeter(
                Decimal(level["initial"]),
                MeterTerms(Decimal(level["increment_percent"]), Decimal(level["reset"])),
            )
            for p in setup["progressives"]
            for level in p["levels"]
        }
        self.locked: dict[tuple[str, int], list[Decimal]] = {}
        self.claims: list[dict[str, Any]] = []
        self.rounds = self.voids = self.mispays = 0

    def take(self, event: Any) -> None:
        """Take one event at its turn."""
        if event["type"] == "operation":
            return
        key, terms = (event["table"], event["round"]), self.terms[event["table"]]
        meter = self.meters[self.progressive[event["table"]]]
        if event["type"] in ("lockout", "round"):
            added = [meter.contribute(c.stake).amount for c in lockout(event, terms).contributions]
            if event["type"] == "lockout":
                self.locked[key] = added
                return
        if event["type"] == "void":
            for amount in self.locked.pop(key, []):
                meter.reverse(amount)
            self.voids += 1
            return
        self.locked.pop(key, None)
        self.settle(event, terms, meter)

    def settle(self, event: Any, terms: TableTerms, meter: RunningMeter) -> None:
        """Price the round's awards one by one, in settlement order (§ 670a.12(d)(3))."""
        settled = settle(event, terms)
        self.rounds += 1
        self.mispays += sum(flag["code"] == "mispay" for flag in settled.flags)
        told = []
        for win in settled.wins:
            claim = {"table": event["table"], "round": event["round"], "position": win.position}
            if win.percent is not None:
                award = meter.award(win.percent)
                price_win(win, award.before, -award.amount)
                shown = {"meter_at_turn": cents(award.before), "pays": str(-award.amount)}
                claim |= {"hand": win.hand, **shown}
            told.append(claim)
        self.claims += sorted(told, key=lambda claim: int(claim["position"]))


def expected_of(setup: Any, events: list[Any]) -> dict[str, Any]:
    """Return what a replay of these events must come to, by the pure engine."""
    sent = [read_line(json.dumps(event)) for event in events]
    fresh: dict[str | None, Sent] = {}
    for event in sent:
        fresh.setdefault(event.event_id, event)
    day = PureDay(setup)
    for event in in_turn_order(list(fresh.values())):
        day.take(json.loads(event.raw))
    return {
        "events_sent": len(sent),
        "events_applied": len(fresh),
        "retries": len(sent) - len(fresh),
        "meters": {code: cents(meter.value) for code, meter in sorted(day.meters.items())},
        "claims": len(day.claims),
        "meter_claims": [claim for claim in day.claims if "pays" in claim],
        "mispays": day.mispays,
        "rounds": day.rounds,
        "out_of_order": SWAPPED,
        "voids": day.voids,
    }


# ---- making the files -----------------------------------------------------------------------


def make_events(setup: Any, seed: int) -> list[Any]:
    """Let the simulator play; then repeat some events and let some overtake each other."""
    starts = [Start(terms) for terms in terms_of(setup).values()]
    zone = ZoneInfo(setup["facility"]["time_zone"])
    played = play(starts, rounds=ROUNDS, seed=seed, begins=BEGINS, zone=zone, lucky=True)
    events = [moment.event for moment in played]
    rng = Random(seed)
    swapped: set[str] = set()
    while len(swapped) < 2 * SWAPPED:
        place = rng.randrange(10, len(events) - 10)
        table = events[place]["table"]
        later = next(n for n in range(place + 1, len(events)) if events[n]["table"] == table)
        ids = {events[place]["event_id"], events[later]["event_id"]}
        if not ids & swapped:
            events.insert(later, events.pop(place))  # its follower overtakes it
            swapped |= ids
    for _ in range(REPEATED):
        place = rng.randrange(len(events) - 30)
        events.insert(place + rng.randint(1, 25), deepcopy(events[place]))
    return events


def make_refused(events: list[Any]) -> list[Any]:
    """Return lines that name the refusal of the event they hold: one thing wrong in each."""
    sound = next(event for event in events if event["type"] == "round")
    seat = sound["positions"][0]
    wrong: list[tuple[str, str, list[Any]]] = [
        ("missing_key", "event_id", ["event_id"]),
        ("unknown_key", "postions", ["postions", []]),
        ("wrong_type", "sequence", ["sequence", "900"]),
        ("bad_money", "positions[0].wagers.main", ["positions", 0, "wagers", "main", 25]),
        ("bad_card", "positions[0].cards[0]", ["positions", 0, "cards", 0, "1S"]),
        ("duplicate_card", "dealer_hand.cards[0]", ["dealer_hand", "cards", 0, seat["cards"][0]]),
        ("progressive_unit", "positions[0].wagers.progressive", [*_WAGERS, "progressive", "2.00"]),
        ("main_wager_required", "positions[0].wagers", [*_WAGERS, {"fortune_bonus": "5.00"}]),
        ("unknown_table", "table", ["table", "T-9"]),
        ("game_mismatch", "game", ["game", "lunar_poker"]),
    ]
    lines = []
    for number, (code, path, change) in enumerate(wrong, 1):
        event = deepcopy(sound)
        event |= {"event_id": f"5eed0000-0000-4000-8000-{number:012}", "sequence": 900}
        put(event, change)
        lines.append({"code": code, "path": path, "note": "", "event": event})
    return lines


_WAGERS = ["positions", 0, "wagers"]


def put(event: Any, change: list[Any]) -> None:
    """Put the last of ``change`` at the place that the others name; a single key is taken out."""
    if len(change) == 1:
        del event[change[0]]
        return
    *steps, last, value = change
    for step in steps:
        event = event[step]
    event[last] = value


def write_lines(path: Path, values: list[Any]) -> None:
    """Write JSON values, one a line."""
    path.write_text("".join(json.dumps(v, separators=(",", ":")) + "\n" for v in values))


if __name__ == "__main__":
    made = json.loads(SETUP.read_text())
    write_lines(EVENTS, make_events(made, SEED))
    write_lines(REFUSED, make_refused(read_lines(EVENTS)))
    EXPECTED.write_text(json.dumps(expected_of(made, read_lines(EVENTS)), indent=1) + "\n")
