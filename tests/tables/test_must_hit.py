"""A level that must hit: the wager that brings it to what was drawn wins, whatever is dealt."""

import json
from copy import deepcopy
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, connections, transaction
from django.test import Client

from audit.canonical import parse
from audit.models import AuditEvent, ExceptionRecord
from audit.sealing import unseal
from progressives.models import JackpotClaim, Meter, MeterEntry, MustHitDraw, MustHitReveal
from progressives.must_hit import Draw
from progressives.services.claims import refuse_claim
from progressives.services.claims_return import return_refused_award
from progressives.services.ledger import Ledger, RoundFacts
from progressives.services.level_meters import MustHitMeter
from progressives.services.must_hit import draw_for, sealed, store_draw
from progressives.services.must_hit_verify import (
    COMMITTED,
    REVEALED,
    faults_of,
    must_hit_faults,
    pages_of_the_log,
)
from progressives.services.reconcile import reconcile
from tables.services.apply import apply_lane
from tables.services.drain import drain_lane
from tables.services.reconstruct import reconstruct
from tables.services.reconstruct_text import as_text
from tables.services.summary import summarize
from tables.services.unlogged import unlogged
from tables.services.verify_all import verify_all
from tables.services.what_if import what_if
from tests.documents import NOTHING, ROYAL, SETUP, STRAIGHT, Sender, seat
from tests.make import make_user, staff
from tests.progressives.samples import sample
from tests.tables.conftest import Floor


def narrow(**changes: Any) -> Any:
    """The shipped sample with one level that is won at its third $1 wager, whatever is drawn.

    6.25 cents a wager: 20.0625, 20.125, 20.1875. The draw lies between 20.13 and 20.15.
    """
    mystery = sample("must_hit")
    [level] = [level for level in mystery["levels"] if level["code"] == "mini"]
    level |= {"must_hit_from": "20.13", "must_hit_by": "20.15", **changes}
    mystery["levels"] = [level]
    return mystery


def house(mystery: Any, *, wager: str = "progressive") -> Any:
    setup = deepcopy(SETUP)
    setup["progressives"].append(mystery)
    for table in setup["tables"]:
        table["also_feeds"] = [{"progressive": "MYSTERY", "wager": wager}]
    return setup


@pytest.fixture
def floor(db: None) -> Floor:
    return Floor(house(narrow()))


def level() -> Meter:
    return Meter.objects.get(progressive__code="MYSTERY")


def moved() -> list[tuple[str, Decimal, Decimal]]:
    entries = MeterEntry.objects.filter(meter=level()).order_by("sequence")
    return [(e.kind, e.amount, e.after) for e in entries]


def now_at_commit() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def test_the_wager_that_reaches_the_draw_wins_at_the_lockout(floor: Floor) -> None:
    sender = Sender("T-1")
    floor.play(sender.lockout(seat(1, NOTHING), seat(3, NOTHING), seat(5, NOTHING, player="p5")))

    # Position 5 is settled first, so 1 is the third. $20.15 at most; 3.75 cents stay on top of $20.
    assert moved() == [
        ("initial", Decimal("20"), Decimal("20")),
        ("contribution", Decimal("0.0625"), Decimal("20.0625")),
        ("contribution", Decimal("0.0625"), Decimal("20.125")),
        ("contribution", Decimal("0.0625"), Decimal("20.1875")),
        ("award", Decimal("-20.15"), Decimal("0.0375")),
        ("reset", Decimal("20"), Decimal("20.0375")),
    ]
    claim = JackpotClaim.objects.get()
    assert (claim.kind, claim.position, claim.hand, claim.cards) == ("meter", 1, "must_hit_by", "")
    assert (claim.amount, claim.meter_at_turn) == (Decimal("20.15"), Decimal("20.1875"))
    assert (claim.terms, claim.entry_sequence) == ("must hit by $20.15", 5)
    assert Meter.objects.get(progressive__code="P-1").value == Decimal("20000.63")
    now_at_commit()
    assert must_hit_faults() == []
    assert unlogged() == {}
    assert all(row.ok for row in reconcile())


