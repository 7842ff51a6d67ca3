"""Open a claim for each progressive win, and note each Envy Bonus owed."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from audit.copying import copy_rows, jsonb
from progressives.models import ClaimStep, JackpotClaim

ENVY_COLUMNS = {
    "lane_id": "int8",
    "lane_number": "int8",
    "round_id": "uuid",
    "table": "varchar",
    "round": "int8",
    "wager": "varchar",
    "position": "int2",
    "player": "varchar",
    "from_position": "int2",
    "version": "int2",
    "hand": "varchar",
    "stake": "numeric",
    "amount": "numeric",
    "cite": "varchar",
    "dealer": "varchar",
    "gaming_day": "date",
}


class ClaimFacts(NamedTuple):
    """What a claim says from its first moment on, frozen: the columns of ``JackpotClaim``."""

    lane_id: int
    lane_number: int
    progressive_id: int
    kind: str
    round_id: UUID
    table: str
    round: int
    position: int
    player: str
    dealer: str
    floorperson: str
    hand: str
    cards: str
    dealt: str
    stake: Decimal
    terms: str
    cite: str
    amount: Decimal
    lamp: bool | None
    flags: list[str]
    gaming_day: date
    occurred_at: datetime
    accepted_at: datetime
    meter_id: int | None = None
    entry_sequence: int | None = None
    meter_at_turn: Decimal | None = None
    reset_put_in: Decimal = Decimal(0)
    joker_as: str = ""
    version: int = 1


CLAIM_COLUMNS = {
    "id": "int8",
    "state": "varchar",
    "lane_id": "int8",
    "lane_number": "int8",
    "progressive_id": "int8",
    "kind": "varchar",
    "round_id": "uuid",
    "table": "varchar",
    "round": "int8",
    "position": "int2",
    "player": "varchar",
    "dealer": "varchar",
    "floorperson": "varchar",
    "hand": "varchar",
    "cards": "varchar",
    "dealt": "varchar",
    "stake": "numeric",
    "terms": "varchar",
    "cite": "varchar",
    "amount": "numeric",
    "lamp": "bool",
    "flags": "jsonb",
    "gaming_day": "date",
    "occurred_at": "timestamptz",
    "accepted_at": "timestamptz",
    "meter_id": "int8",
    "entry_sequence": "int8",
    "meter_at_turn": "numeric",
    "reset_put_in": "numeric",
    "joker_as": "varchar",
    "version": "int2",
}
STEP_COLUMNS = {"claim_id": "int8", "kind": "varchar", "cite": "varchar", "reason": "text"}
STEP_COLUMNS |= {"facts": "jsonb"}

FLAGS = ClaimFacts._fields.index("flags")


def open_claims(claims: Sequence[ClaimFacts]) -> list[int]:
    """Store the claims and their first step; return their keys.

    The caller holds the lane; the log is his to write. A busy lane opens dozens at a time.
    """
    if not claims:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence('progressives_jackpotclaim', 'id'))"
            " FROM generate_series(1, %s)",
            [len(claims)],
        )
        keys = [key for (key,) in cursor.fetchall()]
    waiting = JackpotClaim.State.WAITING.value
    copy_rows(
        "progressives_jackpotclaim",
        CLAIM_COLUMNS,
        [
            (key, waiting, *facts[:FLAGS], jsonb(facts.flags), *facts[FLAGS + 1 :])
            for key, facts in zip(keys, claims, strict=True)
        ],
    )
    nothing, opened = jsonb({}), ClaimStep.Kind.OPENED.value
    copy_rows("progressives_claimstep", STEP_COLUMNS, [(k, opened, "", "", nothing) for k in keys])
    return keys


def store_envies(rows: Sequence[tuple[Any, ...]]) -> None:
    """Write what the house owes in Envy Bonuses (§ 670a.12(b)(2), (d)(4))."""
    copy_rows("progressives_envypayout", ENVY_COLUMNS, rows)
