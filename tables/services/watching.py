"""Keep what the watch remembers of each table while a batch goes by, and write it once."""

import json
from datetime import date
from typing import Any

from django.db import connection

from audit.models import ExceptionRecord
from tables.models import Equipment, Facility
from tables.rules.watch import Device, Found, State, WatchTerms, fresh, watch
from tables.rules.watch.dealers import overlap
from tables.services.terms import TermsBook
from tables.services.turn import AtTurn

ELSEWHERE_SQL = """
SELECT t.code, w.state->'dealers'
FROM tables_tablewatch w JOIN tables_gamingtable t ON t.id = w.table_id
WHERE NOT (w.table_id = ANY(%s)) AND w.state->'dealers' ?| %s
"""

STORE_SQL = """
INSERT INTO tables_tablewatch (table_id, state)
SELECT * FROM unnest(%s::bigint[], %s::jsonb[])
ON CONFLICT (table_id) DO UPDATE SET state = EXCLUDED.state
"""


class Watching:
    """The watch over a lane's tables for one batch.

    With ``before`` it goes on where that one ends, which need not be written yet: what was sealed
    is text, so that the next batch changes nothing of what is being written.
    """

    def __init__(self, book: TermsBook, before: "Watching | None" = None) -> None:
        self._book = book
        self._states: dict[int, State] = {}
        self._sealed: dict[int, str] = {}
        self._rows: dict[int, str] | None = None
        self._devices: dict[str, Device] | None = None
        self._warn_before: int = 0
        self._terms: dict[tuple[int, date], WatchTerms] = {}
        if before is not None:
            self._rows, self._devices = before._known(), before._devices
            self._warn_before, self._terms = before._warn_before, before._terms

    def _known(self) -> dict[int, str] | None:
        return None if self._rows is None else {**self._rows, **self._sealed}

    def see(self, turn: AtTurn) -> Found:
        """Show the watch an applied event; return what is to be put before a person."""
        if turn.pending.type == "sequence_skipped":
            return []
        table_id = turn.pending.table_id
        state = self._states.get(table_id)
        if state is None:
            state = self._states[table_id] = self._recall(table_id)
        terms = self._terms.get((table_id, turn.facts.gaming_day)) or self._read_terms(turn)
        return watch(state, turn.document, terms)[1]

    def _recall(self, table_id: int) -> State:
        """Return what is remembered of a table, with whatever a newer watch remembers besides."""
        if self._rows is None:
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT table_id, state::text FROM tables_tablewatch WHERE table_id = ANY(%s)",
                    [list(self._book.tables)],
                )
                self._rows = dict(cursor.fetchall())
        kept = self._rows.get(table_id)
        return fresh() | (json.loads(kept) if kept else {})

    def _read_terms(self, turn: AtTurn) -> WatchTerms:
        """Make the terms of a table's gaming day; the register is read once."""
        if self._devices is None:
            self._devices = registered()
            self._warn_before = 60 * Facility.objects.get(pk=1).warn_before_minutes
        day, table = turn.facts.gaming_day, turn.table
        terms = self._terms[table.pk, day] = WatchTerms.make(
            code=table.code,
            game=table.game,
            day=day.isoformat(),
            devices=self._devices,
            decks_in_use=table.decks_in_use,
            decks=turn.terms.submission.decks,
            warn_before=self._warn_before,
        )
        return terms

    # ---- the end of the batch -----------------------------------------------------------

    def seal(self) -> list[ExceptionRecord]:
        """Fix what is to be written; return alarms about dealers who were at two tables at once.

        Lanes are applied side by side: what another one has not committed yet, its next batch
        finds from the other end.
        """
        alarms = self._dealers_elsewhere() if self._states else []
        self._sealed = {table_id: json.dumps(state) for table_id, state in self._states.items()}
        return alarms

    def _dealers_elsewhere(self) -> list[ExceptionRecord]:
        """Compare each dealer's times at these tables with his times at every other one."""
        here = {self._book.tables[pk].code: state for pk, state in self._states.items()}
        names = sorted({name for state in here.values() for name in state["dealers"]})
        if not names:
            return []
        with connection.cursor() as cursor:
            cursor.execute(ELSEWHERE_SQL, [list(self._states), names])
            elsewhere = {code: json.loads(told) for code, told in cursor.fetchall()}
        elsewhere |= {code: state["dealers"] for code, state in here.items()}
        return [
            at_two_tables(name, table, other, moment)
            for table, state in here.items()
            for name, stints in state["dealers"].items()
            for other, dealers in elsewhere.items()
            if other != table
            and name in dealers
            and (moment := overlap(state, name, other, stints, dealers[name])) is not None
        ]

    def store(self) -> None:
        """Write what is remembered of each table of the batch: one statement for all."""
        if self._sealed:
            with connection.cursor() as cursor:
                cursor.execute(STORE_SQL, [list(self._sealed), list(self._sealed.values())])


def registered() -> dict[str, Device]:
    """Return the equipment register by serial number."""
    return {
        item.serial: Device(
            item.kind,
            item.table.code if item.table else "",
            item.approved_on.isoformat() if item.approved_on else "",
            item.removed_on.isoformat() if item.removed_on else "",
            item.counting or item.reshuffling,
        )
        for item in Equipment.objects.select_related("table")
    }


def at_two_tables(name: str, table: str, other: str, moment: str) -> ExceptionRecord:
    """Return the alarm about a dealer; of two tables that both find out, one raises it."""
    first, second = sorted((table, other))
    told: dict[str, Any] = {"dealer": name, "tables": [first, second], "since": moment}
    return ExceptionRecord(
        kind="dealer_at_two_tables",
        severity=ExceptionRecord.Severity.ALARM,
        table=table,
        sentence=f"Dealer {name} dealt at {first} and at {second} at the same time.",
        facts=told,
        once=f"dealer/{name}/{first}/{second}/{moment}",
    )
