"""Move the meters of a held lane, one movement after the other, and write what moved.

The lane's holder builds one ``Ledger`` for its transaction: it reads each meter once, keeps it in
memory while a batch of rounds moves it, and at the end copies the entries and writes each meter
once. Nobody else can move these meters meanwhile, since every mover holds the lane.
"""

from django.db import connection

from audit.copying import copy_lines
from progressives.levels import DISPLAY
from progressives.models import Meter
from progressives.services.level_meters import (
    Entry,
    LevelMeter,
    MustHitMeter,
    Priced,
    RoundFacts,
    SplitMeter,
)
from progressives.services.must_hit import store_won
from progressives.services.snapshots import store_snapshots

__all__ = [
    "ENTRY_COLUMNS",
    "Entry",
    "Ledger",
    "LevelMeter",
    "Priced",
    "RoundFacts",
    "SplitMeter",
]

ENTRY_COLUMNS = (
    *("meter_id", "sequence", "kind", "amount", "before", "after"),
    *("lane_number", "gaming_day", "round_id", "table", "round", "dealer"),
    *("position", "stake", "hand", "cards"),
)


class Ledger:
    """The levels of one held lane, by progressive and level.

    With ``before`` it goes on where that one ends, which need not be written yet.
    """

    def __init__(self, lane_id: int, before: "Ledger | None" = None) -> None:
        self._lines: list[str] = []
        self.meters: dict[tuple[int, str], LevelMeter] = {}
        self._levels: dict[int, list[LevelMeter]] = {}
        self._every: list[LevelMeter] = []
        if before is None:
            found: dict[tuple[int, str], list[Meter]] = {}
            meters = Meter.objects.filter(progressive__lane_id=lane_id).order_by("pk")
            for meter in meters.select_related("progressive"):
                found.setdefault((meter.progressive_id, meter.level), []).append(meter)
            for held_together in found.values():
                self._hold(held_together)
        else:
            for held in before.meters.values():
                self._hold([each.meter for each in held.every()], held)
        for levels in self._levels.values():
            self._tell_together(levels)

    def _hold(self, meters: list[Meter], before: LevelMeter | None = None) -> None:
        """Hold a level: its display, and beside it the reserve and the overflow it may have."""
        meters.sort(key=lambda meter: meter.purpose != DISPLAY)
        display, *pools = meters
        if pools:
            held: LevelMeter = SplitMeter(display, self._lines, pools, before)
        elif display.must_hit_by is not None:
            held = MustHitMeter(display, self._lines, before)
        else:
            held = LevelMeter(display, self._lines, before)
        self.meters[display.progressive_id, display.level] = held
        self._levels.setdefault(display.progressive_id, []).append(held)
        self._every += held.every()

    def _tell_together(self, levels: list[LevelMeter]) -> None:
        """Let all meters of a progressive tell into one list: the log keeps their order."""
        told: list[Entry] = []
        for level in levels:
            for held in level.every():
                held.told = told

    def of(self, progressive_id: int) -> LevelMeter:
        """Return the meter of a progressive that has one level, or its first one."""
        return self._levels[progressive_id][0]

    def levels(self, progressive_id: int) -> list[LevelMeter]:
        """Return the levels of a progressive, in the order in which it was set up."""
        return self._levels[progressive_id]

    def level(self, progressive_id: int, code: str) -> LevelMeter:
        """Return one level of a progressive."""
        return self.meters[progressive_id, code]

    def take_told(self, progressive_id: int | None) -> list[Entry]:
        """Return what moved since the last call, as the log tells it."""
        if progressive_id is None:
            return []
        levels = self._levels[progressive_id]
        told = levels[0].told
        if told:
            self._tell_together(levels)
        return told

    def store(self) -> None:
        """Copy the entries, then write each moved meter once."""
        copy_lines("progressives_meterentry", ENTRY_COLUMNS, self._lines)
        moved = [held for held in self._every if held.sequence != held.begun_at]
        with connection.cursor() as cursor:
            for held in moved:
                cursor.execute(
                    "UPDATE progressives_meter SET value = %s, sequence = %s WHERE id = %s",
                    [held.running.value, held.sequence, held.meter.pk],
                )
        for held in moved:
            if isinstance(held, MustHitMeter) and held.won:
                store_won(held.meter.pk, held.won)
        store_snapshots([mark for held in self._every for mark in held.marks])
