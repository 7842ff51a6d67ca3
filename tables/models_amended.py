"""Amendments of settled rounds: what one person proposed, and what another decided on it.

Of ``tables.models``, which has no more room; import them from there.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class RoundAmendment(models.Model):
    """A corrected document of a settled round and what it would come to. Written once.

    Approved, its outcome is version ``version`` of the round's, beside those before it.
    """

    round = models.ForeignKey(
        "tables.Round", models.PROTECT, related_name="amendments", db_constraint=False
    )
    version = models.PositiveSmallIntegerField()
    document = models.BinaryField()  # canonical
    rules = models.CharField(max_length=120)
    outcome = models.JSONField()
    effects = models.JSONField()  # differences, adjustments, payouts and Envy Bonuses
    digest = models.CharField(max_length=64)  # over outcome and effects: what both are shown
    reason = models.TextField()
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(name="amendment_has_a_reason", condition=~Q(reason="")),
            models.CheckConstraint(name="amendment_follows_the_first", condition=Q(version__gte=2)),
        ]

    def __str__(self) -> str:
        return f"{self.round_id} version {self.version}"


class AmendmentDecision(models.Model):
    """What the second person decided on an amendment. Written once, one for each."""

    class Kind(models.TextChoices):
        APPROVED = "approved", "Approved"
        REFUSED = "refused", "Refused"

    amendment = models.OneToOneField(
        RoundAmendment, models.PROTECT, primary_key=True, related_name="decision"
    )
    kind = models.CharField(max_length=8, choices=Kind)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())
    remark = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="amendment_refused_for_a_reason", condition=Q(kind="approved") | ~Q(remark="")
            )
        ]

    def __str__(self) -> str:
        return f"{self.amendment_id} {self.kind}"
