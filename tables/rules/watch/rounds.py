"""What a lock-out, a settlement, a round or a void tells of the cards and of the table.

Each look costs next to nothing while all is well: a table reports thousands of rounds a day.
"""

from datetime import datetime
from itertools import pairwise
from typing import Any

from tables.rules.flags import irregularities, section
from tables.rules.watch.state import (
    KEPT_SECONDS,
    KEPT_STINTS,
    Found,
    State,
    clock_of,
    deck_meant,
    enter_deck,
    ring,
    span,
    tell,
    tell_once,
    wind,
)
from tables.rules.watch.terms import CHAPTERS, Chapter, WatchTerms, cite_of_kind

MARKS = ("no_more_bets", "decisions_locked", "reveal")  # in the order in which they are made
BY_DEVICE = {"dealing": ("automated_shoe", "shoe"), "shuffle": ("device", "shuffler")}
METHODS = {"dealing": "Dealing", "shuffle": "Shuffling"}


def see_round(
    state: State, event: dict[str, Any], terms: WatchTerms, at: int, found: Found
) -> None:
    """Look at one event of a round, at the moment ``at`` (seconds)."""
    chapter = CHAPTERS[terms.game]
    kind = event["type"]
    dealer = event.get("dealer")
    if dealer is not None:
        if dealer == state["dealer"]:
            state["dealers"][dealer][-1][1] = at
        else:
            new_dealer(state, dealer, at)
    if (kind in ("round", "lockout")) and state["quiet"] != terms.day:
        see_beginning(state, terms, chapter, at, found)
    if "marks" in event:
        see_marks(state, event["marks"], found)
    if kind != "lockout":
        see_cards(state, event, terms, chapter, at, found)
        if kind == "void":
            see_void(state, event, terms, at)
        else:
            see_end(state, event, terms, chapter, at, found)
        state["ended"] = at


def new_dealer(state: State, dealer: str, at: int) -> None:
    """Note who deals from now on; whoever is new to the table burns a card (§ 672a.7(c))."""
    if state["dealer"] is not None:
        state["burn"] = True
    state["dealer"] = dealer
    stints = state["dealers"].setdefault(dealer, [])
    stints.append([at, at])
    del stints[:-KEPT_STINTS]
    dealers = state["dealers"]
    for gone in [name for name, held in dealers.items() if at - held[-1][1] > KEPT_SECONDS]:
        del dealers[gone]


# ---- the beginning of a round: is the table ready to be dealt at? ---------------------------


def see_beginning(state: State, terms: WatchTerms, chapter: Chapter, at: int, found: Found) -> None:
    """Tell of a round at a table that is closed, not opened, not inspected or out of order.

    Once told, each waits for the next operation or gaming day before it is told again.
    """
    state["quiet"] = day = terms.day
    if state["closed"]:
        if tell_once(state, "closed", day):
            detail = f"A round was dealt at {terms.code} after the table was closed."
            tell(found, "round_at_closed_table", "round", "", detail)
    elif state["opened"] not in (None, day) and tell_once(state, "unopened", day):
        detail = f"A round was dealt at {terms.code} before the table was opened on {day}."
        tell(found, "table_not_opened", "round", "", detail)
    if chapter.reader:
        see_kind(state, "reader", terms, chapter, found)
    for key, (automatic, device) in BY_DEVICE.items():
        if state[key] == automatic:
            see_kind(state, device, terms, chapter, found)
    if chapter.reader and state["inspected"] != day and tell_once(state, "inspection", day):
        detail = "The gaming day's first round was dealt before the card reader was inspected."
        tell(found, "reader_not_inspected", "round", chapter.reader, detail, alarm=True)
    if state["fault"] is not None and tell_once(state, "fault", state["fault"]):
        since = span(at - state["fault"])
        detail = f"A round was dealt though the card reader failed {since} before."
        tell(found, "reader_fault", "round", chapter.reader_fault, detail, alarm=True)


