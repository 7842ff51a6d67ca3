"""One form of bytes for one JSON value.

Sorted keys, no blanks, UTF-8: what RFC 8785 asks for the values that the format admits
(no floats, integers up to 2^53, ASCII keys). What is hashed is what is stored.
"""

from typing import Any

import orjson

Fragment = orjson.Fragment


def canonical(value: Any) -> bytes:
    """Return the canonical bytes of ``value``; raise TypeError for what has none."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def parse(body: bytes) -> Any:
    """Read back what ``canonical`` wrote."""
    return orjson.loads(body)
