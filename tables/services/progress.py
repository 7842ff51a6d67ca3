"""How far the intake has been applied."""

from typing import NamedTuple

from django.db import connection

from tables.models import GamingTable
from tables.rules import SUPPORTED_GAMES


class Progress(NamedTuple):
    """Counts of intake events. ``held``: game not yet supported; ``gap``: behind a missing one."""

    accepted: int
    done: int
    waiting: int
    gap: int
    held: int


def of_tables(tables: list[GamingTable]) -> Progress:
    """Count the events of these tables by what has become of them."""
    supported = [t.pk for t in tables if t.game in SUPPORTED_GAMES]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), count(*) FILTER (WHERE e.sequence < c.expected),"
            " count(*) FILTER (WHERE NOT (e.table_id = ANY(%s)))"
            " FROM tables_tableevent e JOIN tables_tablecursor c USING (table_id)"
            " WHERE e.table_id = ANY(%s)",
            [supported, [t.pk for t in tables]],
        )
        accepted, done, held = cursor.fetchone()
        cursor.execute(
            "SELECT count(*) FROM tables_tablecursor c"
            " JOIN tables_tableevent e ON e.table_id = c.table_id AND e.sequence > c.expected"
            " WHERE c.table_id = ANY(%s) AND NOT EXISTS (SELECT 1 FROM tables_tableevent n"
            "  WHERE n.table_id = c.table_id AND n.sequence = c.expected)",
            [supported],
        )
        (gap,) = cursor.fetchone()
    return Progress(accepted, done, accepted - done - held - gap, gap, held)
