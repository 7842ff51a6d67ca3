"""What PostgreSQL holds of changes to a progressive: two authorities, no link in operation.

The services say the same in friendlier words. A meter's terms move only with a request that takes
effect in the same transaction, and a meter goes down only for what the closed list names.
"""

from importlib import import_module

from django.db import migrations

from audit.guards import TRANSITION_STATE, append_only

PATH = "SET search_path = pg_catalog, public, pg_temp"

# What the tables of a lane are about, if they are at anything; NULL where the link rests.
OPERATION_SQL = f"""
CREATE FUNCTION lane_in_operation(lane bigint) RETURNS text LANGUAGE plpgsql {PATH} AS $$
DECLARE
    at_table record;
    last record;
BEGIN
    FOR at_table IN
        SELECT t.id, t.code, c.expected FROM tables_gamingtable t
        LEFT JOIN tables_tablecursor c ON c.table_id = t.id
        WHERE t.lane_id = lane ORDER BY t.code
    LOOP
        SELECT o.number INTO last FROM tables_openround o
            WHERE o.table_id = at_table.id ORDER BY o.number LIMIT 1;
        IF FOUND THEN
            RETURN format('Round %s of %s is open', last.number, at_table.code);
        END IF;
        PERFORM 1 FROM tables_tableevent e
            WHERE e.table_id = at_table.id AND e.sequence >= coalesce(at_table.expected, 1) LIMIT 1;
        IF FOUND THEN
            RETURN format('Events of %s wait to be applied', at_table.code);
        END IF;
        -- Its last word of play: closed is closed, whatever the cards did after it.
        SELECT e.type = 'operation' AND convert_from(e.body, 'UTF8')::jsonb #>> '{{operation,kind}}'
                   = 'table_close' AS closed,
               e.accepted_at < clock_timestamp() - interval '15 minutes'
                   AND a.gaming_day < l.gaming_day AS of_an_earlier_day
            INTO last
            FROM tables_tableevent e
            JOIN progressives_lane l ON l.id = lane
            LEFT JOIN tables_appliedevent a ON a.event_id = e.id
            WHERE e.table_id = at_table.id AND e.type <> 'sequence_skipped'
              AND (e.type <> 'operation' OR convert_from(e.body, 'UTF8')::jsonb
                  #>> '{{operation,kind}}' IN ('table_open', 'table_close'))
            ORDER BY e.sequence DESC LIMIT 1;
        IF FOUND AND NOT last.closed AND NOT coalesce(last.of_an_earlier_day, false) THEN
            RETURN format('%s is in play', at_table.code);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
"""
OPERATION_UNDO = "DROP FUNCTION lane_in_operation(bigint);"

# Who asks has one authority, who agrees the other; who holds both, or is not known by name, none.
PERSONS_SQL = f"""
CREATE FUNCTION control_authority(person bigint, wanted text) RETURNS boolean
LANGUAGE plpgsql {PATH} AS $$
DECLARE held text[];
BEGIN
    PERFORM 1 FROM audit_user u
        WHERE u.id = person AND u.is_active AND coalesce(u.staff_code, '') <> '';
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT array_agg(DISTINCT p.codename) INTO held
    FROM auth_permission p JOIN django_content_type c ON c.id = p.content_type_id
    WHERE c.app_label = 'progressives'
      AND p.codename IN ('configure_meter', 'reset_meter', 'acknowledge_controlrequest')
      AND (EXISTS (SELECT 1 FROM audit_user_groups g JOIN auth_group_permissions q
                   ON q.group_id = g.group_id WHERE g.user_id = person AND q.permission_id = p.id)
        OR EXISTS (SELECT 1 FROM audit_user_user_permissions o
                   WHERE o.user_id = person AND o.permission_id = p.id));
    RETURN wanted = ANY (held)
        AND NOT (held @> ARRAY['configure_meter', 'reset_meter']::text[]);
END $$;

CREATE FUNCTION control_asked_by_an_authority() RETURNS trigger LANGUAGE plpgsql {PATH} AS $$
BEGIN
    IF NOT coalesce(control_authority(NEW.requested_by_id,
        CASE NEW.kind WHEN 'parameters' THEN 'configure_meter' ELSE 'reset_meter' END), false) THEN
        RAISE EXCEPTION 'this person may not ask for a %', NEW.kind
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.effective_at < now() THEN
        RAISE EXCEPTION 'nothing takes effect in the past' USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER control_asked_by_an_authority BEFORE INSERT ON progressives_controlrequest
    FOR EACH ROW EXECUTE FUNCTION control_asked_by_an_authority();
ALTER TABLE progressives_controlrequest ENABLE ALWAYS TRIGGER control_asked_by_an_authority;
"""
PERSONS_UNDO = """
DROP TRIGGER control_asked_by_an_authority ON progressives_controlrequest;
DROP FUNCTION control_asked_by_an_authority();
DROP FUNCTION control_authority(bigint, text);
"""

