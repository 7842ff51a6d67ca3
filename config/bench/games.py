"""Rounds of each supported game for the engine alone: full tables, played without much art."""

from decimal import Decimal
from random import Random
from typing import Any

from config.bench.rounds import Dealers
from tables.rules import Submission, TableTerms
from tables.rules.samples import read_sample
from tables.simulator.games import DEALT

SIX_CARD = "six_card_fortune_pai_gow"
TABLE = "B-1"


def terms_of(game: str) -> TableTerms:
    """Return what holds at a table of the game; Pai Gow Poker under the sample submission."""
    choices = read_sample("645a") if game == "pai_gow" else {}
    unit = Decimal("1.00") if game in (SIX_CARD, "pai_gow") else None
    positions = 5 if game == "lunar_poker" else 6
    return TableTerms(TABLE, game, positions, Submission.make(game, choices), unit)


def rounds_of(game: str, count: int, seed: int = 3) -> list[dict[str, Any]]:
    """Return rounds of a game, each a whole event."""
    if game == SIX_CARD:
        return Dealers([terms_of(game)], seed).rounds(count)
    rng = Random(seed)  # noqa: S311 - a play
    return [envelope(game, number) | DEALT[game](rng) for number in range(1, count + 1)]


def envelope(game: str, number: int) -> dict[str, Any]:
    """Return what every round's event begins with."""
    return {
        "spec": "round/1",
        "event_id": f"5eed0000-0000-4000-8000-{number:012}",
        "table": TABLE,
        "sequence": number,
        "type": "round",
        "occurred_at": "2026-03-14T12:00:00-05:00",
        "round": number,
        "game": game,
        "dealer": "D1100",
    }
