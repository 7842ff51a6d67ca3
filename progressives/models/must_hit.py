"""Draws of levels that must hit: sealed and committed before play, revealed at the hit."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from progressives.models.meters import Meter


class MustHitDraw(models.Model):
    """An amount drawn at which a level is won: its hash for everybody, itself sealed. Written once.

    A meter's draws follow one another: the next is made when the last is revealed.
    """

    meter = models.ForeignKey(Meter, models.PROTECT, related_name="draws", db_index=False)
    number = models.PositiveBigIntegerField()  # 1, 2, 3 … of its meter
    low = models.DecimalField(max_digits=18, decimal_places=2)
    high = models.DecimalField(max_digits=18, decimal_places=2)
    commitment = models.CharField(max_length=64, unique=True)  # SHA-256, see ``must_hit``
    sealed = models.TextField()
    drawn_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["meter", "number"]
        constraints = [
            models.UniqueConstraint(name="must_hit_draw_once", fields=["meter", "number"]),
            models.CheckConstraint(name="must_hit_draw_has_room", condition=Q(low__lt=F("high"))),
        ]

    def __str__(self) -> str:
        return f"{self.meter_id}/{self.number} {self.commitment[:16]}"


class MustHitReveal(models.Model):
    """What a draw was, told when its level was won. Written once.

    PostgreSQL refuses a reveal that is not what was committed, or whose award is not there.
    """

    draw = models.OneToOneField(
        MustHitDraw, models.PROTECT, primary_key=True, related_name="reveal"
    )
    value = models.DecimalField(max_digits=18, decimal_places=2)
    salt = models.CharField(max_length=64)
    entry_sequence = models.PositiveBigIntegerField()  # the award's
    revealed_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["draw"]

    def __str__(self) -> str:
        return f"{self.draw_id} {self.value}"
