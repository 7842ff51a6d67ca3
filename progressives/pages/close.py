"""The daily close: one line a meter, what blocks it, and the two signatures."""

from collections.abc import Callable
from datetime import date
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from audit.models import User
from audit.moments import in_range
from audit.web.forms import Form, Mistyped, posted
from progressives.errors import ProgressiveError
from progressives.models import GamingDayClose, MeterReading
from progressives.pages.control import controls_of
from progressives.pages.forms.close import (
    CountsForm,
    FileForm,
    NoteForm,
    ReadingsForm,
    SendBackForm,
)
from progressives.services.close_counts import enter_counts, import_counts
from progressives.services.close_day import end_day, next_day
from progressives.services.close_export import FORMATS
from progressives.services.close_figures import Figures, figures_of
from progressives.services.close_payouts import payouts_of
from progressives.services.close_persons import close_verbs_of
from progressives.services.close_readings import enter_readings, import_readings
from progressives.services.close_report import liability_of
from progressives.services.close_sign import (
    name_variances,
    prepare_close,
    review_close,
    send_close_back,
)

VIEW = "progressives.view_gamingdayclose"
LIST_LENGTH = 60


def must_read_closes(request: HttpRequest) -> frozenset[str]:
    """Return which steps of a close this person may take, or refuse who may not even read it."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied
    return close_verbs_of(request.user)  # type: ignore[arg-type]


def days_page(request: HttpRequest) -> HttpResponse:
    """Show which gaming day comes next, and those that are closed."""
    must_read_closes(request)
    closes = GamingDayClose.objects.select_related("prepared_by", "reviewed_by")
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": "Daily close",
        "next_day": next_day(),
        "closes": closes[:LIST_LENGTH],
    }
    return TemplateResponse(request, "progressives/days.html", context)


def close_page(request: HttpRequest, day: str, refusal: Exception | None = None) -> HttpResponse:
    """Show a gaming day: ended or as it stands now."""
    verbs = must_read_closes(request)
    asked = read_day(day)
    figures = figures_of(asked)
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"Gaming day {asked}",
        "day": asked,
        "is_next": asked == next_day(),
        "now": timezone.now(),
        "refusal": refusal,
        "figures": figures,
        "close": figures.close,
        "steps": steps_of(figures),
        "methods": MeterReading.Method.choices[:2],
        "payouts": payouts_of(asked),
        "chips": chips_of(figures),
        "tables": tables_of(figures),
        "owed": liability_of(figures),
        "formats": FORMATS if figures.close else (),
        "may": may(verbs, figures, request.user),
        "log_list": url_of("admin:audit_auditevent_changelist"),
        "controls": controls_of(asked, figures.close),
    }
    status = 200 if refusal is None else 409
    return TemplateResponse(request, "progressives/close.html", context, status=status)


def read_day(day: str) -> date:
    """Return the day that an address names."""
    try:
        found = date.fromisoformat(day)
    except ValueError:
        raise Http404 from None
    if not in_range(found):
        raise Http404
    return found


def url_of(name: str, *of: str) -> str:
    """Return a page's address; empty where this house has no such page."""
    try:
        return reverse(name, args=of)
    except NoReverseMatch:
        return ""


def steps_of(figures: Figures) -> list[Any]:
    """Return who did what with this close."""
    if figures.close is None:
        return []
    return list(figures.close.steps.select_related("by").order_by("pk"))


def may(verbs: frozenset[str], figures: Figures, user: Any) -> dict[str, bool]:
    """Return which forms this person is shown."""
    state = figures.close.state if figures.close else ""
    waits = figures.close is not None and state == "prepared"
    own = waits and figures.close.prepared_by_id == user.pk
    return {
        "end": "prepare" in verbs and not state,
        "enter": "prepare" in verbs and state == "draft",
        "review": "review" in verbs and waits and not own,
        "waits_for_another": own,
    }


def chips_of(figures: Figures) -> dict[str, Any]:
    """Return the counts that differ, those that agree, and who is not counted yet by table."""
    uncounted: dict[str, list[str]] = {}
    for line in figures.chips:
        if line.uncounted:
            uncounted.setdefault(line.table, []).append(line.dealer or "all")
    counted = [line for line in figures.chips if line.count is not None]
    return {
        "off": [line for line in counted if line.difference],
        "sound": [line for line in counted if not line.difference],
        "uncounted": uncounted,
    }


def tables_of(figures: Figures) -> list[dict[str, Any]]:
    """Return what may be counted: each table with progressive wagers, and its dealers."""
    found: dict[str, list[str]] = {}
    for table, dealer in sorted(figures.told.retelling.chips.tallies):
        found.setdefault(table, []).append(dealer)
    return [
        {"table": table, "dealers": [d for d in dealers if d]} for table, dealers in found.items()
    ]


# ---- the steps ------------------------------------------------------------------------------


def end(*, day: date, by: User) -> str:
    end_day(day=day, by=by)
    return f"Gaming day {day} is ended. What comes later joins the next day."


def name(*, day: date, by: User) -> str:
    name_variances(day=day, by=by)
    return "Each variance has its exception."


def prepare(*, day: date, by: User, note: str) -> str:
    prepare_close(day=day, by=by, note=note)
    return f"Signed. Another person reviews the close of {day}."


def review(*, day: date, by: User, note: str) -> str:
    review_close(day=day, by=by, note=note)
    return f"Gaming day {day} is closed."


def send_back(*, day: date, by: User, reason: str) -> str:
    send_close_back(day=day, by=by, reason=reason)
    return "Sent back to the preparer."


# Each step's form, and what takes the form's fields by their names and says what was done.
STEPS: dict[str, tuple[type[Form], Callable[..., str]]] = {
    "end": (Form, end),
    "read": (ReadingsForm, lambda **of: f"Readings entered: {len(enter_readings(**of))}."),
    "import": (FileForm, lambda **of: f"Readings imported: {len(import_readings(**of))}."),
    "count": (CountsForm, lambda **of: f"Counts of chips entered: {len(enter_counts(**of))}."),
    "import-counts": (
        FileForm,
        lambda **of: f"Counts of chips imported: {len(import_counts(**of))}.",
    ),
    "name": (Form, name),
    "prepare": (NoteForm, prepare),
    "review": (NoteForm, review),
    "send-back": (SendBackForm, send_back),
}


def close_deed(request: HttpRequest, day: str, deed: str) -> HttpResponse:
    """Do one step of a close and show the day again; a refusal is shown above it."""
    must_read_closes(request)
    asked = read_day(day)
    here = reverse("admin:progressives_gamingdayclose_day", args=[day])
    if request.method != "POST":
        return HttpResponseRedirect(here)
    try:
        form, take = STEPS[deed]
        said = take(day=asked, by=request.user, **posted(form, request).read())
    except (Mistyped, ProgressiveError) as refusal:
        return close_page(request, day, refusal)
    messages.success(request, said)
    return redirect(here)
