"""What every page of the house shows, whichever floor it is of: the tables that are down."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest

from tables.models import Downtime


def down_tables(request: HttpRequest) -> dict[str, Callable[[], list[Downtime]]]:
    """Return the open downtimes, asked for only where a page shows them to somebody at work."""

    def found() -> list[Downtime]:
        user: Any = getattr(request, "user", None)
        if user is None or not user.has_perm("tables.view_downtime"):
            return []
        return list(Downtime.objects.filter(end__isnull=True).select_related("table"))

    return {"down_tables": found}
