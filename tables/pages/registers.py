"""Tables and their equipment: what an administrator may change is named in the log."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import URLPattern, path

from audit.services import record_one
from tables.models import Equipment, GamingTable
from tables.pages.cards import cards_page
from tables.pages.display import display_now, display_page
from tables.pages.downtime import desk_page, downtime_page
from tables.pages.hits import hits_page
from tables.pages.paper import enter_page, entry_page, pad_page
from tables.pages.risk import risk_page, risks_page
from tables.pages.trends import trends_page


@admin.register(GamingTable)
class GamingTableAdmin(admin.ModelAdmin):
    """Tables as the set-up file made them; only how many decks they use may change."""

    list_display = ["code", "pit", "game", "positions", "decks_in_use", "lane", "progressive"]
    list_filter = ["pit", "game", "progressive"]
    list_select_related = ["lane", "progressive"]
    search_fields = ["code"]
    ordering = ["code"]
    actions = None
    fields = ["code", "pit", "game", "positions", "lane", "progressive", "decks_in_use"]
    readonly_fields = ["code", "pit", "game", "positions", "lane", "progressive"]

    def get_urls(self) -> list[URLPattern]:
        own = self.admin_site.admin_view
        return [
            path("cards/", own(cards_page), name="tables_gamingtable_cards"),
            path("errors/", own(trends_page), name="tables_gamingtable_errors"),
            path("downtime/", own(desk_page), name="tables_gamingtable_downtimes"),
            path(
                "downtime/<int:downtime_id>/",
                own(downtime_page),
                name="tables_gamingtable_downtime",
            ),
            path(
                "downtime/<int:downtime_id>/form/<int:number>/",
                own(enter_page),
                name="tables_gamingtable_form_enter",
            ),
            path(
                "downtime/entry/<int:entry_id>/",
                own(entry_page),
                name="tables_gamingtable_form_entry",
            ),
            path("downtime/pad/<str:code>.pdf", own(pad_page), name="tables_gamingtable_forms_pad"),
            path("display/<str:code>/", own(display_page), name="tables_gamingtable_display"),
            path(
                "display/<str:code>/now/",
                own(display_now),
                name="tables_gamingtable_display_now",
            ),
            path("risk/", own(risks_page), name="tables_gamingtable_risks"),
            path("risk/<str:code>/hits/", own(hits_page), name="tables_gamingtable_hits"),
            path("risk/<str:code>/", own(risk_page), name="tables_gamingtable_risk"),
            *super().get_urls(),
        ]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: GamingTable, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        facts = {name: getattr(obj, name) for name in form.changed_data}
        record_one("tables.table_changed", obj.code, facts, by=request.user)  # type: ignore[arg-type]


@admin.register(Equipment)
class EquipmentAdmin(admin.ModelAdmin):
    """The equipment register. A device that is gone keeps its row and gets its last day."""

    list_display = ["serial", "kind", "table", "approval", "approved_on", "removed_on", "counting"]
    list_filter = ["kind", "table", ("removed_on", admin.EmptyFieldListFilter)]
    list_select_related = ["table"]
    search_fields = ["serial", "approval"]
    ordering = ["kind", "serial"]
    actions = None

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [] if obj is None else ["kind", "serial"]

    def save_model(self, request: HttpRequest, obj: Equipment, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        facts = {name: told(getattr(obj, name)) for name in sorted(form.changed_data)}
        action = "tables.equipment_changed" if change else "tables.equipment_registered"
        record_one(action, f"equipment/{obj.serial}", facts, by=request.user)  # type: ignore[arg-type]


def told(value: Any) -> Any:
    """Return a field's value as the log keeps it."""
    return value if isinstance(value, bool | int | None) else str(value)
