"""A refused award goes back on its meter once, when accounting agrees; later awards stand."""

import json
from decimal import Decimal

import pytest

from audit.models import AuditEvent
from progressives import errors
from progressives.models import JackpotClaim, Lane, MeterEntry, Progressive
from progressives.services.claims import refuse_claim
from progressives.services.claims_return import return_refused_award
from tests.make import contribute, make_claim, make_progressive, make_user, meter_of

pytestmark = pytest.mark.django_db


def refused(progressive: Progressive | None = None, **changes: object) -> JackpotClaim:
    claim = make_claim(progressive, **changes)
    cite = "§ 670a.13(k)"
    return refuse_claim(
        claim_id=claim.pk, officer=make_user(f"F{claim.pk}"), cite=cite, reason="Seven cards."
    )


def kinds(progressive: Progressive) -> list[tuple[str, str]]:
    entries = MeterEntry.objects.filter(meter__progressive=progressive).order_by("sequence")
    return [(entry.kind, format(entry.amount.normalize(), "f")) for entry in entries]


def test_the_award_goes_back_and_the_reset_money_is_taken_back() -> None:
    progressive = make_progressive(initial="20000.00", reset="5000.00")
    claim = refused(progressive, percent=100)
    assert meter_of(progressive).value == Decimal("5000.00")

    return_refused_award(
        claim_id=claim.pk, officer=make_user("A500", "accounting"), reason="Agreed."
    )

    assert meter_of(progressive).value == Decimal("20000.00")
    assert kinds(progressive)[-2:] == [("award_returned", "20000"), ("reset_returned", "-5000")]
    assert claim.steps.get(kind="returned").reason == "Agreed."


def test_later_awards_and_wagers_stand() -> None:
    progressive = make_progressive(initial="20000.00")
    claim = refused(progressive, percent=10)
    contribute(progressive, 6)
    later = make_claim(progressive, percent=10)

    return_refused_award(claim_id=claim.pk, officer=make_user("A500", "accounting"), reason="Yes.")

    stands = Decimal("20000") - claim.amount + 6 * Decimal("0.21") - later.amount + claim.amount
    assert meter_of(progressive).value == stands
    later.refresh_from_db()
    assert later.amount == Decimal("1800.12")  # of 18,001.26 at its own turn


def test_the_entries_carry_the_lanes_next_number_and_the_log_tells_them() -> None:
    claim = refused(percent=100)
    before = Lane.objects.get(pk=claim.lane_id).number

    return_refused_award(claim_id=claim.pk, officer=make_user("A500", "accounting"), reason="Yes.")

    assert Lane.objects.get(pk=claim.lane_id).number == before + 1
    entries = MeterEntry.objects.filter(meter=claim.meter, kind__endswith="returned")
    assert {entry.lane_number for entry in entries} == {before + 1}
    assert {entry.round_id for entry in entries} == {claim.round_id}
    told = json.loads(
        bytes(AuditEvent.objects.filter(chain__name=f"lane:{claim.lane.name}").last().body)
    )
    assert told["action"] == "progressives.claim_returned"
    assert [entry["kind"] for entry in told["facts"]["entries"]] == [
        "award_returned",
        "reset_returned",
    ]
    assert told["facts"]["lane_number"] == before + 1


def test_a_second_call_is_refused_and_moves_nothing() -> None:
    progressive = make_progressive()
    claim, officer = refused(progressive, percent=10), make_user("A500", "accounting")
    return_refused_award(claim_id=claim.pk, officer=officer, reason="Yes.")
    value = meter_of(progressive).value

    with pytest.raises(errors.AlreadyReturned, match="already put back on the meter by A500"):
        return_refused_award(claim_id=claim.pk, officer=officer, reason="Again.")
    assert meter_of(progressive).value == value


def test_only_a_refused_award_goes_back() -> None:
    officer = make_user("A500", "accounting")
    with pytest.raises(errors.NotRefused):
        return_refused_award(claim_id=make_claim(percent=10).pk, officer=officer, reason="Yes.")


def test_a_fixed_award_never_came_off_the_meter() -> None:
    officer = make_user("A500", "accounting")
    with pytest.raises(errors.NothingToReturn):
        return_refused_award(claim_id=refused().pk, officer=officer, reason="Yes.")


def test_accounting_agrees_not_the_floor() -> None:
    with pytest.raises(errors.NotAllowed):
        return_refused_award(
            claim_id=refused(percent=10).pk, officer=make_user("F201"), reason="Yes."
        )


def test_whoever_refused_it_does_not_put_it_back() -> None:
    claim = make_claim(percent=10)
    officer = make_user("A500", "accounting")
    officer.groups.add(make_user("F201").groups.get())
    refuse_claim(claim_id=claim.pk, officer=officer, cite="§ 670a.13(k)", reason="Seven cards.")
    with pytest.raises(errors.RefuserCannotReturn):
        return_refused_award(claim_id=claim.pk, officer=officer, reason="Yes.")


def test_it_needs_a_reason() -> None:
    with pytest.raises(errors.ReasonMissing):
        return_refused_award(
            claim_id=refused(percent=10).pk, officer=make_user("A500", "accounting"), reason=""
        )
