"""Changes of a progressive: two authorities, no link in operation, in the lane's order."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from audit.canonical import parse
from audit.models import AuditEvent, ExceptionRecord, User
from audit.verify import verify_chains
from progressives import control_errors, errors
from progressives.models import (
    ControlRequest,
    Lane,
    LevelRate,
    Meter,
    MeterEntry,
    MeterRetirement,
    MeterSnapshot,
    Progressive,
)
from progressives.services.control import (
    acknowledge_control,
    approve_control,
    refuse_control,
    request_correction,
    request_parameters,
    request_retirement,
    request_transfer,
    withdraw_control,
)
from progressives.services.control_effect import effect_control, effect_due
from progressives.services.control_terms import terms_now
from progressives.services.reconcile import reconcile
from tables.models import GamingTable
from tables.services.unlogged import unlogged
from tests.documents import FIVE_ACES, NOTHING, SETUP, Sender, seat
from tests.make import make_user
from tests.progressives.closing import DAY, PLAIN, Days
from tests.progressives.samples import Play, sample, set_up, stand
from tests.tables.conftest import Floor

pytestmark = pytest.mark.django_db

NOTICE = {"told_on": date(2026, 2, 1), "removed_on": date(2026, 3, 14)}


class People:
    """One person for each authority, and accounting."""

    def __init__(self) -> None:
        self.configures = make_user("C1", "configuration authority")
        self.resets = make_user("R1", "reset authority")
        self.accounts = make_user("A9", "accounting")

    def change(self, meter: Meter, changes: Any, **more: Any) -> ControlRequest:
        return request_parameters(
            meter_id=meter.pk, by=self.configures, changes=changes, reason="New terms.", **more
        )

    def changed(self, meter: Meter, changes: Any) -> ControlRequest:
        """Ask, approve and let it take effect."""
        asked = self.change(meter, changes)
        approve_control(request_id=asked.pk, by=self.resets)
        return effect_control(request_id=asked.pk)

    def transferred(self, meter: Meter, other: Meter, amount: str | None = None) -> ControlRequest:
        asked = self.transfer(meter, other, amount)
        approve_control(request_id=asked.pk, by=self.configures)
        return effect_control(request_id=asked.pk)

    def transfer(self, meter: Meter, other: Meter, amount: str | None = None) -> ControlRequest:
        return request_transfer(
            meter_id=meter.pk,
            other_id=other.pk,
            by=self.resets,
            amount=amount,
            reason="The table is replaced.",
            **NOTICE,
        )


@pytest.fixture
def people() -> People:
    return People()


@pytest.fixture
def stud() -> Progressive:
    return set_up(sample("stud_three_levels"))


@pytest.fixture
def floor() -> Floor:
    return Floor()


def level(progressive: Progressive, code: str, purpose: str = "display") -> Meter:
    return Meter.objects.get(progressive=progressive, level=code, purpose=purpose)


def closing(sender: Sender) -> dict[str, Any]:
    """Return a table's report that it is closed."""
    told = sender.envelope("operation", operation={"kind": "table_close"})
    return {key: value for key, value in told.items() if key not in ("round", "game")}


def opening(sender: Sender) -> dict[str, Any]:
    return {**closing(sender), "operation": {"kind": "table_open"}}


# ---- parameters -----------------------------------------------------------------------------


