"""One claim with all that explains it: facts, steps, the other payouts of its round, its meter."""

from decimal import Decimal
from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from audit.web.forms import in_address
from progressives.models import (
    ClaimStep,
    EnvyPayout,
    JackpotClaim,
    Meter,
    MeterEntry,
    PayoutSlip,
)
from progressives.pages.control import VIEW as VIEW_CHANGES
from progressives.pages.control import changes_of
from progressives.pages.envies import EnvyRow, rows_of
from progressives.pages.forms.meters import LedgerForm
from progressives.pages.queue import must_view
from progressives.pages.rows import Viewer, branches_of, row_of
from progressives.selectors import claims_with_steps, draws_of, last_hits, level_meters
from progressives.services.pictures import picture_of
from progressives.services.rounds import closing_of
from progressives.services.snapshots import read_now

STRIP_EACH_WAY = 4  # entries shown before and after the award
CHART_EACH_WAY = 40
CHART_WIDTH, CHART_HEIGHT = 720, 120
LEDGER_PAGE = 100
DAYS = ("1", "7", "30")  # gaming days that a meter's pictures may span
LONGEST_ID = 18  # digits


def claim_page(request: HttpRequest, claim_id: int) -> HttpResponse:
    """Show a claim to whoever may read claims."""
    viewer = must_view(request)
    claim = claims_with_steps().filter(pk=claim_id).first()
    if claim is None:
        raise Http404
    others = claims_with_steps().filter(round_id=claim.round_id).exclude(pk=claim.pk)
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"{claim.table}, round {claim.round}, position {claim.position}",
        "claim": claim,
        "row": row_of(claim, viewer),
        "branches": branches_of(claim, viewer),
        "frozen": frozen_facts(claim),
        "now": timezone.now(),
        "others": [row_of(other, viewer) for other in others.order_by("-position")],
        "slip": slip_of(claim),
        "may_print": bool(viewer.verbs & {"document", "pay"}),
        "envies": envies_of(claim, viewer),
        "closing": closing_of(claim.round_id),
        "strip": strip_of(claim),
        "chart": chart_of(claim),
    }
    return TemplateResponse(request, "progressives/claim.html", context)


def envies_of(claim: JackpotClaim, viewer: Viewer) -> list[EnvyRow]:
    """Return the Envy Bonuses of the claim's round, each with what may be done with it."""
    envies = EnvyPayout.objects.filter(round_id=claim.round_id).select_related("payment__by")
    return rows_of(envies.order_by("-position", "-from_position"), viewer)


def frozen_facts(claim: JackpotClaim) -> dict[str, Any] | None:
    """Return what the claim's last dispute froze: where it stood, the meters, the recordings."""
    raised = [step for step in claim.steps.all() if step.kind == ClaimStep.Kind.DISPUTED]
    if not raised:
        return None
    told = raised[-1].facts
    meters = [{**meter, "value": Decimal(meter["value"])} for meter in told["meters"]]
    return {
        "step": raised[-1],
        "stood": JackpotClaim.State(told["from"]).label,
        "meters": meters,
        "video": told["video"],
    }


def slip_of(claim: JackpotClaim) -> PayoutSlip | None:
    """Return the claim's slip with its prints; it has one from documentation or payment on."""
    slips = PayoutSlip.objects.select_related("void", "issued_by")
    return slips.prefetch_related("prints__by").filter(claim=claim).first()


def around(claim: JackpotClaim, each_way: int) -> list[MeterEntry]:
    """Return the entries of the claim's meter around its award."""
    if claim.entry_sequence is None:
        return []
    first, last = claim.entry_sequence - each_way, claim.entry_sequence + each_way
    entries = MeterEntry.objects.filter(meter_id=claim.meter_id, sequence__range=(first, last))
    return list(entries.order_by("sequence"))


def strip_of(claim: JackpotClaim) -> list[MeterEntry]:
    """Return the meter strip: what came just before and after, other tables' wagers included."""
    return around(claim, STRIP_EACH_WAY)


def chart_of(claim: JackpotClaim) -> dict[str, Any] | None:
    """Return the meter around the award as points of a line, for the server's own SVG."""
    entries = around(claim, CHART_EACH_WAY)
    if len(entries) < 3:
        return None
    values = [entries[0].before, *(entry.after for entry in entries)]
    low, high = min(values), max(values)
    spread = (high - low) or Decimal(1)
    across = Decimal(CHART_WIDTH) / (len(values) - 1)

    def place(index: int, value: Decimal) -> tuple[str, str]:
        down = CHART_HEIGHT - (value - low) / spread * CHART_HEIGHT
        return f"{across * index:.1f}", f"{down:.1f}"

    points = [place(index, value) for index, value in enumerate(values)]
    award = next(i for i, entry in enumerate(entries) if entry.sequence == claim.entry_sequence)
    return {
        "points": " ".join(f"{x},{y}" for x, y in points),
        "award": points[award],
        "low": low,
        "high": high,
        "first": entries[0].sequence,
        "last": entries[-1].sequence,
    }


def meter_page(request: HttpRequest, meter: Meter) -> HttpResponse:
    """Show a meter and its ledger, newest entry first."""
    asked = in_address(LedgerForm, request).choices()
    before = asked["before"]
    entries = MeterEntry.objects.filter(meter=meter).order_by("-sequence")
    if before is not None:
        entries = entries.filter(sequence__lt=before)
    page = list(entries[: LEDGER_PAGE + 1])
    days = int(asked["days"]) if asked["days"] in DAYS else 1
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "opts": Meter._meta,
        "title": f"{meter.progressive}, {meter.name}",
        "meter": meter,
        "counts": read_now(level_meters(meter.progressive.code, meter.level)),
        "hits": last_hits(meter),
        "draws": draws_of(meter),
        "picture": picture_of(meter, days),
        "days": [int(choice) for choice in DAYS],
        "entries": page[:LEDGER_PAGE],
        "older": page[LEDGER_PAGE - 1].sequence if len(page) > LEDGER_PAGE else None,
        "newest": before is None,
        "controls": changes_of(meter) if request.user.has_perm(VIEW_CHANGES) else [],
    }
    return TemplateResponse(request, "progressives/meter.html", context)
