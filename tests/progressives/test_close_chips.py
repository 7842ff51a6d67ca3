"""Chips counted from the table beside the lock-outs, by table and dealer; and claim, slip, payment.

§ 670a.8(b)(2): the chips are counted at the lock-out. Whoever counts them at the day's end counts
what the rounds took in, less what went back to players.
"""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from audit.models import AuditEvent, ExceptionRecord
from progressives import close_errors
from progressives.models import ChipCount, JackpotClaim, PayoutSlip
from progressives.services.claims import pay_claim, refuse_claim, required_to_pay
from progressives.services.claims_return import return_refused_award
from progressives.services.close_chips import ChipLine
from progressives.services.close_counts import Counted, enter_counts, import_counts
from progressives.services.close_day import end_day
from progressives.services.close_payouts import payouts_of, unsound_slips
from progressives.services.close_report import liability_of
from progressives.services.close_sign import prepare_close
from tests.documents import NOTHING, OTHER_ROYAL, ROYAL, STRAIGHT, seat
from tests.make import approved, documented, make_user, validated
from tests.progressives.closing import DAY, PLAIN, Days


@pytest.fixture
def days(db: None) -> Days:
    return Days()


def lines_of(days: Days, day: object = DAY) -> dict[str, ChipLine]:
    return {line.name: line for line in days.figures(day).chips}  # type: ignore[arg-type]


def ended(days: Days, *counts: tuple[str, str, str]) -> None:
    """End the day and enter what was counted."""
    end_day(day=DAY, by=days.preparer)
    if counts:
        enter_counts(day=DAY, by=days.preparer, counts=[Counted(*told) for told in counts])


def test_what_must_lie_there_is_what_was_taken_less_what_went_back(days: Days) -> None:
    days.play(seat(2, NOTHING), seat(4, PLAIN))
    sender = days.senders["T-1"]
    days.take(sender.lockout(seat(1, NOTHING), seat(2, PLAIN)), sender.void())  # both go back
    days.take(sender.lockout(seat(1, NOTHING), dealer="D200"))
    days.take(sender.settlement(seat(1, NOTHING), dealer="D300"))
    days.play(seat(5, NOTHING, progressive=False), table="T-2")

    lines = lines_of(days)
    assert {name: (str(line.tally.taken), str(line.expected)) for name, line in lines.items()} == {
        "T-1, dealer D100": ("4.00", "2.00"),
        "T-1, dealer D200": ("1.00", "1.00"),  # who counted them at the lock-out, not who paid
    }


def test_a_table_may_be_counted_whole_or_dealer_by_dealer(days: Days) -> None:
    days.play(seat(2, NOTHING), seat(4, PLAIN))
    days.take(days.senders["T-1"].whole(seat(3, NOTHING), dealer="D200"))
    ended(days, ("T-1", "", "3.00"))
    [line] = days.figures().chips
    assert (line.name, line.expected, line.difference, line.green) == ("T-1", 3, 0, True)

    enter_counts(day=DAY, by=days.preparer, counts=[Counted("T-1", "D100", "$2.00")])
    assert {name: line.uncounted for name, line in lines_of(days).items()} == {
        "T-1": False,
        "T-1, dealer D100": False,
        "T-1, dealer D200": True,
    }


def test_what_is_not_counted_blocks_and_so_does_a_difference_until_it_is_explained(
    days: Days,
) -> None:
    days.play(seat(2, NOTHING), seat(4, PLAIN))
    days.play(seat(2, NOTHING))
    ended(days)
    days.read()
    enter_counts(day=DAY, by=days.preparer, counts=[Counted("T-1", "D100", "2.00")])
    found = ExceptionRecord.objects.get(kind="chip_count_variance")
    assert found.table == "T-1"
    assert found.sentence.startswith("Chips of T-1, dealer D100: 1.00 less were counted than")
    assert [cause["kind"] for cause in found.facts["causes"]] == ["manual_entry", "missing_round"]
    assert found.facts["causes"][1]["rounds"] == [["T-1", 2]]
    with pytest.raises(close_errors.Blocked, match="Chip count variance at T-1 is open"):
        prepare_close(day=DAY, by=days.preparer)
    days.close_exceptions()
    close = prepare_close(day=DAY, by=days.preparer)
    [told] = close.figures["chips"]
    assert (told["expected"], told["counted"], told["exception"]) == ("3.00", "2.00", found.pk)
    actions = AuditEvent.objects.filter(action="progressives.chips_counted")
    assert actions.count() == 2


