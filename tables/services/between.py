"""What moved on a lane between two of a round's events: the other linked tables, from the log."""

from collections.abc import Callable, Iterable
from typing import Any

from audit.canonical import parse
from audit.models import AuditEvent

#: Tells, as steps, what a chain's events between two sequences moved.
Between = Callable[[str, int, int], list[dict[str, Any]]]
MOST = 500  # events looked at: a round seldom stays open for more


def elsewhere(chain: str, after: int, before: int) -> list[dict[str, Any]]:
    """Return one step for what the lane's other events moved meanwhile, none where nothing did."""
    if before - after < 2:
        return []
    rows = AuditEvent.objects.filter(
        chain__name=chain, sequence__gt=after, sequence__lt=before
    ).order_by("sequence")
    return step_of(chain, (bytes(body) for body in rows.values_list("body", flat=True)[:MOST]))


def step_of(chain: str, bodies: Iterable[bytes]) -> list[dict[str, Any]]:
    """Return the movements that these events tell, as one step."""
    moved = []
    for body in bodies:
        told = parse(body)
        table, _, number = told["subject"].partition("/")
        place = {"table": table, "round": int(number) if number.isdecimal() else None}
        moved += [{**place, **entry} for entry in told["facts"].get("entries") or ()]
    return [{"step": "elsewhere", "chain": chain, "moved": moved}] if moved else []


def nothing_known(chain: str, after: int, before: int) -> list[dict[str, Any]]:
    """Tell nothing: where only the round's own events are at hand."""
    return []
