"""The close of a gaming day: its fence, its lines, its two signatures."""

from copy import deepcopy
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from audit.models import AuditEvent, Checkpoint, ExceptionRecord
from audit.verify import verify_chains
from progressives import close_errors, errors
from progressives.models import (
    CloseStep,
    GamingDayClose,
    JackpotClaim,
    Lane,
    MeterEntry,
    MeterReading,
    MeterSnapshot,
)
from progressives.services.claims import refuse_claim, required_checks, validate_claim
from progressives.services.claims_dispute import dispute_claim
from progressives.services.claims_return import return_refused_award
from progressives.services.close_day import end_day, next_day
from progressives.services.close_readings import enter_readings, import_readings
from progressives.services.close_sign import prepare_close, review_close, send_close_back
from progressives.services.reconcile import reconcile
from tests.documents import FIVE_ACES, NOTHING, OTHER_ROYAL, ROYAL, SETUP, seat
from tests.make import make_user
from tests.progressives.closing import DAY, PLAIN, Days

pytestmark = pytest.mark.django_db


@pytest.fixture
def days() -> Days:
    return Days()


def column(days: Days, name: str, day: date = DAY) -> str:
    [line] = days.figures(day).lines
    return f"{line.sums[name]:.2f}"


def test_a_day_is_closed_by_two_people_and_the_heads_of_the_chains_are_noted(days: Days) -> None:
    days.play(seat(2, NOTHING), seat(4, ROYAL))
    validate_all()
    close = days.close()

    assert (close.state, close.prepared_by, close.reviewed_by) == (
        "closed",
        days.preparer,
        days.reviewer,
    )
    assert set(close.heads) == {"system", "lane:P-1"}
    assert len(close.head) == 64
    kinds = list(close.steps.order_by("pk").values_list("kind", flat=True))
    assert kinds == ["fenced", "prepared", "closed"]
    actions = AuditEvent.objects.filter(chain__name="system").values_list("action", flat=True)
    assert [a for a in actions.order_by("pk") if ".day_" in a or "readings" in a] == [
        "progressives.day_ended",
        "progressives.readings_entered",
        "progressives.day_prepared",
        "progressives.day_closed",
    ]
    assert verify_chains().ok
    at_the_fence = MeterSnapshot.objects.get(reason="day_close")
    assert [at_the_fence.sequence, at_the_fence.value] == [
        close.ends["P-1:grand"][0],
        Decimal(close.ends["P-1:grand"][1]),
    ]


def validate_all() -> None:
    officer = make_user("F900")
    for claim in JackpotClaim.objects.filter(state="waiting"):
        checks = [check.code for check in required_checks(claim)]
        validate_claim(claim_id=claim.pk, officer=officer, checks=checks, statement="Seen.")


def test_a_line_adds_up_by_the_log_alone(days: Days) -> None:
    days.play(seat(2, ROYAL), seat(6, OTHER_ROYAL))
    days.play(seat(3, FIVE_ACES), table="T-2")
    sender = days.senders["T-1"]
    days.take(sender.lockout(seat(1, NOTHING), seat(2, PLAIN)), sender.void())
    [line] = days.figures().lines

    assert {name: str(amount.quantize(Decimal("0.01"))) for name, amount in line.sums.items()} == {
        "opened": "20000.00",
        "contributions": "1.05",
        "reversals": "-0.42",
        "awards": "-20000.63",
        "resets": "5000.00",
        "adjustments": "0.00",
        "expected": "5000.00",
    }
    assert (line.ledger_gap, line.causes) == (0, ())
    assert days.figures().told.retelling.doubts == []


def test_late_events_join_the_next_day_as_adjustments(days: Days) -> None:
    days.play(seat(2, NOTHING))
    days.close()
    assert Lane.objects.get().gaming_day == DAY + timedelta(days=1)

    days.play(seat(2, NOTHING), days=0)  # of the closed day
    days.play(seat(2, NOTHING), seat(4, PLAIN), days=1)

    assert column(days, "contributions") == "0.21"
    tomorrow = DAY + timedelta(days=1)
    assert column(days, "opened", tomorrow) == "20000.21"
    assert (column(days, "contributions", tomorrow), column(days, "adjustments", tomorrow)) == (
        "0.42",
        "0.21",
    )
    days.close_exceptions()
    assert days.close(tomorrow).state == "closed"


