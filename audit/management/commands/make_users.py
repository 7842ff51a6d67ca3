"""Make one user a role, and print how to log in. Nothing secret is printed twice."""

from typing import Any

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.table import Table

from audit.staff import ROLES, make_users


class Command(BaseCommand):
    help = "Make one user for each role that has none yet, and print the log-ins once."

    def handle(self, *args: Any, **options: Any) -> None:
        made = make_users()
        if not made:
            self.stdout.write(
                f"The users exist already: {', '.join(ROLES.values())}. Passwords are not shown "
                "again; set a new one with: ./run manage changepassword X700"
            )
            return
        table = Table("role", "log in as", "password")
        for one in made:
            table.add_row(one.role, one.user.username, one.password)
        Console(file=self.stdout, width=80).print(table)  # type: ignore[arg-type]
        self.stdout.write("Write these down: they are not shown again.")
