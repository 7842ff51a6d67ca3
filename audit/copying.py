"""Write many rows of a table that only grows: one binary COPY, in the caller's transaction."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

from audit.canonical import canonical


def copy_rows(table: str, columns: Mapping[str, str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Copy ready rows into ``table``; ``columns`` names each one's type in its order.

    A value for a JSON column is made by ``jsonb``. The database's own checks and triggers hold
    as for an INSERT.
    """
    if not rows:
        return
    names = ", ".join(f'"{name}"' for name in columns)
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.set_types(["bytea" if kind == "jsonb" else kind for kind in columns.values()])
        for row in rows:
            copy.write_row(row)


def jsonb(value: Any) -> bytes:
    """Return a value for a JSON column in its binary form: a version byte and the text."""
    return b"\x01" + canonical(value)
