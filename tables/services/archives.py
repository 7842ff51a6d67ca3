"""Archives of the log as the floor needs them: with the submissions, to tell rounds again."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from audit.archive import Archive
from audit.archiving import Made, write_archive
from tables.models import RulesSubmission
from tables.rules import Submission
from tables.services.between import step_of
from tables.services.reconstruct import Logged, told_of
from tables.services.submission_of import made_of

SUBMISSIONS = "submissions.ndjson"


def archive_month(month: str, folder: Path, *, so_far: bool = False) -> Made:
    """Write a month's archive with every submission that rounds may have been settled under."""
    return write_archive(month, folder, extra={SUBMISSIONS: submissions()}, so_far=so_far)


def submissions() -> Iterator[dict[str, Any]]:
    """Yield the submissions as an archive keeps them."""
    for row in RulesSubmission.objects.order_by("game", "version"):
        effective = row.effective.isoformat()
        told = {"game": row.game, "version": row.version, "effective": effective}
        yield {**told, "digest": row.digest, "choices": row.choices}


class Archives:
    """Archives to tell rounds from: those of the months that a round may lie in."""

    def __init__(self, paths: Sequence[Path]) -> None:
        archives = [Archive(path) for path in paths]
        self.archives = sorted(archives, key=lambda archive: archive.month)
        self.submissions = [row for found in self.archives for row in found.rows(SUBMISSIONS)]

    def reconstruct(self, table: str, number: int) -> dict[str, Any]:
        """Return a round as JSON, as ``reconstruct`` does; nothing is asked of a database.

        Raises NotInTheLog where the archives tell nothing of it.
        """
        events = [
            Logged(*found)
            for archive in self.archives
            for found in archive.events_of(f"{table}/{number}")
        ]
        events.sort(key=lambda event: (event.chain, event.sequence))
        return told_of(table, number, events, find=self.find, between=self.between)

    def find(self, game: str, rules: str) -> Submission | None:
        """Return the submission that an outcome names, if an archive has it."""
        for row in [*self.submissions, {"game": game, "choices": {}}]:
            made = made_of(game, row["choices"]) if row["game"] == game else None
            if made is not None and made.rules == rules:
                return made
        return None

    def between(self, chain: str, after: int, before: int) -> list[dict[str, Any]]:
        """Tell what other tables moved meanwhile."""
        if before - after < 2:
            return []
        bodies = (
            body for archive in self.archives for body in archive.between(chain, after, before)
        )
        return step_of(chain, bodies)
