"""Keys of table controllers, gateways and staff: shown once, kept as a digest, revocable."""

from collections.abc import Iterable
from hashlib import sha256
from secrets import token_urlsafe

from django.db import transaction
from django.utils import timezone

from audit.models import User
from audit.services import record_one
from tables.models import AccessKey, GamingTable


def digest_of(secret: str) -> str:
    """Return what is kept of a key. It holds 256 random bits, so one SHA-256 is enough."""
    return sha256(secret.encode()).hexdigest()


@transaction.atomic
def make_key(
    *,
    name: str,
    kind: str,
    tables: Iterable[GamingTable] = (),
    user: User | None = None,
    by: User | None = None,
) -> tuple[AccessKey, str]:
    """Make a key bound to its tables (or to a member of staff); return it and its secret.

    The secret is told this once. Raises ValueError for a controller of more than one table.
    """
    bound = list(tables)
    if kind == AccessKey.Kind.CONTROLLER and len(bound) != 1:
        raise ValueError("A table controller's key is bound to exactly one table.")
    if kind == AccessKey.Kind.STAFF and user is None:
        raise ValueError("A staff token belongs to a member of staff.")
    secret = token_urlsafe(32)
    key = AccessKey.objects.create(name=name, kind=kind, digest=digest_of(secret), user=user)
    key.tables.set(bound)
    facts = {"kind": kind, "name": name, "tables": sorted(t.code for t in bound)}
    if user is not None:
        facts["user"] = user.staff_code or user.username
    record_one("tables.key_made", f"key/{key.pk}", facts, by=by)
    return key, secret


@transaction.atomic
def revoke_key(*, key_id: int, by: User | None = None) -> AccessKey:
    """Revoke a key from now on; a second call changes nothing."""
    key = AccessKey.objects.select_for_update().get(pk=key_id)
    if key.revoked_at is None:
        key.revoked_at = timezone.now()
        key.save(update_fields=["revoked_at"])
        record_one("tables.key_revoked", f"key/{key.pk}", {"name": key.name}, by=by)
    return key


def find_key(secret: str) -> AccessKey | None:
    """Return the live key of a secret, or None."""
    return (
        AccessKey.objects.select_related("user")
        .filter(digest=digest_of(secret), revoked_at__isnull=True)
        .first()
    )
