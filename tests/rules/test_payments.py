"""What the dealer paid, against what the round came to: every difference, and nothing else."""

from typing import Any

import pytest

from tests.rules.made import played, seat, settled

WAGERS = {"fortune_bonus": "5.00", "progressive": "1.00"}
DUE = {"main": "25.00", "fortune_bonus": "40.00", "progressive": "3.00"}


def mispays(paid: dict[str, str], *others: dict, **changes: Any) -> list[tuple[str, str, str]]:
    one = seat(3, changes.pop("cards", "TS 9H 8D 7C 6S KD"), paid=paid, **{**WAGERS, **changes})
    outcome = settled(played(one, *others))
    found = [flag for flag in outcome.flags if flag["code"] == "mispay"]
    assert len(found) == len(outcome.flags)
    assert all(flag["position"] == 3 and flag["severity"] == "exception" for flag in found)
    return [
        (flag["path"].removeprefix("positions[0]."), flag["paid"], flag["due"]) for flag in found
    ]


@pytest.mark.parametrize(
    ("paid", "found"),
    [
        (DUE, []),
        ({**DUE, "insurance": "0.00", "_note": "x"}, []),
        ({**DUE, "main": "30.00"}, [("paid.main", "30.00", "25.00")]),
        ({**DUE, "main": "0.00"}, [("paid.main", "0.00", "25.00")]),
        ({**DUE, "envy": "25.00"}, [("paid.envy", "25.00", "0.00")]),
        ({**DUE, "double_down": "25.00"}, [("paid.double_down", "25.00", "0.00")]),
        (
            {"main": "25.00"},
            [("paid", "0.00", "40.00"), ("paid", "0.00", "3.00")],
        ),
    ],
)
def test_payments_of_a_position(paid: dict[str, str], found: list) -> None:
    assert mispays(paid) == found


def test_a_position_without_paid_is_not_compared() -> None:
    assert settled(played(seat(3, "TS 9H 8D 7C 6S KD"))).flags == []


def test_envies_are_paid_as_one_sum() -> None:
    quads = seat(1, "AS AH AD AC 4D 2H")
    full = seat(6, "QS QH QD 4S 4C 3H")
    lost = {"cards": "TH 8D 7C 6C 5S 3D", "main": "25.00"}

    assert mispays({"envy": "100.00"}, quads, full, **lost) == [("paid.envy", "100.00", "105.00")]
    assert mispays({"envy": "105.00"}, quads, full, **lost) == []


def test_670a_11_h_3_i_b_iv_a_share_of_the_meter_is_never_paid_at_the_table() -> None:
    royal = {"cards": "AS KS QS JS TS 4D"}
    due = {"fortune_bonus": "1250.00"}

    assert mispays(due, **royal) == []
    assert mispays({**due, "progressive": "2000.00"}, **royal) == [
        ("paid.progressive", "2000.00", "0.00")
    ]
