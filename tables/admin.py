"""Tables, rounds and the intake as records; keys, which are shown once and can be revoked."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from audit.admin import RecordAdmin, pretty
from audit.models import User
from audit.services import record_one
from progressives.templatetags.floor import cards, dollars, hand_name
from tables.models import (
    AccessKey,
    AppliedEvent,
    Facility,
    Round,
    RoundPosition,
    TableEvent,
)
from tables.pages.amendments import RoundAmendmentAdmin, amendments_of
from tables.pages.approvals import approvals_page
from tables.pages.find import find_page
from tables.pages.payouts import payouts_of
from tables.pages.preserve import preserve_page
from tables.pages.registers import EquipmentAdmin, GamingTableAdmin
from tables.pages.submissions import RulesSubmissionAdmin, marked, settled_by_a_sample
from tables.services.keys import make_key, revoke_key

__all__ = [
    "EquipmentAdmin",
    "GamingTableAdmin",
    "RoundAmendmentAdmin",
    "RulesSubmissionAdmin",
]  # registered where they are written


@admin.register(Facility)
class FacilityAdmin(admin.ModelAdmin):
    """The one row of the licensed facility; whoever may change it is named in the log."""

    list_display = ["name", "time_zone", "gaming_day_starts", "escalate_after_seconds"]
    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Facility, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        facts = {name: str(getattr(obj, name)) for name in sorted(form.changed_data)}
        record_one("tables.facility_changed", "facility", facts, by=request.user)  # type: ignore[arg-type]


class OutcomeFilter(admin.SimpleListFilter):
    """What became of an event; one that has no row yet still waits."""

    title = "what became of it"
    parameter_name = "outcome"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("waiting", "Waiting"), *AppliedEvent.State.choices]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[TableEvent]
    ) -> QuerySet[TableEvent]:
        if self.value() == "waiting":
            return queryset.filter(applied__isnull=True)
        return queryset.filter(applied__state=self.value()) if self.value() else queryset


@admin.register(TableEvent)
class TableEventAdmin(RecordAdmin):
    """The intake, as it came in, beside what became of each event."""

    list_display = ["accepted_at", "table", "sequence", "type", "round", "outcome", "number"]
    list_display_links = ["sequence"]
    list_filter = [OutcomeFilter, "type", "table"]
    list_select_related = ["table", "applied"]
    search_fields = ["event_id__exact", "table__code__exact"]
    search_help_text = "An event id or a table, written out in full."
    ordering = ["-pk"]
    fields = [
        *["event_id", "table", "sequence", "type", "round", "occurred_at", "accepted_at"],
        *["key_name", "outcome", "number", "why", "document"],
    ]
    readonly_fields = ["outcome", "number", "why", "document"]

    @admin.display(description="what became of it")
    def outcome(self, event: TableEvent) -> str:
        return event.applied.get_state_display() if hasattr(event, "applied") else "Waiting"

    @admin.display(description="number in the lane")
    def number(self, event: TableEvent) -> int | None:
        return event.applied.number if hasattr(event, "applied") else None

    @admin.display(description="why")
    def why(self, event: TableEvent) -> str:
        if not hasattr(event, "applied"):
            return ""
        told = [event.applied.code, event.applied.path, event.applied.detail]
        return " · ".join(part for part in told if part)

    @admin.display(description="as it came in")
    def document(self, event: TableEvent) -> SafeString:
        return pretty(event.body)


@admin.register(Round)
class RoundAdmin(RecordAdmin):
    """Rounds that are over, each with its positions and what every wager came to."""

    list_display = ["occurred_at", "table", "number", "dealt_by", "state", "dealer", "gaming_day"]
    list_display_links = ["number"]
    list_filter = ["state", "game", "table", "gaming_day"]
    list_select_related = ["table"]
    search_fields = ["table__code__exact", "dealer__exact", "id__exact"]
    search_help_text = "A table, a dealer or a round's id, written out in full."
    ordering = ["-table_id", "-number"]  # as the index has them
    fields = [
        *["drawn", "table", "number", "state", "dealt_by", "occurred_at", "gaming_day", "dealer"],
        *["floorperson", "dealt", "seats", "payouts", "amended", "moved", "flagged", "rules"],
        *["lane_number", "id"],
    ]
    readonly_fields = [
        "drawn",
        "dealt_by",
        "dealt",
        "seats",
        "payouts",
        "amended",
        "moved",
        "flagged",
    ]

    @admin.display(description="from the log")
    def drawn(self, found: Round) -> SafeString:
        url = reverse("admin:round", args=[found.table.code, found.number])
        return format_html('<a class="tap quiet" href="{}">See the round step by step</a>', url)

    def get_urls(self) -> list[URLPattern]:
        own = self.admin_site.admin_view
        return [
            path("find/", own(find_page), name="tables_round_find"),
            path("preserve/", own(preserve_page), name="tables_round_preserve"),
            path("approvals/", own(approvals_page), name="tables_round_approvals"),
            *super().get_urls(),
        ]

    @admin.display(description="game", ordering="game")
    def dealt_by(self, found: Round) -> SafeString | str:
        return marked(found.game) if settled_by_a_sample(found) else found.game

    @admin.display(description="dealer's hand")
    def dealt(self, found: Round) -> SafeString:
        hand = found.dealer_hand or {}
        parts = [hand[name] for name in ("high", "low", "cards") if hand.get(name)]
        if not parts:
            return pretty(hand)
        return format_html_join(" ", "{}", ((cards(part),) for part in parts))

    @admin.display(description="positions, in turn order")
    def seats(self, found: Round) -> SafeString:
        positions = RoundPosition.objects.filter(round=found).order_by("-position")
        rows = format_html_join("", "{}", ((self.seat(seat),) for seat in positions))
        return format_html('<table class="facts"><tbody>{}</tbody></table>', rows)

    @admin.display(description="payouts")
    def payouts(self, found: Round) -> SafeString | str:
        return payouts_of(found.pk)

    @admin.display(description="amendments")
    def amended(self, found: Round) -> SafeString | str:
        return amendments_of(found)

    def seat(self, seat: RoundPosition) -> SafeString:
        lines = format_html_join("", "<div>{}</div>", ((line_text(line),) for line in seat.lines))
        return format_html(
            '<tr><th scope="row">{} {}</th><td>{}</td><td>{}</td></tr>',
            seat.position,
            seat.player,
            cards(seat.cards),
            lines,
        )

    @admin.display(description="meters")
    def moved(self, found: Round) -> SafeString:
        return pretty(found.meters)

    @admin.display(description="flags")
    def flagged(self, found: Round) -> SafeString:
        return pretty(found.flags)


def line_text(line: dict[str, Any]) -> str:
    """Write an outcome line in one line."""
    told = [
        hand_name(line["wager"]),
        dollars(line.get("stake")),
        line["result"],
        hand_name(line.get("hand") or ""),
        line.get("terms") or "",
        f"pays {dollars(line.get('pays'))}",
        line.get("cite") or "",
    ]
    return " · ".join(part for part in told if part)


class KeyForm(forms.ModelForm):
    """What a new key needs; whom it is for follows from its kind."""

    class Meta:
        model = AccessKey
        fields = ["name", "kind", "tables", "user"]

    def clean(self) -> dict[str, Any]:
        told = super().clean() or {}
        kind, bound = told.get("kind"), list(told.get("tables") or ())
        if kind == AccessKey.Kind.CONTROLLER and len(bound) != 1:
            self.add_error("tables", "A table controller's key is bound to exactly one table.")
        if kind == AccessKey.Kind.GATEWAY and not bound:
            self.add_error("tables", "Choose the tables that this gateway reports for.")
        if kind == AccessKey.Kind.STAFF and told.get("user") is None:
            self.add_error("user", "A staff token belongs to a member of staff.")
        if kind != AccessKey.Kind.STAFF and told.get("user") is not None:
            self.add_error("user", "Only a staff token belongs to a person.")
        return told


@admin.register(AccessKey)
class AccessKeyAdmin(admin.ModelAdmin):
    """Keys: making one shows its secret once; revoking one is for good."""

    form = KeyForm
    list_display = ["name", "kind", "bound_to", "user", "made_at", "revoked_at"]
    list_filter = ["kind", ("revoked_at", admin.EmptyFieldListFilter)]
    list_select_related = ["user"]
    search_fields = ["name", "tables__code"]
    ordering = ["-pk"]
    actions = ["revoke"]
    filter_horizontal = ["tables"]

    @admin.display(description="bound to")
    def bound_to(self, key: AccessKey) -> str:
        return ", ".join(table.code for table in key.tables.all())

    def get_queryset(self, request: HttpRequest) -> QuerySet[AccessKey]:
        return super().get_queryset(request).prefetch_related("tables")

    def get_fields(self, request: HttpRequest, obj: AccessKey | None = None) -> list[str]:
        if obj is None:
            return ["name", "kind", "tables", "user"]
        return ["name", "kind", "bound_to", "user", "made_at", "revoked_at"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False  # a key that opens other tables than yesterday would be another key

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("tables.change_accesskey")

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Make a key by the service and show its secret, instead of going back to the list."""
        extra = {"show_save_and_add_another": False, "show_save_and_continue": False}
        if request.method != "POST":
            return super().add_view(request, form_url, extra)
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = self.get_form(request)(request.POST)
        if not form.is_valid():
            return super().add_view(request, form_url, extra)
        told = form.cleaned_data
        by = User.objects.get(pk=request.user.pk)
        key, secret = make_key(
            name=told["name"], kind=told["kind"], tables=told["tables"], user=told["user"], by=by
        )
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": "Key made",
            "key": key,
            "secret": secret,
        }
        return TemplateResponse(request, "tables/key_made.html", context)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "user" and not request.user.is_superuser:
            # else an administrator could read all that a superuser may
            kwargs["queryset"] = User.objects.filter(is_superuser=False, is_active=True)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    @admin.action(description="Revoke the selected keys", permissions=["revoke"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[AccessKey]) -> None:
        by = User.objects.get(pk=request.user.pk)
        for key in chosen.filter(revoked_at__isnull=True):
            revoke_key(key_id=key.pk, by=by)
            self.message_user(request, format_html("Revoked: {}.", key.name), messages.SUCCESS)
