"""Meters and every movement of each."""

from django.db import models
from django.db.models import F, Q

from progressives.meters import CENT
from progressives.models.lanes import Progressive


class Meter(models.Model):
    """One meter of a level of a progressive: its terms, and its value after the last movement.

    Each level has a display; where it has a hidden rate also a reserve, where it has a limit also
    an overflow. The value repeats the last entry's; a trigger refuses a row that does not.
    A level that must hit is won, whatever is dealt, by the wager that brings it to an amount drawn
    between ``must_hit_from`` and ``must_hit_by``.
    """

    class Purpose(models.TextChoices):
        DISPLAY = "display", "Display"
        RESERVE = "reserve", "Reserve, which goes to the next jackpot"
        OVERFLOW = "overflow", "Overflow beyond the limit"

    class AtReset(models.TextChoices):
        """What a reserve or an overflow does when the display begins again."""

        ADDED = "added", "Added to the reset amount"
        FUNDS = "funds", "Pays the reset amount as far as it reaches"
        KEPT = "kept", "Stays where it is"

    progressive = models.ForeignKey(Progressive, models.PROTECT, related_name="meters")
    level = models.CharField(max_length=24)
    purpose = models.CharField(
        max_length=8, choices=Purpose, default=Purpose.DISPLAY, db_default=Purpose.DISPLAY.value
    )
    initial = models.DecimalField(max_digits=18, decimal_places=6)
    reset = models.DecimalField(max_digits=18, decimal_places=6)
    increment_percent = models.DecimalField(max_digits=9, decimal_places=4)
    limit = models.DecimalField(max_digits=18, decimal_places=6, null=True, blank=True)
    shown_to = models.DecimalField(  # signs round down to it; the meter itself does not
        max_digits=9, decimal_places=2, default=CENT, db_default=CENT
    )
    at_reset = models.CharField(
        max_length=5, choices=AtReset, default=AtReset.ADDED, db_default=AtReset.ADDED.value
    )
    must_hit_from = models.DecimalField(max_digits=18, decimal_places=2, null=True, blank=True)
    must_hit_by = models.DecimalField(max_digits=18, decimal_places=2, null=True, blank=True)
    value = models.DecimalField(max_digits=18, decimal_places=6)
    sequence = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="meter_must_hit_within_its_bounds",
                condition=Q(must_hit_from__isnull=True, must_hit_by__isnull=True)
                | Q(
                    purpose="display",
                    limit__isnull=True,
                    initial__lt=F("must_hit_from"),
                    reset__lt=F("must_hit_from"),
                    must_hit_from__lt=F("must_hit_by"),
                ),
            ),
            models.UniqueConstraint(
                name="meter_purpose_once", fields=["progressive", "level", "purpose"]
            ),
            models.CheckConstraint(name="meter_never_below_zero", condition=Q(value__gte=0)),
            models.CheckConstraint(
                name="meter_never_over_its_limit",
                condition=Q(limit__isnull=True) | Q(value__lte=F("limit"), reset__lte=F("limit")),
            ),
            models.CheckConstraint(
                name="meter_purpose_has_its_terms",
                condition=Q(purpose="display")
                | Q(purpose="reserve", limit__isnull=True, at_reset__in=["added", "funds"])
                | Q(
                    purpose="overflow",
                    limit__isnull=True,
                    increment_percent=0,
                    at_reset__in=["added", "kept"],
                ),
            ),
            models.CheckConstraint(name="meter_shown_to_a_step", condition=Q(shown_to__gt=0)),
        ]

    def __str__(self) -> str:
        return f"{self.progressive_id}:{self.name}"

    @property
    def name(self) -> str:
        """The level, and which of its meters this is where it is not the one that is shown."""
        return self.level if self.purpose == "display" else f"{self.level}/{self.purpose}"


class LevelRate(models.Model):
    """A level's rates for one paytable and number of decks, where they depend on them.

    § 633b.17 prints increment and reserve rate by both. Of several for one case the last written
    holds: a change of parameters adds rows and names itself.
    """

    meter = models.ForeignKey(Meter, models.PROTECT, related_name="rates")
    paytable = models.CharField(max_length=24)
    decks = models.PositiveSmallIntegerField()
    increment_percent = models.DecimalField(max_digits=9, decimal_places=4)
    reserve_percent = models.DecimalField(max_digits=9, decimal_places=4, default=0)
    control = models.ForeignKey(
        "progressives.ControlRequest", models.PROTECT, null=True, blank=True, related_name="rates"
    )

    class Meta:
        ordering = ["meter", "pk"]
        constraints = [
            models.UniqueConstraint(
                name="level_rate_once",
                fields=["meter", "paytable", "decks", "control"],
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                name="level_rate_within_the_wager",
                condition=Q(
                    increment_percent__gte=0,
                    reserve_percent__gte=0,
                    increment_percent__lte=100 - F("reserve_percent"),
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.paytable}, {self.decks} decks: {self.increment_percent}%"


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
        RESERVE_OUT = "reserve_out", "Reserve given to the display"
        RESERVE_IN = "reserve_in", "Received from the reserve"
        OVERFLOW_OUT = "overflow_out", "Overflow given to the display"
        OVERFLOW_IN = "overflow_in", "Received from the overflow"
        POOL_RETURNED = "pool_returned", "Given back to reserve or overflow"
        POOL_RESTORED = "pool_restored", "Received back from the display"
        LIMIT_CUT = "limit_cut", "Over the limit, moved to the overflow"
        LIMIT_KEPT = "limit_kept", "Received from over the limit"
        TRANSFER_OUT = "transfer_out", "Transferred to another meter"
        TRANSFER_IN = "transfer_in", "Transferred from another meter"
        CORRECTION = "correction", "Correction of a malfunction"
        ADJUSTMENT = "adjustment", "Adjustment of an amended round"

    UP = (
        *("initial", "contribution", "reset", "award_returned"),
        *("reserve_in", "overflow_in", "pool_restored", "limit_kept", "transfer_in"),
    )
    DOWN = (
        *("reversal", "award", "reset_returned"),
        *("reserve_out", "overflow_out", "pool_returned", "limit_cut", "transfer_out"),
    )

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
                    kind__in=[
                        *("initial", "contribution", "reset", "award_returned"),
                        *("reserve_in", "overflow_in", "pool_restored", "limit_kept"),
                        "transfer_in",
                    ],
                    amount__gte=0,
                )
                | Q(
                    kind__in=[
                        *("reversal", "award", "reset_returned"),
                        *("reserve_out", "overflow_out", "pool_returned", "limit_cut"),
                        "transfer_out",
                    ],
                    amount__lte=0,
                )
                | Q(kind__in=["correction", "adjustment"]),
            ),
            models.CheckConstraint(name="meter_entry_never_below_zero", condition=Q(after__gte=0)),
        ]
        indexes = [
            models.Index(
                name="meter_entry_hits", fields=["meter", "sequence"], condition=Q(kind="award")
            )
        ]

    def __str__(self) -> str:
        return f"{self.meter_id}/{self.sequence} {self.kind} {self.amount}"
