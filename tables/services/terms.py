"""Which terms hold: the facility's day, and the submission in force for a table's game."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from progressives.meters import MeterTerms
from progressives.models import Meter, MeterRetirement, Progressive
from progressives.services.ledger import LevelMeter
from tables.models import Facility, GamingTable, SubmissionApproval
from tables.rules import Submission, TableTerms
from tables.rules.choices import progressives_in
from tables.services.turn import Fed

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

    def __init__(
        self, tables: list[GamingTable] | None = None, *, retired_too: bool = False
    ) -> None:
        self.day = GamingDay(Facility.objects.get(pk=1))
        found = GamingTable.objects.all() if tables is None else tables
        self.tables = {table.pk: table for table in found}
        self.by_code = {table.code: table for table in self.tables.values()}
        units: dict[int, Decimal | None] = dict(Progressive.objects.values_list("pk", "wager_unit"))
        retired = MeterRetirement.objects.values_list("meter__progressive_id", flat=True)
        for gone in () if retired_too else retired:
            units[gone] = None  # takes no wager any more
        self._units = {
            pk: None if t.progressive_id is None else units[t.progressive_id]
            for pk, t in self.tables.items()
        }
        self.further: Mapping[int, tuple[Fed, ...]] = {}  # only whoever applies events needs it
        self._submissions: dict[str, list[tuple[date, Submission]]] = {}
        self._grown: dict[str, dict[Decimal, Mapping[str, Any]]] = {}
        approved = SubmissionApproval.objects.exclude(kind=SubmissionApproval.Kind.REFUSED)
        for row in approved.select_related("submission").order_by("game", "effective"):
            made = Submission.make(row.game, row.submission.choices)
            self._submissions.setdefault(row.game, []).append((row.effective, made))
            if row.kind == SubmissionApproval.Kind.APPROVED:
                self._grown[made.digest] = {
                    Decimal(told["wager_unit"]): told for told in progressives_in(made.choices)
                }
        self._made: dict[tuple[int, date], TableTerms] = {}
        self._meter_terms: dict[tuple[int, str, Decimal | None], MeterTerms] = {}

    def at(self, table: GamingTable, moment: datetime) -> TableTerms:
        """Return the table's terms under the approved submission in force (§ 601a.2)."""
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

    def meter_terms(self, meter: LevelMeter, terms: TableTerms) -> MeterTerms:
        """Return the meter's terms under the table's submission (SC-10, SC-12, SC-23).

        Reset amount and rate are the set-up's, until an approved submission names others.
        """
        key = (meter.meter.pk, terms.submission.rules, terms.progressive_unit)
        found = self._meter_terms.get(key)
        if found is None:
            found = self._meter_terms[key] = self.terms_of_meter(meter.meter, terms)
        return found

    def forget_meter_terms(self) -> None:
        """Read the meters' own terms anew: they were given others."""
        self._meter_terms.clear()

    def terms_of_meter(self, meter: Meter, terms: TableTerms) -> MeterTerms:
        """Return the terms of a meter that nobody holds, worked out anew."""
        rate, reset = meter.increment_percent, meter.reset
        grown = self._grown.get(terms.submission.digest)
        if grown and terms.progressive_unit in grown:
            told = grown[terms.progressive_unit]
            rate = Decimal(told.get("increment_percent", rate))
            reset = Decimal(told.get("reset", reset))
        return terms.submission.meter_terms(rate, reset)
