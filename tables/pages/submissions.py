"""Rules submissions: the list, each one's page, the proposal, the decision, the comparison."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from audit.admin import RecordAdmin
from audit.web.forms import Mistyped, in_address, posted
from tables.models import Round, RulesSubmission, SubmissionApproval
from tables.pages.form import fields_of, read_choices
from tables.pages.forms.submissions import (
    ChoicesForm,
    ComparisonForm,
    DecisionForm,
    ProposalForm,
    StartForm,
)
from tables.rules import GAMES, Refusal
from tables.rules.choices import Choice, choices_of, lines_of
from tables.rules.games import definition_of
from tables.rules.paytables import GameDefinition
from tables.rules.samples import read_sample
from tables.services.submissions import (
    APPROVE,
    PROPOSE,
    SubmissionError,
    approve_submission,
    in_force,
    propose_submission,
    refuse_submission,
    today,
)

VIEW = "tables.view_rulessubmission"
SAMPLE = "Sample, not from the regulation"
LIST = "admin:tables_rulessubmission_changelist"
STATES = {
    "proposed": "Waits for a second person",
    "refused": "Refused",
    "coming": "Approved, not yet in force",
    "in_force": "In force",
    "past": "Was in force",
}


@admin.register(RulesSubmission)
class RulesSubmissionAdmin(RecordAdmin):
    """Submissions as records; proposing, deciding and comparing hang on the same address."""

    list_display = ["title", "named", "effective", "state", "proposed_by", "decided_by"]
    list_display_links = ["named"]
    list_filter = ["game"]
    list_select_related = ["proposed_by", "approval__by"]
    ordering = ["game", "-effective", "-pk"]
    change_list_template = "tables/submissions.html"

    @admin.display(description="game", ordering="game")
    def title(self, found: RulesSubmission) -> str:
        return title_of(found.game)

    @admin.display(description="version", ordering="version")
    def named(self, found: RulesSubmission) -> SafeString | str:
        return marked(found.version) if found.choices.get("sample") else found.version

    @admin.display(description="state")
    def state(self, found: RulesSubmission) -> SafeString:
        state = state_of(found)
        return format_html('<span class="state {}">{}</span>', state, STATES[state])

    @admin.display(description="decided by")
    def decided_by(self, found: RulesSubmission) -> str:
        approval = getattr(found, "approval", None)
        if approval is None:
            return ""
        return str(approval.by) if approval.by else "the set-up"

    def get_urls(self) -> list[URLPattern]:
        own = self.admin_site.admin_view
        return [
            path("propose/", own(propose_page), name="tables_rulessubmission_propose"),
            path("compare/", own(compare_page), name="tables_rulessubmission_compare"),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        extra = {
            "games": [(game, title_of(game)) for game in GAMES],
            "may_propose": request.user.has_perm(PROPOSE),
        }
        return super().changelist_view(request, {**extra, **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if not object_id.isdecimal() or len(object_id) > 18:  # no row's number is longer
            raise Http404
        return submission_page(request, int(object_id))


def marked(text: str) -> SafeString:
    """Write what belongs to a sample submission with its mark."""
    return format_html('{} <span class="sample">{}</span>', text, SAMPLE)


def settled_by_a_sample(found: Round) -> bool:
    """Whether a round was settled by figures that only a sample has.

    Only a game whose own figures are not at hand can be; its rounds name the submission's digest.
    """
    definition = definition_of(found.game)
    if definition is None or not definition.needs_submission:
        return False
    digest = found.rules.rpartition(" ")[2]
    by = RulesSubmission.objects.filter(game=found.game, digest__startswith=digest)
    return by.filter(choices__sample=True).exists()


def must_view(request: HttpRequest) -> None:
    """Refuse whoever may not read submissions."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied


def title_of(game: str) -> str:
    """Return the game's name as its chapter has it."""
    definition = definition_of(game)
    return definition.title if definition else game


def definition_or_404(game: str) -> GameDefinition:
    """Return the game's definition; an address that names no game leads nowhere."""
    definition = definition_of(game) if game in GAMES else None
    if definition is None:
        raise Http404
    return definition


def state_of(found: RulesSubmission) -> str:
    """Return how far a submission has come: see ``STATES``."""
    approval = getattr(found, "approval", None)
    if approval is None:
        return "proposed"
    if approval.kind == SubmissionApproval.Kind.REFUSED:
        return "refused"
    if found.effective > today():
        return "coming"
    return "in_force" if in_force(found.game, today()) == found else "past"


