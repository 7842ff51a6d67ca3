"""Complete rounds to measure with: six positions, every wager on each of them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import cycle
from random import Random
from typing import Any
from uuid import UUID

from tables.rules import TableTerms, settle
from tables.simulator.deck import DEALER, PLACES, deal, set_low

WAGERS = {"main": "25.00", "fortune_bonus": "5.00", "insurance": "5.00", "progressive": "1.00"}
SETS_HIS_HAND = 0.8  # of the positions; the engine sets the others the house way
SAYS_PAID = 0.3  # of the rounds carry what the dealer paid, for the engine to compare
ROUND_SECONDS = 60  # between two rounds of a table
DAYS_BACK = 60  # so that even the last round lies before now


class Dealers:
    """The tables' dealers: one round at each table in turn, numbered as a table controller does."""

    def __init__(self, terms: Sequence[TableTerms], seed: int) -> None:
        self._terms = cycle(terms)
        self._numbers = {table.code: 0 for table in terms}
        self._dealers = {table.code: f"D{1100 + place}" for place, table in enumerate(terms)}
        self._rng = Random(seed)  # noqa: S311 - a play
        self._now = datetime.now(UTC) - timedelta(days=DAYS_BACK)
        self._step = timedelta(seconds=ROUND_SECONDS / len(terms))

    def rounds(self, count: int) -> list[dict[str, Any]]:
        """Return the next rounds, each one event."""
        return [self._round(next(self._terms)) for _ in range(count)]

    def _round(self, terms: TableTerms) -> dict[str, Any]:
        rng = self._rng
        self._numbers[terms.code] += 1
        self._now += self._step
        number = self._numbers[terms.code]
        dealt = deal(rng)
        document = {
            "spec": "round/1",
            "event_id": str(UUID(int=rng.getrandbits(128), version=4)),
            "table": terms.code,
            "sequence": number,
            "type": "round",
            "occurred_at": self._now.isoformat(timespec="milliseconds"),
            "round": number,
            "game": terms.game,
            "dealer": self._dealers[terms.code],
            "floorperson": "F200",
            "dealing": "hand",
            "shuffle": "device",
            "deck": f"{terms.code}-{'AB'[number % 2]}",
            "chip_count": PLACES,
            "positions": [
                self._seat(position, dealt.stacks[position]) for position in range(1, PLACES + 1)
            ],
            "dealer_hand": {"cards": dealt.stacks[DEALER]},
            "left_count": len(dealt.left),
        }
        if rng.random() < SAYS_PAID:
            pay(document, terms)
        return document

    def _seat(self, position: int, cards: list[str]) -> dict[str, Any]:
        seat = {
            "position": position,
            "player": f"P{position}",
            "cards": cards,
            "wagers": WAGERS,
            "lamp": True,
        }
        if self._rng.random() < SETS_HIS_HAND:
            seat["low"] = [set_low(cards)]
        return seat


def pay(document: dict[str, Any], terms: TableTerms) -> None:
    """Let the dealer pay every position what the engine says."""
    owed: dict[int, dict[str, Decimal]] = {seat["position"]: {} for seat in document["positions"]}
    for line in settle(document, terms).outcome["lines"]:
        if line["pays"] is None or Decimal(line["pays"]) == 0:
            continue  # a share of the meter is not the dealer's to pay
        kind = "envy" if line["result"] == "envy" else line["wager"]
        of = owed[line["position"]]
        of[kind] = of.get(kind, Decimal(0)) + Decimal(line["pays"])
    for seat in document["positions"]:
        seat["paid"] = {kind: f"{amount:.2f}" for kind, amount in owed[seat["position"]].items()}
