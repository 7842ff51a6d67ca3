"""Play tables through a stretch of a gaming day: events in the order of their times."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from heapq import merge
from random import Random
from typing import Any, NamedTuple
from uuid import UUID, uuid5

from tables.rules import TableTerms, settle
from tables.simulator.deck import DEALER, PLACES, Deal, deal, set_foul, set_low, stack_luck
from tables.simulator.people import Seated, Seats

EVENTS = UUID("0b9f0f0c-2f5a-5d0e-8a53-51317d0a1e01")  # names a simulated event by its place
LUCK = 1 / 40  # of the rounds, where hands are stacked
VOIDS = 1 / 100
ROUND_SECONDS = 75  # a round with its shuffle, in the mean
HABITS = ("hand", "manual_shoe", "automated_shoe")

# What voids a round, with the paragraph, by how the table deals; the first three fit any.
MISHAPS = [
    ("670a.13(e)", "A card of the dealer's hand was exposed."),
    ("670a.13(h)", "A position was dealt seven cards."),
    ("670a.13(c)", "The dice were totalled wrongly and the first card went elsewhere."),
]
MISHAPS_BY_DEALING = {
    "hand": [("670a.9(e)", "Ten cards were left after the deal.")],
    "manual_shoe": [("670a.8(f)", "Twelve cards were left after the deal.")],
    "automated_shoe": [
        ("670a.13(j)", "A card was exposed while the stacks were dealt."),
        ("670a.13(m)", "The automated dealing shoe jammed."),
    ],
}

INTERRUPTED = {
    "cite": "670a.13(h)",
    "note": "The simulator was stopped between lock-out and settlement; nothing was dealt.",
    "choice": "void",
}


class Start(NamedTuple):
    """Where a table begins: its terms, its next sequence and round number.

    ``left_open``: the number of a round that an interrupted play has locked out and not ended.
    """

    terms: TableTerms
    sequence: int = 1
    number: int = 1
    left_open: int | None = None


class Moment(NamedTuple):
    """An event with its moment; moments order the tables' events among each other."""

    at: datetime
    table: str
    event: dict[str, Any]


def play(
    starts: Sequence[Start],
    *,
    rounds: int,
    seed: int,
    begins: datetime,
    zone: tzinfo = UTC,
    pace: float = 1.0,
    lucky: bool = False,
) -> Iterator[Moment]:
    """Yield the events of ``rounds`` rounds, spread over the tables.

    The same arguments yield the same events. ``pace`` stretches or shortens the time between
    events; ``lucky`` stacks a high hand now and then, as no honest shuffle would.
    """
    share, rest = divmod(rounds, len(starts))
    tables = [
        SimulatedTable(start, seed, begins, zone, pace, lucky).play(share + (place < rest))
        for place, start in enumerate(starts)
    ]
    yield from merge(*tables, key=lambda moment: moment[:2])


