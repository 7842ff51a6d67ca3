"""Submissions that only show the shape; whatever is settled under one says that it is a sample."""

import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _text(chapter: str) -> str:
    return (Path(__file__).parent / f"{chapter}.json").read_text(encoding="utf-8")


def read_sample(chapter: str) -> dict[str, Any]:
    """Return the sample submission of a chapter: ``645a``."""
    sample: dict[str, Any] = json.loads(_text(chapter))
    return sample
