"""A gaming day of a whole property, and what can go wrong with one: pure and repeatable."""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from datetime import datetime, timedelta, tzinfo
from heapq import merge
from random import Random
from typing import Any, NamedTuple
from uuid import uuid5

from tables.simulator.games import DEALT
from tables.simulator.play import EVENTS, ROUND_SECONDS, Moment, SimulatedTable, Start
from tables.simulator.witness import share_of

OPENS_AFTER, DAY_HOURS = timedelta(hours=1), timedelta(hours=22)  # nobody plays at the day's turn
LATE_ROUNDS = 2  # that a table cannot report before the day's end

Events = list[dict[str, Any]]


class OtherTable(SimulatedTable):
    """A table of another game than Six-Card Fortune: whole rounds, at its own pace."""

    def _round(self) -> Iterator[Moment]:
        self._later(ROUND_SECONDS)
        told = DEALT[self.terms.game](self.rng)
        for seat in told["positions"]:
            seat["wagers"] = {
                kind: stake
                for kind, stake in seat["wagers"].items()
                if kind in self.offered and (kind != "progressive" or self.unit)
            }
        yield self._of_round("round", **told)


def play_property(
    starts: Sequence[Start], *, rounds: int, seed: int, begins: datetime, zone: tzinfo
) -> list[Moment]:
    """Return one gaming day's events at all tables, in the order of their times.

    ``begins`` is when the gaming day does. Each table opens at an hour of its own, and plays its
    share of the rounds; where they do not fit into the day, they follow each other faster.
    """
    share, rest = divmod(rounds, len(starts))
    tables = []
    for place, start in enumerate(starts):
        wanted = share + (place < rest)
        needed = timedelta(seconds=ROUND_SECONDS * 1.1 * (wanted + 2))
        pace = min(DAY_HOURS / needed, 1.0)
        hours = Random(f"{seed}/{start.terms.code}/{begins}")  # noqa: S311 - a play
        opens = begins + OPENS_AFTER + (DAY_HOURS - needed * pace) * hours.random()
        kind = OtherTable if start.terms.game in DEALT else SimulatedTable
        tables.append(kind(start, seed, opens, zone, pace, False).play(wanted))
    return list(merge(*tables, key=lambda moment: moment[:2]))


# ---- what can go wrong ----------------------------------------------------------------------


class Day(NamedTuple):
    """A day's events: as reported, as they happened, and as reported after the day's end."""

    sent: Events
    seen: Events
    held: Events
    place: tuple[str, int] | None = None  # the round that went wrong, as the house names it


def sound(events: Events, rng: Random) -> Day:
    """Report everything as it happened."""
    return Day(events, events, [])


def lose_round(events: Events, rng: Random) -> Day:
    """Let a controller lose a whole round before it has numbered it: its sign has counted it."""
    table, number = ordinary_round(events, rng)
    lost = [e for e in events if (e["table"], e.get("round")) == (table, number)]
    last = lost[-1]["sequence"]
    sent = [
        e
        | {"sequence": e["sequence"] - len(lost)}
        | {"event_id": str(uuid5(EVENTS, f"moved/{e['event_id']}"))}
        if e["table"] == table and e["sequence"] > last
        else e
        for e in events
        if e not in lost
    ]
    return Day(sent, events, [], (table, number))


def double_round(events: Events, rng: Random) -> Day:
    """Let a controller that was started anew report its last round again, as its next one."""
    table, number = ordinary_round(events, rng)
    told = [e for e in events if (e["table"], e.get("round")) == (table, number)]
    last, sent = told[-1]["sequence"], []
    for event in events:
        if event["table"] != table or event["sequence"] <= last:
            sent.append(event)
        else:
            later = event | {"sequence": event["sequence"] + len(told)}
            sent.append(later | ({"round": event["round"] + 1} if "round" in event else {}))
        if event is told[-1]:
            for again in map(deepcopy, told):
                again |= {"event_id": str(uuid5(EVENTS, f"again/{again['event_id']}"))}
                again |= {"sequence": again["sequence"] + len(told), "round": number + 1}
                again |= {"occurred_at": event["occurred_at"]}
                sent.append(again)
    return Day(sent, events, [], (table, number + 1))


def report_late(events: Events, rng: Random) -> Day:
    """Let a table lose its line before the day's end and report its last rounds afterwards.

    None of them is paid from the meter: an award that is priced later is another amount.
    """
    ends = [last_rounds(events, table) for table in sorted({e["table"] for e in events})]
    fit = [
        held
        for held in ends
        if any(feeds(e) for e in held) and not any(wins_of_the_meter(e) for e in held)
    ]
    held = rng.choice(fit)
    first = next(e for e in held if "round" in e)
    return Day([e for e in events if e not in held], events, held, (first["table"], first["round"]))


def last_rounds(events: Events, table: str) -> Events:
    """Return what a table tells of its last rounds, to its closing."""
    own = [event for event in events if event["table"] == table]
    numbers = sorted({event["round"] for event in own if "round" in event})
    first = next(e["sequence"] for e in own if e.get("round") == numbers[-LATE_ROUNDS:][0])
    return [event for event in own if event["sequence"] >= first]


def ordinary_round(events: Events, rng: Random) -> tuple[str, int]:
    """Choose a round from the day's middle: settled, with progressive wagers, none of the meter."""
    wagered = [e for e in events if e["type"] in ("settlement", "round") and feeds(e)]
    middle = wagered[len(wagered) // 4 : -len(wagered) // 4 or None] or wagered
    chosen = rng.choice([e for e in middle if not wins_of_the_meter(e)])
    return chosen["table"], chosen["round"]


def feeds(event: dict[str, Any]) -> bool:
    """Whether a round put anything on a meter."""
    return any("progressive" in seat["wagers"] for seat in event.get("positions", ()))


def wins_of_the_meter(event: dict[str, Any]) -> bool:
    """Whether anybody at the table held a hand that is paid from the meter."""
    return any(share_of(seat.get("cards", [])) for seat in event.get("positions", ()))


#: What ``--fault`` may name: how the day's events go wrong, if they do.
EVENT_FAULTS: dict[str, Callable[[Events, Random], Day]] = {
    "lost_round": lose_round,
    "doubled_round": double_round,
    "late_event": report_late,
}
#: What goes wrong beside the events: with the sign's rate, or with what a person writes down.
OTHER_FAULTS = ("wrong_rate", "reading_off", "mistyped", "miscounted_chips")
FAULTS = (*EVENT_FAULTS, *OTHER_FAULTS)