def test_a_change_goes_from_request_to_acknowledgement_and_the_log_tells_all(
    stud: Progressive, people: People
) -> None:
    mega = level(stud, "mega")
    Play(stud, "C").wager(1, 2)
    before = stand(stud)
    asked = people.change(mega, {"increment_percent": "8", "reset": "60000.00"})
    assert (asked.before, asked.after) == (
        {"increment_percent": "9", "reset": "100000.00"},
        {"increment_percent": "8", "reset": "60000.00"},
    )
    approve_control(request_id=asked.pk, by=people.resets, remark="As filed.")
    number = Lane.objects.get(pk=stud.lane_id).number
    effect_control(request_id=asked.pk)
    assert Lane.objects.get(pk=stud.lane_id).number == number + 1
    assert stand(stud) == before  # terms change, no meter moves
    read = MeterSnapshot.objects.filter(reason="parameters")
    assert {each.meter.name for each in read} == {"mega", "mega/reserve", "mega/overflow"}
    Play(stud, "C").wager(1)
    assert stand(stud)["mega"] - before["mega"] == Decimal("0.08")
    assert level(stud, "mega").reset == 60000

    acknowledge_control(request_id=asked.pk, by=people.accounts)
    told = AuditEvent.objects.filter(action__startswith="progressives.control_")
    pages = [parse(bytes(event.body)) for event in told.order_by("pk")]
    assert [(page["action"].rpartition("_")[2], page["by"]) for page in pages] == [
        ("requested", "C1"),
        ("approved", "R1"),
        ("effected", None),
        ("acknowledged", "A9"),
    ]
    facts = pages[2]["facts"]
    assert (facts["before"]["increment_percent"], facts["after"]["increment_percent"]) == ("9", "8")
    assert (facts["requested_by"], facts["approved_by"]) == ("C1", "R1")
    assert {event.chain.name for event in told} == {f"lane:{stud.lane.name}"}
    assert verify_chains().ok
    assert unlogged().keys() <= {"movement"}  # a sample's wagers are told to nobody


def test_rates_by_paytable_and_decks_are_changed_by_rows_of_their_own(people: People) -> None:
    side = set_up(sample("blackjack_side_wager"))
    [display] = Meter.objects.filter(progressive=side, purpose="display")
    held = terms_now(display)["rates"]
    paytable, decks, rate, kept = held[0]
    fresh = [paytable, decks, str(Decimal(rate) - 1), kept]
    people.changed(display, {"rates": [fresh]})
    assert terms_now(display)["rates"] == [fresh, *held[1:]]
    assert LevelRate.objects.filter(meter=display).count() == len(held) + 1
    [given] = Play(side, paytable, decks).wager(1)
    assert given[display.level] == side.wager_unit * (Decimal(rate) - 1) / 100


def test_a_limit_and_a_reserve_bring_their_meters(people: People, stud: Progressive) -> None:
    minor = level(stud, "minor")
    shown = minor.value
    people.changed(minor, {"limit": str(shown + Decimal("0.05")), "reserve_percent": "1"})
    for _ in range(3):
        Play(stud, "C").wager(1)
    told = stand(stud)
    assert told["minor"] == level(stud, "minor").limit == shown + Decimal("0.05")
    rate = level(stud, "minor").increment_percent
    assert told["minor/overflow"] == 3 * rate / 100 - Decimal("0.05")
    assert told["minor/reserve"] == Decimal("0.03")
    assert [one for one in reconcile() if not one.ok] == []


@pytest.mark.parametrize(
    ("changes", "path", "sentence"),
    [
        ({}, "", "Nothing would change"),
        ({"increment_percent": "9.00"}, "", "Nothing would change"),
        ({"increment_percent": "101"}, "increment_percent", "at most 100"),
        ({"increment_percent": "8.12345"}, "increment_percent", "more than six decimals"),
        ({"increment_percent": "99", "reserve_percent": "2"}, "increment_percent", "take more"),
        ({"reset": "-1"}, "reset", "no amount"),
        ({"reset": "1.005"}, "reset", "whole cents"),
        ({"reset": "NaN"}, "reset", "no amount"),
        ({"shown_to": "0"}, "shown_to", "more than nothing"),
        ({"limit": "99999.99"}, "limit", "not below the reset"),
        ({"reserve_at_reset": "burned"}, "reserve_at_reset", "is added or funds"),
        ({"rates": [["C", 0, "1", "1"]]}, "rates", "1 to 12 decks"),
        ({"rates": [["C", 1, "60", "41"]]}, "rates", "take more"),
        ({"colour": "red"}, "colour", "no parameter"),
    ],
)
def test_terms_that_no_level_can_have_are_refused(
    stud: Progressive, people: People, changes: Any, path: str, sentence: str
) -> None:
    with pytest.raises(control_errors.ParameterWrong, match=sentence) as refused:
        people.change(level(stud, "mega"), changes)
    assert refused.value.path == path
    assert ControlRequest.objects.count() == 0


