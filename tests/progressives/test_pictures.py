"""Pictures of a meter: its way over its gaming days, and what each table put on it."""

from decimal import Decimal

import pytest

from progressives.services.pictures import picture_of
from tests.make import TODAY, contribute, make_claim, make_progressive, meter_of

pytestmark = pytest.mark.django_db


def test_a_meter_is_drawn_with_its_hits_and_by_table() -> None:
    progressive = make_progressive(initial="20000.00")
    contribute(progressive, 6, table="T-1")
    make_claim(progressive, percent=100, table="T-1")
    contribute(progressive, 2, table="T-2")

    picture = picture_of(meter_of(progressive), 7)

    assert [(bar.table, bar.amount) for bar in picture.bars] == [
        ("T-1", Decimal("1.26")),
        ("T-2", Decimal("0.42")),
    ]
    curve = picture.curve
    assert curve is not None
    assert [mark.kind for mark in curve.marks] == ["award", "reset"]
    assert (curve.low, curve.high) == (Decimal("0"), Decimal("20001.26"))
    assert curve.first == curve.last == TODAY.isoformat()
    across = [float(point.split(",")[0]) for point in curve.points.split()]
    assert across == sorted(across)
    assert across[-1] == 1000


def test_a_meter_that_was_only_set_up_has_no_picture() -> None:
    picture = picture_of(meter_of(make_progressive()), 1)
    assert (picture.curve, picture.bars) == (None, [])
