"""What must hold before the house opens: Django system checks with ids of their own."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import Error, Tags, register
from django.db import connection


@register(Tags.compatibility)
def check_settings(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[Error]:
    """Refuse a zone other than UTC and a database other than PostgreSQL."""
    errors = []
    if settings.TIME_ZONE != "UTC" or not settings.USE_TZ:
        errors.append(Error("Times are kept in UTC.", id="config.E001"))
    if connection.vendor != "postgresql":
        errors.append(Error("The guarantees live in PostgreSQL: use it.", id="config.E002"))
    return errors


@register(Tags.database)
def check_durability(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[Error]:
    """Refuse a server that may forget what it has acknowledged."""
    if not databases:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM pg_settings WHERE setting = 'off'"
            " AND name IN ('fsync', 'full_page_writes', 'synchronous_commit')"
        )
        return [
            Error(f"PostgreSQL runs with {name} off: money could be lost.", id="config.E003")
            for (name,) in cursor.fetchall()
        ]
