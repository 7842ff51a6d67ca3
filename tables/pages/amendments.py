"""Amendments of settled rounds: propose a corrected document, see what it changes, decide."""

import json
import re
from itertools import zip_longest
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from audit.admin import RecordAdmin
from audit.canonical import parse
from audit.web.forms import Mistyped, posted
from progressives.errors import DocumentRefused, ProgressiveError
from tables import rules
from tables.models import AmendmentDecision, Round, RoundAmendment
from tables.pages.forms.amendments import DecisionForm, ProposalForm
from tables.services.amended_round import find_original
from tables.services.amendments import (
    approve_amendment,
    may_amend,
    propose_amendment,
    refuse_amendment,
)

VIEW = "tables.view_roundamendment"
LONGEST_DOCUMENT = 200_000  # bytes
PLAIN_LIST = re.compile(r'\[\s*"[^\[\]{}]*\]')


def propose_page(request: HttpRequest, round_id: UUID) -> HttpResponse:
    """Show the round's own document to be corrected, and propose what was made of it."""
    if not request.user.has_perm(VIEW) or not may_amend(request.user, "propose"):  # type: ignore[arg-type]
        raise PermissionDenied
    found = get_object_or_404(Round.objects.select_related("table"), pk=round_id)
    if found.state != Round.State.SETTLED:
        raise Http404
    form, refusal, raw = posted(ProposalForm, request), None, b""
    if request.method == "POST":
        try:
            typed = form.read()
            raw = raw_document(typed["document"], typed["upload"])
            made = propose(request.user, found, raw, typed["reason"])
        except (Mistyped, ProgressiveError) as refused:
            refusal = refused
        else:
            messages.success(request, "Proposed. Another person decides on it.")
            return redirect("admin:tables_roundamendment_change", made.pk)
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"Amend {found.table.code}, round {found.number}",
        "found": found,
        "document": raw.decode(errors="replace") or as_text(find_original(found).document),
        "given": form.data,
        "refusal": refusal,
    }
    status = 200 if refusal is None else 409
    return TemplateResponse(request, "tables/amend.html", context, status=status)


def raw_document(text: str | None, upload: UploadedFile | None) -> bytes:
    """Return the document that was sent, a file before what was typed."""
    return (text or "").encode() if upload is None else upload.read(LONGEST_DOCUMENT + 1)


def propose(officer: Any, found: Round, raw: bytes, reason: str) -> RoundAmendment:
    """Read the corrected document as strictly as the intake does, and propose it."""
    if len(raw) > LONGEST_DOCUMENT:
        raise DocumentRefused("too_long", "", "This document is too long for a round.")
    try:
        document = rules.read_json(raw)
    except rules.Refusal as refusal:
        raise DocumentRefused(refusal.code, refusal.path, refusal.detail) from refusal
    if not isinstance(document, dict):
        raise DocumentRefused("wrong_type", "", "This must be an object.")
    return propose_amendment(round_id=found.pk, document=document, officer=officer, reason=reason)


def as_text(document: Any) -> str:
    """Write a document for people who correct it."""
    text = json.dumps(document, indent=1, ensure_ascii=False)
    return PLAIN_LIST.sub(lambda found: " ".join(found[0].split()), text)  # cards in a row


