"""The people of a simulated property: each step through the real service, by who may take it."""

from concurrent.futures import ThreadPoolExecutor
from random import Random
from uuid import UUID

from django.db import connection

from audit.models import ExceptionRecord
from audit.services import close_exception, take_exception
from audit.staff import Made, make_staff
from progressives.causes import TITLES
from progressives.models import EnvyPayout, JackpotClaim
from progressives.services.claims import (
    pay_claim,
    required_checks,
    required_to_pay,
    validate_claim,
)
from progressives.services.claims_approve import answer_claim, approve_claim, required_to_approve
from progressives.services.claims_document import document_claim
from progressives.services.close_chips import CHIP_VARIANCE
from progressives.services.close_figures import VARIANCE
from progressives.services.envies import pay_envy

STAFF = (
    *(("floorperson", code) for code in ("F281", "F282", "F283")),
    *(("pit manager", "P381"), ("surveillance", "S481")),
    *(("accounting", "A581"), ("accounting", "A582")),
)
SEEN = "I looked at the hand and the wager myself; the light's fault is reported."
HANDS = 4  # floorpersons work at several tables at once
State, Tier = JackpotClaim.State, JackpotClaim.Tier


class People:
    """Who works at the property; what they decide is drawn from one seed."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        made: dict[str, Made] = {one.user.staff_code or "": one for one in make_staff(STAFF)}
        self.floor = [made[code].user for role, code in STAFF if role == "floorperson"]
        self.pit, self.surveillance = made["P381"], made["S481"].user
        self.preparer, self.reviewer = made["A581"].user, made["A582"].user

    def work_the_claims(self) -> int:
        """Validate, document and pay all that was won, and tick off the Envy Bonuses."""
        waiting = list(JackpotClaim.objects.filter(state=State.WAITING).order_by("pk"))
        rounds: dict[UUID, list[JackpotClaim]] = {}
        for claim in waiting:  # of a round in their turn, one after the other
            rounds.setdefault(claim.round_id, []).append(claim)
        by_hand = [list(rounds.values())[hand::HANDS] for hand in range(HANDS)]
        with ThreadPoolExecutor(HANDS) as pool:
            list(pool.map(self._work_through, by_hand))
        unpaid = EnvyPayout.objects.filter(payment__isnull=True, wager="progressive")
        for envy_id in unpaid.order_by("pk").values_list("pk", flat=True):
            pay_envy(envy_id=envy_id, officer=self.floor[envy_id % len(self.floor)])
        return len(waiting)

    def _work_through(self, rounds: list[list[JackpotClaim]]) -> None:
        try:
            for claims in rounds:
                for claim in claims:
                    self._work(claim)
        finally:
            connection.close()

    def _work(self, claim: JackpotClaim) -> None:
        first, second = Random(f"{self._seed}/{claim.pk}").sample(self.floor, 2)  # noqa: S311
        checks = [check.code for check in required_checks(claim)]
        validate_claim(claim_id=claim.pk, officer=first, checks=checks, statement=SEEN)
        if claim.tier == Tier.FULL:
            answer_claim(claim_id=claim.pk, officer=self.surveillance, answer="verified")
            approve_claim(
                claim_id=claim.pk,
                officer=self.pit.user,
                password=self.pit.password,
                checks=[check.code for check in required_to_approve(claim)],
            )
            document_claim(claim_id=claim.pk, officer=first, payee="Simulated Winner")
        checks = [check.code for check in required_to_pay(claim)]
        pay_claim(claim_id=claim.pk, officer=second, checks=checks)

    def look_into_exceptions(self, expected: frozenset[str]) -> int:
        """Close what is open with a reason; a variance only where its first cause was expected.

        Accounting owns variances; what else is odd belongs to the pit manager.
        """
        closed = 0
        for found in ExceptionRecord.objects.filter(state="open").order_by("pk"):
            reason, by = "Looked into at the table; settled with the player.", self.pit.user
            if found.kind in (VARIANCE, CHIP_VARIANCE):
                causes = [cause["kind"] for cause in found.facts["causes"]]
                if not causes or causes[0] not in expected:
                    continue
                reason, by = f"{TITLES[causes[0]]}: found and corrected.", self.reviewer
            take_exception(exception_id=found.pk, by=by)
            close_exception(exception_id=found.pk, by=by, reason=reason)
            closed += 1
        return closed
