"""What is odd about a round that was played all the same: accepted, settled, put before a person.

An exception waits for someone to look at it; an alarm asks for it now.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tables.rules.settle import Reckoning, Seat
from tables.rules.wagers import AMOUNTS, NOTHING

_PARAGRAPH = re.compile(r"[0-9]{3}a\.[0-9]{1,2}(\([0-9a-zA-Z]{1,4}\)){0,6}")


def section(cite: str) -> str:
    """Return a paragraph as outcomes write it: ``§ 670a.13(e)`` for ``670a.13(e)``."""
    return "§ " + cite.replace("§", "").strip()


def is_paragraph(cite: str) -> bool:
    """Whether a cite has the form of a paragraph of the Code."""
    return _PARAGRAPH.fullmatch(section(cite)[2:]) is not None


def known_section(cite: str) -> str:
    """Return a cite as ``section`` does, or nothing where it is no paragraph of the Code."""
    return section(cite) if is_paragraph(cite) else ""


def irregularities(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the irregularities of an event or a position, one or a list, as a list."""
    told = facts.get("irregularity", [])
    return told if type(told) is list else [told]


def flag_chip_count(reckoning: Reckoning, cite: str) -> None:
    """Flag a chip count that is not the number of progressive wagers."""
    counted = reckoning.document.get("chip_count")
    if counted is None:
        return
    wagers = sum("progressive" in seat.wagers for seat in reckoning.seats)
    if counted != wagers:
        detail = f"{counted} progressive chips were counted, but {wagers} wagers are listed."
        reckoning.flag("chip_count_mismatch", "chip_count", cite, detail)


HAD_TO_BE_VOID = "; the round had to be void."


def flag_start(reckoning: Reckoning, cite: str, places: int, *, voids: bool = True) -> None:
    """Alarm where the first card went to the wrong place (§ 670a.5(i), § 670a.13(c)).

    The count begins with the dealer as one and goes counterclockwise over every place. ``voids``
    False: no paragraph known here makes the round void for it, so that it is an exception.
    """
    start = reckoning.document.get("start")
    if start is None:
        return
    total = start["random_number"] if "random_number" in start else sum(start["dice"])
    steps = (total - 1) % places
    right = 0 if steps == 0 else places - steps
    if start["first"] != right:
        place = "the dealer" if right == 0 else f"position {right}"
        detail = f"A count of {total} starts at {place}{HAD_TO_BE_VOID if voids else '.'}"
        reckoning.flag("wrong_start", "start.first", cite, detail, alarm=voids)


def flag_discarded(reckoning: Reckoning, cite: str, most: int = 1) -> None:
    """Alarm where more cards were out of the round than it can be played with."""
    discarded = reckoning.document.get("discarded", ())
    if len(discarded) > most:
        detail = f"{len(discarded)} cards were found face up; the round had to be void."
        reckoning.flag("two_cards_face_up", "discarded", cite, detail, alarm=True)


def flag_left_count(reckoning: Reckoning, cite: str, left: int, *, voids: bool = True) -> None:
    """Alarm where not as many cards were left as the deal leaves; ``voids`` as at the start."""
    counted = reckoning.document.get("left_count")
    expected = left - len(reckoning.document.get("discarded", ()))
    if counted is not None and counted != expected:
        detail = f"{counted} cards were left, not {expected}{HAD_TO_BE_VOID if voids else '.'}"
        reckoning.flag("left_count", "left_count", cite, detail, alarm=voids)


def flag_dealing(reckoning: Reckoning, cite: str) -> None:
    """Flag cards dealt from the hand that no device had shuffled."""
    document = reckoning.document
    if document.get("dealing") == "hand" and document.get("shuffle") == "manual":
        detail = "Cards dealt from the hand must be shuffled by a device."
        reckoning.flag("hand_dealt_without_device", "shuffle", cite, detail)


def flag_players(reckoning: Reckoning, cite: str, most: int | None = 2) -> None:
    """Flag a person at positions that one person may not have (SC-13).

    ``most``: how many adjacent ones the chapter or the submission allows; None sets no number.
    """
    seats = reckoning.seats
    if len({seat.who for seat in seats}) == len(seats):
        return
    by_who: dict[str | int, list[Seat]] = {}
    for seat in seats:
        by_who.setdefault(seat.who, []).append(seat)
    if not reckoning.terms.submission.adjacent_positions:
        most = 1
    for who, theirs in by_who.items():
        places = [seat.position for seat in theirs]
        adjacent = places[0] - places[-1] == len(places) - 1
        if len(places) == 1 or (adjacent and (most is None or len(places) <= most)):
            continue
        last = max(theirs, key=lambda seat: seat.index)
        told = " and ".join(str(place) for place in sorted(places))
        allowed = {None: "adjacent ones", 1: "one", 2: "two adjacent ones"}
        may = allowed.get(most, f"{most} adjacent ones")
        detail = f"Player {who} is at positions {told}; one player may have {may}."
        path = f"positions[{last.index}].player"
        reckoning.flag("adjacent_positions", path, cite, detail, seat=last)


