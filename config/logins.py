"""What the throttle of log-ins counts by: an account's name, and never what somebody typed."""

from typing import Any

from django.http import HttpRequest

from audit.models import User

NOBODY = "(no such account)"


def counted_name(request: HttpRequest | None, credentials: dict[str, Any] | None) -> str:
    """Return the name that a failed log-in is counted under.

    Who types his password into the name's field must not find it in a table: names that are
    nobody's are counted together.
    """
    told = (credentials or {}).get("username") or (request.POST.get("username") if request else "")
    name = str(told or "")[:150]
    return name if User.objects.filter(username=name).exists() else NOBODY
