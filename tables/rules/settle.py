"""Settle a round: what all games share. The paragraphs themselves are followed in ``games``.

A ``Reckoning`` gathers what a round comes to, in settlement order: lines, awards, envies, flags.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from tables.rules.paytables import EnvySchedule, GameDefinition, Line, Paytable
from tables.rules.refusals import Refusal
from tables.rules.rounds import (
    Contribution,
    Envy,
    ProgressiveWin,
    Settled,
    TableTerms,
)
from tables.rules.wagers import AMOUNTS, NOTHING

LEVEL = "grand"


class Seat:
    """A position in a round: what the document says of it, and what its cards come to.

    ``who`` is the person: positions with the same player are one (§ 670a.7(f)).
    """

    __slots__ = (
        "best",
        "cards",
        "facts",
        "fouled",
        "hand",
        "high",
        "index",
        "low",
        "low_card",
        "player",
        "position",
        "status",
        "wagers",
        "who",
    )

    def __init__(self, index: int, facts: Mapping[str, Any]) -> None:
        self.index = index
        self.facts = facts
        self.position: int = facts["position"]
        self.player: str | None = facts.get("player")
        self.who: str | int = self.player or self.position
        self.wagers: dict[str, str] = facts.get("wagers", {})
        self.status: str | None = facts.get("status")
        self.cards: list[str] = facts.get("cards", [])
        self.fouled = False
        self.best = self.high = self.low = 0
        self.hand = self.low_card = ""


def turn_order(positions: Iterable[Mapping[str, Any]]) -> list[Seat]:
    """Return the positions as they are settled: from the dealer's right, counterclockwise."""
    seats = [Seat(index, facts) for index, facts in enumerate(positions)]
    seats.sort(key=lambda seat: -seat.position)
    return seats


