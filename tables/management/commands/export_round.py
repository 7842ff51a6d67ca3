"""Take a round's dossier out of the house: ``manage export_round TABLE ROUND …``."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.models import User
from tables.dossier.errors import DossierRefused
from tables.models import DossierRequest
from tables.services.dossier import answer_dossier, export_dossier, request_dossier


class Command(BaseCommand):
    help = (
        "Write a round's dossier to a file: documents, account, log events with proofs, signed "
        "checkpoint and a verifier. Where the facility wants a second person, the first call asks "
        "and names the request; another person agrees with --agree; then --request takes it out."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("table")
        parser.add_argument("round", type=int)
        parser.add_argument("--by", required=True, metavar="STAFF", help="who does this")
        parser.add_argument("--reason", default="", help="the case or complaint it is for")
        parser.add_argument("--to", default="", metavar="RECIPIENT", help="who receives it")
        parser.add_argument("--request", type=int, help="a request that was made before")
        parser.add_argument("--agree", action="store_true", help="agree to --request")
        parser.add_argument("-o", "--output", type=Path, help="default: dossier-TABLE-ROUND.zip")

    def handle(self, *args: Any, **options: Any) -> None:
        by = User.objects.filter(staff_code=options["by"], is_active=True).first()
        if by is None:
            raise CommandError(f"Nobody here has the staff code {options['by']}.")
        try:
            self.do(by, options)
        except DossierRefused as refused:
            raise CommandError(str(refused), returncode=1) from refused

    def do(self, by: User, options: dict[str, Any]) -> None:
        """Agree, or ask where nothing was asked for yet, and take out what may leave."""
        request_id = options["request"]
        if (
            request_id is not None
            and not DossierRequest.objects.filter(
                pk=request_id, table=options["table"], round=options["round"]
            ).exists()
        ):
            raise CommandError("There is no such request for this round.")
        if options["agree"]:
            if request_id is None:
                raise CommandError("Say with --request which request you agree to.")
            answer_dossier(request_id=request_id, by=by, agreed=True)
            self.stdout.write(f"Request {request_id} is agreed to.")
            return
        if request_id is None:
            asked = request_dossier(
                table=options["table"],
                round_number=options["round"],
                reason=options["reason"],
                recipient=options["to"],
                by=by,
            )
            request_id = asked.pk
            if asked.second_person:
                self.stdout.write(f"Request {request_id} waits for another person to agree.")
                return
        name = f"dossier-{options['table']}-{options['round']}.zip"
        path = options["output"] or Path(name)
        if path.exists():
            raise CommandError(f"{path} is there already: name another file with -o.")
        path.write_bytes(export_dossier(request_id=request_id, by=by))
        self.stdout.write(f"{path} is written; verify.py in it needs nothing of ours.")
