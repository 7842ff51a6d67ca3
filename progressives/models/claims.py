"""Claims, their steps, and what the house owes in Envy Bonuses."""

from django.conf import settings
from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.functions import Now
from django.db.models.lookups import Exact

from progressives.models.lanes import Lane, Progressive
from progressives.models.meters import Meter
from progressives.must_hit import MUST_HIT


class CurrentTransaction(Func):
    """The number of the transaction that writes the row.

    A reader who remembers the oldest transaction still open at his last look misses nothing:
    whatever commits later carries that number or a higher one.
    """

    template = "(pg_current_xact_id()::text)::bigint"
    output_field = models.BigIntegerField()


class TierOfClaim(Func):
    """Which tier a claim belongs to: the database's own function, which its guards ask too."""

    function = "claim_tier"
    output_field = models.CharField()

    def __init__(self) -> None:
        super().__init__("kind", "amount", "opened_at")


IS_FULL = Exact(TierOfClaim(), Value("full"))


class JackpotClaim(models.Model):
    """A winning Progressive Payout Wager that the floor must validate (§ 670a.11(h)(3)(i)(B)).

    The facts are frozen when the claim opens; only the state moves, along the ways the database
    allows, and each step is a row of its own.
    """

    class Kind(models.TextChoices):
        FIXED = "fixed", "Fixed award"
        METER = "meter", "Meter award"

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting for validation"  # declared: called at the table
        HAND_VERIFIED = "hand_verified", "Hand verified"
        LAMP_VERIFIED = "lamp_verified", "Light verified"
        VALIDATED = "validated", "Validated"
        APPROVED = "approved", "Approved by a second person"
        DOCUMENTED = "documented", "Documented"
        PAID = "paid", "Paid"
        REFUSED = "refused", "Refused"
        VOIDED = "voided", "Void: opened in error"
        DISPUTED = "disputed", "Disputed"  # its round is frozen

    class Tier(models.TextChoices):
        """How much a payout asks for: by the terms that held when it opened."""

        PLAIN = "plain", "Two taps"
        CHECKED = "checked", "Confirmed point by point"
        FULL = "full", "With surveillance and a second approver"

    BEFORE_VALIDATED = (State.WAITING, State.HAND_VERIFIED, State.LAMP_VERIFIED)
    DECIDED = (State.PAID, State.REFUSED, State.VOIDED)
    UNDECIDED = (*BEFORE_VALIDATED, State.VALIDATED, State.APPROVED, State.DOCUMENTED)
    UNDOCUMENTED = (*BEFORE_VALIDATED, State.VALIDATED, State.APPROVED)

    lane = models.ForeignKey(Lane, models.PROTECT, related_name="claims", db_constraint=False)
    lane_number = models.PositiveBigIntegerField()
    progressive = models.ForeignKey(
        Progressive, models.PROTECT, related_name="claims", db_constraint=False
    )
    kind = models.CharField(max_length=5, choices=Kind)
    state = models.CharField(max_length=16, choices=State, default=State.WAITING)
    round_id = models.UUIDField()
    table = models.CharField(max_length=16)
    round = models.PositiveBigIntegerField()
    position = models.PositiveSmallIntegerField()
    version = models.PositiveSmallIntegerField(  # of the round's outcome that opened it
        default=1, db_default=1
    )
    player = models.CharField(max_length=64, blank=True)
    dealer = models.CharField(max_length=16, blank=True)
    floorperson = models.CharField(max_length=16, blank=True)
    hand = models.CharField(max_length=24)
    cards = models.CharField(max_length=24)  # the five that make the hand: "AS KS QS JS JK"
    dealt = models.CharField(max_length=24)  # all that lay before the position
    joker_as = models.CharField(  # what the joker stood for, if the rules said so
        max_length=2, blank=True, default=""
    )
    stake = models.DecimalField(max_digits=12, decimal_places=2)
    terms = models.CharField(max_length=24)  # "300 for 1", "10% of meter"
    cite = models.CharField(max_length=48, blank=True)
    amount = models.DecimalField(max_digits=18, decimal_places=2)
    meter = models.ForeignKey(
        Meter, models.PROTECT, null=True, blank=True, related_name="claims", db_constraint=False
    )
    entry_sequence = models.PositiveBigIntegerField(null=True, blank=True)  # the award's
    meter_at_turn = models.DecimalField(max_digits=18, decimal_places=6, null=True, blank=True)
    reset_put_in = models.DecimalField(max_digits=18, decimal_places=6, default=0)
    lamp = models.BooleanField(null=True, blank=True)
    flags = models.JSONField(default=list, blank=True)
    gaming_day = models.DateField()
    occurred_at = models.DateTimeField()
    accepted_at = models.DateTimeField()
    opened_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["opened_at", "lane_number", "pk"]
        permissions = [
            ("validate_jackpotclaim", "Can validate a progressive payout"),
            ("approve_jackpotclaim", "Can approve a large payout as the second person"),
            ("document_jackpotclaim", "Can issue the slip of a large payout"),
            ("answer_jackpotclaim", "Can answer for surveillance"),
            ("refuse_jackpotclaim", "Can refuse a progressive payout"),
            ("pay_jackpotclaim", "Can mark a progressive payout paid"),
            ("return_jackpotclaim", "Can agree that a refused award goes back to its meter"),
            ("dispute_jackpotclaim", "Can raise a dispute on a progressive payout"),
            ("resolve_jackpotclaim", "Can propose or confirm how a dispute ends"),
            ("void_jackpotclaim", "Can ask for or confirm the void of a payout opened in error"),
        ]
        constraints = [
            models.UniqueConstraint(
                name="claim_once",
                fields=["round_id", "position", "version", "progressive"],
                condition=~Q(hand=MUST_HIT),
            ),
            models.UniqueConstraint(
                name="must_hit_claim_once",
                fields=["round_id", "position", "meter"],
                condition=Q(hand=MUST_HIT),
            ),
            models.UniqueConstraint(name="claim_award_once", fields=["meter", "entry_sequence"]),
            models.CheckConstraint(
                name="claim_meter_award_names_its_entry",
                condition=Q(
                    kind="meter",
                    meter__isnull=False,
                    entry_sequence__isnull=False,
                    meter_at_turn__isnull=False,
                )
                | Q(kind="fixed", entry_sequence__isnull=True, meter_at_turn__isnull=True),
            ),
        ]
        indexes = [
            models.Index(
                name="claim_open",
                fields=["opened_at"],
                condition=~Q(state__in=["paid", "refused", "voided"]),
            )
        ]

    def __str__(self) -> str:
        return f"{self.table}/{self.round}/{self.position} {self.hand}"

    @property
    def tier(self) -> "JackpotClaim.Tier":
        """Return how much this payout asks for, as PostgreSQL reads the terms."""
        if "told_tier" not in self.__dict__:
            asked = JackpotClaim.objects.filter(pk=self.pk).annotate(told=TierOfClaim())
            self.__dict__["told_tier"] = asked.values_list("told", flat=True).get()
        return self.Tier(self.__dict__["told_tier"])

    @property
    def cards_held(self) -> bool:
        """Whether the position's cards stay on the table: until the documents are complete.

        So for what is not paid from the table inventory (§ 670a.11(h)(3)(i)(B)(IV)); the house
        does the same for every payout that needs a second approver, and while one is disputed.
        """
        if self.state == self.State.DISPUTED:
            return True
        return self.state in self.UNDOCUMENTED and self.tier == self.Tier.FULL

    @property
    def source_of_funds(self) -> str:
        """A share of the meter is never paid from the table (§ 670a.11(h)(3)(i)(B)(IV))."""
        return "cage" if self.kind == self.Kind.METER else "table inventory"


