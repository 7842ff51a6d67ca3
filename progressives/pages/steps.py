"""The page of each step: it asks what must be asked, and calls the service."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from audit.second_factor import has_device
from audit.web.forms import Form, Mistyped, posted
from progressives.errors import ProgressiveError
from progressives.models import ClaimStep, JackpotClaim
from progressives.pages.claim import LONGEST_ID, frozen_facts
from progressives.pages.forms.claims import (
    AnswerForm,
    ApproveForm,
    ConfirmForm,
    DisputeForm,
    DocumentForm,
    PayForm,
    ReasonForm,
    RefuseForm,
    ResolveForm,
    ValidateForm,
)
from progressives.pages.queue import must_view
from progressives.pages.rows import Viewer, as_json, row_of
from progressives.paragraphs import chapter_of
from progressives.selectors import claims_with_steps
from progressives.services.claims import (
    needs_statement,
    pay_claim,
    refuse_claim,
    required_checks,
    required_to_pay,
    validate_claim,
)
from progressives.services.claims_approve import (
    answer_claim,
    approve_claim,
    required_to_approve,
    terms_now,
)
from progressives.services.claims_dispute import (
    OUTCOMES,
    dispute_claim,
    last_step,
    open_proposal,
    propose_outcome,
    resolve_dispute,
)
from progressives.services.claims_document import document_claim, print_slip
from progressives.services.claims_return import return_refused_award
from progressives.services.claims_void import ask_void, void_claim
from progressives.services.slips import tax_of
from progressives.templatetags.floor import dollars

QUEUE = "admin:progressives_jackpotclaim_queue"


@dataclass(frozen=True)
class StepPage:
    """What a step's page is called, what it says when it is done, its form and its service.

    The service takes the form's fields by their names.
    """

    title: str
    done: str
    form: type[Form]
    take: Callable[..., object]


def resolve(*, deed: str, outcome: str, cite: str, **step: Any) -> object:
    """Confirm the outcome that another person proposed, or propose one."""
    if deed == "confirm":
        return resolve_dispute(**step)
    return propose_outcome(**step, outcome=outcome, cite=cite)


def void(*, deed: str, **step: Any) -> object:
    """Confirm the void that another person asked for, or ask for it."""
    return void_claim(**step) if deed == "confirm" else ask_void(**step)


PAGES = {
    "validate": StepPage("Validate payout", "Validated", ValidateForm, validate_claim),
    "answer": StepPage("Surveillance's answer", "Answered", AnswerForm, answer_claim),
    "approve": StepPage("Approve payout", "Approved", ApproveForm, approve_claim),
    "document": StepPage("Issue slip", "Slip issued", DocumentForm, document_claim),
    "refuse": StepPage("Refuse payout", "Refused", RefuseForm, refuse_claim),
    "pay": StepPage("Mark payout paid", "Marked paid", PayForm, pay_claim),
    "return": StepPage(
        "Put award back on the meter", "Back on the meter", ReasonForm, return_refused_award
    ),
    "dispute": StepPage(
        "Raise a dispute", "Dispute raised, the round stands still", DisputeForm, dispute_claim
    ),
    "resolve": StepPage("Resolve dispute", "Noted on the dispute", ResolveForm, resolve),
    "void": StepPage("Void payout opened in error", "Noted on the void", ConfirmForm, void),
}


@sensitive_post_parameters("password", "code")
def step_page(request: HttpRequest, claim_id: str, verb: str) -> HttpResponse:
    """Ask and do one step. The queue's script posts here too and gets its row back."""
    viewer = must_view(request)
    if verb not in viewer.verbs:
        raise PermissionDenied
    if len(claim_id) > LONGEST_ID:
        raise Http404
    page, refusal = PAGES[verb], None
    form = posted(page.form, request)
    if request.method == "POST":
        try:
            page.take(claim_id=int(claim_id), officer=viewer.user, **form.read())
        except (Mistyped, ProgressiveError) as refused:
            refusal = refused
    claim = claims_with_steps().filter(pk=int(claim_id)).first()
    if claim is None:
        raise Http404
    done = request.method == "POST" and refusal is None
    told = f"{page.done}: {claim.table}, position {claim.position}, {dollars(claim.amount)}."
    if request.accepts("text/html") is False:
        return answer(claim, viewer, told if done else str(refusal), ok=done)
    if done:
        messages.success(request, told)
        return redirect(QUEUE)
    context = {
        **admin.site.each_context(request),
        **facts_of(claim, viewer, verb),
        "is_nav_sidebar_enabled": False,
        "title": page.title,
        "refusal": refusal,
        "given": form.data,
        "given_checks": form.data.getlist("checks"),
    }
    status = 200 if refusal is None else 409
    return TemplateResponse(request, f"progressives/{verb}.html", context, status=status)


