"""Exceptions as people ask for them: by kind, place, state and age."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from audit.models import ExceptionRecord, User

State = ExceptionRecord.State

#: Ages one may ask for: at least so old.
AGES = {
    "hour": ("an hour", timedelta(hours=1)),
    "shift": ("a shift", timedelta(hours=8)),
    "day": ("a day", timedelta(days=1)),
    "week": ("a week", timedelta(days=7)),
}


def exceptions(asked: Mapping[str, str], viewer: User | None = None) -> QuerySet[ExceptionRecord]:
    """Return what was asked for; alarms first, and of each the oldest first.

    ``asked``: ``state`` (open, closed or all; open without it), ``kind``, ``severity``, ``table``,
    ``age`` and ``owner`` (mine or nobody). Anything else that stands there asks for nothing.
    """
    found = ExceptionRecord.objects.select_related("owner", "closed_by")
    state = asked.get("state") or State.OPEN.value
    if state in State.values:
        found = found.filter(state=state)
    for key in ("kind", "severity", "table"):
        if value := asked.get(key):
            found = found.filter(**{key: value})
    if asked.get("age") in AGES:
        found = found.filter(opened_at__lte=timezone.now() - AGES[asked["age"]][1])
    if asked.get("owner") == "nobody":
        found = found.filter(owner__isnull=True)
    elif asked.get("owner") == "mine" and viewer is not None:
        found = found.filter(owner=viewer)
    return found.order_by("severity", "opened_at", "pk")  # "alarm" comes before "exception"


def open_by_kind() -> list[tuple[str, str, int]]:
    """Return (kind, severity, how many) of what is open, alarms first."""
    rows = ExceptionRecord.objects.filter(state=State.OPEN).order_by("severity", "kind")
    return list(rows.values_list("kind", "severity").annotate(number=Count("pk")))


def tables_with_exceptions() -> list[str]:
    """Return the tables that something is open at."""
    rows = ExceptionRecord.objects.filter(~Q(table=""), state=State.OPEN).order_by("table")
    return list(rows.values_list("table", flat=True).distinct())


def age_of(found: ExceptionRecord, now: datetime) -> timedelta:
    """Return how old an open exception is, or how long a closed one was open."""
    return max((found.closed_at or now) - found.opened_at, timedelta(0))


def told(found: ExceptionRecord, now: datetime) -> dict[str, Any]:
    """Return an exception as the command prints it; of a payment what was right and what paid."""
    facts = found.facts
    return {
        "kind": found.kind,
        "severity": found.severity,
        "table": found.table,
        "round": found.round,
        "position": found.position,
        "wager": facts.get("wager"),
        "right": facts.get("due"),
        "paid": facts.get("paid"),
        "dealer": facts.get("dealer") or None,
        "state": found.state,
        "age": int(age_of(found, now).total_seconds()),
        "sentence": found.sentence,
        "cite": found.cite,
    }


def told_all(asked: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield what was asked for, one after the other: there may be many."""
    now = timezone.now()
    for found in exceptions(asked).iterator(chunk_size=500):
        yield told(found, now)


def age_text(age: timedelta) -> str:
    """Write an age: 12 min, 3 h 05, 2 days."""
    minutes = int(age.total_seconds()) // 60
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02}" if hours < 48 else f"{hours // 24} days"
