"""A round entered from a paper form, and the second person who compares it with the paper."""

import json
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse

from audit.services import record_one
from audit.web.forms import Mistyped, posted
from progressives.errors import ProgressiveError
from tables.doorbell import doorbell
from tables.models import Downtime, Facility, FormEntry, GamingTable, PaperForm
from tables.pad_pdf import Pad, draw_pad
from tables.pages.downtime import base, must_read_downtimes
from tables.pages.forms.paper import AnswerForm, EntryForm, wagers_of
from tables.rules.games import definition_of
from tables.services.paper import RUN, confirm_entry, enter_form, forms_of, reject_entry


def enter_page(request: HttpRequest, downtime_id: int, number: int) -> HttpResponse:
    """Show an empty round to fill in from the paper; what was refused is shown as it was given."""
    must_read_downtimes(request)
    downtime = get_object_or_404(Downtime.objects.select_related("table"), pk=downtime_id)
    paper = get_object_or_404(PaperForm, number=number, table=downtime.table)
    form, refusal = posted(EntryForm, request, table=downtime.table), None
    if request.method == "POST":
        try:
            entry = enter_form(number=number, by=request.user, **form.read())  # type: ignore[arg-type]
        except (Mistyped, ProgressiveError) as found:
            refusal = found
        else:
            messages.success(request, f"Form {number} is entered. Another person confirms it.")
            return redirect("admin:tables_gamingtable_downtime", entry.downtime_id)
    context = {
        **base(request, f"Form {number}", refusal),
        "downtime": downtime,
        "form": paper,
        "given": form.data,
        "wagers": wagers_of(downtime.table),
        "seats": form.seats(),
    }
    return TemplateResponse(
        request, "tables/form_enter.html", context, status=200 if refusal is None else 422
    )


def entry_page(request: HttpRequest, entry_id: int) -> HttpResponse:
    """Show an entry beside the paper; another person confirms it or sends it back."""
    must_read_downtimes(request)
    entry = get_object_or_404(
        FormEntry.objects.select_related("form__table", "downtime", "by", "decision__by"),
        pk=entry_id,
    )
    refusal = None
    if request.method == "POST":
        try:
            said = decide(request.user, entry, **posted(AnswerForm, request).read())
        except (Mistyped, ProgressiveError) as found:
            refusal = found
        else:
            messages.success(request, said)
            return redirect("admin:tables_gamingtable_downtime", entry.downtime_id)
    decided = getattr(entry, "decision", None)
    context = {
        **base(request, f"Form {entry.form.number}, round {entry.document['round']}", refusal),
        "entry": entry,
        "document": entry.document,
        "occurred_at": datetime.fromisoformat(entry.document["occurred_at"]),
        "positions": [seen(seat) for seat in entry.document.get("positions", ())],
        "decided": decided,
        "own": entry.by_id == request.user.pk,
    }
    return TemplateResponse(
        request, "tables/form_entry.html", context, status=200 if refusal is None else 409
    )


def seen(seat: dict[str, Any]) -> dict[str, Any]:
    """Return a position as the page shows it; what has no column of its own as JSON."""
    own = ("position", "player", "cards", "low", "wagers")
    rest = {key: value for key, value in seat.items() if key not in own}
    return {
        **{key: seat.get(key, "") for key in own},
        "wagers": list(seat.get("wagers", {}).items()),
        "rest": json.dumps(rest) if rest else "",
    }


def decide(by: Any, entry: FormEntry, deed: str, reason: str) -> str:
    """Confirm the entry or send it back, as asked."""
    if deed == "confirm":
        made, lane_id = confirm_entry(entry_id=entry.pk, by=by)
        transaction.on_commit(lambda: doorbell.press({lane_id}), robust=True)
        return f"Form {made.entry.form.number} is confirmed and waits for its turn."
    reject_entry(entry_id=entry.pk, by=by, reason=reason)
    return f"Form {entry.form.number} is sent back to be entered again."


def pad_page(request: HttpRequest, code: str) -> HttpResponse:
    """Return a table's open forms to be printed; the log says who took them."""
    must_read_downtimes(request)
    if not request.user.has_perm(RUN):
        raise PermissionDenied
    table = get_object_or_404(GamingTable, code=code)
    numbers = list(forms_of(table).values_list("number", flat=True))
    if not numbers:
        raise Http404
    definition, facility = definition_of(table.game), Facility.objects.get(pk=1)
    wagers = tuple(name for _, name in wagers_of(table)) or ("Wagers",)
    title = definition.title if definition else table.game
    pad = Pad(facility.name, table.code, title, table.positions, wagers)
    content = draw_pad(pad, numbers)
    facts = {"first": numbers[0], "last": numbers[-1], "forms": len(numbers),
             "sha256": sha256(content).hexdigest()}  # fmt: skip
    record_one("tables.forms_printed", table.code, facts, by=request.user)  # type: ignore[arg-type]
    name = f'attachment; filename="forms-{table.code}.pdf"'
    headers = {"Content-Disposition": name}
    return HttpResponse(content, content_type="application/pdf", headers=headers)
