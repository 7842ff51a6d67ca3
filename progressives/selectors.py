"""Claims as the floor reads them: the queue's page, its poll and the API ask the same way."""

from datetime import datetime

from django.db import connection
from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet

from progressives.models import (
    ClaimStep,
    ControlRequest,
    ControlStep,
    JackpotClaim,
    Meter,
    MeterEntry,
    MustHitDraw,
)
from progressives.models.claims import IS_FULL, TierOfClaim

State, Tier = JackpotClaim.State, JackpotClaim.Tier


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
    claims = JackpotClaim.objects.select_related("progressive", "meter")
    disputed = JackpotClaim.objects.filter(round_id=OuterRef("round_id"), state=State.DISPUTED)
    claims = claims.annotate(told_tier=TierOfClaim(), round_disputed=Exists(disputed))
    return claims.prefetch_related(Prefetch("steps", steps))


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


def to_approve() -> QuerySet[JackpotClaim]:
    """Return validated payouts that a second person must approve."""
    return claims_in(State.VALIDATED).filter(IS_FULL)


def to_pay() -> QuerySet[JackpotClaim]:
    """Return payouts that only have to be documented and paid."""
    plain = Q(state=State.VALIDATED) & ~Q(IS_FULL)
    return claims_with_steps().filter(plain | Q(state__in=[State.APPROVED, State.DOCUMENTED]))


def cards_held() -> QuerySet[JackpotClaim]:
    """Return the payouts whose cards stay on their tables (see ``JackpotClaim.cards_held``)."""
    held = Q(IS_FULL, state__in=JackpotClaim.UNDOCUMENTED) | Q(state=State.DISPUTED)
    return claims_with_steps().filter(held)


def disputed() -> QuerySet[JackpotClaim]:
    """Return the payouts that somebody disputes, oldest first."""
    return claims_in(State.DISPUTED)


def counts() -> dict[str, int]:
    """Return how many claims wait, how many are to be approved and how many to be paid."""
    found = {"waiting": 0, "approve": 0, "pay": 0, "disputed": 0}
    open_claims = JackpotClaim.objects.exclude(state__in=JackpotClaim.DECIDED).order_by()
    rows = open_claims.values_list("state", TierOfClaim()).annotate(Count("pk"))
    for state, tier, number in rows:
        if state in JackpotClaim.BEFORE_VALIDATED:
            found["waiting"] += number
        elif state == State.VALIDATED and tier == Tier.FULL:
            found["approve"] += number
        elif state == State.DISPUTED:
            found["disputed"] += number
        else:
            found["pay"] += number
    return found


LAST_HITS = 25  # 9 NYCRR § 5320.8(b)(4)


def level_meters(progressive: str, level: str) -> list[Meter]:
    """Return the meters of a level, the display first; none where there is no such level."""
    meters = Meter.objects.select_related("progressive")
    found = meters.filter(progressive__code=progressive, level=level)
    return sorted(found, key=lambda meter: (meter.purpose != Meter.Purpose.DISPLAY, meter.purpose))


def last_hits(meter: Meter) -> list[MeterEntry]:
    """Return a level's last awards, newest first."""
    awards = MeterEntry.objects.filter(meter=meter, kind=MeterEntry.Kind.AWARD)
    return list(awards.order_by("-sequence")[:LAST_HITS])


def draws_of(meter: Meter) -> list[MustHitDraw]:
    """Return the draws of a level that must hit, newest first: the one that is hidden, and told."""
    if meter.must_hit_by is None:
        return []
    draws = MustHitDraw.objects.filter(meter=meter).select_related("reveal").defer("sealed")
    return list(draws.order_by("-number")[: LAST_HITS + 1])


# ---- changes of progressives ------------------------------------------------------------------


def controls_with_steps() -> QuerySet[ControlRequest]:
    """Return requests with their steps and meters, the newest first."""
    steps = ControlStep.objects.select_related("by").order_by("pk")
    return (
        ControlRequest.objects.select_related(
            "meter__progressive", "other__progressive", "requested_by"
        )
        .prefetch_related(Prefetch("steps", steps))
        .order_by("-pk")
    )


def state_of_control(request: ControlRequest) -> str:
    """Return how far a request came: ``requested``, or the kind of its last step."""
    kinds = [step.kind for step in request.steps.all()]
    return kinds[-1] if kinds else "requested"


def controls_open() -> int:
    """Count the requests that still wait for anybody: to be approved, or to be acknowledged."""
    over = ControlStep.objects.filter(kind__in=["refused", "withdrawn", "acknowledged"])
    return ControlRequest.objects.exclude(pk__in=over.values("request")).count()


def controls_in_effect(begins: datetime | None, ends: datetime | None) -> list[ControlRequest]:
    """Return what took effect between two moments, and what is not acknowledged by then."""
    effected = ControlStep.objects.filter(kind="effected")
    if ends is not None:
        effected = effected.filter(at__lte=ends)
    of_then = effected if begins is None else effected.filter(at__gt=begins)
    seen = ControlStep.objects.filter(kind="acknowledged").values("request")
    wanted = Q(pk__in=of_then.values("request")) | (
        Q(pk__in=effected.values("request")) & ~Q(pk__in=seen)
    )
    return list(controls_with_steps().filter(wanted))
