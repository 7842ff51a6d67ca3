"""Sign a checkpoint over the log now, show the public key, or let another key follow it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit import keys, sinks
from audit.checkpoints import SignerRefused, make_checkpoint
from audit.models import Checkpoint, SignerKey, User


class Command(BaseCommand):
    help = (
        "Sign where the whole log stands and take the checkpoint out of the database. The "
        "checkpoint is printed: give it to somebody who keeps it elsewhere."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--key", action="store_true", help="print the public keys, and no more")
        what.add_argument(
            "--rotate", action="store_true", help="make a new key; the old one signs it"
        )
        parser.add_argument("--by", metavar="STAFF", help="who lets the new key follow")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["rotate"]:
                keys.rotate(person(options["by"]))
            elif options["key"]:
                keys.make_ready()
            else:
                self.sign()
        except (SignerRefused, keys.KeyRefused) as refused:
            raise CommandError(str(refused), returncode=1) from refused
        if options["key"] or options["rotate"]:
            self.stderr.write(
                "The log's public key, which signs its checkpoints: keep it elsewhere."
            )
            for key in SignerKey.objects.all():
                self.stdout.write(str(key))

    def sign(self) -> None:
        """Sign what is new and print the last checkpoint."""
        made = make_checkpoint()
        arrived = sinks.hand_over()
        last = Checkpoint.objects.order_by("-number").first()
        if last is None:
            raise CommandError("There is no checkpoint yet, and this machine has no signing key.")
        self.stdout.write(last.note, ending="")
        word = "signed now" if made else "nothing was written since"
        self.stderr.write(f"Checkpoint {last.number}: {word}; {arrived} handed over.")


def person(code: str | None) -> User:
    """Return the member of staff with this code. Raises CommandError."""
    found = User.objects.filter(staff_code=code).first() if code else None
    if found is None:
        raise CommandError("Say with --by who does this: the staff code of an account.")
    return found
