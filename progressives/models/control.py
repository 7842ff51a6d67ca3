"""Changes of a progressive under two people's control: requests, their steps, what they moved."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from progressives.models.claims import CurrentTransaction
from progressives.models.meters import Meter


class ControlRequest(models.Model):
    """What one authority asks for and the other must agree to (§ 605a.7(a)(5)-(6)). Written once.

    ``before`` and ``after`` hold the parameters that change, money and percents as text. A transfer
    without an amount moves whatever the meter holds when it takes effect.
    """

    class Kind(models.TextChoices):
        PARAMETERS = "parameters", "Change of parameters"
        TRANSFER = "transfer", "Transfer to another meter"
        CORRECTION = "correction", "Correction of a malfunction"
        RETIREMENT = "retirement", "Retirement"

    kind = models.CharField(max_length=10, choices=Kind)
    meter = models.ForeignKey(Meter, models.PROTECT, related_name="controls")
    other = models.ForeignKey(
        Meter, models.PROTECT, null=True, blank=True, related_name="controls_to"
    )
    amount = models.DecimalField(max_digits=18, decimal_places=6, null=True, blank=True)
    before = models.JSONField(default=dict, blank=True)
    after = models.JSONField(default=dict, blank=True)
    reason = models.TextField()
    effective_at = models.DateTimeField()
    told_on = models.DateField(null=True, blank=True)  # the public was given notice
    removed_on = models.DateField(null=True, blank=True)  # it is no longer offered
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="control_requests"
    )
    requested_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-pk"]
        permissions = [
            ("configure_meter", "Configuration authority over progressives"),
            ("reset_meter", "Reset authority over progressives"),
            ("acknowledge_controlrequest", "Can acknowledge a change for accounting"),
        ]
        constraints = [
            models.CheckConstraint(name="control_has_a_reason", condition=~Q(reason="")),
            models.CheckConstraint(
                name="control_says_what_its_kind_needs",
                condition=Q(kind="parameters", amount=None, other=None)
                & ~Q(after={})
                & ~Q(after=F("before"))
                | Q(kind="transfer", other__isnull=False, before={}, after={})
                & ~Q(other=F("meter"))
                & (Q(amount=None) | Q(amount__gt=0))
                | Q(kind="correction", amount__isnull=False, other=None, before={}, after={})
                & ~Q(amount=0)
                | Q(kind="retirement", amount=None, other=None, before={}, after={}),
            ),
            models.CheckConstraint(
                name="control_keeps_its_notice",
                condition=Q(kind__in=["parameters", "correction"])
                | Q(told_on__isnull=False, removed_on__gte=F("told_on")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pk} {self.kind}"


class ControlStep(models.Model):
    """One step of a request: who agreed, refused, took it back, saw it. Written once.

    ``effected`` has no person where its hour had come and the lane did it in its order.
    """

    class Kind(models.TextChoices):
        APPROVED = "approved", "Approved"
        REFUSED = "refused", "Refused"
        WITHDRAWN = "withdrawn", "Withdrawn"
        EFFECTED = "effected", "In effect"
        ACKNOWLEDGED = "acknowledged", "Acknowledged by accounting"

    request = models.ForeignKey(ControlRequest, models.PROTECT, related_name="steps")
    kind = models.CharField(max_length=12, choices=Kind)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    at = models.DateTimeField(db_default=Now())
    reason = models.TextField(blank=True)
    facts = models.JSONField(default=dict, blank=True)
    transaction = models.BigIntegerField(db_default=CurrentTransaction())

    class Meta:
        ordering = ["request", "pk"]
        constraints = [
            models.UniqueConstraint(name="control_step_once", fields=["request", "kind"]),
            models.CheckConstraint(
                name="control_step_has_a_person", condition=Q(kind="effected") | Q(by__isnull=False)
            ),
            models.CheckConstraint(
                name="control_refused_with_a_reason", condition=~Q(kind="refused") | ~Q(reason="")
            ),
        ]
        indexes = [models.Index(name="control_step_transaction", fields=["transaction"])]

    def __str__(self) -> str:
        return f"{self.request_id} {self.kind}"


class ControlLeg(models.Model):
    """One movement that a request in effect brought about: which entry it is. Written once.

    A transfer has two legs that come to nothing, a correction has one.
    """

    request = models.ForeignKey(ControlRequest, models.PROTECT, related_name="legs")
    meter = models.ForeignKey(Meter, models.PROTECT, related_name="control_legs")
    sequence = models.PositiveBigIntegerField()  # of the meter's entry
    amount = models.DecimalField(max_digits=18, decimal_places=6)

    class Meta:
        ordering = ["request", "pk"]
        constraints = [
            models.UniqueConstraint(name="control_leg_once", fields=["request", "meter"]),
            models.UniqueConstraint(name="control_leg_entry_once", fields=["meter", "sequence"]),
        ]

    def __str__(self) -> str:
        return f"{self.request_id}: {self.meter_id}/{self.sequence} {self.amount}"


class MeterRetirement(models.Model):
    """A meter closed for good: it held nothing, and nothing moves it again. Written once."""

    meter = models.OneToOneField(Meter, models.PROTECT, primary_key=True, related_name="retirement")
    request = models.ForeignKey(ControlRequest, models.PROTECT, related_name="retired")
    retired_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.meter_id} retired"
