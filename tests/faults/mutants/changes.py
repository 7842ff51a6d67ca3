"""What can be wrong with a house: each change takes away one thing that a guarantee rests on.

A change is the module it is made in and a function that makes it. Imports are inside, since this
file is read before Django is.
"""

import time
from collections.abc import Callable
from threading import Thread
from types import ModuleType
from typing import Any

Change = tuple[str, Callable[[ModuleType], None]]


def no_lock(apply: ModuleType) -> None:
    """The lane is read and not held: two workers may be at it."""

    def read_lane(lane_id: int, *, wait: bool = False) -> Any:
        return apply.Lane.objects.filter(pk=lane_id).first()

    apply.hold_lane = read_lane


def piecemeal(store: ModuleType) -> None:
    """A batch is committed in two pieces: movements and rounds, then all that tells of them."""
    store_envies = store.store_envies

    def commit_and_store(rows: Any) -> None:
        with store.connection.cursor() as cursor:
            cursor.execute("COMMIT")
        time.sleep(0.08)
        store_envies(rows)

    store.store_envies = commit_and_store


def slow_disk(store: ModuleType) -> None:
    """No mutant but a slow disk: a batch's transaction stays open for a while."""
    write = store.store

    def write_slowly(batch: Any) -> None:
        write(batch)
        time.sleep(0.06)

    store.store = write_slowly


def no_second_look(apply: ModuleType) -> None:
    """Who lets go of a lane does not look whether a bell fell meanwhile."""
    apply.has_waiting = lambda lane_id: False


def never_set_aside(apply: ModuleType) -> None:
    """An event that breaks the engine is tried for ever."""
    apply.note_attempt = lambda lane_id, pending, error: None


def no_sweep(apply: ModuleType) -> None:
    """Nobody looks for events that no bell announced."""
    apply.lanes_waiting = list


def swallowed(batch: ModuleType) -> None:
    """What breaks an event is passed over, with whatever it had done by then."""

    def apply(self: Any, events: list[Any]) -> None:
        for pending in events:
            try:
                self._apply_one(pending)
            except Exception:
                self.set_aside(pending, "passed over")

    batch.Batch.apply = apply


def poison(batch: ModuleType) -> None:
    """No mutant but a fault: an event that says so breaks the engine, or the database."""
    end, note = batch.Batch._end, batch.Batch._note

    def brittle_end(self: Any, turn: Any, *values: Any) -> None:
        if turn.document.get("_poison") == "engine":
            raise ZeroDivisionError("the engine broke, with the movements made")
        end(self, turn, *values)

    def brittle_note(
        self: Any, pending: Any, facts: Any, late: Any, state: str, *told: Any
    ) -> None:
        note(self, pending, facts, late, state, *told)
        if b'"_poison":"database"' in pending.body and state == "applied":
            row = list(self.applied[-1])
            row[3] = "longer than its column"
            self.applied[-1] = tuple(row)

    batch.Batch._end, batch.Batch._note = brittle_end, brittle_note


def by_arrival(numbering: ModuleType) -> None:
    """Events are numbered as they came, whatever their sequence says."""

    def merge(heads: Any, expected: dict[int, int], limit: int) -> list[int]:
        return sorted(event_id for _, _, event_id in heads)[:limit]

    numbering.merge = merge


def gap_jumped(numbering: ModuleType) -> None:
    """A missing event does not hold its table."""

    def merge(heads: Any, expected: dict[int, int], limit: int) -> list[int]:
        return [event_id for _, _, event_id in heads][:limit]

    numbering.merge = merge


def gap_forgotten(gaps: ModuleType) -> None:
    """A gap is closed without taking its place in the intake."""
    from tables.models import TableCursor  # noqa: PLC0415

    def close_gap(*, table: str, by: Any, reason: str) -> Any:
        gap = next(gap for gap in gaps.open_gaps() if gap.table == table)
        TableCursor.objects.filter(table_id=gap.table_id).update(expected=gap.last + 1)
        return gap

    gaps.close_gap = close_gap


def gap_unsaid(gaps: ModuleType) -> None:
    """Nobody is told of a gap."""
    gaps.alarm_gaps = lambda: 0


def rings_early(api: ModuleType) -> None:
    """The bell rings before the commit."""
    accept_events = api.accept_events

    def ring_and_accept(received: Any, **how: Any) -> Any:
        tables = api.GamingTable.objects.filter(code__in=[one["table"] for one in received])
        api.doorbell.press(set(tables.values_list("lane_id", flat=True)))
        time.sleep(0.1)
        return accept_events(received, **how)

    api.accept_events = ring_and_accept
    api.ring = lambda answers: None


def answers_early(api: ModuleType) -> None:
    """An event is called accepted before it is on disk."""
    from tables.services.accept import Answer, told_of  # noqa: PLC0415

    accept_events = api.accept_events

    def accept_later(received: Any, **how: Any) -> None:
        time.sleep(0.1)
        api.ring(accept_events(received, **how))

    def answer_now(received: Any, **how: Any) -> Any:
        Thread(target=accept_later, args=[received], kwargs=how).start()
        return [Answer(*told_of(document), "accepted") for document in received]

    api.accept_events = answer_now


def all_is_repeated(accept: ModuleType) -> None:
    """Whatever is there already passes for a repeat, also when it said something else."""

    def compare(old: list[Any], found: Any) -> None:
        for one in old:
            one.answer.repeated = True

    accept.compare = compare


def no_bell(doorbell: ModuleType) -> None:
    """Nothing is announced; the sweep finds it some seconds later."""
    doorbell.Doorbell.press = lambda self, lanes: None


def bell_holds_request(doorbell: ModuleType) -> None:
    """A request waits until the broker has heard its bell."""

    def press(self: Any, lanes: Any) -> None:
        for lane_id in lanes:
            doorbell.apply_lane.delay(lane_id)

    doorbell.Doorbell.press = press


CHANGES: dict[str, Change] = {
    "no_lock": ("tables.services.apply", no_lock),
    "piecemeal": ("tables.services.store", piecemeal),
    "slow_disk": ("tables.services.store", slow_disk),
    "no_second_look": ("tables.services.apply", no_second_look),
    "never_set_aside": ("tables.services.apply", never_set_aside),
    "no_sweep": ("tables.services.apply", no_sweep),
    "swallowed": ("tables.services.batch", swallowed),
    "poison": ("tables.services.batch", poison),
    "by_arrival": ("tables.services.numbering", by_arrival),
    "gap_jumped": ("tables.services.numbering", gap_jumped),
    "gap_forgotten": ("tables.services.gaps", gap_forgotten),
    "gap_unsaid": ("tables.services.gaps", gap_unsaid),
    "rings_early": ("tables.api", rings_early),
    "answers_early": ("tables.api", answers_early),
    "all_is_repeated": ("tables.services.accept", all_is_repeated),
    "no_bell": ("tables.doorbell", no_bell),
    "bell_holds_request": ("tables.doorbell", bell_holds_request),
}
