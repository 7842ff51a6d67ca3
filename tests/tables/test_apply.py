"""The life of a lane: numbers, meters, claims and the log, event by event."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from audit.models import AuditEvent, ExceptionRecord
from audit.verify import verify_chains
from progressives.models import EnvyPayout, JackpotClaim, MeterEntry
from tables.models import AppliedEvent, OpenRound, Round, RoundPosition, TableCursor
from tables.services import gaps
from tables.services.apply import TRIES, apply_lane
from tests.documents import (
    FIVE_ACES,
    NOON,
    NOTHING,
    OTHER_ROYAL,
    ROYAL,
    STRAIGHT,
    Sender,
    seat,
)
from tests.make import make_user

ADDED = ("contribution", "0.21")
TAKEN = ("reversal", "-0.21")


def exceptions() -> list[tuple[str, str]]:
    return list(ExceptionRecord.objects.order_by("pk").values_list("kind", "severity"))


def refused() -> list[tuple[str, str]]:
    found = AppliedEvent.objects.filter(state="refused").order_by("number")
    return list(found.values_list("code", "path"))


def test_a_round_raises_the_meter_by_21_percent_of_each_wager(floor: Any) -> None:
    floor.play(Sender().whole(seat(2, NOTHING), seat(4, STRAIGHT)))

    entries = MeterEntry.objects.order_by("sequence")[1:]
    assert [(e.position, str(e.before), str(e.after)) for e in entries] == [
        (4, "20000.000000", "20000.210000"),  # farthest to the dealer's right first
        (2, "20000.210000", "20000.420000"),
    ]
    assert floor.meter.value == Decimal("20000.42")


def test_a_second_royal_is_paid_from_what_the_first_has_left(floor: Any) -> None:
    floor.play(Sender().whole(seat(2, ROYAL), seat(6, OTHER_ROYAL)))

    claims = JackpotClaim.objects.order_by("-position")
    assert [(c.position, str(c.meter_at_turn), str(c.amount)) for c in claims] == [
        (6, "20000.420000", "2000.04"),
        (2, "18000.380000", "1800.03"),
    ]
    assert floor.meter.value == Decimal("16200.35")
    line = RoundPosition.objects.get(position=2).lines[1]
    assert (line["meter_at_turn"], line["pays"]) == ("18000.38", "1800.03")


def test_five_aces_take_the_meter_and_the_next_table_is_paid_from_the_reset_amount(
    floor: Any,
) -> None:
    floor.play(
        Sender("T-1").whole(seat(3, FIVE_ACES)),
        Sender("T-2").whole(seat(3, ROYAL)),
    )

    assert floor.moved == [
        ADDED,
        ("award", "-20000.21"),
        ("reset", "5000.00"),
        ADDED,
        ("award", "-500.02"),
    ]
    assert floor.meter.value == Decimal("4500.19")


def test_fixed_awards_and_envies_never_touch_the_meter(floor: Any) -> None:
    floor.play(Sender().whole(seat(2, STRAIGHT), seat(5, ROYAL, progressive=False)))

    assert floor.moved == [ADDED]
    claim = JackpotClaim.objects.get()
    assert (claim.kind, str(claim.amount), claim.source_of_funds) == (
        "fixed",
        "3.00",
        "table inventory",
    )
    envy = EnvyPayout.objects.get()
    assert (envy.position, envy.from_position, str(envy.amount)) == (2, 5, "50.00")


def test_lockout_puts_the_wagers_on_and_settlement_pays(floor: Any) -> None:
    sender = Sender()
    seats = [seat(2, NOTHING), seat(6, ROYAL)]
    floor.play(sender.lockout(*seats))
    assert floor.moved == [ADDED, ADDED]
    assert Round.objects.count() == 0

    floor.play(sender.settlement(*seats))
    assert floor.moved == [ADDED, ADDED, ("award", "-2000.04")]
    assert OpenRound.objects.count() == 0
    assert Round.objects.get().state == "settled"


def test_void_takes_the_rounds_contributions_back_and_not_the_others(floor: Any) -> None:
    sender, other = Sender("T-1"), Sender("T-2")
    floor.play(sender.lockout(seat(2, NOTHING), seat(6, STRAIGHT)))
    floor.play(other.whole(seat(1, NOTHING)))
    floor.play(sender.void())

    assert floor.moved == [ADDED, ADDED, ADDED, TAKEN, TAKEN]
    assert floor.meter.value == Decimal("20000.21")
    lines = [line for p in RoundPosition.objects.filter(round__number=1) for line in p.lines]
    assert {line["result"] for line in lines if line["cite"] == "§ 670a.13(e)"} == {"returned"}


def test_a_void_without_lockout_moves_no_meter(floor: Any) -> None:
    sender = Sender()
    sender.round = 1
    floor.play(sender.void())
    assert floor.moved == []
    assert Round.objects.get().state == "void"


def test_a_hand_that_its_player_voids_loses_its_contribution_before_the_first_turn(
    floor: Any,
) -> None:
    voided = seat(2, NOTHING, status="voided", irregularity={"cite": "670a.13(d)"})
    floor.play(Sender().whole(voided, seat(6, ROYAL)))

    assert floor.moved == [ADDED, ADDED, TAKEN, ("award", "-2000.02")]


@pytest.mark.parametrize(
    ("send", "code"),
    [
        (lambda s: s.settlement(seat(2, NOTHING), round=7), "settlement_without_lockout"),
        (lambda s: s.envelope("lockout", positions=lean(), round=1), "round_already_open"),
        (
            lambda s: s.settlement(seat(2, NOTHING, progressive=False), round=1),
            "wagers_changed_after_lockout",
        ),
    ],
)
def test_what_an_earlier_event_forbids_is_refused_at_its_turn(
    floor: Any, send: Any, code: str
) -> None:
    sender = Sender()
    floor.play(sender.lockout(seat(2, NOTHING)))
    floor.play(send(sender))

    assert [found for found, _ in refused()] == [code]
    assert exceptions() == [("event_refused_at_turn", "exception")]
    assert floor.moved == [ADDED]

    floor.play(sender.settlement(seat(2, NOTHING), round=1))  # the correction: the next sequence
    assert Round.objects.get().state == "settled"


def lean() -> list[dict[str, Any]]:
    return [{"position": 2, "wagers": {"main": "25.00"}}]


@pytest.mark.parametrize(
    ("state", "code"), [("settled", "round_already_settled"), ("void", "round_already_void")]
)
def test_a_round_that_is_over_stays_so(floor: Any, state: str, code: str) -> None:
    sender = Sender()
    floor.play(sender.lockout(seat(2, NOTHING)))
    floor.play(sender.void() if state == "void" else sender.settlement(seat(2, NOTHING)))
    meter = floor.meter.value

    floor.play(sender.void(), sender.settlement(seat(2, NOTHING)), whole_again(sender))

    assert [found for found, _ in refused()] == [code] * 3
    assert floor.meter.value == meter
    assert Round.objects.get().state == state


def whole_again(sender: Sender) -> dict[str, Any]:
    sender.round -= 1
    return sender.whole(seat(2, NOTHING))


def test_a_lockout_while_a_round_is_open_is_accepted_and_a_person_looks(floor: Any) -> None:
    sender = Sender()
    floor.play(sender.lockout(seat(2, NOTHING)), sender.lockout(seat(3, NOTHING)))

    assert exceptions() == [("lockout_while_open", "exception")]
    assert OpenRound.objects.count() == 2
    assert floor.moved == [ADDED, ADDED]


def test_a_gap_holds_its_table_alone_until_the_event_comes(floor: Any) -> None:
    one, other = Sender("T-1"), Sender("T-2")
    first, missing, third = (one.whole(seat(n, NOTHING)) for n in (1, 2, 3))

    assert floor.play(first, third, other.whole(seat(4, NOTHING))) == 2
    assert [(gap.table, gap.first, gap.last) for gap in gaps.open_gaps()] == [("T-1", 2, 2)]

    assert floor.play(missing) == 2
    numbers = AppliedEvent.objects.order_by("number").values_list("event__table__code", "number")
    assert list(numbers) == [("T-1", 1), ("T-2", 2), ("T-1", 3), ("T-1", 4)]


def test_a_person_closes_a_gap_and_the_late_event_is_refused(floor: Any) -> None:
    sender = Sender()
    first, missing, third = (sender.whole(seat(n, NOTHING)) for n in (1, 2, 3))
    floor.play(first, third)
    manager = make_user("P300", "pit manager")

    with pytest.raises(gaps.NoGap):
        gaps.close_gap(table="T-1", by=manager, reason=" ")
    gaps.close_gap(table="T-1", by=manager, reason="controller replaced, round 2 never dealt")
    floor.apply()

    assert Round.objects.count() == 2
    assert AppliedEvent.objects.get(state="skipped").event.sequence == 2
    [answer] = floor.accept(missing)
    assert (answer.status, answer.code) == ("refused", "sequence_skipped")
    with pytest.raises(gaps.NoGap):
        gaps.close_gap(table="T-1", by=manager, reason="again")
    told = AuditEvent.objects.filter(
        action__in=["tables.gap_closed", "tables.sequence_skipped_applied"]
    )
    assert told.count() == 2


def test_the_gaming_day_turns_at_six_in_the_facilitys_zone_and_never_back(floor: Any) -> None:
    sender = Sender()
    before_six = NOON + timedelta(hours=17, minutes=59)  # 5:59 in New York, the next calendar day
    days = []
    for moment in (NOON, before_six, before_six + timedelta(minutes=1), before_six):
        floor.play(sender.whole(seat(2, NOTHING), occurred_at=moment.isoformat()))
        applied = AppliedEvent.objects.latest("number")
        days.append((str(applied.gaming_day), applied.late))

    assert days == [
        ("2026-03-14", False),
        ("2026-03-14", False),
        ("2026-03-15", False),
        ("2026-03-15", True),
    ]


def test_a_clock_ahead_of_ours_does_not_turn_the_day(floor: Any) -> None:
    floor.play(Sender().whole(seat(2, NOTHING), occurred_at="2199-01-01T12:00:00+00:00"))
    assert AppliedEvent.objects.get().gaming_day.year < 2199
    assert ("clock_ahead", "exception") in exceptions()


def test_an_event_that_breaks_the_engine_is_set_aside_and_the_lane_goes_on(
    floor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tables import rules  # noqa: PLC0415  # patched here

    sound = rules.settle

    def brittle(document: dict[str, Any], terms: Any) -> Any:
        if document["round"] == 2:
            raise ZeroDivisionError("a fault of ours")
        return sound(document, terms)

    monkeypatch.setattr(rules, "settle", brittle)
    sender = Sender()
    floor.accept(*(sender.whole(seat(n, NOTHING)) for n in (1, 2, 3)))

    assert apply_lane(lane_id=floor.lane.pk) == 1  # what stands before it is applied
    for attempt in range(1, TRIES):
        assert apply_lane(lane_id=floor.lane.pk) == 0
        assert TableCursor.objects.get(table__code="T-1").attempts == attempt
    assert apply_lane(lane_id=floor.lane.pk) == 1
    assert apply_lane(lane_id=floor.lane.pk) == 1

    states = AppliedEvent.objects.order_by("number").values_list("state", flat=True)
    assert list(states) == ["applied", "set_aside", "applied"]
    assert exceptions() == [("event_set_aside", "exception")]
    assert floor.moved == [ADDED, ADDED]


def test_applying_again_changes_nothing(floor: Any) -> None:
    floor.play(Sender().whole(seat(2, ROYAL)))
    before = (floor.meter.value, AuditEvent.objects.count())
    assert apply_lane(lane_id=floor.lane.pk) == 0
    assert (floor.meter.value, AuditEvent.objects.count()) == before


def test_every_event_has_its_page_in_the_lanes_chain(floor: Any) -> None:
    sender = Sender()
    seats = [seat(2, NOTHING)]
    floor.play(sender.lockout(*seats), sender.settlement(*seats), sender.whole(seat(3, STRAIGHT)))

    pages = AuditEvent.objects.filter(chain__name="lane:P-1").order_by("sequence")
    assert [(page.action, page.subject) for page in pages] == [
        ("tables.lockout_applied", "T-1/1"),
        ("tables.settlement_applied", "T-1/1"),
        ("tables.round_applied", "T-1/2"),
    ]
    assert verify_chains().ok
