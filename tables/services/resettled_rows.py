"""Compare the rows that a settlement wrote with those that it comes to when settled again."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db import connection

from audit.canonical import parse
from audit.walking import Fault
from progressives.services.claims_open import CLAIM_COLUMNS, ENVY_COLUMNS
from tables.services.batch import Batch
from tables.services.store import APPLIED, ROUND, SEAT

PAGE = 2000
DOCUMENTS = {
    name
    for kinds in (ROUND, SEAT, CLAIM_COLUMNS)
    for name, kind in kinds.items()
    if kind == "jsonb"
}

# What each kind of row is called, its table, its columns and those that name it.
Kind = tuple[str, str, Sequence[str], Sequence[str]]
ROUNDS: Kind = ("round", "tables_round", list(ROUND), ["id"])
SEATS: Kind = ("position", "tables_roundposition", list(SEAT), ["round_id", "position"])
ENVIES: Kind = (
    "Envy Bonus",
    "progressives_envypayout",
    [name for name in ENVY_COLUMNS if name != "lane_id"],
    ["round_id", "wager", "position", "from_position", "version"],
)
CLAIMS: Kind = (
    "claim",
    "progressives_jackpotclaim",
    [name for name in CLAIM_COLUMNS if name not in ("id", "state")],
    ["round_id", "position", "version", "progressive_id", "meter_id"],
)


def compare_rows(chain: str, batch: Batch, documents: Mapping[str, bytes]) -> Iterator[Fault]:
    """Yield a fault for each row that is not there, or says something else."""
    yield from compare_kind(chain, ROUNDS, batch.rounds)
    yield from compare_kind(chain, SEATS, batch.seats)
    yield from compare_kind(
        chain, CLAIMS, [tuple(c._asdict()[n] for n in CLAIMS[2]) for c in batch.claims]
    )
    yield from compare_kind(chain, ENVIES, [row[-len(ENVIES[2]) :] for row in batch.envies])
    yield from compare_applied(chain, batch, documents)


def compare_kind(chain: str, kind: Kind, made: Sequence[tuple[Any, ...]]) -> Iterator[Fault]:
    """Compare rows of one table by the columns that name them; what else there is, see
    ``unlogged``."""
    word, table, columns, names = kind
    places = [columns.index(name) for name in names]
    for start in range(0, len(made), PAGE):
        page = {tuple(row[place] for place in places): row for row in made[start : start + PAGE]}
        found = rows_by_name(table, columns, names, list(page))
        for name, row in page.items():
            stored = found.get(tuple(map(str, name)))
            where = f"{word} {'/'.join(map(str, name))}"
            if stored is None:
                yield Fault(chain, 0, "row_missing", f"The {where} is not in the database.")
                continue
            for column, one, other in zip(columns, row, stored, strict=True):
                if plain(column, one) != plain(column, other):
                    detail = f"The {where} has another {column} than its settlement comes to."
                    yield Fault(chain, 0, "row_differs", detail)
                    break


def rows_by_name(
    table: str, columns: Sequence[str], names: Sequence[str], wanted: list[tuple[Any, ...]]
) -> dict[tuple[str, ...], tuple[Any, ...]]:
    """Return stored rows, found by the first of the columns that name them."""
    chosen = ", ".join(f'"{column}"' for column in columns)
    with connection.cursor() as cursor:
        cursor.execute(
            f'SELECT {chosen} FROM {table} WHERE "{names[0]}" = ANY(%s)',  # noqa: S608  # ours
            [list({name[0] for name in wanted})],
        )
        rows = cursor.fetchall()
    places = [columns.index(name) for name in names]
    return {tuple(str(row[place]) for place in places): row for row in rows}


def plain(column: str, value: Any) -> Any:
    """Return a value as it compares: JSON read, whether it comes from COPY or from a row."""
    if column not in DOCUMENTS:
        return value
    if isinstance(value, bytes):
        return parse(value[1:])
    return parse(value.encode()) if isinstance(value, str) else value


def compare_applied(chain: str, batch: Batch, documents: Mapping[str, bytes]) -> Iterator[Fault]:
    """Compare what became of each intake event, and the intake's own bytes with the log's."""
    made = {row[APPLIED_NUMBER]: row for row in batch.applied}
    for page in pages(list(documents.items())):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT e.event_id::text, e.body, a.number, a.state, a.gaming_day, a.late"
                " FROM tables_tableevent e LEFT JOIN tables_appliedevent a ON a.event_id = e.id"
                " WHERE e.event_id = ANY(%s::uuid[])",
                [[event_id for event_id, _ in page]],
            )
            found = {row[0]: row[1:] for row in cursor.fetchall()}
        for event_id, document in page:
            row = found.get(event_id)
            if row is None:
                yield Fault(chain, 0, "row_missing", f"Event {event_id} is not in the intake.")
            elif bytes(row[0]) != document:
                told = f"Event {event_id} in the intake is not what was applied."
                yield Fault(chain, 0, "row_differs", told)
            elif row[1] not in made or (made[row[1]][3], *made[row[1]][7:9]) != tuple(row[2:5]):
                told = f"What became of event {event_id} is told otherwise by the log."
                yield Fault(chain, 0, "row_differs", told)


APPLIED_NUMBER = list(APPLIED).index("number")


def pages(items: list[Any]) -> Iterator[list[Any]]:
    """Yield a list in pages."""
    for start in range(0, len(items), PAGE):
        yield items[start : start + PAGE]
