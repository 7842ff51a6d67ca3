"""A small house to report to: two linked tables, a key, and a hand that applies."""

from typing import Any

import pytest

from progressives.models import Lane, Meter
from tables.models import AccessKey, GamingTable
from tables.services.accept import Answer, accept_events
from tables.services.apply import apply_lane
from tables.services.keys import make_key
from tables.services.setup import load_setup
from tests.documents import SETUP


@pytest.fixture
def floor(db: None) -> "Floor":
    """Return the house of ``tests.documents`` in a transaction that is rolled back."""
    return Floor()


class Floor:
    """The house of ``tests.documents`` and what one does with it."""

    def __init__(self, setup: dict[str, Any] = SETUP) -> None:
        load_setup(setup)
        self.key, self.secret = make_key(
            name="gateway", kind=AccessKey.Kind.GATEWAY, tables=GamingTable.objects.all()
        )
        self.lane = Lane.objects.order_by("pk")[0]

    def accept(self, *documents: Any) -> list[Answer]:
        """Put documents into the intake, as one list."""
        return accept_events(documents, key=self.key)

    def play(self, *documents: dict[str, Any]) -> int:
        """Accept the documents, all of them, and apply what can be applied."""
        answers = self.accept(*documents)
        assert [a.detail for a in answers if a.status != "accepted"] == []
        return self.apply()

    def apply(self) -> int:
        """Apply what waits; return how many events were done with."""
        done = 0
        for lane in Lane.objects.order_by("pk"):
            while applied := apply_lane(lane_id=lane.pk):
                done += applied
        return done

    @property
    def meter(self) -> Meter:
        return Meter.objects.get()

    @property
    def moved(self) -> list[tuple[str, str]]:
        """What the meter did, as (kind, amount), after its initial amount."""
        entries = self.meter.entries.order_by("sequence")[1:]
        return [(e.kind, f"{e.amount:.2f}") for e in entries]