# The lanes are held meanwhile: steps written at once see each other, and nothing moves.
STEPS_SQL = f"""
CREATE FUNCTION control_step_in_order() RETURNS trigger LANGUAGE plpgsql {PATH} AS $$
DECLARE
    asked record;
    taken text[];
    asks text;
    agrees text;
    busy text;
BEGIN
    SELECT r.* INTO STRICT asked FROM progressives_controlrequest r WHERE r.id = NEW.request_id;
    PERFORM 1 FROM progressives_lane l WHERE l.id IN (
        SELECT p.lane_id FROM progressives_meter m
        JOIN progressives_progressive p ON p.id = m.progressive_id
        WHERE m.id IN (asked.meter_id, asked.other_id)
    ) ORDER BY l.id FOR NO KEY UPDATE;
    SELECT coalesce(array_agg(s.kind::text), '{{}}') INTO taken
        FROM progressives_controlstep s WHERE s.request_id = NEW.request_id;
    NEW.transaction := (pg_current_xact_id()::text)::bigint;
    IF asked.kind = 'parameters' THEN asks := 'configure_meter'; agrees := 'reset_meter';
    ELSE asks := 'reset_meter'; agrees := 'configure_meter'; END IF;

    IF NOT (CASE NEW.kind
        WHEN 'approved' THEN taken = '{{}}'
        WHEN 'refused' THEN taken <@ ARRAY['approved']
        WHEN 'withdrawn' THEN taken <@ ARRAY['approved']
        WHEN 'effected' THEN taken = ARRAY['approved']
        WHEN 'acknowledged' THEN 'effected' = ANY (taken) AND NOT 'acknowledged' = ANY (taken)
        ELSE false END) THEN
        RAISE EXCEPTION 'request % cannot be % after %', NEW.request_id, NEW.kind,
            coalesce(nullif(array_to_string(taken, ', '), ''), 'nothing')
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NOT coalesce(CASE
        WHEN NEW.kind IN ('approved', 'refused')
            THEN NEW.by_id <> asked.requested_by_id AND control_authority(NEW.by_id, agrees)
        WHEN NEW.kind = 'withdrawn'
            THEN NEW.by_id = asked.requested_by_id AND control_authority(NEW.by_id, asks)
        WHEN NEW.kind = 'acknowledged'
            THEN control_authority(NEW.by_id, 'acknowledge_controlrequest')
             AND NEW.by_id <> asked.requested_by_id AND NOT EXISTS (
                SELECT 1 FROM progressives_controlstep s
                WHERE s.request_id = NEW.request_id AND s.by_id = NEW.by_id AND s.kind = 'approved')
        ELSE NEW.by_id IS NULL OR control_authority(NEW.by_id, asks)
            OR control_authority(NEW.by_id, agrees) END, false) THEN
        RAISE EXCEPTION 'request % is not % by this person', NEW.request_id, NEW.kind
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind = 'effected' THEN
        IF asked.effective_at > clock_timestamp() THEN
            RAISE EXCEPTION 'request % takes effect later', NEW.request_id
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
        SELECT lane_in_operation(p.lane_id) INTO busy FROM progressives_meter m
            JOIN progressives_progressive p ON p.id = m.progressive_id
            WHERE m.id IN (asked.meter_id, asked.other_id)
              AND lane_in_operation(p.lane_id) IS NOT NULL LIMIT 1;
        IF busy IS NOT NULL THEN
            RAISE EXCEPTION '%: nothing changes while a link is in operation', busy
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER control_step_in_order BEFORE INSERT ON progressives_controlstep
    FOR EACH ROW EXECUTE FUNCTION control_step_in_order();
ALTER TABLE progressives_controlstep ENABLE ALWAYS TRIGGER control_step_in_order;

-- The request that takes effect in this very transaction, if it is of this kind.
CREATE FUNCTION control_in_effect(wanted bigint, kinds text[]) RETURNS boolean
LANGUAGE plpgsql {PATH} AS $$
BEGIN
    RETURN EXISTS (
        SELECT 1 FROM progressives_controlstep s
        JOIN progressives_controlrequest r ON r.id = s.request_id
        WHERE s.request_id = wanted AND s.kind = 'effected' AND r.kind = ANY (kinds)
          AND s.transaction = (pg_current_xact_id()::text)::bigint);
END $$;
"""
STEPS_UNDO = """
DROP FUNCTION control_in_effect(bigint, text[]);
DROP TRIGGER control_step_in_order ON progressives_controlstep;
DROP FUNCTION control_step_in_order();
"""

