"""Hits that were, against hits that were to be expected: what counts, and where it is shown."""

from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from progressives.models import JackpotClaim, Progressive
from progressives.services.claims import refuse_claim
from progressives.services.hits import hits_of
from tables.risk_charts import ROW_WIDTH, WIDTH, dots_of, funnel_of
from tables.rules.chance import seen
from tables.rules.odds import FIVE_OF_52
from tables.services.hits_report import ANY, GameHits, hits_by_game
from tables.services.risk import RiskUnknown
from tests.documents import NOTHING, ROYAL, STRAIGHT, seat
from tests.make import make_user
from tests.progressives.closing import DAY, Days
from tests.progressives.samples import sample, set_up

pytestmark = pytest.mark.django_db
PAGE = "/admin/tables/gamingtable/risk/P-1/hits/"


def report(first: date = DAY, last: date = DAY) -> GameHits:
    [game] = hits_by_game(Progressive.objects.get(), first, last)
    return game


def test_wagers_and_hits_by_hand_are_counted_day_by_day() -> None:
    days = Days()
    for _ in range(3):
        days.play(seat(2, NOTHING), seat(5, STRAIGHT))
    days.play(seat(2, NOTHING), seat(5, NOTHING_ELSE, progressive=False), days=1)
    days.play(seat(2, STRAIGHT), table="T-2", days=2)

    game = report(DAY, DAY + timedelta(days=2))
    straight = next(row for row in game.hands if row.hand == "straight")
    assert game.hits.wagers == {DAY: 6, DAY + timedelta(days=1): 1, DAY + timedelta(days=2): 1}
    assert straight.seen == seen(4, 8, Fraction(696_228, 22_957_480))
    assert game.together.actual == 4
    assert [(p.wagers, p.seen.actual) for p in game.points("straight")] == [(6, 3), (7, 3), (8, 4)]
    assert [p.seen.actual for p in game.points("flush")] == [0, 0, 0]
    assert [p.seen.actual for p in game.points(ANY)] == [3, 3, 4]
    assert report().hits.wagered == 6
    assert report(DAY + timedelta(days=5), DAY + timedelta(days=9)).together.p_value == 1
    of_one_table = hits_of(Progressive.objects.get(), DAY, DAY + timedelta(days=2), ["T-2"])
    assert (of_one_table.wagered, of_one_table.by_hand) == (1, {"straight": 1})


NOTHING_ELSE = ("4C 6S TH 8D KS 3H".split(), ["TH"])


def test_too_many_royals_are_told_and_few_straights_are_not() -> None:
    days = Days()
    for _ in range(6):
        days.play(seat(2, ROYAL), seat(5, NOTHING))
    game = report()
    royal = next(row for row in game.hands if row.hand == "royal_flush")
    assert (royal.seen.actual, royal.seen.high, royal.seen.outside) == (6, 0, True)
    assert royal.together < 1e-20
    assert [row.hand for row in game.hands if row.verdict] == ["royal_flush"]
    page = Client()
    page.force_login(make_user("F1"))
    shown = page.get(PAGE + f"?first={DAY}&last={DAY}&hand=royal_flush").content.decode()
    assert "Out of the ordinary" in shown
    assert "Royal flush (6 hits, 0.0 expected)" in shown
    assert page.get(PAGE + "?first=never&last=2026-13-01").status_code == 200


def test_a_refused_hit_is_no_hit() -> None:
    days = Days()
    days.play(seat(2, ROYAL), seat(5, NOTHING))
    claim = JackpotClaim.objects.get()
    refuse_claim(
        claim_id=claim.pk, officer=make_user("F9"), cite="§ 670a.13(h)", reason="Not the hand."
    )
    game = report()
    assert (game.together.actual, game.hits.refused) == (0, 1)


def test_api_and_the_month_that_leads_there() -> None:
    days = Days()
    days.play(seat(2, NOTHING), seat(5, NOTHING_ELSE))
    days.close()
    client = Client()
    client.force_login(make_user("U1", "auditor"))
    address = "/api/v1/progressives/P-1/hits/"
    [game] = client.get(f"{address}?first={DAY}&last={DAY}").json()["games"]
    assert (game["wagers"], game["any"]["actual"]) == (2, 0)
    assert game["hands"][0]["hand"] == "five_aces"
    assert client.get(f"{address}?first={DAY}").json()["path"] == "last"
    assert client.get(f"{address}?first={DAY}&last=2020-01-01").status_code == 400
    month = client.get("/admin/progressives/gamingdayclose/months/2026-03/").content.decode()
    assert f"{PAGE}?first=2026-03-01&amp;last=2026-03-31" in month
    client.force_login(make_user("N1", None))
    assert client.get(PAGE).status_code == 403


def test_paytables_that_cannot_be_told_apart_are_said_so() -> None:
    link = set_up(sample("stud_three_levels"))
    [game] = hits_by_game(link, DAY, DAY, FIVE_OF_52)
    assert [row.seen.actual for row in game.hands] == [0] * 7
    rows = link.paytables["C"]
    link.paytables = {"A": rows, "C": rows}
    with pytest.raises(RiskUnknown, match="more than one"):
        hits_by_game(link, DAY, DAY, FIVE_OF_52)


def test_pictures_stay_inside_their_frames(floor: Any) -> None:
    for actual, wagers in ((0, 10), (9, 10), (3000, 100_000)):
        count = seen(actual, wagers, Fraction(3, 100))
        dots = dots_of(count)
        assert 0 <= float(dots.band_x) <= float(dots.band_x) + float(dots.band_width) <= ROW_WIDTH
        assert 0 < float(dots.actual) < ROW_WIDTH
    points = [(f"day {n}", seen(n, 100 * n, Fraction(3, 100))) for n in range(1, 4)]
    funnel = funnel_of(points)
    assert funnel is not None
    assert funnel.actual.startswith("0.0,220.0 ")
    assert all(0 <= float(p.split(",")[0]) <= WIDTH for p in funnel.band.split())
    assert funnel_of(points[:1]) is None
