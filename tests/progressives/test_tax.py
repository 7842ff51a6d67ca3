"""The federal tests of a payout: the threshold, 300 times the wager, 24 per cent; each dated."""

from datetime import date
from decimal import Decimal

import pytest

from progressives.tax import decide, terms_on

DAY_2025, DAY_2026 = date(2025, 12, 31), date(2026, 1, 1)


@pytest.mark.parametrize(
    ("amount", "wager", "day", "reportable", "withheld"),
    [
        ("599.99", "1.00", DAY_2025, False, "0.00"),
        ("600.00", "1.00", DAY_2025, True, "0.00"),
        ("600.00", "2.01", DAY_2025, False, "0.00"),  # 298 times
        ("600.00", "2.00", DAY_2025, True, "0.00"),  # just 300 times
        ("1999.99", "1.00", DAY_2026, False, "0.00"),
        ("2000.00", "1.00", DAY_2026, True, "0.00"),
        ("5001.00", "1.00", DAY_2026, True, "0.00"),  # 5,000 after the wager: not more
        ("5001.01", "1.00", DAY_2026, True, "1200.00"),
        ("20000.00", "5.00", DAY_2026, True, "4798.80"),
        ("20000.00", "100.00", DAY_2026, False, "0.00"),  # 200 times, however much it is
    ],
)
def test_a_payout_is_reported_and_withheld_from(
    amount: str, wager: str, day: date, reportable: bool, withheld: str
) -> None:
    decision = decide(Decimal(amount), Decimal(wager), day)
    assert (decision.reportable, str(decision.withheld)) == (reportable, withheld)


def test_the_reason_is_told_in_words() -> None:
    assert decide(Decimal(3), Decimal(1), DAY_2026).reason == "No form: less than $2,000.00."
    assert decide(Decimal(2000), Decimal(100), DAY_2026).reason == (
        "No form: less than 300 times the wager of $100.00."
    )
    assert decide(Decimal(20000), Decimal(5), DAY_2026).reason == (
        "Form W-2G: at least $2,000.00 and at least 300 times the wager of $5.00. "
        "24% of $19,995.00 is withheld: more than $5,000.00 after the wager."
    )


def test_before_the_first_known_day_the_first_figures_hold() -> None:
    assert terms_on(date(2001, 1, 1)).threshold == 600