# A meter's terms become exactly what was agreed on, from exactly what was shown to both.
TERMS_SQL = f"""
CREATE FUNCTION control_number(told jsonb, name text, held numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN told ? name THEN (told->>name)::numeric ELSE held END
$$;
CREATE FUNCTION control_word(told jsonb, name text, held text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN told ? name THEN told->>name ELSE held END $$;

CREATE OR REPLACE FUNCTION meter_reset_and_share_stay() RETURNS trigger
LANGUAGE plpgsql {PATH} AS $$
DECLARE
    asked record;
    share text := CASE NEW.purpose WHEN 'display' THEN 'increment_percent'
        WHEN 'reserve' THEN 'reserve_percent' ELSE '' END;
    shown text := CASE NEW.purpose WHEN 'display' THEN '' ELSE '-' END;
BEGIN
    IF (NEW.reset, NEW.increment_percent, NEW."limit", NEW.shown_to, NEW.at_reset)
        IS NOT DISTINCT FROM
        (OLD.reset, OLD.increment_percent, OLD."limit", OLD.shown_to, OLD.at_reset) THEN
        RETURN NEW;
    END IF;
    SELECT r.before, r.after INTO asked FROM progressives_controlrequest r
        JOIN progressives_meter d ON d.id = r.meter_id
        WHERE d.progressive_id = NEW.progressive_id AND d.level = NEW.level
          AND control_in_effect(r.id, ARRAY['parameters']) LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the terms of meter % are fixed', OLD.id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF (OLD.reset, OLD.increment_percent, OLD."limit", OLD.shown_to, OLD.at_reset::text)
        IS DISTINCT FROM (
            control_number(asked.before, shown || 'reset', OLD.reset),
            control_number(asked.before, share, OLD.increment_percent),
            control_number(asked.before, shown || 'limit', OLD."limit"),
            control_number(asked.before, shown || 'shown_to', OLD.shown_to),
            control_word(asked.before, NEW.purpose || '_at_reset', OLD.at_reset))
        OR (NEW.reset, NEW.increment_percent, NEW."limit", NEW.shown_to, NEW.at_reset::text)
        IS DISTINCT FROM (
            control_number(asked.after, shown || 'reset', OLD.reset),
            control_number(asked.after, share, OLD.increment_percent),
            control_number(asked.after, shown || 'limit', OLD."limit"),
            control_number(asked.after, shown || 'shown_to', OLD.shown_to),
            control_word(asked.after, NEW.purpose || '_at_reset', OLD.at_reset)) THEN
        RAISE EXCEPTION 'the terms of meter % are not those that were agreed on', OLD.id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION level_rate_is_agreed() RETURNS trigger LANGUAGE plpgsql {PATH} AS $$
BEGIN
    IF NEW.control_id IS NULL THEN
        PERFORM 1 FROM progressives_meter m WHERE m.id = NEW.meter_id AND m.sequence = 0;
        IF FOUND THEN
            RETURN NEW;
        END IF;
    ELSIF control_in_effect(NEW.control_id, ARRAY['parameters']) AND EXISTS (
        SELECT 1 FROM progressives_controlrequest r
        CROSS JOIN LATERAL jsonb_array_elements(r.after->'rates') x
        WHERE r.id = NEW.control_id AND r.meter_id = NEW.meter_id
          AND x->>0 = NEW.paytable AND (x->>1)::int = NEW.decks
          AND (x->>2)::numeric = NEW.increment_percent
          AND (x->>3)::numeric = NEW.reserve_percent) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the rates of meter % are fixed', NEW.meter_id
        USING ERRCODE = '{TRANSITION_STATE}';
END $$;
CREATE TRIGGER level_rate_is_agreed BEFORE INSERT ON progressives_levelrate
    FOR EACH ROW EXECUTE FUNCTION level_rate_is_agreed();
ALTER TABLE progressives_levelrate ENABLE ALWAYS TRIGGER level_rate_is_agreed;
"""
TERMS_UNDO = """
DROP TRIGGER level_rate_is_agreed ON progressives_levelrate;
DROP FUNCTION level_rate_is_agreed();
DROP FUNCTION control_word(jsonb, text, text);
DROP FUNCTION control_number(jsonb, text, numeric);
"""

