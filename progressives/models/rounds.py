"""What ends a round: each Envy Bonus paid or not owed any more, and the round's closing."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from progressives.models.claims import CurrentTransaction, EnvyPayout
from progressives.models.lanes import Lane


class EnvyPayment(models.Model):
    """What became of one Envy Bonus: paid from the table inventory, or not owed. Written once.

    The database refuses it while the hand's own payout is undecided or anything in the round is
    disputed (§ 670a.11(h)(3)(ii): after all Progressive Payout Wagers have been settled).
    """

    class Kind(models.TextChoices):
        PAID = "paid", "Paid from the table inventory"
        NOT_OWED = "not_owed", "Not owed: its hand does not count"

    envy = models.OneToOneField(EnvyPayout, models.PROTECT, related_name="payment")
    kind = models.CharField(max_length=8, choices=Kind)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())
    reason = models.TextField(blank=True)

    class Meta:
        verbose_name = "Envy Bonus payment"
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                name="envy_not_owed_for_a_reason", condition=Q(kind="paid") | ~Q(reason="")
            )
        ]

    def __str__(self) -> str:
        return f"{self.envy_id} {self.kind}"


class RoundClosing(models.Model):
    """The end of a round's payouts: nothing of it is open. Written once, by the last step.

    The database refuses it while a claim of the round is undecided or disputed, or an Envy Bonus
    is unpaid. ``version`` is that of the round's outcome: an amended round closes again.
    ``reopened`` counts how often a dispute opened it again; the database puts it in.
    """

    lane = models.ForeignKey(
        Lane, models.PROTECT, null=True, related_name="+", db_constraint=False, db_index=False
    )
    round_id = models.UUIDField()
    version = models.PositiveSmallIntegerField(default=1)
    reopened = models.PositiveSmallIntegerField(db_default=0)
    table = models.CharField(max_length=16)
    round = models.PositiveBigIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                name="round_closed_once", fields=["round_id", "version", "reopened"]
            )
        ]

    def __str__(self) -> str:
        return f"{self.table}/{self.round} closed"


class RoundAdjustment(models.Model):
    """What two people agreed on for a settled round: its outcome's next version. Written once.

    It stands for the amendment in the ledger: an entry of kind ``adjustment`` needs one in its own
    transaction. The database asks both for their authority, superusers too.
    """

    lane = models.ForeignKey(
        Lane, models.PROTECT, related_name="+", db_constraint=False, db_index=False
    )
    lane_number = models.PositiveBigIntegerField()
    round_id = models.UUIDField()
    version = models.PositiveSmallIntegerField()
    table = models.CharField(max_length=16)
    round = models.PositiveBigIntegerField()
    dealer = models.CharField(max_length=16, blank=True)
    digest = models.CharField(max_length=64)  # of what both were shown
    reason = models.TextField()
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())
    transaction = models.BigIntegerField(db_default=CurrentTransaction())

    class Meta:
        ordering = ["pk"]
        permissions = [
            ("propose_roundadjustment", "Can propose the amendment of a settled round"),
            ("approve_roundadjustment", "Can approve or refuse the amendment of a settled round"),
        ]
        constraints = [
            models.UniqueConstraint(name="round_version_once", fields=["round_id", "version"]),
            models.CheckConstraint(
                name="round_amended_by_two_people", condition=~Q(proposed_by=F("approved_by"))
            ),
            models.CheckConstraint(name="round_amended_for_a_reason", condition=~Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"{self.table}/{self.round} version {self.version}"
