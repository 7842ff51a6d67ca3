"""Snapshots of meters, and the meters of each table that never go back."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from progressives.models.meters import Meter


class MeterSnapshot(models.Model):
    """A meter as it stood after one of its entries, with all that it has counted. Written once.

    Counts begin with the meter and never go back (N.J.A.C. 13:69E-1.39A(b)).
    """

    class Reason(models.TextChoices):
        HIT = "hit", "Hit"
        RESET = "reset", "Reset"
        PARAMETERS = "parameters", "Parameter change"
        START_UP = "start_up", "Start-up"
        DAY_CLOSE = "day_close", "Day close"
        DEMAND = "demand", "On demand"

    meter = models.ForeignKey(Meter, models.PROTECT, related_name="snapshots", db_index=False)
    sequence = models.PositiveBigIntegerField()  # the entry after which it was read
    reason = models.CharField(max_length=10, choices=Reason)
    value = models.DecimalField(max_digits=18, decimal_places=6)
    wagers = models.PositiveBigIntegerField()  # progressive-in: how many
    wagered = models.DecimalField(max_digits=18, decimal_places=2)  # progressive-in: dollars
    contributed = models.DecimalField(max_digits=18, decimal_places=6)
    reversed = models.DecimalField(max_digits=18, decimal_places=6)
    hits = models.PositiveBigIntegerField()
    won = models.DecimalField(max_digits=18, decimal_places=2)
    put_back = models.DecimalField(max_digits=18, decimal_places=2)  # refused awards
    taken_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["meter", "sequence", "pk"]
        indexes = [models.Index(name="meter_snapshot_order", fields=["meter", "sequence", "id"])]

    def __str__(self) -> str:
        return f"{self.meter_id}/{self.sequence} {self.value}"


class TablePayout(models.Model):
    """What a table's progressive awards came to since it was opened (§ 605a.7(a)(3)-(4)).

    No device here pays by itself, so that every award is paid by an attendant. PostgreSQL adds to
    it when a claim is marked paid; nothing takes from it.
    """

    table = models.CharField(max_length=16, primary_key=True)
    payouts = models.PositiveBigIntegerField(default=0)
    attendant_paid = models.DecimalField(max_digits=18, decimal_places=2, default=0)
    machine_paid = models.DecimalField(max_digits=18, decimal_places=2, default=0)
    cumulative = models.DecimalField(max_digits=18, decimal_places=2, default=0)

    class Meta:
        ordering = ["table"]
        constraints = [
            models.CheckConstraint(
                name="table_payout_adds_up",
                condition=Q(cumulative=models.F("attendant_paid") + models.F("machine_paid")),
            )
        ]

    def __str__(self) -> str:
        return f"{self.table} {self.cumulative}"
