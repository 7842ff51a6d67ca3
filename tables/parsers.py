"""Hand a JSON body to its view as bytes: the strict reader sees what was really sent."""

from typing import IO, Any

from rest_framework.exceptions import APIException
from rest_framework.parsers import BaseParser

BODY_LIMIT = 8 * 1024 * 1024  # a list of a thousand full rounds is about a third of it


class TooLarge(APIException):
    """The body is larger than a list of events may be."""

    status_code = 413
    default_detail = "Send fewer events in one list: the body may hold 8 MiB."
    default_code = "too_large"


class RawJSONParser(BaseParser):
    """Read the body whole, bounded, and leave the reading to ``rules.read_json``."""

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: Any = None, parser_context: Any = None) -> bytes:
        raw = stream.read(BODY_LIMIT + 1)
        if len(raw) > BODY_LIMIT:
            raise TooLarge
        return raw