class SimulatedTable:
    """One table with its dealer, its people and its way of reporting."""

    def __init__(
        self, start: Start, seed: int, begins: datetime, zone: tzinfo, pace: float, lucky: bool
    ) -> None:
        self.terms, self.offered = start.terms, start.terms.submission.offered
        self.code, self.left_open = start.terms.code, start.left_open
        self.sequence, self.number = start.sequence, start.number
        self.seed, self.pace, self.lucky, self.zone = seed, pace, lucky, zone
        self.rng = rng = Random(f"{seed}/{self.code}/{start.sequence}")  # noqa: S311 - a play
        unit = start.terms.progressive_unit
        self.unit = None if unit is None else f"{unit:.2f}"
        self.seats = Seats(rng, start.terms.positions)
        habits = Random(f"{seed}/{self.code}")  # noqa: S311 - stays when the day goes on
        self.dealing = habits.choice(HABITS)
        self.locks_out = habits.random() < 0.5  # two events a round, or one
        self.says_stub, self.says_paid = habits.random() < 0.4, habits.random() < 0.8
        self.floorperson = f"F{habits.randrange(200, 210)}"
        self.dealer = self._new_dealer()
        self.now = begins + timedelta(seconds=rng.random() * 20 * pace)

    def play(self, rounds: int) -> Iterator[Moment]:
        """Yield the table's events of so many rounds, from its opening to its closing."""
        if not rounds:
            return
        if self.left_open is not None:
            yield self._event(
                "void", round=self.left_open, game=self.terms.game, irregularity=INTERRUPTED
            )
        yield self._operation("table_open")
        yield self._operation("deck_in", deck=self._deck(), note="Both decks inspected.")
        relief = self.rng.randint(15, 30)
        for done in range(rounds):
            if done and done % relief == 0:
                self.dealer = self._new_dealer()
                yield self._operation("dealer_in", by=self.dealer)
            yield from self._round()
            self.number += 1
        yield self._operation("table_close")

    def _new_dealer(self) -> str:
        return f"D{self.rng.randrange(1100, 1180)}"

    def _deck(self) -> str:
        return f"{self.code}-{'AB'[self.number % 2]}"  # two decks alternate (§ 670a.3(b))

    def _later(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds * self.rng.uniform(0.7, 1.3) * self.pace)

    def _event(self, kind: str, **body: Any) -> Moment:
        """Put an event into its envelope, under the table's next sequence."""
        event = {
            "spec": "round/1",
            "event_id": str(uuid5(EVENTS, f"{self.seed}/{self.code}/{self.sequence}")),
            "table": self.code,
            "sequence": self.sequence,
            "type": kind,
            "occurred_at": self.now.astimezone(self.zone).isoformat(timespec="milliseconds"),
            "dealer": self.dealer,
            "floorperson": self.floorperson,
            **body,
        }
        self.sequence += 1
        return Moment(self.now, self.code, event)

    def _operation(self, kind: str, **facts: str) -> Moment:
        self._later(4)
        return self._event("operation", operation={"kind": kind, **facts})

    def _of_round(self, kind: str, **body: Any) -> Moment:
        return self._event(kind, round=self.number, game=self.terms.game, **body)

    def _round(self) -> Iterator[Moment]:
        people = self.seats.next_round()
        placed = {p: s.wagers(self.rng, self.offered, self.unit) for p, s in people.items()}
        chips = sum("progressive" in wagers for wagers in placed.values())
        self._later(20)
        if self.locks_out:
            yield self._of_round("lockout", positions=seats_of(people, placed), chip_count=chips)
        self._later(ROUND_SECONDS - 30)
        if self.rng.random() < VOIDS:
            yield self._void(people, placed)
        elif self.locks_out:
            yield self._of_round("settlement", **self._played(people, placed))
        else:
            yield self._of_round("round", chip_count=chips, **self._played(people, placed))
        self._later(10)

    def _void(self, people: dict[int, Seated], placed: dict[int, dict[str, str]]) -> Moment:
        cite, note = self.rng.choice(MISHAPS + MISHAPS_BY_DEALING[self.dealing])
        told = {"cite": cite, "note": note, "floorperson": self.floorperson, "choice": "void"}
        evidence = {} if self.locks_out else {"positions": seats_of(people, placed)}
        return self._of_round("void", irregularity=told, **evidence)

    def _played(
        self, people: dict[int, Seated], placed: dict[int, dict[str, str]]
    ) -> dict[str, Any]:
        """Deal, let everybody set his hand, and pay."""
        rng = self.rng
        feeding = [position for position, wagers in placed.items() if "progressive" in wagers]
        stacked = stack_luck(rng, feeding) if self.lucky and feeding and rng.random() < LUCK else {}
        dealt = deal(rng, stacked)
        positions = [
            self._seat(position, person, placed[position], dealt.stacks[position])
            for position, person in people.items()
        ]
        body: dict[str, Any] = {
            "dealing": self.dealing,
            "shuffle": "device",
            "deck": self._deck(),
            "start": self._start(),
            "positions": positions,
            "dealer_hand": {"cards": dealt.stacks[DEALER]},
            **self._left_over(dealt, people),
        }
        if self.says_paid:
            self._pay(body)
        return body

    def _seat(
        self, position: int, person: Seated, wagers: dict[str, str], cards: list[str]
    ) -> dict[str, Any]:
        rng = self.rng
        seat: dict[str, Any] = {"position": position, "player": person.player, "cards": cards}
        if person.says_low:
            seat["low"] = [set_foul(cards) if rng.random() < person.fouls else set_low(cards)]
        if "double_down" in self.offered and rng.random() < person.doubles:
            wagers = {**wagers, "double_down": wagers["main"]}
        if self.unit is not None:  # a dark lamp over a wager, or a lit one over none: one in 300
            seat["lamp"] = ("progressive" in wagers) != (rng.random() < 1 / 300)
        seat["wagers"] = wagers
        return seat

    def _start(self) -> dict[str, Any]:
        """Shake the dice; the total counts counterclockwise, the dealer first (§ 670a.5(i))."""
        dice = [self.rng.randint(1, 6) for _ in range(3)]
        counted = (sum(dice) - 1) % (PLACES + 1)
        first = PLACES + 1 - counted if counted else DEALER
        return {"dice": dice, "first": first, "no_rolls": int(self.rng.random() < 0.02)}

    def _left_over(self, dealt: Deal, people: dict[int, Seated]) -> dict[str, Any]:
        if not self.says_stub:
            return {"left_count": len(dealt.left)}
        unseen = [dealt.stacks[p] for p in range(1, PLACES + 1) if p not in people]
        return {"stub": [card for stack in unseen for card in stack] + dealt.left}

    def _pay(self, body: dict[str, Any]) -> None:
        """Let the dealer pay what the engine says; now and then he errs."""
        document = {"game": self.terms.game, "type": "round", "round": self.number, **body}
        owed: dict[int, dict[str, Decimal]] = {seat["position"]: {} for seat in body["positions"]}
        for line in settle(document, self.terms).outcome["lines"]:
            if line["pays"] is None or Decimal(line["pays"]) == 0:
                continue  # a share of the meter is not the dealer's to pay
            kind = "envy" if line["result"] == "envy" else line["wager"]
            of = owed[line["position"]]
            of[kind] = of.get(kind, Decimal(0)) + Decimal(line["pays"])
        if self.rng.random() < 1 / 120:
            of = owed[self.rng.choice(sorted(owed))]
            kind = self.rng.choice(sorted(of)) if of else "main"
            of[kind] = of.get(kind, Decimal(0)) + Decimal("5.00")
        for seat in body["positions"]:
            seat["paid"] = {
                kind: f"{amount:.2f}" for kind, amount in owed[seat["position"]].items()
            }


def seats_of(people: dict[int, Seated], placed: dict[int, dict[str, str]]) -> list[dict[str, Any]]:
    """Return the positions as a lock-out lists them: who, and what he wagered."""
    return [
        {"position": position, "player": person.player, "wagers": placed[position]}
        for position, person in people.items()
    ]
