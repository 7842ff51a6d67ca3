"""Meters a regulator asks for: what each level and each table has counted; none goes back."""

from decimal import Decimal
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError, transaction
from django.test import Client

from audit.canonical import parse
from audit.models import AuditEvent
from progressives.models import Meter, MeterSnapshot, TablePayout
from progressives.services.claims import pay_claim, required_to_pay
from progressives.services.snapshots import read_now, take
from progressives.tasks import read_meters_at_start
from tests.make import (
    contribute,
    documented,
    make_claim,
    make_progressive,
    make_user,
    meter_of,
    staff,
    validated,
)
from tests.progressives.samples import Play, sample, set_up

pytestmark = pytest.mark.django_db


def counts(snapshot: MeterSnapshot) -> dict[str, Any]:
    names = "value wagers wagered contributed reversed hits won put_back".split()
    return {name: getattr(snapshot, name) for name in names}


def test_a_hit_and_a_reset_are_kept_as_of_their_entries() -> None:
    progressive = make_progressive(initial="20000.00")
    contribute(progressive, 6)
    make_claim(progressive, percent=10)
    contribute(progressive, 1)
    make_claim(progressive, percent=100)

    told = [(r.reason, r.sequence, r.value, r.hits) for r in MeterSnapshot.objects.order_by("pk")]
    assert told == [
        ("hit", 8, Decimal("18001.14"), 1),
        ("hit", 10, Decimal("0"), 2),
        ("reset", 11, Decimal("5000"), 2),
    ]


def test_snapshots_go_on_from_the_last_one_and_say_what_the_whole_ledger_says() -> None:
    stud = set_up(sample("stud_three_levels"))
    table = Play(stud, "C")
    for _ in range(3):
        table.wager(1, 2)
        table.hand("straight_flush")
        take("day_close")
    stake = stud.wager_unit
    table.round(lambda feed, facts: feed.reverse(facts, 4, feed.contribute(facts, 4, stake)))

    meters = list(Meter.objects.filter(progressive=stud, level="major").order_by("pk"))
    found = [counts(snapshot) for snapshot in read_now(meters)]
    assert found[0] | {"value": 0} == {
        "value": 0,
        "wagers": 7,
        "wagered": Decimal("7.00"),
        "contributed": Decimal("0.49"),
        "reversed": Decimal("0.07"),
        "hits": 3,
        "won": -sum(e.amount for e in meters[0].entries.filter(kind="award")),
        "put_back": 0,
    }
    reserve = next(r for r, m in zip(found, meters, strict=True) if m.purpose == "reserve")
    assert (reserve["wagers"], reserve["contributed"]) == (7, Decimal("0.0875"))


def test_the_command_reads_every_meter(capsys: pytest.CaptureFixture[str]) -> None:
    contribute(make_progressive(code="P-1", initial="20000.00"), 2)
    call_command("snapshot_meters", "--reason", "start_up")
    assert (
        capsys.readouterr().out == "P-1:grand 20000.42 after entry 3; 2 wagers, 0 hits, 0.00 won\n"
    )
    assert MeterSnapshot.objects.get().reason == "start_up"
    [page] = AuditEvent.objects.filter(action="progressives.meters_read")
    assert parse(bytes(page.body))["facts"] == {
        "reason": "start_up",
        "meters": [
            {
                "meter": "P-1:grand",
                "sequence": 3,
                "value": "20000.420000",
                "wagers": 2,
                "wagered": "2.00",
                "contributed": "0.420000",
                "reversed": "0.000000",
                "hits": 0,
                "won": "0.00",
                "put_back": "0.00",
            }
        ],
    }


def test_the_house_reads_its_meters_when_it_starts() -> None:
    make_progressive()
    read_meters_at_start()
    assert [s.reason for s in MeterSnapshot.objects.all()] == ["start_up"]


