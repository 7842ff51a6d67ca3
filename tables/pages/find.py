"""The search page: one form for whatever the investigator knows, and the rounds it finds."""

from decimal import Decimal
from typing import Any, NamedTuple
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, reverse

from tables.asking import FIELDS, FLAGS, read_asked
from tables.findable import DEALER, Seat
from tables.models import Facility, GamingTable, Round
from tables.rules import Refusal
from tables.rules.games import GAMES
from tables.services.finding import Match, Result, place_of, search

SEARCH = "tables.search_round"
HANDS = (
    *("five_aces", "royal_flush", "straight_flush", "four_of_a_kind", "full_house", "flush"),
    *("straight", "three_of_a_kind", "two_pair", "pair"),
)


class Row(NamedTuple):
    """A round of the list: where to look at it, and what is shown of it."""

    round: Round
    url: str
    seats: list[tuple[Seat, Decimal, Decimal]]  # with what was wagered there and what was due
    dealer_cards: str
    flags: list[str]


def find_page(request: HttpRequest) -> HttpResponse:
    """Ask for a search; with anything in the address, make it and show what it found."""
    if not request.user.has_perm(SEARCH):
        raise PermissionDenied
    told: dict[str, Any] = {name: request.GET.get(name, "") for name in FIELDS}
    told["flags"] = request.GET.getlist("flags")
    facility = Facility.objects.first()
    result, refusal = None, None
    if facility is not None and request.GET:
        try:
            result = searched(request, told, facility)
        except Refusal as found:
            refusal = found
    context = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": "Find a round",
        "told": told,
        "facility": facility,
        "tables": list(GamingTable.objects.values_list("code", flat=True)),
        "games": list(GAMES),
        "hands": HANDS,
        "flags": FLAGS,
        "refusal": refusal,
        "result": result,
        "rows": [row_of(match) for match in result.matches] if result else [],
        "next": next_query(told, result) if result else "",
        "from_begin": urlencode(kept(told), doseq=True) if request.GET.get("after") else "",
    }
    status = 200 if refusal is None else 503 if refusal.code == "search_too_long" else 422
    return TemplateResponse(request, "tables/find.html", context, status=status)


def searched(request: HttpRequest, told: dict[str, Any], facility: Facility) -> Result:
    """Search as the form asks."""
    asked = read_asked(told, ZoneInfo(facility.time_zone))
    after = place_of(request.GET["after"]) if request.GET.get("after") else None
    return search(asked, by=request.user, after=after)  # type: ignore[arg-type]


def kept(told: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that say something."""
    return {name: value for name, value in told.items() if value}


def next_query(told: dict[str, Any], result: Result) -> str:
    """Return the address of the next page, or nothing where there is none."""
    if result.after is None:
        return ""
    return urlencode({**kept(told), "after": result.after.told()}, doseq=True)


def row_of(match: Match) -> Row:
    """Return what the list shows of a round: the positions asked for, or all of them."""
    chosen = [s for s in match.seats if s.position in match.positions or not match.positions]
    seats = [(s, max(s.wagered(), default=Decimal(0)), max(s.paid(), default=Decimal(0)))
             for s in chosen if match.positions != [DEALER]]  # fmt: skip
    dealer = match.round.dealer_hand or {}
    shown = dealer.get("cards") or [*dealer.get("high", ()), *dealer.get("low", ())]
    return Row(
        match.round,
        round_url(match.round),
        seats,
        " ".join(shown) if DEALER in match.positions else "",
        sorted({flag["code"] for flag in match.round.flags}),
    )


def round_url(found: Round) -> str:
    """Return where a round is looked at."""
    for name, values in (
        ("admin:round", [found.table.code, found.number]),
        ("admin:tables_round_change", [found.pk]),
    ):
        try:
            return reverse(name, args=values)
        except NoReverseMatch:
            continue
    return ""
