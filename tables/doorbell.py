"""The doorbell's button: a request presses it and goes on, the ringing is another thread's.

A broker that hangs holds that thread and nobody else. What it could not announce is found by the
sweep.
"""

import threading
from collections.abc import Iterable

import structlog

from tables.tasks import apply_lane

log = structlog.get_logger(__name__)


class Doorbell:
    """Announces lanes to the workers; a lane pressed again before its turn is rung once."""

    def __init__(self) -> None:
        self._pressed: set[int] = set()
        self._changed = threading.Condition()
        self._ringer: threading.Thread | None = None

    def press(self, lanes: Iterable[int]) -> None:
        """Have the lanes announced, and return at once. Call it after the commit."""
        with self._changed:
            self._pressed.update(lanes)
            if self._ringer is None or not self._ringer.is_alive():
                self._ringer = threading.Thread(target=self._ring, name="doorbell", daemon=True)
                self._ringer.start()
            self._changed.notify()

    def _ring(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._pressed)
                lanes, self._pressed = self._pressed, set()
            for lane_id in sorted(lanes):
                try:
                    apply_lane.delay(lane_id)
                except Exception as error:  # whatever ails the broker: the ringer never gives up
                    log.warning("doorbell_not_heard", lane=lane_id, error=str(error))


doorbell = Doorbell()