def test_a_table_that_nobody_counted_blocks(days: Days) -> None:
    days.play(seat(2, NOTHING))
    ended(days)
    with pytest.raises(close_errors.Blocked, match="not counted: T-1, dealer D100"):
        prepare_close(day=DAY, by=days.preparer)


def test_chips_counted_with_another_dealer_are_named(days: Days) -> None:
    days.play(seat(2, NOTHING), seat(4, PLAIN))
    days.take(days.senders["T-1"].whole(seat(3, NOTHING), seat(4, PLAIN), dealer="D200"))
    ended(days, ("T-1", "D100", "3.00"), ("T-1", "D200", "1.00"))
    for line in days.figures().chips:
        assert line.causes[0].kind == "other_dealer"
    assert "dealer D200" in days.figures().chips[0].causes[0].sentence


def test_a_count_without_what_came_late_is_named(days: Days) -> None:
    days.play(seat(2, NOTHING))
    days.close()
    days.play(seat(2, NOTHING), seat(4, PLAIN), days=0)  # of the closed day
    days.play(seat(2, NOTHING), days=1)
    tomorrow = DAY + timedelta(days=1)
    end_day(day=tomorrow, by=days.preparer)
    enter_counts(day=tomorrow, by=days.preparer, counts=[Counted("T-1", "D100", "1.00")])
    [line] = days.figures(tomorrow).chips
    assert (line.causes[0].kind, line.causes[0].rounds) == ("late_event", (("T-1", 2),))


def test_a_round_open_over_the_fence_gives_its_chips_back_the_next_day(days: Days) -> None:
    days.play(seat(2, NOTHING))
    sender = days.senders["T-1"]
    days.take(sender.lockout(seat(2, NOTHING), seat(4, PLAIN)))
    days.close()
    days.take(sender.void())
    tomorrow = DAY + timedelta(days=1)
    [line] = days.figures(tomorrow).chips
    assert (line.tally.taken, line.tally.returned) == (0, 2)


@pytest.mark.parametrize(
    "counts",
    [
        [("T-9", "", "1.00")],
        [("T-1", "", "x")],
        [("T-1", "", "0.001")],
        [("T-1", "", "-1")],
        [("T-1", "D" * 17, "1.00")],
        [("T-1", "", "1.00"), ("T-1", "", "2.00")],
        [("T-1", "", " ")],
        [],
    ],
)
def test_what_cannot_be_a_count_is_refused(days: Days, counts: list[tuple[str, str, str]]) -> None:
    days.play(seat(2, NOTHING))
    end_day(day=DAY, by=days.preparer)
    with pytest.raises((close_errors.CountRefused, close_errors.ReadingRefused)):
        enter_counts(day=DAY, by=days.preparer, counts=[Counted(*told) for told in counts])
    assert not ChipCount.objects.exists()


def test_counts_come_from_a_file_all_or_none(days: Days) -> None:
    days.play(seat(2, NOTHING))
    end_day(day=DAY, by=days.preparer)
    for bad in (b"table;amount\nT-1;1\n", b"table,amount\nT-1,one\n", b"table,amount\n"):
        with pytest.raises(close_errors.ProgressiveError):
            import_counts(day=DAY, by=days.preparer, content=bad, name="racks.csv")
    content = b"Table,Dealer,Amount\r\nT-1,D100,1.00\r\n"
    [count] = import_counts(day=DAY, by=days.preparer, content=content, name="racks.csv")
    assert (count.dealer, count.amount) == ("D100", Decimal("1.00"))


def test_only_accounting_counts_and_only_before_the_signature(days: Days) -> None:
    days.play(seat(2, NOTHING))
    end_day(day=DAY, by=days.preparer)
    counts = [Counted("T-1", "", "1.00")]
    with pytest.raises(close_errors.MayNotClose):
        enter_counts(day=DAY, by=make_user("F1"), counts=counts)
    days.read()
    prepare_close(day=DAY, by=days.preparer)
    with pytest.raises(close_errors.NotDraft):
        enter_counts(day=DAY, by=days.preparer, counts=counts)
    with pytest.raises(DatabaseError, match="takes no entries"), transaction.atomic():
        ChipCount.objects.create(gaming_day=DAY, table="T-1", amount=1, by=days.preparer)


