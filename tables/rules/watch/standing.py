"""How a table stands by what the watch remembers of it: for the page that people look at."""

from typing import Any, NamedTuple

from tables.rules.watch.state import State, clock_of, fresh
from tables.rules.watch.terms import CHAPTERS, HOUR

OUT, IDLE, OVERDUE, DUE, WELL = "out", "idle", "overdue", "due", "well"
IDLE_SECONDS = 8 * HOUR  # a deck that nobody has used for so long has left unreported


class Standing(NamedTuple):
    """A deck or a set of dice on its clock; moments in seconds."""

    name: str
    since: int
    until: int | None
    hours: int | None
    cite: str
    level: str
    seen: int


def clocks(state: State, game: str, now: float, warn_before: int) -> list[Standing]:
    """Return the clocks of a table: what is in use, oldest first; then what was taken away."""
    chapter, state = CHAPTERS[game], fresh() | state
    found = [
        standing(f"Deck {name}", held, clock_of(chapter, held), now, warn_before)
        for name, held in state["decks"].items()
    ]
    if state["dice"] is not None:
        found.append(standing("Dice", state["dice"], chapter.dice, now, warn_before))
    return sorted(found, key=lambda one: (one.level in (OUT, IDLE), one.until or one.since))


def standing(name: str, held: dict[str, Any], clock: Any, now: float, warn_before: int) -> Standing:
    """Return how one clock stands."""
    seen, since = held.get("seen", int(now)), held["since"]
    cite = clock.cite if clock else ""
    if held.get("out") or now - seen > IDLE_SECONDS:
        level = OUT if held.get("out") else IDLE
        return Standing(name, since, None, None, cite, level, seen)
    if clock is None:
        return Standing(name, since, None, None, cite, WELL, seen)
    until = since + clock.hours * HOUR
    level = OVERDUE if now >= until else DUE if now >= until - warn_before else WELL
    return Standing(name, since, until, clock.hours, cite, level, seen)


def notes(state: State, game: str, day: str) -> list[str]:
    """Say what else a floorperson wants to know of the table, in sentences."""
    chapter, state = CHAPTERS[game], fresh() | state
    told = []
    if state["closed"]:
        told.append("Closed.")
    if chapter.count_rounds:
        told.append(f"{state['uncounted']} rounds since the cards were counted.")
    if chapter.reader:
        inspected = state["inspected"] == day
        told.append("Card reader inspected." if inspected else "Card reader not inspected today.")
    if state["fault"] is not None:
        told.append("The card reader is out of use.")
    if state["burn"] and chapter.burn:
        told.append("The next round burns a card.")
    if state["sign"]:
        told.append("An out-of-order sign stands on a device.")
    return told
