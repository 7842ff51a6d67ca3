"""A house that plays over several gaming days, and what people do to close one."""

from datetime import date, timedelta
from typing import Any

from audit.models import ExceptionRecord, User
from audit.services import close_exception
from progressives.models import GamingDayClose, Lane
from progressives.services.close_counts import Counted, enter_counts
from progressives.services.close_day import end_day
from progressives.services.close_figures import Figures, figures_of
from progressives.services.close_readings import enter_readings
from progressives.services.close_sign import prepare_close, review_close
from tables.models import AccessKey, GamingTable
from tables.services.accept import accept_events
from tables.services.apply import apply_lane
from tables.services.keys import make_key
from tables.services.setup import load_setup
from tests.documents import NOON, SETUP, Sender
from tests.make import make_user

DAY = date(2026, 3, 14)
PLAIN = ("4C 6S TH 8D KS 3H".split(), ["TH"])  # nothing, beside NOTHING at the same table


class Days:
    """The house of ``tests.documents`` over its days; accountants A1 and A2, auditor U1."""

    def __init__(self, setup: Any = SETUP) -> None:
        load_setup(setup)
        self.key, _ = make_key(
            name="gateway", kind=AccessKey.Kind.GATEWAY, tables=GamingTable.objects.all()
        )
        self.lane = Lane.objects.get()
        self.senders = {code: Sender(code) for code in ("T-1", "T-2")}
        self.preparer = make_user("A1", "accounting")
        self.reviewer = make_user("A2", "accounting")

    def on(self, days: int) -> str:
        """Return noon so many days after the first, as events write it."""
        return (NOON + timedelta(days=days)).isoformat()

    def play(self, *seats: dict[str, Any], table: str = "T-1", days: int = 0) -> None:
        """Play one whole round at a table."""
        self.take(self.senders[table].whole(*seats, occurred_at=self.on(days)))

    def take(self, *documents: dict[str, Any]) -> None:
        """Accept documents and apply them."""
        answers = accept_events(documents, key=self.key)
        assert {answer.status for answer in answers} == {"accepted"}
        while apply_lane(lane_id=self.lane.pk):
            pass

    def figures(self, day: date = DAY) -> Figures:
        return figures_of(day, fresh=True)

    def read(self, value: str | None = None, day: date = DAY) -> None:
        """Enter a reading of the one meter, by default what it must be; and count the chips."""
        [line] = self.figures(day).lines
        value = str(line.expected) if value is None else value
        enter_readings(day=day, by=self.preparer, values={"P-1:grand": value})
        self.count(day)

    def count(self, day: date = DAY, **amounts: str) -> None:
        """Enter what was counted at each table (T_1="3.00"); by default what must lie there."""
        counts = [
            Counted(line.table, line.dealer, amounts.get(line.table.replace("-", "_"), due))
            for line in self.figures(day).chips
            for due in [str(line.expected)]
        ]
        if counts:
            enter_counts(day=day, by=self.preparer, counts=counts)

    def close(self, day: date = DAY) -> GamingDayClose:
        """Close a day that holds: end, read and count, sign, sign."""
        end_day(day=day, by=self.preparer)
        self.read(day=day)
        prepare_close(day=day, by=self.preparer)
        return review_close(day=day, by=self.reviewer)

    def close_exceptions(self, by: User | None = None) -> None:
        """Close what is open, with a reason."""
        for found in ExceptionRecord.objects.filter(state="open"):
            close_exception(exception_id=found.pk, by=by or self.reviewer, reason="Looked into.")
