"""The shapes in which a chapter is written down: paytables, envy columns, readings, a game.

A definition file fills them with the regulation's figures, in its order and with its citations.
What cannot be right (a repeated hand, a better hand that pays less) fails at import.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tables.rules.hands import HAND_ORDER, Ranking
from tables.rules.wagers import AMOUNTS, Fixed, PercentOfMeter, Terms, payout

if TYPE_CHECKING:
    from tables.rules.rounds import Settled, TableTerms
    from tables.rules.settle import Reckoning, Seat


class Line:
    """One line of a paytable: a hand, what it pays, and what it has paid on each stake so far."""

    __slots__ = ("_paid", "hand", "percent", "terms", "terms_text")

    def __init__(self, hand: str, terms: Terms) -> None:
        self.hand = hand
        self.terms = terms
        self.terms_text = str(terms)
        self.percent = terms.percent if isinstance(terms, PercentOfMeter) else None
        self._paid: dict[str, str] = {}

    def pays(self, stake: str) -> str | None:
        """Return the winnings on a stake, as written; None for a share of the meter."""
        if self.percent is not None:
            return None
        paid = self._paid.get(stake)
        if paid is None:
            if len(self._paid) > 1024:
                self._paid.clear()
            paid = self._paid[stake] = str(payout(self.terms, AMOUNTS[stake]))
        return paid

    def __repr__(self) -> str:
        return f"{self.hand}: {self.terms_text}"


class Paytable:
    """What a wager pays by hand; every hand that has no line loses."""

    __slots__ = ("cite", "lines", "row", "wager")

    def __init__(
        self,
        *,
        cite: str,
        wager: str,
        lines: tuple[Line, ...],
        order: Sequence[str] = HAND_ORDER,  # the wager's own hands, where it ranks its own
    ) -> None:
        self.cite = cite
        self.wager = wager
        self.lines = lines
        self.row = {line.hand: line for line in lines}
        check_order(cite, [line.hand for line in lines], order)
        worths = [worth(line.terms) for line in lines]
        if worths != sorted(worths, reverse=True):
            raise ValueError(f"{cite}: a later line pays more than an earlier one")


class EnvySchedule:
    """The fixed sums that others' hands pay, a column for each wager that the chapter prints."""

    __slots__ = ("cite", "columns", "wager")

    def __init__(
        self,
        *,
        cite: str,
        wager: str,
        columns: Mapping[str, tuple[Line, ...]],
        order: Sequence[str] = HAND_ORDER,
    ) -> None:
        self.cite = cite
        self.wager = wager
        for lines in columns.values():
            check_order(cite, [line.hand for line in lines], order)
        self.columns = {
            AMOUNTS[stake]: {line.hand: line for line in lines} for stake, lines in columns.items()
        }


class ProgressiveTerms(NamedTuple):
    """What a chapter says of a progressive's growth and of what it starts from."""

    cite: str
    increment_percent: Decimal
    seed_for_one: Decimal
    reset_at_least: Decimal
    units: tuple[Decimal, ...]  # the wagers that the chapter prints envy columns for

    def lowest_reset(self, unit: Decimal) -> Decimal:
        """Return the least initial and reset amount of a progressive with this wager unit."""
        return max(self.reset_at_least, self.seed_for_one * unit)


class Wager(NamedTuple):
    """A wager that the chapter knows."""

    kind: str
    cite: str
    name: str


class Reading(NamedTuple):
    """A place where the chapter leaves room: what is done, and what a submission may choose."""

    id: str
    cite: str
    default: str
    alternatives: tuple[str, ...] = ()