class Reckoning:
    """A round being settled."""

    __slots__ = (
        "document",
        "envies",
        "flags",
        "lines",
        "returned",
        "seats",
        "terms",
        "wins",
    )

    def __init__(self, document: Mapping[str, Any], terms: TableTerms) -> None:
        self.document = document
        self.terms = terms
        self.seats = turn_order(document["positions"])
        self.lines: list[dict[str, Any]] = []
        self.wins: list[ProgressiveWin] = []
        self.envies: list[Envy] = []
        self.flags: list[dict[str, Any]] = []
        self.returned: list[int] = []  # positions whose progressive wager went back

    @property
    def chapter(self) -> GameDefinition:
        """The definition of the game that is settled."""
        return definition_in_force(self.terms)

    def flag(
        self,
        code: str,
        path: str,
        cite: str,
        detail: str,
        *,
        alarm: bool = False,
        seat: Seat | None = None,
    ) -> dict[str, Any]:
        """Note what a person has to look at; the round is settled all the same."""
        found: dict[str, Any] = {
            "code": code,
            "path": path,
            "cite": cite,
            "severity": "alarm" if alarm else "exception",
            "detail": detail,
        }
        if seat is not None:
            found["position"] = seat.position
        self.flags.append(found)
        return found

    def give_back(self, seat: Seat, kind: str, cite: str, reading: str | None) -> None:
        """Return a wager that was neither won nor lost."""
        stake = seat.wagers[kind]
        self.lines.append(line_of(seat, kind, "returned", None, NOTHING, stake, cite, reading))
        if kind == "progressive":
            self.returned.append(seat.position)

    def collect(
        self, seat: Seat, kind: str, hand: str | None, cite: str, reading: str | None = None
    ) -> None:
        """Collect a wager that lost."""
        self.lines.append(line_of(seat, kind, "lose", hand, NOTHING, NOTHING, cite, reading))

    def pay_by_table(
        self, seat: Seat, table: Paytable, losing_cite: str, reading: str | None
    ) -> None:
        """Pay a "to 1" wager by its paytable, or collect it."""
        kind = table.wager
        line = table.row.get(seat.hand)
        if line is None:
            self.collect(seat, kind, seat.hand, losing_cite, reading)
            return
        stake = seat.wagers[kind]
        paid = line_of(seat, kind, "win", seat.hand, line.pays(stake), stake, table.cite, reading)
        paid["terms"] = line.terms_text
        self.lines.append(paid)

    def pay_progressive(
        self,
        seat: Seat,
        table: Paytable,
        losing_cite: str,
        reading: str | None,
        five: tuple[str, ...] | None,
    ) -> ProgressiveWin | None:
        """Pay a progressive wager by its paytable, or leave it collected.

        ``five`` are the cards of the hand, None where no line pays it. A share of the meter is
        priced later, at the position's turn.
        """
        line = table.row.get(seat.hand)
        if line is None or five is None:
            self.collect(seat, table.wager, seat.hand, losing_cite, reading)
            return None
        stake = seat.wagers[table.wager]
        pays = line.pays(stake)
        paid = line_of(seat, table.wager, "win", seat.hand, pays, NOTHING, table.cite, reading)
        paid["terms"] = line.terms_text
        self.lines.append(paid)
        amount = None if pays is None else AMOUNTS[pays]
        win = ProgressiveWin(
            paid,
            seat.position,
            seat.player,
            seat.hand,
            five,
            AMOUNTS[stake],
            line.percent,
            LEVEL,
            amount,
            seat.facts.get("lamp"),
            seat.index,
            [],
        )
        self.wins.append(win)
        return win

    def pay_envy(
        self,
        schedule: EnvySchedule,
        to: Seat,
        donor: Seat,
        line: Line,
        reading: str | None,
    ) -> None:
        """Pay one Envy Bonus for another player's hand."""
        kind = schedule.wager
        pays = line.pays(NOTHING)
        paid = line_of(to, kind, "envy", donor.hand, pays, NOTHING, schedule.cite, reading)
        paid["terms"] = line.terms_text
        paid["from_position"] = donor.position
        self.lines.append(paid)
        stake, amount = AMOUNTS[to.wagers[kind]], AMOUNTS[pays or NOTHING]
        self.envies.append(
            Envy(paid, kind, to.position, to.player, donor.position, donor.hand, stake, amount)
        )

    def settled(self, dealer: dict[str, Any] | None) -> Settled:
        """Return what the round came to."""
        terms = self.terms
        outcome = {
            "spec": "outcome/1",
            "game": terms.game,
            "rules": terms.submission.rules,
            "dealer": dealer,
            "lines": self.lines,
            "meters": [],
            "flags": self.flags,
        }
        return Settled(
            outcome,
            contributions_of(self.seats),
            tuple(self.returned),
            tuple(self.wins),
            tuple(self.envies),
            self.flags,
        )


def line_of(
    seat: Seat,
    kind: str,
    result: str,
    hand: str | None,
    pays: str | None,
    returned: str,
    cite: str,
    reading: str | None,
) -> dict[str, Any]:
    """Return an outcome line; ``terms`` and what else applies is added by whoever asked."""
    line: dict[str, Any] = {
        "position": seat.position,
        "wager": kind,
        "stake": seat.wagers[kind],
        "result": result,
        "pays": pays,
        "returned": returned,
        "cite": cite,
    }
    if hand is not None:
        line["hand"] = hand
    if reading is not None:
        line["reading"] = reading
    return line


def contributions_of(seats: Iterable[Seat]) -> tuple[Contribution, ...]:
    """Return the progressive wagers of a round in turn order."""
    return tuple(
        [
            Contribution(seat.position, seat.player, AMOUNTS[seat.wagers["progressive"]])
            for seat in seats
            if "progressive" in seat.wagers
        ]
    )


def settle(document: dict[str, Any], terms: TableTerms) -> Settled:
    """Settle a checked ``settlement`` or ``round`` by its game's chapter."""
    return definition_in_force(terms).settle(document, terms)


def definition_in_force(terms: TableTerms) -> GameDefinition:
    """Return the definition of the table's game, or refuse where there is none yet."""
    definition = terms.submission.definition
    if definition is None:
        raise Refusal("unsupported_game", "game", f"{terms.game} cannot be settled here yet.")
    return definition


def lockout(document: dict[str, Any], terms: TableTerms) -> Settled:
    """Return what a checked ``lockout`` puts on the meters; it has no lines."""
    return Reckoning(document, terms).settled(None)
