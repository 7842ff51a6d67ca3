"""Payout slips: a number for each, none left out, none without its payout; prints and voids."""

import threading
from typing import Any

import pytest
from django.db import DatabaseError, connection, connections, transaction

from audit.models import AuditEvent
from progressives import errors
from progressives.models import JackpotClaim, PayoutSlip, SlipCounter, SlipPrint
from progressives.services.claims import pay_claim, refuse_claim
from progressives.services.claims_document import document_claim, facts_of, print_slip
from progressives.services.slips import issue_slip
from progressives.slip_pdf import draw_slip
from tables.models import Facility
from tests.databases import CommittedDatabase
from tests.make import (
    approved,
    documented,
    make_claim,
    make_progressive,
    make_user,
    staff,
    validated,
)

NUMBERLESS = """
CREATE OR REPLACE FUNCTION slip_takes_the_next_number() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.number := (SELECT coalesce(max(number), 0) + 1 FROM progressives_payoutslip);
    RETURN NEW;
END $$
"""


def slip_of(claim: JackpotClaim) -> PayoutSlip:
    return PayoutSlip.objects.get(claim=claim)


def pay(claim: JackpotClaim, code: str = "A551") -> JackpotClaim:
    checks = ["documents", "source"]
    return pay_claim(claim_id=claim.pk, officer=staff(code, "accounting"), checks=checks)


@pytest.mark.django_db
def test_every_payout_has_a_slip_with_the_next_number_and_a_tax_decision() -> None:
    small, large = validated(make_claim()), documented(make_claim(percent=10))
    pay(large)
    pay(small)
    assert [slip_of(large).number, slip_of(small).number] == [1, 2]
    assert slip_of(small).tax_reason == "No form: less than $2,000.00."
    assert slip_of(large).tax_reportable
    assert SlipCounter.objects.get().last == 2


@pytest.mark.django_db
def test_a_large_payout_is_not_paid_before_its_slip_nor_by_who_issued_it() -> None:
    claim = approved(make_claim(percent=10))
    with pytest.raises(errors.NotDocumented):
        pay(claim)
    cashier = staff("A551", "accounting")
    with pytest.raises(errors.NotAllowed):
        document_claim(claim_id=claim.pk, officer=cashier, payee="Ada")
    cashier.groups.add(*make_user().groups.all())
    document_claim(claim_id=claim.pk, officer=cashier, payee="Ada")
    with pytest.raises(errors.AlreadyActed, match="You documented"):
        pay(claim)
    with pytest.raises(errors.AlreadyDocumented):
        document_claim(claim_id=claim.pk, officer=cashier, payee="Ada")


@pytest.mark.django_db
def test_a_slip_is_only_for_a_payout_that_is_approved() -> None:
    with pytest.raises(errors.NotApproved):
        document_claim(claim_id=validated(make_claim(percent=10)).pk, officer=make_user("F1"))
    with pytest.raises(errors.NoApprovalNeeded):
        document_claim(claim_id=validated(make_claim()).pk, officer=make_user("F2"))
    with pytest.raises(errors.PayeeMissing):
        document_claim(claim_id=approved(make_claim(percent=10)).pk, officer=make_user("F3"))
    with pytest.raises(DatabaseError, match="no slip is issued"), transaction.atomic():
        issue_slip(make_claim(), make_user("F4"))


@pytest.mark.django_db
def test_a_refused_payouts_slip_is_void_and_keeps_its_number() -> None:
    claim = documented(make_claim(percent=10))
    officer = staff("P351", "pit manager")
    refuse_claim(claim_id=claim.pk, officer=officer, cite="§ 670a.13(k)", reason="Seven cards.")
    assert slip_of(claim).void.reason == "Refused by § 670a.13(k)"
    pay(validated(make_claim()))
    assert list(PayoutSlip.objects.values_list("number", flat=True)) == [1, 2]
    printed = print_slip(claim_id=claim.pk, officer=officer)
    assert printed.pdf.startswith(b"%PDF")


@pytest.mark.django_db
def test_the_payees_name_lies_sealed_and_is_not_in_the_log() -> None:
    claim = documented(make_claim(percent=10))
    assert "Winner" not in slip_of(claim).payee_sealed
    bodies = b"".join(bytes(body) for body in AuditEvent.objects.values_list("body", flat=True))
    assert b"claim_documented" in bodies
    assert b"Winner" not in bodies
    assert facts_of(claim, slip_of(claim), 1).payee == "Ada Winner"


