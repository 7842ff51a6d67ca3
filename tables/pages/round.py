"""The round page: the drawn table, the steps, what was due and paid; and a patron's own copy."""

from typing import Any, NamedTuple

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.dateparse import parse_datetime

from audit.access import note_reading
from audit.models import ExceptionRecord, User
from progressives.models import JackpotClaim
from tables.felt import lay_out, seats_of
from tables.rules import Submission
from tables.rules.games import definition_of
from tables.rules.paytables import GameDefinition
from tables.services.disagreements import disagreements
from tables.services.reconstruct import NotInTheLog, reconstruct
from tables.services.submission_of import find_submission
from tables.story import Story, story_of

VIEW = "tables.view_round"
WIDE, NARROW = 6, 3  # positions side by side


class Seen(NamedTuple):
    """A round as it was read for a page: what was told, its story, game and submission."""

    told: dict[str, Any]
    story: Story
    definition: GameDefinition | None
    submission: Submission | None


def read_round(request: HttpRequest, table: str, number: int, screen: str) -> Seen:
    """Read a round from the log, and let the log say who did."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied
    try:
        told = reconstruct(table, number)
    except NotInTheLog as missing:
        raise Http404(str(missing)) from missing
    by = User.objects.get(pk=request.user.pk)
    note_reading(screen, f"{table}/{number}", by=by)
    definition = definition_of(told["game"]) if told["game"] else None
    submission = find_submission(told["game"], told["rules"]) if told["rules"] else None
    readings = dict(submission.readings) if submission else {}
    story = story_of(told, definition.chapter if definition else "", readings)
    return Seen(told, story, definition, submission)


def round_page(request: HttpRequest, table: str, number: int) -> HttpResponse:
    """Show a round to whoever may read rounds."""
    seen = read_round(request, table, number, "round")
    story, told, definition = seen.story, seen.told, seen.definition
    positions = definition.positions if definition else 6
    found = disagreements(told)
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"{table}, round {number}",
        "told": told,
        "story": story,
        "game": definition.title if definition else told["game"],
        "submission": seen.submission,
        "wide": lay_out(story, positions, positions if positions < WIDE else WIDE),
        "narrow": lay_out(story, positions, NARROW),
        "disagreements": found,
        "times": times_of(story),
        "people": people_of(story),
        "seats": sorted(seats_of(story), reverse=True),
        "claims": JackpotClaim.objects.filter(round_id=told["round_id"]).order_by("-position"),
        "exceptions": ExceptionRecord.objects.filter(table=table, round=number).order_by("pk"),
    }
    return TemplateResponse(request, "tables/round.html", context)


def times_of(story: Story) -> list[tuple[str, Any]]:
    """Return the moments of a round that somebody told, in their order."""
    first, dealt = story.first, story.dealt
    marks = {**first.get("marks", {}), **dealt.get("marks", {})}
    found = [("Lock-out", first.get("occurred_at"))]
    found += [(name.replace("_", " ").capitalize(), at) for name, at in marks.items()]
    last = next((f for f in reversed(story.frames) if f.key in ("end", "void")), None)
    if last is not None:
        found.append(("Void" if last.key == "void" else "Settled", last.when))
        found.append(("In the log", last.log.get("recorded_at")))
    times = [(name, parse_datetime(at)) for name, at in found if at]
    return sorted(times, key=lambda pair: (pair[1] is None, pair[1]))


def people_of(story: Story) -> list[tuple[str, str]]:
    """Return who was at the table: the staff codes that were told."""
    told = {**story.first, **{k: v for k, v in story.dealt.items() if v}}
    roles = (("Dealer", "dealer"), ("Floorperson", "floorperson"))
    return [(name, told[key]) for name, key in roles if told.get(key)]


def patron_page(request: HttpRequest, table: str, number: int, position: int) -> HttpResponse:
    """Show one position's own part of a round: what may be handed to its player.

    Nobody else's cards, amounts, player ids or staff codes are on it.
    """
    seen = read_round(request, table, number, f"patron's copy, position {position}")
    seats = seats_of(seen.story)
    if position not in seats:
        raise Http404
    story = seen.story
    amended = [frame for frame in story.frames if frame.key == "amended"]
    shown = amended[-1:] or story.frames  # of an amended round what holds now
    lines = [line for frame in shown for line in frame.lines if line.line["position"] == position]
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": f"{table}, round {number}, position {position}",
        "told": seen.told,
        "game": seen.definition.title if seen.definition else seen.told["game"],
        "seat": seats[position],
        "position": position,
        "wagers": wagers_of(seats[position]),
        "dealer": story.dealer,
        "void": [note for frame in story.frames if frame.key == "void" for note in frame.notes],
        "lines": lines,
        "times": [pair for pair in times_of(story) if pair[0] in ("Lock-out", "Settled", "Void")],
        "payments": [row for row in story.payments if row.position == position],
    }
    return TemplateResponse(request, "tables/patron.html", context)


def wagers_of(seat: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return a position's own wagers: kind, what it is on, amount."""
    found = []
    for kind, told in seat["wagers"].items():
        if not isinstance(told, dict):
            found.append((kind, "", told))
        elif "amount" in told:
            found.append((kind, str(told.get("on", "")), told["amount"]))
        else:
            found += [(kind, on, amount) for on, amount in told.items() if on[:1] != "_"]
    return found
