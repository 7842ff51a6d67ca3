"""Lanes, and the progressives whose tables share one."""

from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Now


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
    """A jackpot of one or more levels that one or more tables feed, for one wager unit.

    ``paytables`` are its own, where its game's rules are not known here: see ``plans``.
    """

    code = models.CharField(max_length=24, unique=True)
    name = models.CharField(max_length=60, blank=True)
    lane = models.ForeignKey(Lane, models.PROTECT, related_name="progressives")
    wager_unit = models.DecimalField(max_digits=9, decimal_places=2)
    paytables = models.JSONField(default=dict, blank=True, db_default=Value({}, models.JSONField()))

    def __str__(self) -> str:
        return self.code


class LinkStatement(models.Model):
    """Why a progressive may link tables of different games. Written once, before they are linked.

    Without one PostgreSQL refuses the second game (WAC 230-15-685(6): same probability).
    """

    class Kind(models.TextChoices):
        EQUAL = "equal_probability", "Equal probability at every linked table"
        WAIVER = "waiver", "Waiver"

    progressive = models.OneToOneField(
        Progressive, models.PROTECT, primary_key=True, related_name="link_statement"
    )
    kind = models.CharField(max_length=17, choices=Kind)
    text = models.TextField()
    recorded_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(name="link_statement_says_why", condition=~Q(text="")),
            models.CheckConstraint(
                name="link_statement_kind", condition=Q(kind__in=["equal_probability", "waiver"])
            ),
        ]

    def __str__(self) -> str:
        return f"{self.progressive_id} {self.kind}"
