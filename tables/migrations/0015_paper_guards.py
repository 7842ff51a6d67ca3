"""Paper forms as PostgreSQL itself holds them: numbers, two persons, and what ends a downtime."""

from typing import Any

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

from audit.guards import TRANSITION_STATE, append_only

PINNED = "SET search_path = pg_catalog, public, pg_temp"
NUMBERS_LOCK = 6701245  # forms of all tables are numbered one after the other

# Whoever touches a table's forms holds its row, so that a downtime cannot end meanwhile.
GUARDS_SQL = f"""
CREATE FUNCTION paper_refuses(sentence text) RETURNS void LANGUAGE plpgsql {PINNED} AS $$
BEGIN
    RAISE EXCEPTION '%', sentence USING ERRCODE = '{TRANSITION_STATE}';
END $$;

CREATE FUNCTION paper_signed_by(person bigint) RETURNS void LANGUAGE plpgsql {PINNED} AS $$
BEGIN
    IF coalesce((SELECT u.staff_code FROM audit_user u WHERE u.id = person), '') = '' THEN
        PERFORM paper_refuses('nobody without a staff code signs for paper forms');
    END IF;
END $$;

CREATE FUNCTION downtime_once_a_table() RETURNS trigger LANGUAGE plpgsql {PINNED} AS $$
BEGIN
    PERFORM paper_signed_by(NEW.by_id);
    PERFORM 1 FROM tables_gamingtable t WHERE t.id = NEW.table_id FOR NO KEY UPDATE;
    IF EXISTS (
        SELECT 1 FROM tables_downtime d WHERE d.table_id = NEW.table_id
          AND NOT EXISTS (SELECT 1 FROM tables_downtimeend e WHERE e.downtime_id = d.id)
    ) THEN
        PERFORM paper_refuses('the table is down already');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER downtime_once_a_table BEFORE INSERT ON tables_downtime
    FOR EACH ROW EXECUTE FUNCTION downtime_once_a_table();
ALTER TABLE tables_downtime ENABLE ALWAYS TRIGGER downtime_once_a_table;

CREATE FUNCTION form_takes_the_next_number() RETURNS trigger LANGUAGE plpgsql {PINNED} AS $$
BEGIN
    PERFORM paper_signed_by(NEW.by_id);
    PERFORM 1 FROM tables_gamingtable t WHERE t.id = NEW.table_id FOR NO KEY UPDATE;
    PERFORM pg_advisory_xact_lock({NUMBERS_LOCK});  -- until commit: no number is left out
    NEW.number := coalesce((SELECT max(f.number) FROM tables_paperform f), 0) + 1;
    RETURN NEW;
END $$;
CREATE TRIGGER form_takes_the_next_number BEFORE INSERT ON tables_paperform
    FOR EACH ROW EXECUTE FUNCTION form_takes_the_next_number();
ALTER TABLE tables_paperform ENABLE ALWAYS TRIGGER form_takes_the_next_number;

-- Refuses whatever a form that is done with, or whose entry waits, cannot have any more.
CREATE FUNCTION form_must_be_free(asked bigint) RETURNS void LANGUAGE plpgsql {PINNED} AS $$
DECLARE held record;
BEGIN
    SELECT f.* INTO STRICT held FROM tables_paperform f WHERE f.id = asked;
    PERFORM 1 FROM tables_gamingtable t WHERE t.id = held.table_id FOR NO KEY UPDATE;
    IF EXISTS (SELECT 1 FROM tables_formvoid v WHERE v.form_id = asked) THEN
        PERFORM paper_refuses(format('form %s is void', held.number));
    END IF;
    IF EXISTS (
        SELECT 1 FROM tables_formentry e JOIN tables_formdecision d ON d.entry_id = e.id
        WHERE e.form_id = asked AND d.kind = 'confirmed'
    ) THEN
        PERFORM paper_refuses(format('form %s is entered already', held.number));
    END IF;
    IF EXISTS (
        SELECT 1 FROM tables_formentry e WHERE e.form_id = asked
          AND NOT EXISTS (SELECT 1 FROM tables_formdecision d WHERE d.entry_id = e.id)
    ) THEN
        PERFORM paper_refuses(format('an entry of form %s waits for a second person', held.number));
    END IF;
END $$;

CREATE FUNCTION form_void_of_a_free_form() RETURNS trigger LANGUAGE plpgsql {PINNED} AS $$
BEGIN
    PERFORM paper_signed_by(NEW.by_id);
    PERFORM form_must_be_free(NEW.form_id);
    RETURN NEW;
END $$;
CREATE TRIGGER form_void_of_a_free_form BEFORE INSERT ON tables_formvoid
    FOR EACH ROW EXECUTE FUNCTION form_void_of_a_free_form();
ALTER TABLE tables_formvoid ENABLE ALWAYS TRIGGER form_void_of_a_free_form;

CREATE FUNCTION form_entry_of_a_free_form() RETURNS trigger LANGUAGE plpgsql {PINNED} AS $$
BEGIN
    PERFORM paper_signed_by(NEW.by_id);
    PERFORM form_must_be_free(NEW.form_id);
    IF NOT EXISTS (
        SELECT 1 FROM tables_downtime d JOIN tables_paperform f ON f.table_id = d.table_id
        WHERE d.id = NEW.downtime_id AND f.id = NEW.form_id
          AND NOT EXISTS (SELECT 1 FROM tables_downtimeend e WHERE e.downtime_id = d.id)
    ) THEN
        PERFORM paper_refuses('a form is entered while its own table is down');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER form_entry_of_a_free_form BEFORE INSERT ON tables_formentry
    FOR EACH ROW EXECUTE FUNCTION form_entry_of_a_free_form();
ALTER TABLE tables_formentry ENABLE ALWAYS TRIGGER form_entry_of_a_free_form;

CREATE FUNCTION form_decided_by_a_second_person() RETURNS trigger LANGUAGE plpgsql {PINNED} AS $$
DECLARE held record;
BEGIN
    PERFORM paper_signed_by(NEW.by_id);
    SELECT e.by_id, e.form_id, f.table_id, f.number INTO STRICT held
        FROM tables_formentry e JOIN tables_paperform f ON f.id = e.form_id
        WHERE e.id = NEW.entry_id;
    PERFORM 1 FROM tables_gamingtable t WHERE t.id = held.table_id FOR NO KEY UPDATE;
    IF held.by_id = NEW.by_id THEN
        PERFORM paper_refuses('nobody decides on his own entry');
    END IF;
    IF NEW.kind = 'confirmed' AND NOT EXISTS (
        SELECT 1 FROM tables_tableevent e
        WHERE e.event_id = NEW.event_id AND e.table_id = held.table_id
    ) THEN
        PERFORM paper_refuses(format('form %s is not in the intake', held.number));
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER form_decided_by_a_second_person BEFORE INSERT ON tables_formdecision
    FOR EACH ROW EXECUTE FUNCTION form_decided_by_a_second_person();
ALTER TABLE tables_formdecision ENABLE ALWAYS TRIGGER form_decided_by_a_second_person;

CREATE FUNCTION downtime_reading_beside_the_ledger() RETURNS trigger LANGUAGE plpgsql {PINNED} AS $$
BEGIN
    PERFORM paper_signed_by(NEW.by_id);
    IF NEW.ledger IS DISTINCT FROM (
        SELECT m.after FROM progressives_meterentry m
        WHERE m.meter_id = NEW.meter_id AND m.sequence = NEW.sequence
    ) THEN
        PERFORM paper_refuses('a reading is set beside the ledger as it is');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER downtime_reading_beside_the_ledger BEFORE INSERT ON tables_downtimereading
    FOR EACH ROW EXECUTE FUNCTION downtime_reading_beside_the_ledger();
ALTER TABLE tables_downtimereading ENABLE ALWAYS TRIGGER downtime_reading_beside_the_ledger;

CREATE FUNCTION downtime_ends_accounted_for() RETURNS trigger LANGUAGE plpgsql {PINNED} AS $$
DECLARE
    held record;
    place text;
BEGIN
    PERFORM paper_signed_by(NEW.by_id);
    SELECT d.table_id, d.began_at, t.code, t.progressive_id INTO STRICT held
        FROM tables_downtime d JOIN tables_gamingtable t ON t.id = d.table_id
        WHERE d.id = NEW.downtime_id FOR NO KEY UPDATE OF t;
    IF NEW.ended_at < held.began_at THEN
        PERFORM paper_refuses('a downtime does not end before it began');
    END IF;
    SELECT string_agg(f.number::text, ', ' ORDER BY f.number) INTO place FROM tables_paperform f
    WHERE f.table_id = held.table_id
      AND NOT EXISTS (SELECT 1 FROM tables_formvoid v WHERE v.form_id = f.id)
      AND NOT EXISTS (
        SELECT 1 FROM tables_formentry e JOIN tables_formdecision d ON d.entry_id = e.id
        WHERE e.form_id = f.id AND d.kind = 'confirmed');
    IF place IS NOT NULL THEN
        PERFORM paper_refuses(format('forms %s are neither entered nor void', place));
    END IF;
    IF EXISTS (
        SELECT 1 FROM tables_tablecursor c JOIN tables_tableevent e ON e.table_id = c.table_id
        WHERE c.table_id = held.table_id AND e.sequence >= c.expected
    ) THEN
        PERFORM paper_refuses(format('events of %s wait to be applied', held.code));
    END IF;
    SELECT string_agg(m.level, ', ') INTO place FROM progressives_meter m
    LEFT JOIN LATERAL (
        SELECT r.value, r.ledger, r.exception_id FROM tables_downtimereading r
        WHERE r.downtime_id = NEW.downtime_id AND r.meter_id = m.id ORDER BY r.id DESC LIMIT 1
    ) last ON true
    LEFT JOIN audit_exceptionrecord x ON x.id = last.exception_id
    WHERE m.progressive_id = held.progressive_id AND m.purpose = 'display'
      AND (last.value IS NULL
        OR last.value <> last.ledger AND (x.id IS NULL OR x.state = 'open' AND x.owner_id IS NULL));
    IF place IS NOT NULL THEN
        PERFORM paper_refuses(
            format('%s: not read, or read otherwise and nobody owns the exception', place));
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER downtime_ends_accounted_for BEFORE INSERT ON tables_downtimeend
    FOR EACH ROW EXECUTE FUNCTION downtime_ends_accounted_for();
ALTER TABLE tables_downtimeend ENABLE ALWAYS TRIGGER downtime_ends_accounted_for;
"""