def test_a_lane_that_has_left_the_day_is_not_touched(days: Days) -> None:
    days.play(seat(2, NOTHING))
    days.play(seat(2, NOTHING), seat(5, PLAIN), days=1)
    number = Lane.objects.get().number

    close = end_day(day=DAY, by=days.preparer)

    assert Lane.objects.get().number == number
    assert close.fence == {"P-1": 1}
    assert column(days, "expected") == "20000.21"
    days.read()
    prepare_close(day=DAY, by=days.preparer)
    review_close(day=DAY, by=days.reviewer)
    tomorrow = DAY + timedelta(days=1)
    assert next_day() == tomorrow
    assert (column(days, "opened", tomorrow), column(days, "expected", tomorrow)) == (
        "20000.21",
        "20000.63",
    )


def test_a_round_may_be_open_while_its_day_ends(days: Days) -> None:
    sender = days.senders["T-1"]
    days.take(sender.lockout(seat(2, NOTHING), seat(4, PLAIN)))
    days.close()
    days.take(sender.void())

    tomorrow = DAY + timedelta(days=1)
    [line] = days.figures(tomorrow).lines
    assert (line.sums["adjustments"], line.ledger_gap) == (Decimal("-0.42"), 0)


def test_a_refused_award_put_back_after_the_fence_belongs_to_the_next_day(days: Days) -> None:
    days.play(seat(2, FIVE_ACES))
    validate_all()
    days.close()
    claim = JackpotClaim.objects.get()
    refuse_claim(
        claim_id=claim.pk, officer=make_user("F3"), cite="§ 670a.13(k)", reason="Seven cards."
    )
    return_refused_award(claim_id=claim.pk, officer=days.reviewer, reason="It is void.")

    tomorrow = DAY + timedelta(days=1)
    [line] = days.figures(tomorrow).lines
    assert line.sums["adjustments"] == Decimal("15000.21")
    assert line.ledger_gap == 0


# ---- what blocks ----------------------------------------------------------------------------


def test_a_missing_reading_blocks(days: Days) -> None:
    days.play(seat(2, NOTHING))
    end_day(day=DAY, by=days.preparer)
    with pytest.raises(close_errors.Blocked, match="P-1:grand has no reading"):
        prepare_close(day=DAY, by=days.preparer)


def test_a_variance_opens_an_exception_that_blocks_until_it_is_explained(days: Days) -> None:
    days.play(seat(2, NOTHING))
    end_day(day=DAY, by=days.preparer)
    days.read("20001.21")

    found = ExceptionRecord.objects.get(kind="meter_variance")
    assert found.facts["causes"][0]["kind"] == "manual_entry"
    assert "1.00 above the replay" in found.sentence
    with pytest.raises(close_errors.Blocked, match="Meter variance is open"):
        prepare_close(day=DAY, by=days.preparer)
    days.close_exceptions()
    assert prepare_close(day=DAY, by=days.preparer).state == "prepared"


def test_a_corrected_reading_takes_the_place_of_the_first_which_stays(days: Days) -> None:
    days.play(seat(2, NOTHING))
    end_day(day=DAY, by=days.preparer)
    days.read("2000.21")
    days.read()
    [line] = days.figures().lines
    assert line.variance == 0
    assert MeterReading.objects.count() == 2
    with pytest.raises(close_errors.Blocked):  # the first one's exception is still open
        prepare_close(day=DAY, by=days.preparer)
    days.close_exceptions()
    prepare_close(day=DAY, by=days.preparer)


