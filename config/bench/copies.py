"""A bare COPY: the rows that the drain wrote, ready in the wire's format, into empty twin tables.

No settlement, no locks, no chain: nothing that writes these rows durably can be much faster.
"""

from collections.abc import Iterable
from time import perf_counter
from types import TracebackType
from typing import NamedTuple

import psycopg

from audit.services import EVENT_COLUMNS
from config.bench import Wrong
from progressives.services.claims_open import CLAIM_COLUMNS, ENVY_COLUMNS, STEP_COLUMNS
from progressives.services.ledger import ENTRY_COLUMNS
from tables.services.apply import BATCH_LIMIT
from tables.services.store import APPLIED, ROUND, SEAT


class Copied(NamedTuple):
    """A table the drain copies into: its columns, and which rows are of the lane's numbers."""

    table: str
    columns: Iterable[str]
    rows: str
    options: str = "(FORMAT BINARY)"


ROUNDS = "SELECT id FROM tables_round WHERE lane_number BETWEEN {0} AND {1}"
CLAIMS = "SELECT id FROM progressives_jackpotclaim WHERE lane_number BETWEEN {0} AND {1}"
OF_LANE = "lane_number BETWEEN {0} AND {1} ORDER BY lane_number"
COPIES = (  # in the order of the drain
    Copied("progressives_meterentry", ENTRY_COLUMNS, f"{OF_LANE}, meter_id, sequence", ""),
    Copied("tables_round", ROUND, OF_LANE),
    Copied("tables_roundposition", SEAT, f"round_id IN ({ROUNDS})"),
    Copied("progressives_jackpotclaim", CLAIM_COLUMNS, f"{OF_LANE}, id"),
    Copied("progressives_claimstep", STEP_COLUMNS, f"claim_id IN ({CLAIMS}) ORDER BY id"),
    Copied("progressives_envypayout", ENVY_COLUMNS, f"{OF_LANE}, id"),
    Copied("tables_appliedevent", APPLIED, "number BETWEEN {0} AND {1} ORDER BY number"),
    Copied(
        "audit_auditevent",
        EVENT_COLUMNS,
        "chain_id = (SELECT id FROM audit_chain WHERE name LIKE 'lane:%')"
        " AND sequence BETWEEN {0} AND {1} ORDER BY sequence",
    ),
)


class Part(NamedTuple):
    """What one COPY of one transaction writes."""

    statement: str
    data: bytes


class CopyWay:
    """A connection to where the drain wrote, and one to its empty twin."""

    def __init__(self, written_url: str, twin_url: str) -> None:
        self._written = psycopg.connect(written_url, autocommit=True)
        self._twin = psycopg.connect(twin_url)
        self._waiting: list[list[Part]] = []
        self._copied = self._rounds = 0

    def __enter__(self) -> "CopyWay":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._written.close()
        self._twin.close()

    def read(self, until: int) -> None:
        """Read what the lane wrote up to a number and was not copied yet, batch by batch."""
        self._waiting = [
            self._read(first, min(first + BATCH_LIMIT - 1, until))
            for first in range(self._copied + 1, until + 1, BATCH_LIMIT)
        ]
        self._rounds, self._copied = until - self._copied, until

    def run(self) -> float:
        """Copy what was read; return how many rounds a second."""
        begun = perf_counter()
        for batch in self._waiting:
            with self._twin.transaction(), self._twin.cursor() as cursor:
                for part in batch:
                    with cursor.copy(part.statement) as copy:
                        copy.write(part.data)
        return self._rounds / (perf_counter() - begun)

    def verify(self) -> None:
        """See that the twin holds as many rows as the tables that were copied."""
        for copied in COPIES:
            count = f"SELECT count(*) FROM {copied.table}"  # noqa: S608
            written, twin = (c.execute(count).fetchone() for c in (self._written, self._twin))
            if written != twin:
                raise Wrong(f"Of {copied.table} the copy holds {twin} rows, not {written}.")

    def _read(self, first: int, last: int) -> list[Part]:
        parts = []
        for copied in COPIES:
            names = ", ".join(f'"{name}"' for name in copied.columns)
            asked = f"SELECT {names} FROM {copied.table} WHERE {copied.rows}"  # noqa: S608
            with (
                self._written.cursor() as cursor,
                cursor.copy(
                    f"COPY ({asked.format(first, last)}) TO STDOUT {copied.options}".encode()
                ) as copy,
            ):
                data = b"".join(copy)
            statement = f"COPY {copied.table} ({names}) FROM STDIN {copied.options}"
            parts.append(Part(statement, data))
        return parts
