"""What the memory keeps: people, chains, their events, and what a person must look at."""

import time
from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Now
from django.utils.functional import cached_property
from django_otp.models import Device, ThrottlingMixin, TimestampMixin
from django_otp.oath import TOTP

from audit.models_cases import (
    Camera,
    Case,
    CaseEntry,
    EntryCounter,
    FootageHold,
    HoldEnd,
    PreservedRound,
)
from audit.sealing import unseal

__all__ = [
    "Camera",
    "Case",
    "CaseEntry",
    "EntryCounter",
    "FootageHold",
    "HoldEnd",
    "PreservedRound",
]  # written where cases are

REGULATOR = "regulator"  # the group's name


class User(AbstractUser):  # type: ignore[django-manager-missing]  # of an untyped base
    """A member of staff. Events at a table name staff codes, which need no user."""

    staff_code = models.CharField(max_length=16, unique=True, null=True, blank=True)

    def __str__(self) -> str:
        return self.staff_code or self.username

    @cached_property
    def is_regulator(self) -> bool:
        """Whether this is a regulator's log-in: it sees everything and changes nothing."""
        return self.groups.filter(name=REGULATOR).exists()

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """A regulator may view and search whatever there is, and nothing else by any other role."""
        if self.is_active and self.is_regulator:
            return perm.partition(".")[2].startswith(("view_", "search_"))
        return bool(super().has_perm(perm, obj))

    def has_module_perms(self, app_label: str) -> bool:
        """A regulator sees every part of the house."""
        if self.is_active and self.is_regulator:
            return True
        return bool(super().has_module_perms(app_label))


class CodeDevice(TimestampMixin, ThrottlingMixin, Device):  # type: ignore[misc]
    """What shows a member of staff his codes, six digits every half minute (RFC 6238).

    The shared secret is sealed. ``last_step`` makes each code good for one use.
    """

    STEP_SECONDS, TOLERATED_STEPS = 30, 1

    sealed_key = models.TextField()
    last_step = models.BigIntegerField(default=-1)
    confirmed = models.BooleanField(default=False)  # by a first right code

    class Meta:
        constraints = [models.UniqueConstraint(name="code_device_once", fields=["user"])]

    def __str__(self) -> str:
        return f"{self.user} {self.name}"

    @property
    def bin_key(self) -> bytes:
        return bytes.fromhex(unseal(self.sealed_key))

    def get_throttle_factor(self) -> int:
        return 1  # seconds to wait after a wrong code, doubled with each

    def verify_token(self, token: Any) -> bool:
        """Take a code once. The caller holds the row; a wrong one makes him wait."""
        allowed, _ = self.verify_is_allowed()
        if not allowed:
            return False
        text = str(token)
        right: bool = False
        if text.isascii() and text.isdecimal() and len(text) == 6:
            totp = TOTP(self.bin_key, self.STEP_SECONDS)
            totp.time = time.time()
            right = totp.verify(int(text), self.TOLERATED_STEPS, self.last_step + 1)
        if right:
            self.last_step = totp.t()
            self.throttle_reset(commit=False)
            self.set_last_used_timestamp(commit=False)
            self.save()
        else:
            self.throttle_increment()
        return right


class Chain(models.Model):
    """The head of one chain of the log: one for each lane, one for the system.

    Only ``services.record`` moves it, under its own lock and as the last thing a transaction does.
    """

    name = models.CharField(max_length=64, unique=True)
    sequence = models.PositiveBigIntegerField(default=0)
    head = models.BinaryField(max_length=32, default=bytes(32))

    def __str__(self) -> str:
        return self.name


class AuditEvent(models.Model):
    """One thing that happened. Written once, by ``services.record``; never changed.

    ``body`` holds the canonical bytes that were hashed; ``action`` and ``subject`` repeat two of
    its values for searching, and ``verify_audit`` compares them.
    """

    chain = models.ForeignKey(Chain, models.PROTECT, related_name="events", db_index=False)
    sequence = models.PositiveBigIntegerField()
    action = models.CharField(max_length=64)
    subject = models.CharField(max_length=80, db_index=False)
    body = models.BinaryField()
    previous = models.BinaryField(max_length=32)
    hash = models.BinaryField(max_length=32)
    recorded_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["chain", "sequence"]
        constraints = [
            models.UniqueConstraint(name="audit_sequence_once", fields=["chain", "sequence"]),
            models.UniqueConstraint(name="audit_no_fork", fields=["chain", "previous"]),
        ]
        indexes = [models.Index(name="audit_subject", fields=["subject"])]

    def __str__(self) -> str:
        return f"{self.chain_id}/{self.sequence} {self.action}"


