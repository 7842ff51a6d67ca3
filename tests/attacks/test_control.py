"""Past the services: what PostgreSQL itself refuses of meters, terms and two-person rules.

Each attack is tried by the application's role and by the owner of the tables, and commits if it is
let. The last tests take one guard away and see the attack get through, so that it is known which
guard holds.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from django.db import connections, transaction

from progressives import errors
from progressives.control_errors import AlreadyDecided, InOperation
from progressives.models import (
    ControlLeg,
    ControlRequest,
    ControlStep,
    Lane,
    Meter,
    MeterEntry,
)
from progressives.services import control, control_effect
from progressives.services.control import approve_control
from progressives.services.control_effect import effect_control, effect_due
from tables import tasks
from tables.services.apply import read_batch
from tables.services.drain import write
from tests.databases import CommittedDatabase
from tests.documents import FIVE_ACES, NOTHING, SETUP, Sender, seat
from tests.make import make_user
from tests.progressives.closing import PLAIN
from tests.progressives.samples import set_up
from tests.progressives.test_control import People, closing, opening
from tests.tables.conftest import Floor

ENTRY = """
INSERT INTO progressives_meterentry (meter_id, sequence, kind, amount, before, after, lane_number,
    gaming_day, "table", dealer, hand, cards, round_id, position)
SELECT id, sequence + 1, '{kind}', {amount}, value, value + {amount}, 99, '2026-03-14', 'T-1', '',
    '', '', {round_id}, {position} FROM progressives_meter WHERE id = {meter};
