"""The claims queue and its pages, and the ledger's records, which are read only."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, re_path

from audit.admin import RecordAdmin
from progressives.models import (
    ChipCount,
    ClaimStep,
    ClaimTerms,
    CloseStep,
    ControlLeg,
    ControlRequest,
    ControlStep,
    EnvyPayment,
    EnvyPayout,
    GamingDayClose,
    JackpotClaim,
    Lane,
    LinkStatement,
    Meter,
    MeterReading,
    MeterSnapshot,
    MustHitDraw,
    PayoutSlip,
    Progressive,
    RoundClosing,
    TablePayout,
)
from progressives.pages.claim import LONGEST_ID, claim_page, meter_page
from progressives.pages.close import STEPS as CLOSE_STEPS
from progressives.pages.close import close_deed, close_page, days_page
from progressives.pages.control import STEPS as CONTROL_STEPS
from progressives.pages.control import control_deed, request_page
from progressives.pages.control import desk_page as control_desk
from progressives.pages.control_ask import ASK, ask_page
from progressives.pages.envies import envies_page, envy_page
from progressives.pages.queue import changes, queue
from progressives.pages.reports import export_day, export_month, month_page
from progressives.pages.steps import PAGES, slip_page, step_page
from progressives.services.claim_terms import set_claim_terms
from progressives.templatetags.floor import dollars, exactly, hand_name


@admin.register(JackpotClaim)
class JackpotClaimAdmin(RecordAdmin):
    """Claims as records; the queue, where they are decided on, hangs on the same address."""

    list_display = ["opened_at", "table", "round", "position", "what", "pays", "kind", "state"]
    list_display_links = ["table"]
    list_filter = ["state", "kind", "progressive", "table", "gaming_day"]
    search_fields = ["table__exact", "player__exact", "dealer__exact"]
    search_help_text = "A table, a player or a dealer, written out in full."
    ordering = ["-pk"]
    date_hierarchy = "gaming_day"

    @admin.display(description="hand", ordering="hand")
    def what(self, claim: JackpotClaim) -> str:
        return hand_name(claim.hand)

    @admin.display(description="amount", ordering="amount")
    def pays(self, claim: JackpotClaim) -> str:
        return dollars(claim.amount)

    def get_urls(self) -> list[URLPattern]:
        own = self.admin_site.admin_view
        return [
            path("queue/", own(queue), name="progressives_jackpotclaim_queue"),
            path("queue/changes/", own(changes), name="progressives_jackpotclaim_changes"),
            re_path(
                rf"^(?P<claim_id>[0-9]+)/(?P<verb>{'|'.join(PAGES)})/$",
                own(step_page),
                name="progressives_jackpotclaim_step",
            ),
            re_path(
                r"^(?P<claim_id>[0-9]+)/slip/$",
                own(slip_page),
                name="progressives_jackpotclaim_slip",
            ),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if not object_id.isdecimal() or len(object_id) > LONGEST_ID:
            raise Http404
        return claim_page(request, int(object_id))


@admin.register(Meter)
class MeterAdmin(RecordAdmin):
    """Meters, each with its ledger: entries have no page of their own."""

    list_display = [
        *["progressive", "level", "purpose", "stands_at", "reset", "limit", "increment_percent"],
        "sequence",
    ]
    list_select_related = ["progressive"]
    ordering = ["progressive__code", "level", "purpose"]

    @admin.display(description="stands at", ordering="value")
    def stands_at(self, meter: Meter) -> str:
        return exactly(meter.value)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        meter = self.get_object(request, object_id)
        if meter is None:
            raise Http404
        if not self.has_view_permission(request, meter):
            raise PermissionDenied
        return meter_page(request, meter)


@admin.register(MeterSnapshot)
class MeterSnapshotAdmin(RecordAdmin):
    list_display = [
        *["taken_at", "meter", "reason", "sequence", "value", "wagers", "wagered", "hits", "won"],
    ]
    list_display_links = ["meter"]
    list_filter = ["reason"]
    list_select_related = ["meter"]
    ordering = ["-pk"]


@admin.register(MustHitDraw)
class MustHitDrawAdmin(RecordAdmin):
    """Promises of levels that must hit; what is sealed of them is not shown."""

    list_display = ["meter", "number", "low", "high", "commitment", "drawn_at"]
    list_select_related = ["meter"]
    exclude = ["sealed"]
    ordering = ["-pk"]


@admin.register(LinkStatement)
class LinkStatementAdmin(RecordAdmin):
    list_display = ["progressive", "kind", "text", "recorded_at"]
    list_select_related = ["progressive"]


@admin.register(TablePayout)
class TablePayoutAdmin(RecordAdmin):
    list_display = ["table", "payouts", "machine_paid", "attendant_paid", "cumulative"]
    ordering = ["table"]


@admin.register(Lane)
class LaneAdmin(RecordAdmin):
    list_display = ["name", "number", "gaming_day"]
    search_fields = ["name"]
    ordering = ["name"]


@admin.register(Progressive)
class ProgressiveAdmin(RecordAdmin):
    list_display = ["code", "name", "wager_unit", "lane"]
    list_select_related = ["lane"]
    search_fields = ["code", "name"]
    ordering = ["code"]


@admin.register(ClaimStep)
class ClaimStepAdmin(RecordAdmin):
    list_display = ["at", "claim", "kind", "by", "cite", "reason"]
    list_display_links = ["claim"]
    list_filter = ["kind"]
    list_select_related = ["claim", "by"]
    search_fields = ["by__staff_code__exact", "claim__table__exact"]
    search_help_text = "A staff code or a table, written out in full."
    ordering = ["-pk"]


@admin.register(EnvyPayout)
class EnvyPayoutAdmin(RecordAdmin):
    list_display = [
        *["gaming_day", "table", "round", "wager", "position", "from_position", "hand", "stake"],
        "amount",
    ]
    list_display_links = ["round"]
    list_filter = ["wager", "table", "gaming_day"]
    search_fields = ["table__exact", "player__exact", "dealer__exact"]
    ordering = ["-pk"]

    def get_urls(self) -> list[URLPattern]:
        own, name = self.admin_site.admin_view, "progressives_envypayout"
        return [
            path("desk/", own(envies_page), name=f"{name}_desk"),
            re_path(r"^(?P<envy_id>[0-9]+)/tick/$", own(envy_page), name=f"{name}_tick"),
            *super().get_urls(),
        ]


@admin.register(EnvyPayment)
class EnvyPaymentAdmin(RecordAdmin):
    list_display = ["at", "envy", "kind", "by", "reason"]
    list_display_links = ["envy"]
    list_filter = ["kind"]
    list_select_related = ["envy", "by"]
    ordering = ["-pk"]


@admin.register(RoundClosing)
class RoundClosingAdmin(RecordAdmin):
    list_display = ["at", "table", "round", "version", "by"]
    list_display_links = ["round"]
    list_filter = ["table"]
    list_select_related = ["by"]
    ordering = ["-pk"]


@admin.register(GamingDayClose)
class GamingDayCloseAdmin(RecordAdmin):
    """Closes as records; the page where a day is closed hangs on the same address."""

    list_display = ["gaming_day", "state", "prepared_by", "reviewed_by", "digest"]
    list_filter = ["state"]
    list_select_related = ["prepared_by", "reviewed_by"]
    ordering = ["-gaming_day"]

    def get_urls(self) -> list[URLPattern]:
        own = self.admin_site.admin_view
        day = "(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
        month, form = "(?P<month>[0-9]{4}-[0-9]{2})", "(?P<form>csv|xlsx|pdf)"
        name = "progressives_gamingdayclose"
        return [
            re_path(rf"^days/{day}\.{form}$", own(export_day), name=f"{name}_export"),
            re_path(rf"^months/{month}/$", own(month_page), name=f"{name}_month"),
            re_path(rf"^months/{month}\.{form}$", own(export_month), name=f"{name}_month_export"),
            path("days/", own(days_page), name="progressives_gamingdayclose_days"),
            re_path(rf"^days/{day}/$", own(close_page), name="progressives_gamingdayclose_day"),
            re_path(
                rf"^days/{day}/(?P<deed>{'|'.join(CLOSE_STEPS)})/$",
                own(close_deed),
                name="progressives_gamingdayclose_deed",
            ),
            *super().get_urls(),
        ]


@admin.register(CloseStep)
class CloseStepAdmin(RecordAdmin):
    list_display = ["at", "close", "kind", "by", "reason", "digest"]
    list_display_links = ["close"]
    list_filter = ["kind"]
    list_select_related = ["close", "by"]
    ordering = ["-pk"]


@admin.register(MeterReading)
class MeterReadingAdmin(RecordAdmin):
    list_display = ["gaming_day", "meter", "value", "method", "source", "by", "entered_at"]
    list_display_links = ["meter"]
    list_filter = ["method", "gaming_day"]
    list_select_related = ["meter", "by"]
    ordering = ["-pk"]


@admin.register(ChipCount)
class ChipCountAdmin(RecordAdmin):
    list_display = ["gaming_day", "table", "dealer", "amount", "by", "entered_at"]
    list_display_links = ["table"]
    list_filter = ["table", "gaming_day"]
    list_select_related = ["by"]
    ordering = ["-pk"]


@admin.register(PayoutSlip)
class PayoutSlipAdmin(RecordAdmin):
    """Slips in their order. A voided one stays, with its number."""

    list_display = ["number", "claim", "amount", "tax_reportable", "tax_withheld", "voided"]
    list_filter = ["tax_reportable"]
    list_select_related = ["claim", "void"]
    fields = [
        *["number", "claim", "facility", "amount", "tax_reportable", "tax_withheld", "tax_reason"],
        *["tax_terms_from", "digest", "issued_by", "issued_at", "voided"],
    ]
    readonly_fields = ["voided"]
    ordering = ["-number"]

    @admin.display(description="void")
    def voided(self, slip: PayoutSlip) -> str:
        void = getattr(slip, "void", None)
        return f"void: {void.reason}" if void is not None else "–"


@admin.register(ClaimTerms)
class ClaimTermsAdmin(admin.ModelAdmin):
    """The amounts that divide small awards from large ones: others are added, none is changed."""

    list_display = ["effective_at", "checklist_from", "approval_from", "second_factor_required"]
    fields = ["checklist_from", "approval_from", "second_factor_required", "reason"]
    ordering = ["-effective_at", "-pk"]
    actions = None

    def get_fields(self, request: HttpRequest, obj: ClaimTerms | None = None) -> Any:
        return self.fields if obj is None else ["effective_at", *self.fields, "set_by"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: ClaimTerms, form: Any, change: bool) -> None:
        told = {name: form.cleaned_data[name] for name in self.fields}
        made = set_claim_terms(officer=request.user, **told)  # type: ignore[arg-type]
        obj.pk, obj.effective_at = made.pk, made.effective_at


@admin.register(ControlRequest)
class ControlRequestAdmin(RecordAdmin):
    """Requests as records; the desk and the page of each hang on the same address."""

    list_display = ["pk", "kind", "meter", "reason", "requested_by", "effective_at", "requested_at"]
    list_display_links = ["pk", "kind"]
    list_filter = ["kind", "meter__progressive"]
    list_select_related = ["meter__progressive", "requested_by"]
    ordering = ["-pk"]

    def get_urls(self) -> list[URLPattern]:
        own, name = self.admin_site.admin_view, "progressives_controlrequest"
        kinds, deeds = "|".join(ASK), "|".join(CONTROL_STEPS)
        return [
            path("desk/", own(control_desk), name=f"{name}_desk"),
            re_path(rf"^ask/(?P<kind>{kinds})/$", own(ask_page), name=f"{name}_ask"),
            re_path(
                rf"^(?P<request_id>[0-9]{{1,17}})/(?P<deed>{deeds})/$",
                own(control_deed),
                name=f"{name}_deed",
            ),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if not object_id.isdecimal() or len(object_id) >= LONGEST_ID:
            raise Http404
        return request_page(request, int(object_id))


@admin.register(ControlStep)
class ControlStepAdmin(RecordAdmin):
    list_display = ["at", "request", "kind", "by", "reason"]
    list_display_links = ["request"]
    list_filter = ["kind"]
    list_select_related = ["request", "by"]
    ordering = ["-pk"]


@admin.register(ControlLeg)
class ControlLegAdmin(RecordAdmin):
    list_display = ["request", "meter", "sequence", "amount"]
    list_select_related = ["request", "meter"]
    ordering = ["-pk"]
