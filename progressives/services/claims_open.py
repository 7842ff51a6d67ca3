"""Open a claim for each progressive win, and note each Envy Bonus owed."""

from collections.abc import Sequence
from typing import Any

from django.db import connection

from progressives.models import ClaimStep, JackpotClaim

ENVY_COLUMNS = (
    'lane_number round_id "table" round wager position player from_position hand stake amount'
    " cite dealer gaming_day"
).split()
ENVY_TYPES = (
    "int8 uuid varchar int8 varchar int2 varchar int2 varchar numeric numeric varchar varchar date"
).split()


def open_claims(claims: Sequence[JackpotClaim]) -> None:
    """Store the claims and their first step. The caller holds the lane; the log is his to write."""
    if claims:
        stored = JackpotClaim.objects.bulk_create(claims)
        ClaimStep.objects.bulk_create(
            ClaimStep(claim=claim, kind=ClaimStep.Kind.OPENED) for claim in stored
        )


def store_envies(rows: Sequence[tuple[Any, ...]]) -> None:
    """Write what the house owes in Envy Bonuses (§ 670a.12(b)(2), (d)(4)), by COPY."""
    if not rows:
        return
    with (
        connection.cursor() as cursor,
        cursor.copy(
            f"COPY progressives_envypayout ({', '.join(ENVY_COLUMNS)}) FROM STDIN (FORMAT BINARY)"
        ) as copy,
    ):
        copy.set_types(ENVY_TYPES)
        for row in rows:
            copy.write_row(row)
