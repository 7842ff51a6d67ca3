"""A simulated property: its days close with nothing unexplained, and what goes wrong is named."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from audit.verify import verify_chains
from progressives.models import GamingDayClose, JackpotClaim, PayoutSlip
from progressives.services.close_report import month_of
from progressives.services.reconcile import reconcile
from tables.models import Round, TableEvent
from tables.services.month import NAMED, CannotSimulate, Month
from tables.simulator import Start, play
from tables.simulator.days import FAULTS
from tables.simulator.property import property_setup
from tables.simulator.witness import Witness, share_of
from tests.days import PureDay, terms_of

FIRST = date(2026, 3, 2)


def simulated(*options: str) -> dict[str, Any]:
    """Run the command and return what it tells."""
    out = StringIO()
    call_command("simulate", *options, "--begins", FIRST.isoformat(), "--json", stdout=out)
    told: dict[str, Any] = json.loads(out.getvalue())
    return told


def test_days_of_a_small_property_close_to_the_cent(committed_db: Any) -> None:
    told = simulated("--days", "2", "--tables", "4", "--density", "0.25")

    assert (told["days_closed"], told["unexplained"]) == (2, "0")
    assert [day["variances"] for day in told["days"]] == [[], []]
    closes = list(GamingDayClose.objects.order_by("gaming_day"))
    assert [close.digest for close in closes] == [day["digest"] for day in told["days"]]
    assert {close.prepared_by.staff_code for close in closes} == {"A581"}  # type: ignore[union-attr]
    assert {close.reviewed_by.staff_code for close in closes} == {"A582"}  # type: ignore[union-attr]
    assert Round.objects.count() == sum(day["rounds"] for day in told["days"])
    assert set(TableEvent.objects.values_list("key_name", flat=True)) == {"play_day"}
    paid = JackpotClaim.objects.filter(state="paid").count()
    assert paid == JackpotClaim.objects.count() == PayoutSlip.objects.count() > 0
    assert all(row["holds"] for row in month_of(FIRST.replace(day=1)).rows)
    assert all(row.ok for row in reconcile())
    assert verify_chains().ok
    with pytest.raises(CommandError, match="in use"):
        simulated("--days", "1", "--tables", "1")


def test_each_fault_is_named_first_with_its_round(committed_db: Any) -> None:
    faults = dict(enumerate(FAULTS))
    month = Month(
        days=len(FAULTS), tables=3, rounds=70 * len(FAULTS), seed=3, first=FIRST, faults=faults
    )
    for closed in month.play():
        assert closed.unexplained == 0
        assert closed.variances, closed.fault
        own = [one for one in closed.variances if one["cause"] == NAMED[closed.fault]]
        others = [one for one in closed.variances if one["cause"] != NAMED[closed.fault]]
        assert own, closed
        assert {one["cause"] for one in others} <= {"late_event"}  # what the day before held back
        assert {one["explained"] for one in closed.variances} == {"yes"}
        if closed.place and closed.fault != "late_event":
            table, number = closed.place
            assert f"{table} round {number} " in own[0]["said"]
        if closed.fault == "reading_off":
            assert [Decimal(one["amount"]) for one in own] == [1]
    assert GamingDayClose.objects.filter(state="closed").count() == len(FAULTS)


def test_what_nobody_expected_stays_open_and_the_day_is_not_signed(committed_db: Any) -> None:
    month = Month(days=1, tables=1, rounds=20, seed=3, first=FIRST)
    days = month.play()
    see = Witness.see
    try:
        Witness.see = lambda self, event: None  # type: ignore[assignment]
        with pytest.raises(Exception, match="Meter variance is open"):
            next(days)
    finally:
        Witness.see = see  # type: ignore[method-assign]
    assert GamingDayClose.objects.get().state == "draft"


def test_days_that_are_not_over_are_not_simulated(db: None) -> None:
    with pytest.raises(CannotSimulate, match="must be over"):
        next(Month(days=1, tables=1, rounds=1, seed=1, first=datetime.now(UTC).date()).play())
    for wrong in (
        ["--fault", "earthquake"],
        ["--fault", "lost_round@31"],
        ["--days", "0"],
        ["--density", "0"],
    ):
        with pytest.raises(CommandError):
            call_command("simulate", *wrong)


def test_the_witness_agrees_with_the_rules_on_days_of_luck() -> None:
    setup = property_setup(10, FIRST)
    setup["tables"] = [table for table in setup["tables"] if "progressive" in table]
    setup["rules_submissions"] = setup["rules_submissions"][-1:]
    witness, pure = Witness.of(setup), PureDay(setup)
    starts = [Start(terms) for terms in terms_of(setup).values()]
    begins = datetime(2026, 3, 2, 12, tzinfo=UTC)
    awards = 0
    for moment in play(starts, rounds=600, seed=5, begins=begins, lucky=True):
        witness.see(moment.event)
        pure.take(moment.event)
    awards = sum("pays" in claim for claim in pure.claims)
    assert awards > 5
    assert {code: Decimal(value) for code, value in witness.readings().items()} == {
        code: meter.value for code, meter in pure.meters.items()
    }


@pytest.mark.parametrize(
    ("cards", "share"),
    [
        ("AS AH AD AC JK 2S", 100),
        ("AS KS QS JS TS 2D", 10),
        ("AS KS QS JK TS 2D", 10),
        ("AS KS QS JD TS 2D", 0),
        ("KS QS JS TS 9S JK", 10),
        ("AS AH AD AC KS 2S", 0),
        ("QS JS TS 9S 8S JK", 0),
    ],
)
def test_what_the_witness_makes_of_a_hand(cards: str, share: int) -> None:
    assert share_of(cards.split()) == share


@pytest.mark.slow
def test_a_month_of_forty_tables_closes_day_by_day_to_the_cent(committed_db: Any) -> None:
    out = StringIO()
    call_command("simulate", "--begins", FIRST.isoformat(), stdout=out)
    assert "30 days closed by two people each: 100,000 rounds at 40 tables" in out.getvalue()
    assert "payouts, 0 unexplained cents" in out.getvalue()
    assert GamingDayClose.objects.filter(state="closed").count() == 30
    assert all(row["holds"] for row in month_of(FIRST.replace(day=1)).rows)
    assert verify_chains().ok
