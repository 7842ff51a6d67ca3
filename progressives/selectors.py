"""Claims as the floor reads them: the queue's page, its poll and the API ask the same way."""

from django.db import connection
from django.db.models import Count, Prefetch, QuerySet

from progressives.models import ClaimStep, JackpotClaim

State = JackpotClaim.State


def look_token() -> int:
    """Return the oldest transaction still open now: what a reader remembers of this look.

    Take it before the rows are read. Whatever commits later carries this number or a higher one,
    so the next look misses nothing, however long a writer took.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
        (token,) = cursor.fetchone()
        return int(token)


def claims_with_steps() -> QuerySet[JackpotClaim]:
    """Return claims with all that a row shows, in three queries however many they are."""
    steps = ClaimStep.objects.select_related("by").order_by("pk")
    return JackpotClaim.objects.select_related("progressive", "meter").prefetch_related(
        Prefetch("steps", steps)
    )


def claims_in(*states: str) -> QuerySet[JackpotClaim]:
    """Return the claims in these states, oldest first."""
    return claims_with_steps().filter(state__in=states)


def changed_since(token: int) -> QuerySet[JackpotClaim]:
    """Return the claims that a step was taken on since a look, whatever their state is now."""
    changed = ClaimStep.objects.filter(transaction__gte=token).values("claim")
    return claims_with_steps().filter(pk__in=changed)


def to_put_back() -> QuerySet[JackpotClaim]:
    """Return refused meter awards that accounting has not put back yet."""
    refused = claims_in(State.REFUSED).filter(kind=JackpotClaim.Kind.METER)
    return refused.exclude(steps__kind=ClaimStep.Kind.RETURNED)


def counts() -> dict[str, int]:
    """Return how many claims wait and how many are to be paid."""
    open_states = JackpotClaim.objects.filter(state__in=[State.WAITING, State.VALIDATED])
    found = dict(open_states.order_by().values_list("state").annotate(Count("pk")))
    return {"waiting": found.get(State.WAITING, 0), "pay": found.get(State.VALIDATED, 0)}
