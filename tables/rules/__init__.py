"""The rules: round documents in, outcomes out. Pure: no clock, no database, no randomness.

``read_json`` and ``check_event`` refuse what cannot be; ``settle``, ``lockout`` and ``void`` say
what a checked document comes to under a table's terms.
"""

from tables.rules.documents import check_envelope, check_event, check_follows_lockout
from tables.rules.games import GAMES, SUPPORTED_GAMES
from tables.rules.refusals import Refusal
from tables.rules.rounds import (
    Contribution,
    Envy,
    ProgressiveWin,
    Settled,
    Submission,
    TableTerms,
    joker_as,
    price_win,
)
from tables.rules.settle import lockout, settle
from tables.rules.strict import read_json, read_json_list
from tables.rules.voids import void

__all__ = [
    "GAMES",
    "SUPPORTED_GAMES",
    "Contribution",
    "Envy",
    "ProgressiveWin",
    "Refusal",
    "Settled",
    "Submission",
    "TableTerms",
    "check_envelope",
    "check_event",
    "check_follows_lockout",
    "joker_as",
    "lockout",
    "price_win",
    "read_json",
    "read_json_list",
    "settle",
    "void",
]
