"""Checks of a round document that need only the document and the table's terms.

In this order, and the first problem found is the one that is told: envelope; table and game; keys,
types and values in document order; each position; cards that stand twice; the stub; the chip
count. Whatever the input is, it passes or is refused.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from tables.rules import shapes
from tables.rules.cards import JOKER, UNSEEN
from tables.rules.events import (
    ANYWHERE,
    BY_TYPE,
    BY_TYPE_WITHOUT_JOKER,
    ENVELOPE,
    NOT_IN_OPERATIONS,
    REQUIRED,
    check_operation,
)
from tables.rules.paytables import GameDefinition
from tables.rules.refusals import Refusal
from tables.rules.rounds import TableTerms
from tables.rules.shapes import Check, shape
from tables.rules.wagers import AMOUNTS, amounts_in, told_wager


def check_envelope(document: Any) -> None:
    """Refuse a document whose envelope is not that of an event."""
    if type(document) is not dict:
        raise Refusal("wrong_type", "", "A document must be a JSON object.")
    is_operation = document.get("type") == "operation"
    for key, check in ENVELOPE.items():
        if key in document:
            _check_one(document, key, check)
        elif not (is_operation and key in NOT_IN_OPERATIONS):
            raise Refusal("missing_key", key, f"{key!r} must be here.")


def check_reduced_envelope(document: Any) -> None:
    """As ``check_envelope``, for the engine's shell: only ``spec`` and ``game`` must be there."""
    if type(document) is not dict:
        raise Refusal("wrong_type", "", "A document must be a JSON object.")
    for key, check in ENVELOPE.items():
        if key in document:
            _check_one(document, key, check)
        elif key in ("spec", "game"):
            raise Refusal("missing_key", key, f"{key!r} must be here.")


def _check_one(document: dict[str, Any], key: str, check: Check) -> None:
    try:
        check(document[key])
    except Refusal as refusal:
        raise refusal.under(key) from None


def check_event(document: Any, terms: TableTerms | None) -> None:
    """Refuse the document at the first problem that it and the table's terms show.

    Without terms only the envelope is looked at, with terms everything else: in between the
    caller looks the table up.
    """
    if terms is None:
        check_envelope(document)
        return
    if document.get("game", terms.game) != terms.game:
        detail = f"Table {terms.code} deals {terms.game}, not {document['game']}."
        raise Refusal("game_mismatch", "game", detail)
    kind = document.get("type", "round")
    definition = terms.submission.definition
    if definition is not None and kind != "operation":
        check_submission(terms, definition)
    shape_of(terms.game, kind, definition)(document)
    if kind == "operation" or definition is None:
        return
    check_positions(document, terms, definition)
    if definition.check_round is not None and kind != "void":
        definition.check_round(document, terms)
    if kind in ("settlement", "round"):
        check_cards(document, terms, definition)
    if kind == "lockout":
        check_chip_count(document, definition)


def check_submission(terms: TableTerms, definition: GameDefinition) -> None:
    """Refuse a round whose figures nobody has submitted: they are not in the chapter."""
    if definition.needs_submission and not terms.submission.choices:
        detail = f"No rules submission for {definition.title} is in force at table {terms.code}."
        raise Refusal("submission_required", "game", detail, "§ 601a.2")


_SHAPES: dict[tuple[str, str], Check] = {}


def shape_of(game: str, kind: str, definition: GameDefinition | None) -> Check:
    """Return the check of a whole event's keys, types and values, made once."""
    check = _SHAPES.get((game, kind))
    if check is None:
        check = _SHAPES[game, kind] = _make_shape(kind, definition)
    return check


def _make_shape(kind: str, definition: GameDefinition | None) -> Check:
    envelope = dict.fromkeys(ENVELOPE, _checked_before)
    if kind == "operation":
        return shape({**envelope, **ANYWHERE, "operation": check_operation}, ("operation",))
    no_joker = definition is not None and JOKER not in definition.deck
    keys: dict[str, Check] = {**envelope, **(BY_TYPE_WITHOUT_JOKER if no_joker else BY_TYPE)[kind]}
    if definition is None:  # its chapter is not here yet: its own keys are kept as they are
        keys["positions"] = shapes.list_of(_some_position)
        keys["dealer_hand"] = keys["bank"] = shapes.sender_own
    else:
        keys.update(definition.event_keys)
        keys["positions"] = shapes.list_of(definition.position_shapes[kind])
        if kind in definition.dealer_shapes:
            keys["dealer_hand"] = definition.dealer_shapes[kind]
    return shape(keys, REQUIRED[kind])


