"""What PostgreSQL holds of the ledger: it only grows, meters repeat it, claims go one way."""

from django.db import migrations

from audit.guards import TRANSITION_STATE, append_only

# The meter's row repeats its last entry: whoever writes another value is refused at commit.
METER_SQL = f"""
CREATE FUNCTION meter_repeats_its_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE last record;
BEGIN
    SELECT m.value, m.sequence INTO STRICT last FROM progressives_meter m WHERE m.id = NEW.id;
    IF last.sequence > 0 AND NOT EXISTS (
        SELECT 1 FROM progressives_meterentry e
        WHERE e.meter_id = NEW.id AND e.sequence = last.sequence AND e.after = last.value
    ) OR EXISTS (
        SELECT 1 FROM progressives_meterentry e
        WHERE e.meter_id = NEW.id AND e.sequence = last.sequence + 1
    ) OR (last.sequence = 0 AND last.value <> 0) THEN
        RAISE EXCEPTION 'meter % does not stand where its entries end', NEW.id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER meter_repeats_its_ledger AFTER INSERT OR UPDATE ON progressives_meter
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION meter_repeats_its_ledger();
ALTER TABLE progressives_meter ENABLE ALWAYS TRIGGER meter_repeats_its_ledger;

CREATE FUNCTION meter_terms_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR NEW.sequence < OLD.sequence
        OR (NEW.sequence = OLD.sequence AND NEW.value IS DISTINCT FROM OLD.value)
        OR (NEW.progressive_id, NEW.level, NEW.initial)
            IS DISTINCT FROM (OLD.progressive_id, OLD.level, OLD.initial) THEN
        RAISE EXCEPTION 'a meter moves only by entries of its ledger'
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER meter_terms_stay BEFORE UPDATE OR DELETE ON progressives_meter
    FOR EACH ROW EXECUTE FUNCTION meter_terms_stay();
ALTER TABLE progressives_meter ENABLE ALWAYS TRIGGER meter_terms_stay;

-- Each entry begins where the one before it ended.
CREATE FUNCTION meter_entries_follow() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE broken record;
BEGIN
    SELECT n.meter_id, n.sequence INTO broken
    FROM fresh n
    LEFT JOIN progressives_meterentry p ON p.meter_id = n.meter_id AND p.sequence = n.sequence - 1
    WHERE (n.sequence = 1 AND n.before <> 0)
       OR (n.sequence > 1 AND p.after IS DISTINCT FROM n.before)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'entry % of meter % does not follow the one before it',
            broken.sequence, broken.meter_id USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER meter_entries_follow AFTER INSERT ON progressives_meterentry
    REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION meter_entries_follow();
ALTER TABLE progressives_meterentry ENABLE ALWAYS TRIGGER meter_entries_follow;
"""

METER_UNDO = """
DROP TRIGGER meter_entries_follow ON progressives_meterentry;
DROP FUNCTION meter_entries_follow();
DROP TRIGGER meter_terms_stay ON progressives_meter;
DROP FUNCTION meter_terms_stay();
DROP TRIGGER meter_repeats_its_ledger ON progressives_meter;
DROP FUNCTION meter_repeats_its_ledger();
"""

# A claim's facts are frozen; its state goes waiting -> validated -> paid, or to refused.
CLAIM_SQL = f"""
CREATE FUNCTION claim_goes_one_way() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'a claim is never deleted' USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF (to_jsonb(NEW) - 'state') IS DISTINCT FROM (to_jsonb(OLD) - 'state') THEN
        RAISE EXCEPTION 'the facts of claim % are frozen', OLD.id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF (OLD.state, NEW.state) NOT IN (
        ('waiting', 'validated'), ('waiting', 'refused'),
        ('validated', 'paid'), ('validated', 'refused')
    ) THEN
        RAISE EXCEPTION 'claim % cannot go from % to %', OLD.id, OLD.state, NEW.state
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER claim_goes_one_way BEFORE UPDATE OR DELETE ON progressives_jackpotclaim
    FOR EACH ROW EXECUTE FUNCTION claim_goes_one_way();
CREATE TRIGGER claim_truncate BEFORE TRUNCATE ON progressives_jackpotclaim
    FOR EACH STATEMENT EXECUTE FUNCTION append_only();
ALTER TABLE progressives_jackpotclaim ENABLE ALWAYS TRIGGER claim_goes_one_way;
ALTER TABLE progressives_jackpotclaim ENABLE ALWAYS TRIGGER claim_truncate;

-- A state without the step that a person took for it is refused at commit.
CREATE FUNCTION claim_state_has_its_step() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state <> 'waiting' AND NOT EXISTS (
        SELECT 1 FROM progressives_claimstep s WHERE s.claim_id = NEW.id AND s.kind = NEW.state
    ) THEN
        RAISE EXCEPTION 'claim % is % without anybody having done it', NEW.id, NEW.state
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER claim_state_has_its_step
    AFTER INSERT OR UPDATE ON progressives_jackpotclaim DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION claim_state_has_its_step();
ALTER TABLE progressives_jackpotclaim ENABLE ALWAYS TRIGGER claim_state_has_its_step;
"""

CLAIM_UNDO = """
DROP TRIGGER claim_state_has_its_step ON progressives_jackpotclaim;
DROP FUNCTION claim_state_has_its_step();
DROP TRIGGER claim_truncate ON progressives_jackpotclaim;
DROP TRIGGER claim_goes_one_way ON progressives_jackpotclaim;
DROP FUNCTION claim_goes_one_way();
"""


class Migration(migrations.Migration):
    dependencies = [("progressives", "0001_initial"), ("audit", "0002_append_only")]

    operations = [
        append_only("progressives_meterentry"),
        append_only("progressives_claimstep"),
        append_only("progressives_envypayout"),
        migrations.RunSQL(sql=METER_SQL, reverse_sql=METER_UNDO),
        migrations.RunSQL(sql=CLAIM_SQL, reverse_sql=CLAIM_UNDO),
    ]
