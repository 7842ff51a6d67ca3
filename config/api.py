"""Shared wiring of the API: the shape of errors."""

from typing import Any

from rest_framework.response import Response
from rest_framework.views import exception_handler as default_handler


def exception_handler(exc: Exception, context: dict[str, Any]) -> Response | None:
    """Turn an exception into the answer the caller sees."""
    return default_handler(exc, context)
