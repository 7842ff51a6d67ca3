"""Write many rows of a table that only grows: one binary COPY, in the caller's transaction."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection


def copy_rows(table: str, columns: Mapping[str, str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Copy ready rows into ``table``; ``columns`` names each one's type in its order.

    JSON columns come as bytes. The database's own checks and triggers hold as for an INSERT.
    """
    if not rows:
        return
    names = ", ".join(f'"{name}"' for name in columns)
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.set_types(list(columns.values()))
        for row in rows:
            copy.write_row(row)
