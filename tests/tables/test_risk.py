"""A progressive's risk in the house: by its submission, at its meter; on page, API and shell."""

import json
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from progressives.models import Lane, Meter, Progressive
from progressives.services.hits import hits_of
from tables.rules.odds import FIVE_OF_52
from tables.rules.samples import read_sample
from tables.services.risk import RiskUnknown, pace_of, risks_of
from tables.services.setup import load_setup
from tests.documents import FIVE_ACES, NOTHING, SETUP, STRAIGHT, Sender, seat
from tests.make import make_user
from tests.progressives.closing import DAY
from tests.progressives.samples import sample, set_up


def told(*words: str) -> str:
    out = StringIO()
    call_command("risk", *words, stdout=out)
    return out.getvalue()


def test_risk_of_the_house_at_its_meter(floor: Any) -> None:
    report = json.loads(told("P-1", "--json"))
    [game] = report["games"]
    assert game["tables"] == ["T-1", "T-2"]
    assert game["hands"] == 22_957_480
    assert [row["ways"] for row in game["rows"][:2]] == [48, 1_132]
    assert game["fixed"] == "0.538778"
    assert game["envy_each"] == "0.010569"
    [level] = game["levels"]
    assert (level["shows"], level["break_even_alone"]) == ("20000.000000", "65685.43")
    alone, full = game["by_positions"][0], game["by_positions"][-1]
    # 20,000 x (48 + 113.2) / 22,957,480 = 0.1404335 of the meter, beside 0.5387781.
    assert alone["returned"] == "0.679212"
    assert alone["advantage_percent"] == "32.0788"
    assert (full["positions"], full["envy_per_wager"]) == (6, "0.052846")
    assert Decimal(full["returned"]) == Decimal("0.732057")
    text = told("P-1")
    assert "one in" in text.lower()
    assert "65685.43" in text
    assert max(map(len, text.splitlines())) <= 110


def test_the_meter_moves_the_risk_and_the_pace_gives_days(floor: Any) -> None:
    sender = Sender()
    floor.play(
        sender.whole(seat(2, STRAIGHT), seat(5, NOTHING)),
        sender.whole(seat(2, NOTHING), seat(4, FIVE_ACES)),
        sender.lockout(seat(1, NOTHING)),
        sender.void(),
    )
    pace = pace_of(Progressive.objects.get(), DAY)
    assert (pace.wagers, pace.days) == (4, 1)  # the void round's wager was returned
    [risk] = risks_of(Progressive.objects.get())
    assert risk.meters == {"grand": Meter.objects.get().value} == {"grand": Decimal(5000)}
    hits = hits_of(Progressive.objects.get(), DAY, DAY)
    assert hits.by_hand == {"straight": 1, "five_aces": 1}
    assert hits.wagered == 4


def test_a_submissions_reading_changes_the_risk(db: None) -> None:
    choices = {**SETUP["rules_submissions"][0], "readings": {"SC-4": "narrow"}}
    load_setup({**SETUP, "rules_submissions": [choices]})
    [risk] = risks_of(Progressive.objects.get())
    assert [row.ways for row in risk.risk.rows][1:3] == [380, 9_000]


def test_pai_gow_by_its_own_submission(db: None) -> None:
    table = {**SETUP["tables"][0], "game": "pai_gow"}
    level = {**SETUP["progressives"][0]["levels"][0], "reset": "10000.00"}
    level |= {"increment_percent": "22"}
    progressive = {**SETUP["progressives"][0], "levels": [level]}
    changes = {"progressives": [progressive], "tables": [table]}
    load_setup({**SETUP, "rules_submissions": [read_sample("645a")], **changes})
    [risk] = risks_of(Progressive.objects.get())
    assert risk.risk.counts.hands == 154_143_080
    assert risk.risk.rows[0].ways == 32
    assert risk.risk.envy_each == 0


def test_a_link_of_three_levels_by_what_is_dealt(db: None) -> None:
    link = set_up(sample("stud_three_levels"), sample("blackjack_side_wager"))
    with pytest.raises(RiskUnknown, match="what is dealt"):
        risks_of(link)
    [risk] = risks_of(link, FIVE_OF_52)
    assert set(risk.risk.shares()) == {"mega", "major", "minor"}
    assert risk.levels[0].per_wager * 1000 == 115  # 9 % shown and 2.5 % hidden
    assert risk.levels[2].per_wager * 1000 == 45
    assert "mega shows" in told("STUD-LINK", "--deal", "five_of_52")
    with pytest.raises(CommandError, match="aces kings declared suit"):
        told("BJ-SIDE", "--deal", "five_of_52")


def test_unknown_progressives_are_named(floor: Any) -> None:
    with pytest.raises(CommandError, match="there are: P-1"):
        told("P-9")
    lonely = Progressive.objects.create(code="P-2", lane=Lane.objects.get(), wager_unit=1)
    with pytest.raises(RiskUnknown, match="No table"):
        risks_of(lonely)


def test_pages_and_api(floor: Any) -> None:
    client = Client()
    client.force_login(make_user("F1"))
    for address in ("/admin/tables/gamingtable/risk/", "/admin/tables/gamingtable/risk/P-1/"):
        page = client.get(address).content.decode()
        assert "65,685.43" in page or "Fortune bonus" in page
    assert client.get("/admin/tables/gamingtable/risk/P-9/").status_code == 404
    answer = client.get("/api/v1/progressives/P-1/risk/")
    assert answer.json()["games"][0]["levels"][0]["break_even_alone"] == "65685.43"
    assert client.get("/api/v1/progressives/P-9/risk/").json()["code"] == "not_found"
    client.force_login(make_user("N1", None))
    assert client.get("/admin/tables/gamingtable/risk/P-1/").status_code == 403
    assert client.get("/api/v1/progressives/P-1/risk/").status_code == 403
