"""What PostgreSQL itself holds of the casebook: written once, numbered gap-free, two people.

Whoever a case is withheld from writes nothing in it, and nothing is withheld from the regulator.
"""

from django.db import migrations

from audit.guards import TRANSITION_STATE, append_only

WRITTEN_ONCE = (
    *("audit_case", "audit_caseentry", "audit_camera", "audit_footagehold", "audit_holdend"),
    "audit_preservedround",
)

GUARDS_SQL = f"""
INSERT INTO audit_entrycounter (id, entries, cases) VALUES (1, 0, 0);

-- As the owner of the counter, which the application itself has no right to move.
CREATE FUNCTION casebook_takes_the_next_number() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_TABLE_NAME = 'audit_case' THEN
        UPDATE audit_entrycounter SET cases = cases + 1 WHERE id = 1
            RETURNING cases INTO STRICT NEW.number;
    ELSE
        UPDATE audit_entrycounter SET entries = entries + 1 WHERE id = 1
            RETURNING entries INTO STRICT NEW.number;
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION casebook_counter_counts() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP <> 'UPDATE' OR pg_trigger_depth() < 2 OR NEW.id <> OLD.id
        OR NEW.cases - OLD.cases + NEW.entries - OLD.entries <> 1
        OR NEW.cases < OLD.cases OR NEW.entries < OLD.entries THEN
        RAISE EXCEPTION 'cases and entries are numbered one by one'
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION case_entry_is_in_order() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE other record;
BEGIN
    IF NEW.about_id IS NOT NULL THEN
        SELECT e.* INTO STRICT other FROM audit_caseentry e WHERE e.id = NEW.about_id;
        IF other.case_id IS DISTINCT FROM NEW.case_id THEN
            RAISE EXCEPTION 'entry % is not of this case', other.number
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
        IF other.kind <> (CASE NEW.kind WHEN 'review' THEN 'violation'
            WHEN 'taken_over' THEN 'handover' WHEN 'shown' THEN 'withheld' ELSE other.kind END) THEN
            RAISE EXCEPTION 'entry % is no such entry', other.number
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
        IF NEW.kind IN ('review', 'taken_over') AND other.by_id = NEW.by_id THEN
            RAISE EXCEPTION 'another person than who wrote entry % does this', other.number
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
    END IF;
    IF NEW.kind = 'withheld' AND (NEW.department = 'regulator' OR EXISTS (
        SELECT FROM audit_user_groups u JOIN auth_group g ON g.id = u.group_id
        WHERE u.user_id = NEW.person_id AND g.name = 'regulator')) THEN
        RAISE EXCEPTION 'nothing is withheld from the regulator'
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF EXISTS (
        SELECT FROM audit_caseentry w WHERE w.case_id = NEW.case_id AND w.kind = 'withheld'
        AND (w.person_id = NEW.by_id OR w.department IN (
            SELECT g.name FROM audit_user_groups u JOIN auth_group g ON g.id = u.group_id
            WHERE u.user_id = NEW.by_id))
        AND NOT EXISTS (
            SELECT FROM audit_caseentry s WHERE s.about_id = w.id AND s.kind = 'shown')) THEN
        RAISE EXCEPTION 'this case is withheld from who writes' USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER casebook_takes_the_next_number BEFORE INSERT ON audit_case
    FOR EACH ROW EXECUTE FUNCTION casebook_takes_the_next_number();
CREATE TRIGGER casebook_takes_the_next_number BEFORE INSERT ON audit_caseentry
    FOR EACH ROW EXECUTE FUNCTION casebook_takes_the_next_number();
CREATE TRIGGER case_entry_is_in_order BEFORE INSERT ON audit_caseentry
    FOR EACH ROW EXECUTE FUNCTION case_entry_is_in_order();
CREATE TRIGGER casebook_counter_counts BEFORE INSERT OR UPDATE OR DELETE ON audit_entrycounter
    FOR EACH ROW EXECUTE FUNCTION casebook_counter_counts();
CREATE TRIGGER claim_truncate BEFORE TRUNCATE ON audit_entrycounter
    FOR EACH STATEMENT EXECUTE FUNCTION append_only();
ALTER TABLE audit_case ENABLE ALWAYS TRIGGER casebook_takes_the_next_number;
ALTER TABLE audit_caseentry ENABLE ALWAYS TRIGGER casebook_takes_the_next_number;
ALTER TABLE audit_caseentry ENABLE ALWAYS TRIGGER case_entry_is_in_order;
ALTER TABLE audit_entrycounter ENABLE ALWAYS TRIGGER casebook_counter_counts;
ALTER TABLE audit_entrycounter ENABLE ALWAYS TRIGGER claim_truncate;
"""

GUARDS_UNDO = """
DROP TRIGGER claim_truncate ON audit_entrycounter;
DROP TRIGGER casebook_counter_counts ON audit_entrycounter;
DROP TRIGGER case_entry_is_in_order ON audit_caseentry;
DROP TRIGGER casebook_takes_the_next_number ON audit_caseentry;
DROP TRIGGER casebook_takes_the_next_number ON audit_case;
DROP FUNCTION case_entry_is_in_order();
DROP FUNCTION casebook_counter_counts();
DROP FUNCTION casebook_takes_the_next_number();
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0009_cases")]

    operations = [
        migrations.RunSQL(sql=GUARDS_SQL, reverse_sql=GUARDS_UNDO),
        *[append_only(table) for table in WRITTEN_ONCE],
    ]
