"""What is done at a table beside its rounds, and what is odd about it."""

from collections.abc import Callable
from typing import Any

from tables.rules.flags import known_section
from tables.rules.watch.rounds import new_dealer
from tables.rules.watch.state import (
    Found,
    State,
    deck_meant,
    enter_deck,
    ring,
    tell,
    tell_once,
    wind,
)
from tables.rules.watch.terms import CHAPTERS, DEVICE_KINDS, Chapter, WatchTerms, cite_of_kind


class Deed:
    """One operation at its moment, with all that the looks at it share."""

    __slots__ = ("at", "chapter", "event", "found", "kind", "state", "terms", "told")

    def __init__(
        self, state: State, event: dict[str, Any], terms: WatchTerms, at: int, found: Found
    ) -> None:
        self.state, self.event, self.terms, self.at, self.found = state, event, terms, at, found
        self.told: dict[str, Any] = event["operation"]
        self.kind: str = self.told["kind"]
        self.chapter: Chapter = CHAPTERS[terms.game]

    def who(self, key: str) -> str:
        """Return a staff code told with the operation, or with its envelope."""
        return str(self.told.get(key) or self.event.get(key) or "")

    @property
    def deck(self) -> str | None:
        """The deck that is named, or the only one that can be meant."""
        return self.told.get("deck") or deck_meant(self.state, self.event, self.terms)

    def tell(self, code: str, key: str, cite: str, detail: str, **facts: Any) -> None:
        path = f"operation.{key}" if key else "operation"
        tell(self.found, code, path, cite, detail, **facts)


def see_operation(
    state: State, event: dict[str, Any], terms: WatchTerms, at: int, found: Found
) -> None:
    """Note what an operation changes at the table and tell what is odd about it."""
    deed = Deed(state, event, terms, at, found)
    state["quiet"] = ""  # whatever was done: the next round's beginning is looked at anew
    if "device" in deed.told:
        see_device(deed)
    look = LOOKS.get(deed.kind)
    if look is not None:
        look(deed)


# ---- the table -------------------------------------------------------------------------------


def table_open(deed: Deed) -> None:
    deed.state["opened"], deed.state["closed"] = deed.terms.day, False


def table_close(deed: Deed) -> None:
    deed.state["closed"] = True
    deed.state["told"].pop("closed", None)


def dealer_in(deed: Deed) -> None:
    dealer = deed.event.get("dealer") or deed.told.get("by")
    if dealer and dealer != deed.state["dealer"]:
        new_dealer(deed.state, dealer, deed.at)
    deed.state["burn"] = True


def floorperson_needed(cite_of: Callable[[Chapter], str]) -> Callable[[Deed], None]:
    """Return the look at a deed that is a floorperson's own."""

    def look(deed: Deed) -> None:
        if not deed.who("floorperson"):
            detail = f"{deed.kind.replace('_', ' ').capitalize()}: no floorperson is named."
            deed.tell("no_floorperson", "floorperson", cite_of(deed.chapter), detail)

    return look


# ---- decks, shoes and dice -------------------------------------------------------------------


def deck_in(deed: Deed) -> None:
    """Put a deck in play, and tell where it was not inspected or holds a joker too many."""
    told, chapter = deed.told, deed.chapter
    if deed.told.get("deck") or deed.event.get("deck"):
        enter_deck(deed.state, str(deed.deck), deed.at, chapter, deed.terms)
        deed.state["told"].pop(f"out {deed.deck}", None)
    named = f"Deck {deed.deck}" if deed.deck else "The deck"
    if chapter.inspect and not told.get("preshuffled"):
        dealer = deed.event.get("dealer") or told.get("by")
        missing = [
            who for who, is_named in (("dealer", dealer), ("floorperson", deed.who("floorperson")))
            if not is_named
        ]  # fmt: skip
        if missing:
            detail = f"{named} came in inspected by no {' and no '.join(missing)}."
            deed.tell("deck_not_inspected", "", chapter.inspect, detail, deck=deed.deck)
        if told.get("spread") is False:
            detail = f"{named} was not spread for the first player."
            deed.tell("deck_not_spread", "spread", chapter.spread, detail, deck=deed.deck)
    see_jokers(deed, named)


def see_jokers(deed: Deed, named: str) -> None:
    """One joker is in play, a second one is torn (§ 670a.4(b)); a deck without one is not it."""
    jokers, chapter = deed.told.get("jokers"), deed.chapter
    if jokers is None or not chapter.joker:
        return
    if jokers > 1 and not deed.told.get("joker_destroyed"):
        detail = f"{named} has {jokers} jokers and nothing tells that all but one were destroyed."
        deed.tell("second_joker", "joker_destroyed", chapter.joker, detail, deck=deed.deck)
        deed.found[-1]["severity"] = "alarm"
    if jokers == 0:
        detail = f"{named} has no joker; the game is played with one."
        deed.tell("no_joker", "jokers", chapter.one_joker, detail, deck=deed.deck)
        deed.found[-1]["severity"] = "alarm"


def deck_out(deed: Deed) -> None:
    take_out(deed, "it was taken off the table", known_section(deed.told.get("cite", "")))


