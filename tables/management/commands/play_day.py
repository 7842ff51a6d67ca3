"""Play a simulated gaming day: ``manage play_day [--rounds N] [--seed S] [--floor] ...``."""

import os
import sys
from argparse import BooleanOptionalAction
from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from rich.progress import Progress

from progressives.models import JackpotClaim
from tables.management.bars import progress_bar
from tables.models import Facility, Round
from tables.services import playing
from tables.services.floor import work_the_floor
from tables.services.playing import Hall
from tables.services.replaying import Replay, wait_until_applied
from tables.services.sending import Gateway, NotSent, gateway_key

ROUNDS, SHORT = 400, 100
SEED = 449  # its first rounds at the sample's tables hold a void, a mispay and two royals in one


class Command(BaseCommand):
    help = (
        "Let the built-in simulator play at the six-card tables, through the API as any table "
        "controller would. Simulated rounds move the meters like real ones: this is for "
        "demonstrations and tests. A second start goes on where the first ended."
    )
    needs_house = {"web", "worker"}

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--rounds", type=int, help=f"in all (default {ROUNDS})")
        parser.add_argument("--short", action="store_true", help=f"play {SHORT} rounds only")
        parser.add_argument("--seed", type=int, default=SEED, help="the same seed, the same day")
        parser.add_argument("--url", default=os.environ.get("WEB_URL"), help="the web server")
        parser.add_argument(
            "--speed", type=float, help="play live, so many times as fast as a real table"
        )
        parser.add_argument(
            "--lucky",
            action=BooleanOptionalAction,
            default=True,
            help="stack a high hand in about one round of forty, so that there is something to see",
        )
        parser.add_argument(
            "--floor", action="store_true", help="then validate and pay most plain awards"
        )
        parser.add_argument(
            "--real-too", action="store_true", help="also at tables that others report for"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        rounds = options["rounds"] or (SHORT if options["short"] else ROUNDS)
        hall = self.open_hall(rounds, options)
        replay = Replay([])
        try:
            with progress_bar() as bar:
                finished = self.play(replay, hall, rounds, bar, options)
        except NotSent as error:
            raise CommandError(str(error)) from error
        self.tell(replay, hall, options)
        for sentence in replay.waiting:
            self.stderr.write(sentence)
        if not finished:
            sys.exit(1)

    def open_hall(self, rounds: int, options: dict[str, Any]) -> Hall:
        """Find the tables; say plainly what is not as at a real one."""
        if not options["url"]:
            raise CommandError("Say which web server takes the events: --url http://...")
        if rounds < 1 or (options["speed"] is not None and options["speed"] <= 0):
            raise CommandError("The rounds and the speed must be more than zero.")
        with suppress(Facility.DoesNotExist):
            hall = playing.prepare(
                rounds=rounds,
                now=timezone.now(),
                live_speed=options["speed"],
                real_too=options["real_too"],
            )
            if hall.skipped:
                names = ", ".join(hall.skipped)
                self.stdout.write(f"Left alone, since others report for them: {names}.")
            if hall.tables:
                codes = [table.code for table in hall.tables]
                if before := Round.objects.filter(table__code__in=codes).count():
                    self.stdout.write(
                        f"{before:,} rounds are in the log already; {rounds:,} more are played."
                    )
                if options["lucky"]:
                    self.stdout.write(
                        "Luck is stacked: about one round in forty holds a high hand that no "
                        "honest shuffle dealt. --no-lucky plays honestly."
                    )
                return hall
        raise CommandError("There is no table to play at: load a set-up first (load_setup).")

    def play(
        self, replay: Replay, hall: Hall, rounds: int, bar: Progress, options: dict[str, Any]
    ) -> bool:
        """Report all events and wait until they are applied."""
        played = playing.moments(hall, rounds=rounds, seed=options["seed"], lucky=options["lucky"])
        sending = bar.add_task("rounds", total=rounds)
        applying = bar.add_task("applied", total=None)
        with (
            gateway_key(playing.KEY_NAME, hall.tables) as secret,
            Gateway(options["url"], secret) as gateway,
        ):
            playing.send_moments(
                replay,
                gateway,
                played,
                live=options["speed"] is not None,
                progress=lambda n: bar.advance(sending, n),
            )
        return wait_until_applied(
            replay, lambda done, total: bar.update(applying, completed=done, total=total)
        )

    def tell(self, replay: Replay, hall: Hall, options: dict[str, Any]) -> None:
        """Say what was played, let the floor work if asked, and say what waits for people."""
        refused = [answer for answer in replay.answers if answer["status"] != "accepted"]
        self.stdout.write(
            f"{len(replay.answers):,} events reported for {len(hall.tables)} tables, "
            f"{len(refused)} refused."
        )
        for answer in refused:
            self.stdout.write(f"  {answer['table']}/{answer['sequence']}: {answer['detail']}")
        codes = [table.code for table in hall.tables]
        if options["floor"]:
            worked = work_the_floor(tables=codes, seed=options["seed"])
            self.stdout.write(
                f"The simulated floor validated {worked.validated} awards and paid {worked.paid}."
                + ("" if worked.people else " Nobody here may validate: make_users first.")
            )
        waiting = JackpotClaim.objects.filter(table__in=codes, state=JackpotClaim.State.WAITING)
        self.stdout.write(f"{waiting.count()} claims wait for the floor.")
