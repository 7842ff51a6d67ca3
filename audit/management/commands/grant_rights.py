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
STEPPING = "progressives_jackpotclaim"  # its state moves, along the ways its trigger allows
FROZEN = ("django_migrations",)
# All that the application takes away: ends of sessions and rounds, roles and devices of a person.
PASSING = (
    *("tables_openround", "django_session", "audit_user_groups", "audit_user_user_permissions"),
    *("tables_accesskey_tables", "audit_codedevice"),
    *("axes_accessattempt", "axes_accessattemptexpiration"),
)
# PostgreSQL looks into a session's temporary tables first unless they are named last: else whoever
# makes one called audit_user decides what a guard reads.
OPEN_GUARDS = """
SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
WHERE p.pronamespace = 'public'::regnamespace AND l.lanname = 'plpgsql' AND p.proconfig IS NULL
"""
SEARCH_PATH = "SET search_path = pg_catalog, public, pg_temp"
# What a role may do is changed by migration.
ROLES = ("auth_group", "auth_permission", "auth_group_permissions", "django_content_type")


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
                "GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO {role}",
                "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
            ]
            for grant in grants:
                cursor.execute(sql.SQL(grant).format(role=role))
            for names, change in (
                (PASSING, "GRANT DELETE ON {table} TO {role}"),
                (set(guarded) - {STEPPING}, "REVOKE UPDATE ON {table} FROM {role}"),
                (FROZEN + ROLES, "REVOKE INSERT, UPDATE ON {table} FROM {role}"),
            ):
                for name in names:
                    table = sql.Identifier(name)
                    cursor.execute(sql.SQL(change).format(table=table, role=role))
            close_guards(cursor)
        if options["verbosity"] > 0:
            self.stdout.write(
                f"{options['role']} may add to, but not change: {', '.join(guarded)}."
            )


def close_guards(cursor: Any) -> None:
    """Let each guard read the house's own tables, whatever a session calls its temporary ones."""
    cursor.execute(OPEN_GUARDS)
    for (guard,) in cursor.fetchall():
        cursor.execute(f"ALTER FUNCTION {guard} {SEARCH_PATH}")
    cursor.execute("SELECT current_database()")
    database = sql.Identifier(cursor.fetchone()[0])
    cursor.execute(sql.SQL("REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC").format(database))
