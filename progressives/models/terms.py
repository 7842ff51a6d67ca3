"""From which amounts the house wants more than two taps."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now


class ClaimTerms(models.Model):
    """What the house's internal control procedures ask of a payout, from one moment on.

    Written once: other terms follow, and a claim keeps those that held when it opened.
    """

    effective_at = models.DateTimeField(db_default=Now())
    checklist_from = models.DecimalField(
        max_digits=12,
        decimal_places=2,
        help_text="A fixed award of so much or more is confirmed point by point.",
    )
    approval_from = models.DecimalField(
        max_digits=12,
        decimal_places=2,
        help_text="A fixed award of so much or more needs surveillance and a second approver. "
        "A share of the meter always does.",
    )
    second_factor_required = models.BooleanField(
        default=False,
        help_text="Nobody approves without a code device. Whoever has one is asked in any case.",
    )
    reason = models.TextField()
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        verbose_name_plural = "claim terms"
        ordering = ["effective_at", "pk"]
        constraints = [
            models.CheckConstraint(
                name="claim_terms_rise",
                condition=Q(checklist_from__gt=0, approval_from__gte=F("checklist_from")),
            ),
            models.CheckConstraint(name="claim_terms_have_a_reason", condition=~Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"from {self.effective_at:%Y-%m-%d %H:%M}"
