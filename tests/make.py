"""Facts for tests, made the way the house makes them: through the ledger and ``open_claims``."""

import itertools
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import Group
from django.db import transaction
from django.utils import timezone

from audit.models import User
from progressives.models import JackpotClaim, Lane, Meter, Progressive
from progressives.services.claims import required_checks, validate_claim
from progressives.services.claims_approve import answer_claim, approve_claim, required_to_approve
from progressives.services.claims_document import document_claim
from progressives.services.claims_open import ClaimFacts, open_claims
from progressives.services.ledger import Ledger, RoundFacts

TODAY = date(2026, 3, 14)
PASSWORD = "wet-otter-ladder-19"
counter = itertools.count(1)

ROYAL = {"hand": "royal_flush", "cards": "AS KS QS JS TS", "dealt": "AS KS QS JS TS 4D"}
FIVE_ACES = {"hand": "five_aces", "cards": "AS AH AD AC JK", "dealt": "AS AH AD AC JK 4D"}
STRAIGHT = {"hand": "straight", "cards": "9S 8H 7D 6C 5S", "dealt": "9S 8H 7D 6C 5S 2D"}


def make_user(code: str | None = "F200", role: str | None = "floorperson", **changes: Any) -> User:
    """Make a member of staff with a role of the house."""
    user = User.objects.create_user(
        username=changes.pop("username", code or f"user-{next(counter)}"),
        staff_code=code,
        is_staff=changes.pop("is_staff", True),
        **changes,
    )
    if role is not None:
        user.groups.add(Group.objects.get(name=role))
    return user


def staff(code: str, role: str) -> User:
    """Return a member of staff with this code, made where he is not there yet."""
    return User.objects.filter(staff_code=code).first() or make_user(code, role, password=PASSWORD)


def validated(claim: JackpotClaim, officer: User | None = None) -> JackpotClaim:
    """Let a floorperson validate a claim, with every check it asks for."""
    checks = [check.code for check in required_checks(claim)]
    officer = officer or staff("F251", "floorperson")
    return validate_claim(claim_id=claim.pk, officer=officer, checks=checks, statement="Seen.")


def approved(claim: JackpotClaim) -> JackpotClaim:
    """Let a claim be validated, verified by surveillance and approved, each by another person."""
    validated(claim)
    answer_claim(claim_id=claim.pk, officer=staff("S451", "surveillance"), answer="verified")
    return approve_claim(
        claim_id=claim.pk,
        officer=staff("P351", "pit manager"),
        password=PASSWORD,
        checks=[check.code for check in required_to_approve(claim)],
    )


def documented(claim: JackpotClaim) -> JackpotClaim:
    """Bring a claim to its slip: only the payment is left."""
    approved(claim)
    officer = staff("F251", "floorperson")
    return document_claim(claim_id=claim.pk, officer=officer, payee="Ada Winner")


def make_lane(name: str | None = None) -> Lane:
    """Make a lane that has applied nothing yet."""
    return Lane.objects.create(name=name or f"lane-{next(counter)}", gaming_day=TODAY)


@transaction.atomic
def make_progressive(
    lane: Lane | None = None,
    *,
    code: str | None = None,
    unit: str = "1.00",
    initial: str = "20000.00",
    reset: str = "5000.00",
    percent: str = "21",
) -> Progressive:
    """Make a progressive of one level, standing at its initial amount."""
    progressive = Progressive.objects.create(
        code=code or f"P-{next(counter)}", lane=lane or make_lane(), wager_unit=Decimal(unit)
    )
    Meter.objects.create(
        progressive=progressive,
        level="grand",
        initial=Decimal(initial),
        reset=Decimal(reset),
        increment_percent=Decimal(percent),
        value=Decimal(0),
    )
    ledger, number = held_ledger(progressive)
    facts = RoundFacts(number, TODAY, None, "", None, "")
    ledger.of(progressive.pk).move("initial", Decimal(initial), facts, None)
    ledger.store()
    return progressive


def meter_of(progressive: Progressive) -> Meter:
    """Return the meter of a progressive of one level, as it stands now."""
    return Meter.objects.get(progressive=progressive)


def held_ledger(progressive: Progressive) -> tuple[Ledger, int]:
    """Hold the lane, give out its next number and read its meters."""
    lane = Lane.objects.select_for_update(no_key=True).get(pk=progressive.lane_id)
    lane.number += 1
    lane.save(update_fields=["number"])
    return Ledger(lane.pk), lane.number


@transaction.atomic
def contribute(progressive: Progressive, positions: int = 6, *, table: str = "FPG-01") -> None:
    """Put one round's wagers on the meter, from the dealer's right."""
    ledger, number = held_ledger(progressive)
    facts = RoundFacts(number, TODAY, uuid4(), table, next(counter), "D100")
    for position in range(positions, 0, -1):
        ledger.of(progressive.pk).contribute(facts, position, progressive.wager_unit)
    ledger.store()


@transaction.atomic
def make_claim(
    progressive: Progressive | None = None, *, percent: int | None = None, **changes: Any
) -> JackpotClaim:
    """Open a claim as the lane does: with ``percent`` a meter award that has its entries."""
    progressive = progressive or make_progressive()
    ledger, number = held_ledger(progressive)
    told: dict[str, Any] = {
        "table": "FPG-01",
        "round": next(counter),
        "position": 4,
        "dealer": "D100",
        "floorperson": "F200",
        "player": "",
        "stake": progressive.wager_unit,
        "lamp": True,
        "flags": [],
        "cite": "§ 670a.12(d)(1)",
        **default_hand(percent),
        **changes,
    }
    round_id = told.pop("round_id", None) or uuid4()
    facts = RoundFacts(number, TODAY, round_id, told["table"], told["round"], told["dealer"])
    if percent is not None:
        priced = ledger.of(progressive.pk).award(
            facts,
            position=told["position"],
            percent=percent,
            stake=told["stake"],
            hand=told["hand"],
            cards=told["cards"],
        )
        told |= {
            "kind": JackpotClaim.Kind.METER,
            "amount": priced.pays,
            "meter_id": priced.meter_id,
            "entry_sequence": priced.sequence,
            "meter_at_turn": priced.meter_at_turn,
            "reset_put_in": priced.reset_put_in,
        }
        ledger.store()
    now = timezone.now()
    facts_of_claim = ClaimFacts(
        lane_id=progressive.lane_id,
        lane_number=number,
        progressive_id=progressive.pk,
        round_id=round_id,
        gaming_day=TODAY,
        occurred_at=now,
        accepted_at=now,
        **told,
    )
    [key] = open_claims([facts_of_claim])
    return JackpotClaim.objects.get(pk=key)


def default_hand(percent: int | None) -> dict[str, Any]:
    """Return a hand that pays so much of the meter, or a straight for 3 for 1."""
    if percent is None:
        told = {**STRAIGHT, "terms": "3 for 1", "amount": Decimal("3.00")}
        return {**told, "kind": JackpotClaim.Kind.FIXED}
    return {**(FIVE_ACES if percent == 100 else ROYAL), "terms": f"{percent}% of meter"}
