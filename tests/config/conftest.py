"""Folders for houses of their own."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture
def make_folder() -> Iterator[Callable[..., Path]]:
    """Make folders that any account may pass through; pytest's own are closed to others."""
    made: list[Path] = []

    def make(name: str = "data") -> Path:
        parent = Path(tempfile.mkdtemp(prefix="progressives-test-"))
        parent.chmod(0o755)
        made.append(parent)
        (parent / name).mkdir()
        return parent / name

    yield make
    for parent in made:
        shutil.rmtree(parent)
