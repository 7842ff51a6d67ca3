"""The plain way: one transaction a wager, into the product's own tables."""

from datetime import date
from decimal import Decimal
from time import perf_counter
from types import TracebackType
from uuid import uuid4

import psycopg

METER_SQL = "SELECT value, sequence FROM progressives_meter WHERE id = %s FOR UPDATE"
ENTRY_SQL = """
INSERT INTO progressives_meterentry (
    meter_id, sequence, kind, amount, before, after, lane_number, gaming_day, round_id, "table",
    round, dealer, position, stake, hand, cards
) VALUES (%s, %s, 'contribution', %s, %s, %s, %s, %s, %s, 'B-1', %s, 'D1100', %s, %s, '', '')
"""
MOVE_SQL = "UPDATE progressives_meter SET value = %s, sequence = %s WHERE id = %s"
STAKE, RATE = Decimal("1.00"), Decimal("0.21")


class PlainWay:
    """One warm connection over the socket, every statement prepared, no ORM."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, prepare_threshold=0)
        found = self._connection.execute("SELECT id FROM progressives_meter").fetchone()
        assert found is not None  # noqa: S101  # the set-up made one
        self._meter: int = found[0]
        self._connection.commit()
        self._day = date(2026, 3, 14)

    def __enter__(self) -> "PlainWay":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def run(self, seconds: float) -> float:
        """Put wagers on the meter for so long; return how many a second."""
        done, round_id = 0, uuid4()
        begun = perf_counter()
        while (elapsed := perf_counter() - begun) < seconds:
            for position in range(6, 0, -1):
                self._contribute(round_id, done // 6 + 1, position)
                done += 1
            round_id = uuid4()
        return done / elapsed

    def _contribute(self, round_id: object, number: int, position: int) -> None:
        cursor, meter = self._connection.cursor(), self._meter
        value, sequence = cursor.execute(METER_SQL, [meter]).fetchone() or (Decimal(0), 0)
        amount = STAKE * RATE
        after, place = value + amount, sequence + 1
        cursor.execute(
            ENTRY_SQL,
            [meter, place, amount, value, after, number, self._day]
            + [round_id, number, position, STAKE],
        )
        cursor.execute(MOVE_SQL, [after, place, meter])
        self._connection.commit()
