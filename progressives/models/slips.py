"""Payout slips: numbered without a gap by the database, voids kept, every print written down."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from progressives.models.claims import JackpotClaim


class SlipCounter(models.Model):
    """The last number given to a slip: one row, moved only by the slip that takes the next."""

    last = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.last)


class PayoutSlip(models.Model):
    """The document of one payout (§ 465a.26 model; § 465a.3(c), (d)). Written once.

    The number and the facility's name are put in by the database. The payee's name is sealed, and
    nothing else about a person is kept.
    """

    number = models.PositiveBigIntegerField(unique=True, db_default=0)
    claim = models.OneToOneField(JackpotClaim, models.PROTECT, related_name="slip")
    facility = models.CharField(max_length=80, blank=True, db_default="")
    amount = models.DecimalField(max_digits=18, decimal_places=2)
    tax_reportable = models.BooleanField()
    tax_withheld = models.DecimalField(max_digits=18, decimal_places=2)
    tax_reason = models.TextField()
    tax_terms_from = models.DateField()
    payee_sealed = models.TextField(blank=True)
    digest = models.CharField(max_length=64)
    issued_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    issued_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["number"]
        constraints = [
            models.CheckConstraint(
                name="slip_withholds_part_of_the_amount",
                condition=Q(tax_withheld__gte=0, tax_withheld__lte=F("amount")),
            ),
            models.CheckConstraint(
                name="slip_says_why_of_its_tax",
                condition=~Q(tax_reason="") & (Q(tax_reportable=True) | Q(tax_withheld=0)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number:08}"

    @property
    def to_be_paid(self) -> object:
        """Return what the player gets: the amount less what is withheld."""
        return self.amount - self.tax_withheld


class SlipVoid(models.Model):
    """A slip that counts no more; it keeps its number. Written once."""

    slip = models.OneToOneField(PayoutSlip, models.PROTECT, related_name="void")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())
    reason = models.TextField()

    class Meta:
        constraints = [
            models.CheckConstraint(name="slip_void_has_a_reason", condition=~Q(reason=""))
        ]

    def __str__(self) -> str:
        return f"{self.slip_id} void"


class SlipPrint(models.Model):
    """One print of a slip: the first, or a further copy with its reason. Written once."""

    slip = models.ForeignKey(PayoutSlip, models.PROTECT, related_name="prints")
    copy = models.PositiveSmallIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["slip", "copy"]
        constraints = [
            models.UniqueConstraint(name="slip_print_once", fields=["slip", "copy"]),
            models.CheckConstraint(
                name="slip_reprint_has_a_reason", condition=Q(copy=1) | ~Q(reason="")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.slip_id} copy {self.copy}"
