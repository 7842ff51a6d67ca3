"""What an event finds when its turn in the lane has come."""

from decimal import Decimal
from typing import Any, NamedTuple

from progressives.services.ledger import LevelMeter, RoundFacts
from tables import rules
from tables.models import GamingTable
from tables.services.numbering import Pending


class Fed(NamedTuple):
    """A further progressive of a table, and the wager that feeds it by whole units."""

    progressive_id: int
    code: str
    wager: str
    unit: Decimal


class Put(NamedTuple):
    """What one wager put on a level of a further progressive, and whether that won the level."""

    position: int
    amount: Decimal
    meter_id: int
    wager: str
    won: bool


class Lockout(NamedTuple):
    """A round that is locked out and not over: its document and what it put on the meter."""

    event_id: int
    document: dict[str, Any]
    contributed: list[tuple[int, Decimal]]
    further: list[Put]
    stored: bool  # whether its working row is written, or will be before this batch is


class AtTurn(NamedTuple):
    """An event at its turn, with everything its round needs to know."""

    pending: Pending
    table: GamingTable
    terms: rules.TableTerms
    document: dict[str, Any]
    late: bool
    facts: RoundFacts
    meter: LevelMeter | None
    further: tuple[Fed, ...] = ()

    @property
    def key(self) -> tuple[int, int]:
        return self.table.pk, self.document.get("round", 0)
