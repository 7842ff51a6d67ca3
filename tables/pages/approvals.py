"""The watch over the approvers: who validates whose payouts, how fast, and who meets too often."""

from datetime import date, timedelta
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from tables.approvals import FENCE, FEWEST, UNLIKELY, Group
from tables.pages.trends import BAR_HEIGHT, CHART_WIDTH, LONGEST, WIDEST, day_of
from tables.services.approvals import watched
from tables.services.summary import latest_day

VIEW = "tables.view_approvals"
DAYS = 28
MOST_ODD = 100


def approvals_page(request: HttpRequest) -> HttpResponse:
    """Show the approvals of a stretch of gaming days, of four weeks unless asked otherwise."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied
    first, last = days_of(request.GET)
    found = watched(first, last)
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": "Approvals of payouts",
        "first": first,
        "last": last,
        "found": found,
        "groups": [("Supervisor", found.supervisors), ("Dealer", found.dealers),
                   ("Position", found.positions)] if found else [],
        "outliers": found.outliers[:MOST_ODD] if found else [],
        "chart": hours_chart(found.hours) if found else None,
        "unlikely": f"{UNLIKELY:.0%}",
        "fewest": FEWEST,
        "fence": f"{FENCE:g}",
    }  # fmt: skip
    return TemplateResponse(request, "tables/approvals.html", context)


def days_of(told: Any) -> tuple[date, date]:
    """Return the first and the last gaming day that the address asks for."""
    last = day_of(told.get("last")) or latest_day()
    first = day_of(told.get("first")) or last - timedelta(days=DAYS - 1)
    return min(max(first, last - timedelta(days=LONGEST)), last), last


def hours_chart(hours: list[Group]) -> dict[str, Any] | None:
    """Return a bar for each hour of the day, for the server's own SVG."""
    by_name = {group.name: group.number for group in hours}
    most = max(by_name.values(), default=0)
    if not most:
        return None
    width = CHART_WIDTH / 24
    bars = []
    for hour in range(24):
        number = by_name.get(f"{hour:02}", 0)
        height = BAR_HEIGHT * number / most
        bars.append(
            {
                "name": f"{hour:02}:00",
                "hour": f"{hour:02}" if hour % 3 == 0 else "",
                "number": number,
                "x": f"{hour * width + 2:.1f}",
                "y": f"{BAR_HEIGHT - height:.1f}",
                "width": f"{min(width - 4, WIDEST):.1f}",
                "height": f"{height:.1f}",
            }
        )
    return {"bars": bars, "most": most}
