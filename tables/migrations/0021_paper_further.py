"""A downtime ends with every meter read that its table's signs show, further progressives' too."""

from django.db import migrations

PINNED = "SET search_path = pg_catalog, public, pg_temp"

END_SQL = f"""
CREATE OR REPLACE FUNCTION downtime_ends_accounted_for() RETURNS trigger LANGUAGE plpgsql {PINNED} AS $$
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
    WHERE m.purpose = 'display'
      AND (m.progressive_id = held.progressive_id OR EXISTS (
        SELECT 1 FROM tables_tableprogressive f
        WHERE f.table_id = held.table_id AND f.progressive_id = m.progressive_id))
      AND NOT EXISTS (SELECT 1 FROM progressives_meterretirement g WHERE g.meter_id = m.id)
      AND (last.value IS NULL
        OR last.value <> last.ledger AND (x.id IS NULL OR x.state = 'open' AND x.owner_id IS NULL));
    IF place IS NOT NULL THEN
        PERFORM paper_refuses(
            format('%s: not read, or read otherwise and nobody owns the exception', place));
    END IF;
    RETURN NEW;
END $$;
"""

END_UNDO = f"""
CREATE OR REPLACE FUNCTION downtime_ends_accounted_for() RETURNS trigger LANGUAGE plpgsql {PINNED} AS $$
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
"""


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0020_further_progressives"),
        ("progressives", "0015_control_guards"),
    ]

    operations = [migrations.RunSQL(sql=END_SQL, reverse_sql=END_UNDO)]
