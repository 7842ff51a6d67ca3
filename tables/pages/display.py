"""A table's own display: the meter while it is fresh, and plainly nothing when it is not."""

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse

from progressives.templatetags.floor import dollars
from tables.api_fresh import told
from tables.models import GamingTable
from tables.services.fresh import freshness_of

VIEW = "progressives.view_meter"


def display_page(request: HttpRequest, code: str) -> HttpResponse:
    """Show a table's display. It asks again every second and believes nothing old."""
    table = table_of(request, code)
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"Display of {table.code}",
        "table": table,
    }
    return TemplateResponse(request, "tables/display.html", context)


def display_now(request: HttpRequest, code: str) -> JsonResponse:
    """Answer what the display shows now, and for how many seconds."""
    fresh = freshness_of(table_of(request, code))
    shown = told(fresh)
    for meter, own in zip(shown["meters"], fresh.meters, strict=True):
        meter["said"] = dollars(own.value // own.shown_to * own.shown_to)
    return JsonResponse(shown, headers={"Cache-Control": "no-store"})


def table_of(request: HttpRequest, code: str) -> GamingTable:
    """Return a table for somebody who may read meters."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied
    return get_object_or_404(GamingTable.objects.select_related("lane"), code=code)
