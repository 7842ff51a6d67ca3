"""The admin's front page by role: who logs in lands where his work is."""

from http import HTTPStatus
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import NoReverseMatch, URLPattern, URLResolver, path, reverse

from audit.device_page import second_factor_page
from audit.models import ExceptionRecord, User
from audit.services import record_one
from progressives.selectors import controls_open, counts
from tables.models import RulesSubmission
from tables.pages.export import export_page
from tables.pages.round import patron_page, round_page
from tables.pages.what_if import what_if_page


class Tile(NamedTuple):
    """A way in on the front page: for whom, where to, and what it is for."""

    permission: str
    route: str
    title: str
    purpose: str
    query: str = ""


TILES = [
    Tile(
        "progressives.view_jackpotclaim",
        "admin:progressives_jackpotclaim_queue",
        "Progressive payouts",
        "Validate, refuse and mark paid what waits at the tables.",
    ),
    Tile(
        "progressives.view_envypayout",
        "admin:progressives_envypayout_desk",
        "Envy Bonuses",
        "What the house owes for another player's hand: tick it off when it is paid.",
    ),
    Tile(
        "tables.view_roundamendment",
        "admin:tables_roundamendment_changelist",
        "Amendments",
        "Settled rounds that were settled wrongly: proposed by one person, decided by another.",
    ),
    Tile(
        "audit.view_exceptionrecord",
        "admin:audit_exceptionrecord_desk",
        "Exceptions",
        "What a person must look at, with the paragraph it touches.",
    ),
    Tile(
        "tables.view_error_trends",
        "admin:tables_gamingtable_errors",
        "Payment errors",
        "Where dealers pay wrongly: by dealer, by wager, by shift.",
    ),
    Tile(
        "tables.view_gamingtable",
        "admin:tables_gamingtable_cards",
        "Cards, dice and devices",
        "What lies on each table since when, and when it must be changed.",
    ),
    Tile(
        "tables.view_rulessubmission",
        "admin:tables_rulessubmission_changelist",
        "Rules submissions",
        "What each game is played by: propose, approve, compare.",
    ),
    Tile(
        "progressives.view_gamingdayclose",
        "admin:progressives_gamingdayclose_days",
        "Daily close",
        "Every meter explained, every variance named, two signatures.",
    ),
    Tile(
        "progressives.view_controlrequest",
        "admin:progressives_controlrequest_desk",
        "Parameters",
        "Rates, reset amounts and limits, transfers and retirement: under two authorities.",
    ),
    Tile(
        "progressives.view_meter",
        "admin:progressives_meter_changelist",
        "Meters",
        "What each progressive stands at, and every movement that brought it there.",
    ),
    Tile(
        "tables.view_downtime",
        "admin:tables_gamingtable_downtimes",
        "Downtime and paper forms",
        "Which tables are down, what was played on paper, and what is missing before they go on.",
    ),
    Tile(
        "progressives.view_meter",
        "admin:tables_gamingtable_risks",
        "Risk and odds",
        "What each progressive costs, exactly: by hand, by positions in play, by its meter.",
    ),
    Tile(
        "tables.search_round",
        "admin:tables_round_find",
        "Find a round",
        "By time, table, player, cards, amount, claim, meter: whatever is known.",
    ),
    Tile(
        "audit.view_case",
        "admin:audit_case_changelist",
        "Cases and daily log",
        "What is looked into, what each shift saw, and the footage that is held.",
    ),
    Tile(
        "tables.view_approvals",
        "admin:tables_round_approvals",
        "Approvals of payouts",
        "Who validates whose payouts, how fast, and who meets too often.",
    ),
    Tile(
        "tables.view_round",
        "admin:tables_round_changelist",
        "Rounds",
        "What was dealt, wagered and paid at a table.",
    ),
    Tile(
        "tables.view_gamingtable",
        "admin:tables_gamingtable_changelist",
        "Tables",
        "Which game each table deals, and which progressive it feeds.",
    ),
    Tile(
        "audit.view_auditevent",
        "admin:audit_auditevent_changelist",
        "Log",
        "Everything that happened, in an order nobody can change.",
    ),
    Tile(
        "audit.change_user",
        "admin:audit_user_changelist",
        "Staff",
        "Who may log in, with which staff code and which role.",
    ),
    Tile(
        "tables.add_equipment",
        "admin:tables_equipment_changelist",
        "Equipment",
        "Shakers, shufflers, shoes and readers with their approvals.",
    ),
    Tile(
        "progressives.add_claimterms",
        "admin:progressives_claimterms_changelist",
        "Claim terms",
        "From which amount a payout needs a checklist, surveillance and a second approver.",
    ),
    Tile(
        "tables.add_accesskey",
        "admin:tables_accesskey_changelist",
        "Keys",
        "By which table controllers, gateways and staff tokens reach the house.",
    ),
]