def test_what_is_open_of_the_day_blocks_and_what_is_of_the_next_does_not(days: Days) -> None:
    days.play(seat(2, NOTHING))
    end_day(day=DAY, by=days.preparer)
    days.read()
    ExceptionRecord.objects.create(kind="mispay", facts={"gaming_day": "2026-03-15"})
    later = ExceptionRecord.objects.create(kind="mispay", facts={"gaming_day": "2026-03-14"})
    with pytest.raises(close_errors.Blocked, match="Mispay is open"):
        prepare_close(day=DAY, by=days.preparer)
    assert [b.exception for b in days.figures().blockers] == [later]


def test_a_payout_that_waits_blocks(days: Days) -> None:
    days.play(seat(2, ROYAL))
    end_day(day=DAY, by=days.preparer)
    days.read()
    with pytest.raises(
        close_errors.Blocked, match="1 progressive payout still waits for validation"
    ):
        prepare_close(day=DAY, by=days.preparer)


def test_a_disputed_payout_blocks(days: Days) -> None:
    days.play(seat(2, ROYAL))
    end_day(day=DAY, by=days.preparer)
    days.read()
    officer = make_user("F261", "floorperson")
    claim_id = JackpotClaim.objects.get().pk
    dispute_claim(claim_id=claim_id, officer=officer, reason="The player says quads.")
    told = [blocker.sentence for blocker in days.figures().blockers]
    assert "1 progressive payout is disputed." in told
    with pytest.raises(close_errors.Blocked):
        prepare_close(day=DAY, by=days.preparer)


def test_days_are_closed_one_after_the_other(days: Days) -> None:
    days.play(seat(2, NOTHING))
    with pytest.raises(close_errors.DayNotReached):
        end_day(day=DAY + timedelta(days=1), by=days.preparer)
    days.close()
    days.play(seat(2, NOTHING), days=1)
    days.play(seat(2, NOTHING), days=2)
    with pytest.raises(close_errors.EarlierDayOpen):
        end_day(day=DAY + timedelta(days=2), by=days.preparer)
    with pytest.raises(close_errors.AlreadyEnded):
        end_day(day=DAY, by=days.preparer)
    with pytest.raises(close_errors.DayBehindFence):
        end_day(day=DAY - timedelta(days=1), by=days.preparer)


def test_no_reading_is_entered_after_the_first_signature(days: Days) -> None:
    days.play(seat(2, NOTHING))
    end_day(day=DAY, by=days.preparer)
    days.read()
    prepare_close(day=DAY, by=days.preparer)
    with pytest.raises(close_errors.NotDraft):
        days.read("20000.22")
    with pytest.raises(DatabaseError, match="takes no entries"), transaction.atomic():
        MeterReading.objects.create(
            gaming_day=DAY,
            meter_id=days.figures().lines[0].meter.pk,
            value=1,
            taken_at=days.on(0),
            method="sign",
            by=days.preparer,
        )


# ---- readings from a file -------------------------------------------------------------------


def test_readings_come_from_a_file_all_or_none(days: Days) -> None:
    days.play(seat(2, NOTHING))
    end_day(day=DAY, by=days.preparer)
    content = b'\xef\xbb\xbfMeter,Value\r\nP-1,"$20,000.21"\r\n'
    [reading] = import_readings(day=DAY, by=days.preparer, content=content, name="signs.csv")
    assert (reading.value, reading.method, reading.source) == (
        Decimal("20000.21"),
        "imported",
        "signs.csv",
    )
    for bad in (
        b"meter,value\nP-9,1\n",
        b"meter;value\nP-1;1\n",
        b"meter,value\nP-1,1\nP-1:grand,1\n",
        b"meter,value\nP-1,ten\n",
        b"meter,value\nP-1,NaN\n",
        b"meter,value\nP-1,-1\n",
        b"meter,value\nP-1,0.0000001\n",
        b"meter,value\n",
        b"\xff\xfe\x00",
    ):
        with pytest.raises((close_errors.FileRefused, close_errors.ReadingRefused)):
            import_readings(day=DAY, by=days.preparer, content=bad, name="signs.csv")
    assert MeterReading.objects.count() == 1


# ---- who ------------------------------------------------------------------------------------