def test_the_promise_stands_before_the_hit_and_the_next_one_with_it(floor: Floor) -> None:
    lane = AuditEvent.objects.filter(chain__name="lane:P-1").order_by("sequence")
    assert [event.action for event in lane] == ["progressives.must_hit_committed"]
    promised = parse(bytes(lane[0].body))["facts"]
    floor.play(Sender("T-1").lockout(*(seat(n, NOTHING) for n in (1, 2, 3))))

    pages = lane.all()
    told = [(event.action, event.subject, parse(bytes(event.body))["facts"]) for event in pages]
    assert [(action, subject) for action, subject, _ in told] == [
        ("progressives.must_hit_committed", "MYSTERY:mini"),
        ("tables.lockout_applied", "T-1/1"),
        ("progressives.must_hit_revealed", "T-1/1"),
        ("progressives.must_hit_committed", "MYSTERY:mini"),
    ]
    revealed, following = told[2][2], told[3][2]
    assert revealed["commitment"] == promised["commitment"]
    draw = Draw(
        "MYSTERY:mini",
        1,
        Decimal("20.13"),
        Decimal("20.15"),
        Decimal(revealed["value"]),
        revealed["salt"],
    )
    assert draw.commitment == promised["commitment"]
    assert (following["number"], "value" in following, "salt" in following) == (2, False, False)
    assert told[1][2]["claims"] == [
        {"hand": "must_hit_by", "kind": "meter", "position": 1, "amount": "20.15"}
    ]
    assert [e["progressive"] for e in told[1][2]["entries"] if "progressive" in e] == [
        "MYSTERY"
    ] * 5


def test_nobody_can_read_what_is_drawn_before_the_hit(db: None) -> None:
    """The secret lies in one column, sealed; the log and the rows do not have it."""
    Floor(house(narrow(must_hit_from="1000.01", must_hit_by="99999.98")))
    row = MustHitDraw.objects.get()
    value, salt = json.loads(unseal(row.sealed))
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_jsonb(d)::text FROM progressives_musthitdraw d")
        stored = cursor.fetchone()[0]
        cursor.execute("SELECT string_agg(convert_from(body, 'UTF8'), '') FROM audit_auditevent")
        logged = cursor.fetchone()[0]
    for text in (stored, logged, repr(Draw("m", 1, row.low, row.high, Decimal(value), salt))):
        assert salt not in text
        assert value.strip() not in text
    short, long = (
        Draw("m", 1, row.low, row.high, Decimal(value), salt) for value in ("9.99", "99999.98")
    )
    assert len(sealed(short)) == len(sealed(long))


def test_every_cent_between_the_bounds_is_drawn(floor: Floor) -> None:
    found = {draw_for(level(), 1).value for _ in range(200)}
    assert found == {Decimal("20.13"), Decimal("20.14"), Decimal("20.15")}


def test_several_hits_in_one_batch_follow_one_another(floor: Floor) -> None:
    one, two = Sender("T-1"), Sender("T-2")
    everybody = [seat(1, NOTHING), seat(3, STRAIGHT), seat(5, ROYAL)]
    floor.play(*(s.lockout(*everybody) for s in (one, two)), one.settlement(*everybody))
    floor.play(two.settlement(*everybody), one.whole(*everybody))
    # 9 wagers: the third, then from 20.0375 two reach 20.1625; from 20.0125 two reach 20.1375 or
    # three 20.2, as the draw has it.
    reveals = list(MustHitReveal.objects.order_by("draw__number"))
    assert len(reveals) >= 3
    assert MustHitDraw.objects.count() == len(reveals) + 1
    assert JackpotClaim.objects.filter(hand="must_hit_by").count() == len(reveals)
    now_at_commit()
    assert must_hit_faults() == []
    assert [row.faults for row in reconcile() if not row.ok] == []
    assert verify_all().faults == []


def test_a_voided_round_gives_back_no_more_than_stands_above_the_reset_amount(
    floor: Floor,
) -> None:
    sender = Sender("T-1")
    floor.play(sender.lockout(*(seat(n, NOTHING) for n in (1, 3, 5))), sender.void())
    # 3 x 6.25 cents went on; 3.75 cents are above $20, so that much goes back and the house bears
    # the rest: what was won is not made less.
    reversals = [entry for entry in moved() if entry[0] == "reversal"]
    assert reversals == [("reversal", Decimal("-0.0375"), Decimal("20"))]
    record = ExceptionRecord.objects.get(kind="winning_wager_returned")
    assert (record.table, record.position) == ("T-1", 1)
    now_at_commit()
    assert must_hit_faults() == []


def test_a_round_in_which_nobody_won_gives_back_what_it_put_on(floor: Floor) -> None:
    sender = Sender("T-1")
    floor.play(sender.lockout(seat(1, NOTHING), seat(3, NOTHING)))
    while apply_lane(lane_id=floor.lane.pk):
        pass
    floor.play(sender.void())
    assert moved()[3:] == [
        ("reversal", Decimal("-0.0625"), Decimal("20.0625")),
        ("reversal", Decimal("-0.0625"), Decimal("20")),
    ]
    assert not ExceptionRecord.objects.filter(kind="winning_wager_returned").exists()


