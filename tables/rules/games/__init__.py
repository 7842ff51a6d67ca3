"""The games: which there are, and their definitions, each read only once it is asked for."""

import hashlib
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tables.rules.paytables import GameDefinition

#: The games that a round document may name.
GAMES = ("six_card_fortune_pai_gow", "pai_gow", "lunar_poker", "free_bet_blackjack")

#: Those that have a definition here; the others' events are kept until theirs comes.
SUPPORTED_GAMES = ("six_card_fortune_pai_gow", "pai_gow", "lunar_poker", "free_bet_blackjack")


@cache
def definition_of(game: str) -> "GameDefinition | None":
    """Return the game's definition, or None where there is none yet."""
    if game not in SUPPORTED_GAMES:
        return None
    definition: GameDefinition = import_module(f"tables.rules.games.{game}").DEFINITION
    return definition


@cache
def definition_version(game: str) -> str:
    """Return the definition's version with a digest of its figures: ``1-9f2c41d07a3b``."""
    from tables.rules.paytables import printed  # noqa: PLC0415 - it knows this module

    definition = definition_of(game)
    if definition is None:
        return "none"
    digest = hashlib.sha256("\n".join(printed(definition)).encode()).hexdigest()
    return f"{definition.version}-{digest[:12]}"
