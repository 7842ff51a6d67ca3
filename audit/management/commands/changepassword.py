"""Django's own command, and the log is told that somebody at the machine used it."""

from typing import Any

from django.contrib.auth.management.commands import changepassword
from django.db import transaction

from audit.models import User
from audit.services import record_one


class Command(changepassword.Command):
    help = "Set a member of staff's password; asks for it twice."

    def handle(self, *args: Any, **options: Any) -> str:
        with transaction.atomic():
            said: str = super().handle(*args, **options)  # the password is set when this returns
            user = User.objects.get(username=options["username"])
            facts = {"how": "command", "username": user.username}
            record_one("audit.password_set", f"user/{user.pk}", facts)
        return said

    def add_arguments(self, parser: Any) -> None:
        super().add_arguments(parser)
        for action in parser._actions:  # without a name Django takes the machine's user
            if action.dest == "username":
                action.nargs, action.help = None, "whose password, by log-in name"
                action.required = True