CHECKS = {"pay": required_to_pay, "approve": required_to_approve}


def facts_of(claim: JackpotClaim, viewer: Viewer, verb: str) -> dict[str, Any]:
    """Return what the page of a step shows and asks."""
    chapter = chapter_of(claim.cite)
    return {
        "claim": claim,
        "row": row_of(claim, viewer),
        "now": timezone.now(),
        "chapter": chapter,
        "checks": CHECKS.get(verb, required_checks)(claim),
        "tax": tax_of(claim) if verb in ("document", "pay") else None,
        "asks_code": verb == "approve" and has_device(viewer.user),
        "needs_device": verb == "approve" and terms_now().second_factor_required,
        "asks_statement": verb == "validate" and needs_statement(claim),
        "paragraphs": chapter.refusals,
        "meter_after": after_return(claim) if verb in ("return", "void") else None,
        "frozen": frozen_facts(claim),
        **branch_facts(claim, viewer, verb),
    }


def branch_facts(claim: JackpotClaim, viewer: Viewer, verb: str) -> dict[str, Any]:
    """Return what waits for a second person in a branch, and which outcomes a dispute can have."""
    steps = list(claim.steps.all())
    if verb == "void":
        asked = [step for step in steps if step.kind == ClaimStep.Kind.VOID_ASKED]
        mine = bool(asked) and asked[-1].by_id == viewer.user.pk
        return {"asked": asked[-1] if asked and not mine else None}
    if verb != "resolve" or claim.state != JackpotClaim.State.DISPUTED:
        return {}
    proposal = open_proposal(claim)
    stood = last_step(claim, ClaimStep.Kind.DISPUTED).facts["from"]
    return {
        "outcomes": {
            code: said
            for code, said in OUTCOMES.items()
            if code != "refused" or stood != JackpotClaim.State.PAID
        },
        "proposal": proposal,
        "mine": proposal is not None and proposal.by_id == viewer.user.pk,
        "needs_cite": stood != JackpotClaim.State.REFUSED,
    }


def after_return(claim: JackpotClaim) -> Any:
    """Return where the meter would stand now with the award back on it."""
    if claim.meter is None:
        return None
    return claim.meter.value + claim.amount - claim.reset_put_in


def answer(claim: JackpotClaim, viewer: Viewer, message: str, *, ok: bool) -> JsonResponse:
    """Answer the script: what to say, and the row as it stands now."""
    body = {"ok": ok, "message": message, "row": as_json(row_of(claim, viewer))}
    return JsonResponse(body, status=200 if ok else 409)


@require_POST
def slip_page(request: HttpRequest, claim_id: str) -> HttpResponse:
    """Print the slip: each print is written down, so it is asked for and never just fetched."""
    must_view(request)
    try:
        printed = print_slip(
            claim_id=int(claim_id),
            officer=request.user,  # type: ignore[arg-type]
            **posted(ReasonForm, request).read(),
        )
    except (Mistyped, ProgressiveError) as refused:
        messages.error(request, str(refused))
        return redirect("admin:progressives_jackpotclaim_change", claim_id)
    name = f"slip-{printed.slip}-copy-{printed.copy}.pdf"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "no-store",
    }
    return HttpResponse(printed.pdf, content_type="application/pdf", headers=headers)