def see_marks(state: State, marks: dict[str, str], found: Found) -> None:
    """Tell of moments that stand in the wrong order: a decision after the cards were revealed."""
    known = [(name, marks[name]) for name in MARKS if name in marks]
    for (first, before), (second, after) in pairwise(known):
        if instant(after) < instant(before):
            detail = f"{second.replace('_', ' ')} is stamped before {first.replace('_', ' ')}."
            tell(found, "marks_out_of_order", f"marks.{second}", "", detail.capitalize())


def instant(text: str) -> float:
    """Return a moment of a document in seconds."""
    return datetime.fromisoformat(text).timestamp()


# ---- the cards -------------------------------------------------------------------------------


def see_cards(
    state: State,
    event: dict[str, Any],
    terms: WatchTerms,
    chapter: Chapter,
    at: int,
    found: Found,
) -> None:
    """Look at the deck's clock, at what it was removed for, and at the two decks' turns."""
    deck = event.get("deck")
    if deck is not None:
        held = state["decks"].get(deck)
        if held is None:
            held = enter_deck(state, deck, at, chapter, terms)
        held["seen"] = at
        if not held["hand"] and event.get("dealing") == "hand":
            held["hand"] = True
            wind(held, clock_of(chapter, held), terms.warn_before)
        if held["next"] is not None and at >= held["next"] and not held["out"]:
            clock, whose = clock_of(chapter, held), f"Deck {deck} has"
            ring(held, clock, at, terms, found, "deck", whose, deck=deck)
        if held["out"]:
            see_removed(state, deck, held, found)
        if terms.decks_in_use == 2 and chapter.alternate_by == "round" and chapter.alternate:
            see_alternation(state, deck, chapter, found)
    if "irregularity" in event:
        note_removal(state, event, terms)
    state["deck"] = deck
    start = event.get("start")
    if start is not None:
        see_start(state, start, terms, chapter, at, found)


def see_removed(state: State, deck: str, held: State, found: Found) -> None:
    """Alarm once where a deck plays on that had to leave, or had left, the table."""
    if tell_once(state, f"out {deck}", held["since"]):
        reason, cite = held["out"].split("|")
        detail = f"Deck {deck} plays on: {reason}."
        tell(found, "removed_deck_played", "deck", cite, detail, alarm=True, deck=deck)


def see_alternation(state: State, deck: str, chapter: Chapter, found: Found) -> None:
    """Alarm where one of two decks is used in two rounds running."""
    if state["deck"] != deck:
        state["same"] = False
    elif not state["same"]:
        state["same"] = True
        detail = f"Deck {deck} was used in two rounds running; two decks are used in turn."
        tell(found, "deck_not_alternated", "deck", chapter.alternate, detail, alarm=True, deck=deck)


def see_start(
    state: State,
    start: dict[str, Any],
    terms: WatchTerms,
    chapter: Chapter,
    at: int,
    found: Found,
) -> None:
    """Look at the dice's clock, and at the shaker or generator that gave the starting position."""
    by_dice = "dice" in start
    see_kind(state, "shaker" if by_dice else "generator", terms, chapter, found)
    if not by_dice or chapter.dice is None:
        return
    held = state["dice"]
    if held is None:  # nobody has reported when they came
        held = state["dice"] = {"since": at, "stage": 0, "next": None}
        wind(held, chapter.dice, terms.warn_before)
    if held["next"] is not None and at >= held["next"]:
        ring(held, chapter.dice, at, terms, found, "dice", "The dice have")


def note_removal(state: State, event: dict[str, Any], terms: WatchTerms) -> None:
    """Note a deck that an irregularity takes off the table (§ 670a.8(f))."""
    for told in irregularities(event):
        if told.get("deck_out"):
            deck = deck_meant(state, event, terms)
            held = state["decks"].get(deck)
            if held is not None:
                held["out"] = f"it was removed after round {event['round']}|{section(told['cite'])}"
                state["told"].pop(f"out {deck}", None)


# ---- the end of a round ----------------------------------------------------------------------


