"""Give the application's role what it needs, and nothing on what is written once."""

import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from psycopg import sql

GUARDED = """
SELECT DISTINCT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE t.tgname IN ('append_only_rows', 'claim_truncate') ORDER BY 1
"""
FROZEN = ("django_migrations",)


class Command(BaseCommand):
    help = "Grant the application's role its rights. Run as the owner after each migration."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--role", default=os.environ.get("APP_ROLE", "app"))

    def handle(self, *args: Any, **options: Any) -> None:
        role = sql.Identifier(options["role"])
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [options["role"]])
            if cursor.fetchone() is None:
                raise CommandError(f"There is no role {options['role']} in this database.")
            cursor.execute(GUARDED)
            guarded = [name for (name,) in cursor.fetchall()]
            grants = [
                "GRANT USAGE ON SCHEMA public TO {role}",
                "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
                "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}",
                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
                "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
            ]
            for grant in grants:
                cursor.execute(sql.SQL(grant).format(role=role))
            for name in [*guarded, *FROZEN]:
                taken = "DELETE" if name == "progressives_jackpotclaim" else "UPDATE, DELETE"
                cursor.execute(
                    sql.SQL("REVOKE {taken} ON {table} FROM {role}").format(
                        taken=sql.SQL(taken), table=sql.Identifier(name), role=role
                    )
                )
            cursor.execute(
                sql.SQL("REVOKE INSERT ON django_migrations FROM {role}").format(role=role)
            )
        if options["verbosity"] > 0:
            self.stdout.write(
                f"{options['role']} may add to, but not change: {', '.join(guarded)}."
            )
