"""What may move of the log's heads and of exceptions, and what of them stays."""

from django.db import migrations

from audit.guards import TRANSITION_STATE

# Heads move forward only; an exception's facts stay, and a closed one is never opened again.
WORKING_SQL = f"""
CREATE FUNCTION chain_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR NEW.name <> OLD.name OR NEW.sequence < OLD.sequence
        OR (NEW.sequence = OLD.sequence AND NEW.head <> OLD.head) THEN
        RAISE EXCEPTION 'the head of chain % only goes on', OLD.name
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER chain_goes_on BEFORE UPDATE OR DELETE ON audit_chain
    FOR EACH ROW EXECUTE FUNCTION chain_goes_on();
ALTER TABLE audit_chain ENABLE ALWAYS TRIGGER chain_goes_on;

CREATE FUNCTION exception_is_only_closed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE closing text[] := ARRAY['state', 'owner_id', 'closed_by_id', 'closed_at', 'reason'];
BEGIN
    IF TG_OP = 'DELETE' OR OLD.state = 'closed'
        OR (to_jsonb(NEW) - closing) IS DISTINCT FROM (to_jsonb(OLD) - closing) THEN
        RAISE EXCEPTION 'exception % is closed once, and nothing else of it changes', OLD.id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER exception_is_only_closed BEFORE UPDATE OR DELETE ON audit_exceptionrecord
    FOR EACH ROW EXECUTE FUNCTION exception_is_only_closed();
ALTER TABLE audit_exceptionrecord ENABLE ALWAYS TRIGGER exception_is_only_closed;
"""

WORKING_UNDO = """
DROP TRIGGER exception_is_only_closed ON audit_exceptionrecord;
DROP FUNCTION exception_is_only_closed();
DROP TRIGGER chain_goes_on ON audit_chain;
DROP FUNCTION chain_goes_on();
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0004_code_device")]

    operations = [migrations.RunSQL(sql=WORKING_SQL, reverse_sql=WORKING_UNDO)]