def test_a_limit_below_the_meter_is_refused_also_when_the_meter_grew_meanwhile(
    stud: Progressive, people: People
) -> None:
    minor = level(stud, "minor")
    with pytest.raises(control_errors.BelowTheMeter, match="would be below it"):
        people.change(minor, {"limit": str(minor.value - Decimal("0.01")), "reset": "1.00"})
    asked = people.change(minor, {"limit": str(minor.value)})
    approve_control(request_id=asked.pk, by=people.resets)
    Play(stud, "C").wager(1)
    with pytest.raises(control_errors.BelowTheMeter):
        effect_control(request_id=asked.pk)
    assert effect_due() == 0
    assert effect_due() == 0
    [told] = ExceptionRecord.objects.filter(kind="change_blocked")
    assert told.facts == {"control": asked.pk, "code": "limit_below_meter"}


def test_what_changed_since_the_request_makes_it_outdated(
    stud: Progressive, people: People
) -> None:
    mega = level(stud, "mega")
    old = people.change(mega, {"reset": "70000.00"})
    approve_control(request_id=old.pk, by=people.resets)
    people.changed(mega, {"reset": "60000.00"})
    with pytest.raises(control_errors.Outdated, match=r"was \$100,000.00 .* is \$60,000.00 now"):
        effect_control(request_id=old.pk)


def test_nothing_takes_effect_in_the_past_or_before_its_time(
    stud: Progressive, people: People
) -> None:
    mega = level(stud, "mega")
    with pytest.raises(control_errors.InThePast):
        people.change(mega, {"reset": "1.00"}, effective_at=timezone.now() - timedelta(minutes=1))
    tomorrow = timezone.now() + timedelta(days=1)
    asked = people.change(mega, {"reset": "1.00"}, effective_at=tomorrow)
    approve_control(request_id=asked.pk, by=people.resets)
    with pytest.raises(control_errors.TooEarly):
        effect_control(request_id=asked.pk)
    assert effect_due() == 0


def test_the_chapter_fixes_what_people_cannot_change(floor: Floor, people: People) -> None:
    with pytest.raises(control_errors.ParameterWrong, match=r"670a.12\(d\).* fixes the rate"):
        people.change(floor.meter, {"increment_percent": "20"})
    with pytest.raises(control_errors.ParameterWrong, match=r"at least \$5,000.00"):
        people.change(floor.meter, {"reset": "4999.99"})


# ---- a link in operation --------------------------------------------------------------------


def test_nothing_changes_while_the_link_is_in_operation(floor: Floor, people: People) -> None:
    one, two = Sender("T-1"), Sender("T-2")
    asked = people.change(floor.meter, {"reset": "6000.00"})
    floor.play(opening(one), one.lockout(seat(2, FIVE_ACES)))
    approve_control(request_id=asked.pk, by=people.resets)  # with a round open: it only waits

    def waits(sentence: str) -> None:
        with pytest.raises(control_errors.InOperation, match=sentence):
            effect_control(request_id=asked.pk)
        assert effect_due() == 0
        assert floor.meter.reset == 5000

    waits("Round 1 of T-1 is open")
    floor.play(one.settlement(seat(2, FIVE_ACES)))
    assert floor.meter.value == 5000  # by the terms of its own time
    waits("T-1 is in play")
    floor.play(opening(two), two.whole(seat(2, NOTHING)), closing(one))
    waits("T-2 is in play")
    floor.accept(closing(two))
    waits("Events of T-2 wait")
    floor.apply()
    rounds = MeterEntry.objects.count()
    assert effect_due() == 1
    assert (floor.meter.reset, MeterEntry.objects.count()) == (6000, rounds)
    floor.play(opening(one), one.whole(seat(2, FIVE_ACES)))
    assert floor.meter.value == 6000
    assert unlogged() == {}


def test_a_table_that_was_not_closed_rests_once_its_day_is_over(
    floor: Floor, people: People
) -> None:
    sender = Sender("T-1")
    floor.play(sender.whole(seat(2, NOTHING)))
    asked = people.change(floor.meter, {"reset": "6000.00"})
    approve_control(request_id=asked.pk, by=people.resets)
    Lane.objects.update(gaming_day=DAY + timedelta(days=1))
    with pytest.raises(control_errors.InOperation):  # it reported a moment ago
        effect_control(request_id=asked.pk)