def test_the_preparer_cannot_review(days: Days) -> None:
    days.play(seat(2, NOTHING))
    end_day(day=DAY, by=days.preparer)
    days.read()
    prepare_close(day=DAY, by=days.preparer)
    for deed in (
        lambda: review_close(day=DAY, by=days.preparer),
        lambda: send_close_back(day=DAY, by=days.preparer, reason="No."),
    ):
        with pytest.raises(close_errors.PreparerCannotReview):
            deed()


@pytest.mark.parametrize("role", ["floorperson", "auditor", "administrator", None])
def test_only_accounting_prepares(days: Days, role: str | None) -> None:
    days.play(seat(2, NOTHING))
    with pytest.raises(close_errors.MayNotClose):
        end_day(day=DAY, by=make_user("Z1", role, is_superuser=True))


def test_an_auditor_may_review(days: Days) -> None:
    days.play(seat(2, NOTHING))
    end_day(day=DAY, by=days.preparer)
    days.read()
    prepare_close(day=DAY, by=days.preparer)
    assert review_close(day=DAY, by=make_user("U1", "auditor")).state == "closed"


def test_a_reviewer_sends_back_with_a_reason(days: Days) -> None:
    days.play(seat(2, NOTHING))
    end_day(day=DAY, by=days.preparer)
    days.read()
    prepare_close(day=DAY, by=days.preparer)
    with pytest.raises(errors.ReasonMissing):
        send_close_back(day=DAY, by=days.reviewer, reason=" ")
    close = send_close_back(day=DAY, by=days.reviewer, reason="Read the sign again.")
    assert (close.state, close.prepared_by) == ("draft", None)
    with pytest.raises(close_errors.NotPrepared):
        review_close(day=DAY, by=days.reviewer)
    prepare_close(day=DAY, by=days.reviewer)  # roles may be exchanged,
    review_close(day=DAY, by=days.preparer)  # people may not be one


# ---- what PostgreSQL refuses ----------------------------------------------------------------


def written(close: GamingDayClose, state: str, **changes: Any) -> None:
    """Write a state past the services, with its step."""
    with transaction.atomic():
        by = changes.get("reviewed_by") or changes.get("prepared_by")
        digest = changes.get("digest", close.digest)
        CloseStep.objects.create(close=close, kind=state, by=by, digest=digest)
        GamingDayClose.objects.filter(pk=close.pk).update(state=state, **changes)
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def prepared(days: Days) -> GamingDayClose:
    days.play(seat(2, NOTHING))
    end_day(day=DAY, by=days.preparer)
    days.read()
    return prepare_close(day=DAY, by=days.preparer)


def test_one_person_cannot_be_written_twice(days: Days) -> None:
    close = prepared(days)
    with pytest.raises(DatabaseError, match="needs a second person"):
        written(close, "closed", reviewed_by=days.preparer, head="x")
    with pytest.raises(IntegrityError, match="close_by_two_people"), transaction.atomic():
        GamingDayClose.objects.filter(pk=close.pk).update(
            state="closed", reviewed_by=days.preparer, head="x"
        )


def test_another_preparer_cannot_be_written_in_to_make_room(days: Days) -> None:
    close = prepared(days)
    with pytest.raises(DatabaseError, match="are signed"):
        written(close, "closed", reviewed_by=days.reviewer, prepared_by=make_user("A9"), head="x")
    with pytest.raises(DatabaseError, match="cannot go from"), transaction.atomic():
        GamingDayClose.objects.filter(pk=close.pk).update(prepared_by=days.reviewer)


def test_a_signature_cannot_be_written_without_its_step(days: Days) -> None:
    close = prepared(days)
    GamingDayClose.objects.filter(pk=close.pk).update(
        state="closed", reviewed_by=days.reviewer, head="x"
    )
    with (
        pytest.raises(DatabaseError, match="without anybody having done it"),
        connection.cursor() as cursor,
    ):
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_nobody_without_a_staff_code_signs(days: Days) -> None:
    close = prepared(days)
    with pytest.raises(DatabaseError, match="without a staff code"):
        written(close, "closed", reviewed_by=make_user(None), head="x")


