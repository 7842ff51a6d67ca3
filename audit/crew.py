"""Spread long checks over all cores: processes of our own, answers in the order of the work.

A piece of work is a function by name and JSON arguments; its answer is JSON too, so that what is
done can be kept in a file and an interrupted check goes on where it was. Whatever the number of
processes, the answers come in the order of the pieces.
"""

import ctypes
import importlib
import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

from django.db import connection

PR_SET_PDEATHSIG = 1


class Piece(NamedTuple):
    """A piece of work: ``module:function``, its arguments, and how much of the whole it is."""

    work: str
    arguments: tuple[Any, ...]
    weight: int

    def do(self) -> Any:
        """Do the work here."""
        module, _, name = self.work.partition(":")
        return getattr(importlib.import_module(module), name)(*self.arguments)


def run(
    pieces: Sequence[Piece],
    *,
    jobs: int = 1,
    done: dict[int, Any] | None = None,
    tell: Callable[[int, Any], None] | None = None,
) -> list[Any]:
    """Do all pieces and return their answers in order; ``done`` are answered already.

    ``tell`` is called with the place and the answer of each piece as it is done.
    """
    answers: dict[int, Any] = dict(done or {})
    left = [place for place in range(len(pieces)) if place not in answers]

    def take(place: int, answer: Any) -> None:
        answers[place] = answer
        if tell is not None:
            tell(place, answer)

    if jobs <= 1 or len(left) < 2:
        for place in left:
            take(place, pieces[place].do())
    else:
        opened = (dict(connection.settings_dict), os.getpid())
        with ProcessPoolExecutor(
            min(jobs, len(left)), multiprocessing.get_context("spawn"), begin, opened
        ) as crew:
            asked = {crew.submit(pieces[place].do): place for place in left}
            for future in as_completed(asked):
                take(asked[future], future.result())
    return [answers[place] for place in range(len(pieces))]


def begin(database: dict[str, Any], parent: int) -> None:
    """Open a process of the crew: the same database, and no longer than who called it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who called ends the work
    import django  # noqa: PLC0415  # not before this process is opened

    django.setup()
    connection.settings_dict.update(database)


class Kept:
    """Answers kept in a file, one a line, behind a line that says what they are answers to."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> tuple[Any, dict[int, Any]] | None:
        """Return the plan of an interrupted check and what was done of it."""
        if not self.path.exists():
            return None
        lines = self.path.read_text().splitlines()
        try:
            told = [json.loads(line) for line in lines if line]
        except ValueError:
            told = [json.loads(line) for line in lines[:-1] if line]  # it broke off in a line
        return (told[0], dict(told[1:])) if told else None

    def begin(self, plan: Any) -> None:
        """Begin a new check."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.write_text(json.dumps(plan) + "\n")

    def add(self, place: int, answer: Any) -> None:
        """Keep one answer."""
        with self.path.open("a") as file:
            file.write(json.dumps([place, answer]) + "\n")

    def end(self) -> None:
        """Forget a check that came to its end."""
        self.path.unlink(missing_ok=True)
