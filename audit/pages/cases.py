"""The casebook's pages: cases, one case with all that was written in it, the daily log."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import DatabaseError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from audit import casebook
from audit.casebook import LINKS, ROLES, CaseRefused, cases_for, status_of
from audit.models import Case, CaseEntry, User
from audit.moments import in_range
from audit.staff import ROLES as DEPARTMENTS

VIEW, WRITE, WITHHOLD = "audit.view_case", "audit.write_case", "audit.withhold_case"
CASES, CASE, LOG = "admin:audit_case_changelist", "admin:audit_case_change", "admin:audit_case_log"
EACH_PAGE = 50
LONGEST_ID = 18

#: What a form of a case does, by its button.
DEEDS: dict[str, Callable[..., Any]] = {
    "note": lambda told, **of: casebook.write(text=told["text"], **of),
    "handover": lambda told, **of: casebook.write(kind="handover", text=told["text"], **of),
    "person": lambda told, **of: casebook.add_person(
        role=told["role"], name=told["name"], text=told["text"], **of
    ),
    "link": lambda told, **of: casebook.add_link(
        what=told["what"], which=told["which"], text=told["text"], **of
    ),
    "status": lambda told, **of: casebook.set_status(
        status=told["status"], text=told["text"], **of
    ),
    "correct": lambda told, **of: casebook.correct(
        about=number_of(told), text=told["text"], **of
    ),
    "take_over": lambda told, **of: casebook.take_over(
        about=number_of(told), text=told["text"], **of
    ),
    "violation": lambda told, **of: casebook.audit_dispute(
        violation=told["violation"], dealer=told["dealer"], supervisor=told["supervisor"],
        amount=told["amount"], text=told["text"], **of,
    ),
    "review": lambda told, **of: casebook.review(
        about=number_of(told), agreed=told.get("agreed") == "yes", text=told["text"], **of
    ),
    "withhold": lambda told, **of: casebook.withhold(
        from_whom=told["from_whom"], text=told["text"], **of
    ),
    "show": lambda told, **of: casebook.show_again(
        about=number_of(told), text=told["text"], **of
    ),
}  # fmt: skip
IN_THE_LOG = ("note", "handover", "correct", "take_over")
NEED_MORE = {"withhold": WITHHOLD, "show": WITHHOLD}


def number_of(told: QueryDict) -> int:
    """Return the number of the entry that this one is about."""
    word = told.get("about", "").strip()
    if not (word.isascii() and word.isdecimal()) or len(word) > LONGEST_ID:
        raise CaseRefused("bad_value", "about", "Write the entry's number.")
    return int(word)


def moment_of(told: QueryDict, name: str) -> datetime:
    """Return a local time of a form."""
    try:
        found = datetime.fromisoformat(told.get(name, ""))
    except ValueError:
        raise CaseRefused("bad_value", name, "Say date and time.") from None
    if not in_range(found):
        raise CaseRefused("bad_value", name, "This time is out of range.")
    aware = found if found.tzinfo else timezone.make_aware(found)
    return aware.astimezone(UTC)  # PostgreSQL reads no offset beyond 16 hours


def reader(request: HttpRequest, permission: str = VIEW) -> User:
    """Return who reads, or refuse."""
    if not isinstance(request.user, User) or not request.user.has_perm(permission):
        raise PermissionDenied
    return request.user


def shared(request: HttpRequest, title: str) -> dict[str, Any]:
    """Return what every page of the casebook shows."""
    return {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": title,
        "may_write": request.user.has_perm(WRITE),
        "may_withhold": request.user.has_perm(WITHHOLD),
        "now": timezone.now(),
    }


def cases_page(request: HttpRequest) -> HttpResponse:
    """List the cases that this person may know of; open a new one."""
    user = reader(request)
    refusal = None
    if request.method == "POST":
        reader(request, WRITE)
        try:
            case = opened(user, request.POST)
        except CaseRefused as found:
            refusal = found
        else:
            messages.success(request, f"Case {case.number} is open.")
            return redirect(CASE, case.pk)
    found = with_status(cases_for(user))
    asked = request.GET.get("status", "")
    rows = [(case, status) for case, status in found if not asked or status == asked]
    page = Paginator(rows, EACH_PAGE).get_page(request.GET.get("page"))
    context = {
        **shared(request, "Cases"),
        "page": page,
        "statuses": Case.Status.choices,
        "types": Case.Type.choices,
        "asked": asked,
        "refusal": refusal,
        "given": request.POST,
    }
    return TemplateResponse(
        request, "audit/cases.html", context, status=200 if refusal is None else 422
    )


def with_status(cases: QuerySet[Case]) -> list[tuple[Case, Case.Status]]:
    """Return cases with what their last status entry says."""
    entries = CaseEntry.objects.filter(kind="status", case__in=cases).order_by("number")
    last = dict(entries.values_list("case_id", "facts__status"))
    found = cases.select_related("opened_by")
    return [(case, Case.Status(last.get(case.pk, Case.Status.OPEN))) for case in found]


def opened(by: User, told: QueryDict) -> Case:
    """Open a case as the form says."""
    return casebook.open_case(
        by=by,
        type=told.get("type", ""),
        title=told.get("title", ""),
        text=told.get("text", ""),
        occurred_from=moment_of(told, "occurred_from"),
        occurred_until=moment_of(told, "occurred_until"),
        reported_at=moment_of(told, "reported_at"),
    )


def case_page(request: HttpRequest, case_id: int) -> HttpResponse:
    """Show a case with every entry, and write the next one."""
    user = reader(request)
    case = cases_for(user).filter(pk=case_id).select_related("opened_by").first()
    if case is None:  # withheld or not there: nobody learns which
        raise Http404
    refusal = None
    if request.method == "POST":
        refusal = written(request, user, case)
        if refusal is None:
            return redirect(CASE, case.pk)
    entries = list(case.entries.select_related("by", "person", "about").order_by("number"))
    context = {
        **shared(request, f"Case {case.number}: {case.title}"),
        "case": case,
        "status": status_of(case),
        "statuses": Case.Status.choices,
        "entries": entries,
        "links": [(entry, link_url(entry)) for entry in entries if entry.kind == "link"],
        "people": [entry for entry in entries if entry.kind == "person"],
        "holds": case.holds.select_related("end"),
        "preserved": case.preserved.all(),
        "roles": ROLES,
        "kinds": LINKS,
        "departments": [role for role in DEPARTMENTS if role != "regulator"],
        "refusal": refusal,
        "given": request.POST,
    }
    status = 200 if refusal is None else 422
    return TemplateResponse(request, "audit/case.html", context, status=status)


def written(request: HttpRequest, user: User, case: Case | None) -> CaseRefused | None:
    """Do what the form's button says; return why not, if it cannot be done."""
    reader(request, WRITE)
    deed = request.POST.get("do", "")
    if deed not in (DEEDS if case else IN_THE_LOG):
        return CaseRefused("bad_value", "do", "There is no such entry.")
    reader(request, NEED_MORE.get(deed, WRITE))
    told = request.POST.copy()
    for name in ("text", "role", "name", "what", "which", "status", "violation", "dealer",
                 "supervisor", "amount", "from_whom"):  # fmt: skip
        told.setdefault(name, "")
    try:
        DEEDS[deed](told, by=user, case=case)
    except CaseRefused as refusal:
        return refusal
    except DatabaseError as error:  # somebody else was first, or the database knows better
        if getattr(error.__cause__, "sqlstate", "") not in ("JP002", "23505"):
            raise
        return CaseRefused("not_now", "", "This cannot be written any more; look again.")
    return None


