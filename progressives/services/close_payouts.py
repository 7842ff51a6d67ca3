"""A gaming day's payouts: each claim beside its slip and its payment."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Sum

from progressives.models import ClaimStep, JackpotClaim, PayoutSlip, SlipCounter

NOTHING = Decimal(0)
NAMED = 5  # claims or slips that a sentence names; it counts them all
Kind, State = JackpotClaim.Kind, JackpotClaim.State
NOT_PAID_OUT = [kind.value for kind in ClaimStep.Kind if kind.value in ("refused", "voided")]


@dataclass(frozen=True)
class Payouts:
    """The payouts of a day of one kind in one state: claims, the slips they got, what was paid."""

    kind: str
    state: str
    source: str
    count: int
    amount: Decimal
    slips: int
    slip_amount: Decimal
    voids: int
    withheld: Decimal
    paid: Decimal


def payouts_of(day: date) -> list[Payouts]:
    """Return the day's payouts by kind and state, with slips, payments and where they come from."""
    paid = Q(state=State.PAID)
    rows = (
        JackpotClaim.objects.filter(gaming_day=day)
        .values("kind", "state")
        .annotate(
            count=Count("pk"),
            total=Sum("amount"),
            slips=Count("slip"),
            slip_amount=Sum("slip__amount"),
            voids=Count("slip__void"),
            withheld=Sum("slip__tax_withheld", filter=paid),
            paid=Sum("slip__amount", filter=paid & Q(slip__void__isnull=True)),
        )
        .order_by("kind", "state")
    )
    return [payouts_told(row) for row in rows]


def payouts_told(row: Mapping[str, Any]) -> Payouts:
    """Make one row of payouts."""
    return Payouts(
        kind=Kind(row["kind"]).label,
        state=State(row["state"]).label,
        source=JackpotClaim(kind=row["kind"]).source_of_funds,
        count=row["count"],
        amount=row["total"],
        slips=row["slips"],
        slip_amount=row["slip_amount"] or NOTHING,
        voids=row["voids"],
        withheld=row["withheld"] or NOTHING,
        paid=row["paid"] or NOTHING,
    )


def unsound_slips(day: date) -> list[str]:
    """Return where claim, slip and payment of the day, or of days before it, do not agree.

    The database refuses each of these; who signs a close looks for himself.
    """
    claims = JackpotClaim.objects.filter(gaming_day__lte=day).order_by("pk")
    found = [
        sentence_of(claims.filter(state=State.PAID, slip__isnull=True), "was paid without a slip"),
        sentence_of(
            claims.filter(state=State.PAID, slip__void__isnull=False), "was paid on a void slip"
        ),
        sentence_of(
            claims.filter(slip__isnull=False).exclude(slip__amount=F("amount")),
            "has a slip of another amount",
        ),
        sentence_of(
            claims.filter(state=State.REFUSED, slip__isnull=False, slip__void__isnull=True),
            "was refused and its slip is not void",
        ),
    ]
    counter = SlipCounter.objects.order_by("pk").first()
    issued = PayoutSlip.objects.count()
    if counter is not None and counter.last != issued:
        found.append(
            f"Payout slips: {issued:,} are there, {counter.last:,} numbers were given out."
        )
    return [sentence for sentence in found if sentence]


def sentence_of(claims: QuerySet[JackpotClaim], said: str) -> str:
    """Name the claims that are not as they must be; nothing where there are none."""
    found = list(claims[: NAMED + 1])
    if not found:
        return ""
    named = ", ".join(str(claim) for claim in found[:NAMED])
    return f"{named}{' and more' if len(found) > NAMED else ''}: {said}."


def unpaid_at(day: date, moment: datetime | None) -> Decimal:
    """Return what was won up to a day's end and not paid by then, or by now.

    Whatever its state: called, verified, validated, approved, documented. A refused meter award
    is the players' until accounting has agreed that it goes back on its meter.
    """
    steps = ClaimStep.objects.filter(claim=OuterRef("pk"))
    if moment is not None:
        steps = steps.filter(at__lte=moment)
    over = Exists(steps.filter(kind__in=["paid", "returned", "voided"]))
    refused = Exists(steps.filter(kind__in=NOT_PAID_OUT))
    unpaid = JackpotClaim.objects.filter(gaming_day__lte=day).exclude(over)
    unpaid = unpaid.exclude(Q(kind=Kind.FIXED) & refused)
    total: Decimal | None = unpaid.aggregate(of=Sum("amount"))["of"]
    return total or NOTHING
