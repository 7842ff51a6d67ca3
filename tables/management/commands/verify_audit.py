"""Verify everything and say what broke and where; exit status 1 if anything did."""

import json
import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from audit.anchors import kept_outside
from audit.archive import Verified, verify_archives
from audit.crew import Kept
from audit.notes import NoteError
from tables.services.verify_all import Everything, verify_all


class Command(BaseCommand):
    help = (
        "Recompute every link of the log, its tree and its signatures, compare them with the "
        "checkpoints kept outside, settle every round again from its own inputs, and derive every "
        "meter and claim anew. Each break is named. Ends with 1 if there is any."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument(
            "--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: all cores)"
        )
        parser.add_argument(
            "--resume", action="store_true", help="go on where an interrupted run was"
        )
        parser.add_argument(
            "--log-only", action="store_true", help="leave out rounds, meters and claims"
        )
        parser.add_argument(
            "--outside",
            action="append",
            type=Path,
            default=[],
            metavar="FOLDER",
            help="a folder of kept checkpoints (default: those that the house writes to)",
        )
        parser.add_argument(
            "--note", action="append", type=Path, default=[], help="a checkpoint that somebody kept"
        )
        parser.add_argument(
            "--archive",
            action="append",
            type=Path,
            default=[],
            metavar="FILE",
            help="verify archives instead of the database, each by itself and as they follow",
        )
        parser.add_argument("--key", default="", help="the log's first public key, as published")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["archive"]:
            self.verify_archives(options)
            return
        bar = Progress(
            TextColumn("verifying"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        name = str(connection.settings_dict["NAME"]).replace("/", "_")
        kept = Kept(Path(settings.DATA_DIR) / "verify" / f"{name}.jsonl")
        try:
            outside = kept_outside(options["outside"], options["note"])
        except (NoteError, OSError, ValueError) as error:
            raise CommandError(f"What was kept outside cannot be read: {error}") from error
        with bar:
            task = bar.add_task("", total=1)
            found = verify_all(
                jobs=options["jobs"],
                outside=outside,
                first_key=options["key"],
                log_only=options["log_only"],
                kept=kept,
                resume=options["resume"],
                begun=lambda total, done: bar.update(task, total=total, completed=done),
                progress=lambda weight: bar.advance(task, weight),
            )
        self.stdout.write(json.dumps(as_json(found)) if options["json"] else as_text(found))
        if not found.ok:
            raise CommandError(f"{len(found.faults)} faults were found.", returncode=1)

    def verify_archives(self, options: dict[str, Any]) -> None:
        """Verify archives alone: no database is asked."""
        try:
            kept = [path.read_text() for path in options["note"]]
            found = verify_archives(options["archive"], first_key=options["key"], kept=kept)
        except (ValueError, OSError) as error:  # no archive, a note that is no text
            raise CommandError(str(error)) from error
        if options["json"]:
            told = {**found._asdict(), "verified": found.ok}
            told["faults"] = [fault._asdict() for fault in found.faults]
            self.stdout.write(json.dumps(told))
        else:
            self.stdout.write(archives_text(found))
        if not found.ok:
            raise CommandError(f"{len(found.faults)} faults were found.", returncode=1)


def archives_text(found: Verified) -> str:
    """Return what became of archives in sentences, a fault a line."""
    lines = [f"{f.chain} {f.sequence}: {f.kind}: {f.detail}" for f in found.faults]
    lines.append(
        f"{found.events:,} events and {found.checkpoints:,} checkpoints of "
        f"{', '.join(found.months)} read."
    )
    lines.append("Verified." if found.ok else "NOT VERIFIED.")
    return "\n".join(lines)


def as_json(found: Everything) -> dict[str, Any]:
    """Return the result as JSON."""
    return {
        "verified": found.ok,
        "events": found.log.events,
        "head": found.log.head,
        "checkpoints": found.log.checkpoints,
        "kept_outside": found.log.outside,
        "rounds": found.rounds,
        "meters": found.meters,
        "faults": [fault._asdict() for fault in found.faults],
    }


def as_text(found: Everything) -> str:
    """Return the result in sentences, a fault a line."""
    lines = [f"{f.chain} {f.sequence}: {f.kind}: {f.detail}" for f in found.faults]
    log = found.log
    lines.append(
        f"{log.events:,} events walked, {log.checkpoints:,} checkpoints and {log.outside:,} kept "
        f"outside compared, {found.rounds:,} rounds settled again, {found.meters:,} meters derived."
    )
    if not log.outside:
        lines.append("No checkpoint was kept outside the database: nothing vouches for its end.")
    lines.append(f"Verified; head {log.head[:16]}." if found.ok else "NOT VERIFIED.")
    return "\n".join(lines)
