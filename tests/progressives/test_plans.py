"""Paytables of progressives: five kinds of rows, written as the regulations print them."""

from decimal import Decimal
from typing import Any

import pytest

from progressives.plans import PlanRefused, read_plan

LEVELS = ("mega", "minor")


def one(pays: Any) -> Any:
    return read_plan({"B": [{"hand": "royal_flush", "pays": pays}]}, LEVELS)


@pytest.mark.parametrize(
    ("pays", "winnings", "back"),
    [
        ("300 for 1", "1500.00", False),
        ("3 to 1", "15.00", True),
        ("fixed $4000.00", "4000.00", False),
        ("loss", "0.00", False),
    ],
)
def test_a_row_pays_a_multiple_a_sum_or_nothing(pays: str, winnings: str, back: bool) -> None:
    row = one(pays).pays("B", "royal_flush")
    assert (row.winnings(Decimal("5.00")), row.given_back) == (Decimal(winnings), back)


def test_a_row_pays_a_share_of_a_level_whatever_was_wagered() -> None:
    row = one("10% of minor").pays("B", "royal_flush")
    assert (row.level, row.percent, row.winnings(Decimal(5))) == ("minor", 10, None)


def test_a_hand_without_a_row_loses() -> None:
    assert one("loss").pays("B", "pair").loses


@pytest.mark.parametrize(
    ("paytables", "path"),
    [
        ({"B": [{"hand": "x", "pays": "10% of grand"}]}, "paytables.B[0].pays"),
        ({"B": [{"hand": "x", "pays": "0% of mega"}]}, "paytables.B[0].pays"),
        ({"B": [{"hand": "x", "pays": "101% of mega"}]}, "paytables.B[0].pays"),
        ({"B": [{"hand": "x", "pays": "ten"}]}, "paytables.B[0].pays"),
        ({"B": [{"hand": "x", "pays": 10}]}, "paytables.B[0].pays"),
        ({"B": [{"hand": "X Y", "pays": "loss"}]}, "paytables.B[0].hand"),
        ({"B": [{"hand": "x", "pays": "loss"}, {"hand": "x", "pays": "loss"}]}, "paytables.B[1]"),
        ({"B": [{"hand": "x"}]}, "paytables.B[0]"),
        ({"B": []}, "paytables.B"),
        ([], "paytables"),
    ],
)
def test_a_paytable_that_does_not_hold_together_is_refused_with_its_place(
    paytables: Any, path: str
) -> None:
    with pytest.raises(PlanRefused) as refusal:
        read_plan(paytables, LEVELS)
    assert refusal.value.path.startswith(path)
