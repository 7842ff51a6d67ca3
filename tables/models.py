"""What the floor keeps: tables, what they reported, and what the rules made of it."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from progressives.models import Lane, Progressive
from tables.models_dossier import DossierRequest, DossierStep
from tables.models_links import TableProgressive as TableProgressive  # noqa: PLC0414
from tables.models_paper import (
    Downtime,
    DowntimeEnd,
    DowntimeReading,
    FormDecision,
    FormEntry,
    FormVoid,
    PaperForm,
)

__all__ = [
    "DossierRequest",
    "DossierStep",
    "Downtime",
    "DowntimeEnd",
    "DowntimeReading",
    "FormDecision",
    "FormEntry",
    "FormVoid",
    "PaperForm",
]  # dossiers, links and paper have modules of their own


class Facility(models.Model):
    """The licensed facility: one row. Its zone and its day's beginning make the gaming day."""

    name = models.CharField(max_length=80)
    time_zone = models.CharField(max_length=48)
    gaming_day_starts = models.TimeField()
    escalate_after_seconds = models.PositiveIntegerField(default=300)
    warn_before_minutes = models.PositiveSmallIntegerField(
        default=15,
        help_text="How long before cards or dice have to be changed the floor is warned.",
    )
    fresh_seconds = models.PositiveSmallIntegerField(
        default=15,
        db_default=15,
        help_text="For how long a meter value is fresh; then no progressive wagers are taken.",
    )
    second_person_exports = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether another person must agree before a round's dossier leaves the house.",
    )

    class Meta:
        verbose_name_plural = "facility"
        constraints = [
            models.CheckConstraint(name="one_facility", condition=Q(pk=1)),
            models.CheckConstraint(
                name="facility_values_stay_fresh", condition=Q(fresh_seconds__gt=0)
            ),
        ]

    def __str__(self) -> str:
        return self.name


class RulesSubmission(models.Model):
    """What the certificate holder chose for one game from one day on (§ 601a.2). Written once.

    One person proposes it, or a set-up file brings it; nothing holds before its approval.
    """

    game = models.CharField(max_length=32)
    version = models.CharField(max_length=24)
    effective = models.DateField()
    choices = models.JSONField()
    digest = models.CharField(max_length=64)
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="proposals"
    )
    reason = models.TextField(blank=True)
    recorded_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["game", "effective", "pk"]
        permissions = [("propose_rulessubmission", "Can propose a rules submission")]
        constraints = [
            models.UniqueConstraint(name="submission_version_once", fields=["game", "version"]),
        ]

    def __str__(self) -> str:
        return f"{self.game} {self.version}"


class SubmissionApproval(models.Model):
    """What a second person decided on a submission. Written once, one for each submission.

    Game and day are repeated so that the database can keep approved submissions one a day.
    """

    class Kind(models.TextChoices):
        SET_UP = "set_up", "Approved with the set-up"
        APPROVED = "approved", "Approved"
        REFUSED = "refused", "Refused"

    submission = models.OneToOneField(
        RulesSubmission, models.PROTECT, primary_key=True, related_name="approval"
    )
    kind = models.CharField(max_length=8, choices=Kind)
    game = models.CharField(max_length=32)
    effective = models.DateField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="approvals"
    )
    remark = models.TextField(blank=True)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        permissions = [("approve_rulessubmission", "Can approve or refuse a rules submission")]
        constraints = [
            models.UniqueConstraint(
                name="approved_submission_day_once",
                fields=["game", "effective"],
                condition=~Q(kind="refused"),
            ),
            models.CheckConstraint(
                name="approval_by_a_person_unless_set_up",
                condition=Q(kind="set_up", by__isnull=True)
                | (~Q(kind="set_up") & Q(by__isnull=False)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.submission_id} {self.kind}"


class GamingTable(models.Model):
    """A table of the pit, the game it deals and the lane its events are put in order in."""

    code = models.CharField(max_length=16, unique=True)
    pit = models.CharField(max_length=8, blank=True)
    game = models.CharField(max_length=32)
    positions = models.PositiveSmallIntegerField()
    lane = models.ForeignKey(Lane, models.PROTECT, related_name="tables")
    progressive = models.ForeignKey(
        Progressive, models.PROTECT, null=True, blank=True, related_name="tables"
    )
    decks_in_use = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        choices=[(1, "One deck, or one batch of decks"), (2, "Two, used in turn")],
        help_text="Left empty, nobody is told when one of two decks is used twice running.",
    )

    class Meta:
        ordering = ["code"]
        permissions = [
            ("close_gap", "Can close a gap in a table's events"),
            ("view_error_trends", "Can see dealers' errors and their trend"),
        ]

    def __str__(self) -> str:
        return self.code


class AccessKey(models.Model):
    """A key by which a table controller or a gateway reports for its tables, or staff read.

    Only its SHA-256 is kept. A controller's or gateway's key opens nothing but its tables.
    """

    class Kind(models.TextChoices):
        CONTROLLER = "controller", "Table controller"
        GATEWAY = "gateway", "Gateway or replay"
        STAFF = "staff", "Staff token"

    name = models.CharField(max_length=60)
    kind = models.CharField(max_length=10, choices=Kind)
    digest = models.CharField(max_length=64, unique=True)
    tables = models.ManyToManyField(GamingTable, blank=True, related_name="keys")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="keys"
    )
    made_at = models.DateTimeField(db_default=Now())
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="staff_key_has_a_user",
                condition=Q(kind="staff", user__isnull=False) | ~Q(kind="staff"),
            )
        ]

    def __str__(self) -> str:
        return self.name


