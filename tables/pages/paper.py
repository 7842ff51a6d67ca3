"""A round entered from a paper form, and the second person who compares it with the paper."""

import json
from datetime import datetime
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse

from audit.services import record_one
from progressives.errors import ProgressiveError
from tables.doorbell import doorbell
from tables.downtime_errors import Said
from tables.models import Downtime, Facility, FormEntry, GamingTable, PaperForm
from tables.pad_pdf import Pad, draw_pad
from tables.pages.downtime import base, moment_of, must_read_downtimes, number_of, person
from tables.rules.games import definition_of
from tables.services.paper import RUN, confirm_entry, enter_form, forms_of, reject_entry

BY_OTHER_MEANS = frozenset("super_on red_black bet options_fee".split())  # told under "more"
CENT = Decimal("0.01")


def enter_page(request: HttpRequest, downtime_id: int, number: int) -> HttpResponse:
    """Show an empty round to fill in from the paper; what was refused is shown as it was given."""
    must_read_downtimes(request)
    downtime = get_object_or_404(Downtime.objects.select_related("table"), pk=downtime_id)
    form = get_object_or_404(PaperForm, number=number, table=downtime.table)
    refusal = None
    if request.method == "POST":
        try:
            told = document_of(request, downtime.table)
            entry = enter_form(number=number, document=told, by=person(request))
        except ProgressiveError as found:
            refusal = found
        else:
            messages.success(request, f"Form {number} is entered. Another person confirms it.")
            return redirect("admin:tables_gamingtable_downtime", entry.downtime_id)
    context = {
        **base(request, f"Form {number}", refusal),
        "downtime": downtime,
        "form": form,
        "given": request.POST,
        "wagers": wagers_of(downtime.table),
        "seats": seats_of(request, downtime.table),
    }
    return TemplateResponse(
        request, "tables/form_enter.html", context, status=200 if refusal is None else 422
    )


def wagers_of(table: GamingTable) -> list[tuple[str, str]]:
    """Return the wagers of a table's game that are one sum, with their names."""
    definition = definition_of(table.game)
    if definition is None:
        return []
    return [
        (wager.kind, wager.name.removesuffix(" Wager"))
        for wager in definition.wagers
        if wager.kind not in BY_OTHER_MEANS
    ]


def seats_of(request: HttpRequest, table: GamingTable) -> list[dict[str, Any]]:
    """Return the table's positions with what was given for each."""
    given, kinds = request.POST, [kind for kind, _ in wagers_of(table)]
    return [
        {
            "position": n,
            "player": given.get(f"player:{n}", ""),
            "cards": given.get(f"cards:{n}", ""),
            "low": given.get(f"low:{n}", ""),
            "more": given.get(f"more:{n}", ""),
            "wagers": [(kind, given.get(f"{kind}:{n}", "")) for kind in kinds],
        }
        for n in range(1, table.positions + 1)
    ]


def document_of(request: HttpRequest, table: GamingTable) -> dict[str, Any]:
    """Read the page into a round document; the rules themselves say what is wrong with it."""
    given = request.POST
    told: dict[str, Any] = {
        "type": "void" if given.get("cite", "").strip() else "round",
        "round": number_of(given.get("round", ""), "round"),
        "occurred_at": moment_of(given.get("occurred_at", ""), "occurred_at").isoformat(),
    }
    positions = [
        seat for n in range(1, table.positions + 1) if (seat := seat_of(request, table, n))
    ]
    if told["type"] == "void":
        told["irregularity"] = {"cite": given["cite"].strip()}
    if positions or told["type"] == "round":
        told["positions"] = positions
    if dealer := cards_of(given.get("dealer_cards", "")):
        told["dealer_hand"] = {"cards": dealer}
        if low := cards_of(given.get("dealer_low", "")):
            told["dealer_hand"]["low"] = low
    for key in ("dealer", "floorperson"):
        if given.get(key, "").strip():
            told[key] = given[key].strip()
    return told


def seat_of(request: HttpRequest, table: GamingTable, n: int) -> dict[str, Any]:
    """Read one position; an empty one is none."""
    given, seat = request.POST, dict[str, Any]()
    more = more_of(given.get(f"more:{n}", ""), n)
    wagers = {
        kind: dollars_of(text)
        for kind, _ in wagers_of(table)
        if (text := given.get(f"{kind}:{n}", "").strip())
    }
    for key in ("cards", "low"):
        if found := cards_of(given.get(f"{key}:{n}", "")):
            seat[key] = found
    if given.get(f"player:{n}", "").strip():
        seat["player"] = given[f"player:{n}"].strip()
    if wagers or more.get("wagers"):
        seat["wagers"] = {**wagers, **more.pop("wagers", {})}
    seat |= more
    return {"position": n, **seat} if seat else {}


def more_of(text: str, n: int) -> dict[str, Any]:
    """Read what the fields do not hold, as the round document writes it."""
    if not text.strip():
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):  # the second: brackets in brackets, thousands of them
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("wagers", {}), dict):
        raise Said(f"positions[{n}]", f"Position {n}: what is more is a JSON object.")
    return found


def cards_of(text: str) -> list[str]:
    """Read cards as people write them: as KS 10d jk."""
    words = text.upper().replace(",", " ").replace("JOKER", "JK").split()
    return ["T" + word[2:] if word[:2] == "10" else word for word in words]


def dollars_of(text: str) -> str:
    """Write a sum as the format does; what is no sum stays for the rules to refuse."""
    try:
        amount = Decimal(text.removeprefix("$").replace(",", ""))
        exact = amount.quantize(CENT)
    except InvalidOperation:
        return text
    return str(exact) if exact == amount else text


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
            said = decide(request, entry)
        except ProgressiveError as found:
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


def decide(request: HttpRequest, entry: FormEntry) -> str:
    """Confirm the entry or send it back, as asked."""
    if request.POST.get("deed") == "confirm":
        made, lane_id = confirm_entry(entry_id=entry.pk, by=person(request))
        transaction.on_commit(lambda: doorbell.press({lane_id}), robust=True)
        return f"Form {made.entry.form.number} is confirmed and waits for its turn."
    reason = request.POST.get("reason", "")
    reject_entry(entry_id=entry.pk, by=person(request), reason=reason)
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
    record_one("tables.forms_printed", table.code, facts, by=person(request))
    name = f'attachment; filename="forms-{table.code}.pdf"'
    headers = {"Content-Disposition": name}
    return HttpResponse(content, content_type="application/pdf", headers=headers)
