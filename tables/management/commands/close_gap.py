"""Give up the events of a table that never came, with a reason; what followed them is applied."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.models import User
from tables.models import GamingTable
from tables.services.gaps import NoGap, close_gap


class Command(BaseCommand):
    help = "Close the gap in a table's events. Needs a person who may, and a reason."
    needs_house = {"worker"}

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("table", help="the table's code")
        parser.add_argument("--by", required=True, help="staff code of the person who decides")
        parser.add_argument("--reason", required=True, help="why the events can be given up")

    def handle(self, *args: Any, **options: Any) -> None:
        person = User.objects.filter(staff_code=options["by"], is_active=True).first()
        if person is None:
            raise CommandError(f"Nobody who works here has the staff code {options['by']}.")
        if not person.has_perm("tables.close_gap"):
            raise CommandError(f"{options['by']} has no role that may close gaps.")
        try:
            gap = close_gap(table=options["table"], by=person, reason=options["reason"])
        except GamingTable.DoesNotExist:
            raise CommandError(f"There is no table {options['table']}.") from None
        except NoGap as nothing:
            raise CommandError(str(nothing)) from nothing
        self.stdout.write(
            f"Events {gap.first} to {gap.last} of {gap.table} are given up; the table goes on."
        )