# ---- claim, slip, payment -------------------------------------------------------------------


def claims(days: Days) -> tuple[JackpotClaim, JackpotClaim, JackpotClaim]:
    days.play(seat(2, ROYAL))
    days.play(seat(3, STRAIGHT))
    days.play(seat(4, OTHER_ROYAL), table="T-2")
    royal, straight, other = JackpotClaim.objects.order_by("pk")
    return royal, straight, other


def test_what_was_won_counts_as_owed_until_it_is_paid_whatever_its_state(days: Days) -> None:
    royal, straight, other = claims(days)
    won = royal.amount + straight.amount + other.amount
    validated(straight)
    approved(royal)
    assert liability_of(days.figures()).unpaid == won
    pay_claim(claim_id=straight.pk, officer=make_user("F300"))
    documented(other)
    assert liability_of(days.figures()).unpaid == royal.amount + other.amount
    refuse_claim(
        claim_id=royal.pk, officer=make_user("F301"), cite="§ 670a.13(k)", reason="Seven cards."
    )
    assert liability_of(days.figures()).unpaid == royal.amount + other.amount  # on no meter yet
    return_refused_award(claim_id=royal.pk, officer=days.reviewer, reason="It is void.")
    assert liability_of(days.figures()).unpaid == other.amount


def test_what_a_day_owed_stays_as_it_was_when_the_day_ended(days: Days) -> None:
    _, straight, _ = claims(days)
    validated(straight)
    owed = liability_of(days.figures()).unpaid
    end_day(day=DAY, by=days.preparer)
    with connection.cursor() as cursor:  # one transaction has one clock: let it go on
        cursor.execute("SELECT 1")
    pay_claim(claim_id=straight.pk, officer=make_user("F300"))
    fenced = days.figures().close.fenced_at
    assert straight.steps.get(kind="paid").at >= fenced
    assert owed >= liability_of(days.figures()).unpaid


def test_each_payout_stands_beside_its_slip_and_its_payment(days: Days) -> None:
    royal, straight, other = claims(days)
    validated(straight)
    pay_claim(claim_id=straight.pk, officer=make_user("F300"))
    documented(royal)
    documented(other)
    refuse_claim(
        claim_id=other.pk, officer=make_user("F301"), cite="§ 670a.13(k)", reason="Seven cards."
    )
    checks = [check.code for check in required_to_pay(royal)]
    pay_claim(claim_id=royal.pk, officer=make_user("F302"), checks=checks)
    rows = {(row.kind, row.state): row for row in payouts_of(DAY)}

    paid = rows["Fixed award", "Paid"]
    assert (paid.count, paid.slips, paid.slip_amount, paid.paid) == (
        1,
        1,
        straight.amount,
        straight.amount,
    )
    meter = rows["Meter award", "Paid"]
    withheld = PayoutSlip.objects.get(claim=royal).tax_withheld
    assert (meter.paid, meter.withheld, meter.source) == (royal.amount, withheld, "cage")
    refused = rows["Meter award", "Refused"]
    assert (refused.slips, refused.voids, refused.paid) == (1, 1, 0)
    assert unsound_slips(DAY) == []


def test_what_a_privileged_hand_changed_of_slips_is_named_and_blocks(committed_db: Any) -> None:
    days = Days()
    _, straight, _ = claims(days)
    validated(straight)
    pay_claim(claim_id=straight.pk, officer=make_user("F300"))
    with psycopg.connect(committed_db.owner_url, autocommit=True) as owner:
        owner.execute("ALTER TABLE progressives_payoutslip DISABLE TRIGGER USER")
        owner.execute("UPDATE progressives_payoutslip SET amount = amount + 1")
        owner.execute("ALTER TABLE progressives_slipcounter DISABLE TRIGGER USER")
        owner.execute("UPDATE progressives_slipcounter SET last = 4")
    told = " ".join(blocker.sentence for blocker in days.figures().blockers)
    assert f"{straight}: has a slip of another amount." in told
    assert "Payout slips: 1 are there, 4 numbers were given out." in told
