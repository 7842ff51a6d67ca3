"""The casebook: what surveillance writes down, day by day and case by case, and what it holds.

Nothing here is ever changed: what was wrong is corrected by an entry of its own, and a case's
status, people and links are entries too.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now


class EntryCounter(models.Model):
    """The last numbers given to entries and cases: one row, moved only by what takes the next."""

    entries = models.PositiveBigIntegerField(default=0)
    cases = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.entries}, {self.cases}"


class Case(models.Model):
    """An incident that is looked into. PostgreSQL gives its number, gap-free. Written once."""

    class Type(models.TextChoices):
        DISPUTE = "dispute", "Patron dispute"
        PROCEDURE = "procedure", "Procedure not followed"
        PAYOUT = "payout", "Payout in question"
        CHEATING = "cheating", "Suspected cheating"
        THEFT = "theft", "Suspected theft"
        DEVICE = "device", "Device or system fault"
        OTHER = "other", "Other"

    class Status(models.TextChoices):
        OPEN = "open", "Open"
        WAITING = "waiting", "Waiting for somebody"
        CLOSED = "closed", "Closed"

    number = models.PositiveBigIntegerField(unique=True, db_default=0)
    type = models.CharField(max_length=9, choices=Type)
    title = models.CharField(max_length=120)
    occurred_from = models.DateTimeField()
    occurred_until = models.DateTimeField()
    reported_at = models.DateTimeField()
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    opened_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-number"]
        permissions = [
            ("write_case", "Can open cases and write in the daily log"),
            ("withhold_case", "Can withhold a case from an employee or a department"),
        ]
        constraints = [
            models.CheckConstraint(
                name="case_ends_after_it_began",
                condition=Q(occurred_until__gte=F("occurred_from")),
            ),
            models.CheckConstraint(name="case_has_a_title", condition=~Q(title="")),
        ]

    def __str__(self) -> str:
        return f"case {self.number}"


class CaseEntry(models.Model):
    """One entry of a case, or of the daily log where it names none. Written once.

    ``about`` is the entry that this one corrects, reviews, takes over or lifts.
    """

    class Kind(models.TextChoices):
        NOTE = "note", "Note"
        STATUS = "status", "Status"
        PERSON = "person", "Person"
        LINK = "link", "Linked"
        CORRECTION = "correction", "Correction"
        HANDOVER = "handover", "Handed over"
        TAKEN_OVER = "taken_over", "Taken over"
        VIOLATION = "violation", "Dispute audit"
        REVIEW = "review", "Audit reviewed"
        WITHHELD = "withheld", "Withheld"
        SHOWN = "shown", "Withholding lifted"

    ANSWERS = ("taken_over", "review", "shown")  # each at most once, of one entry

    number = models.PositiveBigIntegerField(unique=True, db_default=0)
    case = models.ForeignKey(Case, models.PROTECT, null=True, blank=True, related_name="entries")
    kind = models.CharField(max_length=10, choices=Kind)
    text = models.TextField()
    facts = models.JSONField(default=dict, blank=True)
    about = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="answers")
    person = models.ForeignKey(  # from whom it is withheld
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    department = models.CharField(max_length=150, blank=True)  # a group's name
    occurred_from = models.DateTimeField(null=True, blank=True)
    occurred_until = models.DateTimeField(null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "case entries"
        ordering = ["number"]
        constraints = [
            models.CheckConstraint(name="case_entry_says_something", condition=~Q(text="")),
            models.CheckConstraint(
                name="case_entry_answers_another",
                condition=Q(
                    kind__in=["correction", "taken_over", "review", "shown"], about__isnull=False
                )
                | (
                    ~Q(kind__in=["correction", "taken_over", "review", "shown"])
                    & Q(about__isnull=True)
                ),
            ),
            models.CheckConstraint(
                name="case_entry_withheld_from_somebody",
                condition=Q(kind="withheld", case__isnull=False)
                & (Q(person__isnull=False) | ~Q(department=""))
                | ~Q(kind="withheld") & Q(person__isnull=True, department=""),
            ),
            models.UniqueConstraint(
                name="case_entry_answered_once",
                fields=["about", "kind"],
                condition=Q(kind__in=["taken_over", "review", "shown"]),
            ),
        ]

    def __str__(self) -> str:
        return f"entry {self.number}"


class Camera(models.Model):
    """That a camera sees a table, or no longer does, from a moment on. Written once."""

    table = models.CharField(max_length=16)
    camera = models.CharField(max_length=64)
    sees_from = models.DateTimeField()
    sees = models.BooleanField(default=True)
    keeps_days = models.PositiveSmallIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["table", "camera", "sees_from", "pk"]
        constraints = [
            models.CheckConstraint(name="camera_keeps_a_day", condition=Q(keeps_days__gte=1)),
            models.CheckConstraint(name="camera_named", condition=~Q(table="") & ~Q(camera="")),
        ]

    def __str__(self) -> str:
        return f"{self.camera} at {self.table}"


class FootageHold(models.Model):
    """A stretch of a camera's footage that must not be overwritten. Written once."""

    table = models.CharField(max_length=16)
    camera = models.CharField(max_length=64)
    begins = models.DateTimeField()
    ends = models.DateTimeField()
    expires_at = models.DateTimeField()  # when the recorder overwrites it, if nobody saves it
    reason = models.TextField()
    case = models.ForeignKey(Case, models.PROTECT, null=True, blank=True, related_name="holds")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["expires_at", "pk"]
        constraints = [
            models.CheckConstraint(
                name="hold_ends_after_it_begins", condition=Q(ends__gt=F("begins"))
            ),
            models.CheckConstraint(name="hold_has_a_reason", condition=~Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"{self.camera} {self.begins:%Y-%m-%d %H:%M}"


class HoldEnd(models.Model):
    """How a hold ended: the footage is saved elsewhere, or nobody needs it. Written once."""

    class Kind(models.TextChoices):
        SAVED = "saved", "Saved"
        RELEASED = "released", "Released"

    hold = models.OneToOneField(FootageHold, models.PROTECT, primary_key=True, related_name="end")
    kind = models.CharField(max_length=8, choices=Kind)
    where = models.TextField()  # where it was saved to, or why it is released
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.CheckConstraint(name="hold_end_says_where", condition=~Q(where=""))]

    def __str__(self) -> str:
        return f"{self.hold_id} {self.kind}"


class PreservedRound(models.Model):
    """A round's evidence as the log told it when somebody froze it. Written once."""

    round_id = models.UUIDField()
    table = models.CharField(max_length=16)
    round = models.PositiveBigIntegerField()
    body = models.BinaryField()  # canonical bytes of the reconstruction
    digest = models.CharField(max_length=64)  # SHA-256 of them
    reason = models.TextField()
    case = models.ForeignKey(Case, models.PROTECT, null=True, blank=True, related_name="preserved")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(name="preserved_for_a_reason", condition=~Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"{self.table}/{self.round}"
