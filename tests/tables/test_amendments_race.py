"""Races about settled rounds: two approvers; an amendment or a dispute beside a payment."""

import threading
from typing import Any

import pytest
from django.db import connections

from progressives import errors
from progressives.models import JackpotClaim, PayoutSlip, RoundAdjustment
from progressives.services.claims import pay_claim
from progressives.services.claims_dispute import dispute_claim
from progressives.services.reconcile import reconcile
from tables.models import AmendmentDecision, Round, RoundAmendment
from tables.services import amendments
from tables.services.amendments import approve_amendment
from tests.databases import CommittedDatabase
from tests.documents import NOTHING, STRAIGHT, Sender, seat
from tests.make import make_user, staff, validated
from tests.tables.conftest import Floor
from tests.tables.test_amendments import accountant, approve, propose


def race(*deeds: Any) -> list[Any]:
    """Let the deeds loose together; return what each gave or was refused with."""
    results: list[Any] = [None] * len(deeds)
    together = threading.Barrier(len(deeds))

    def run(place: int, deed: Any) -> None:
        try:
            together.wait(20)
            results[place] = deed()
        except errors.ProgressiveError as refusal:
            results[place] = refusal
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(deeds)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def played() -> tuple[Round, JackpotClaim]:
    """Play one round with a straight, which is validated."""
    Floor().play(Sender().whole(seat(6, STRAIGHT)))
    return Round.objects.get(), validated(JackpotClaim.objects.get())


def exactly_one_approves() -> list[Any]:
    found, _ = played()
    made = propose(found, p6=NOTHING)
    people = [accountant(581), accountant(582)]
    results = race(*(lambda person=person: approve(made, person) for person in people))
    assert RoundAdjustment.objects.count() == AmendmentDecision.objects.count() == 1
    return [result for result in results if isinstance(result, errors.ProgressiveError)]


def test_of_two_approvers_exactly_one_amends(committed_db: CommittedDatabase) -> None:
    [refusal] = exactly_one_approves()
    assert isinstance(refusal, (errors.AmendmentDecided, errors.Busy))


def paid_or_amended() -> list[Any]:
    """Pay a payout and amend it away at once; the sums must agree whoever was first."""
    found, claim = played()
    made = propose(found, p6=NOTHING)
    payer, approver = accountant(583), accountant(584)
    results = race(
        lambda: pay_claim(claim_id=claim.pk, officer=payer),
        lambda: approve_amendment(amendment_id=made.pk, officer=approver, digest=made.digest),
    )
    claim.refresh_from_db()
    refused = [type(r) for r in results if isinstance(r, errors.ProgressiveError)]
    if claim.state == "paid":
        assert refused == [errors.AmendmentOutdated]
        assert not RoundAdjustment.objects.exists()
    else:
        assert (claim.state, refused) == ("voided", [errors.AlreadyVoided])
        assert not PayoutSlip.objects.filter(void__isnull=True).exists()
    assert all(line.ok for line in reconcile())
    return results


def test_a_payout_is_paid_or_amended_away_never_both(committed_db: CommittedDatabase) -> None:
    paid_or_amended()


def test_a_payout_is_paid_or_disputed_and_a_paid_one_may_be_both(
    committed_db: CommittedDatabase,
) -> None:
    _, claim = played()
    payer, floor = accountant(585), make_user("F295")
    paid, disputed = race(
        lambda: pay_claim(claim_id=claim.pk, officer=payer),
        lambda: dispute_claim(claim_id=claim.pk, officer=floor, reason="Quads."),
    )
    claim.refresh_from_db()
    assert claim.state == "disputed"
    assert not isinstance(disputed, Exception)
    stood = claim.steps.get(kind="disputed").facts["from"]
    if isinstance(paid, errors.ProgressiveError):
        assert (type(paid), stood) == (errors.RoundDisputed, "validated")
    else:
        assert stood == "paid"


def test_without_the_lane_and_claims_held_a_second_approval_is_only_stopped_by_the_database(
    committed_db: CommittedDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mutant: nobody waits, so the second is not told who was first."""

    def unheld(amendment_id: int, officer: Any) -> Any:
        amendment = RoundAmendment.objects.select_related("round__table", "proposed_by").get(
            pk=amendment_id
        )
        return amendment, amendment.round.table.lane

    monkeypatch.setattr(amendments, "lock_amendment", unheld)
    found, _ = played()
    made = propose(found, p6=NOTHING)
    approve(made, accountant(586))
    with pytest.raises(errors.ProgressiveError) as refused:
        approve(made, accountant(587))
    assert not isinstance(refused.value, errors.AmendmentDecided)
    assert staff("A586", "accounting") == AmendmentDecision.objects.get().by