def test_a_reading_that_is_not_true_or_goes_back_is_refused() -> None:
    progressive = make_progressive()
    contribute(progressive, 2)
    [snapshot] = take("demand")
    for changes, says in (
        ({"value": Decimal("1.00")}, "did not stand at"),
        ({"wagers": 1}, "never go back"),
    ):
        with pytest.raises(DatabaseError, match=says), transaction.atomic():
            MeterSnapshot.objects.create(
                meter=snapshot.meter,
                sequence=snapshot.sequence,
                reason="demand",
                **{**counts(snapshot), **changes},
            )


def paid(**changes: Any) -> Any:
    claim = make_claim(**changes)
    (validated if claim.kind == "fixed" else documented)(claim)
    checks = {check.code for check in required_to_pay(claim)}
    pay_claim(claim_id=claim.pk, officer=staff("A209", "accounting"), checks=checks)
    return claim


def test_605a_7_a_3_4_a_tables_payouts_are_counted_when_they_are_paid() -> None:
    paid(table="T-1")
    royal = paid(table="T-1", percent=10)
    make_claim(table="T-2")
    told = TablePayout.objects.get()
    assert (told.table, told.payouts, told.machine_paid) == ("T-1", 2, 0)
    assert told.attendant_paid == told.cumulative == 3 + royal.amount


@pytest.mark.parametrize(
    "deed",
    [
        lambda rows: rows.update(payouts=9),
        lambda rows: rows.delete(),
        lambda rows: rows.create(table="T-9"),
    ],
)
def test_605a_7_a_4_nobody_sets_a_tables_payout_meters(deed: Any) -> None:
    paid(table="T-1")
    refused = pytest.raises(DatabaseError, match=r"only when a claim is paid|permission denied")
    with refused, transaction.atomic():
        deed(TablePayout.objects.all())


def reader(role: str) -> Client:
    client = Client()
    client.force_login(make_user("R1", role))
    return client


def test_the_api_tells_a_levels_meters_and_its_last_hits() -> None:
    stud = set_up(sample("stud_three_levels"))
    table = Play(stud, "C")
    for _ in range(27):
        table.wager(1)
        table.hand("four_of_a_kind")
    told = reader("accounting").get("/api/v1/meters/STUD-LINK/minor/").json()
    assert [meter["purpose"] for meter in told["meters"]] == ["display"]
    assert (told["meters"][0]["wagers"], told["meters"][0]["hits"]) == (27, 27)
    assert len(told["last_hits"]) == 25
    assert told["last_hits"][0] | {"sequence": 0, "round": 0} == {
        "sequence": 0,
        "gaming_day": "2026-03-14",
        "table": "T-1",
        "round": 0,
        "position": 1,
        "hand": "four_of_a_kind",
        "meter_at_turn": "300.045",
        "amount": "300.04",
    }


def test_a_sign_is_told_whole_steps_and_nothing_of_the_reserve() -> None:
    stud = set_up(sample("stud_three_levels"))
    Play(stud, "C").wager(1, 2, 3)
    client = reader("floorperson")
    told = client.get("/api/v1/meters/").json()
    assert [(m["level"], m["shown"]) for m in told] == [
        ("major", "2500.21"),
        ("mega", "100000.27"),
        ("minor", "300.00"),
    ]
    assert client.get("/api/v1/meters/STUD-LINK/mega/").status_code == 403
    assert client.get("/api/v1/meters/tables/").status_code == 403


def test_the_api_tells_the_tables_payout_meters() -> None:
    paid(table="T-1")
    assert reader("auditor").get("/api/v1/meters/tables/").json() == [
        {
            "table": "T-1",
            "payouts": 1,
            "machine_paid": "0.00",
            "attendant_paid": "3.00",
            "cumulative": "3.00",
        }
    ]


def test_an_unknown_level_is_named_so() -> None:
    response = reader("auditor").get("/api/v1/meters/P-1/huge/")
    assert (response.status_code, response.json()["code"]) == (404, "unknown_level")


def test_the_meters_page_shows_counts_and_hits() -> None:
    progressive = make_progressive(initial="20000.00")
    contribute(progressive, 6)
    make_claim(progressive, percent=10)
    page = reader("accounting").get(f"/admin/progressives/meter/{meter_of(progressive).pk}/change/")
    text = page.content.decode()
    assert "Last hits" in text
    assert "2,000.12" in text
