"""Which terms hold: the facility's day, and the submission in force for a table's game."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from progressives.models import Progressive
from tables.models import Facility, GamingTable, RulesSubmission
from tables.rules import Submission, TableTerms

AHEAD = timedelta(minutes=15)  # a sender's clock further ahead does not turn the day


class GamingDay:
    """The facility's gaming day: which one a moment belongs to."""

    def __init__(self, facility: Facility) -> None:
        self._zone = ZoneInfo(facility.time_zone)
        start = facility.gaming_day_starts
        self._start = timedelta(hours=start.hour, minutes=start.minute)
        self._day = date.min
        self._from = self._until = datetime.min.replace(tzinfo=UTC)

    def of(self, moment: datetime) -> date:
        """Return the gaming day of an aware moment.

        Most moments fall into the day that was asked for last, so its bounds are kept.
        """
        if not self._from <= moment < self._until:
            self._day = (moment.astimezone(self._zone).replace(tzinfo=None) - self._start).date()
            self._from, self._until = (self._begins(self._day + timedelta(n)) for n in (0, 1))
        return self._day

    def _begins(self, day: date) -> datetime:
        local = datetime.combine(day, time(), tzinfo=None) + self._start
        return local.replace(tzinfo=self._zone).astimezone(UTC)

    def joined(self, occurred_at: datetime, current: date | None) -> tuple[date, bool]:
        """Return (the day an event is counted in, whether it is late).

        A lane's day never goes back, and a clock ahead of ours does not turn it.
        """
        day = self.of(occurred_at)
        now = datetime.now(UTC)
        if occurred_at - now > AHEAD:
            day = min(day, self.of(now))
        if current is not None and day < current:
            return current, True
        return day, False


class TermsBook:
    """The tables of the house and the submissions of their games, read once for a batch."""

    def __init__(self, tables: list[GamingTable] | None = None) -> None:
        self.day = GamingDay(Facility.objects.get(pk=1))
        found = GamingTable.objects.all() if tables is None else tables
        self.tables = {table.pk: table for table in found}
        self.by_code = {table.code: table for table in self.tables.values()}
        units = dict(Progressive.objects.values_list("pk", "wager_unit"))
        self._units = {
            pk: None if t.progressive_id is None else units[t.progressive_id]
            for pk, t in self.tables.items()
        }
        self._submissions: dict[str, list[tuple[date, Submission]]] = {}
        for row in RulesSubmission.objects.order_by("game", "effective"):
            made = Submission.make(row.game, row.choices)
            self._submissions.setdefault(row.game, []).append((row.effective, made))
        self._made: dict[tuple[int, date], TableTerms] = {}

    def at(self, table: GamingTable, moment: datetime) -> TableTerms:
        """Return the table's terms under the submission in force at ``moment`` (§ 601a.2)."""
        day = self.day.of(moment)
        key = (table.pk, day)
        terms = self._made.get(key)
        if terms is None:
            dated = self._submissions.get(table.game, [])
            place = sum(effective <= day for effective, _ in dated)
            submission = dated[place - 1][1] if place else Submission.make(table.game, {})
            terms = self._made[key] = TableTerms(
                table.code, table.game, table.positions, submission, self._units[table.pk]
            )
        return terms