@pytest.mark.django_db
def test_every_print_is_written_down_and_a_further_copy_has_a_reason() -> None:
    Facility.objects.create(
        pk=1, name="Two Rivers", time_zone="America/New_York", gaming_day_starts="06:00"
    )
    claim, officer = documented(make_claim(percent=10)), staff("F251", "floorperson")
    assert print_slip(claim_id=claim.pk, officer=officer).copy == 1
    with pytest.raises(errors.ReasonMissing):
        print_slip(claim_id=claim.pk, officer=officer)
    assert print_slip(claim_id=claim.pk, officer=officer, reason="It jammed.").copy == 2
    assert AuditEvent.objects.filter(action="progressives.claim_slip_printed").count() == 2
    assert SlipPrint.objects.count() == 2
    with pytest.raises(errors.NoSlip):
        print_slip(claim_id=make_claim().pk, officer=officer)
    with pytest.raises(errors.NotAllowed):
        print_slip(claim_id=claim.pk, officer=staff("S451", "surveillance"))
    facts = facts_of(claim, slip_of(claim), 1)
    assert facts.facility == "Two Rivers"
    assert draw_slip(facts) == draw_slip(facts)  # the same facts, the same bytes


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("UPDATE progressives_slipcounter SET last = last + 1", "permission denied"),
        ("INSERT INTO progressives_slipcounter (last) VALUES (9)", "only a slip moves"),
        ("DELETE FROM progressives_slipcounter", "permission denied"),
        ("TRUNCATE progressives_slipcounter", "permission denied"),
        ("UPDATE progressives_payoutslip SET number = 9", "permission denied"),
        ("DELETE FROM progressives_payoutslip", "permission denied"),
    ],
)
def test_numbers_cannot_be_written_by_hand(deed: str, told: str) -> None:
    pay(validated(make_claim()))
    with (
        pytest.raises(DatabaseError, match=told),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(deed)


@pytest.mark.django_db
def test_whatever_number_is_asked_for_the_next_one_is_given() -> None:
    claim = validated(make_claim())
    given: dict[str, Any] = {"tax_reportable": False, "tax_withheld": 0, "tax_reason": "x"}
    given |= {"tax_terms_from": "2026-01-01", "digest": "", "issued_by": make_user("F1")}
    with pytest.raises(DatabaseError, match="is over its amount"), transaction.atomic():
        PayoutSlip.objects.create(claim=claim, number=77, amount=9, **given)
    slip = PayoutSlip.objects.create(claim=claim, number=77, amount=claim.amount, **given)
    slip.refresh_from_db()
    assert slip.number == 1


def pay_all_at_once(number: int) -> list[Any]:
    progressive = make_progressive()
    claims = [validated(make_claim(progressive)) for _ in range(number)]
    payer = staff("A551", "accounting")
    start = threading.Barrier(number)
    failures: list[Any] = []

    def run(claim: JackpotClaim) -> None:
        try:
            start.wait(10)
            pay_claim(claim_id=claim.pk, officer=payer)
        except Exception as failure:  # told to the test, whatever it is
            failures.append(failure)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(claim,)) for claim in claims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def test_payers_at_once_get_numbers_without_gap_or_double(committed_db: CommittedDatabase) -> None:
    assert pay_all_at_once(6) == []
    assert list(PayoutSlip.objects.values_list("number", flat=True)) == [1, 2, 3, 4, 5, 6]


def test_a_payment_that_fails_takes_no_number(committed_db: CommittedDatabase) -> None:
    claim, officer = validated(make_claim()), staff("A551", "accounting")
    with transaction.atomic():
        assert issue_slip(claim, officer).number == 1
        transaction.set_rollback(True)
    pay(claim)
    assert slip_of(claim).number == 1


def test_without_the_counters_lock_the_race_is_lost(committed_db: CommittedDatabase) -> None:
    import psycopg  # noqa: PLC0415

    with psycopg.connect(committed_db.owner_url, autocommit=True) as owner:
        owner.execute(NUMBERLESS)
    assert pay_all_at_once(6) != []
