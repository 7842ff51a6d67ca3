"""What a progressive costs the house, a page each; and the odds of its tables' other wagers."""

from fractions import Fraction
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.utils import timezone

from progressives.models import Progressive
from tables.models import Facility, GamingTable
from tables.risk_charts import Slope, slope_of
from tables.rules.odds import DEALS, StaleCounts
from tables.rules.wager_odds import optional_odds, push_22_odds
from tables.services.risk import GameRisk, RiskUnknown, pace_of, risks_of
from tables.services.risk_report import game_of, odds_of, places, push_22_of
from tables.services.terms import TermsBook

VIEW = "progressives.view_meter"


def must_read_risks(request: HttpRequest) -> None:
    """Refuse whoever may not read meters."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied


def risks_page(request: HttpRequest) -> HttpResponse:
    """Show every progressive with the way to its risk and its hits, and the games' other odds."""
    must_read_risks(request)
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": "Risk and odds",
        "progressives": Progressive.objects.order_by("code").prefetch_related("meters"),
        "games": game_odds() if Facility.objects.exists() else [],
    }
    return TemplateResponse(request, "tables/risks.html", context)


def game_odds() -> list[dict[str, Any]]:
    """Return the odds of each game's wagers that the hand alone decides, as they hold now."""
    book, now = TermsBook(), timezone.now()
    found: list[dict[str, Any]] = []
    for table in GamingTable.objects.order_by("game", "code").distinct("game"):
        submission = book.at(table, now).submission
        definition = submission.definition
        if definition is None:
            continue
        try:
            odds = [odds_of(one, definition.positions) for one in optional_odds(submission)]
        except StaleCounts as stale:
            found.append({"title": definition.title, "problem": str(stale)})
            continue
        pushes = [push_22_of(one) for one in push_22_odds(submission)]
        found.append({"title": definition.title, "odds": odds, "pushes": pushes,
                      "positions": definition.positions})  # fmt: skip
    return found


def risk_page(request: HttpRequest, code: str) -> HttpResponse:
    """Show a progressive's exact risk: by hand, by positions in play, by what its levels show."""
    must_read_risks(request)
    progressive = get_object_or_404(Progressive, code=code)
    deal = DEALS.get(request.GET.get("deal", ""))
    problem, risks = "", []
    try:
        risks = risks_of(progressive, deal)
    except (RiskUnknown, StaleCounts) as unknown:
        problem = str(unknown)
    pace = pace_of(progressive)
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"Risk of {progressive.code}",
        "progressive": progressive,
        "problem": problem,
        "deals": DEALS.values() if progressive.paytables else (),
        "deal": deal,
        "pace": pace,
        "wagers_a_day": places(pace.per_day, 1),
        "games": [{"told": game_of(risk, pace), "charts": charts_of(risk)} for risk in risks],
    }
    return TemplateResponse(request, "tables/risk.html", context)


def charts_of(risk: GameRisk) -> list[tuple[str, Slope]]:
    """Return a picture for each level that a wager can win: alone, and at a full table."""
    wager = risk.risk
    found: list[tuple[str, Slope]] = []
    for level in risk.levels:
        part = wager.shares().get(level.level)
        even = wager.break_even(level.level, risk.meters, 0)
        if not part or even is None or even <= 0:
            continue
        bare = {**risk.meters, level.level: risk.meters[level.level] * 0}
        fall = part / wager.stake
        lines = [(wager.advantage(bare, others), fall) for others in (0, risk.others)]
        marks = [
            (f"reset ${float(level.reset):,.0f}", level.reset),
            (f"now ${float(risk.meters[level.level]):,.0f}", Fraction(risk.meters[level.level])),
            (f"worth its stake ${float(even):,.0f}", even),
        ]
        found.append((level.level, slope_of(lines, marks)))
    return found
