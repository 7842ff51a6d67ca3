"""What a round would have come to: choose a submission and readings, see what differs."""

from typing import Any, NamedTuple

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from audit.access import note_reading
from audit.models import User
from tables.models import RulesSubmission
from tables.pages.round import VIEW
from tables.rules import Submission
from tables.rules.choices import Choice, reading_choice
from tables.services.reconstruct import NotInTheLog
from tables.services.what_if import Answer, CannotAsk, what_if


class Asked(NamedTuple):
    """A reading on the form: its choice, and what is chosen."""

    choice: Choice
    chosen: str


def what_if_page(request: HttpRequest, table: str, number: int) -> HttpResponse:
    """Settle a round again as the address asks; without a question by its own rules."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied
    version = request.GET.get("submission") or None
    problem, answer = "", None
    try:
        own = what_if(table, number)
    except NotInTheLog as missing:
        raise Http404(str(missing)) from missing
    except CannotAsk as unknown:
        own, problem = None, str(unknown)
    game = own.submission.game if own else ""
    base = own.submission if own else None
    try:
        if version is not None:
            answer = what_if(table, number, version=version)
            base, game = answer.submission, answer.submission.game
        readings = readings_asked(request, base)
        answer = what_if(table, number, version=version, readings=readings) if base else None
    except CannotAsk as unknown:
        readings, problem, answer = {}, str(unknown), None
    facts = {"readings": readings, "submission": version}
    by = User.objects.get(pk=request.user.pk)
    note_reading("what_if", f"{table}/{number}", by=by, facts=facts)
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"{table}, round {number}: what if",
        "table": table,
        "number": number,
        "problem": problem,
        "answer": answer,
        "own": own,
        "version": version,
        "versions": RulesSubmission.objects.filter(game=game).order_by("effective"),
        "asked": asked_of(base, answer) if base else [],
    }
    return TemplateResponse(request, "tables/what_if.html", context)


def readings_asked(request: HttpRequest, base: Submission | None) -> dict[str, str]:
    """Return the readings that are to be taken otherwise than the submission takes them.

    The form sends every reading as it was shown; with another submission just chosen they are
    those of the one before (``of``), and its own hold.
    """
    chosen = request.GET.get("submission", "")
    if base is None or request.GET.get("of", chosen) != chosen:
        return {}
    return {
        name: request.GET[name]
        for name, taken in base.readings.items()
        if request.GET.get(name) and request.GET[name] != taken
    }


def asked_of(base: Submission, answer: Answer | None) -> list[Asked]:
    """Return the readings of which there is more than one, each with what is chosen."""
    taken = (answer.submission if answer else base).readings
    definition = base.definition
    return [
        Asked(reading_choice(reading), taken[reading.id])
        for reading in (definition.readings if definition else ())
        if reading.alternatives
    ]
