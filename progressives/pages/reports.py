"""Reports of closed days: a month's roll-forward, and every table as a file."""

from calendar import monthrange
from datetime import date
from hashlib import sha256
from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from audit.services import record_one
from progressives.pages.close import must_read_closes, read_day, url_of
from progressives.services.close_export import FORMATS
from progressives.services.close_figures import figures_of
from progressives.services.close_report import Month, Table, day_table, month_of, month_table


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
        "hits": hits_of_month(found),
    }
    return TemplateResponse(request, "progressives/month.html", context)


def hits_of_month(found: Month) -> list[tuple[str, str]]:
    """Return each progressive with the address of its hits against expectation in the month.

    Chances are the floor's, which knows the cards: its page is found by name, if there is one.
    """
    last = found.first.replace(day=monthrange(found.first.year, found.first.month)[1])
    codes = dict.fromkeys(row["meter"].partition(":")[0] for row in found.rows)
    days = f"?first={found.first}&last={last}"
    pages = ((code, url_of("admin:tables_gamingtable_hits", code)) for code in codes)
    return [(code, page + days) for code, page in pages if page]


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
