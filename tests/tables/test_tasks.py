"""What beat rings for: the services behind the tasks, with the facility's own figures."""

from typing import Any

from audit.models import ExceptionRecord
from progressives.models import JackpotClaim
from tables.models import Facility
from tables.tasks import escalate_claims
from tests.documents import FIVE_ACES, STRAIGHT, Sender, seat


def test_a_claim_escalates_after_the_facilitys_own_time(floor: Any) -> None:
    floor.play(Sender().whole(seat(2, STRAIGHT)))

    escalate_claims()
    assert not ExceptionRecord.objects.filter(kind="claim_waiting").exists()

    Facility.objects.update(escalate_after_seconds=0)
    escalate_claims()
    assert ExceptionRecord.objects.filter(kind="claim_waiting").count() == 1


def test_a_claim_says_what_the_joker_stood_for(floor: Any) -> None:
    floor.play(Sender().whole(seat(2, FIVE_ACES)))
    claim = JackpotClaim.objects.get()
    assert ("JK" in claim.cards.split(), claim.joker_as) == (True, "AS")
