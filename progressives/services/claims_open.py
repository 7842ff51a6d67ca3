"""Open a claim for each progressive win, and note each Envy Bonus owed."""

from collections.abc import Sequence
from typing import Any

from audit.copying import copy_rows
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


def open_claims(claims: Sequence[JackpotClaim]) -> None:
    """Store the claims and their first step. The caller holds the lane; the log is his to write."""
    if claims:
        stored = JackpotClaim.objects.bulk_create(claims)
        ClaimStep.objects.bulk_create(
            ClaimStep(claim=claim, kind=ClaimStep.Kind.OPENED) for claim in stored
        )


def store_envies(rows: Sequence[tuple[Any, ...]]) -> None:
    """Write what the house owes in Envy Bonuses (§ 670a.12(b)(2), (d)(4))."""
    copy_rows("progressives_envypayout", ENVY_COLUMNS, rows)
