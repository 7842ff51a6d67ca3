"""Draining a lane: the next batch is worked out while the one before it is written."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from audit.models import ExceptionRecord
from audit.verify import verify_chains
from progressives.services.reconcile import reconcile
from tables import rules
from tables.models import AppliedEvent, OpenRound, Round
from tables.services import drain
from tables.services.drain import drain_lane
from tests.documents import NOTHING, ROYAL, Sender, seat
from tests.tables.conftest import Floor


@pytest.fixture
def busy(committed_db: Any) -> Iterator[Floor]:
    """A house where forty rounds wait, each with its lock-out, at two tables."""
    floor = Floor()
    senders = [Sender("T-1"), Sender("T-2")]
    for number in range(20):
        for sender in senders:
            seats = [seat(2, NOTHING)] if number % 7 != 3 else [seat(2, NOTHING), seat(5, ROYAL)]
            floor.accept(sender.lockout(*seats), sender.settlement(*seats))
    yield floor
    connections.close_all()


def assert_all_applied(floor: Floor) -> None:
    numbers = list(AppliedEvent.objects.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, 81))
    assert Round.objects.count() == 40
    assert OpenRound.objects.count() == 0
    assert all(row.ok for row in reconcile())
    assert verify_chains().ok


@pytest.mark.parametrize("limit", [1, 3, 7, 400])
def test_batches_of_any_size_come_to_the_same(busy: Floor, limit: int) -> None:
    run = drain_lane(lane_id=busy.lane.pk, seconds=60, limit=limit)

    assert (run.done, run.busy, run.more) == (80, False, False)
    assert_all_applied(busy)
    assert f"{busy.meter.value:.2f}" == "10635.82"


def test_time_is_up_between_batches_and_the_rest_waits(busy: Floor) -> None:
    run = drain_lane(lane_id=busy.lane.pk, seconds=0, limit=5)
    assert (run.done, run.more) == (0, True)
    assert drain_lane(lane_id=busy.lane.pk, seconds=60).done == 80


def test_many_drains_at_once_do_everything_once(busy: Floor) -> None:
    def work(_: int) -> int:
        try:
            return drain_lane(lane_id=busy.lane.pk, seconds=60, limit=4).done
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(work, range(6)))
    done.append(drain_lane(lane_id=busy.lane.pk, seconds=60).done)

    assert sum(done) == 80
    assert_all_applied(busy)


def test_what_was_worked_out_is_thrown_away_when_somebody_was_at_the_lane(
    busy: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound: Callable[..., bool] = drain.write

    def disturbed(batch: Any) -> bool:
        if batch.begun_at == 10:  # a person moved the meter after this batch was worked out
            monkeypatch.setattr(drain, "write", sound)
            busy.lane.refresh_from_db()
            busy.lane.number += 1
            busy.lane.save(update_fields=["number"])
        return sound(batch)

    monkeypatch.setattr(drain, "write", disturbed)
    run = drain_lane(lane_id=busy.lane.pk, seconds=60, limit=10)

    assert (run.done, run.busy) == (80, False)  # it was worked out again
    numbers = list(AppliedEvent.objects.order_by("number").values_list("number", flat=True))
    assert numbers == [*range(1, 11), *range(12, 82)]
    assert all(row.ok for row in reconcile())


def test_a_poison_event_is_set_aside_and_the_drain_goes_on(
    busy: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = rules.settle

    def brittle(document: dict[str, Any], terms: Any) -> Any:
        if document["table"] == "T-1" and document["round"] == 9:
            raise ZeroDivisionError("a fault of ours")
        return sound(document, terms)

    monkeypatch.setattr(rules, "settle", brittle)
    done = sum(drain_lane(lane_id=busy.lane.pk, seconds=60, limit=6).done for _ in range(4))

    assert done == 80
    assert Round.objects.count() == 39
    assert ExceptionRecord.objects.filter(kind="event_set_aside").count() == 1
    assert all(row.ok for row in reconcile())
