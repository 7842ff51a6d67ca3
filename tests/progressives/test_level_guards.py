"""What PostgreSQL refuses of levels: each rule broken once, past the services."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from progressives.levels import Rate
from progressives.models import LevelRate, Meter, Progressive
from progressives.services.ledger import LevelMeter
from tests.progressives.samples import Play, sample, set_up

pytestmark = pytest.mark.django_db


@pytest.fixture
def stud() -> Progressive:
    return set_up(sample("stud_three_levels"))


def entered(stud: Progressive, *moves: tuple[str, str, str, str]) -> Any:
    """Write entries past the level: (level, purpose, kind, amount)."""

    def write(feed: Any, facts: Any) -> None:
        for level, purpose, kind, amount in moves:
            held = feed._ledger.level(stud.pk, level)
            one: LevelMeter = held if purpose == "display" else held.pools[purpose]
            moved = one.running.move(kind, Decimal(amount))
            one._enter(moved, facts, 1, Decimal("1.00"))

    return Play(stud, "C").round(write)


WHOLE = (("mega", "display", "contribution", "0.09"), ("mega", "reserve", "contribution", "0.025"))


def test_a_whole_contribution_is_accepted(stud: Progressive) -> None:
    entered(stud, *WHOLE)


@pytest.mark.parametrize(
    "moves",
    [
        WHOLE[:1],  # the reserve's part is missing
        WHOLE[1:],  # the display's part is missing
        (("mega", "display", "contribution", "0.090001"), WHOLE[1]),
        (("mega", "display", "contribution", "0.08"), WHOLE[1]),
        (*WHOLE, ("mega", "overflow", "contribution", "0.01")),
        (("minor", "display", "contribution", "0.046"),),
    ],
)
def test_a_wager_that_is_not_divided_by_its_rates_is_refused(
    stud: Progressive, moves: tuple[tuple[str, str, str, str], ...]
) -> None:
    with pytest.raises(DatabaseError, match="did not receive the rate"):
        entered(stud, *moves)


def test_a_rate_on_file_is_a_rate(stud: Progressive) -> None:
    mega = Meter.objects.get(progressive=stud, level="mega", purpose="display")
    LevelRate.objects.create(
        meter=mega, paytable="C", decks=2, increment_percent=8, reserve_percent=1
    )
    rate = Rate(Decimal(8), Decimal(1))
    Play(stud, "C").round(
        lambda feed, facts: feed.levels[0].contribute_at(facts, 1, Decimal(1), rate)
    )
    with (
        pytest.raises(DatabaseError, match=r"written once|permission denied"),
        transaction.atomic(),
    ):
        LevelRate.objects.update(increment_percent=1)


@pytest.mark.parametrize(
    "moves",
    [
        (WHOLE[0], WHOLE[1], ("mega", "reserve", "reserve_out", "-0.01")),
        (("mega", "display", "reserve_in", "1.00"),),
        (("mega", "display", "limit_cut", "-1.00"),),
        (
            ("mega", "display", "limit_cut", "-1.00"),
            ("major", "overflow", "limit_kept", "1.00"),
        ),
    ],
)
def test_what_one_meter_gives_another_of_its_level_must_receive(
    stud: Progressive, moves: tuple[tuple[str, str, str, str], ...]
) -> None:
    with pytest.raises(DatabaseError, match="gave what none of its meters received"):
        entered(stud, *moves)


@pytest.mark.parametrize(
    ("purpose", "kind", "amount"),
    [
        ("reserve", "award", "0.00"),
        ("reserve", "reset", "5.00"),
        ("overflow", "award_returned", "5.00"),
        ("display", "limit_kept", "5.00"),
    ],
)
def test_a_kind_of_movement_belongs_on_its_meter(
    stud: Progressive, purpose: str, kind: str, amount: str
) -> None:
    with pytest.raises(DatabaseError, match="on such a meter"):
        entered(stud, ("mega", purpose, kind, amount))


def test_a_meter_cannot_be_written_over_its_limit(stud: Progressive) -> None:
    with pytest.raises(IntegrityError, match="meter_never_over_its_limit"), transaction.atomic():
        Meter.objects.filter(progressive=stud, level="major", purpose="display").update(limit=2499)


def test_a_limit_needs_an_overflow(stud: Progressive) -> None:
    Meter.objects.filter(progressive=stud, level="minor").update(limit=1000)
    with pytest.raises(DatabaseError, match="lacks a meter"), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_a_meters_purpose_stays(stud: Progressive) -> None:
    reserve = Meter.objects.filter(progressive=stud, level="mega", purpose="reserve")
    with pytest.raises(DatabaseError, match="moves only by entries"), transaction.atomic():
        reserve.update(level="other")
