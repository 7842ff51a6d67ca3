"""A payout that waits too long is marked once, and put before a person."""

import json

import pytest

from audit.models import AuditEvent, ExceptionRecord
from progressives.services.claims import validate_claim
from progressives.services.claims_escalate import escalate_claims
from tests.make import make_claim, make_user

pytestmark = pytest.mark.django_db


def test_a_claim_that_waited_is_marked_once() -> None:
    claim = make_claim()

    assert escalate_claims(after_seconds=0) == 1
    assert escalate_claims(after_seconds=0) == 0

    assert claim.steps.filter(kind="escalated").count() == 1
    alarm = ExceptionRecord.objects.get(kind="claim_waiting")
    assert (alarm.severity, alarm.table, alarm.round) == ("alarm", claim.table, claim.round)
    event = AuditEvent.objects.get(chain__name=f"lane:{claim.lane.name}")
    assert json.loads(bytes(event.body))["action"] == "progressives.claim_escalated"


def test_a_claim_that_has_not_waited_long_enough_is_left_alone() -> None:
    make_claim()
    assert escalate_claims(after_seconds=60) == 0


def test_a_claim_that_was_decided_is_left_alone() -> None:
    claim = make_claim()
    validate_claim(claim_id=claim.pk, officer=make_user())
    assert escalate_claims(after_seconds=0) == 0


def test_claims_of_several_lanes_are_marked_each_in_its_own_chain() -> None:
    claims = [make_claim(), make_claim()]
    assert escalate_claims(after_seconds=0) == 2
    for claim in claims:
        assert AuditEvent.objects.filter(chain__name=f"lane:{claim.lane.name}").count() == 1