GUARDS_UNDO = """
DROP TRIGGER downtime_ends_accounted_for ON tables_downtimeend;
DROP TRIGGER downtime_reading_beside_the_ledger ON tables_downtimereading;
DROP TRIGGER form_decided_by_a_second_person ON tables_formdecision;
DROP TRIGGER form_entry_of_a_free_form ON tables_formentry;
DROP TRIGGER form_void_of_a_free_form ON tables_formvoid;
DROP TRIGGER form_takes_the_next_number ON tables_paperform;
DROP TRIGGER downtime_once_a_table ON tables_downtime;
DROP FUNCTION downtime_ends_accounted_for();
DROP FUNCTION downtime_reading_beside_the_ledger();
DROP FUNCTION form_decided_by_a_second_person();
DROP FUNCTION form_entry_of_a_free_form();
DROP FUNCTION form_void_of_a_free_form();
DROP FUNCTION form_must_be_free(bigint);
DROP FUNCTION form_takes_the_next_number();
DROP FUNCTION downtime_once_a_table();
DROP FUNCTION paper_signed_by(bigint);
DROP FUNCTION paper_refuses(text);
"""

KEPT = (
    *("downtime", "paperform", "formvoid", "formentry", "formdecision", "downtimereading"),
    "downtimeend",
)
READERS = ("floorperson", "pit manager", "surveillance", "accounting", "auditor", "administrator")
RUNNING = ["run_downtime", "confirm_formentry"]


def give(apps: Apps, schema_editor: Any) -> None:
    """Let the floor run downtimes and confirm entries, and everybody read them."""
    from django.apps import apps as real

    create_permissions(real.get_app_config("tables"), apps=real, verbosity=0)
    permission_of = apps.get_model("auth", "Permission").objects
    for name in READERS:
        group = apps.get_model("auth", "Group").objects.get(name=name)
        wanted = [f"view_{model}" for model in KEPT]
        wanted += RUNNING if name in ("floorperson", "pit manager") else []
        for codename in wanted:
            found = permission_of.get(content_type__app_label="tables", codename=codename)
            group.permissions.add(found)


class Migration(migrations.Migration):
    dependencies = [("tables", "0014_paper_forms")]

    operations = [
        *(append_only(f"tables_{name}") for name in KEPT),
        migrations.RunSQL(sql=GUARDS_SQL, reverse_sql=GUARDS_UNDO),
        migrations.RunPython(give, migrations.RunPython.noop),
    ]
