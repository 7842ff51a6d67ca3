"""What PostgreSQL holds of levels with several meters: nothing is made or lost between them."""

from django.db import migrations

from audit.guards import TRANSITION_STATE, append_only

# A meter's level and purpose never change either; its terms are another guard's business.
TERMS_SQL = f"""
CREATE OR REPLACE FUNCTION meter_terms_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR NEW.sequence < OLD.sequence
        OR (NEW.sequence = OLD.sequence AND NEW.value IS DISTINCT FROM OLD.value)
        OR (NEW.progressive_id, NEW.level, NEW.purpose, NEW.initial)
            IS DISTINCT FROM (OLD.progressive_id, OLD.level, OLD.purpose, OLD.initial) THEN
        RAISE EXCEPTION 'a meter moves only by entries of its ledger'
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;

-- A reserve or an overflow is one of a level that is shown; a limit has an overflow beside it.
CREATE FUNCTION meter_level_is_whole() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.purpose <> 'display' AND NOT EXISTS (
        SELECT 1 FROM progressives_meter d WHERE d.progressive_id = NEW.progressive_id
        AND d.level = NEW.level AND d.purpose = 'display'
    ) OR NEW."limit" IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM progressives_meter o WHERE o.progressive_id = NEW.progressive_id
        AND o.level = NEW.level AND o.purpose = 'overflow'
    ) THEN
        RAISE EXCEPTION 'level % lacks a meter that its terms need', NEW.level
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER meter_level_is_whole AFTER INSERT OR UPDATE OF "limit"
    ON progressives_meter DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION meter_level_is_whole();
ALTER TABLE progressives_meter ENABLE ALWAYS TRIGGER meter_level_is_whole;
"""

TERMS_UNDO = """
DROP TRIGGER meter_level_is_whole ON progressives_meter;
DROP FUNCTION meter_level_is_whole();
"""

# Each kind of movement belongs on certain meters; what one gives, another of its level receives.
EXCHANGE_SQL = f"""
CREATE FUNCTION meter_entries_exchange() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE broken record;
BEGIN
    SELECT n.meter_id, n.sequence, n.kind INTO broken
    FROM fresh n JOIN progressives_meter m ON m.id = n.meter_id
    WHERE n.kind NOT IN ('contribution', 'reversal') AND CASE m.purpose
        WHEN 'display' THEN n.kind IN ('reserve_out', 'overflow_out', 'pool_restored', 'limit_kept')
        WHEN 'reserve' THEN n.kind IN ('award', 'reset', 'award_returned', 'reset_returned',
            'reserve_in', 'overflow_in', 'overflow_out', 'pool_returned', 'limit_cut', 'limit_kept')
        ELSE n.kind IN ('award', 'reset', 'award_returned', 'reset_returned',
            'reserve_in', 'overflow_in', 'reserve_out', 'pool_returned', 'limit_cut') END
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'entry % of meter %: no % on such a meter',
            broken.sequence, broken.meter_id, broken.kind USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    SELECT m.progressive_id, m.level INTO broken
    FROM fresh n JOIN progressives_meter m ON m.id = n.meter_id
    WHERE n.kind IN ('reserve_in', 'reserve_out', 'overflow_in', 'overflow_out',
        'pool_returned', 'pool_restored', 'limit_cut', 'limit_kept')
    GROUP BY m.progressive_id, m.level, n.lane_number, n.round_id, n.position,
        CASE WHEN n.kind LIKE 'reserve%' THEN 1 WHEN n.kind LIKE 'overflow%' THEN 2
             WHEN n.kind LIKE 'pool%' THEN 3 ELSE 4 END
    HAVING sum(n.amount) <> 0 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'level % gave what none of its meters received', broken.level
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER meter_entries_exchange AFTER INSERT ON progressives_meterentry
    REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION meter_entries_exchange();
ALTER TABLE progressives_meterentry ENABLE ALWAYS TRIGGER meter_entries_exchange;
"""

