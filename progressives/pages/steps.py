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
from progressives.errors import ProgressiveError
from progressives.models import ClaimStep, JackpotClaim
from progressives.pages.claim import LONGEST_ID, frozen_facts
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
    VIDEO,
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
    """What a step's page is called, what it says when it is done, and how it is done."""

    title: str
    done: str
    take: Callable[[int, HttpRequest], object]


def validate(claim_id: int, request: HttpRequest) -> object:
    return validate_claim(
        claim_id=claim_id,
        officer=request.user,  # type: ignore[arg-type]
        checks=request.POST.getlist("checks"),
        statement=request.POST.get("statement", ""),
    )


def answer_for_surveillance(claim_id: int, request: HttpRequest) -> object:
    return answer_claim(
        claim_id=claim_id,
        officer=request.user,  # type: ignore[arg-type]
        answer=request.POST.get("answer", ""),
        reason=request.POST.get("reason", ""),
    )


def approve(claim_id: int, request: HttpRequest) -> object:
    return approve_claim(
        claim_id=claim_id,
        officer=request.user,  # type: ignore[arg-type]
        password=request.POST.get("password", ""),
        code=request.POST.get("code", ""),
        checks=request.POST.getlist("checks"),
    )


def document(claim_id: int, request: HttpRequest) -> object:
    return document_claim(
        claim_id=claim_id,
        officer=request.user,  # type: ignore[arg-type]
        payee=request.POST.get("payee", ""),
    )


def refuse(claim_id: int, request: HttpRequest) -> object:
    return refuse_claim(
        claim_id=claim_id,
        officer=request.user,  # type: ignore[arg-type]
        cite=request.POST.get("cite", ""),
        reason=request.POST.get("reason", ""),
    )


def pay(claim_id: int, request: HttpRequest) -> object:
    return pay_claim(
        claim_id=claim_id,
        officer=request.user,  # type: ignore[arg-type]
        checks=request.POST.getlist("checks"),
    )


def put_back(claim_id: int, request: HttpRequest) -> object:
    return return_refused_award(
        claim_id=claim_id,
        officer=request.user,  # type: ignore[arg-type]
        reason=request.POST.get("reason", ""),
    )


def dispute(claim_id: int, request: HttpRequest) -> object:
    clips = zip(*(request.POST.getlist(key) for key in VIDEO), strict=False)
    return dispute_claim(
        claim_id=claim_id,
        officer=request.user,  # type: ignore[arg-type]
        reason=request.POST.get("reason", ""),
        video=[dict(zip(VIDEO, clip, strict=True)) for clip in clips],
    )


def resolve(claim_id: int, request: HttpRequest) -> object:
    officer: Any = request.user
    reason = request.POST.get("reason", "")
    if request.POST.get("deed") == "confirm":
        return resolve_dispute(claim_id=claim_id, officer=officer, reason=reason)
    return propose_outcome(
        claim_id=claim_id,
        officer=officer,
        reason=reason,
        outcome=request.POST.get("outcome", ""),
        cite=request.POST.get("cite", ""),
    )


def void(claim_id: int, request: HttpRequest) -> object:
    officer: Any = request.user
    service = void_claim if request.POST.get("deed") == "confirm" else ask_void
    return service(claim_id=claim_id, officer=officer, reason=request.POST.get("reason", ""))


PAGES = {
    "validate": StepPage("Validate payout", "Validated", validate),
    "answer": StepPage("Surveillance's answer", "Answered", answer_for_surveillance),
    "approve": StepPage("Approve payout", "Approved", approve),
    "document": StepPage("Issue slip", "Slip issued", document),
    "refuse": StepPage("Refuse payout", "Refused", refuse),
    "pay": StepPage("Mark payout paid", "Marked paid", pay),
    "return": StepPage("Put award back on the meter", "Back on the meter", put_back),
    "dispute": StepPage("Raise a dispute", "Dispute raised, the round stands still", dispute),
    "resolve": StepPage("Resolve dispute", "Noted on the dispute", resolve),
    "void": StepPage("Void payout opened in error", "Noted on the void", void),
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
    if request.method == "POST":
        try:
            page.take(int(claim_id), request)
        except ProgressiveError as refused:
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
        "given": request.POST,
        "given_checks": request.POST.getlist("checks"),
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
            reason=request.POST.get("reason", ""),
        )
    except ProgressiveError as refused:
        messages.error(request, str(refused))
        return redirect("admin:progressives_jackpotclaim_change", claim_id)
    name = f"slip-{printed.slip}-copy-{printed.copy}.pdf"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "no-store",
    }
    return HttpResponse(printed.pdf, content_type="application/pdf", headers=headers)
