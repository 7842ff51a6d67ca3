"""Tables on paper: who is down, which forms are out, what is missing before a downtime can end."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.utils import timezone

from audit.web.forms import Form, Mistyped, posted
from progressives.errors import ProgressiveError
from tables.downtime_errors import Said
from tables.models import Downtime, GamingTable, PaperForm
from tables.pages.forms.downtime import (
    BeginForm,
    EndForm,
    IssueForm,
    ReadingsForm,
    StepForm,
    VoidForm,
)
from tables.services.downtime import (
    begin_downtime,
    end_downtime,
    missing_of,
    read_meters,
    readings_of,
)
from tables.services.fresh import freshness_of
from tables.services.paper import (
    CONFIRM,
    RUN,
    forms_of,
    issue_forms,
    open_downtimes,
    void_forms,
    with_state,
)

VIEW = "tables.view_downtime"
ENDED_SHOWN = 20


@dataclass(frozen=True)
class Step:
    """A step's form, and what takes the form's fields by their names and says what was done."""

    form: type[Form]
    take: Callable[..., str]


def must_read_downtimes(request: HttpRequest) -> None:
    """Refuse whoever may not read downtimes."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied


def desk_page(request: HttpRequest) -> HttpResponse:
    """Show every table: whether it is down, and which of its forms are out."""
    must_read_downtimes(request)
    refusal = None
    if request.method == "POST":
        refusal = done(request, DESK_STEPS, {})
        if refusal is None:
            return redirect("admin:tables_gamingtable_downtimes")
    down = {downtime.table_id: downtime for downtime in open_downtimes()}
    tables = GamingTable.objects.select_related("lane", "progressive").order_by("code")
    rows = [
        {
            "table": table,
            "downtime": down.get(table.pk),
            "fresh": freshness_of(table),
            "forms": numbers_of(table),
        }
        for table in tables
    ]
    rows.sort(key=lambda row: row["downtime"] is None)
    ended = Downtime.objects.filter(end__isnull=False).select_related("table", "end__by", "by")
    context = {
        **base(request, "Downtime and paper forms", refusal),
        "rows": rows,
        "ended": ended.order_by("-end__at").annotate(entered=Count("entries"))[:ENDED_SHOWN],
    }
    return TemplateResponse(
        request, "tables/downtimes.html", context, status=200 if refusal is None else 409
    )


def numbers_of(table: GamingTable) -> str:
    """Write which forms of a table are out: 4 to 9, 12."""
    runs: list[list[int]] = []
    for number in forms_of(table).values_list("number", flat=True):
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(r[0]) if len(r) == 1 else f"{r[0]} to {r[-1]}" for r in runs)


def downtime_page(request: HttpRequest, downtime_id: int) -> HttpResponse:
    """Show a downtime: its forms, its readings, and what is missing before it can end."""
    must_read_downtimes(request)
    downtime = get_object_or_404(
        Downtime.objects.select_related("table__lane", "by", "end__by"), pk=downtime_id
    )
    refusal = None
    if request.method == "POST":
        refusal = done(request, STEPS, {"downtime_id": downtime.pk})
        if refusal is None:
            return redirect("admin:tables_gamingtable_downtime", downtime_id)
    ended = hasattr(downtime, "end")
    forms = with_state(PaperForm.objects.filter(table=downtime.table)).order_by("number")
    if ended:
        during = (downtime.recorded_at, downtime.end.at)
        forms = forms.filter(Q(entries__downtime=downtime) | Q(void__at__range=during)).distinct()
    context = {
        **base(request, f"{downtime.table.code} on paper", refusal),
        "downtime": downtime,
        "ended": ended,
        "forms": forms.prefetch_related("entries__decision__by", "entries__by"),
        "readings": readings_of(downtime),
        "missing": [] if ended else missing_of(downtime),
        "fresh": freshness_of(downtime.table),
    }
    return TemplateResponse(
        request, "tables/downtime.html", context, status=200 if refusal is None else 409
    )


def base(request: HttpRequest, title: str, refusal: Exception | None) -> dict[str, Any]:
    """Return what every page here needs."""
    return {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": title,
        "refusal": refusal,
        "now": timezone.now(),
        "may_run": request.user.has_perm(RUN),
        "may_confirm": request.user.has_perm(CONFIRM),
    }


# ---- the steps ------------------------------------------------------------------------------


def done(
    request: HttpRequest, steps: Mapping[str, Step], of: Mapping[str, Any]
) -> Mistyped | ProgressiveError | None:
    """Do what was asked for; return why it was refused, None where it was done."""
    step = steps.get(posted(StepForm, request).choices()["deed"])
    if step is None:
        return Said("deed", "Choose what to do.")
    try:
        said = step.take(by=request.user, **of, **posted(step.form, request).read())
    except (Mistyped, ProgressiveError) as refusal:
        return refusal
    messages.success(request, said)
    return None


def begin(**asked: Any) -> str:
    made = begin_downtime(**asked)
    return f"{made.table.code} is down: it takes no progressive wagers."


def issue(**asked: Any) -> str:
    made = issue_forms(**asked)
    return f"Forms {made[0].number} to {made[-1].number} are issued."


def void(*, downtime_id: int, **asked: Any) -> str:
    made = void_forms(**asked)
    return f"Void: {', '.join(str(one.form.number) for one in made)}."


def read(**asked: Any) -> str:
    made = read_meters(**asked)
    differ = sum(reading.exception_id is not None for reading in made)
    return (
        "Read: it agrees." if not differ else "Read: it differs. Somebody must own the exception."
    )


def end(**asked: Any) -> str:
    ended = end_downtime(**asked)
    return f"The downtime of {ended.downtime.table.code} has ended."


DESK_STEPS = {"begin": Step(BeginForm, begin), "issue": Step(IssueForm, issue)}
STEPS = {
    "issue": Step(IssueForm, lambda downtime_id, **asked: issue(**asked)),
    "void": Step(VoidForm, void),
    "read": Step(ReadingsForm, read),
    "end": Step(EndForm, end),
}
