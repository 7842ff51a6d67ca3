"""Dossiers: who asked for which round's evidence, who agreed, and what left the house."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class DossierRequest(models.Model):
    """Somebody asks for a round's dossier: for what, and for whom. Written once."""

    table = models.CharField(max_length=16)
    round = models.PositiveBigIntegerField()
    reason = models.TextField()
    recipient = models.CharField(max_length=200)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    second_person = models.BooleanField()  # whether another one must agree: as the facility had it
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-pk"]
        permissions = [
            ("export_round", "Can ask for and take out a round's dossier"),
            ("approve_export", "Can agree that a dossier leaves the house"),
        ]
        indexes = [models.Index(name="dossier_of_round", fields=["table", "round"])]
        constraints = [
            models.CheckConstraint(
                name="dossier_for_a_reason_and_a_recipient",
                condition=~Q(reason="") & ~Q(recipient=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.table}/{self.round} for {self.recipient}"


class DossierStep(models.Model):
    """What became of a request: agreed to by another person, or taken out. Written once."""

    class Kind(models.TextChoices):
        APPROVED = "approved", "Agreed to"
        REFUSED = "refused", "Refused"
        EXPORTED = "exported", "Taken out"

    request = models.ForeignKey(DossierRequest, models.PROTECT, related_name="steps")
    kind = models.CharField(max_length=8, choices=Kind)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    digest = models.CharField(max_length=64, blank=True)  # of the file that was taken out
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                name="dossier_answered_once",
                fields=["request"],
                condition=Q(kind__in=["approved", "refused"]),
            ),
            models.CheckConstraint(
                name="dossier_taken_out_with_its_digest",
                condition=Q(kind="exported", digest__gt="") | (~Q(kind="exported") & Q(digest="")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.request_id} {self.kind}"
