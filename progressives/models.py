"""What the money's ledger keeps: lanes, meters, every movement, every claim and its steps."""

from django.conf import settings
from django.db import models
from django.db.models import F, Func, Q
from django.db.models.functions import Now


class CurrentTransaction(Func):
    """The number of the transaction that writes the row.

    A reader who remembers the oldest transaction still open at his last look misses nothing:
    whatever commits later carries that number or a higher one.
    """

    template = "(pg_current_xact_id()::text)::bigint"
    output_field = models.BigIntegerField()


class Lane(models.Model):
    """What must happen in one order: the tables that share progressives.

    One worker at a time holds the row; under it events get their number in the lane.
    """

    name = models.CharField(max_length=48, unique=True)
    number = models.PositiveBigIntegerField(default=0)  # the last one given
    gaming_day = models.DateField(null=True, blank=True)  # never goes back

    def __str__(self) -> str:
        return self.name


class Progressive(models.Model):
    """A jackpot that one or more tables feed, for one wager unit (§ 670a.12(d))."""

    code = models.CharField(max_length=24, unique=True)
    name = models.CharField(max_length=60, blank=True)
    lane = models.ForeignKey(Lane, models.PROTECT, related_name="progressives")
    wager_unit = models.DecimalField(max_digits=9, decimal_places=2)

    def __str__(self) -> str:
        return self.code


class Meter(models.Model):
    """One level of a progressive: its terms, and its value after the last movement.

    The value repeats the last entry's; a trigger refuses a row that does not.
    """

    progressive = models.ForeignKey(Progressive, models.PROTECT, related_name="meters")
    level = models.CharField(max_length=24)
    initial = models.DecimalField(max_digits=18, decimal_places=6)
    reset = models.DecimalField(max_digits=18, decimal_places=6)
    increment_percent = models.DecimalField(max_digits=9, decimal_places=4)
    value = models.DecimalField(max_digits=18, decimal_places=6)
    sequence = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="meter_level_once", fields=["progressive", "level"]),
            models.CheckConstraint(name="meter_never_below_zero", condition=Q(value__gte=0)),
        ]

    def __str__(self) -> str:
        return f"{self.progressive_id}:{self.level}"


class MeterEntry(models.Model):
    """One movement of one meter, with the facts that explain it. Written once.

    ``round_id`` is a fact and not a key: this app does not know rounds.
    """

    class Kind(models.TextChoices):
        INITIAL = "initial", "Initial amount"
        CONTRIBUTION = "contribution", "Contribution"
        REVERSAL = "reversal", "Reversal of the round's own contribution"
        AWARD = "award", "Award"
        RESET = "reset", "Reset money put in"
        AWARD_RETURNED = "award_returned", "Refused award put back"
        RESET_RETURNED = "reset_returned", "Reset money taken back"

    UP = ("initial", "contribution", "reset", "award_returned")
    DOWN = ("reversal", "award", "reset_returned")

    pk = models.CompositePrimaryKey("meter_id", "sequence")
    meter = models.ForeignKey(
        Meter, models.PROTECT, related_name="entries", db_index=False, db_constraint=False
    )
    sequence = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=16, choices=Kind)
    amount = models.DecimalField(max_digits=18, decimal_places=6)
    before = models.DecimalField(max_digits=18, decimal_places=6)
    after = models.DecimalField(max_digits=18, decimal_places=6)
    lane_number = models.PositiveBigIntegerField()
    gaming_day = models.DateField()
    round_id = models.UUIDField(null=True, blank=True)
    table = models.CharField(max_length=16, blank=True)
    round = models.PositiveBigIntegerField(null=True, blank=True)
    position = models.PositiveSmallIntegerField(null=True, blank=True)
    stake = models.DecimalField(max_digits=12, decimal_places=2, null=True, blank=True)
    dealer = models.CharField(max_length=16, blank=True)
    hand = models.CharField(max_length=24, blank=True)
    cards = models.CharField(max_length=24, blank=True)

    class Meta:
        ordering = ["meter", "sequence"]
        verbose_name_plural = "meter entries"
        constraints = [
            models.CheckConstraint(
                name="meter_entry_adds_up", condition=Q(after=F("before") + F("amount"))
            ),
            models.CheckConstraint(
                name="meter_entry_down_only_for_a_reason",
                condition=Q(
                    kind__in=["initial", "contribution", "reset", "award_returned"], amount__gte=0
                )
                | Q(kind__in=["reversal", "award", "reset_returned"], amount__lte=0),
            ),
            models.CheckConstraint(name="meter_entry_never_below_zero", condition=Q(after__gte=0)),
        ]

    def __str__(self) -> str:
        return f"{self.meter_id}/{self.sequence} {self.kind} {self.amount}"


