"""What PostgreSQL refuses of levels: each rule broken once, past the services."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

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


def test_a_rate_on_file_is_a_rate() -> None:
    """Rates are written when the level is made; later ones only by a request in effect."""
    document = sample("stud_three_levels")
    rates = [{"paytable": "C", "decks": [2], "increment_percent": "8", "reserve_percent": "1"}]
    document["levels"][0]["rates"] = rates
    stud = set_up(document)
    rate = Rate(Decimal(8), Decimal(1))
    Play(stud, "C").round(
        lambda feed, facts: feed.levels[0].contribute_at(facts, 1, Decimal(1), rate)
    )
    with (
        pytest.raises(DatabaseError, match=r"written once|permission denied"),
        transaction.atomic(),
    ):
        LevelRate.objects.update(increment_percent=1)
    mega = Meter.objects.get(progressive=stud, level="mega", purpose="display")
    with pytest.raises(DatabaseError, match=r"rates of meter .* are fixed"), transaction.atomic():
        LevelRate.objects.create(meter=mega, paytable="C", decks=3, increment_percent=1)


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


@pytest.mark.parametrize("limit", [2499, 1000])
def test_a_limit_is_a_term_that_stays(stud: Progressive, limit: int) -> None:
    with pytest.raises(DatabaseError, match=r"terms of meter .* are fixed"), transaction.atomic():
        Meter.objects.filter(progressive=stud, level="major", purpose="display").update(limit=limit)


def test_a_limit_needs_an_overflow(stud: Progressive) -> None:
    Meter.objects.create(
        progressive=stud,
        level="mini",
        initial=0,
        reset=0,
        increment_percent=1,
        limit=1000,
        value=0,
    )
    with pytest.raises(DatabaseError, match="lacks a meter"), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
