"""Close a round when nothing of it is open any more: part of the step that came last."""

from uuid import UUID

from django.db import connection

from audit.models import User
from audit.services import SYSTEM, chain_of_lane, log_event, record
from progressives.models import EnvyPayout, JackpotClaim, Lane, RoundClosing


def hold_round(round_id: UUID) -> list[JackpotClaim]:
    """Hold a round's claims until the transaction ends, all of them and in one order.

    Whoever decides on one of them holds all, so that a round cannot close beside him.
    """
    claims = JackpotClaim.objects.select_for_update(no_key=True, of=("self",))
    return list(claims.filter(round_id=round_id).order_by("pk"))


def standing_of(round_id: UUID) -> dict[str, int]:
    """Return what a round's outcome stands at: its version, and how often it was reopened."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT round_version(%s), round_reopened(%s)", [round_id, round_id])
        version, reopened = cursor.fetchone()
        return {"version": version, "reopened": reopened}


def closing_of(round_id: UUID) -> RoundClosing | None:
    """Return the closing of a round as it stands now; None while anything of it is open."""
    found = RoundClosing.objects.select_related("by").filter(round_id=round_id)
    return found.filter(**standing_of(round_id)).first()


def close_round_if_done(round_id: UUID, officer: User) -> RoundClosing | None:
    """Close the round if its claims are decided and its Envy Bonuses are paid.

    Called after the step was told: the head of the lane's chain is held by then, so that of two
    last steps the second sees the first.
    """
    claims = list(JackpotClaim.objects.filter(round_id=round_id).select_related("lane"))
    envies = list(EnvyPayout.objects.filter(round_id=round_id).select_related("lane", "payment"))
    if any(claim.state not in JackpotClaim.DECIDED for claim in claims):
        return None
    if any(not hasattr(envy, "payment") for envy in envies):
        return None
    if closing_of(round_id) is not None:
        return None
    version = standing_of(round_id)["version"]
    of: JackpotClaim | EnvyPayout = claims[0] if claims else envies[0]
    lane: Lane | None = of.lane
    closing = RoundClosing.objects.create(
        lane=lane, round_id=round_id, version=version, table=of.table, round=of.round, by=officer
    )
    facts = {
        "claims": len(claims),
        "envies": len(envies),
        "round_id": str(round_id),
        "version": version,
    }
    subject = f"{of.table}/{of.round}"
    event = log_event("progressives.round_closed", subject, facts, by=officer)
    record(chain_of_lane(lane.name) if lane else SYSTEM, [event])
    return closing