class ExceptionRecord(models.Model):
    """Something a person must look at: what the rules call an exception, or an alarm.

    Any floor of the house opens one; a person owns it and closes it with a reason.
    """

    class Severity(models.TextChoices):
        EXCEPTION = "exception", "Exception"
        ALARM = "alarm", "Alarm"

    class State(models.TextChoices):
        OPEN = "open", "Open"
        CLOSED = "closed", "Closed"

    kind = models.CharField(max_length=48)
    severity = models.CharField(max_length=10, choices=Severity, default=Severity.EXCEPTION)
    table = models.CharField(max_length=16, blank=True)
    round = models.PositiveBigIntegerField(null=True, blank=True)
    position = models.PositiveSmallIntegerField(null=True, blank=True)
    sentence = models.TextField(blank=True)
    cite = models.CharField(max_length=48, blank=True)
    facts = models.JSONField(default=dict, blank=True)
    once = models.CharField(  # at most one open record carries the same key
        max_length=120, null=True, blank=True
    )
    state = models.CharField(max_length=6, choices=State, default=State.OPEN)
    opened_at = models.DateTimeField(db_default=Now())
    owner = models.ForeignKey(
        User, models.PROTECT, null=True, blank=True, related_name="owned_exceptions"
    )
    closed_by = models.ForeignKey(
        User, models.PROTECT, null=True, blank=True, related_name="closed_exceptions"
    )
    closed_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        verbose_name = "exception"
        ordering = ["-opened_at", "-pk"]
        permissions = [
            ("close_exceptionrecord", "Can close an exception with a reason"),
            ("note_exceptionrecord", "Can take an exception and write notes on it"),
        ]
        constraints = [
            models.UniqueConstraint(
                name="exception_open_once", fields=["once"], condition=models.Q(state="open")
            ),
            models.CheckConstraint(
                name="exception_closed_by_a_person_with_a_reason",
                condition=models.Q(state="open")
                | (models.Q(closed_by__isnull=False) & ~models.Q(reason="")),
            ),
        ]
        indexes = [
            models.Index(
                name="exception_open", fields=["opened_at"], condition=models.Q(state="open")
            ),
            models.Index(
                name="exception_round",
                fields=["table", "round"],
                condition=models.Q(round__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.table}/{self.round or ''}"


class ExceptionNote(models.Model):
    """What somebody wrote on an exception, or that he took it. Written once."""

    class Kind(models.TextChoices):
        NOTE = "note", "Note"
        TAKEN = "taken", "Taken"
        LEFT = "left", "Given back"

    exception = models.ForeignKey(ExceptionRecord, models.PROTECT, related_name="notes")
    kind = models.CharField(max_length=5, choices=Kind, default=Kind.NOTE)
    by = models.ForeignKey(User, models.PROTECT, related_name="exception_notes")
    text = models.TextField(blank=True)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                name="exception_note_says_something",
                condition=~models.Q(kind="note") | ~models.Q(text=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.exception_id} {self.kind}"


class SignerKey(models.Model):
    """A public key that signed checkpoints from its number on; each named by the one before it.

    The private half is never here: see ``signer_files``. Written once.
    """

    number = models.PositiveIntegerField(primary_key=True)  # 1, 2, 3 …
    key = models.CharField(max_length=200, unique=True)  # name+id+base64
    endorsement = models.TextField(blank=True)  # a note signed by the key before; none of the first
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["number"]
        constraints = [
            models.CheckConstraint(
                name="signer_key_named_by_the_one_before",
                condition=models.Q(number=1) | ~models.Q(endorsement=""),
            ),
        ]

    def __str__(self) -> str:
        return self.key


class Checkpoint(models.Model):
    """A signed root over all events up to where each chain stood. Written once by ``checkpoints``.

    ``heads`` says per chain how far it is covered, and the hash there; ``edge`` is what the next
    checkpoint goes on from, so that it costs no more than the events since.
    """

    number = models.PositiveBigIntegerField(primary_key=True)  # 1, 2, 3 …
    size = models.PositiveBigIntegerField(unique=True)
    root = models.BinaryField(max_length=32)
    edge = models.JSONField()  # hashes in hex, the largest subtree first
    heads = models.JSONField()  # {chain: [sequence, hash in hex]}
    note = models.TextField()
    key = models.ForeignKey(SignerKey, models.PROTECT)
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["number"]

    def __str__(self) -> str:
        return f"checkpoint {self.number} of {self.size}"


class CheckpointCopy(models.Model):
    """A checkpoint that reached a place outside the database. Written once, on its arrival."""

    checkpoint = models.ForeignKey(Checkpoint, models.PROTECT, related_name="copies")
    sink = models.CharField(max_length=200)
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(name="checkpoint_copy_once", fields=["checkpoint", "sink"]),
        ]

    def __str__(self) -> str:
        return f"{self.checkpoint_id} {self.sink}"


class Witness(models.Model):
    """Somebody outside the house who signs that a checkpoint was there when he saw it."""

    key = models.CharField(max_length=200, unique=True)  # name+id+base64, of the cosigning kind
    added_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    added_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "witnesses"

    def __str__(self) -> str:
        return self.key.partition("+")[0]


class Cosignature(models.Model):
    """A witness's signature under a checkpoint, verified when it came in. Written once."""

    checkpoint = models.ForeignKey(Checkpoint, models.PROTECT, related_name="cosignatures")
    witness = models.ForeignKey(Witness, models.PROTECT)
    line = models.TextField()
    seen_at = models.DateTimeField()  # as the witness says

    class Meta:
        constraints = [
            models.UniqueConstraint(name="cosigned_once", fields=["checkpoint", "witness"]),
        ]

    def __str__(self) -> str:
        return f"{self.checkpoint_id} {self.witness_id}"
