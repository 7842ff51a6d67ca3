"""The tables with their decks and dice, each on its clock, and the house way in force."""

from datetime import UTC, datetime
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from progressives.models import JackpotClaim
from progressives.selectors import cards_held
from tables.models import Facility, GamingTable, TableWatch
from tables.rules.games import definition_of
from tables.rules.watch.standing import clocks, notes
from tables.services.terms import TermsBook

VIEW = "tables.view_gamingtable"


def cards_page(request: HttpRequest) -> HttpResponse:
    """Show each table: what is on it since when, until when, and what has to be done."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied
    facility = Facility.objects.first()
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": "Cards, dice and devices",
        "rows": rows_of(facility) if facility else [],
        "now": timezone.now(),
    }
    return TemplateResponse(request, "tables/cards.html", context)


def rows_of(facility: Facility) -> list[dict[str, Any]]:
    """Return one row a table."""
    book, now = TermsBook(), timezone.now()
    states = dict(TableWatch.objects.values_list("table_id", "state"))
    warn_before, day = 60 * facility.warn_before_minutes, book.day.of(now).isoformat()
    found = []
    held = held_by_table()
    for table in GamingTable.objects.prefetch_related("equipment"):
        state = states.get(table.pk, {})
        definition = definition_of(table.game)
        found.append(
            {
                "table": table,
                "game": definition.title if definition else table.game,
                "dealer": state.get("dealer"),
                "clocks": [
                    {
                        **one._asdict(),
                        "since": at(one.since),
                        "until": at(one.until),
                        "seen": at(one.seen),
                    }
                    for one in clocks(state, table.game, now.timestamp(), warn_before)
                ],
                "notes": notes(state, table.game, day),
                "held": held.get(table.code, []),
                "equipment": [item for item in table.equipment.all() if not item.removed_on],
                "house_way": house_way(book, table, now),
            }
        )
    return found


def held_by_table() -> dict[str, list[JackpotClaim]]:
    """Return the payouts for which cards are held, by table."""
    found: dict[str, list[JackpotClaim]] = {}
    for claim in cards_held():
        found.setdefault(claim.table, []).append(claim)
    return found


def at(moment: int | None) -> datetime | None:
    """Return a moment of the watch as a moment of a page."""
    return None if moment is None else datetime.fromtimestamp(moment, UTC)


def house_way(book: TermsBook, table: GamingTable, now: datetime) -> str:
    """Return how the house sets its hands, where the submission in force says it in words."""
    told = book.at(table, now).submission.choices.get("house_way")
    return told if isinstance(told, str) else ""
