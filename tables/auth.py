"""Who calls the API: ``Authorization: Key <secret>`` for machines and staff tokens."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from tables.models import AccessKey
from tables.services.keys import find_key


class Machine(AnonymousUser):
    """A table controller or gateway: authenticated by its key, and no member of staff."""

    def __init__(self, key: AccessKey) -> None:
        super().__init__()
        self.key = key
        self.username = key.name

    @property
    def is_authenticated(self) -> bool:
        return True


class KeyAuthentication(BaseAuthentication):
    """Authenticate by an access key; an unknown or revoked one is refused with 401."""

    def authenticate(self, request: Request) -> tuple[Any, AccessKey] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != b"key":
            return None
        if len(words) != 2:
            raise AuthenticationFailed("Write the header as: Authorization: Key <secret>.")
        try:
            key = find_key(words[1].decode("ascii"))
        except UnicodeDecodeError:
            key = None
        if key is None:
            raise AuthenticationFailed("This key is unknown or revoked.")
        if key.kind == AccessKey.Kind.STAFF:
            if key.user is None or not key.user.is_active:
                raise AuthenticationFailed("This member of staff has no access any more.")
            return key.user, key
        return Machine(key), key

    def authenticate_header(self, request: Request) -> str:
        return "Key"


class ReportsForTables(BasePermission):
    """Only a controller's or gateway's key reports events."""

    message = "Only a table controller's or a gateway's key may report events."

    def has_permission(self, request: Request, view: Any) -> bool:
        return isinstance(request.user, Machine)


class KeyScheme(OpenApiAuthenticationExtension):
    """How the key is written in the OpenAPI document."""

    target_class = "tables.auth.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "Key <secret>: a table controller's, gateway's or staff member's key.",
        }
