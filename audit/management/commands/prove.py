"""Prove an event or the growth of the log, or register a witness."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit import proofs, witnesses
from audit.models import User


class Command(BaseCommand):
    help = (
        "Print a proof as JSON: that an event is in the signed log, or that a checkpoint's log "
        "begins with an earlier one's. Anybody can check it with the log's public key."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_subparsers(dest="what", required=True)
        event = what.add_parser("event", help="that an event is in the signed log")
        event.add_argument("chain", help="such as lane:MAIN or system")
        event.add_argument("sequence", type=int)
        event.add_argument("--checkpoint", type=int, help="default: the last one")
        growth = what.add_parser("growth", help="that a log begins with an earlier one")
        growth.add_argument("old", type=int, help="number of the earlier checkpoint")
        growth.add_argument("new", type=int, nargs="?", help="default: the last one")
        witness = what.add_parser("witness", help="register a witness's public key")
        witness.add_argument("key", help="name+id+key, as the witness publishes it")
        witness.add_argument("--by", required=True, metavar="STAFF")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["what"] == "witness":
                by = User.objects.filter(staff_code=options["by"]).first()
                if by is None or not by.has_perm("audit.add_witness"):
                    raise CommandError("Only an administrator registers witnesses: say who, --by.")
                self.stdout.write(f"{witnesses.add_witness(options['key'], by)} may cosign.")
                return
            if options["what"] == "event":
                asked = options["chain"], options["sequence"], options["checkpoint"]
                proof: Any = proofs.prove_event(*asked)
            else:
                proof = proofs.prove_growth(options["old"], options["new"])
        except (proofs.Unproven, witnesses.WitnessRefused) as error:
            raise CommandError(str(error), returncode=1) from error
        self.stdout.write(json.dumps(proofs.as_json(proof), indent=1))
