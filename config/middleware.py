"""What every page carries, what none takes, and the zone in which a page shows times."""

from collections.abc import Callable
from time import monotonic
from zoneinfo import ZoneInfo

import structlog
from django.db import DataError
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.utils import timezone

from config.api import error
from tables.models import Facility

log = structlog.get_logger(__name__)

# Nothing from elsewhere and nothing inline. ``data:`` only for the small images in style sheets.
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'none'"
)
PERMISSIONS_POLICY = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


class SecurityHeadersMiddleware:
    """Add what Django's own security middleware does not: it has no content policy before 6.0."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response


UNKEPT = "Something in this request is too long, too large or no text: look at it again.\n"


class RefuseNulMiddleware:
    """Refuse what PostgreSQL has no value for: a NUL in an address or a form, a word too long."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if holds_nul(request):
            sentence = "There is a NUL character in this request."
            if request.path.startswith("/api/"):
                return JsonResponse(error("bad_value", "", sentence), status=400)
            return HttpResponseBadRequest(f"{sentence}\n", content_type="text/plain")
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exc: Exception) -> HttpResponse | None:
        """Answer a value that a page let through and PostgreSQL refused; nothing of it was kept."""
        if not isinstance(exc, DataError):
            return None
        log.error("value_refused", path=request.path, exc_info=exc)
        return HttpResponseBadRequest(UNKEPT, content_type="text/plain")


def holds_nul(request: HttpRequest) -> bool:
    """Whether the address or a field of the form holds a NUL."""
    told = [request.path, *(word for _, words in request.GET.lists() for word in words)]
    if request.method == "POST" and request.path.startswith("/admin/"):  # the API reads JSON
        told += [str(word) for _, words in request.POST.lists() for word in words]
    return any("\0" in word for word in told)


class FacilityTimeMiddleware:
    """Show times in the facility's zone; inside they stay UTC.

    The zone is asked for once a minute: it is part of the set-up and hardly ever changes.
    """

    ASK_AGAIN_SECONDS = 60

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self._zone: ZoneInfo | None = None
        self._asked_at: float | None = None

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith("/admin/"):  # the API answers in UTC
            zone = self.zone()
            if zone is not None:
                with timezone.override(zone):
                    return self.get_response(request)
        return self.get_response(request)

    def zone(self) -> ZoneInfo | None:
        """Return the facility's zone, or None before the set-up is loaded."""
        now = monotonic()
        if self._asked_at is None or now - self._asked_at > self.ASK_AGAIN_SECONDS:
            name = Facility.objects.values_list("time_zone", flat=True).first()
            self._zone, self._asked_at = (ZoneInfo(name), now) if name else (None, None)
        return self._zone