UPDATE progressives_meter SET value = value + {amount}, sequence = sequence + 1 WHERE id = {meter}
"""
RETURNED = "gen_random_uuid()"


class House:
    """A house of two progressives on two lanes, its people, and both ways to its database."""

    def __init__(self, database: CommittedDatabase) -> None:
        self.database = database
        self.floor = Floor()
        [plain] = SETUP["progressives"]
        set_up({**plain, "code": "P-2"})
        self.one, self.two = Meter.objects.order_by("pk")
        self.people = People()

    def commit(self, url: str, *statements: str) -> None:
        """Run statements as whoever the address logs in, and commit."""
        with psycopg.connect(url) as connection:
            for statement in statements:
                connection.execute(statement)

    def urls(self) -> list[str]:
        return [self.database.database_url, self.database.owner_url]

    def refused(self, words: str, *statements: str) -> None:
        """See both roles be refused, and nothing be left of it."""
        before = list(Meter.objects.order_by("pk").values())
        for url in self.urls():
            with pytest.raises(psycopg.Error, match=words):
                self.commit(url, *statements)
        assert list(Meter.objects.order_by("pk").values()) == before

    def entry(self, kind: str, amount: str, **more: Any) -> str:
        told = {"round_id": "NULL", "position": "NULL", "meter": self.one.pk, **more}
        return ENTRY.format(kind=kind, amount=amount, **told)

    def request(self, kind: str, by: int, **columns: str) -> str:
        told = {
            "kind": f"'{kind}'",
            "meter_id": str(self.one.pk),
            "before": "'{}'",
            "after": "'{}'",
            "reason": "'R.'",
            "effective_at": "now()",
            "requested_by_id": str(by),
            **columns,
        }
        names, values = ", ".join(told), ", ".join(told.values())
        return f"INSERT INTO progressives_controlrequest ({names}) VALUES ({values})"

    def step(self, request: ControlRequest, kind: str, by: int | None) -> str:
        person = "NULL" if by is None else str(by)
        return (
            "INSERT INTO progressives_controlstep (request_id, kind, by_id, reason, facts)"
            f" VALUES ({request.pk}, '{kind}', {person}, 'R.', '{{}}')"
        )


@pytest.fixture
def house(committed_db: CommittedDatabase) -> House:
    return House(committed_db)


def test_a_meter_goes_down_only_by_the_closed_list(house: House) -> None:
    """N.J.A.C. 13:69D-1.52(f): whatever kind a decrease is called, its cause must be there."""
    sender = Sender("T-1")
    house.floor.play(sender.lockout(seat(2, NOTHING), seat(4, PLAIN)))
    [first, _] = MeterEntry.objects.filter(kind="contribution").order_by("sequence")
    own = {"round_id": f"'{first.round_id}'", "position": str(first.position)}
    for words, kind, amount, more in [
        ("nobody claimed this award", "award", "-500", {}),
        ("never put there", "reversal", "-0.21", {}),
        ("never put there", "reversal", "-0.21", {"round_id": RETURNED, "position": "4"}),
        ("never put there", "reversal", "-0.22", own),
        ("no refused award", "reset_returned", "-100", own),
        ("nobody agreed on a transfer_out", "transfer_out", "-5", {}),
        ("nobody agreed on a transfer_in", "transfer_in", "5", {}),
        ("nobody agreed on a correction", "correction", "-5", {}),
        ("nobody agreed on a correction", "correction", "5", {}),
        ("gave what none of its meters received", "limit_cut", "-5", {}),
        ("gave what none of its meters received", "pool_returned", "-5", {}),
        ("no reserve_out on such a meter", "reserve_out", "-5", {}),
        ("only_for_a_reason|violates check", "contribution", "-5", {}),
        ("only_for_a_reason|violates check", "reset", "-5", {}),
        ("only_for_a_reason|violates check", "skimmed", "-5", {}),
    ]:
        house.refused(words, house.entry(kind, amount, **more))
    house.refused("moves only by entries", "UPDATE progressives_meter SET value = value - 5")
    back = house.entry("reversal", "-0.21", **own)
    house.refused("never put there", back, back)  # once it is the round's own, twice it is not
    house.floor.play(sender.void())
    assert Meter.objects.get(pk=house.one.pk).value == 20000


def test_the_terms_of_a_meter_change_only_by_what_was_agreed_on(house: House) -> None:
    asked = house.people.change(house.one, {"reset": "6000.00"})
    approve_control(request_id=asked.pk, by=house.people.resets)
    effected = house.step(asked, "effected", None)
    meter = house.one.pk
    for words, *statements in [
        ("are fixed", f"UPDATE progressives_meter SET reset = 6000 WHERE id = {meter}"),
        ("are fixed", f'UPDATE progressives_meter SET "limit" = 90000 WHERE id = {meter}'),
        ("are fixed", f"UPDATE progressives_meter SET shown_to = 5 WHERE id = {meter}"),
        ("is not", effected),  # said to be in effect, and nothing changed
        (
            "not those that were agreed",
            effected,
            f"UPDATE progressives_meter SET reset = 6001 WHERE id = {meter}",
        ),
        (
            "not those that were agreed",
            effected,
            f"UPDATE progressives_meter SET reset = 6000, increment_percent = 1 WHERE id = {meter}",
        ),
        ("are fixed", effected, "UPDATE progressives_meter SET reset = 6000 WHERE level = 'grand'"),
        (
            "rates of meter",
            effected,
            "INSERT INTO progressives_levelrate (meter_id, paytable, decks, increment_percent,"
            f" reserve_percent, control_id) VALUES ({meter}, 'A', 1, 1, 0, {asked.pk})",
        ),
    ]:
        house.refused(words, *statements)
    effect_control(request_id=asked.pk)
    assert Meter.objects.get(pk=meter).reset == 6000


def test_no_row_makes_one_person_two(house: House) -> None:
    people = house.people
    root = make_user("S1", None, is_superuser=True)
    gone = make_user("G1", "reset authority", is_active=False)
    both = make_user("B1", "configuration authority")
    both.groups.add(*people.resets.groups.all())
    asked = people.change(house.one, {"reset": "6000.00"})
    for person in (people.configures, people.accounts, root, gone, both):
        house.refused("by this person", house.step(asked, "approved", person.pk))
    terms = {"before": '\'{"reset": "5000.00"}\'', "after": '\'{"reset": "6000.00"}\''}
    for person in (people.resets, people.accounts, root, both):
        house.refused("may not ask", house.request("parameters", person.pk, **terms))
    for kind in ("correction", "retirement"):
        house.refused("may not ask", house.request(kind, people.configures.pk, amount="-5"))
    past = {"effective_at": "now() - interval '1 hour'"}
    house.refused("in the past", house.request("parameters", people.configures.pk, **past))
    house.refused("after nothing", house.step(asked, "effected", None))
    house.refused("after nothing", house.step(asked, "acknowledged", people.accounts.pk))
    approve_control(request_id=asked.pk, by=people.resets)
    house.refused("after approved", house.step(asked, "approved", people.resets.pk))
    people.configures.groups.set(people.resets.groups.all())
    house.refused("by this person", house.step(asked, "refused", people.configures.pk))
    effect_control(request_id=asked.pk)
    house.refused("after", house.step(asked, "withdrawn", people.configures.pk))
    people.resets.groups.set(people.accounts.groups.all())
    house.refused("by this person", house.step(asked, "acknowledged", people.resets.pk))
    for change in (
        "UPDATE progressives_controlrequest SET amount = 1",
        "DELETE FROM progressives_controlstep",
        "TRUNCATE progressives_controlleg",
        "TRUNCATE progressives_meterretirement",
    ):
        house.refused("written once|permission denied", change)
    assert ControlStep.objects.filter(request=asked).count() == 2


def test_a_transfer_has_two_legs_and_a_retired_meter_is_empty(house: House) -> None:
    people, one, two = house.people, house.one, house.two
    asked = people.transfer(one, two, "100.00")
    approve_control(request_id=asked.pk, by=people.configures)
    effected = house.step(asked, "effected", None)

    def leg(meter: Meter, amount: str) -> str:
        return (
            "INSERT INTO progressives_controlleg (request_id, meter_id, sequence, amount) SELECT"
            f" {asked.pk}, id, sequence + 1, {amount} FROM progressives_meter WHERE id = {meter.pk}"
        )

    away = house.entry("transfer_out", "-100")
    here = house.entry("transfer_in", "100", meter=two.pk)
    for words, *statements in [
        ("does not move", leg(one, "-100")),
        ("does not move", effected, leg(one, "-101")),
        ("does not move", effected, leg(one, "100")),
        ("is not", effected, leg(one, "-100"), away),  # one leg
        ("is not", effected, leg(one, "-100"), away, leg(two, "100")),  # its entry is missing
        ("nobody agreed on a transfer_out", effected, leg(one, "-100"), away, away),
    ]:
        house.refused(words, *statements)
    house.refused(
        "holds 20000.000000 and does not close",
        f"INSERT INTO progressives_meterretirement (meter_id, request_id) VALUES ({one.pk}, 1)",
    )
    house.commit(
        house.urls()[0], effected, leg(one, "-100"), away, leg(two, "100"), here
    )  # the whole of it is let: it is what two people agreed on
    assert [m.value for m in Meter.objects.order_by("pk")] == [Decimal(19900), Decimal(20100)]

    people.transferred(one, two)
    retired = control.request_retirement(
        meter_id=one.pk,
        by=people.resets,
        reason="R.",
        told_on=asked.told_on,
        removed_on=asked.removed_on,
    )
    house.refused(
        "nobody agreed that meter",
        "INSERT INTO progressives_meterretirement (meter_id, request_id)"
        f" VALUES ({one.pk}, {retired.pk})",
    )
    approve_control(request_id=retired.pk, by=people.configures)
    house.refused("is not", house.step(retired, "effected", None))
    effect_control(request_id=retired.pk)
    house.refused("is retired", house.entry("reset", "5"))


def test_no_change_takes_effect_by_sql_while_a_round_is_open(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    sender = Sender("T-1")
    asked = house.people.change(house.one, {"reset": "6000.00"})
    approve_control(request_id=asked.pk, by=house.people.resets)
    change = f"UPDATE progressives_meter SET reset = 6000 WHERE id = {house.one.pk}"
    house.floor.play(opening(sender), sender.lockout(seat(2, NOTHING)))
    house.refused("Round 1 of T-1 is open", house.step(asked, "effected", None), change)
    with monkeypatch.context() as blind:  # a service that does not look meets the same guard
        blind.setattr(control_effect, "in_operation", lambda lane_id: None)
        with pytest.raises(errors.Guarded, match="nothing changes while a link is in operation"):
            effect_control(request_id=asked.pk)
    house.floor.play(sender.settlement(seat(2, NOTHING)))
    house.refused("T-1 is in play", house.step(asked, "effected", None), change)
    house.floor.accept(closing(sender))
    house.refused("Events of T-1 wait", house.step(asked, "effected", None), change)
    house.floor.apply()
    tasks.effect_changes()
    assert Meter.objects.get(pk=house.one.pk).reset == 6000


# ---- races ----------------------------------------------------------------------------------


def together(*deeds: Callable[[], object]) -> list[Any]:
    """Let deeds loose at once; return what each gave or was refused with."""
    results: list[Any] = [None] * len(deeds)
    start = threading.Barrier(len(deeds))

    def run(place: int, deed: Callable[[], object]) -> None:
        start.wait(30)
        try:
            results[place] = deed()
        except errors.ProgressiveError as refusal:
            results[place] = refusal
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(deeds)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


def held_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let two who decide both look before either writes, wherever no lock keeps them apart."""
    looked = threading.Barrier(2)
    look = control.must_be_open

    def wait(request: ControlRequest, wanted: str) -> None:
        look(request, wanted)
        with suppress(threading.BrokenBarrierError):  # the other waits for the lane, as he should
            looked.wait(1)

    monkeypatch.setattr(control, "must_be_open", wait)


