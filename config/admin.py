"""The admin's list of code devices, beside the log-in that they belong to (``config.site``)."""

from typing import Any

from django.contrib import admin
from django.db import transaction
from django.http import HttpRequest

from audit.models import CodeDevice, User
from audit.services import record_one


@admin.register(CodeDevice)
class CodeDeviceAdmin(admin.ModelAdmin):
    """Code devices. A lost one is taken away here; only its owner sets up the next."""

    list_display = ["user", "confirmed", "created_at", "last_used_at"]
    list_select_related = ["user"]
    search_fields = ["user__staff_code", "user__username"]
    ordering = ["user__username"]
    fields = ["user", "confirmed", "created_at", "last_used_at", "throttling_failure_count"]
    actions = None

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        allowed = request.user.has_perm("audit.delete_codedevice")
        return bool(allowed and (obj is None or obj.user_id != request.user.pk))

    def delete_model(self, request: HttpRequest, obj: CodeDevice) -> None:
        with transaction.atomic():
            owner = obj.user
            super().delete_model(request, obj)
            facts = {"username": owner.username}
            by = User.objects.get(pk=request.user.pk)
            record_one("audit.device_taken_away", f"user/{owner.pk}", facts, by=by)
