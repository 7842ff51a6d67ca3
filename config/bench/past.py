"""A past to search in: rounds that were really dealt and settled, put down by COPY in their rows.

A pool of rounds is dealt, settled and filed as the house does it. Each round of the past is one of
them at another table, time and hour, with other people: its rows have the true shapes and sizes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import groupby
from operator import itemgetter
from random import Random
from typing import Any, NamedTuple

from django.db import transaction

from audit.copying import copy_rows, jsonb
from audit.models import ExceptionRecord
from config.bench.rounds import WAGERS
from tables.findable import LEVELS, Filed, Seat, day_of, key, span_keys
from tables.models import GamingTable
from tables.rules import TableTerms, settle
from tables.services.batch import round_uuid
from tables.services.store import ROUND, SEAT
from tables.simulator.deck import DEALER, PLACES, deal, set_low, stack_luck

BEGINS = datetime(2026, 3, 1, 11, tzinfo=UTC)
ROUND_SECONDS = 75
OPEN_HOURS = 16  # of each day
POOL, LUCKY_POOL = 8000, 400
LUCKY = 1 / 4000  # of the rounds: what no honest shuffle deals often enough to be looked for
VOIDS, MISPAYS, ALARMS = 1 / 300, 1 / 150, 1 / 2000
DEALERS, FLOORPERSONS, REGULARS = 60, 12, 2000
LOWEST, HIGHEST = Decimal("20000.00"), Decimal("60000.00")  # of the meter
CHUNK = 5000
FILED = {
    "round_id": "uuid",
    "table_id": "int8",
    "occurred_at": "timestamptz",
    "keys": "int4[]",
    "hands": "int8[]",
}


class Dealt(NamedTuple):
    """A round of the pool: its rows without people and place, and what it is found by."""

    seats: list[tuple[int, str, bytes, bytes]]  # position, cards, wagers and lines as JSON
    dealer: bytes
    keys: list[int]  # of its hands and amounts
    hands: list[int]
    contributed: Decimal
    cards: list[list[str]]
    rules: str


def make_pool(terms: TableTerms, rng: Random, count: int, *, lucky: bool) -> list[Dealt]:
    """Deal and settle rounds of two to six positions, every wager on some of them."""
    return [dealt_round(terms, rng, lucky) for _ in range(count)]


def dealt_round(terms: TableTerms, rng: Random, lucky: bool) -> Dealt:
    """Deal and settle one round."""
    places = sorted(
        rng.sample(range(1, PLACES + 1), rng.choices((2, 3, 4, 5, 6), (2, 4, 4, 3, 1))[0])
    )
    stacks = deal(rng, stack_luck(rng, places) if lucky else None).stacks
    document: dict[str, Any] = {
        "spec": "round/1",
        "type": "round",
        "game": terms.game,
        "positions": [seat_of(rng, place, stacks[place]) for place in places],
        "dealer_hand": {"cards": stacks[DEALER]},
    }
    settled = settle(document, terms)
    for win in settled.wins:
        if win.percent is not None:
            win.line["pays"] = "2000.00"
    lines = {place: list(run) for place, run in
             groupby(settled.outcome["lines"], itemgetter("position"))}  # fmt: skip
    seats = [Seat(s["position"], "", s["wagers"], lines.get(s["position"], []))
             for s in document["positions"]]  # fmt: skip
    filed = Filed("", 0, "", "settled", "", "", BEGINS, seats, [], documents=[document])
    always = set(Filed("", 0, "", "settled", "", "", BEGINS, [], []).keys())
    return Dealt(
        [
            (s.position, " ".join(stacks[s.position]), jsonb(s.wagers), jsonb(s.lines))
            for s in seats
        ],
        jsonb(settled.outcome["dealer"]),
        sorted(set(filed.keys()) - always),
        filed.hands(),
        Decimal("0.21") * len(settled.contributions),
        [stacks[s.position] for s in seats],
        settled.outcome["rules"],
    )


def seat_of(rng: Random, place: int, cards: list[str]) -> dict[str, Any]:
    """Return a position with its wagers."""
    wagers = {**WAGERS, "main": rng.choice(["10.00", "15.00", "25.00", "25.00", "50.00", "100.00"])}
    for kind, often in (("fortune_bonus", 0.5), ("insurance", 0.3), ("progressive", 0.7)):
        if rng.random() > often:
            del wagers[kind]
    seat = {"position": place, "cards": cards, "low": [set_low(cards)], "wagers": wagers}
    return seat | {"lamp": "progressive" in wagers}


@dataclass
class TableNow:
    """Who is at a table now, and for how long."""

    table: GamingTable
    number: int = 0
    dealer: str = ""
    floorperson: str = ""
    until: datetime = BEGINS
    players: dict[int, tuple[str, int]] = field(default_factory=dict)


class Past:
    """The past of a house, which can be made to go on."""

    def __init__(
        self, tables: list[GamingTable], terms: TableTerms, seed: int = 5, pool: int = POOL
    ) -> None:
        self._rng = rng = Random(seed)  # noqa: S311 - a play
        self._now = [TableNow(table) for table in tables]
        self._pool = make_pool(terms, rng, pool, lucky=False)
        self._lucky = make_pool(terms, rng, min(LUCKY_POOL, pool), lucky=True)
        self._value = LOWEST
        self._at = BEGINS
        self._step = timedelta(seconds=ROUND_SECONDS / len(tables))
        self.rounds = 0
        self.visitors = 0
        self.last: dict[str, Any] = {}

    def go_on(self, until: int) -> None:
        """Put rounds down until there are so many."""
        while self.rounds < until:
            rows: list[Any] = list(self._some(min(CHUNK, until - self.rounds)))
            with transaction.atomic():
                copy_rows("tables_round", ROUND, [row[0] for row in rows])
                copy_rows("tables_roundposition", SEAT, [seat for row in rows for seat in row[1]])
                copy_rows("tables_filedround", FILED, [row[2] for row in rows])
                ExceptionRecord.objects.bulk_create([row[3] for row in rows if row[3]])

    def _some(self, count: int) -> Iterator[tuple[Any, ...]]:
        for _ in range(count):
            self.rounds += 1
            self._at += self._step
            if self._at.hour == (BEGINS.hour + OPEN_HOURS) % 24:
                self._at += timedelta(hours=24 - OPEN_HOURS)
            yield self._round(self._now[self.rounds % len(self._now)])

    def _round(self, now: TableNow) -> tuple[Any, ...]:
        rng, at = self._rng, self._at
        self._change_people(now)
        now.number += 1
        dealt = rng.choice(self._lucky if rng.random() < LUCKY else self._pool)
        code, game, pk = now.table.code, now.table.game, round_uuid(now.table.code, now.number)
        deck = f"{code}-{at:%j}-{'AB'[now.number % 2]}"
        players = [self._player(now, position) for position, *_ in dealt.seats]
        flag = self._flag()
        is_void = flag == "void"
        flags = [{"code": flag, "path": "", "cite": ""}] if flag and not is_void else []
        strip, dollars = self._contribute(dealt.contributed)
        keys = {*dealt.keys, key("table", code), key("round", now.number), key("game", game)}
        keys |= {key("dealer", now.dealer), key("floorperson", now.floorperson), key("deck", deck)}
        keys |= {key("player", player) for player in players}
        keys |= {key("meter", dollar) for dollar in dollars}
        keys |= {s for level in LEVELS for s in span_keys(level, day_of(at), day_of(at))}
        if flag:
            keys.add(key("flag", flag))
        self.last = {"table": code, "at": at, "player": players[0], "deck": deck}
        self.last |= {"cards": dealt.cards[0], "number": now.number}
        row: tuple[Any, ...] = (
            pk,
            now.table.pk,
            now.number,
            game,
            "void" if is_void else "settled",
            dealt.rules,
        )
        row += (now.dealer, now.floorperson, dealt.dealer, jsonb([strip]), jsonb(flags))
        row += (self.rounds, at.date(), at)
        seats = [
            (pk, position, player, cards, wagers, lines)
            for (position, cards, wagers, lines), player in zip(dealt.seats, players, strict=True)
        ]
        odd = ExceptionRecord(kind=flag, table=code, round=now.number) if flags else None
        return row, seats, (pk, now.table.pk, at, list(keys), dealt.hands), odd

    def _contribute(self, amount: Decimal) -> tuple[dict[str, str], range]:
        """Move the meter; return its strip and the dollars it showed."""
        if self._value > HIGHEST:
            self._value = LOWEST
        before, self._value = self._value, self._value + amount
        strip = {"level": "grand", "before": str(self._value), "contributed": str(amount)}
        strip |= {"paid": "0.00", "after": str(self._value)}
        return strip, range(int(before), int(self._value) + 1)

    def _flag(self) -> str:
        chance = self._rng.random()
        for flag, often in (("void", VOIDS), ("mispay", MISPAYS), ("start_wrong", ALARMS)):
            if chance < often:
                return flag
            chance -= often
        return ""

    def _change_people(self, now: TableNow) -> None:
        if now.until <= self._at:
            now.dealer = f"D{1100 + self._rng.randrange(DEALERS)}"
            now.floorperson = f"F{200 + self._rng.randrange(FLOORPERSONS)}"
            now.until = self._at + timedelta(minutes=60)

    def _player(self, now: TableNow, position: int) -> str:
        """Return who sits there: a regular, or a visitor whom nobody sees again."""
        player, stays = now.players.get(position, ("", 0))
        if not stays:
            self.visitors += 1
            regular = self._rng.random() < 0.6
            who = int(REGULARS * self._rng.random() ** 3) if regular else self.visitors
            player, stays = f"{'R' if regular else 'V'}-{who}", self._rng.randint(10, 80)
        now.players[position] = (player, stays - 1)
        return player