def see_void(state: State, event: dict[str, Any], terms: WatchTerms, at: int) -> None:
    """A void ends a round too, but nothing can be expected of its record."""
    if "deck" not in event:
        state["same"] = False
    if state["cover"] is not None:
        state["cover"] += 1


def see_end(
    state: State,
    event: dict[str, Any],
    terms: WatchTerms,
    chapter: Chapter,
    at: int,
    found: Found,
) -> None:
    """Look at how fast the round was, how it was dealt, and what had to be done by now."""
    ended = state["ended"]
    if ended is not None and 0 <= at - ended < chapter.fastest:
        if not state["fast"]:
            state["fast"] = True
            detail = (
                f"The round was over {at - ended} seconds after the one before it;"
                f" its cards cannot be dealt and settled in less than {chapter.fastest}."
            )
            tell(found, "round_too_fast", "occurred_at", "", detail, seconds=at - ended)
    else:
        state["fast"] = False
    for key in ("dealing", "shuffle"):
        method = event.get(key)
        if method is not None and method != state[key]:
            see_method(state, key, method, terms, chapter, found)
    if chapter.count_rounds:
        see_count(state, event, terms, chapter, found)
    if chapter.burn and (state["burn"] or state["cover"] is not None):
        see_shoe(state, event, chapter, found)


def see_method(
    state: State, key: str, method: str, terms: WatchTerms, chapter: Chapter, found: Found
) -> None:
    """Tell once a day of a device that was left for another method without a sign on it."""
    automatic, device = BY_DEVICE[key]
    before, state[key] = state[key], method
    if method == automatic:
        state["sign"] = False
        see_kind(state, device, terms, chapter, found)
        return
    unsigned = before == automatic and chapter.sign and not state["sign"]
    if unsigned and tell_once(state, f"method {key}", terms.day):
        detail = (
            f"{METHODS[key]} went from {before.replace('_', ' ')} to {method.replace('_', ' ')}"
            " and no out-of-order sign was reported;"
            " later changes of this gaming day are not told again."
        )
        tell(found, "method_changed", key, chapter.sign, detail, before=before, now=method)


def see_kind(state: State, kind: str, terms: WatchTerms, chapter: Chapter, found: Found) -> None:
    """Tell once a day of a kind of device in use of which none is approved at the table."""
    if terms.kinds is None or kind in terms.kinds or not tell_once(state, kind, terms.day):
        return
    detail = f"{terms.code} uses a {kind}, but the register has no approved {kind} there."
    cite = cite_of_kind(chapter, kind)
    tell(found, "device_not_approved", "device", cite, detail, device=kind)


def see_count(
    state: State, event: dict[str, Any], terms: WatchTerms, chapter: Chapter, found: Found
) -> None:
    """Alarm at the round after the last one before which the cards had to be counted."""
    if terms.counting and event.get("shuffle") != "manual":
        state["uncounted"] = 0
        return
    state["uncounted"] += 1
    if state["uncounted"] > chapter.count_rounds and tell_once(state, "count", terms.day):
        detail = (
            f"{state['uncounted']} rounds were dealt and no count of the cards was reported;"
            f" they are counted at least once after every {chapter.count_rounds}."
        )
        tell(found, "cards_not_counted", "round", chapter.counted, detail, alarm=True)


def see_shoe(state: State, event: dict[str, Any], chapter: Chapter, found: Found) -> None:
    """Tell of a first card that was not burned, and of a shoe dealt on past its cover card."""
    if state["burn"]:
        state["burn"] = False
        cites = [section(entry["cite"]) for entry in event.get("discarded", ())]
        if chapter.burn not in cites:
            detail = "The round names no burned card, though the dealer or the shoe is new."
            tell(found, "card_not_burned", "discarded", chapter.burn, detail)
    if state["cover"] is not None:
        state["cover"] += 1
        if state["cover"] == 2:
            detail = "Another round was dealt after the cover card; the shoe had to be shuffled."
            tell(found, "cover_card_passed", "round", chapter.cover, detail)