# ---- transfer, correction, retirement --------------------------------------------------------


def two_lanes() -> tuple[Progressive, Progressive]:
    """Return two progressives of one level, each with a lane of its own."""
    [plain] = SETUP["progressives"]
    set_up(plain, {**plain, "code": "P-2"})
    return Progressive.objects.get(code="P-1"), Progressive.objects.get(code="P-2")


def test_a_transfer_is_one_event_with_two_legs_over_two_lanes(people: People) -> None:
    one, two = two_lanes()
    giver, receiver = level(one, "grand"), level(two, "grand")
    asked = people.transferred(giver, receiver, "1234.56")
    assert (level(one, "grand").value, level(two, "grand").value) == (
        Decimal("18765.44"),
        Decimal("21234.56"),
    )
    assert [str(leg.amount) for leg in asked.legs.order_by("pk")] == ["-1234.560000", "1234.560000"]
    pages = [
        parse(bytes(event.body))["facts"]
        for event in AuditEvent.objects.filter(action="progressives.control_effected")
    ]
    assert len(pages) == 2
    assert pages[0]["legs"] == pages[1]["legs"]
    assert [entry["kind"] for page in pages for entry in page["entries"]] == [
        "transfer_out",
        "transfer_in",
    ]
    assert (asked.told_on, asked.removed_on) == (NOTICE["told_on"], NOTICE["removed_on"])
    found = {one.meter: (one.moved, one.ok) for one in reconcile()}
    assert found == {
        "P-1:grand": (Decimal("-1234.56"), True),
        "P-2:grand": (Decimal("1234.56"), True),
    }
    assert unlogged() == {}


def test_a_transfer_over_the_receivers_limit_overflows(stud: Progressive, people: People) -> None:
    major, mega = level(stud, "major"), level(stud, "mega")
    room = (major.limit or Decimal(0)) - major.value
    people.transferred(mega, major, str(room + 7))
    told = stand(stud)
    assert (told["major"], told["major/overflow"]) == (major.limit, 7)
    assert [one for one in reconcile() if not one.ok] == []


def test_a_meter_gives_no_more_than_it_holds(stud: Progressive, people: People) -> None:
    minor, mega = level(stud, "minor"), level(stud, "mega")
    with pytest.raises(control_errors.NotEnough):
        people.transfer(minor, mega, str(minor.value + Decimal("0.01")))
    with pytest.raises(control_errors.OtherMeterWrong):
        people.transfer(minor, minor)
    with pytest.raises(control_errors.AmountWrong):
        people.transfer(minor, mega, "-5")
    with pytest.raises(control_errors.NoticeMissing):
        request_transfer(
            meter_id=minor.pk,
            other_id=mega.pk,
            by=people.resets,
            reason="Moved.",
            told_on=date(2026, 3, 2),
            removed_on=date(2026, 3, 1),
        )


def test_a_malfunction_is_corrected_by_two_people_with_a_reason(
    stud: Progressive, people: People
) -> None:
    minor = level(stud, "minor")
    with pytest.raises(errors.ReasonMissing):
        request_correction(meter_id=minor.pk, by=people.resets, amount="-5", reason=" ")
    for amount in ("0", "0.0000001", "x", "Infinity"):
        with pytest.raises(control_errors.AmountWrong):
            request_correction(meter_id=minor.pk, by=people.resets, amount=amount, reason="R.")
    with pytest.raises(control_errors.NotEnough):
        request_correction(meter_id=minor.pk, by=people.resets, amount="-1000000", reason="R.")
    asked = request_correction(
        meter_id=minor.pk, by=people.resets, amount="-5.25", reason="A wager was counted twice."
    )
    with pytest.raises(control_errors.NotApproved):
        effect_control(request_id=asked.pk)
    approve_control(request_id=asked.pk, by=people.configures)
    effect_control(request_id=asked.pk, by=people.resets)
    last = MeterEntry.objects.filter(meter=minor).latest("sequence")
    assert (last.kind, last.amount, last.after) == (
        "correction",
        Decimal("-5.25"),
        minor.value - Decimal("5.25"),
    )