def amendment_page(request: HttpRequest, amendment_id: int) -> HttpResponse:
    """Show what an amendment changes, and let another person decide on it."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied
    amendments = RoundAmendment.objects.select_related(
        "round__table", "proposed_by", "decision__by"
    )
    amendment = get_object_or_404(amendments, pk=amendment_id)
    form, refusal = posted(DecisionForm, request), None
    if request.method == "POST":
        try:
            decide(request.user, amendment, **form.read())
        except (Mistyped, ProgressiveError) as refused:
            refusal = refused
        else:
            messages.success(request, "Decided.")
            return redirect(request.path)
    decided = AmendmentDecision.objects.select_related("by").filter(amendment=amendment).first()
    own = amendment.proposed_by_id == request.user.pk
    before = find_original(amendment.round).document if decided is None else None
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"Version {amendment.version} of {amendment.round.table.code},"
        f" round {amendment.round.number}",
        "amendment": amendment,
        "decided": decided,
        "own": own and decided is None,
        "may_decide": decided is None and not own and may_amend(request.user, "approve"),  # type: ignore[arg-type]
        "corrections": corrections(before, parse(bytes(amendment.document))) if before else [],
        "effects": amendment.effects,
        "refusal": refusal,
        "given": form.data,
    }
    status = 200 if refusal is None else 409
    return TemplateResponse(request, "tables/amendment.html", context, status=status)


def decide(
    officer: Any, amendment: RoundAmendment, approve: bool, digest: str, remark: str
) -> AmendmentDecision:
    """Approve or refuse, as the button says."""
    if approve:
        return approve_amendment(
            amendment_id=amendment.pk, officer=officer, digest=digest, remark=remark
        )
    return refuse_amendment(amendment_id=amendment.pk, officer=officer, remark=remark)


def corrections(before: Any, after: Any, place: str = "") -> list[tuple[str, str, str]]:
    """Return (place, was, is) of each value that a document says otherwise."""
    if isinstance(before, dict) and isinstance(after, dict):
        start = f"{place}, " if place else ""
        keys = sorted({*before, *after})
        told = [(f"{start}{key}", before.get(key), after.get(key)) for key in keys]
    elif isinstance(before, list) and isinstance(after, list) and is_of_objects(before, after):
        told = [
            (seat_or_number(place, number, was or now), was, now)
            for number, (was, now) in enumerate(zip_longest(before, after))
        ]
    else:
        return [] if before == after else [(place, in_words(before), in_words(after))]
    return [found for where, was, now in told for found in corrections(was, now, where)]


def seat_or_number(place: str, number: int, item: dict[str, Any]) -> str:
    """Return where an item of a list stands: a position by its own number."""
    if place == "positions" and "position" in item:
        return f"position {item['position']}"
    return f"{place}[{number}]"


def is_of_objects(before: list[Any], after: list[Any]) -> bool:
    return all(isinstance(item, dict) for item in [*before, *after])


def in_words(value: Any) -> str:
    """Write a value for a person: cards in a row, nothing as such."""
    if value is None:
        return "–"
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " ".join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def amendments_of(found: Round) -> SafeString | str:
    """Write a round's amendments as links, and the way to propose one."""
    rows = RoundAmendment.objects.filter(round=found).select_related("decision").order_by("pk")
    lines = format_html_join(
        "",
        '<div><a class="row-link" href="{}">Version {}, {}</a></div>',
        (
            (
                reverse("admin:tables_roundamendment_change", args=[row.pk]),
                row.version,
                row.decision.get_kind_display().lower() if hasattr(row, "decision") else "proposed",
            )
            for row in rows
        ),
    )
    if found.state != Round.State.SETTLED:
        return lines or "–"
    link = reverse("admin:tables_roundamendment_propose", args=[found.pk])
    return format_html('{}<a class="row-link" href="{}">Propose an amendment</a>', lines, link)


@admin.register(RoundAmendment)
class RoundAmendmentAdmin(RecordAdmin):
    """Amendments as records; the pages where they are proposed and decided hang on them."""

    list_display = ["proposed_at", "place", "version", "proposed_by", "state"]
    list_display_links = ["place"]
    list_select_related = ["round__table", "proposed_by", "decision"]
    ordering = ["-pk"]

    @admin.display(description="round")
    def place(self, amendment: RoundAmendment) -> str:
        return f"{amendment.round.table.code}, {amendment.round.number}"

    @admin.display(description="decision")
    def state(self, amendment: RoundAmendment) -> str:
        decided = getattr(amendment, "decision", None)
        return decided.get_kind_display() if decided is not None else "waits"

    def get_urls(self) -> list[URLPattern]:
        own = self.admin_site.admin_view
        propose_url = path(
            "propose/<uuid:round_id>/", own(propose_page), name="tables_roundamendment_propose"
        )
        return [propose_url, *super().get_urls()]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if not object_id.isdecimal() or len(object_id) > 18:
            raise Http404
        return amendment_page(request, int(object_id))
