"""Replay a file of real events: ``manage replay FILE [--json]``."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from tables.management.bars import progress_bar
from tables.models import GamingTable
from tables.services import replaying
from tables.services.replay_file import BadFile, read_events
from tables.services.replaying import Replay
from tables.services.sending import Gateway, NotSent, gateway_key


class Command(BaseCommand):
    help = (
        "Send a file of events (NDJSON; bare, or under the key 'event') through the API in its "
        "order, wait until they are applied, and say what they came to. The same file again is "
        "answered the same and changes nothing."
    )
    needs_house = {"web", "worker"}

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--url", default=os.environ.get("WEB_URL"), help="the web server")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["url"]:
            raise CommandError("Say which web server takes the events: --url http://...")
        try:
            replay = Replay(read_events(options["file"]))
            finished = self.run(replay, options["url"])
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}.") from error
        except (BadFile, NotSent) as error:
            raise CommandError(str(error)) from error
        result = replaying.result_of(replay)
        if options["json"]:
            self.stdout.write(json.dumps(result, indent=1))
        else:
            print_summary(result, replay)
        for sentence in replay.waiting:
            self.stderr.write(sentence)
        if not finished or result["waiting"]:
            sys.exit(1)

    def run(self, replay: Replay, url: str) -> bool:
        """Send and wait, telling on standard error how far it is; say whether all came through."""
        codes = {event.table for event in replay.events}
        tables = list(GamingTable.objects.filter(code__in=codes - {None}))
        with progress_bar() as bar:
            sending = bar.add_task("sent", total=len(replay.events))
            applying = bar.add_task("applied", total=None)
            with gateway_key("replay", tables) as secret, Gateway(url, secret) as gateway:
                replaying.send_events(replay, gateway, lambda n: bar.advance(sending, n))
            return replaying.wait_until_applied(
                replay, lambda done, total: bar.update(applying, completed=done, total=total)
            )


def print_summary(result: dict[str, Any], replay: Replay) -> None:
    """Print for people what the events came to."""
    table = Table(title="Replay", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name in ("events_sent", "retries", "out_of_order", "events_applied"):
        table.add_row(name.replace("_", " "), f"{result[name]:,}")
    table.add_row("refused", f"{len(result['refused']):,}")
    table.add_row("held: game not yet supported", f"{result['held']:,}")
    table.add_row("waiting", f"{result['waiting']:,}")
    table.add_row("rounds", f"{result['rounds']:,}")
    table.add_row("voids", f"{result['voids']:,}")
    table.add_row("mispays", f"{result['mispays']:,}")
    table.add_row("claims", f"{result['claims']:,}")
    for award in result["meter_claims"]:
        place = f"{award['table']} round {award['round']} position {award['position']}"
        hand = award["hand"].replace("_", " ")
        table.add_row(f"  {place}: {hand}", f"${award['pays']} of ${award['meter_at_turn']}")
    for code, value in result["meters"].items():
        table.add_row(f"meter {code}", f"${value}")
    log = result["audit"]
    table.add_row("audit events", f"{log['events']:,}")
    table.add_row("audit head", log["head"][:16])
    table.add_row("audit", "verified" if log["verified"] else "BROKEN: see verify_audit")
    Console().print(table)
    for refusal in result["refused"]:
        print(f"refused {refusal['event_id']}: {refusal['code']} {refusal['path']}")
