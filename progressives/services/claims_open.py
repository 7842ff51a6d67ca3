"""Open a claim for each progressive win, and note each Envy Bonus owed."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from django.db import connection

from audit.copying import copy_rows, jsonb
from progressives.models import ClaimStep, JackpotClaim

ENVY_COLUMNS = {
    "lane_number": "int8",
    "round_id": "uuid",
    "table": "varchar",
    "round": "int8",
    "wager": "varchar",
    "position": "int2",
    "player": "varchar",
    "from_position": "int2",
    "hand": "varchar",
    "stake": "numeric",
    "amount": "numeric",
    "cite": "varchar",
    "dealer": "varchar",
    "gaming_day": "date",
}


CLAIM_COLUMNS = {
    "id": "int8",
    "lane_id": "int8",
    "lane_number": "int8",
    "progressive_id": "int8",
    "kind": "varchar",
    "state": "varchar",
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
    "joker_as": "varchar",
    "stake": "numeric",
    "terms": "varchar",
    "cite": "varchar",
    "amount": "numeric",
    "meter_id": "int8",
    "entry_sequence": "int8",
    "meter_at_turn": "numeric",
    "reset_put_in": "numeric",
    "lamp": "bool",
    "flags": "jsonb",
    "gaming_day": "date",
    "occurred_at": "timestamptz",
    "accepted_at": "timestamptz",
}
STEP_COLUMNS = {"claim_id": "int8", "kind": "varchar", "cite": "varchar", "reason": "text"}
STEP_COLUMNS |= {"facts": "jsonb"}

facts_of = attrgetter(*CLAIM_COLUMNS)
FLAGS = list(CLAIM_COLUMNS).index("flags")


def open_claims(claims: Sequence[JackpotClaim]) -> None:
    """Store the claims, give them their keys, and write their first step.

    The caller holds the lane; the log is his to write. A busy lane opens dozens at a time.
    """
    if not claims:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence('progressives_jackpotclaim', 'id'))"
            " FROM generate_series(1, %s)",
            [len(claims)],
        )
        for claim, (number,) in zip(claims, cursor.fetchall(), strict=True):
            claim.pk = number
    rows = []
    for claim in claims:
        row = facts_of(claim)
        rows.append((*row[:FLAGS], jsonb(claim.flags), *row[FLAGS + 1 :]))
    copy_rows("progressives_jackpotclaim", CLAIM_COLUMNS, rows)
    nothing = jsonb({})
    opened = ClaimStep.Kind.OPENED.value
    copy_rows(
        "progressives_claimstep",
        STEP_COLUMNS,
        [(claim.pk, opened, "", "", nothing) for claim in claims],
    )


def store_envies(rows: Sequence[tuple[Any, ...]]) -> None:
    """Write what the house owes in Envy Bonuses (§ 670a.12(b)(2), (d)(4))."""
    copy_rows("progressives_envypayout", ENVY_COLUMNS, rows)