def _checked_before(value: Any) -> None:
    """Leave alone what was looked at with the envelope."""


def _some_position(value: Any) -> None:
    if type(value) is not dict:
        raise Refusal("wrong_type", "", "This must be an object.")
    shapes.sender_own(value)


def check_positions(
    document: Mapping[str, Any], terms: TableTerms, definition: GameDefinition
) -> None:
    """Refuse positions that the table does not have, or with wagers or cards that cannot be."""
    kind = document.get("type", "round")
    seen = set()
    listed = frozenset(position["position"] for position in document.get("positions", ()))
    without_main = definition.without_main(document) if definition.without_main else frozenset()
    for place, position in enumerate(document.get("positions", ())):
        try:
            number = position["position"]
            if not 1 <= number <= terms.positions:
                detail = f"Table {terms.code} has positions 1 to {terms.positions}."
                cite = definition.refusal_cites.get("position_out_of_range")
                raise Refusal("position_out_of_range", "position", detail, cite)
            if number in seen:
                detail = f"Position {number} stands in this round already."
                raise Refusal("duplicate_position", "position", detail)
            seen.add(number)
            check_wagers(position, kind, terms, definition, number in without_main)
            if definition.check_wagers is not None and kind != "void":
                definition.check_wagers(position, listed, terms)
            if kind in ("settlement", "round"):
                definition.check_position(position, terms)
                if definition.check_play is not None:
                    definition.check_play(position, document, terms)
        except Refusal as refusal:
            raise refusal.under(place).under("positions") from None
    if kind in ("settlement", "round"):
        try:
            definition.check_dealer(document["dealer_hand"], terms)
        except Refusal as refusal:
            raise refusal.under("dealer_hand") from None


def check_wagers(
    position: dict[str, Any],
    kind: str,
    terms: TableTerms,
    definition: GameDefinition,
    without_main: bool = False,
) -> None:
    """Refuse wagers that the submission does not offer, or not in this amount."""
    wagers = position.get("wagers", {})
    try:
        for wager, amount in wagers.items():
            if wager[:1] != "_":
                check_wager(wager, amount, kind, terms, definition)
    except Refusal as refusal:
        raise refusal.under("wagers") from None
    if definition.main_wager not in wagers and kind != "void" and not without_main:
        detail = f"A player takes part with a {definition.wagers[0].name}."
        raise Refusal("main_wager_required", "wagers", detail, definition.wagers[0].cite)


def check_wager(
    wager: str, amount: Any, kind: str, terms: TableTerms, definition: GameDefinition
) -> None:
    """Refuse one wager: not offered, at the wrong time, in the wrong unit, out of the limits."""
    submission = terms.submission
    is_late = kind == "lockout" and wager in definition.after_lockout
    is_progressive = wager == "progressive"
    if wager not in submission.offered or is_late or (is_progressive and not terms.units):
        detail = (
            "This wager is made after the cards are seen."
            if is_late
            else (f"Table {terms.code} does not offer this wager.")
        )
        cite = definition.refusal_cites.get("wager_not_offered")
        raise Refusal("wager_not_offered", wager, detail, cite)
    if is_progressive and AMOUNTS[amount] not in terms.units:
        units = " or ".join(f"${unit}" for unit in terms.units)
        cite = definition.refusal_cites.get("progressive_unit")
        raise Refusal("progressive_unit", wager, f"The progressive wager is {units}.", cite)
    low, high = submission.minimum.get(wager), submission.maximum.get(wager)
    if low is not None or high is not None:
        for place, each in amounts_in(amount):
            check_range(wager + place, AMOUNTS[each], low, high)


def check_range(path: str, amount: Decimal, low: Decimal | None, high: Decimal | None) -> None:
    """Refuse a wager below its minimum or above its maximum."""
    if low is not None and amount < low:
        raise Refusal("wager_out_of_range", path, f"The minimum is ${low}.")
    if high is not None and amount > high:
        raise Refusal("wager_out_of_range", path, f"The maximum is ${high}.")