EXCHANGE_UNDO = """
DROP TRIGGER meter_entries_exchange ON progressives_meterentry;
DROP FUNCTION meter_entries_exchange();
"""

# Contributed + overflow + reserve = rate x wager, to the last of six decimals.
RATE_SQL = f"""
CREATE FUNCTION meter_entries_keep_their_rate() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE broken record;
BEGIN
    WITH levels AS (
        SELECT d.id, d.increment_percent, r.id AS reserve_id, o.id AS overflow_id,
               coalesce(r.increment_percent, 0) AS reserve_percent
        FROM progressives_meter d
        LEFT JOIN progressives_meter r ON r.progressive_id = d.progressive_id
            AND r.level = d.level AND r.purpose = 'reserve'
        LEFT JOIN progressives_meter o ON o.progressive_id = d.progressive_id
            AND o.level = d.level AND o.purpose = 'overflow'
        WHERE d.purpose = 'display'
    ), wagers AS (
        SELECT l.id AS meter_id, n.lane_number, n.round_id, n.position, n.stake,
               n.amount AS shown, 0 AS over, 0 AS kept, 1 AS times,
               l.increment_percent, l.reserve_percent
        FROM fresh n JOIN levels l ON l.id = n.meter_id
        WHERE n.kind = 'contribution' AND l.reserve_id IS NULL AND l.overflow_id IS NULL
    UNION ALL
        SELECT l.id, n.lane_number, n.round_id, n.position, max(n.stake),
               coalesce(sum(n.amount) FILTER (WHERE n.meter_id = l.id), 0),
               coalesce(sum(n.amount) FILTER (WHERE n.meter_id = l.overflow_id), 0),
               coalesce(sum(n.amount) FILTER (WHERE n.meter_id = l.reserve_id), 0),
               count(*) FILTER (WHERE n.meter_id = l.id),
               max(l.increment_percent), max(l.reserve_percent)
        FROM fresh n JOIN levels l ON n.meter_id IN (l.id, l.reserve_id, l.overflow_id)
        WHERE n.kind = 'contribution' AND (l.reserve_id IS NOT NULL OR l.overflow_id IS NOT NULL)
        GROUP BY l.id, n.lane_number, n.round_id, n.position
    )
    SELECT w.* INTO broken FROM wagers w
    WHERE w.times <> 1 OR w.stake IS NULL OR (
        ((w.shown + w.over) * 100, w.kept * 100)
            IS DISTINCT FROM (w.stake * w.increment_percent, w.stake * w.reserve_percent)
        AND NOT EXISTS (
            SELECT 1 FROM progressives_levelrate x WHERE x.meter_id = w.meter_id
            AND (w.shown + w.over) * 100 = w.stake * x.increment_percent
            AND w.kept * 100 = w.stake * x.reserve_percent
        )
    ) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'meter % did not receive the rate of a wager of %: %, over %, kept %',
            broken.meter_id, broken.stake, broken.shown, broken.over, broken.kept
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER meter_entries_keep_their_rate AFTER INSERT ON progressives_meterentry
    REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION meter_entries_keep_their_rate();
ALTER TABLE progressives_meterentry ENABLE ALWAYS TRIGGER meter_entries_keep_their_rate;
"""

RATE_UNDO = """
DROP TRIGGER meter_entries_keep_their_rate ON progressives_meterentry;
DROP FUNCTION meter_entries_keep_their_rate();
"""


class Migration(migrations.Migration):
    dependencies = [("progressives", "0004_levels")]

    operations = [
        append_only("progressives_levelrate"),
        migrations.RunSQL(sql=TERMS_SQL, reverse_sql=TERMS_UNDO),
        migrations.RunSQL(sql=EXCHANGE_SQL, reverse_sql=EXCHANGE_UNDO),
        migrations.RunSQL(sql=RATE_SQL, reverse_sql=RATE_UNDO),
    ]