class GameDefinition(NamedTuple):
    """A game: the chapter's figures and the functions that follow its paragraphs.

    A definition that has settled a round is never edited: a change of law is a new version.
    """

    name: str
    title: str
    chapter: str
    version: str
    positions: int
    deck: tuple[str, ...]
    cards_each: int  # 0: as many as the players ask for
    ranking: Ranking | None  # by the defaults of its readings; None: points count, not ranks
    wagers: tuple[Wager, ...]
    main_wager: str
    after_lockout: frozenset[str]  # wagers made only once the cards are seen
    paytables: Mapping[str, Paytable]  # by wager
    even: tuple[str, Terms] | None  # what the main wager pays, whatever the hand
    envies: Mapping[str, EnvySchedule]  # by wager
    progressive: ProgressiveTerms | None
    readings: tuple[Reading, ...]
    void_paragraphs: frozenset[str]
    refusal_cites: Mapping[str, str]
    position_shapes: Mapping[str, Callable[[Any], None]]
    dealer_shapes: Mapping[str, Callable[[Any], None]]
    check_position: "Callable[[dict[str, Any], TableTerms], None]"
    check_dealer: "Callable[[dict[str, Any], TableTerms], None]"
    plan: Callable[[Mapping[str, str], Mapping[str, Any]], Any]  # of its readings and choices
    settle: "Callable[[dict[str, Any], TableTerms], Settled]"
    # What only some chapters have.
    always_offered: frozenset[str] = frozenset()  # by the chapter, whatever a submission says
    lettered: Mapping[str, Mapping[str, Paytable]] = MappingProxyType({})  # a submission's choice
    check_wagers: "Callable[[dict[str, Any], frozenset[int], TableTerms], None] | None" = None
    # How a position was played, seen from the whole round; then the round as a whole.
    check_play: "Callable[[dict[str, Any], Mapping[str, Any], TableTerms], None] | None" = None
    check_round: "Callable[[Mapping[str, Any], TableTerms], None] | None" = None
    give_back: "Callable[[Reckoning, Seat, str], None] | None" = None  # at a void
    flag_void: "Callable[[Reckoning], None] | None" = None
    decks: tuple[int, ...] = (1,)  # how many may be in play, the usual number first
    needs_submission: bool = False  # where the figures are a certificate holder's own
    progressive_of: "Callable[[Mapping[str, Any]], ProgressiveTerms | None] | None" = None
    event_keys: Mapping[str, Callable[[Any], None]] = MappingProxyType({})  # beside any game's
    without_main: "Callable[[Mapping[str, Any]], frozenset[int]] | None" = None  # positions

    @property
    def kinds(self) -> tuple[str, ...]:
        """The game's wagers, in the chapter's order."""
        return tuple(wager.kind for wager in self.wagers)


def worth(terms: Terms) -> tuple[int, Decimal]:
    """Return what orders a paytable: shares of the meter first, then what one dollar pays."""
    if isinstance(terms, PercentOfMeter):
        return 1, Decimal(terms.percent)
    return 0, terms.amount if isinstance(terms, Fixed) else payout(terms, Decimal(1000)) or Decimal(
        0
    )


def check_order(cite: str, hands: list[str], order: Sequence[str] = HAND_ORDER) -> None:
    """Raise ValueError unless every hand is known, stands once, and they rise or fall in rank."""
    places = [order.index(hand) for hand in hands]
    if len(set(places)) != len(places):
        raise ValueError(f"{cite}: a hand stands twice")
    if places != sorted(places) and places != sorted(places, reverse=True):
        raise ValueError(f"{cite}: the hands are not in order of rank")


def printed(game: GameDefinition) -> list[str]:
    """Return the figures of a definition as lines of text: what its digest is taken of."""
    lines = [f"{game.title} {game.chapter} {game.version} {game.positions} {game.cards_each}"]
    lines += [f"{wager.kind} {wager.cite}" for wager in game.wagers]
    for table in game.paytables.values():
        lines += [f"{table.wager} {table.cite} {line!r}" for line in table.lines]
    for name, tables in game.lettered.items():
        for letter, table in tables.items():
            lines += [f"{name} {letter} {table.wager} {table.cite} {x!r}" for x in table.lines]
    lines.append(f"even {game.even}")
    for schedule in game.envies.values():
        for stake, column in schedule.columns.items():
            lines += [
                f"envy {schedule.wager} {schedule.cite} {stake} {c!r}" for c in column.values()
            ]
    lines += [f"{r.id} {r.cite} {r.default} {' '.join(r.alternatives)}" for r in game.readings]
    if game.decks != (1,):
        lines.append(f"decks {game.decks}")
    lines.append(repr(game.progressive))
    lines.append(" ".join(sorted(game.void_paragraphs)))
    return lines