def test_a_progressive_retires_empty_and_takes_no_wager_any_more(
    floor: Floor, people: People
) -> None:
    [plain] = SETUP["progressives"]
    set_up({**plain, "code": "P-2"})
    one, two = Meter.objects.order_by("pk")
    asked = request_retirement(
        meter_id=one.pk, by=people.resets, reason="The tables are rebuilt.", **NOTICE
    )
    approve_control(request_id=asked.pk, by=people.configures)
    with pytest.raises(control_errors.HoldsABalance, match=r"P-1:grand still holds 20000.00"):
        effect_control(request_id=asked.pk)
    people.transferred(one, two)
    effect_control(request_id=asked.pk)
    assert MeterRetirement.objects.get().meter == one
    assert Meter.objects.get(pk=two.pk).value == 40000

    [answer] = floor.accept(Sender("T-1").whole(seat(2, NOTHING)))
    assert (answer.status, answer.code) == ("refused", "wager_not_offered")
    floor.play(Sender("T-1").whole(seat(2, NOTHING, progressive=False)))
    with pytest.raises(control_errors.Retired):
        people.change(one, {"reset": "6000.00"})
    with pytest.raises(control_errors.Retired):
        people.transfer(two, one, "5.00")


# ---- persons --------------------------------------------------------------------------------


def test_no_one_person_changes_anything_whatever_he_is(stud: Progressive, people: People) -> None:
    mega, asked = level(stud, "mega"), people.change(level(stud, "mega"), {"reset": "60000.00"})
    both = make_user("B1", "configuration authority")
    both.groups.add(*make_user("B2", "reset authority").groups.all())
    root = make_user("S1", None, is_superuser=True)
    gone = make_user("G1", "reset authority", is_active=False)
    unnamed = make_user(None, "reset authority")
    for person, refusal in [
        (people.configures, control_errors.MayNotControl),
        (people.accounts, control_errors.MayNotControl),
        (root, control_errors.MayNotControl),
        (both, control_errors.BothAuthorities),
        (gone, control_errors.Deactivated),
        (unnamed, errors.NoStaffCode),
    ]:
        with pytest.raises(refusal):
            approve_control(request_id=asked.pk, by=person)
    for person in (people.resets, people.accounts, root, both):
        with pytest.raises(errors.WrongPerson):
            request_parameters(meter_id=mega.pk, by=person, changes={"reset": "1"}, reason="R.")
    for person in (people.configures, people.accounts, root, both):
        with pytest.raises(errors.WrongPerson):
            request_correction(meter_id=mega.pk, by=person, amount="1", reason="R.")


def test_who_asked_does_not_agree_though_his_role_changed(
    stud: Progressive, people: People
) -> None:
    asked = people.change(level(stud, "mega"), {"reset": "60000.00"})
    change_role(people.configures, people.resets)
    with pytest.raises(control_errors.OwnRequest):
        approve_control(request_id=asked.pk, by=people.configures)
    with pytest.raises(control_errors.OwnRequest):
        refuse_control(request_id=asked.pk, by=people.configures, reason="No.")


def change_role(user: User, like: User) -> None:
    """Give a person another's roles instead of his own."""
    user.groups.set(like.groups.all())


def test_accounting_is_a_third_person(stud: Progressive, people: People) -> None:
    asked = people.change(level(stud, "mega"), {"reset": "60000.00"})
    with pytest.raises(control_errors.NotInEffect):
        acknowledge_control(request_id=asked.pk, by=people.accounts)
    approve_control(request_id=asked.pk, by=people.resets)
    effect_control(request_id=asked.pk)
    with pytest.raises(control_errors.MayNotControl):
        acknowledge_control(request_id=asked.pk, by=people.resets)
    for person in (people.configures, people.resets):
        change_role(person, people.accounts)
        with pytest.raises(control_errors.TookPart):
            acknowledge_control(request_id=asked.pk, by=person)
    acknowledge_control(request_id=asked.pk, by=people.accounts)
    with pytest.raises(control_errors.AlreadyDecided, match="acknowledged by accounting already"):
        acknowledge_control(request_id=asked.pk, by=make_user("A8", "accounting"))


