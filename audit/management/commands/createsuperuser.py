"""Django's own command, and the log is told that somebody at the machine used it."""

from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.db import transaction

from audit.models import User
from audit.services import SYSTEM, log_event, record


class Command(createsuperuser.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        before = set(User.objects.filter(is_superuser=True).values_list("pk", flat=True))
        with transaction.atomic():
            super().handle(*args, **options)
            made = User.objects.filter(is_superuser=True).exclude(pk__in=before)
            record(
                SYSTEM,
                [
                    log_event(
                        "audit.user_made",
                        f"user/{user.pk}",
                        {"how": "command", "superuser": True, "username": user.username},
                    )
                    for user in made
                ],
            )
