"""Reports of closed days: a month's roll-forward, and every table as a file."""

from datetime import date
from hashlib import sha256
from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from audit.services import record_one
from progressives.pages.close import must_read_closes, read_day
from progressives.services.close_export import FORMATS
from progressives.services.close_figures import figures_of
from progressives.services.close_report import Table, day_table, month_of, month_table


def read_month(month: str) -> date:
    """Return the first day of a month written 2026-03."""
    return read_day(f"{month}-01")


def month_page(request: HttpRequest, month: str) -> HttpResponse:
    """Show each meter rolled forward over a month's closed days."""
    must_read_closes(request)
    found = month_of(read_month(month))
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"Roll-forward {month}",
        "month": month,
        "found": found,
        "formats": FORMATS,
    }
    return TemplateResponse(request, "progressives/month.html", context)


def export_day(request: HttpRequest, day: str, form: str) -> HttpResponse:
    """Return an ended day as a file."""
    must_read_closes(request)
    figures = figures_of(read_day(day))
    if figures.close is None:
        raise Http404
    return file_of(request, day_table(figures), f"close-{day}", form)


def export_month(request: HttpRequest, month: str, form: str) -> HttpResponse:
    """Return a month's roll-forward as a file."""
    must_read_closes(request)
    table = month_table(month_of(read_month(month)))
    return file_of(request, table, f"roll-forward-{month}", form)


def file_of(request: HttpRequest, table: Table, name: str, form: str) -> HttpResponse:
    """Answer with a table as a file, and let the log say who took it away and its hash."""
    kind, make = FORMATS[form]
    content = make(table)
    digest = sha256(content).hexdigest()
    facts = {"file": f"{name}.{form}", "facts": dict(table.facts), "sha256": digest}
    record_one("progressives.report_exported", name, facts, by=request.user)  # type: ignore[arg-type]
    headers = {"Content-Disposition": f'attachment; filename="{name}.{form}"', "ETag": digest}
    return HttpResponse(content, content_type=kind, headers=headers)
