"""Write many rows of a table that only grows: one binary COPY, in the caller's transaction."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import connection
from psycopg.types.string import BytesBinaryDumper

from audit.canonical import canonical

NULL = "\\N"  # how COPY's text format writes that there is nothing


def copy_rows(table: str, columns: Mapping[str, str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Copy ready rows into ``table``; ``columns`` names each one's type in its order.

    A value for a JSON column is made by ``jsonb``. The database's own checks and triggers hold
    as for an INSERT.
    """
    if not rows:
        return
    names = ", ".join(f'"{name}"' for name in columns)
    with (
        connection.wrap_database_errors,  # the driver's own errors become Django's
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)") as copy,
    ):
        # Bytes go out as they are. The driver's way for a "Binary" of PEP 249 would be taken first.
        cursor.adapters.register_dumper(bytes, BytesBinaryDumper)
        copy.set_types(["bytea" if kind == "jsonb" else kind for kind in columns.values()])
        for row in rows:
            copy.write_row(row)


def copy_lines(table: str, columns: Iterable[str], lines: Sequence[str]) -> None:
    """Copy rows that are text lines already: values joined by tabs, ``NULL`` for none.

    For the hottest tables, where making the line costs less than a value-by-value conversion.
    Text that a person or a device may have chosen goes through ``escaped``.
    """
    if not lines:
        return
    names = ", ".join(f'"{name}"' for name in columns)
    with (
        connection.wrap_database_errors,
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy,
    ):
        copy.write("".join(lines))


def escaped(text: str) -> str:
    """Return a text as COPY's text format wants it."""
    if "\\" in text or "\t" in text or "\n" in text or "\r" in text:
        text = text.replace("\\", "\\\\").replace("\t", "\\t")
        text = text.replace("\n", "\\n").replace("\r", "\\r")
    return text


def jsonb(value: Any) -> bytes:
    """Return a value for a JSON column in its binary form: a version byte and the text."""
    return b"\x01" + canonical(value)


def jsonb_list(parts: Iterable[bytes]) -> bytes:
    """Return a JSON list whose parts are encoded already, as ``jsonb`` does."""
    return b"\x01[" + b",".join(parts) + b"]"
