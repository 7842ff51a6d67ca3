"""What the log itself shows of rounds that are missing or were told twice: pure."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

MOST = 200  # of each kind that a day keeps: a table that counts in another way says nothing


class Skipped(NamedTuple):
    """A round number that a table left out between two rounds."""

    table: str
    number: int


class Twin(NamedTuple):
    """A round that says the very same as an earlier one: cards, wagers and dealer."""

    table: str
    number: int
    of: int


class Evidence(NamedTuple):
    """What is odd about the day's rounds, of the tables that feed one progressive."""

    skipped: tuple[Skipped, ...] = ()
    twins: tuple[Twin, ...] = ()

    def of(self, tables: Iterable[str]) -> "Evidence":
        """Return what concerns these tables."""
        wanted = frozenset(tables)
        return Evidence(
            tuple(found for found in self.skipped if found.table in wanted),
            tuple(found for found in self.twins if found.table in wanted),
        )


NO_EVIDENCE = Evidence()


class Observer:
    """A fold over a lane's rounds, in their order."""

    def __init__(self) -> None:
        self.last: dict[str, int] = {}  # table: the highest round number so far
        self.skipped: dict[Skipped, None] = {}
        self.twins: list[Twin] = []
        self._seen: dict[str, int] = {}

    def tell(self, document: Mapping[str, Any], *, of_day: bool) -> None:
        """Take one event of a round."""
        table, number = document["table"], document["round"]
        self.skipped.pop(Skipped(table, number), None)  # it came after all
        last = self.last.get(table)
        if last is not None and number > last + 1 and of_day and number - last <= MOST:
            self.skipped |= dict.fromkeys(Skipped(table, n) for n in range(last + 1, number))
        self.last[table] = max(number, last or number)
        if document["type"] in ("round", "settlement") and of_day:
            self._compare(table, number, document)

    def _compare(self, table: str, number: int, document: Mapping[str, Any]) -> None:
        """Look for a round of the table with the same cards before the same people."""
        told = json.dumps(
            [table, document.get("positions"), document.get("dealer_hand")], sort_keys=True
        )
        first = self._seen.setdefault(told, number)
        if first != number and len(self.twins) < MOST:
            self.twins.append(Twin(table, number, first))

    def found(self) -> Evidence:
        """Return what was odd."""
        return Evidence(tuple(self.skipped)[:MOST], tuple(self.twins))
