"""What is owed, a month rolled forward, and files that say which range they were made from."""

import csv
import io
from datetime import date, timedelta
from decimal import Decimal

import openpyxl
import pytest
from django.test import Client

from audit.models import AuditEvent
from progressives.models import GamingDayClose
from progressives.services.close_export import FORMATS, text_of
from progressives.services.close_report import day_table, liability_of, month_of, source_hash
from tests.documents import FIVE_ACES, NOTHING, ROYAL, seat
from tests.make import make_user
from tests.progressives.closing import DAY, PLAIN, Days
from tests.progressives.test_close import validate_all

pytestmark = pytest.mark.django_db
MONTH = date(2026, 3, 1)


@pytest.fixture
def days() -> Days:
    return Days()


def test_the_players_money_is_told_apart_from_the_seed(days: Days) -> None:
    days.play(seat(2, NOTHING), seat(4, PLAIN))
    owed = liability_of(days.figures())
    assert (owed.increments, owed.seeds, owed.to_fund) == (Decimal("0.42"), 20000, Decimal("0.42"))

    days.play(seat(2, ROYAL), table="T-2")  # the players' 63 cents go first, then the seed
    owed = liability_of(days.figures())
    assert (owed.increments, owed.seeds) == (0, Decimal("18000.57"))
    assert owed.unpaid == owed.to_fund == Decimal("2000.06")

    days.play(seat(3, FIVE_ACES), table="T-2")  # the meter begins again with the house's money
    assert liability_of(days.figures()).seeds == 5000


def test_what_a_day_owed_is_gone_on_from_the_next_day(days: Days) -> None:
    days.play(seat(2, NOTHING))
    days.close()
    days.play(seat(2, NOTHING), days=1)
    owed = liability_of(days.figures(DAY + timedelta(days=1)))
    assert (owed.increments, owed.seeds) == (Decimal("0.42"), 20000)


def test_a_month_rolls_forward_over_its_closed_days(days: Days) -> None:
    days.play(seat(2, NOTHING), seat(4, ROYAL))
    validate_all()
    days.close()
    days.play(seat(2, NOTHING), days=1)
    days.close(DAY + timedelta(days=1))
    month = month_of(MONTH)
    [row] = month.rows
    assert len(month.days) == 2
    assert (row["opened"], row["contributions"], row["holds"]) == (20000, Decimal("0.63"), True)
    assert row["expected"] == days.figures(DAY + timedelta(days=1)).lines[0].expected


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_is_the_same_twice_and_the_log_says_who_took_it(days: Days, form: str) -> None:
    days.play(seat(2, NOTHING))
    close = days.close()
    client = Client()
    client.force_login(make_user("U1", "auditor"))
    address = f"/admin/progressives/gamingdayclose/days/{DAY}.{form}"
    first, second = client.get(address), client.get(address)
    assert first.status_code == 200
    assert first.content == second.content
    taken = AuditEvent.objects.filter(action="progressives.report_exported")
    assert taken.count() == 2
    told = bytes(taken.first().body).decode()
    assert first["ETag"] in told
    assert source_hash([close], None) in told
    month = client.get(f"/admin/progressives/gamingdayclose/months/2026-03.{form}")
    assert month.status_code == 200
    assert client.get("/admin/progressives/gamingdayclose/months/2026-03/").status_code == 200
    assert client.get("/admin/progressives/gamingdayclose/months/2026-13/").status_code == 404


def test_the_three_formats_say_the_same(days: Days) -> None:
    days.play(seat(2, NOTHING))
    days.close()
    table = day_table(days.figures())
    [header, row] = list(csv.reader(io.StringIO(FORMATS["csv"][1](table).decode())))[-2:]
    told = dict(zip(header, row, strict=True))
    assert (told["Expected close"], told["Variance"]) == ("20000.21", "0.00")
    sheet = openpyxl.load_workbook(io.BytesIO(FORMATS["xlsx"][1](table))).active
    cells = [cell.value for cell in list(sheet.rows)[-1]]
    assert cells[0] == "P-1:grand"
    assert cells[7] == 20000.21
    assert FORMATS["pdf"][1](table).startswith(b"%PDF-")


def test_no_cell_is_a_formula() -> None:
    assert text_of("=1+1") == "'=1+1"
    assert text_of(Decimal("-0.42")) == "-0.42"


def test_another_range_has_another_hash(days: Days) -> None:
    days.play(seat(2, NOTHING))
    first = days.close()
    days.play(seat(2, NOTHING), days=1)
    second = days.close(DAY + timedelta(days=1))
    hashes = {source_hash([first], None), source_hash([second], first), source_hash([second], None)}
    assert len(hashes) == 3
    assert GamingDayClose.objects.count() == 2


def test_a_running_day_is_not_exported_and_the_floor_exports_nothing(days: Days) -> None:
    days.play(seat(2, NOTHING))
    client = Client()
    client.force_login(days.preparer)
    address = f"/admin/progressives/gamingdayclose/days/{DAY}.csv"
    assert client.get(address).status_code == 404
    client.force_login(make_user("F1"))
    assert client.get(address).status_code == 403