class ClaimStep(models.Model):
    """One step of one claim: who did what, when and why. Written once."""

    class Kind(models.TextChoices):
        OPENED = "opened", "Opened"
        ESCALATED = "escalated", "Escalated"
        HAND_VERIFIED = "hand_verified", "Hand verified"
        LAMP_VERIFIED = "lamp_verified", "Light verified"
        VALIDATED = "validated", "Validated"
        ANSWERED = "answered", "Surveillance answered"
        APPROVED = "approved", "Approved by a second person"
        DOCUMENTED = "documented", "Documented"
        REFUSED = "refused", "Refused"
        PAID = "paid", "Paid"
        RETURNED = "returned", "Award put back on the meter"
        DISPUTED = "disputed", "Dispute raised"
        PROPOSED = "proposed", "Outcome proposed"
        RESOLVED = "resolved", "Dispute resolved"
        VOID_ASKED = "void_asked", "Void asked for"
        VOIDED = "voided", "Void: opened in error"

    claim = models.ForeignKey(JackpotClaim, models.PROTECT, related_name="steps")
    kind = models.CharField(max_length=16, choices=Kind)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="claim_steps"
    )
    at = models.DateTimeField(db_default=Now())
    cite = models.CharField(max_length=48, blank=True)
    reason = models.TextField(blank=True)
    facts = models.JSONField(default=dict, blank=True)
    transaction = models.BigIntegerField(db_default=CurrentTransaction())

    class Meta:
        ordering = ["claim", "pk"]
        constraints = [
            models.UniqueConstraint(
                name="claim_step_once",
                fields=["claim", "kind"],
                condition=~Q(
                    kind__in=[
                        *("escalated", "answered", "refused"),
                        *("disputed", "proposed", "resolved", "void_asked"),
                    ]
                ),
            ),
            models.CheckConstraint(
                name="claim_step_has_a_person",
                condition=Q(kind__in=["opened", "escalated"]) | Q(by__isnull=False),
            ),
            models.CheckConstraint(
                name="claim_refused_with_rule_and_reason",
                condition=~Q(kind="refused") | (~Q(cite="") & ~Q(reason="")),
            ),
            models.CheckConstraint(
                name="claim_branches_have_a_reason",
                condition=~Q(kind__in=["disputed", "proposed", "resolved", "void_asked", "voided"])
                | ~Q(reason=""),
            ),
        ]
        indexes = [models.Index(name="claim_step_transaction", fields=["transaction"])]

    def __str__(self) -> str:
        return f"{self.claim_id} {self.kind}"