class JackpotClaim(models.Model):
    """A winning Progressive Payout Wager that the floor must validate (§ 670a.11(h)(3)(i)(B)).

    The facts are frozen when the claim opens; only the state moves, along the ways the database
    allows, and each step is a row of its own.
    """

    class Kind(models.TextChoices):
        FIXED = "fixed", "Fixed award"
        METER = "meter", "Meter award"

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting for validation"
        VALIDATED = "validated", "Validated"
        PAID = "paid", "Paid"
        REFUSED = "refused", "Refused"

    lane = models.ForeignKey(Lane, models.PROTECT, related_name="claims", db_constraint=False)
    lane_number = models.PositiveBigIntegerField()
    progressive = models.ForeignKey(
        Progressive, models.PROTECT, related_name="claims", db_constraint=False
    )
    kind = models.CharField(max_length=5, choices=Kind)
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    round_id = models.UUIDField()
    table = models.CharField(max_length=16)
    round = models.PositiveBigIntegerField()
    position = models.PositiveSmallIntegerField()
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
            ("refuse_jackpotclaim", "Can refuse a progressive payout"),
            ("pay_jackpotclaim", "Can mark a progressive payout paid"),
            ("return_jackpotclaim", "Can agree that a refused award goes back to its meter"),
        ]
        constraints = [
            models.UniqueConstraint(name="claim_once", fields=["round_id", "position"]),
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
                condition=Q(state__in=["waiting", "validated"]),
            )
        ]

    def __str__(self) -> str:
        return f"{self.table}/{self.round}/{self.position} {self.hand}"

    @property
    def source_of_funds(self) -> str:
        """A share of the meter is never paid from the table (§ 670a.11(h)(3)(i)(B)(IV))."""
        return "cage" if self.kind == self.Kind.METER else "table inventory"


class ClaimStep(models.Model):
    """One step of one claim: who did what, when and why. Written once."""

    class Kind(models.TextChoices):
        OPENED = "opened", "Opened"
        ESCALATED = "escalated", "Escalated"
        VALIDATED = "validated", "Validated"
        REFUSED = "refused", "Refused"
        PAID = "paid", "Paid"
        RETURNED = "returned", "Award put back on the meter"

    claim = models.ForeignKey(JackpotClaim, models.PROTECT, related_name="steps")
    kind = models.CharField(max_length=9, choices=Kind)
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
                condition=~Q(kind="escalated"),
            ),
            models.CheckConstraint(
                name="claim_step_has_a_person",
                condition=Q(kind__in=["opened", "escalated"]) | Q(by__isnull=False),
            ),
            models.CheckConstraint(
                name="claim_refused_with_rule_and_reason",
                condition=~Q(kind="refused") | (~Q(cite="") & ~Q(reason="")),
            ),
        ]
        indexes = [models.Index(name="claim_step_transaction", fields=["transaction"])]

    def __str__(self) -> str:
        return f"{self.claim_id} {self.kind}"


class EnvyPayout(models.Model):
    """A fixed sum the house owes a player for another player's hand (§ 670a.12(b)(2), (d)(4)).

    House money: it never touches a meter. Written once.
    """

    lane_number = models.PositiveBigIntegerField()
    round_id = models.UUIDField()
    table = models.CharField(max_length=16)
    round = models.PositiveBigIntegerField()
    wager = models.CharField(max_length=24)
    position = models.PositiveSmallIntegerField()
    player = models.CharField(max_length=64, blank=True)
    from_position = models.PositiveSmallIntegerField()
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
                name="envy_once", fields=["round_id", "wager", "position", "from_position"]
            ),
            models.CheckConstraint(
                name="envy_never_for_the_own_hand", condition=~Q(position=F("from_position"))
            ),
        ]

    def __str__(self) -> str:
        return f"{self.table}/{self.round} {self.position} from {self.from_position}"