def card_lists(document: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Yield the lists of cards of a document with their places, in document order."""
    for key, value in document.items():
        if key == "positions":
            for place, position in enumerate(value):
                for path, cards in cards_at(position):
                    yield f"positions[{place}].{path}", cards
        elif key == "dealer_hand" and "cards" in value:
            yield "dealer_hand.cards", value["cards"]
        elif key == "stub":
            yield "stub", value
        elif key == "discarded":
            yield "discarded", [entry["card"] for entry in value]


def cards_at(position: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Yield the lists of cards that came to a position, with their places, in document order."""
    for key, value in position.items():
        if key == "cards":
            yield key, value
        elif key == "decision" and "draw" in value:  # what was discarded stands in the hand
            yield "decision.draw", value["draw"]
        elif key == "hands":
            for place, hand in enumerate(value):
                yield f"hands[{place}].cards", hand.get("cards", [])


def repeated_cards(document: Mapping[str, Any], decks: int) -> Iterator[tuple[str, str]]:
    """Yield (place, card) of every card beyond those in the decks in play, in document order."""
    seen: dict[str, int] = {}
    for path, cards in card_lists(document):
        for place, card in enumerate(cards):
            seen[card] = seen.get(card, 0) + 1
            if seen[card] > decks and card != UNSEEN:
                tail = ".card" if path == "discarded" else ""
                yield f"{path}[{place}]{tail}", card


def check_cards(document: Mapping[str, Any], terms: TableTerms, definition: GameDefinition) -> None:
    """Refuse a card oftener than the decks hold it, and a stub that does not make up the deck."""
    known = [card for _, cards in card_lists(document) for card in cards if card != UNSEEN]
    decks = terms.submission.decks
    if len(known) - len(set(known)) >= decks:  # otherwise none can stand too often
        for path, card in repeated_cards(document, decks):
            often = "already" if decks == 1 else f"{decks} times already, once for each deck"
            cite = definition.refusal_cites.get("duplicate_card")
            raise Refusal("duplicate_card", path, f"{card} stands in this round {often}.", cite)
    if "stub" in document and definition.cards_each:  # other stubs lack the cards in the rack
        hands = [*document["positions"], document["dealer_hand"]]
        unseen = sum(_unseen(hand, definition.cards_each) for hand in hands)
        if len(known) + unseen != len(definition.deck):
            detail = (
                f"The stub and the cards dealt must make up the deck of {len(definition.deck)};"
                f" they are {len(known) + unseen}."
            )
            cite = definition.refusal_cites.get("stub_mismatch")
            raise Refusal("stub_mismatch", "stub", detail, cite)


def _unseen(hand: Mapping[str, Any], cards_each: int) -> int:
    """Return how many cards lie before a position without a face in the document."""
    cards: list[str] = hand.get("cards", [])
    return cards_each - sum(card != UNSEEN for card in cards)


def check_chip_count(document: Mapping[str, Any], definition: GameDefinition) -> None:
    """Refuse a lock-out whose chips are not as many as its progressive wagers (§ 670a.8(b)(2))."""
    counted = document.get("chip_count")
    if counted is None:
        return
    wagers = sum("progressive" in position["wagers"] for position in document["positions"])
    if counted != wagers:
        detail = f"{counted} progressive chips were counted, but {wagers} wagers are listed."
        cite = definition.refusal_cites.get("chip_count_mismatch")
        raise Refusal("chip_count_mismatch", "chip_count", detail, cite)


def check_follows_lockout(
    document: Mapping[str, Any], lockout_document: Mapping[str, Any], terms: TableTerms
) -> None:
    """Refuse a settlement whose wagers are not those of its lock-out (§ 670a.7(c)).

    Only wagers that are made once the cards are seen may be new.
    """
    definition = terms.submission.definition
    later = definition.after_lockout if definition else frozenset()
    cite = definition.refusal_cites.get("wagers_changed_after_lockout") if definition else None
    before = {seat["position"]: seat["wagers"] for seat in lockout_document["positions"]}
    for place, seat in enumerate(document["positions"]):
        path = f"positions[{place}]"
        locked = before.pop(seat["position"], None)
        if locked is None:
            raise _changed(f"{path}.position", "This position was not in the lock-out.", cite)
        for kind, amount in seat["wagers"].items():
            if kind in locked:
                if locked[kind] != amount:
                    told = f"This wager was {told_wager(locked[kind])} at the lock-out."
                    raise _changed(f"{path}.wagers.{kind}", told, cite)
            elif kind not in later and kind[:1] != "_":
                raise _changed(f"{path}.wagers.{kind}", "This wager was not in the lock-out.", cite)
        for kind in locked:
            if kind not in seat["wagers"] and kind[:1] != "_":
                raise _changed(f"{path}.wagers.{kind}", "The lock-out has this wager.", cite)
    if before:
        raise _changed("positions", f"The lock-out has position {min(before)}, not here.", cite)


def _changed(path: str, detail: str, cite: str | None) -> Refusal:
    return Refusal("wagers_changed_after_lockout", path, detail, cite)
