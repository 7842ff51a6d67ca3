"""A gaming day closed from a shell: the same services, the same two people, a password each."""

import json
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from audit.models import AuditEvent, User
from progressives.models import GamingDayClose
from progressives.services.claim_terms import set_claim_terms
from progressives.services.close_day import end_day
from tests.documents import NOTHING, ROYAL, seat
from tests.make import PASSWORD, make_user
from tests.progressives.closing import DAY, PLAIN, Days
from tests.progressives.test_close import validate_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def days(monkeypatch: pytest.MonkeyPatch) -> Days:
    made = Days()
    for user in (made.preparer, made.reviewer):
        user.set_password(PASSWORD)
        user.save()
    monkeypatch.setenv("CLOSE_PASSWORD", PASSWORD)
    made.play(seat(2, NOTHING), seat(4, PLAIN))
    return made


def run(*options: str) -> tuple[int, str]:
    """Run the command; return how it ended and what it printed."""
    out = StringIO()
    try:
        call_command("close_day", *options, stdout=out)
    except SystemExit as ended:
        return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


def test_a_day_is_closed_from_a_shell(days: Days, tmp_path: Path) -> None:
    day = DAY.isoformat()
    assert run()[0] == 1  # the next day: not read yet
    assert run(day, "end", "--by", "A1")[1].startswith(f"Gaming day {day} is ended.")
    code, shown = run(day)
    assert code == 1
    assert "P-1:grand has no reading." in shown
    assert "Progressive chips are not counted: T-1, dealer D100." in shown
    assert "2.00" not in shown.split("Progressive chips")[1].split("Payouts")[0]  # counted blind

    signs, racks = tmp_path / "signs.csv", tmp_path / "racks.csv"
    signs.write_text("meter,value\nP-1,20001.42\n")
    racks.write_text("table,dealer,amount\nT-1,D100,2.00\n")
    assert "entered: 1" in run(day, "readings", "--by", "A1", "--file", str(signs))[1]
    assert "entered: 1" in run(day, "counts", "--by", "A1", "--file", str(racks))[1]
    shown = run(day)[1]
    assert "P-1:grand is off:" in shown
    assert "Manual entry: One digit differs" in shown
    assert "Meter variance is open. [" in shown
    with pytest.raises(CommandError, match="cannot be signed"):
        run(day, "prepare", "--by", "A1")
    days.close_exceptions()
    assert run(day, "prepare", "--by", "A1")[0] == 0
    with pytest.raises(CommandError, match="Another person must review it"):
        run(day, "review", "--by", "A1")
    closed = f"Gaming day {day} is closed.\n"
    with pytest.raises(CommandError, match="Say why"):
        run(day, "send-back", "--by", "A2")
    assert run(day, "review", "--by", "A2", "--note", "Seen.")[1] == closed
    code, shown = run(day)
    assert code == 0
    assert "Reviewed and closed by A2" in shown
    told = json.loads(run(day, "--json")[1])
    assert (told["state"], told["prepared_by"], told["reviewed_by"]) == ("closed", "A1", "A2")
    assert told["lines"][0]["variance"] == "1.00"


def test_who_signs_proves_who_he_is(days: Days, monkeypatch: pytest.MonkeyPatch) -> None:
    day = DAY.isoformat()
    end_day(day=DAY, by=days.preparer)
    days.read()
    monkeypatch.setenv("CLOSE_PASSWORD", "guessed")
    with pytest.raises(CommandError):
        run(day, "prepare", "--by", "A1")
    refused = AuditEvent.objects.filter(subject=f"user/{days.preparer.pk}")
    assert refused.count() == 1
    monkeypatch.delenv("CLOSE_PASSWORD")
    with pytest.raises(CommandError, match="set CLOSE_PASSWORD"):
        run(day, "prepare", "--by", "A1")
    for nobody in (["--by", "Z9"], []):
        with pytest.raises(CommandError):
            run(day, "prepare", *nobody)
    assert GamingDayClose.objects.get().state == "draft"


def test_a_code_is_asked_for_where_the_house_requires_one(days: Days) -> None:
    end_day(day=DAY, by=days.preparer)
    days.read()
    set_claim_terms(
        officer=make_user("X1", "administrator"),
        checklist_from=Decimal(100),
        approval_from=Decimal(1000),
        second_factor_required=True,
        reason="Codes from today on.",
    )
    with pytest.raises(CommandError, match="set up your code device"):
        run(DAY.isoformat(), "prepare", "--by", "A1")


@pytest.mark.parametrize("role", ["floorperson", "auditor", None])
def test_the_command_gives_nobody_more_than_his_role(days: Days, role: str | None) -> None:
    user: User = make_user("Z1", role, is_superuser=True, password=PASSWORD)
    with pytest.raises(CommandError, match="Your role may not"):
        run(DAY.isoformat(), "end", "--by", str(user.staff_code))
    assert not GamingDayClose.objects.exists()


def test_what_is_asked_wrongly_is_said(days: Days, tmp_path: Path) -> None:
    day = DAY.isoformat()
    run(day, "end", "--by", "A1")
    for options, said in (
        ([day, "readings", "--by", "A1"], "--file FILE"),
        ([day, "readings", "--by", "A1", "--file", str(tmp_path / "no.csv")], "No such file"),
        ([day, "end", "--by", "A1"], "already"),
        (["2026-03-20", "end", "--by", "A1"], "comes|not"),
    ):
        with pytest.raises(CommandError, match=said):
            run(*options)


def test_the_paper_is_pretty_with_awards(days: Days, capsys: Any) -> None:
    days.play(seat(2, ROYAL), table="T-2")
    validate_all()
    days.close()
    code, shown = run(DAY.isoformat())
    assert code == 0
    assert "1 × meter award, validated, 0 slips" in shown
    assert "Amount to fund" in shown
    assert max(map(len, shown.splitlines())) <= 100
