"""Meters and every movement of each."""

from django.db import models
from django.db.models import F, Q

from progressives.models.lanes import Progressive


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
