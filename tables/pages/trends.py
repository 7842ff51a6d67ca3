"""Where payments go wrong: by dealer, by wager, by shift, day after day."""

from datetime import date, timedelta
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from audit.moments import in_range
from tables.models import Facility
from tables.selectors import Errors, error_trends
from tables.services.summary import latest_day

VIEW = "tables.view_error_trends"
DAYS = 7
LONGEST = 92
BAR_HEIGHT, CHART_WIDTH, WIDEST = 100, 720, 60


def trends_page(request: HttpRequest) -> HttpResponse:
    """Show the mispays of a stretch of gaming days, the last week unless asked otherwise."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied
    last = day_of(request.GET.get("last")) or latest_day()
    first = day_of(request.GET.get("first")) or last - timedelta(days=DAYS - 1)
    first = min(max(first, last - timedelta(days=LONGEST)), last)
    trends = error_trends(first, last) if Facility.objects.exists() else None
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": "Payment errors",
        "first": first,
        "last": last,
        "trends": trends,
        "chart": chart_of(trends.days, first, last) if trends else None,
    }
    return TemplateResponse(request, "tables/trends.html", context)


def day_of(text: str | None) -> date | None:
    """Return a day of the address, or None where there is none that a house can have seen."""
    try:
        found = date.fromisoformat(text or "")
    except ValueError:
        return None
    return found if in_range(found) else None


def chart_of(days: list[Errors], first: date, last: date) -> dict[str, Any] | None:
    """Return a bar for each gaming day, for the server's own SVG."""
    by_name = {day.name: day.mispays for day in days}
    every = [str(first + timedelta(days=n)) for n in range((last - first).days + 1)]
    most = max(by_name.values(), default=0)
    if len(every) < 2 or not most:
        return None
    width = CHART_WIDTH / len(every)
    bars = []
    for place, name in enumerate(every):
        number = by_name.get(name, 0)
        height = BAR_HEIGHT * number / most
        bars.append(
            {
                "name": name,
                "number": number,
                "x": f"{place * width + 2:.1f}",
                "y": f"{BAR_HEIGHT - height:.1f}",
                "width": f"{min(width - 4, WIDEST):.1f}",
                "height": f"{height:.1f}",
            }
        )
    return {"bars": bars, "most": most}
