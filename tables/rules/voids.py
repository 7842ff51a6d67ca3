"""A round that is void: every wager goes back, the round's contributions leave the meter."""

from collections.abc import Mapping
from typing import Any

from tables.rules.documents import repeated_cards
from tables.rules.flags import irregularities, known_section, section
from tables.rules.paid import flag_payments
from tables.rules.rounds import Settled, TableTerms
from tables.rules.settle import Reckoning, Seat


def void(
    document: dict[str, Any], terms: TableTerms, lockout_document: Mapping[str, Any] | None
) -> Settled:
    """Return the wagers of a checked ``void``: those of its lock-out, or those that it lists.

    The outcome's ``reversals`` are the positions whose contribution leaves the meter; a round
    that was never locked out has moved none.
    """
    seats = seats_of(document, lockout_document)
    reckoning = Reckoning({**document, "positions": seats}, terms)
    cite = section(irregularities(document)[0]["cite"])
    definition = terms.submission.definition
    for seat in reckoning.seats:
        if definition is not None and definition.give_back is not None:
            definition.give_back(reckoning, seat, cite)
            continue
        for kind in kinds_in_order(seat, terms):
            reckoning.give_back(seat, kind, cite)
    locked = {} if lockout_document is None else wagers_of(lockout_document)
    reversals = tuple(
        seat.position for seat in reckoning.seats if "progressive" in locked.get(seat.position, {})
    )
    flag_void(reckoning, document, locked)
    return reckoning.settled(None)._replace(contributions=(), reversals=reversals)


def wagers_of(document: Mapping[str, Any]) -> dict[int, dict[str, str]]:
    """Return the wagers of a document by position."""
    return {seat["position"]: seat.get("wagers", {}) for seat in document.get("positions", ())}


def seats_of(
    document: Mapping[str, Any], lockout_document: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """Return the positions with everything that was wagered there, those listed first.

    Where the two differ the lock-out tells what was wagered; the void can add a later wager.
    """
    if lockout_document is None:
        return list(document.get("positions", ()))
    locked = wagers_of(lockout_document)
    players = {seat["position"]: seat for seat in lockout_document["positions"]}
    seats = []
    for told in document.get("positions", ()):
        wagers = {**told.get("wagers", {}), **locked.pop(told["position"], {})}
        seats.append({**players.get(told["position"], {}), **told, "wagers": wagers})
    return seats + [players[position] for position in locked]


def kinds_in_order(seat: Seat, terms: TableTerms) -> list[str]:
    """Return a position's wagers in the chapter's order."""
    definition = terms.submission.definition
    kinds = definition.kinds if definition else sorted(seat.wagers)
    return [kind for kind in kinds if kind in seat.wagers]


def flag_void(
    reckoning: Reckoning, document: Mapping[str, Any], locked: Mapping[int, Mapping[str, str]]
) -> None:
    """Note what is odd about a void: its paragraph, its wagers, its cards, payments made."""
    definition = reckoning.terms.submission.definition
    known = definition.void_paragraphs if definition else frozenset()
    cites = [section(entry["cite"]) for entry in irregularities(document)]
    cite = known_section(cites[0])
    if not any(told.removeprefix("§ ") in known for told in cites):
        detail = "The paragraph named does not void a round."
        reckoning.flag("void_paragraph", "irregularity", cite, detail)
    later = definition.after_lockout if definition else frozenset()
    for place, seat in enumerate(document.get("positions", ()) if locked else ()):
        before = locked.get(seat["position"], {})
        for kind, amount in seat.get("wagers", {}).items():
            if before.get(kind) != amount and kind not in later and kind[:1] != "_":
                path = f"positions[{place}].wagers.{kind}"
                detail = "This wager is not that of the lock-out."
                reckoning.flag("wagers_changed_after_lockout", path, cite, detail)
    decks = reckoning.terms.submission.decks
    for path, card in repeated_cards(document, decks):
        often = "twice" if decks == 1 else "too often"
        detail = f"{card} stands {often} in a round that is void: look at the deck."
        cite = f"§ {definition.chapter}.3(a)" if definition else ""
        reckoning.flag("repeated_card", path, cite, detail, alarm=True)
    if definition is not None and definition.flag_void is not None:
        definition.flag_void(reckoning)
    flag_payments(reckoning)