def two_approve(house: House) -> list[Any]:
    asked = house.people.change(house.one, {"reset": "6000.00"})
    first, second = house.people.resets, make_user("R2", "reset authority")
    return together(
        lambda: approve_control(request_id=asked.pk, by=first),
        lambda: approve_control(request_id=asked.pk, by=second),
    )


def test_of_two_who_approve_at_once_one_does(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    held_apart(monkeypatch)
    results = two_approve(house)
    [refused] = [each for each in results if isinstance(each, Exception)]
    assert isinstance(refused, AlreadyDecided)
    assert ControlStep.objects.filter(kind="approved").count() == 1


def test_without_the_lane_the_second_only_meets_the_databases_guard(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look_only(request_id: int) -> tuple[ControlRequest, list[Lane]]:
        found = ControlRequest.objects.select_related("meter__progressive__lane", "other")
        return found.get(pk=request_id), []

    held_apart(monkeypatch)
    monkeypatch.setattr(control, "hold", look_only)
    results = two_approve(house)
    [refused] = [each for each in results if isinstance(each, Exception)]
    assert isinstance(refused, errors.Guarded)
    assert ControlStep.objects.filter(kind="approved").count() == 1


def test_opposite_transfers_do_not_wait_for_each_other_for_ever(house: House) -> None:
    """Whoever gives, the lanes are held in one order."""
    people = house.people
    asked = [people.transfer(house.one, house.two, "1.00") for _ in range(4)]
    asked += [people.transfer(house.two, house.one, "1.00") for _ in range(4)]
    for each in asked:
        approve_control(request_id=each.pk, by=people.configures)
    results = together(
        *[lambda pk=each.pk: effect_control(request_id=pk) for each in asked]  # type: ignore[misc]
    )
    stuck = [each for each in results if isinstance(each, Exception)]
    for each in stuck:  # whoever waited too long is told to try again; nothing was changed
        assert isinstance(each, errors.Busy)
    assert effect_due() == len(stuck)
    assert ControlLeg.objects.count() == 16
    assert [meter.value for meter in Meter.objects.order_by("pk")] == [20000, 20000]


def test_what_was_worked_out_before_a_change_is_not_written_after_it(house: House) -> None:
    sender = Sender("T-1")
    asked = house.people.change(house.one, {"reset": "6000.00"})
    approve_control(request_id=asked.pk, by=house.people.resets)
    lane = house.floor.lane if Lane.objects.count() == 1 else Lane.objects.get(name="P-1")
    house.floor.accept(opening(sender), sender.whole(seat(2, FIVE_ACES)))
    batch = read_batch(Lane.objects.get(pk=lane.pk), 10)  # not written yet
    assert batch is not None
    with pytest.raises(InOperation):
        effect_control(request_id=asked.pk)
    with transaction.atomic():  # as any change of the lane does
        held = Lane.objects.select_for_update(no_key=True).get(pk=lane.pk)
        held.number += 1
        held.save(update_fields=["number"])
    assert write(batch) is False
    assert Meter.objects.get(pk=house.one.pk).value == 20000
    assert asked.steps.count() == 1


# ---- mutants: which guard holds -------------------------------------------------------------

ONE_GUARD = {
    "award": ("progressives_meterentry", "meter_award_is_claimed", "-500"),
    "reset_returned": ("progressives_meterentry", "meter_entries_have_their_cause", "-100"),
    "reversal": ("progressives_meterentry", "meter_entries_have_their_cause", "-0.21"),
    "correction": ("progressives_meterentry", "meter_entries_have_their_cause", "-5"),
    "transfer_out": ("progressives_meterentry", "meter_entries_have_their_cause", "-5"),
}


def test_each_decrease_gets_through_without_its_guard(house: House) -> None:
    for kind, (table, guard, amount) in ONE_GUARD.items():
        house.commit(
            house.database.owner_url,
            f"ALTER TABLE {table} DISABLE TRIGGER {guard}",
            house.entry(kind, amount),
            f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {guard}",
        )
    fell = sum((Decimal(amount) for _, _, amount in ONE_GUARD.values()), Decimal(0))
    assert Meter.objects.get(pk=house.one.pk).value == 20000 + fell


def test_a_change_gets_into_an_open_round_without_both_looks(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    sender = Sender("T-1")
    asked = house.people.change(house.one, {"reset": "6000.00"})
    approve_control(request_id=asked.pk, by=house.people.resets)
    house.floor.play(sender.lockout(seat(2, NOTHING)))
    monkeypatch.setattr(control_effect, "in_operation", lambda lane_id: None)
    house.commit(
        house.database.owner_url,
        "CREATE OR REPLACE FUNCTION lane_in_operation(lane bigint) RETURNS text"
        " LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
    )
    assert effect_due() == 1


def test_one_person_gets_through_without_the_guard_of_persons(house: House) -> None:
    asked = house.people.change(house.one, {"reset": "6000.00"})
    for statement in (
        "ALTER TABLE progressives_controlstep DISABLE TRIGGER control_step_in_order",
        house.step(asked, "approved", house.people.configures.pk),
        "ALTER TABLE progressives_controlstep ENABLE ALWAYS TRIGGER control_step_in_order",
    ):
        house.commit(house.database.owner_url, statement)
    assert effect_due() == 1
