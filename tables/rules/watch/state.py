"""What the watch remembers of one table: JSON values only, so that a row can keep it."""

from datetime import UTC, datetime
from typing import Any

from tables.rules.watch.terms import HOUR, Chapter, WatchTerms

State = dict[str, Any]
Found = list[dict[str, Any]]

KEPT_DECKS = 8  # then those not seen for two days are forgotten
KEPT_SECONDS = 48 * HOUR
KEPT_NEWS = 64
KEPT_STINTS = 6  # of one dealer


def fresh() -> State:
    """Return the memory of a table that has reported nothing yet."""
    return {
        "decks": {},  # name -> see ``enter_deck``
        "deck": None,  # of the last round, where its document said so
        "same": False,  # that deck was told as used twice running
        "batch": None,  # in the shoe (672a)
        "dice": None,  # a clock, as a deck's
        "dealing": None,
        "shuffle": None,
        "sign": False,  # an out-of-order sign stands on a device
        "opened": None,  # gaming day of the last table_open; None: the table never reports it
        "closed": False,
        "inspected": None,  # gaming day of the card reader's inspection
        "fault": None,  # since when the card reader is out of use
        "dealer": None,
        "dealers": {},  # staff code -> [[first, last], ...] seconds
        "ended": None,  # when the last round was over
        "fast": False,
        "uncounted": 0,  # rounds since the cards were counted
        "burn": False,  # a card is to be burned before the next round
        "cover": None,  # rounds ended since the cover card came out
        "quiet": "",  # gaming day on which the beginning of a round needs no look
        "told": {},  # what was told already, until it changes
    }


def tell(
    found: Found, code: str, path: str, cite: str, detail: str, *, alarm: bool = False, **facts: Any
) -> None:
    """Put one thing before a person, in the form of an outcome's flags."""
    severity = "alarm" if alarm else "exception"
    found.append(
        {"code": code, "severity": severity, "path": path, "cite": cite, "detail": detail, **facts}
    )


def tell_once(state: State, key: str, value: Any) -> bool:
    """Whether ``value`` is news under this key; it is no news the next time."""
    told: dict[str, Any] = state["told"]
    if told.get(key) == value:
        return False
    if len(told) >= KEPT_NEWS:  # names of devices are the sender's: they must not pile up
        told.clear()
    told[key] = value
    return True


def moment(at: int) -> str:
    """Write a moment as the log does, to the second; a clock gone mad has none."""
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, ValueError):
        return ""


def span(seconds: int) -> str:
    """Write a length of time: 4 h 02."""
    minutes = max(seconds, 0) // 60
    return f"{minutes // 60} h {minutes % 60:02}"


# ---- decks and dice, each with a clock ------------------------------------------------------


def enter_deck(state: State, deck: str, at: int, chapter: Chapter, terms: WatchTerms) -> State:
    """Put a deck in play from ``at`` on; one that was there before begins anew."""
    decks: dict[str, State] = state["decks"]
    if len(decks) >= KEPT_DECKS:
        for old in [name for name, held in decks.items() if at - held["seen"] > KEPT_SECONDS]:
            del decks[old]
    held = {"since": at, "seen": at, "hand": False, "out": "", "stage": 0, "next": None}
    decks[deck] = held
    wind(held, chapter.from_shoe, terms.warn_before)
    return held


def wind(held: State, clock: Any, warn_before: int) -> None:
    """Set when the clock of a deck or of dice has to be looked at next.

    ``stage``: 0 nothing told, 1 warned, 2 alarmed.
    """
    if clock is None or held["stage"] == 2:
        held["next"] = None
        return
    limit = held["since"] + clock.hours * HOUR
    held["next"] = limit - warn_before if held["stage"] == 0 else limit


def ring(
    held: State,
    clock: Any,
    at: int,
    terms: WatchTerms,
    found: Found,
    kind: str,
    whose: str,
    **facts: Any,
) -> None:
    """Warn that a clock runs out, or alarm once it has; each once. ``whose``: "Deck A has"."""
    limit = held["since"] + clock.hours * HOUR
    facts |= {"since": moment(held["since"]), "until": moment(limit)}
    lasted = f"{whose} been on the table for {span(at - held['since'])}"
    if at >= limit:
        held["stage"] = 2
        sentence = f"{lasted}; {clock.hours} hours is the most."
        tell(found, f"{kind}_overdue", kind, clock.cite, sentence, alarm=True, **facts)
    else:
        held["stage"] = 1
        sentence = f"{lasted} and must be changed within {span(limit - at)}."
        tell(found, f"{kind}_change_due", kind, clock.cite, sentence, **facts)
    wind(held, clock, terms.warn_before)


def clock_of(chapter: Chapter, held: State) -> Any:
    """Return the clock that a deck runs on: dealt by hand in any round, the shorter one."""
    return chapter.by_hand if held["hand"] else chapter.from_shoe


def deck_meant(state: State, event: dict[str, Any], terms: WatchTerms) -> str | None:
    """Return the deck that an event means, named or the only one it can be."""
    named = event.get("deck")
    if named is not None:
        return str(named)
    active: list[str] = [name for name, held in state["decks"].items() if not held["out"]]
    if len(active) == 1:
        return active[0]
    if terms.decks_in_use == 2 and len(active) == 2 and state["deck"] in active:
        return active[1 - active.index(state["deck"])]  # the other one: they alternate
    return None