def rows_of(
    definition: GameDefinition, now: Mapping[str, Any], before: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """Return one row a choice: what holds now, what held before, and whether that differs."""
    return [row_of(choice, now, before) for choice in choices_of(definition)]


def row_of(
    choice: Choice, now: Mapping[str, Any], before: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return one choice's row; a line that is not in the other version is marked."""
    lines = lines_of(choice, now)
    held = lines if before is None else lines_of(choice, before)
    sentence = next((o.sentence for o in choice.options if [o.label] == lines), "")
    return {
        "choice": choice,
        "now": [(line, line not in held) for line in lines],
        "before": [(line, line not in lines) for line in held],
        "changed": lines != held,
        "sentence": f"{choice.sentence} {sentence}".strip(),
    }


def submission_page(request: HttpRequest, submission_id: int) -> HttpResponse:
    """Show a submission beside what it changes; the second person decides here."""
    must_view(request)
    found = get_object_or_404(
        RulesSubmission.objects.select_related("proposed_by", "approval__by"), pk=submission_id
    )
    refusal = None
    if request.method == "POST":
        try:
            done = decide(request, found)
        except (Mistyped, SubmissionError, Refusal) as refused:
            refusal = getattr(refused, "detail", str(refused))
        else:
            messages.success(request, done)
            return redirect(LIST)
    state = state_of(found)
    before = in_force(found.game, found.effective - timedelta(days=1))
    definition = definition_or_404(found.game)
    may_decide = (
        state == "proposed"
        and request.user.has_perm(APPROVE)
        and found.proposed_by_id != request.user.pk
    )
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"{definition.title}, {found.version}",
        "found": found,
        "state": state,
        "state_words": STATES[state],
        "sample": SAMPLE if found.choices.get("sample") else "",
        "before": before if before != found else None,
        "rows": sorted(
            rows_of(definition, found.choices, before.choices if before else None),
            key=lambda row: not row["changed"],  # what changes is what is decided on
        ),
        "may_decide": may_decide,
        "own": state == "proposed" and found.proposed_by_id == request.user.pk,
        "may_propose": request.user.has_perm(PROPOSE),
        "refusal": refusal,
        "given": posted(DecisionForm, request).data,
    }
    status = 200 if refusal is None else 409
    return TemplateResponse(request, "tables/submission.html", context, status=status)


def decide(request: HttpRequest, found: RulesSubmission) -> str:
    """Take the decision that the form's button names."""
    typed = posted(DecisionForm, request).read()
    asked = {"submission_id": found.pk, "by": request.user, "remark": typed["remark"]}
    if typed["refuse"]:
        refuse_submission(**asked)
        return f"Refused: {found.version}."
    if not typed["approve"]:
        raise PermissionDenied
    approve_submission(**asked)
    return f"Approved: {found.version} is in force from {found.effective} on."


def propose_page(request: HttpRequest) -> HttpResponse:
    """Ask for every choice of a game, each explained, and record the proposal."""
    must_view(request)
    if not request.user.has_perm(PROPOSE):
        raise PermissionDenied
    start = in_address(StartForm, request).choices()
    definition = definition_or_404(start["game"])
    base = base_of(start["from"], definition)
    form, choices, refusal = posted(ProposalForm, request), base, None
    if request.method == "POST":
        try:
            chosen = posted(ChoicesForm, request, definition=definition).read()
            choices = read_choices(definition, chosen, base)
            made = propose_submission(
                game=definition.name,
                choices=choices,
                by=request.user,  # type: ignore[arg-type]
                **form.read(),
            )
        except (Mistyped, SubmissionError, Refusal) as refused:
            refusal = refused
        else:
            messages.success(request, f"Proposed: {made.version}. Another person approves it.")
            return redirect("admin:tables_rulessubmission_change", made.pk)
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"Propose rules: {definition.title}",
        "game": definition.name,
        "needs_submission": definition.needs_submission,
        "sample": SAMPLE if choices.get("sample") else "",
        "groups": fields_of(definition, choices),
        "tomorrow": today() + timedelta(days=1),
        "refusal": refusal,
        "given": form.data,
    }
    status = 200 if refusal is None else 409
    return TemplateResponse(request, "tables/propose.html", context, status=status)


def base_of(submission_id: int | None, definition: GameDefinition) -> Mapping[str, Any]:
    """Return the choices that a proposal starts from: a version's, or what is in force.

    A game whose figures are not in the text starts from the sample, marked as one.
    """
    if submission_id is not None:
        chosen = get_object_or_404(RulesSubmission, pk=submission_id, game=definition.name)
        return dict(chosen.choices)
    held = in_force(definition.name, today())
    if held is None:
        return read_sample(definition.chapter) if definition.needs_submission else {}
    return dict(held.choices)


def compare_page(request: HttpRequest) -> HttpResponse:
    """Show two versions of one game side by side, what differs marked."""
    must_view(request)
    asked = in_address(ComparisonForm, request).choices()
    chosen = [get_object_or_404(RulesSubmission, pk=asked[side]) for side in ("a", "b")]
    first, second = chosen
    if first.game != second.game:
        raise Http404
    definition = definition_or_404(first.game)
    rows = rows_of(definition, second.choices, first.choices)
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"{definition.title}: {first.version} and {second.version}",
        "first": first,
        "second": second,
        "versions": RulesSubmission.objects.filter(game=first.game).order_by("-effective"),
        "rows": rows,
        "changes": sum(row["changed"] for row in rows),
        "samples": [SAMPLE if one.choices.get("sample") else "" for one in chosen],
        "back": reverse(LIST),
    }
    return TemplateResponse(request, "tables/compare.html", context)