# What a request in effect brings about, and that it did bring it about.
LEGS_SQL = f"""
CREATE FUNCTION control_leg_is_agreed() RETURNS trigger LANGUAGE plpgsql {PATH} AS $$
DECLARE asked record;
BEGIN
    SELECT r.*, m.value AS holds INTO STRICT asked FROM progressives_controlrequest r
        JOIN progressives_meter m ON m.id = r.meter_id WHERE r.id = NEW.request_id;
    IF NOT control_in_effect(NEW.request_id, ARRAY['transfer', 'correction'])
        OR (NEW.meter_id, NEW.amount) NOT IN (
            (asked.meter_id, CASE asked.kind WHEN 'correction' THEN asked.amount
                ELSE -coalesce(asked.amount, asked.holds) END),
            (coalesce(asked.other_id, 0), coalesce(asked.amount, asked.holds))) THEN
        RAISE EXCEPTION 'request % does not move meter % by %',
            NEW.request_id, NEW.meter_id, NEW.amount USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER control_leg_is_agreed BEFORE INSERT ON progressives_controlleg
    FOR EACH ROW EXECUTE FUNCTION control_leg_is_agreed();
ALTER TABLE progressives_controlleg ENABLE ALWAYS TRIGGER control_leg_is_agreed;

CREATE FUNCTION meter_retires_empty() RETURNS trigger LANGUAGE plpgsql {PATH} AS $$
DECLARE held record;
BEGIN
    SELECT m.* INTO STRICT held FROM progressives_meter m WHERE m.id = NEW.meter_id;
    IF held.value <> 0 THEN
        RAISE EXCEPTION 'meter % holds % and does not close with a balance', held.id, held.value
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NOT control_in_effect(NEW.request_id, ARRAY['retirement']) OR NOT EXISTS (
        SELECT 1 FROM progressives_controlrequest r JOIN progressives_meter m ON m.id = r.meter_id
        WHERE r.id = NEW.request_id AND m.progressive_id = held.progressive_id) THEN
        RAISE EXCEPTION 'nobody agreed that meter % retires', held.id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER meter_retires_empty BEFORE INSERT ON progressives_meterretirement
    FOR EACH ROW EXECUTE FUNCTION meter_retires_empty();
ALTER TABLE progressives_meterretirement ENABLE ALWAYS TRIGGER meter_retires_empty;

CREATE FUNCTION control_took_effect() RETURNS trigger LANGUAGE plpgsql {PATH} AS $$
DECLARE
    asked record;
    whole boolean;
BEGIN
    SELECT r.*, d.progressive_id, d.level INTO STRICT asked FROM progressives_controlrequest r
        JOIN progressives_meter d ON d.id = r.meter_id WHERE r.id = NEW.request_id;
    IF asked.kind = 'parameters' THEN
        SELECT bool_and((d.reset, d.increment_percent, d."limit", d.shown_to) IS NOT DISTINCT FROM (
                control_number(asked.after, 'reset', d.reset),
                control_number(asked.after, 'increment_percent', d.increment_percent),
                control_number(asked.after, 'limit', d."limit"),
                control_number(asked.after, 'shown_to', d.shown_to)))
            AND (NOT asked.after ? 'reserve_percent' OR EXISTS (
                SELECT 1 FROM progressives_meter b WHERE b.progressive_id = asked.progressive_id
                AND b.level = asked.level AND b.purpose = 'reserve'
                AND b.increment_percent = (asked.after->>'reserve_percent')::numeric))
            AND NOT EXISTS (
                SELECT 1 FROM progressives_meter b WHERE b.progressive_id = asked.progressive_id
                AND b.level = asked.level AND b.purpose <> 'display'
                AND b.at_reset <> control_word(asked.after, b.purpose || '_at_reset', b.at_reset))
            AND coalesce(jsonb_array_length(asked.after->'rates'), 0) = (
                SELECT count(*) FROM progressives_levelrate x WHERE x.control_id = asked.id)
            INTO whole FROM progressives_meter d WHERE d.id = asked.meter_id;
    ELSIF asked.kind = 'retirement' THEN
        whole := NOT EXISTS (SELECT 1 FROM progressives_meter m
            WHERE m.progressive_id = asked.progressive_id AND NOT EXISTS (
                SELECT 1 FROM progressives_meterretirement x WHERE x.meter_id = m.id));
    ELSE
        SELECT count(*) = CASE asked.kind WHEN 'transfer' THEN 2 ELSE 1 END
            AND (asked.kind <> 'transfer' OR sum(l.amount) = 0)
            AND bool_and(EXISTS (SELECT 1 FROM progressives_meterentry e
                WHERE e.meter_id = l.meter_id AND e.sequence = l.sequence AND e.amount = l.amount
                AND e.kind IN ('transfer_in', 'transfer_out', 'correction')))
            INTO whole FROM progressives_controlleg l WHERE l.request_id = asked.id;
    END IF;
    IF NOT coalesce(whole, false) THEN
        RAISE EXCEPTION 'request % is said to be in effect and is not', asked.id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER control_took_effect AFTER INSERT ON progressives_controlstep
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.kind = 'effected')
    EXECUTE FUNCTION control_took_effect();
ALTER TABLE progressives_controlstep ENABLE ALWAYS TRIGGER control_took_effect;
"""
LEGS_UNDO = """
DROP TRIGGER control_took_effect ON progressives_controlstep;
DROP FUNCTION control_took_effect();
DROP TRIGGER meter_retires_empty ON progressives_meterretirement;
DROP FUNCTION meter_retires_empty();
DROP TRIGGER control_leg_is_agreed ON progressives_controlleg;
DROP FUNCTION control_leg_is_agreed();
"""