class TableEvent(models.Model):
    """The intake: one event as it was accepted, in its canonical bytes. Written once.

    The row is the queue. What became of it stands in ``AppliedEvent``.
    """

    event_id = models.UUIDField(unique=True)
    table = models.ForeignKey(GamingTable, models.PROTECT, related_name="events", db_index=False)
    sequence = models.PositiveBigIntegerField()
    type = models.CharField(max_length=16)
    round = models.PositiveBigIntegerField(null=True, blank=True)
    occurred_at = models.DateTimeField()
    body = models.BinaryField()
    key_name = models.CharField(max_length=60, blank=True)
    accepted_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(name="table_sequence_once", fields=["table", "sequence"]),
        ]

    def __str__(self) -> str:
        return f"{self.table_id}/{self.sequence} {self.type}"


class AppliedEvent(models.Model):
    """What became of one intake event: its number in the lane, decided once. Written once."""

    class State(models.TextChoices):
        APPLIED = "applied", "Applied"
        REFUSED = "refused", "Refused at its turn"
        SKIPPED = "skipped", "Sequence closed by a person"
        SET_ASIDE = "set_aside", "Set aside for a person"

    event = models.OneToOneField(
        TableEvent, models.PROTECT, primary_key=True, related_name="applied", db_constraint=False
    )
    lane = models.ForeignKey(Lane, models.PROTECT, db_index=False, db_constraint=False)
    number = models.PositiveBigIntegerField()
    state = models.CharField(max_length=9, choices=State)
    code = models.CharField(max_length=32, blank=True)
    path = models.CharField(max_length=120, blank=True)
    detail = models.TextField(blank=True)
    gaming_day = models.DateField()
    late = models.BooleanField(default=False)  # joined a later gaming day than its own
    applied_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(name="lane_number_once", fields=["lane", "number"]),
        ]

    def __str__(self) -> str:
        return f"{self.lane_id}/{self.number} {self.state}"


class TableCursor(models.Model):
    """Where a table's events stand: the sequence that comes next, and its open lock-outs.

    A working row of the lane's holder; the log can make it again.
    """

    table = models.OneToOneField(
        GamingTable, models.PROTECT, primary_key=True, related_name="cursor"
    )
    expected = models.PositiveBigIntegerField(default=1)
    attempts = models.PositiveSmallIntegerField(default=0)  # at the event that comes next
    last_error = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"{self.table_id} next {self.expected}"


class TableWatch(models.Model):
    """What the watch remembers of a table: decks, dice, devices, dealers (``rules.watch``).

    A working row, as above.
    """

    table = models.OneToOneField(
        GamingTable, models.PROTECT, primary_key=True, related_name="watch", db_constraint=False
    )
    state = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"{self.table_id}"