class EnvyPayout(models.Model):
    """A fixed sum the house owes a player for another player's hand (§ 670a.12(b)(2), (d)(4)).

    House money: it never touches a meter. Written once.
    """

    lane = models.ForeignKey(
        Lane, models.PROTECT, null=True, related_name="+", db_constraint=False, db_index=False
    )
    lane_number = models.PositiveBigIntegerField()
    round_id = models.UUIDField()
    table = models.CharField(max_length=16)
    round = models.PositiveBigIntegerField()
    wager = models.CharField(max_length=24)
    position = models.PositiveSmallIntegerField()
    player = models.CharField(max_length=64, blank=True)
    from_position = models.PositiveSmallIntegerField()
    version = models.PositiveSmallIntegerField(default=1, db_default=1)  # as of a claim
    hand = models.CharField(max_length=24)
    stake = models.DecimalField(max_digits=12, decimal_places=2)
    amount = models.DecimalField(max_digits=12, decimal_places=2)
    cite = models.CharField(max_length=48, blank=True)
    dealer = models.CharField(max_length=16, blank=True)
    gaming_day = models.DateField()

    class Meta:
        verbose_name = "Envy Bonus payout"
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                name="envy_once",
                fields=["round_id", "wager", "position", "from_position", "version"],
            ),
            models.CheckConstraint(
                name="envy_never_for_the_own_hand", condition=~Q(position=F("from_position"))
            ),
        ]

    def __str__(self) -> str:
        return f"{self.table}/{self.round} {self.position} from {self.from_position}"
