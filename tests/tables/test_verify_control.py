"""Rounds are settled again by the terms of their own time, whatever changed since."""

from typing import Any

import pytest

from audit.models import AuditEvent, Chain
from progressives.models import Lane, Meter
from progressives.services.control import approve_control, request_retirement
from progressives.services.control_effect import effect_control
from tables.services import resettle
from tables.services.resettle import settle_piece
from tables.services.verify_all import verify_all
from tests.documents import FIVE_ACES, NOTHING, SETUP, Sender, seat
from tests.progressives.samples import set_up
from tests.progressives.test_control import NOTICE, People, closing, opening
from tests.tables.conftest import Floor


def test_every_round_is_settled_again_by_the_terms_of_its_own_time(
    committed_db: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, between and after changes; after the progressive has retired too."""
    floor, people = Floor(), People()
    [plain] = SETUP["progressives"]
    set_up({**plain, "code": "P-2"})
    one, two = Meter.objects.order_by("pk")
    sender = Sender("T-1")

    def plays() -> None:
        floor.play(opening(sender), sender.whole(seat(2, FIVE_ACES), seat(3, NOTHING)))
        floor.play(closing(sender))

    floor.lane = Lane.objects.get(name="P-1")
    plays()
    people.changed(one, {"reset": "6000.00", "limit": "20000.10"})
    plays()
    people.changed(one, {"reset": "7000.00", "limit": None, "overflow_at_reset": "kept"})
    plays()
    people.transferred(one, two)
    for pool in Meter.objects.filter(progressive=one.progressive, value__gt=0):
        people.transferred(pool, two)
    asked = request_retirement(meter_id=one.pk, by=people.resets, reason="R.", **NOTICE)
    approve_control(request_id=asked.pk, by=people.configures)
    effect_control(request_id=asked.pk)
    lane = Chain.objects.get(name="lane:P-1")
    assert settle_piece(lane.pk, lane.name, 0, lane.sequence)["found"] == []
    half = AuditEvent.objects.filter(chain=lane, action="progressives.control_effected")
    for after in half.values_list("sequence", flat=True):  # wherever a stretch begins
        assert settle_piece(lane.pk, lane.name, after, lane.sequence)["found"] == []
    assert [fault.detail for fault in verify_all().faults] == []
    monkeypatch.setattr(resettle, "give_terms", lambda level, told: None)  # the mutant
    assert settle_piece(lane.pk, lane.name, 0, lane.sequence)["found"] != []
