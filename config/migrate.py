"""Bring the schema up to date and grant the application its rights, in one go, as the owner."""

import django
from django.core.management import call_command


def main() -> None:
    """Migrate, then grant: a new table is unreachable for the application until then."""
    django.setup()
    call_command("migrate", interactive=False, verbosity=1)
    call_command("grant_rights")


if __name__ == "__main__":
    main()