def test_another_wager_feeds_by_whole_units(db: None) -> None:
    """$25.00 main wagers, a unit of $10.00: each counts as $20.00."""
    mystery = narrow(must_hit_from="100.00", must_hit_by="200.00")
    mystery["wager_unit"] = "10.00"
    floor = Floor(house(mystery, wager="main"))
    floor.play(Sender("T-1").whole(seat(2, NOTHING, progressive=False)))
    assert moved()[1:] == [("contribution", Decimal("1.25"), Decimal("21.25"))]
    assert MeterEntry.objects.get(kind="contribution").stake == 20
    assert summarize().faults == []


def test_a_refused_award_goes_back_and_the_next_wager_wins(floor: Floor) -> None:
    sender = Sender("T-1")
    seats = [seat(1, NOTHING), seat(3, STRAIGHT), seat(5, ROYAL)]
    floor.play(sender.lockout(*seats))
    claim = JackpotClaim.objects.get()
    refuse_claim(
        claim_id=claim.pk,
        officer=staff("P1", "pit manager"),
        cite="§ 605a.7",
        reason="Nobody sat there.",
    )
    return_refused_award(
        claim_id=claim.pk, officer=staff("A1", "accounting"), reason="Back it goes."
    )
    assert level().value == Decimal("20.1875")
    floor.play(sender.settlement(*seats))
    floor.play(sender.whole(seat(6, NOTHING)))
    assert moved()[-3:] == [
        ("contribution", Decimal("0.0625"), Decimal("20.25")),
        ("award", Decimal("-20.15"), Decimal("0.1")),
        ("reset", Decimal("20"), Decimal("20.1")),
    ]
    now_at_commit()
    assert must_hit_faults() == []
    assert summarize().faults == []
    assert verify_all().faults == []


def test_a_hand_and_a_level_are_won_by_one_position(floor: Floor) -> None:
    floor.play(Sender("T-1").whole(seat(1, ROYAL), seat(3, NOTHING), seat(5, STRAIGHT)))
    told = list(JackpotClaim.objects.order_by("pk").values_list("position", "hand", "amount"))
    assert told == [
        (1, "must_hit_by", Decimal("20.15")),
        (5, "straight", Decimal("3.00")),
        (1, "royal_flush", Decimal("2000.06")),
    ]
    assert summarize().faults == []


def test_the_round_is_told_again_with_what_was_drawn(floor: Floor) -> None:
    floor.play(Sender("T-1").whole(seat(1, ROYAL), seat(3, NOTHING), seat(5, STRAIGHT)))
    told = list(as_text(reconstruct("T-1", 1)))
    reveal, row = MustHitReveal.objects.get(), MustHitDraw.objects.get(number=1)
    for line in (
        "    meter MYSTERY:mini #5: 20.1875 -20.15 = 0.0375  award for position 1",
        "  MYSTERY:mini was won at entry 5 by position 1: $20.15",
        f"    draw 1 was ${reveal.value}, salt {reveal.salt}",
        f"    promised as {row.commitment}",
    ):
        assert line in told
    assert what_if("T-1", 1).same


def test_api_and_page_show_the_promise_and_never_the_secret(floor: Floor) -> None:
    floor.play(Sender("T-1").lockout(*(seat(n, NOTHING) for n in (1, 3, 5))))
    client = Client()
    client.force_login(make_user("A1", "accounting"))
    told = client.get("/api/v1/meters/MYSTERY/mini/").json()
    hidden, first = told["draws"]
    assert (hidden["number"], hidden["value"], hidden["salt"]) == (2, None, None)
    reveal = MustHitReveal.objects.get()
    assert (first["value"], first["salt"]) == (str(reveal.value), reveal.salt)
    assert [m["must_hit_by"] for m in client.get("/api/v1/meters/").json()] == ["20.15", None]

    row = MustHitDraw.objects.get(number=2)
    _, salt = json.loads(unseal(row.sealed))
    for address in (
        f"/admin/progressives/meter/{level().pk}/change/?days=7",
        "/admin/progressives/musthitdraw/",
        f"/admin/progressives/musthitdraw/{row.pk}/change/",
    ):
        page = client.get(address).content.decode()
        assert row.commitment in page
        assert salt not in page
        assert row.sealed not in page


# ---- what PostgreSQL refuses ----------------------------------------------------------------