def link_url(entry: CaseEntry) -> str:
    """Return where what an entry links to is looked at, if some floor has a page of it."""
    what, which = entry.facts["what"], entry.facts["which"]
    table, _, number = which.rpartition("/")
    names: dict[str, tuple[str, list[Any]]] = {
        "round": ("admin:round", [table, number]),
        "claim": ("admin:progressives_jackpotclaim_change", [which]),
        "exception": ("admin:audit_exceptionrecord_change", [which]),
    }
    try:
        name, values = names[what]
        return reverse(name, args=[int(v) if str(v).isdecimal() else v for v in values])
    except (KeyError, NoReverseMatch):
        return ""


def log_page(request: HttpRequest) -> HttpResponse:
    """Show the daily log, newest first, and write in it."""
    user = reader(request)
    refusal = None
    if request.method == "POST":
        refusal = written(request, user, None)
        if refusal is None:
            return redirect(LOG)
    entries = CaseEntry.objects.filter(case__isnull=True).select_related("by", "about")
    page = Paginator(entries.order_by("-number"), EACH_PAGE).get_page(request.GET.get("page"))
    waiting = entries.filter(kind="handover").exclude(answers__kind="taken_over")
    context = {
        **shared(request, "Daily log"),
        "page": page,
        "waiting": waiting.order_by("number"),
        "refusal": refusal,
        "given": request.POST,
    }
    status = 200 if refusal is None else 422
    return TemplateResponse(request, "audit/daily_log.html", context, status=status)