def test_each_step_is_taken_once_and_a_stopped_request_stays_stopped(
    stud: Progressive, people: People
) -> None:
    mega = level(stud, "mega")
    stopped = people.change(mega, {"reset": "60000.00"})
    other = make_user("C2", "configuration authority")
    with pytest.raises(control_errors.NotOwnRequest):
        withdraw_control(request_id=stopped.pk, by=other)
    approve_control(request_id=stopped.pk, by=people.resets)
    with pytest.raises(control_errors.AlreadyDecided, match="approved already by R1"):
        approve_control(request_id=stopped.pk, by=make_user("R2", "reset authority"))
    with pytest.raises(errors.ReasonMissing):
        refuse_control(request_id=stopped.pk, by=people.resets, reason=" ")
    refuse_control(request_id=stopped.pk, by=people.resets, reason="The filing is missing.")
    assert effect_due() == 0
    for attempt in (effect_control, approve_control, withdraw_control):
        person = people.configures if attempt is withdraw_control else people.resets
        with pytest.raises(control_errors.AlreadyDecided, match="refused already by R1"):
            attempt(request_id=stopped.pk, by=person)
    taken_back = people.change(mega, {"reset": "60000.00"})
    withdraw_control(request_id=taken_back.pk, by=people.configures)
    with pytest.raises(control_errors.AlreadyDecided, match="withdrawn already"):
        approve_control(request_id=taken_back.pk, by=people.resets)
    with pytest.raises(control_errors.ControlUnknown):
        effect_control(request_id=0)


# ---- the daily close ------------------------------------------------------------------------


def test_the_close_tells_changes_and_movements_by_the_log_alone(people: People) -> None:
    """Terms of one day hold in the next; what no round moved stands among the adjustments."""
    days = Days()
    senders = days.senders.values()
    days.play(seat(2, NOTHING))
    days.take(*(closing(sender) for sender in senders))
    people.changed(Meter.objects.get(), {"reset": "6000.00"})
    asked = request_correction(
        meter_id=Meter.objects.get().pk, by=people.resets, amount="-0.21", reason="Twice."
    )
    approve_control(request_id=asked.pk, by=people.configures)
    effect_control(request_id=asked.pk)
    [line] = days.figures().lines
    assert (line.sums["adjustments"], line.expected) == (Decimal("-0.21"), Decimal(20000))
    assert (line.ledger_gap, line.causes) == (0, ())
    days.close_exceptions()
    assert days.close().state == "closed"

    days.play(seat(2, FIVE_ACES), days=1)  # the whole meter: it begins again at the new amount
    tomorrow = DAY + timedelta(days=1)
    told = days.figures(tomorrow)
    [line] = told.lines
    assert (line.sums["resets"], line.expected) == (Decimal(6000), Decimal(6000))
    assert (line.ledger_gap, line.causes, told.told.retelling.doubts) == (0, (), [])


def test_a_level_that_got_a_limit_is_told_step_by_step(people: People) -> None:
    days = Days()
    people.changed(Meter.objects.get(), {"limit": "20000.30"})
    days.play(seat(2, NOTHING), seat(4, PLAIN))
    lines = {line.name: line for line in days.figures().lines}
    assert {name: line.expected for name, line in lines.items()} == {
        "P-1:grand": Decimal("20000.30"),
        "P-1:grand/overflow": Decimal("0.12"),
    }
    assert all(line.ledger_gap == 0 and line.causes == () for line in lines.values())


def test_the_moment_of_a_change_is_the_lanes_own(floor: Floor, people: People) -> None:
    """What a worker has worked out under the old terms finds another number, and is thrown away."""
    lane = Lane.objects.get()
    assert GamingTable.objects.count() == 2
    people.changed(floor.meter, {"reset": "6000.00"})
    page = parse(bytes(AuditEvent.objects.get(action="progressives.control_effected").body))
    assert page["facts"]["lane_number"] == lane.number + 1 == Lane.objects.get().number
    moment = datetime.fromisoformat(page["at"])
    assert abs(datetime.now(UTC) - moment) < timedelta(minutes=1)