def revealed_as(**changes: Any) -> None:
    draw = MustHitDraw.objects.get(reveal__isnull=True)
    value, salt = json.loads(unseal(draw.sealed))
    told = {"value": Decimal(value), "salt": salt, "entry_sequence": 5, **changes}
    MustHitReveal.objects.create(draw=draw, **told)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"value": Decimal("20.16")}, "was not what is told now"),
        ({"salt": "00" * 32}, "was not what is told now"),
        ({}, "was not won by a wager"),
    ],
)
def test_nothing_is_told_but_what_was_promised(
    floor: Floor, changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(DatabaseError, match=says), transaction.atomic():
        revealed_as(**changes)


def test_no_second_draw_is_made_while_one_is_hidden(floor: Floor) -> None:
    with pytest.raises(DatabaseError, match="still hidden"), transaction.atomic():
        store_draw(level().pk, draw_for(level(), 2))


def test_an_award_that_reveals_nothing_is_refused_at_commit(floor: Floor) -> None:
    with pytest.raises(DatabaseError, match="0 revealed, 1 awards"), transaction.atomic():
        award_by_hand(floor)


def award_by_hand(floor: Floor) -> None:
    ledger = Ledger(floor.lane.pk)
    [held] = ledger.levels(level().progressive_id)
    facts = RoundFacts(9, date(2026, 3, 14), None, "T-1", 1, "")
    held.move("award", Decimal("-20.00"), facts, 1)
    ledger.store()
    now_at_commit()


def test_an_award_of_a_further_progressive_has_its_claim_at_commit(floor: Floor) -> None:
    with pytest.raises(DatabaseError, match="nobody claimed this award"), transaction.atomic():
        win_without_a_claim(floor)


def win_without_a_claim(floor: Floor) -> None:
    ledger = Ledger(floor.lane.pk)
    held = ledger.levels(level().progressive_id)[0]
    assert isinstance(held, MustHitMeter)
    facts = RoundFacts(9, date(2026, 3, 14), uuid4(), "T-1", 1, "")
    while not held.reached:
        held.contribute(facts, 1, Decimal("1.00"))
    held.win(facts, 1, Decimal("1.00"))
    ledger.store()
    now_at_commit()


def test_the_check_names_what_was_not_promised_so(floor: Floor) -> None:
    floor.play(Sender("T-1").lockout(*(seat(n, NOTHING) for n in (1, 3, 5))))
    first, pages = MustHitDraw.objects.get(number=1), pages_of_the_log()
    name = "MYSTERY:mini"
    assert faults_of(first, name, pages) == []

    def with_other(action: str, **changes: Any) -> list[str]:
        place, facts = pages[action, name, 1]
        return faults_of(first, name, {**pages, (action, name, 1): (place, {**facts, **changes})})

    assert with_other(COMMITTED, commitment="0" * 64) == [
        "another hash was promised in the log.",
        "what was told is not what was promised.",
    ]
    assert with_other(REVEALED, value="20.99") == ["the log tells something else."]
    assert faults_of(first, name, {}) == ["the log does not promise it."]
    later = {**pages, (COMMITTED, name, 1): (99, pages[COMMITTED, name, 1][1])}
    assert faults_of(first, name, later) == ["it was promised after it was told."]


def test_the_check_names_a_level_that_was_won_too_late(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A house that lets the drawn amount pass by and pays a later wager."""
    reached = property(lambda held: held.running.value >= Decimal("20.30"))
    monkeypatch.setattr(MustHitMeter, "reached", reached)
    floor.play(Sender("T-1").lockout(*(seat(n, NOTHING) for n in range(1, 7))))
    assert JackpotClaim.objects.count() == 1
    assert must_hit_faults() == [
        "Draw 1 of MYSTERY:mini: the level was not won by the wager that reached it."
    ]


# ---- the real way ---------------------------------------------------------------------------


def test_the_shipped_sample_is_drained_in_batches_written_behind(committed_db: Any) -> None:
    """Two linked tables, 60 rounds of six wagers: the drain works one batch ahead of its writer.

    360 wagers of 6.25 and of 4 cents: the mini level is won at least once (20 + 22.50 > 25).
    """
    try:
        mystery = sample("must_hit")
        mystery["levels"][1]["must_hit_by"] = "30.00"
        floor = Floor(house(mystery))
        everybody = [seat(n, NOTHING) for n in range(1, 7)]
        senders = [Sender("T-1"), Sender("T-2")]
        for number in range(30):
            for sender in senders:
                if number % 5:
                    floor.accept(sender.whole(seat(1, NOTHING)))
                    continue
                kept = [{k: s[k] for k in ("position", "wagers")} for s in everybody]
                floor.accept(sender.lockout(*kept), sender.void())
        for _ in range(70):
            for sender in senders:
                floor.accept(sender.whole(seat(1, NOTHING)))
        assert drain_lane(lane_id=floor.lane.pk, seconds=60, limit=7).more is False

        won = list(MustHitReveal.objects.filter(draw__meter__level="mini"))
        assert won
        for reveal in won:
            assert Decimal("25") <= reveal.value <= Decimal("30")
        assert summarize().faults == []
        told = verify_all()
        assert (told.faults, told.rounds) == ([], 200)
    finally:
        connections.close_all()
