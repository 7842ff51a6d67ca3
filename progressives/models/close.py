"""The close of a gaming day: its fence, its readings and counts, and who signed."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from progressives.models.meters import Meter


class GamingDayClose(models.Model):
    """One gaming day of the facility, from the fence that ends it to the second signature.

    What lies behind the fence is frozen from the first moment; only the state moves, along the ways
    the database allows, and each step is a row of its own.
    """

    class State(models.TextChoices):
        DRAFT = "draft", "Ended, not signed"
        PREPARED = "prepared", "Signed by the preparer"
        CLOSED = "closed", "Closed"

    gaming_day = models.DateField(unique=True)
    state = models.CharField(max_length=8, choices=State, default=State.DRAFT)
    fence = models.JSONField()  # lane: the number of its fence; what comes later has a higher one
    chains = models.JSONField()  # chain: [sequence, hash] of the last event that belongs to it
    ends = models.JSONField()  # meter: [sequence, value] of its last entry
    retold = models.JSONField()  # where our own replay ends: the next day goes on from here
    fenced_at = models.DateTimeField(db_default=Now())
    figures = models.JSONField(null=True, blank=True)  # what was signed
    digest = models.CharField(max_length=64, blank=True, default="")
    prepared_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="prepared"
    )
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="reviewed"
    )
    heads = models.JSONField(null=True, blank=True)  # every chain's head at the second signature
    head = models.CharField(max_length=64, blank=True, default="")  # one hash over them

    class Meta:
        verbose_name = "close of a gaming day"
        verbose_name_plural = "closes of gaming days"
        ordering = ["-gaming_day"]
        permissions = [
            ("prepare_gamingdayclose", "Can end a gaming day and sign its close"),
            ("review_gamingdayclose", "Can review a close and sign it as the second person"),
        ]
        constraints = [
            models.CheckConstraint(
                name="close_by_two_people",
                condition=Q(reviewed_by__isnull=True) | ~Q(reviewed_by=F("prepared_by")),
            ),
            models.CheckConstraint(
                name="close_signed_as_its_state_says",
                condition=Q(state="draft", prepared_by__isnull=True, reviewed_by__isnull=True)
                | (
                    Q(state="prepared", prepared_by__isnull=False, reviewed_by__isnull=True)
                    & ~Q(digest="")
                )
                | (
                    Q(state="closed", prepared_by__isnull=False, reviewed_by__isnull=False)
                    & ~Q(digest="")
                    & ~Q(head="")
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.gaming_day.isoformat()


class CloseStep(models.Model):
    """One step of a close: who ended, signed, sent back or closed the day. Written once."""

    class Kind(models.TextChoices):
        FENCED = "fenced", "Day ended"
        PREPARED = "prepared", "Prepared and signed"
        SENT_BACK = "sent_back", "Sent back to the preparer"
        CLOSED = "closed", "Reviewed and closed"

    close = models.ForeignKey(GamingDayClose, models.PROTECT, related_name="steps")
    kind = models.CharField(max_length=9, choices=Kind)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="close_steps")
    at = models.DateTimeField(db_default=Now())
    reason = models.TextField(blank=True)
    digest = models.CharField(max_length=64, blank=True, default="")

    class Meta:
        ordering = ["close", "pk"]

    def __str__(self) -> str:
        return f"{self.close_id} {self.kind}"


class MeterReading(models.Model):
    """What a person read of a meter for a gaming day, away from this system. Written once.

    A later reading of the same meter and day takes the place of an earlier one, which stays.
    """

    class Method(models.TextChoices):
        SIGN = "sign", "Read from the sign"
        CONTROLLER = "controller", "Read from the table's controller"
        IMPORTED = "imported", "Imported from a file"

    gaming_day = models.DateField()
    meter = models.ForeignKey(Meter, models.PROTECT, related_name="readings")
    value = models.DecimalField(max_digits=18, decimal_places=6)
    taken_at = models.DateTimeField()
    method = models.CharField(max_length=10, choices=Method)
    source = models.CharField(max_length=120, blank=True)  # the file, the sign's number
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="readings")
    entered_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-gaming_day", "meter", "-pk"]
        indexes = [models.Index(name="reading_of_day", fields=["gaming_day", "meter"])]
        constraints = [
            models.CheckConstraint(name="reading_never_below_zero", condition=Q(value__gte=0))
        ]

    def __str__(self) -> str:
        return f"{self.meter_id} {self.gaming_day} {self.value}"


class ChipCount(models.Model):
    """What a person counted of a table's progressive wagers, by dealer. Written once.

    A later count of the same table, dealer and day takes the place of an earlier one, which stays.
    """

    gaming_day = models.DateField()
    table = models.CharField(max_length=16)
    dealer = models.CharField(max_length=16, blank=True)
    amount = models.DecimalField(max_digits=12, decimal_places=2)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="chip_counts")
    entered_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-gaming_day", "table", "dealer", "-pk"]
        indexes = [models.Index(name="chip_count_of_day", fields=["gaming_day", "table"])]
        constraints = [
            models.CheckConstraint(name="chip_count_never_below_zero", condition=Q(amount__gte=0))
        ]

    def __str__(self) -> str:
        return f"{self.table} {self.dealer} {self.gaming_day} {self.amount}"