# Who works at the tables lands on the queue; who has other work sees the tiles.
HOMES = {
    "floorperson": "admin:progressives_jackpotclaim_queue",
    "pit manager": "admin:progressives_jackpotclaim_queue",
}


class HouseSite(AdminSite):
    """Django's admin with a front page for each role; ``?all`` shows every page to anybody."""

    site_header = "Table-game progressives"
    site_title = "Table-game progressives"
    index_title = "What would you like to do?"
    index_template = "admin/house_index.html"
    site_url = None
    empty_value_display = "–"

    def get_urls(self) -> list[URLPattern | URLResolver]:
        own = self.admin_view
        return [
            path("second-factor/", own(second_factor_page), name="second_factor"),
            path("rounds/<str:table>/<int:number>/", own(round_page), name="round"),
            path(
                "rounds/<str:table>/<int:number>/position/<int:position>/",
                own(patron_page),
                name="round_patron",
            ),
            path(
                "rounds/<str:table>/<int:number>/what-if/",
                own(what_if_page),
                name="round_what_if",
            ),
            path("rounds/<str:table>/<int:number>/export/", own(export_page), name="round_export"),
            *super().get_urls(),
        ]

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if "all" not in request.GET:
            roles = request.user.groups.values_list("name", flat=True)
            homes = [HOMES[role] for role in roles if role in HOMES]
            if homes:
                return redirect(homes[0])
        extra = {"tiles": tiles_for(request), "is_nav_sidebar_enabled": False}
        return super().index(request, {**extra, **(extra_context or {})})

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Log in, and tell the log who did; who tried in vain is told by the name of an account."""
        response = super().login(request, extra_context)
        if request.method == "POST":
            if response.status_code == HTTPStatus.FOUND:
                note("audit.logged_in", request.user)
            else:
                note_refusal(request)
        return response

    def logout(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        user = request.user
        response = super().logout(request, extra_context)
        if user.is_authenticated:
            note("audit.logged_out", user)
        return response

    def password_change(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        response = super().password_change(request, extra_context)
        if request.method == "POST" and response.status_code == HTTPStatus.FOUND:
            note("audit.password_set", request.user)
        return response


def note(action: str, user: Any) -> None:
    """Write into the system's chain what somebody did with his own account."""
    record_one(action, f"user/{user.pk}", {"username": user.username}, by=user)


def note_refusal(request: HttpRequest) -> None:
    """Tell the log who tried in vain; who is made to wait is told of once and not each time."""
    tried = User.objects.filter(username=request.POST.get("username", "")[:150]).first()
    if tried is None:  # never what was typed: it may be a password
        return
    if not getattr(request, "axes_locked_out", False):
        note("audit.log_in_refused", tried)
    elif getattr(request, "axes_failures_since_start", None) == settings.AXES_FAILURE_LIMIT:
        note("audit.log_in_stopped", tried)


def tiles_for(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the tiles that this person may open, with how many things wait behind each."""
    waiting = {
        "admin:progressives_jackpotclaim_queue": lambda: sum(counts().values()),
        "admin:tables_rulessubmission_changelist": lambda: RulesSubmission.objects.filter(
            approval__isnull=True
        ).count(),
        "admin:progressives_controlrequest_desk": controls_open,
        "admin:audit_exceptionrecord_desk": lambda: ExceptionRecord.objects.filter(
            state=ExceptionRecord.State.OPEN
        ).count(),
    }
    found = []
    for tile in TILES:
        if not request.user.has_perm(tile.permission):
            continue
        try:
            url = reverse(tile.route)
        except NoReverseMatch:
            continue
        count = waiting[tile.route]() if tile.route in waiting else None
        found.append({**tile._asdict(), "url": f"{url}?{tile.query}", "count": count})
    return found