# The closed list: a meter goes down by an award that was claimed, a reversal of what the round put
# there, money that moved inside its level, reset money of a refused award, or a request in effect.
LEDGER_SQL = f"""
CREATE FUNCTION meter_entries_have_their_cause() RETURNS trigger LANGUAGE plpgsql {PATH} AS $$
DECLARE broken record;
BEGIN
    SELECT n.meter_id, n.sequence, n.kind INTO broken FROM fresh n
    WHERE n.kind IN ('transfer_in', 'transfer_out', 'correction') AND NOT EXISTS (
        SELECT 1 FROM progressives_controlleg l WHERE l.meter_id = n.meter_id
        AND l.sequence = n.sequence AND l.amount = n.amount
        AND control_in_effect(l.request_id, CASE n.kind WHEN 'correction'
            THEN ARRAY['correction'] ELSE ARRAY['transfer'] END)
    ) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'entry % of meter %: nobody agreed on a %',
            broken.sequence, broken.meter_id, broken.kind USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    SELECT n.meter_id, n.sequence INTO broken FROM fresh n
        JOIN progressives_meterretirement x ON x.meter_id = n.meter_id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'meter % is retired: nothing moves it', broken.meter_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    SELECT n.meter_id, n.sequence INTO broken FROM fresh n
    WHERE n.kind = 'reset_returned' AND n.amount <> 0 AND NOT EXISTS (
        SELECT 1 FROM progressives_jackpotclaim c WHERE c.meter_id = n.meter_id
        AND c.round_id = n.round_id AND c.position = n.position AND c.state = 'refused'
        AND c.reset_put_in = -n.amount
    ) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'entry % of meter %: no refused award gave so much reset money',
            broken.sequence, broken.meter_id USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    FOR broken IN
        SELECT m.progressive_id, m.level, n.round_id, n.position, max(n.meter_id) AS meter_id
        FROM fresh n JOIN progressives_meter m ON m.id = n.meter_id
        WHERE n.kind = 'reversal' GROUP BY 1, 2, 3, 4
    LOOP
        IF level_left_of(
            broken.progressive_id, broken.level, broken.round_id, broken.position) < 0 THEN
            RAISE EXCEPTION 'meter %: a reversal of what the round never put there',
                broken.meter_id USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

-- What is left of what a position's wager put on a level, below zero where it put nothing there.
-- It is looked for from the end, since a round is over soon.
CREATE FUNCTION level_left_of(
    of_progressive bigint, of_level text, of_round uuid, of_position int)
RETURNS numeric LANGUAGE plpgsql {PATH} AS $$
DECLARE
    display bigint;
    number bigint;
    each record;
    amount numeric;
    left_in_all numeric := 0;
BEGIN
    SELECT m.id INTO display FROM progressives_meter m WHERE m.progressive_id = of_progressive
        AND m.level = of_level AND m.purpose = 'display';
    SELECT e.lane_number INTO number FROM progressives_meterentry e
        WHERE e.meter_id = display AND e.kind = 'contribution' AND e.round_id = of_round
          AND e.position = of_position ORDER BY e.sequence DESC LIMIT 1;
    IF NOT FOUND THEN
        RETURN -1;
    END IF;
    FOR each IN SELECT m.id FROM progressives_meter m
        WHERE m.progressive_id = of_progressive AND m.level = of_level
    LOOP
        SELECT sum(e.amount) INTO amount FROM progressives_meterentry e
        WHERE e.meter_id = each.id AND e.kind IN ('contribution', 'reversal')
          AND e.round_id = of_round AND e.position = of_position AND e.sequence > coalesce((
            SELECT b.sequence FROM progressives_meterentry b
            WHERE b.meter_id = each.id AND b.lane_number < number
            ORDER BY b.sequence DESC LIMIT 1), 0);
        left_in_all := left_in_all + coalesce(amount, 0);
    END LOOP;
    RETURN left_in_all;
END $$;
CREATE TRIGGER meter_entries_have_their_cause AFTER INSERT ON progressives_meterentry
    REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION meter_entries_have_their_cause();
ALTER TABLE progressives_meterentry ENABLE ALWAYS TRIGGER meter_entries_have_their_cause;

-- An award of a progressive that tables feed has its claim by the end of the transaction.
CREATE FUNCTION meter_award_is_claimed() RETURNS trigger LANGUAGE plpgsql {PATH} AS $$
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM progressives_jackpotclaim c WHERE c.meter_id = NEW.meter_id
        AND c.entry_sequence = NEW.sequence AND c.amount = -NEW.amount
    ) AND EXISTS (
        SELECT 1 FROM progressives_meter m
        JOIN tables_gamingtable t ON t.progressive_id = m.progressive_id WHERE m.id = NEW.meter_id
    ) THEN
        RAISE EXCEPTION 'entry % of meter %: nobody claimed this award', NEW.sequence, NEW.meter_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER meter_award_is_claimed AFTER INSERT ON progressives_meterentry
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.kind = 'award' AND NEW.amount < 0)
    EXECUTE FUNCTION meter_award_is_claimed();
ALTER TABLE progressives_meterentry ENABLE ALWAYS TRIGGER meter_award_is_claimed;
"""
LEDGER_UNDO = """
DROP TRIGGER meter_award_is_claimed ON progressives_meterentry;
DROP FUNCTION meter_award_is_claimed();
DROP TRIGGER meter_entries_have_their_cause ON progressives_meterentry;
DROP FUNCTION meter_entries_have_their_cause();
DROP FUNCTION level_left_of(bigint, text, uuid, int);
"""

