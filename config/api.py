"""Shared wiring of the API: every error says a code, a place and a sentence."""

from typing import Any

import structlog
from django.core.exceptions import PermissionDenied
from django.db import DataError, OperationalError
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.views import exception_handler as default_handler

from progressives import errors

log = structlog.get_logger(__name__)


def exception_handler(exc: Exception, context: dict[str, Any]) -> Response | None:
    """Turn an exception into the answer the caller sees; the rest is a server error."""
    if isinstance(exc, OperationalError):  # the database is away or busy: nothing was taken
        log.warning("database_unavailable", error=str(exc))
        told = error("try_again", "", "The database does not answer now; send the same again.")
        return Response(told, status.HTTP_503_SERVICE_UNAVAILABLE, headers={"Retry-After": "1"})
    if isinstance(
        exc, (DataError, OverflowError, RecursionError, UnicodeEncodeError)
    ):  # no value of ours
        log.error("value_refused", exc_info=exc)
        told = error("bad_value", "", "A value is too long, too large or no text.")
        return Response(told, status.HTTP_400_BAD_REQUEST)
    if isinstance(exc, errors.ProgressiveError):
        return Response(error(exc.code, exc.path, str(exc)), status_of(exc))
    if isinstance(exc, Http404):
        exc = exceptions.NotFound()
    elif isinstance(exc, PermissionDenied):
        exc = exceptions.PermissionDenied()
    response = default_handler(exc, context)
    if response is not None and isinstance(exc, exceptions.APIException):
        response.data = told_of(exc)
    return response


def told_of(exc: exceptions.APIException) -> dict[str, str]:
    """Return an exception's first problem in the one shape of our errors."""
    path, detail = "", exc.detail
    while isinstance(detail, (dict, list)):
        if not detail:
            return error(exc.default_code, path, str(exc.default_detail))
        if isinstance(detail, dict):
            key, detail = next(iter(detail.items()))
            path = f"{path}.{key}" if path else str(key)
        else:
            detail = detail[0]
    return error(str(getattr(detail, "code", exc.default_code)), path, str(detail))


def status_of(refusal: errors.ProgressiveError) -> int:
    """Return the status of a refusal: unknown, the wrong person, the wrong moment, too little."""
    if isinstance(refusal, errors.Unknown):
        return status.HTTP_404_NOT_FOUND
    if isinstance(refusal, errors.WrongPerson):
        return status.HTTP_403_FORBIDDEN
    if isinstance(refusal, errors.Incomplete):
        return status.HTTP_422_UNPROCESSABLE_ENTITY
    return status.HTTP_409_CONFLICT


def error(code: str, path: str, detail: str) -> dict[str, str]:
    """Return an error's body."""
    return {"code": code, "path": path, "detail": detail}
