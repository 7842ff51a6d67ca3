"""The order in which a round's cards reached the discard rack, first to last.

The chapters say when the dealer takes up which cards (§ 670a.11(h)-(j), § 671a.11(c)-(g),
§ 672a.7, .10), so the order follows from what was settled when. Cards that a dealer took up
otherwise lie otherwise: this is what ought to be found.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tables.rules.shown_hands import final_cards

Line = Mapping[str, Any]

# When a thing goes into the rack, one stage after the other.
ASIDE, LEFT, AT_ONCE, AT_TURN, AFTER_ENVIES, DEALER, DOCUMENTED = range(7)

REST = {
    "670a": "§ 670a.11(i)",
    "645a": "§ 645a.11(g)",
    "671a": "§ 671a.11(f)",
    "672a": "§ 672a.7(s)",
}
END = {
    "670a": "§ 670a.11(j)",
    "645a": "§ 645a.11(g)",
    "671a": "§ 671a.11(g)",
    "672a": "§ 672a.7(s)",
}
NEEDS_PAPERS = {"670a": "§ 670a.11(h)(3)(i)(B)(IV)", "645a": "§ 645a.11(h)(4)(ii)(D)"}
FACE_UP = {"670a": "§ 670a.11(h)(1)(i)(B)", "645a": "§ 645a.11(h)(1)(i)(B)"}
COLLECTED_FIRST = ("§ 672a.10(c)(1)", "§ 672a.7(h)(1)", "§ 672a.8(e)")
FOLDS = {"instant": "§ 671a.11(c)(3)", "fold": "§ 671a.11(c)(4)"}


class Taken(NamedTuple):
    """Cards on their way into the rack: at which stage, and where within it."""

    stage: int
    place: int
    what: str
    position: int | None
    cards: list[str]
    cite: str
    unseen: int | None = None

    def told(self) -> dict[str, Any]:
        """Return it as the reconstruction tells it."""
        told = {"what": self.what, "position": self.position, "cards": self.cards}
        told |= {"cite": self.cite}
        return told if self.unseen is None else {**told, "unseen": self.unseen}


def rack_of(
    chapter: str, document: Mapping[str, Any], dealer: Mapping[str, Any], lines: Sequence[Line]
) -> list[dict[str, Any]]:
    """Return what went into the rack: ``what``, ``position``, ``cards``, ``cite``, in order."""
    if chapter not in REST:
        return []
    found = [*before_the_turns(document), *exchanged(document)]
    hands = by_blackjack_hand if chapter == "672a" else by_position
    found += hands(chapter, document, lines)
    cards = dealer.get("cards") or [*dealer.get("high", ()), *dealer.get("low", ())]
    if cards:
        found.append(Taken(DEALER, 0, "dealer", None, cards, END[chapter]))
    return [taken.told() for taken in sorted(found, key=lambda taken: taken[:2])]


def before_the_turns(document: Mapping[str, Any]) -> Iterator[Taken]:
    """Yield cards that were out of the round, and the stub, of which the faces stay unseen."""
    for place, gone in enumerate(document.get("discarded", ())):
        yield Taken(ASIDE, place, "out_of_the_round", None, [gone["card"]], f"§ {gone['cite']}")
    stub, count = document.get("stub"), document.get("left_count")
    if stub or count:
        yield Taken(LEFT, 0, "stub", None, [], "§ 670a.8(e)", len(stub) if stub else count)


def exchanged(document: Mapping[str, Any]) -> Iterator[Taken]:
    """Yield the cards that were given back for others, clockwise (§ 671a.11(d)(1)(ii))."""
    for seat in document.get("positions", ()):
        decision = seat.get("decision") or {}
        if decision.get("action") == "exchange" and decision.get("discard"):
            place = 100 + seat["position"]
            cite = "§ 671a.11(d)(1)(ii)"
            yield Taken(AT_ONCE, place, "exchanged", seat["position"], decision["discard"], cite)


def by_position(chapter: str, document: Mapping[str, Any], lines: Sequence[Line]) -> list[Taken]:
    """Return each position's cards where its last wager was settled.

    A hand that earned others an Envy Bonus lies face up until these are paid; one that won a share
    of the meter stays on the table until its papers are complete.
    """
    donors = {line["from_position"] for line in lines if line["result"] == "envy"}
    found = []
    for seat in document.get("positions", ()):
        position, cards = seat["position"], final_cards(seat)
        own = [(n, line) for n, line in enumerate(lines) if line["position"] == position]
        ends = [(n, line) for n, line in own if is_end(chapter, line)]
        if not cards:
            continue
        if not ends:  # a bank without a wager: its cards are collected with what remains
            place = len(lines) - position + 100
            found.append(Taken(AT_TURN, place, "position", position, cards, END[chapter]))
            continue
        place, last = ends[-1]
        stage, cite = AT_TURN, REST[chapter]
        if any(line.get("meter_at_turn") is not None for _, line in own):
            stage, cite = DOCUMENTED, NEEDS_PAPERS.get(chapter, cite)
        elif position in donors:
            stage, cite = AFTER_ENVIES, FACE_UP.get(chapter, cite)
        elif last["result"] in FOLDS:
            stage, cite = AT_ONCE, FOLDS[last["result"]]
            if "§ 671a.11(d)" in last["cite"]:
                place, cite = place + 200, last["cite"]  # after the draws
        found.append(Taken(stage, place, "position", position, cards, cite))
    return found


def is_end(chapter: str, line: Line) -> bool:
    """Whether a line can be the last that a position's own cards are needed for."""
    if line["result"] == "envy":
        return False
    return chapter != "671a" or line["wager"] in ("ante", "bet", "super")


def by_blackjack_hand(
    chapter: str, document: Mapping[str, Any], lines: Sequence[Line]
) -> list[Taken]:
    """Return each hand's cards: what is collected or paid at once goes first, clockwise."""
    found = []
    seats = {seat["position"]: seat for seat in document.get("positions", ())}
    for place, line in enumerate(lines):
        hands = seats.get(line["position"], {}).get("hands") or []
        index = line.get("hand_index") or 0
        if line["wager"] != "main" or index >= len(hands) or not hands[index].get("cards"):
            continue
        stage, cite, at = AT_TURN, REST[chapter], place
        if line["cite"] in COLLECTED_FIRST:
            stage, cite, at = AT_ONCE, line["cite"], line["position"]
        what = f"hand {index + 1}" if len(hands) > 1 else "position"
        found.append(Taken(stage, at, what, line["position"], hands[index]["cards"], cite))
    return found
