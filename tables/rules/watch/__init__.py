"""The watch: what decks, dice, devices and dealers at a table tell from event to event.

``watch`` is given the events of a table in the lane's order, with what it remembers of the table
(``fresh`` at first) and the terms of the gaming day. It refuses nothing: whatever it finds is put
before a person.
"""

from datetime import datetime
from typing import Any

from tables.rules.watch.operations import see_operation
from tables.rules.watch.rounds import see_round
from tables.rules.watch.state import Found, State, fresh
from tables.rules.watch.terms import DEVICE_KINDS, Device, WatchTerms

__all__ = ["DEVICE_KINDS", "Device", "Found", "State", "WatchTerms", "fresh", "watch"]


def watch(state: State, event: dict[str, Any], terms: WatchTerms) -> tuple[State, Found]:
    """Return what to remember of the table after the event, and what is to be put before a person.

    ``state`` is changed in place. What is found has the form of an outcome's flags.
    """
    found: Found = []
    at = int(datetime.fromisoformat(event["occurred_at"]).timestamp())
    if event["type"] == "operation":
        see_operation(state, event, terms, at, found)
    else:
        see_round(state, event, terms, at, found)
    return state, found