def test_a_closed_day_stays(days: Days) -> None:
    close = prepared(days)
    close = review_close(day=DAY, by=days.reviewer)
    for changes in ({"state": "draft"}, {"head": "y"}, {"fence": {}}, {"gaming_day": "2026-03-01"}):
        with pytest.raises(DatabaseError), transaction.atomic():
            GamingDayClose.objects.filter(pk=close.pk).update(**changes)
    with pytest.raises(DatabaseError), transaction.atomic():
        GamingDayClose.objects.filter(pk=close.pk)._raw_delete("default")


@pytest.mark.parametrize("table", ["closestep", "meterreading", "chipcount"])
def test_what_was_entered_is_written_once(days: Days, table: str) -> None:
    prepared(days)
    for deed in ("DELETE FROM progressives_{}", "UPDATE progressives_{} SET id = id"):
        with (
            pytest.raises(DatabaseError, match="permission denied"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(deed.format(table))


def test_a_lane_does_not_go_back_over_the_fence(days: Days) -> None:
    days.play(seat(2, NOTHING))
    end_day(day=DAY, by=days.preparer)
    with pytest.raises(DatabaseError, match="does not go back"), transaction.atomic():
        Lane.objects.update(gaming_day=DAY)
    made = Lane.objects.create(name="new")
    made.refresh_from_db()
    assert made.gaming_day == DAY + timedelta(days=1)


def test_no_entry_joins_a_day_behind_its_fence(days: Days) -> None:
    days.play(seat(2, NOTHING))
    end_day(day=DAY, by=days.preparer)
    last = MeterEntry.objects.order_by("-sequence").first()
    with pytest.raises(DatabaseError, match="behind its fence"), transaction.atomic():
        MeterEntry.objects.create(
            meter=last.meter,
            sequence=last.sequence + 1,
            kind="contribution",
            amount=0,
            before=last.after,
            after=last.after,
            lane_number=9,
            gaming_day=DAY,
        )


def test_the_close_agrees_with_the_reconciliation(days: Days) -> None:
    days.play(seat(2, ROYAL), seat(5, NOTHING))
    [line], [meter] = days.figures().lines, reconcile()
    assert (line.ledger, line.expected) == (meter.value, meter.expected)
    assert set(days.figures().told.reached) == {"lane:P-1"}


# ---- several meters -------------------------------------------------------------------------


def test_levels_reserves_and_overflows_have_lines_of_their_own(db: None) -> None:
    setup = deepcopy(SETUP)
    [level] = setup["progressives"][0]["levels"]
    level |= {"reserve_percent": "2", "limit": "20000.30"}
    days = Days(setup)
    days.play(seat(2, NOTHING), seat(4, PLAIN))
    days.play(seat(3, ROYAL), table="T-2")
    validate_all()
    lines = {line.name: line for line in days.figures().lines}

    assert set(lines) == {"P-1:grand", "P-1:grand/reserve", "P-1:grand/overflow"}
    assert [line.agrees for line in lines.values()] == [True] * 3
    assert lines["P-1:grand/reserve"].expected == Decimal("0.06")
    assert lines["P-1:grand/overflow"].expected > 0
    end_day(day=DAY, by=days.preparer)
    value = str(lines["P-1:grand"].expected)
    enter_readings(day=DAY, by=days.preparer, values={"P-1:grand": value})
    days.count()
    prepare_close(day=DAY, by=days.preparer)  # nobody reads what no sign shows
    review_close(day=DAY, by=days.reviewer)


def test_a_closed_day_is_signed_when_it_has_committed(
    days: Days, settings: Any, tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    settings.SIGNER_DIR = tmp_path
    days.play(seat(2, NOTHING))
    with django_capture_on_commit_callbacks(execute=True):
        close = days.close()
    heads = Checkpoint.objects.get().heads
    assert {name: heads[name] for name in close.heads if name != "system"} == {
        name: told for name, told in close.heads.items() if name != "system"
    }
    assert heads["system"][0] > close.heads["system"][0]  # the close's own event is in it
