"""Who reads evidence is written down, and a regulator reads everything and changes nothing.

A page that cannot be written down is not shown: the answer becomes the error of the log.
"""

from collections.abc import Callable
from time import monotonic

from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, JsonResponse
from django.urls import Resolver404, resolve

from audit.models import User
from audit.services import record_one

#: Pages and answers of the API that show evidence, by the beginning of their routes' names.
EVIDENCE = (
    *("admin:round", "admin:tables_round_", "admin:tables_tableevent_", "admin:case"),
    *("admin:audit_auditevent_", "admin:audit_exceptionrecord_change", "admin:audit_case"),
    *("admin:audit_checkpoint_", "admin:progressives_jackpotclaim_change"),
    *("admin:progressives_payoutslip_", "admin:progressives_meter_change"),
    *("round", "claim", "slip", "case", "audit", "inclusion", "consistency", "dossier"),
)
#: A search tells the log itself, with what was asked for; a round's page, which round it was.
TELLS_ITSELF = (
    *("admin:tables_round_find", "rounds"),
    *("admin:round", "admin:round_patron", "admin:round_what_if"),
)
#: Open pages ask these again and again; a look a minute is enough to say that one was open.
POLLED = ("admin:progressives_jackpotclaim_changes",)
POLLED_SECONDS = 60
#: What a regulator may send: his own log-in and what belongs to it.
OWN_AFFAIRS = ("admin:login", "admin:logout", "admin:password_change", "admin:second_factor")
READING = ("GET", "HEAD", "OPTIONS")
LONGEST = 400
REFUSED = "A regulator's log-in reads everything and changes nothing."


class ReadingMiddleware:
    """Write down what is read, and refuse what a regulator sends."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self._polled: dict[tuple[int, str], float] = {}

    def __call__(self, request: HttpRequest) -> HttpResponse:
        name = name_of(request)
        user = person(request)
        sends = request.method not in READING and name not in OWN_AFFAIRS
        if user is not None and user.is_regulator and sends:
            note(user, request, name, 403)
            return refusal(request)
        response = self.get_response(request)
        user = user or person(request)  # the API sets it where a key authenticates
        if user is not None and self._is_noted(user, request, name):
            note(user, request, name, response.status_code)
        return response

    def _is_noted(self, user: User, request: HttpRequest, name: str) -> bool:
        if not name or request.method not in READING:
            return False
        if user.is_regulator:
            return name not in POLLED or self._is_due(user, name)
        return name.startswith(EVIDENCE) and name not in (*POLLED, *TELLS_ITSELF)

    def _is_due(self, user: User, name: str) -> bool:
        now = monotonic()
        if now - self._polled.get((user.pk, name), float("-inf")) < POLLED_SECONDS:
            return False
        self._polled[user.pk, name] = now
        return True


def note(user: User, request: HttpRequest, name: str, status: int) -> None:
    """Write down who read what, and how it was answered."""
    facts = {
        "method": request.method or "",
        "page": name,
        "path": request.path[:LONGEST],
        "query": request.META.get("QUERY_STRING", "")[:LONGEST],
        "status": status,
    }
    record_one("audit.page_read", f"user/{user.pk}", facts, by=user)


def name_of(request: HttpRequest) -> str:
    """Return the name of the route, or nothing where there is none."""
    try:
        return resolve(request.path_info).view_name
    except Resolver404:
        return ""


def person(request: HttpRequest) -> User | None:
    """Return who is logged in, if it is a member of staff."""
    user = getattr(request, "user", None)
    return user if isinstance(user, User) else None


def refusal(request: HttpRequest) -> HttpResponse:
    """Refuse with code, place and sentence where a machine asks, else with the sentence."""
    if request.path.startswith("/api/"):
        told = {"code": "regulator_reads_only", "path": "", "detail": REFUSED}
        return JsonResponse(told, status=403)
    return HttpResponseForbidden(f"{REFUSED}\n", content_type="text/plain")
