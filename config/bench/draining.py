"""The house's way: events wait in the intake, and the worker's own drain applies them."""

import gc
from datetime import UTC, datetime
from time import perf_counter

from audit.verify import verify_chains
from config.bench import Wrong
from config.bench.ground import Ground
from config.bench.rounds import Dealers
from progressives.services.reconcile import reconcile
from tables.models import AppliedEvent, TableEvent
from tables.services.accept import accept_events
from tables.services.drain import drain_lane
from tables.services.terms import TermsBook

LIST_LENGTH = 100  # events a request brings


class HouseWay:
    """The lane, its dealers, and how many of their rounds are applied."""

    def __init__(self, ground: Ground, seed: int = 1) -> None:
        self._ground = ground
        book, now = TermsBook(), datetime.now(UTC)
        self.terms = [book.at(table, now) for table in ground.tables]
        self.dealers = Dealers(self.terms, seed)
        self.applied = 0
        self.accepted, self.accept_seconds = 0, 0.0

    def feed(self, count: int) -> None:
        """Put so many rounds into the intake, list by list, each answered as to a sender."""
        for first in range(0, count, LIST_LENGTH):
            documents = self.dealers.rounds(min(LIST_LENGTH, count - first))
            begun = perf_counter()
            answers = accept_events(documents, key=self._ground.key)
            self.accept_seconds += perf_counter() - begun
            self.accepted += len(answers)
            for answer in answers:
                if answer.status != "accepted":
                    raise Wrong(f"The intake refused a round: {answer.detail}")

    def drain(self) -> float:
        """Apply all that waits; return how many rounds a second."""
        waiting = self.accepted - self.applied
        gc.collect()
        begun = perf_counter()
        drained = drain_lane(lane_id=self._ground.lane.pk, seconds=3600)
        elapsed = perf_counter() - begun
        if drained.done != waiting:
            raise Wrong(f"Of {waiting} rounds the drain applied {drained.done}.")
        self.applied += drained.done
        return waiting / elapsed

    def verify(self) -> None:
        """See that every event was applied, the meter adds up and the chain holds."""
        applied = AppliedEvent.objects.filter(state=AppliedEvent.State.APPLIED).count()
        if not applied == TableEvent.objects.count() == self.accepted:
            raise Wrong(f"{applied} of {self.accepted} rounds are applied.")
        for row in reconcile():
            if not row.ok:
                raise Wrong(f"Meter {row.meter} does not reconcile: {row.faults}")
        if faults := verify_chains().faults:
            raise Wrong(f"The log does not verify: {faults[0].detail}")
