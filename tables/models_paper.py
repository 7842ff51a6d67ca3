"""What a table did on paper: its downtime, the numbered forms, and what was entered from them."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

TABLE = "tables.GamingTable"


class Downtime(models.Model):
    """A table that plays on paper, from a moment on. Written once; its end is a row of its own."""

    table = models.ForeignKey(TABLE, models.PROTECT, related_name="downtimes")
    began_at = models.DateTimeField()
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-pk"]
        permissions = [
            ("run_downtime", "Can run a table's downtime: forms, late entries, readings, its end"),
            ("confirm_formentry", "Can confirm what another entered from a paper form"),
        ]
        constraints = [
            models.CheckConstraint(name="downtime_has_a_reason", condition=~Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"{self.table_id} since {self.began_at:%Y-%m-%d %H:%M}"


class PaperForm(models.Model):
    """A numbered form for one round, issued to a table. PostgreSQL gives the numbers, gap-free.

    Pads are issued before they are needed: a house that is down cannot number anything.
    """

    number = models.PositiveBigIntegerField(unique=True, db_default=0)
    table = models.ForeignKey(TABLE, models.PROTECT, related_name="paper_forms")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    issued_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["number"]

    def __str__(self) -> str:
        return f"form {self.number}"


class FormVoid(models.Model):
    """A form that no round was entered from: spoiled, or not used. It keeps its number."""

    form = models.OneToOneField(PaperForm, models.PROTECT, primary_key=True, related_name="void")
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(name="form_void_has_a_reason", condition=~Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"{self.form_id} void"


class FormEntry(models.Model):
    """What one person entered from a form: the round's document, without its place in the intake.

    It is nothing yet: another person decides on it.
    """

    form = models.ForeignKey(PaperForm, models.PROTECT, related_name="entries")
    downtime = models.ForeignKey(Downtime, models.PROTECT, related_name="entries")
    document = models.JSONField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "form entries"

    def __str__(self) -> str:
        return f"entry {self.pk} of form {self.form_id}"


class FormDecision(models.Model):
    """What a second person decided on an entry. A confirmed one names its event in the intake."""

    class Kind(models.TextChoices):
        CONFIRMED = "confirmed", "Confirmed"
        REJECTED = "rejected", "Sent back"

    entry = models.OneToOneField(
        FormEntry, models.PROTECT, primary_key=True, related_name="decision"
    )
    kind = models.CharField(max_length=9, choices=Kind)
    event_id = models.UUIDField(null=True, blank=True, unique=True)
    reason = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="form_decision_has_its_event_or_its_reason",
                condition=Q(kind="confirmed", event_id__isnull=False)
                | (Q(kind="rejected", event_id__isnull=True) & ~Q(reason="")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id} {self.kind}"


class DowntimeReading(models.Model):
    """What a person read on a meter's sign at the end of a downtime, beside our own ledger.

    The last one of a meter counts. One that differs has an exception that somebody must own.
    """

    downtime = models.ForeignKey(Downtime, models.PROTECT, related_name="readings")
    meter = models.ForeignKey("progressives.Meter", models.PROTECT, related_name="+")
    value = models.DecimalField(max_digits=18, decimal_places=6)
    ledger = models.DecimalField(max_digits=18, decimal_places=6)
    sequence = models.PositiveBigIntegerField()  # the entry that the ledger's value is after
    exception = models.ForeignKey(
        "audit.ExceptionRecord", models.PROTECT, null=True, blank=True, related_name="+"
    )
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.meter_id} read as {self.value}"


class DowntimeEnd(models.Model):
    """The end of a downtime: every form accounted for, every meter read. Written once."""

    downtime = models.OneToOneField(Downtime, models.PROTECT, primary_key=True, related_name="end")
    ended_at = models.DateTimeField()
    note = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.downtime_id} ended"
