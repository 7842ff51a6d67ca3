"""The money told again from the log alone, by arithmetic of our own.

Nothing of the product is imported: what the log says must be enough for an outsider with the
regulation in his hand (§ 670a.11(h), § 670a.12(d)).
"""

import hashlib
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, Decimal
from itertools import combinations
from typing import Any

CENT = Decimal("0.01")
RANKS = "23456789TJQKA"
DECK = [rank + suit for rank in RANKS for suit in "SHDC"]
STRAIGHTS = [set("A2345"), *({*RANKS[low : low + 5]} for low in range(9))]
ROYAL = set("TJQKA")

PERCENT_OF_METER = {"five_aces": 100, "royal_flush": 10}
FOR_ONE = {
    "straight_flush": 300,
    "four_of_a_kind": 150,
    "full_house": 15,
    "flush": 6,
    "straight": 3,
}
BEST_FIRST = [*PERCENT_OF_METER, *FOR_ONE, ""]
COMPLETED_BY_JOKER = ("royal_flush", "straight_flush", "flush", "straight")


def plain_hand(cards: tuple[str, ...]) -> str:
    """Name five cards without a joker, as far as the progressive pays them."""
    ranks, flush = {card[0] for card in cards}, len({card[1] for card in cards}) == 1
    straight = ranks in STRAIGHTS
    if flush and straight:
        return "royal_flush" if ranks == ROYAL else "straight_flush"
    alike = sorted(Counter(card[0] for card in cards).values())
    if alike == [1, 4]:
        return "four_of_a_kind"
    if alike == [2, 3]:
        return "full_house"
    return "flush" if flush else "straight" if straight else ""


def five_cards(cards: tuple[str, ...]) -> str:
    """Name five cards; a joker is an ace, or what completes a straight or a flush."""
    if "JK" not in cards:
        return plain_hand(cards)
    others = tuple(card for card in cards if card != "JK")
    if [card[0] for card in others] == ["A"] * 4:
        return "five_aces"
    found = [plain_hand((*others, "A?"))]
    if len(set(others)) == 4:
        for card in DECK:
            name = plain_hand((*others, card)) if card not in others else ""
            if name in COMPLETED_BY_JOKER:
                found.append(name)
    return min(found, key=BEST_FIRST.index)


def best_hand(cards: list[str]) -> str:
    """Name the best five of six cards, if the progressive pays for them."""
    return min(map(five_cards, combinations(cards, 5)), key=BEST_FIRST.index)


@dataclass
class Progressive:
    """One progressive, told again: its terms and its movements."""

    unit: Decimal
    percent: Decimal
    reset: Decimal
    value: Decimal
    movements: list[tuple[str, Decimal, Decimal]] = field(default_factory=list)

    def move(self, kind: str, amount: Decimal) -> None:
        self.value += amount
        self.movements.append((kind, amount, self.value))

    def contribute(self, stake: Decimal) -> Decimal:
        added = stake * self.percent / 100
        self.move("contribution", added)
        return added

    def award(self, percent: int) -> Decimal:
        pays = (self.value * percent / 100).quantize(CENT, rounding=ROUND_DOWN)
        self.move("award", -pays)
        if percent == 100:
            self.move("reset", self.reset - self.value)
        return pays


@dataclass
class Told:
    """What the log comes to."""

    progressives: dict[str, Progressive] = field(default_factory=dict)
    linked: dict[str, str | None] = field(default_factory=dict)
    claims: dict[tuple[str, int, int], tuple[str, Decimal]] = field(default_factory=dict)
    claimed: Counter[tuple[str, int, int]] = field(default_factory=Counter)  # as the log says
    numbers: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))  # by lane
    events: Counter[str] = field(default_factory=Counter)
    rounds: Counter[tuple[str, int]] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    open: dict[tuple[str, int], list[Decimal]] = field(default_factory=dict)

    def set_up(self, document: dict[str, Any]) -> None:
        for made in document["progressives"]:
            [level] = made["levels"]
            progressive = self.progressives[made["code"]] = Progressive(
                Decimal(made["wager_unit"]),
                Decimal(level["increment_percent"]),
                Decimal(level["reset"]),
                Decimal(0),
            )
            progressive.move("initial", Decimal(level["initial"]))
        for table in document["tables"]:
            self.linked[table["code"]] = table.get("progressive")

    def apply(self, lane: str, facts: dict[str, Any]) -> None:
        """Tell one event of a lane again."""
        self.numbers[lane].append(facts["lane_number"])
        self.states[facts["state"]] += 1
        if facts["state"] == "set_aside":
            self.events[facts["event_id"]] += 1
            return
        document = facts["document"]
        self.events[document["event_id"]] += 1
        if facts["state"] != "applied" or document["type"] == "operation":
            return
        place = document["table"], document["round"]
        code = self.linked[document["table"]]
        progressive = self.progressives[code] if code else None
        kind = document["type"]
        if kind in ("lockout", "round"):
            self.open[place] = [
                progressive.contribute(Decimal(seat["wagers"]["progressive"]))
                for seat in in_turn(document)
                if progressive is not None
            ]
        if kind == "lockout":
            return
        self.rounds[place] += 1
        added = self.open.pop(place, [])
        if kind == "void":
            for amount in added:
                assert progressive is not None
                progressive.move("reversal", -amount)
            return
        for claim in facts["claims"]:
            self.claimed[*place, claim["position"]] += 1
        if progressive is not None:
            self.pay(progressive, place, document)

    def pay(
        self, progressive: Progressive, place: tuple[str, int], document: dict[str, Any]
    ) -> None:
        """Pay each hand at its turn, from what the turns before have left."""
        for seat in in_turn(document):
            hand = best_hand(seat["cards"])
            if hand in PERCENT_OF_METER:
                pays = progressive.award(PERCENT_OF_METER[hand])
            elif hand:
                pays = FOR_ONE[hand] * Decimal(seat["wagers"]["progressive"])
            else:
                continue
            self.claims[*place, seat["position"]] = hand, pays


def in_turn(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the positions with a progressive wager, from the dealer's right."""
    seats = [s for s in document["positions"] if "progressive" in s["wagers"]]
    return sorted(seats, key=lambda seat: -seat["position"])


def link(chain: str, sequence: int, previous: bytes, body: bytes) -> bytes:
    """Hash one link of a chain, as the log's description says."""
    name = chain.encode()
    head = b"casino-audit/1\n" + len(name).to_bytes(2, "big") + name
    return hashlib.sha256(head + sequence.to_bytes(8, "big") + previous + body).digest()


def fold(chains: dict[str, list[bytes]]) -> Told:
    """Tell the log again: ``chains`` holds each chain's bodies in their order."""
    told = Told()
    for body in chains.get("system", ()):
        page = json.loads(body)
        if page["action"] == "tables.setup_loaded":
            told.set_up(page["facts"]["document"])
    for name, bodies in chains.items():
        for body in bodies if name.startswith("lane:") else ():
            page = json.loads(body)
            if page["action"].startswith("tables."):
                told.apply(name, page["facts"])
    return told
