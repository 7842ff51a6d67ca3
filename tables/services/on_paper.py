"""Progressive wagers that a table took while it was down: it had no fresh meter value."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from tables.models import Downtime
from tables.services.fresh import fresh_seconds
from tables.services.turn import AtTurn

REMEMBERED = timedelta(days=7)  # a downtime that ended longer ago is not asked for at every batch
CODE = "progressive_wager_while_down"


class OnPaper:
    """The downtimes of a lane's tables, read once for a batch, when the first wager asks."""

    def __init__(self) -> None:
        self._stretches: dict[int, list[tuple[datetime, datetime | None]]] | None = None

    def see(self, turn: AtTurn) -> list[dict[str, Any]]:
        """Return a flag where an event tells of progressive wagers that should not have been."""
        if turn.pending.type not in ("lockout", "round") or turn.meter is None:
            return []
        wagered = [
            seat["position"]
            for seat in turn.document["positions"]
            if "progressive" in seat.get("wagers", ())
        ]
        if not wagered or not self._was_down(turn.table.pk, turn.pending.occurred_at):
            return []
        places = ", ".join(str(position) for position in wagered)
        return [
            {
                "code": CODE,
                "path": "positions",
                "cite": "",
                "severity": "exception",
                "detail": f"Progressive wagers at position {places} while {turn.table.code} was"
                " down: it had no fresh meter value and should have taken none.",
            }
        ]

    def _was_down(self, table_id: int, at: datetime) -> bool:
        stretches = self._all().get(table_id, ())
        return any(began <= at and (ended is None or at < ended) for began, ended in stretches)

    def _all(self) -> dict[int, list[tuple[datetime, datetime | None]]]:
        """Return when each table was down, from the moment its last value was no longer fresh."""
        if self._stretches is None:
            found: dict[int, list[tuple[datetime, datetime | None]]] = {}
            lately = Q(end__isnull=True) | Q(end__at__gt=timezone.now() - REMEMBERED)
            rows = list(
                Downtime.objects.filter(lately).values_list("table_id", "began_at", "end__ended_at")
            )
            fresh = timedelta(seconds=fresh_seconds()) if rows else timedelta()
            for table_id, began, ended in rows:
                found.setdefault(table_id, []).append((began + fresh, ended))
            self._stretches = found
        return self._stretches
