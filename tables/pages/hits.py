"""Hits of a progressive against what was to be expected, over gaming days that a person chooses."""

from datetime import date, timedelta
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse

from progressives.models import Progressive
from tables.pages.risk import must_read_risks
from tables.pages.trends import LONGEST, day_of
from tables.risk_charts import dots_of, funnel_of
from tables.rules.odds import DEALS, StaleCounts
from tables.services.hits_report import ANY, GameHits, hits_by_game
from tables.services.risk import RiskUnknown
from tables.services.submissions import today

DAYS = 30
MOST_DAYS = 4 * LONGEST


def hits_page(request: HttpRequest, code: str) -> HttpResponse:
    """Show each hand's hits in its exact band, and the hits of one hand day after day."""
    must_read_risks(request)
    progressive = get_object_or_404(Progressive.objects.select_related("lane"), code=code)
    first, last = days_asked(request, progressive)
    deal = DEALS.get(request.GET.get("deal", ""))
    hand = request.GET.get("hand", ANY)
    problem, games = "", []
    try:
        games = hits_by_game(progressive, first, last, deal)
    except (RiskUnknown, StaleCounts) as unknown:
        problem = str(unknown)
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"Hits of {progressive.code}",
        "progressive": progressive,
        "first": first,
        "last": last,
        "hand": hand,
        "problem": problem,
        "deals": DEALS.values() if progressive.paytables else (),
        "deal": deal,
        "games": [drawn(game, hand) for game in games],
        "hands": [ANY, *dict.fromkeys(row.hand for game in games for row in game.hands)],
    }
    return TemplateResponse(request, "tables/hits.html", context)


def days_asked(request: HttpRequest, progressive: Progressive) -> tuple[date, date]:
    """Return the gaming days asked for: the last thirty that the progressive has come to."""
    last = day_of(request.GET.get("last")) or progressive.lane.gaming_day or today()
    first = day_of(request.GET.get("first")) or last - timedelta(days=DAYS - 1)
    return min(max(first, last - timedelta(days=MOST_DAYS)), last), last


def drawn(game: GameHits, hand: str) -> dict[str, Any]:
    """Return one game's hits with their pictures."""
    points = [(point.day.isoformat(), point.seen) for point in game.points(hand)]
    rows = [{"row": row, "dots": dots_of(row.seen)} for row in game.hands]
    odd = [row for row in game.hands if row.verdict]
    return {
        "game": game,
        "rows": rows,
        "any": dots_of(game.together),
        "odd": odd,
        "funnel": funnel_of(points),
    }
