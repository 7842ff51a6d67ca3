"""What PostgreSQL itself refuses: rows that nobody may change or take away.

The triggers are ours (not a library's with a bypass), fire ALWAYS (so replica role does not
switch them off) and name a SQLSTATE of their own. ``grant_rights`` takes the same rights
from the application's role, so that two locks must be broken, not one.
"""

from django.db import migrations

APPEND_ONLY_STATE = "JP001"  # SQLSTATE of every refusal to change what is written once
TRANSITION_STATE = "JP002"  # SQLSTATE of a state that may not follow another

FUNCTION_SQL = f"""
CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is written once: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = '{APPEND_ONLY_STATE}';
END $$;
"""


def append_only(table: str) -> migrations.RunSQL:
    """Return the migration step that lets ``table`` only grow."""
    return migrations.RunSQL(
        sql=f"""
        CREATE TRIGGER append_only_rows BEFORE UPDATE OR DELETE ON {table}
            FOR EACH ROW EXECUTE FUNCTION append_only();
        CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON {table}
            FOR EACH STATEMENT EXECUTE FUNCTION append_only();
        ALTER TABLE {table} ENABLE ALWAYS TRIGGER append_only_rows;
        ALTER TABLE {table} ENABLE ALWAYS TRIGGER append_only_truncate;
        """,
        reverse_sql=f"""
        DROP TRIGGER append_only_rows ON {table};
        DROP TRIGGER append_only_truncate ON {table};
        """,
    )


def append_only_function() -> migrations.RunSQL:
    """Return the migration step that makes the function all these triggers call."""
    return migrations.RunSQL(sql=FUNCTION_SQL, reverse_sql="DROP FUNCTION append_only();")