class Equipment(models.Model):
    """A device of the floor by its serial number, with its approval (§ 601a.10, § 461a.4).

    An administrator keeps the register; a row is never taken away, only given its last day.
    """

    class Kind(models.TextChoices):
        SHAKER = "shaker", "Pai Gow shaker"
        GENERATOR = "generator", "Random number generator"
        SHUFFLER = "shuffler", "Card shuffling device"
        SHOE = "shoe", "Automated dealing shoe"
        READER = "reader", "Card reader device"

    kind = models.CharField(max_length=9, choices=Kind)
    serial = models.CharField(max_length=64, unique=True)
    table = models.ForeignKey(
        GamingTable, models.PROTECT, null=True, blank=True, related_name="equipment"
    )
    approval = models.CharField(
        max_length=80, blank=True, help_text="Reference of the approval; empty: not approved."
    )
    approved_on = models.DateField(null=True, blank=True)
    removed_on = models.DateField(null=True, blank=True)
    counting = models.BooleanField(default=False, help_text="Counts the cards after each shuffle.")
    reshuffling = models.BooleanField(default=False, help_text="Reshuffles and counts by itself.")

    class Meta:
        verbose_name_plural = "equipment"
        ordering = ["kind", "serial"]
        constraints = [
            models.CheckConstraint(
                name="equipment_approved_with_a_reference",
                condition=Q(approved_on__isnull=True) | ~Q(approval=""),
            ),
            models.CheckConstraint(
                name="equipment_removed_after_it_was_approved",
                condition=Q(removed_on__isnull=True)
                | Q(approved_on__isnull=True)
                | Q(removed_on__gte=models.F("approved_on")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.serial}"


class OpenRound(models.Model):
    """A round between its lock-out and its settlement or void. A working row, as above."""

    table = models.ForeignKey(GamingTable, models.PROTECT, related_name="open_rounds")
    number = models.PositiveBigIntegerField()
    lockout = models.OneToOneField(TableEvent, models.PROTECT)
    contributed = models.JSONField(default=list)  # [[position, amount], ...] in turn order

    class Meta:
        constraints = [
            models.UniqueConstraint(name="open_round_once", fields=["table", "number"]),
        ]

    def __str__(self) -> str:
        return f"{self.table_id}/{self.number}"


class Round(models.Model):
    """A round that is over: settled or void, and what it came to. Written once."""

    class State(models.TextChoices):
        SETTLED = "settled", "Settled"
        VOID = "void", "Void"

    id = models.UUIDField(primary_key=True)
    table = models.ForeignKey(GamingTable, models.PROTECT, db_index=False, db_constraint=False)
    number = models.PositiveBigIntegerField()
    game = models.CharField(max_length=32)
    state = models.CharField(max_length=7, choices=State)
    rules = models.CharField(max_length=120)
    dealer = models.CharField(max_length=16, blank=True)
    floorperson = models.CharField(max_length=16, blank=True)
    dealer_hand = models.JSONField(null=True)
    meters = models.JSONField(default=list)
    flags = models.JSONField(default=list)
    lane_number = models.PositiveBigIntegerField()
    gaming_day = models.DateField()
    occurred_at = models.DateTimeField()

    class Meta:
        permissions = [
            ("search_round", "Can search all rounds"),
            ("view_approvals", "Can see who approves payouts, and how"),
        ]
        constraints = [
            models.UniqueConstraint(name="round_once", fields=["table", "number"]),
        ]

    def __str__(self) -> str:
        return f"{self.table_id}/{self.number}"


class RoundPosition(models.Model):
    """One position of a round that is over, with its outcome lines. Written once."""

    pk = models.CompositePrimaryKey("round_id", "position")
    round = models.ForeignKey(
        Round, models.PROTECT, related_name="seats", db_index=False, db_constraint=False
    )
    position = models.PositiveSmallIntegerField()
    player = models.CharField(max_length=64, blank=True)
    cards = models.TextField(blank=True)  # of a void round any number
    wagers = models.JSONField(default=dict)
    lines = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{self.round_id}/{self.position}"


class FiledRound(models.Model):
    """What a round can be found by (``findable``). A working row; the round can make it again.

    Written by ``services.filing`` after the round, so that a busy lane pays nothing for it.
    """

    round = models.OneToOneField(
        Round, models.PROTECT, primary_key=True, related_name="filed", db_constraint=False
    )
    table = models.ForeignKey(GamingTable, models.PROTECT, db_index=False, db_constraint=False)
    occurred_at = models.DateTimeField()
    keys = ArrayField(models.IntegerField())
    hands = ArrayField(models.BigIntegerField(), default=list)

    class Meta:
        indexes = [
            models.Index(name="filed_by_time", fields=["occurred_at", "round"]),
            models.Index(name="filed_by_table", fields=["table", "occurred_at", "round"]),
            GinIndex(name="filed_by_key", fields=["keys"], gin_pending_list_limit=512),
        ]

    def __str__(self) -> str:
        return f"{self.round_id}"


class FilingCursor(models.Model):
    """How far the filing has come: in a lane, in the exceptions, in the claims' steps.

    A working row, as above.
    """

    name = models.CharField(max_length=32, primary_key=True)
    place = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.name} {self.place}"


from tables.models_amended import (  # noqa: E402
    AmendmentDecision as AmendmentDecision,  # noqa: PLC0414
)
from tables.models_amended import (  # noqa: E402
    RoundAmendment as RoundAmendment,  # noqa: PLC0414
)
