"""People, the log and what a person must look at: records are read, exceptions are closed."""

import json
from http import HTTPStatus
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from audit.models import AuditEvent, Case, Chain, ExceptionRecord, User
from audit.pages.cases import case_page, cases_page, log_page
from audit.pages.desk import DESK, desk_page, exception_page, note_page
from audit.pages.footage import footage_page
from audit.services import NoReason, close_exception, record_one

admin.site.unregister(Group)  # the roles are the house's own, made by migration

LONGEST_ID = 18  # digits: what is longer is no row's number, and Python refuses to read the longest


class BoundedPaginator(Paginator):
    """Pages over a table that grows for ever: beyond the first thousands it does not count."""

    MOST = 10_000

    @cached_property
    def count(self) -> int:
        first: Any = self.object_list[: self.MOST]
        return int(first.count())


class RecordAdmin(admin.ModelAdmin):
    """Records that nobody adds, changes or deletes by hand, whatever his permissions say."""

    actions = None
    show_full_result_count = False
    paginator = BoundedPaginator
    list_per_page = 50
    change_form_template = "audit/record.html"

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        title = capfirst(self.opts.verbose_name_plural)
        return super().changelist_view(request, {"title": title, **(extra_context or {})})


def pretty(body: bytes | memoryview | Any) -> SafeString:
    """Show canonical bytes, or a JSON value, as people read them."""
    told = json.loads(bytes(body)) if isinstance(body, bytes | memoryview) else body
    text = json.dumps(told, indent=2, ensure_ascii=False)
    return format_html('<pre class="document">{}</pre>', text)


@admin.register(User)
class StaffAdmin(UserAdmin):
    """Members of staff. Only a superuser gives what no role gives; nobody changes his own role."""

    list_display = ["username", "staff_code", "first_name", "last_name", "roles", "is_active"]
    list_filter = ["is_active", "groups"]
    search_fields = ["username", "staff_code", "first_name", "last_name"]
    ordering = ["username"]
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        ("Person", {"fields": ["staff_code", "first_name", "last_name", "email"]}),
        ("May", {"fields": ["is_active", "is_staff", "groups", "is_superuser"]}),
        ("Times", {"fields": ["last_login", "date_joined"]}),
    ]
    add_fieldsets = [
        (
            None,
            {"fields": ["username", "staff_code", "usable_password", "password1", "password2"]},
        ),
    ]
    readonly_fields = ["last_login", "date_joined"]
    filter_horizontal = ["groups"]

    @admin.display(description="roles")
    def roles(self, user: User) -> str:
        return ", ".join(group.name for group in user.groups.all())

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).prefetch_related("groups")

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:
        fields = list(self.readonly_fields)
        if not request.user.is_superuser:
            fields.append("is_superuser")
            if obj is not None and obj.pk == request.user.pk:
                fields += ["staff_code", "is_active", "is_staff", "groups"]
        return fields

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        if obj is not None and obj.is_superuser and not request.user.is_superuser:
            return False  # else an administrator could set a superuser's password
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False  # steps are signed with the account: switch it off instead

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        user = form.instance
        facts = {
            "active": user.is_active,
            "changed": sorted(form.changed_data) if change else [],
            "roles": sorted(group.name for group in user.groups.all()),
            "staff_code": user.staff_code,
            "superuser": user.is_superuser,
            "username": user.username,
        }
        action = "audit.user_changed" if change else "audit.user_made"
        record_one(action, f"user/{user.pk}", facts, by=request.user)  # type: ignore[arg-type]

    def user_change_password(
        self,
        request: HttpRequest,
        id: str,  # noqa: A002  # Django's name
        form_url: str = "",
    ) -> HttpResponse:
        response = super().user_change_password(request, id, form_url)
        if request.method == "POST" and response.status_code == HTTPStatus.FOUND:
            facts = {"username": User.objects.get(pk=id).username}
            by = User.objects.get(pk=request.user.pk)
            record_one("audit.password_set", f"user/{id}", facts, by=by)
        return response


@admin.register(Chain)
class ChainAdmin(RecordAdmin):
    list_display = ["name", "sequence", "head_hex"]
    search_fields = ["name"]
    ordering = ["name"]
    fields = ["name", "sequence", "head_hex"]
    readonly_fields = ["head_hex"]

    @admin.display(description="head")
    def head_hex(self, chain: Chain) -> str:
        return bytes(chain.head).hex()


@admin.register(AuditEvent)
class AuditEventAdmin(RecordAdmin):
    list_display = ["recorded_at", "chain", "sequence", "action", "subject"]
    list_display_links = ["sequence"]
    list_filter = ["chain"]
    list_select_related = ["chain"]
    search_fields = ["subject__exact", "action__startswith"]
    search_help_text = "A table and round (FPG-01/49), or the beginning of an action."
    ordering = ["-pk"]
    fields = ["chain", "sequence", "action", "subject", "recorded_at", "document", "links"]
    readonly_fields = ["document", "links"]

    @admin.display(description="what was recorded")
    def document(self, event: AuditEvent) -> SafeString:
        return pretty(event.body)

    @admin.display(description="hash, and its predecessor's")
    def links(self, event: AuditEvent) -> SafeString:
        return format_html(
            '<code class="hash">{}</code><br><code class="hash">{}</code>',
            bytes(event.hash).hex(),
            bytes(event.previous).hex(),
        )