def take_out(deed: Deed, reason: str, cite: str) -> None:
    """Note that a deck has to leave; whether it plays on, the next rounds tell."""
    deck = deed.deck
    held = deed.state["decks"].get(deck)
    if held is None and deck is not None:
        held = enter_deck(deed.state, deck, deed.at, deed.chapter, deed.terms)
    if held is not None:
        held["out"] = f"{reason}|{cite}"
        deed.state["told"].pop(f"out {deck}", None)


def shoe_in(deed: Deed) -> None:
    """A shoe of cards begins: two batches take turns, and its first card is burned."""
    state, batch = deed.state, deed.told.get("deck") or deed.event.get("deck")
    by_shoe = deed.terms.decks_in_use == 2 and deed.chapter.alternate_by == "shoe"
    if by_shoe and batch is not None and batch == state["batch"]:
        detail = f"Batch {batch} follows itself; two batches are used in turn."
        deed.tell("batch_not_alternated", "deck", deed.chapter.alternate, detail, deck=batch)
        deed.found[-1]["severity"] = "alarm"
    state["batch"], state["burn"], state["cover"] = batch, True, None


def dice_in(deed: Deed) -> None:
    held = deed.state["dice"] = {"since": deed.at, "stage": 0, "next": None}
    wind(held, deed.chapter.dice, deed.terms.warn_before)


def dice_out(deed: Deed) -> None:
    held = deed.state["dice"]
    if held is not None and held["next"] is not None and deed.at >= held["next"]:
        see_late(deed, held, deed.chapter.dice, "dice", "The dice have")
    deed.state["dice"] = None


def see_late(deed: Deed, held: State, clock: Any, kind: str, whose: str) -> None:
    """Tell of what leaves the table too late; a change in the last minutes is in time."""
    found: Found = []
    ring(held, clock, deed.at, deed.terms, found, kind, whose)
    deed.found += [flag for flag in found if flag["severity"] == "alarm"]


def shuffled(deed: Deed) -> None:
    deed.state["cover"] = None


def cover_card(deed: Deed) -> None:
    deed.state["cover"] = 0


def card_count(deed: Deed) -> None:
    """The cards were counted: a deck that is not complete leaves the table."""
    deed.state["uncounted"] = 0
    deed.state["told"].pop("count", None)
    counted, right = deed.told.get("counted"), deed.chapter.cards * deed.terms.decks
    if counted is not None and counted != right:
        cite = known_section(deed.told.get("cite", "")) or deed.chapter.counted
        name = f"Deck {deed.deck}" if deed.deck else "The deck"
        detail = f"{name} was counted with {counted} cards, not {right}; it leaves the table."
        deed.tell("wrong_card_count", "counted", cite, detail, deck=deed.deck)
        deed.found[-1]["severity"] = "alarm"
        take_out(deed, f"it was counted with {counted} cards, not {right}", cite)


# ---- devices ---------------------------------------------------------------------------------


def reader_inspected(deed: Deed) -> None:
    deed.state["inspected"] = deed.terms.day
    floorperson_needed(lambda chapter: chapter.reader)(deed)


def device_fault(deed: Deed) -> None:
    if deed.chapter.reader and is_reader(deed):
        deed.state["fault"] = deed.at


def device_restored(deed: Deed) -> None:
    if is_reader(deed):
        deed.state["fault"] = None
    deed.state["sign"] = False


def out_of_order(deed: Deed) -> None:
    deed.state["sign"] = True


def is_reader(deed: Deed) -> bool:
    """Whether the card reader is meant; a fault of an unnamed device may well be its own."""
    name, cite = deed.told.get("device"), deed.told.get("cite", "")
    if name is None:
        return "672a.12(k)" not in cite and "672a.12(l)" not in cite
    registered = deed.terms.devices.get(name)
    return registered.kind == "reader" if registered else "reader" in name.lower()


def see_device(deed: Deed) -> None:
    """Tell once a day of a device by name that is not registered, or not approved here."""
    name, terms = deed.told["device"], deed.terms
    if name.lower() in DEVICE_KINDS or name.lower() == "card reader":
        return  # a kind, not a serial number
    device = terms.devices.get(name)
    if device is not None and device.approved_at(terms.code, terms.day):
        return
    if not tell_once(deed.state, f"device {name}", terms.day):
        return
    cite = cite_of_kind(deed.chapter, device.kind) if device else deed.chapter.shuffler
    if device is None:
        detail = f"Device {name} is not in the equipment register."
        deed.tell("device_not_registered", "device", cite, detail, device=name)
    else:
        detail = f"Device {name} is not approved for {terms.code} on {terms.day}."
        deed.tell("device_not_approved", "device", cite, detail, device=name)


LOOKS: dict[str, Callable[[Deed], None]] = {
    "table_open": table_open,
    "table_close": table_close,
    "dealer_in": dealer_in,
    "deck_in": deck_in,
    "deck_out": deck_out,
    "shoe_in": shoe_in,
    "dice_in": dice_in,
    "dice_out": dice_out,
    "shuffle": shuffled,
    "recut": floorperson_needed(lambda chapter: chapter.recut),
    "cover_card": cover_card,
    "card_count": card_count,
    "reader_inspected": reader_inspected,
    "device_fault": device_fault,
    "out_of_order": out_of_order,
    "device_restored": device_restored,
}
