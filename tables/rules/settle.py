"""Settle a round: what all games share. The paragraphs themselves are followed in ``games``.

A ``Reckoning`` gathers what a round comes to, in settlement order: lines, awards, envies, flags.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tables.rules.hands import Best
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

    def give_back(
        self,
        seat: Seat,
        kind: str,
        cite: str,
        *,
        hand: str | None = None,
        reading: str | None = None,
    ) -> None:
        """Return a wager that was neither won nor lost."""
        stake = seat.wagers[kind]
        self.lines.append(
            line_of(seat, kind, "returned", NOTHING, stake, cite, hand=hand, reading=reading)
        )
        if kind == "progressive":
            self.returned.append(seat.position)

    def collect(
        self, seat: Seat, kind: str, cite: str, *, hand: str | None, reading: str | None
    ) -> None:
        """Collect a wager that lost."""
        self.lines.append(
            line_of(seat, kind, "lose", NOTHING, NOTHING, cite, hand=hand, reading=reading)
        )

    def pay_line(
        self, seat: Seat, table: Paytable, losing_cite: str, reading: str | None, *, to_one: bool
    ) -> tuple[Line, dict[str, Any]] | None:
        """Pay a wager by its paytable, or collect it and return None.

        ``to_one``: the stake goes back beside the winnings.
        """
        kind, hand = table.wager, seat.hand
        line = table.row.get(hand)
        if line is None:
            self.collect(seat, kind, losing_cite, hand=hand, reading=reading)
            return None
        stake = seat.wagers[kind]
        paid = line_of(
            seat,
            kind,
            "win",
            line.pays(stake),
            stake if to_one else NOTHING,
            table.cite,
            hand=hand,
            terms=line.terms_text,
            reading=reading,
        )
        self.lines.append(paid)
        return line, paid

    def pay_progressive(
        self,
        seat: Seat,
        table: Paytable,
        losing_cite: str,
        reading: str | None,
        best: Callable[[list[str]], Best],
    ) -> None:
        """Pay a progressive wager by its paytable, or leave its chip collected.

        A share of the meter is priced later, at the position's turn. ``best`` finds the five
        cards that make the hand.
        """
        found = self.pay_line(seat, table, losing_cite, reading, to_one=False)
        if found is None:
            return
        line, paid = found
        self.wins.append(
            ProgressiveWin(
                line=paid,
                position=seat.position,
                player=seat.player,
                hand=seat.hand,
                cards=best(seat.cards).cards,
                stake=AMOUNTS[seat.wagers[table.wager]],
                percent=line.percent,
                level=LEVEL,
                pays=None if paid["pays"] is None else AMOUNTS[paid["pays"]],
                lamp=seat.facts.get("lamp"),
                index=seat.index,
                flags=[],
            )
        )

    def pay_envy(
        self, schedule: EnvySchedule, to: Seat, donor: Seat, line: Line, reading: str | None
    ) -> None:
        """Pay one Envy Bonus for another player's hand."""
        kind = schedule.wager
        pays = str(line.pays(NOTHING))
        paid = line_of(
            to,
            kind,
            "envy",
            pays,
            NOTHING,
            schedule.cite,
            hand=donor.hand,
            terms=line.terms_text,
            reading=reading,
        )
        paid["from_position"] = donor.position
        self.lines.append(paid)
        self.envies.append(
            Envy(
                line=paid,
                wager=kind,
                position=to.position,
                player=to.player,
                from_position=donor.position,
                hand=donor.hand,
                stake=AMOUNTS[to.wagers[kind]],
                pays=AMOUNTS[pays],
            )
        )

    def settled(self, dealer: dict[str, Any] | None) -> Settled:
        """Return what the round came to."""
        terms = self.terms
        outcome = {
            "spec": "outcome/1",
            "game": terms.game,
            "rules": terms.submission.rules,
            **terms.submission.mark,
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
    pays: str | None,
    returned: str,
    cite: str,
    *,
    hand: str | None = None,
    terms: str | None = None,
    reading: str | None = None,
) -> dict[str, Any]:
    """Return an outcome line, with those of its parts that apply."""
    line: dict[str, Any] = {
        "position": seat.position,
        "wager": kind,
        "stake": seat.wagers[kind],
        "result": result,
    }
    if hand is not None:
        line["hand"] = hand
    if terms is not None:
        line["terms"] = terms
    line["pays"] = pays
    line["returned"] = returned
    line["cite"] = cite
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