@admin.register(ExceptionRecord)
class ExceptionAdmin(RecordAdmin):
    """What a person must look at. It is closed with a reason; nothing else about it changes."""

    list_display = ["severity_mark", "what", "place", "sentence", "opened_at"]
    list_display_links = ["what"]
    list_filter = ["state", "severity", "kind", "table"]
    list_select_related = ["closed_by", "owner"]
    search_fields = ["table__exact", "kind__startswith", "sentence"]
    search_help_text = "A table, the beginning of a kind, or words of the sentence."
    ordering = ["-opened_at", "-pk"]
    actions = ["close_selected"]

    @admin.display(description="severity", ordering="severity")
    def severity_mark(self, found: ExceptionRecord) -> SafeString:
        return format_html(
            '<span class="severity {}">{}</span>', found.severity, found.get_severity_display()
        )

    @admin.display(description="kind", ordering="kind")
    def what(self, found: ExceptionRecord) -> str:
        return found.kind.replace("_", " ").capitalize()

    @admin.display(description="where", ordering="table")
    def place(self, found: ExceptionRecord) -> str:
        told = [found.table, found.round, found.position]
        return ", ".join(str(part) for part in told if part not in ("", None))

    def has_close_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("audit.close_exceptionrecord")

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        may_close = self.has_close_permission(request)
        return [*self.list_display, "close_link" if may_close else "closed"]

    @admin.display(description="closed", ordering="state")
    def closed(self, found: ExceptionRecord) -> str:
        return f"by {found.closed_by}" if found.closed_by else "open"

    @admin.display(description="closed", ordering="state")
    def close_link(self, found: ExceptionRecord) -> SafeString | str:
        if found.state == ExceptionRecord.State.CLOSED:
            return self.closed(found)
        url = reverse("admin:audit_exceptionrecord_close")
        return format_html('<a class="tap quiet" href="{}?ids={}">Close</a>', url, found.pk)

    def get_urls(self) -> list[URLPattern]:
        own = self.admin_site.admin_view
        return [
            path("desk/", own(desk_page), name="audit_exceptionrecord_desk"),
            path("close/", own(self.close_page), name="audit_exceptionrecord_close"),
            path("<int:exception_id>/note/", own(note_page), name="audit_exceptionrecord_note"),
            *super().get_urls(),
        ]

    @admin.action(description="Close with a reason", permissions=["close"])
    def close_selected(self, request: HttpRequest, found: QuerySet[Model]) -> HttpResponse:
        chosen = ",".join(str(pk) for pk in found.order_by("pk").values_list("pk", flat=True))
        return redirect(f"{reverse('admin:audit_exceptionrecord_close')}?ids={chosen}")

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if not object_id.isdecimal() or len(object_id) > LONGEST_ID:
            raise Http404
        return exception_page(request, int(object_id))

    def close_page(self, request: HttpRequest) -> HttpResponse:
        """Ask for the reason, then close one exception or many with it."""
        if not self.has_close_permission(request):
            raise PermissionDenied
        told = request.POST if request.method == "POST" else request.GET
        parts = told.get("ids", "").split(",")
        ids = [int(part) for part in parts if part.isdecimal() and len(part) <= LONGEST_ID][:500]
        found = ExceptionRecord.objects.filter(pk__in=ids).order_by("pk")
        if not found:
            raise Http404
        refusal = None
        if request.method == "POST":
            try:
                for chosen in found:
                    close_exception(
                        exception_id=chosen.pk,
                        by=request.user,  # type: ignore[arg-type]
                        reason=request.POST.get("reason", ""),
                    )
            except NoReason as missing:
                refusal = str(missing)
            else:
                messages.success(request, f"Closed: {len(found)}.")
                return redirect(DESK)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": "Close with a reason",
            "found": found,
            "ids": ",".join(str(pk) for pk in ids),
            "refusal": refusal,
        }
        status = 200 if refusal is None else 409
        return TemplateResponse(request, "audit/close.html", context, status=status)


@admin.register(Case)
class CaseAdmin(RecordAdmin):
    """The casebook: every page of it is ours, since a case may be withheld from who looks."""

    def get_urls(self) -> list[URLPattern]:
        own = self.admin_site.admin_view
        return [
            path("log/", own(log_page), name="audit_case_log"),
            path("footage/", own(footage_page), name="audit_case_footage"),
            path("<int:case_id>/change/", own(case_page), name="audit_case_change"),
            path("", own(cases_page), name="audit_case_changelist"),
        ]