# Of a level's rates for one paytable and number of decks the last one written holds.
LEVELS = import_module("progressives.migrations.0005_level_guards")
RATES = LEVELS.RATE_SQL.partition("CREATE TRIGGER")[0]
RATES = RATES.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
RATES_SQL = RATES.replace(
    "WHERE x.meter_id = w.meter_id",
    """WHERE x.meter_id = w.meter_id AND NOT EXISTS (
                SELECT 1 FROM progressives_levelrate y WHERE y.meter_id = x.meter_id
                AND y.paytable = x.paytable AND y.decks = x.decks AND y.id > x.id)""",
)


class Migration(migrations.Migration):
    dependencies = [("progressives", "0014_control")]

    operations = [
        append_only("progressives_controlrequest"),
        append_only("progressives_controlstep"),
        append_only("progressives_controlleg"),
        append_only("progressives_meterretirement"),
        migrations.RunSQL(sql=OPERATION_SQL, reverse_sql=OPERATION_UNDO),
        migrations.RunSQL(sql=PERSONS_SQL, reverse_sql=PERSONS_UNDO),
        migrations.RunSQL(sql=STEPS_SQL, reverse_sql=STEPS_UNDO),
        migrations.RunSQL(sql=TERMS_SQL, reverse_sql=TERMS_UNDO),
        migrations.RunSQL(sql=LEGS_SQL, reverse_sql=LEGS_UNDO),
        migrations.RunSQL(sql=LEDGER_SQL, reverse_sql=LEDGER_UNDO),
        migrations.RunSQL(sql=RATES_SQL, reverse_sql=RATES),
    ]
