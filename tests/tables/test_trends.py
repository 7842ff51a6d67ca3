"""Payment errors by dealer, wager, shift and day."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from tables.pages.trends import chart_of
from tables.selectors import Errors, error_trends
from tests.documents import NOON, STRAIGHT, Sender, seat
from tests.make import make_user

DAY = date(2026, 3, 14)
OVER, RIGHT = {"main": "25.00", "progressive": "5.00"}, {"main": "25.00", "progressive": "3.00"}
UNDER = {"main": "20.00", "progressive": "3.00"}


def play(floor: Any, *told: tuple[str, float, dict[str, str]]) -> None:
    """Play rounds in which a straight wins, each (dealer, hours from noon, what was paid)."""
    sender = Sender()
    floor.play(
        *[
            sender.whole(
                seat(2, STRAIGHT, paid=paid),
                dealer=dealer,
                occurred_at=(NOON + timedelta(hours=hours)).isoformat(),
            )
            for dealer, hours, paid in told
        ]
    )


def test_mispays_by_dealer_wager_and_shift(floor: Any) -> None:
    play(
        floor,
        ("D1", 0, OVER),
        ("D1", 0.1, RIGHT),
        ("D1", 0.2, UNDER),
        ("D2", 4, OVER),
        ("D2", 4.1, RIGHT),
        ("D2", 4.2, RIGHT),
        ("D3", 4.3, RIGHT),
    )
    trends = error_trends(DAY, DAY)

    worst, second, third = trends.dealers
    assert (worst.name, worst.rounds, worst.mispays) == ("D1", 3, 2)
    assert (worst.per_hundred, worst.over, worst.under, worst.net) == (
        Decimal("66.67"),
        Decimal("2.00"),
        Decimal("5.00"),
        Decimal("-3.00"),
    )
    assert worst.most() == [("main", 1), ("progressive", 1)]
    assert (second.name, second.per_hundred) == ("D2", Decimal("33.33"))
    assert (third.name, third.mispays, third.per_hundred) == ("D3", 0, Decimal("0.00"))
    assert [(one.name, one.mispays) for one in trends.wagers] == [("progressive", 2), ("main", 1)]
    assert [(one.name, one.rounds, one.mispays) for one in trends.shifts] == [
        ("06:00 to 14:00", 3, 2),
        ("14:00 to 22:00", 4, 1),
        ("22:00 to 06:00", 0, 0),
    ]
    assert (trends.whole.rounds, trends.whole.mispays) == (7, 3)
    assert [(day.name, day.mispays) for day in trends.days] == [("2026-03-14", 3)]


def test_other_days_do_not_count(floor: Any) -> None:
    play(floor, ("D1", 0, OVER), ("D1", 24, OVER))
    assert error_trends(DAY, DAY).whole.mispays == 1
    assert error_trends(DAY, DAY + timedelta(days=1)).whole.mispays == 2
    assert error_trends(DAY - timedelta(days=5), DAY - timedelta(days=1)).whole.rounds == 0


def test_the_page_is_for_those_who_lead_dealers(floor: Any) -> None:
    play(floor, ("D1", 0, OVER), ("D2", 24, RIGHT))
    address = "/admin/tables/gamingtable/errors/"
    client = Client()
    client.force_login(make_user("P300", "pit manager"))
    page = client.get(address)
    text = page.content.decode()
    assert "1 mispay in 2 rounds" in text
    assert "D1" in text
    assert page.context["last"] == DAY + timedelta(days=1), "the latest day that was played"
    assert client.get(address, {"first": "2026-04-01", "last": "x"}).status_code == 200
    client.force_login(make_user())
    assert client.get(address).status_code == 403


def test_a_bar_for_each_day() -> None:
    days = [Errors("2026-03-14", mispays=4), Errors("2026-03-16", mispays=2)]
    chart = chart_of(days, DAY, DAY + timedelta(days=2))
    assert chart is not None
    assert [bar["number"] for bar in chart["bars"]] == [4, 0, 2]
    assert [bar["height"] for bar in chart["bars"]] == ["100.0", "0.0", "50.0"]
    assert chart_of(days, DAY, DAY) is None
    assert chart_of([], DAY, DAY + timedelta(days=2)) is None


@pytest.mark.parametrize("rounds", [0, 3])
def test_a_dealer_without_rounds_has_no_rate(rounds: int) -> None:
    assert (Errors("D1", rounds=rounds).per_hundred is None) is (rounds == 0)