def flag_lammers(reckoning: Reckoning, qualifying: Mapping[str, Decimal], cite: str) -> None:
    """Flag Envy lammers without their Qualifying wagers, or missing beside them.

    ``qualifying``: the wagers that have a lammer, and from what amount.
    """
    for seat in reckoning.seats:
        told = seat.facts.get("envy_lammer")
        if told is None:
            continue
        due = sorted(
            kind
            for kind, at_least in qualifying.items()
            if AMOUNTS[seat.wagers.get(kind, NOTHING)] >= at_least
        )
        if sorted(told) != due:
            path = f"positions[{seat.index}].envy_lammer"
            should = "should lie" if due else "should not lie"
            detail = f"An Envy lammer {should} at position {seat.position} by its wagers."
            if len(qualifying) > 1:
                by = ", ".join(due).replace("_", " ") or "none"
                detail = f"By its wagers position {seat.position} has Envy lammers for: {by}."
            reckoning.flag("envy_lammer", path, cite, detail, seat=seat)


def flag_lamps(reckoning: Reckoning, cite: str) -> None:
    """Flag a progressive wager that won while its light was off; its claim carries the flag."""
    for win in reckoning.wins:
        if win.lamp is False:
            path = f"positions[{win.index}].lamp"
            detail = f"The progressive light at position {win.position} was not on."
            found = reckoning.flag("lamp_not_lit", path, cite, detail)
            found["position"] = win.position
            win.flags.append(found)


def flag_irregularities(
    reckoning: Reckoning,
    void_paragraphs: frozenset[str],
    by_status: Mapping[str, str | tuple[str, ...]],
) -> None:
    """Flag what an irregularity says that does not go with a settled round.

    ``void_paragraphs``: naming one of them, the round had to be void. ``by_status``: the
    paragraph that a position's status rests on, or those of which it rests on one.
    """
    document = reckoning.document
    if "irregularity" in document:
        for entry in irregularities(document):
            flag_cite(reckoning, entry["cite"], "irregularity", void_paragraphs, None)
    for seat in reckoning.seats:
        path = f"positions[{seat.index}]"
        if "irregularity" in seat.facts:
            flag_facts(reckoning, seat, seat.facts, path, void_paragraphs, by_status)
        for place, hand in enumerate(seat.facts.get("hands", ())):
            if "irregularity" in hand:
                at = f"{path}.hands[{place}]"
                flag_facts(reckoning, seat, hand, at, void_paragraphs, by_status)


def flag_facts(
    reckoning: Reckoning,
    seat: Seat,
    facts: Mapping[str, Any],
    path: str,
    void_paragraphs: frozenset[str],
    by_status: Mapping[str, str | tuple[str, ...]],
) -> None:
    """Flag the irregularities of a position, or of one of its hands."""
    path = f"{path}.irregularity"
    cites = [section(entry["cite"])[2:] for entry in irregularities(facts)]
    status = facts.get("status", "")
    right = by_status.get(status, ())
    rights = (right,) if type(right) is str else right
    if rights and not any(one in cites for one in rights):
        known = " or ".join(f"§ {one}" for one in rights)
        detail = f"A hand is {status} under {known}, which is not named."
        reckoning.flag("status_paragraph", path, f"§ {rights[0]}", detail, seat=seat)
    for cite in cites:
        flag_cite(reckoning, cite, path, void_paragraphs, seat)


def flag_cite(
    reckoning: Reckoning, cite: str, path: str, void_paragraphs: frozenset[str], seat: Seat | None
) -> None:
    """Flag one cite: no paragraph at all, or one that makes the whole round void."""
    told = section(cite)
    if not is_paragraph(cite):
        detail = f"{cite!r} is not a paragraph."
        reckoning.flag("unknown_paragraph", path, "", detail, seat=seat)
    elif told[2:] in void_paragraphs:
        detail = f"{told} makes the round void, but it was settled."
        reckoning.flag("void_paragraph_settled", path, told, detail, alarm=True, seat=seat)
