"""A meter is its initial amount and its entries, to the last fraction; nothing else moves it."""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from django.core.management import call_command

from progressives.meters import cents
from progressives.services.claims import refuse_claim
from progressives.services.claims_return import return_refused_award
from progressives.services.reconcile import Reconciliation, reconcile
from tests.make import contribute, make_claim, make_progressive, make_user, meter_of


@pytest.mark.django_db
def test_a_new_meter_stands_at_its_initial_amount() -> None:
    make_progressive(code="P-1", initial="20000.00")

    [meter] = reconcile()

    assert (meter.meter, meter.opening, meter.value) == ("P-1:grand", 20000, 20000)
    assert (meter.entries, meter.difference, meter.ok) == (1, 0, True)


@pytest.mark.django_db
def test_each_kind_of_movement_is_summed_in_its_column() -> None:
    progressive = make_progressive(initial="20000.00", reset="5000.00", percent="20.5")
    contribute(progressive, positions=6)  # 6 x 0.205
    royal = make_claim(progressive, percent=10)
    make_claim(progressive, percent=100)
    officer, accountant = make_user("F1"), make_user("A1", "accounting")
    cite = "§ 670a.11(h)(3)(i)(B)(I)"
    refuse_claim(claim_id=royal.pk, officer=officer, cite=cite, reason="The wager was late.")
    return_refused_award(claim_id=royal.pk, officer=accountant, reason="It was not his wager.")

    [meter] = reconcile()

    assert meter.ok
    assert meter.contributions == Decimal("1.23")
    assert meter.awards == -(Decimal("2000.12") + Decimal("18001.11"))
    assert meter.resets == 5000
    assert meter.returned == Decimal("2000.12")
    assert meter.value == meter.expected == meter_of(progressive).value


@pytest.mark.django_db
def test_every_meter_has_its_line_in_the_order_of_codes() -> None:
    for code in ("P-2", "P-1"):
        make_progressive(code=code)
    assert [meter.meter for meter in reconcile()] == ["P-1:grand", "P-2:grand"]


@pytest.mark.django_db
def test_the_command_prints_money_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    contribute(make_progressive(code="P-1", initial="20000.00", percent="20.5"), positions=1)

    call_command("reconcile_meters", "--json")

    [told] = json.loads(capsys.readouterr().out)
    assert told["meter"] == "P-1:grand"
    assert (told["opening"], told["contributions"]) == ("20000.00", "0.205")
    assert (told["value"], told["difference"], told["ok"]) == ("20000.205", "0.00", True)


Insider = Callable[[str], None]


@pytest.fixture
def insider(committed_db: Any) -> Insider:
    """Make a meter with seven entries; return the hand of someone with the owner's rights."""
    contribute(make_progressive(code="P-1", initial="20000.00"), positions=6)
    assert found().ok

    def write(statement: str) -> None:
        with psycopg.connect(committed_db.owner_url, autocommit=True) as owner:
            for table in ("progressives_meterentry", "progressives_meter"):
                owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            owner.execute(statement)

    return write


def found() -> Reconciliation:
    [meter] = reconcile()
    return meter


def test_a_meter_that_shows_a_cent_more_is_named(insider: Insider) -> None:
    insider("UPDATE progressives_meter SET value = value + 0.01")
    assert found().difference == Decimal("0.01")
    assert not found().ok


def test_an_entry_of_another_amount_breaks_the_row_of_entries(insider: Insider) -> None:
    insider(
        "UPDATE progressives_meterentry SET amount = 0.42, after = before + 0.42 WHERE sequence = 3"
    )
    assert found().difference == Decimal("-0.21")
    assert "1 of its entries" in found().faults[0]


def test_a_missing_entry_is_named_even_where_the_sum_is_right(insider: Insider) -> None:
    insider(
        "DELETE FROM progressives_meterentry WHERE sequence = 3;"
        "UPDATE progressives_meterentry SET amount = 0.42, before = before - 0.21"
        " WHERE sequence = 4"
    )
    assert found().difference == 0
    assert not found().ok
    assert "there are 6" in found().faults[-1]


def test_another_beginning_is_named(insider: Insider) -> None:
    insider("UPDATE progressives_meter SET initial = 21000")
    assert found().faults == (
        "It began with 20000.000000, not with its initial amount 21000.000000.",
    )


def test_the_command_ends_with_1_on_a_difference(
    insider: Insider, capsys: pytest.CaptureFixture[str]
) -> None:
    insider("UPDATE progressives_meter SET value = value + 0.01")
    with pytest.raises(SystemExit) as ended:
        call_command("reconcile_meters")
    assert ended.value.code == 1
    assert "WRONG" in capsys.readouterr().out
    assert cents(found().difference) == "0.01"
