"""What PostgreSQL holds of a close: two people, one way, and nothing moves behind the fence."""

from typing import Any

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

from audit.guards import TRANSITION_STATE, append_only

CLOSE_SQL = f"""
CREATE FUNCTION close_goes_one_way() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    free text[] := ARRAY['state', 'prepared_by_id', 'reviewed_by_id', 'figures', 'digest',
                         'retold', 'heads', 'head'];
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'the close of % is never deleted', OLD.gaming_day
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF NEW.state <> 'draft' THEN
            RAISE EXCEPTION 'a close begins unsigned, not %', NEW.state
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
        IF EXISTS (SELECT 1 FROM progressives_gamingdayclose c
                   WHERE c.gaming_day >= NEW.gaming_day OR c.state <> 'closed') THEN
            RAISE EXCEPTION 'days are closed one after the other: not % now', NEW.gaming_day
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
        RETURN NEW;
    END IF;
    IF (to_jsonb(NEW) - free) IS DISTINCT FROM (to_jsonb(OLD) - free) THEN
        RAISE EXCEPTION 'the fence of % stays where it is', OLD.gaming_day
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF (OLD.state, NEW.state) NOT IN (
        ('draft', 'prepared'), ('prepared', 'draft'), ('prepared', 'closed')
    ) THEN
        RAISE EXCEPTION 'the close of % cannot go from % to %',
            OLD.gaming_day, OLD.state, NEW.state USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.state = 'closed' AND (
        (NEW.figures, NEW.digest, NEW.prepared_by_id)
            IS DISTINCT FROM (OLD.figures, OLD.digest, OLD.prepared_by_id)
    ) THEN
        RAISE EXCEPTION 'the figures of % are signed', OLD.gaming_day
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER close_goes_one_way BEFORE INSERT OR UPDATE OR DELETE
    ON progressives_gamingdayclose FOR EACH ROW EXECUTE FUNCTION close_goes_one_way();
CREATE TRIGGER close_truncate BEFORE TRUNCATE ON progressives_gamingdayclose
    FOR EACH STATEMENT EXECUTE FUNCTION append_only();
ALTER TABLE progressives_gamingdayclose ENABLE ALWAYS TRIGGER close_goes_one_way;
ALTER TABLE progressives_gamingdayclose ENABLE ALWAYS TRIGGER close_truncate;

-- A signature without its step, or of somebody else than the step says, is refused at commit.
CREATE FUNCTION close_is_signed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    now_is record;
    last record;
BEGIN
    SELECT * INTO STRICT now_is FROM progressives_gamingdayclose c WHERE c.id = NEW.id;
    SELECT s.kind, s.by_id, s.digest INTO last FROM progressives_closestep s
        WHERE s.close_id = NEW.id ORDER BY s.id DESC LIMIT 1;
    IF (now_is.state = 'prepared' AND
            (last.kind, last.by_id, last.digest)
            IS DISTINCT FROM ('prepared'::varchar, now_is.prepared_by_id, now_is.digest))
       OR (now_is.state = 'closed' AND
            (last.kind, last.by_id, last.digest)
            IS DISTINCT FROM ('closed'::varchar, now_is.reviewed_by_id, now_is.digest))
       OR (now_is.state = 'draft' AND coalesce(last.kind, '') NOT IN ('fenced', 'sent_back')) THEN
        RAISE EXCEPTION 'the close of % is % without anybody having done it',
            NEW.gaming_day, now_is.state USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER close_is_signed AFTER INSERT OR UPDATE ON progressives_gamingdayclose
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION close_is_signed();
ALTER TABLE progressives_gamingdayclose ENABLE ALWAYS TRIGGER close_is_signed;

-- The services say it in friendlier words; this is for every other way to the table.
CREATE FUNCTION close_step_by_the_right_person() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    held record;
    code text;
BEGIN
    SELECT c.gaming_day, c.state, c.prepared_by_id INTO STRICT held
        FROM progressives_gamingdayclose c WHERE c.id = NEW.close_id;
    SELECT u.staff_code INTO code FROM audit_user u WHERE u.id = NEW.by_id;
    IF coalesce(code, '') = '' THEN
        RAISE EXCEPTION 'nobody without a staff code signs the close of %', held.gaming_day
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind IN ('closed', 'sent_back') AND (
        NEW.by_id = held.prepared_by_id
        OR NEW.by_id = (SELECT s.by_id FROM progressives_closestep s
                        WHERE s.close_id = NEW.close_id AND s.kind = 'prepared'
                        ORDER BY s.id DESC LIMIT 1)
    ) THEN
        RAISE EXCEPTION 'the close of % needs a second person to review it', held.gaming_day
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER close_step_by_the_right_person BEFORE INSERT ON progressives_closestep
    FOR EACH ROW EXECUTE FUNCTION close_step_by_the_right_person();
ALTER TABLE progressives_closestep ENABLE ALWAYS TRIGGER close_step_by_the_right_person;

-- Readings and counts belong to a day that is ended and not signed.
CREATE FUNCTION entered_before_the_signature() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM progressives_gamingdayclose c
                   WHERE c.gaming_day = NEW.gaming_day AND c.state = 'draft') THEN
        RAISE EXCEPTION 'gaming day % takes no entries now', NEW.gaming_day
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER entered_before_the_signature BEFORE INSERT ON progressives_meterreading
    FOR EACH ROW EXECUTE FUNCTION entered_before_the_signature();
CREATE TRIGGER entered_before_the_signature BEFORE INSERT ON progressives_chipcount
    FOR EACH ROW EXECUTE FUNCTION entered_before_the_signature();
ALTER TABLE progressives_meterreading ENABLE ALWAYS TRIGGER entered_before_the_signature;
ALTER TABLE progressives_chipcount ENABLE ALWAYS TRIGGER entered_before_the_signature;

-- Nothing joins a day behind its fence, and no lane goes back over one.
CREATE FUNCTION lane_stays_beyond_the_fence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.gaming_day IS NOT NULL AND NEW.gaming_day IS DISTINCT FROM OLD.gaming_day AND (
        NEW.gaming_day < OLD.gaming_day
        OR EXISTS (SELECT 1 FROM progressives_gamingdayclose c
                   WHERE c.gaming_day >= NEW.gaming_day)
    ) THEN
        RAISE EXCEPTION 'lane % does not go back to %', NEW.name, NEW.gaming_day
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER lane_stays_beyond_the_fence BEFORE UPDATE OF gaming_day ON progressives_lane
    FOR EACH ROW EXECUTE FUNCTION lane_stays_beyond_the_fence();
ALTER TABLE progressives_lane ENABLE ALWAYS TRIGGER lane_stays_beyond_the_fence;

CREATE FUNCTION lane_begins_beyond_the_fence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.gaming_day := greatest(
        NEW.gaming_day, (SELECT max(c.gaming_day) + 1 FROM progressives_gamingdayclose c)
    );
    RETURN NEW;
END $$;
CREATE TRIGGER lane_begins_beyond_the_fence BEFORE INSERT ON progressives_lane
    FOR EACH ROW EXECUTE FUNCTION lane_begins_beyond_the_fence();
ALTER TABLE progressives_lane ENABLE ALWAYS TRIGGER lane_begins_beyond_the_fence;

CREATE FUNCTION entries_stay_beyond_the_fence() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    fence date := (SELECT max(c.gaming_day) FROM progressives_gamingdayclose c);
    first date;
BEGIN
    IF fence IS NULL THEN
        RETURN NULL;
    END IF;
    SELECT min(n.gaming_day) INTO first FROM fresh n;
    IF first <= fence THEN
        RAISE EXCEPTION 'gaming day % is behind its fence', first
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER entries_stay_beyond_the_fence AFTER INSERT ON progressives_meterentry
    REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION entries_stay_beyond_the_fence();
ALTER TABLE progressives_meterentry ENABLE ALWAYS TRIGGER entries_stay_beyond_the_fence;
"""

CLOSE_UNDO = """
DROP TRIGGER entries_stay_beyond_the_fence ON progressives_meterentry;
DROP FUNCTION entries_stay_beyond_the_fence();
DROP TRIGGER lane_begins_beyond_the_fence ON progressives_lane;
DROP FUNCTION lane_begins_beyond_the_fence();
DROP TRIGGER lane_stays_beyond_the_fence ON progressives_lane;
DROP FUNCTION lane_stays_beyond_the_fence();
DROP TRIGGER entered_before_the_signature ON progressives_chipcount;
DROP TRIGGER entered_before_the_signature ON progressives_meterreading;
DROP FUNCTION entered_before_the_signature();
DROP TRIGGER close_step_by_the_right_person ON progressives_closestep;
DROP FUNCTION close_step_by_the_right_person();
DROP TRIGGER close_is_signed ON progressives_gamingdayclose;
DROP FUNCTION close_is_signed();
DROP TRIGGER close_truncate ON progressives_gamingdayclose;
DROP TRIGGER close_goes_one_way ON progressives_gamingdayclose;
DROP FUNCTION close_goes_one_way();
"""

READ = [f"view_{model}" for model in ("gamingdayclose", "closestep", "meterreading", "chipcount")]
# Accounting prepares; another of accounting reviews, or an auditor, who could never prepare.
ROLES = {
    "accounting": [*READ, "prepare_gamingdayclose", "review_gamingdayclose"],
    "auditor": [*READ, "review_gamingdayclose"],
    "surveillance": READ,
    "administrator": READ,
}


def give(apps: Apps, schema_editor: Any) -> None:
    """Give each role its permissions."""
    from django.apps import apps as real

    create_permissions(real.get_app_config("progressives"), apps=real, verbosity=0)
    group_of = apps.get_model("auth", "Group").objects
    permission_of = apps.get_model("auth", "Permission").objects
    for name, wanted in ROLES.items():
        found = permission_of.filter(content_type__app_label="progressives", codename__in=wanted)
        group_of.get(name=name).permissions.add(*found)


def take(apps: Apps, schema_editor: Any) -> None:
    """Take them away again."""
    permission_of = apps.get_model("auth", "Permission").objects
    for name, wanted in ROLES.items():
        group = apps.get_model("auth", "Group").objects.filter(name=name).first()
        if group is not None:
            group.permissions.remove(
                *permission_of.filter(content_type__app_label="progressives", codename__in=wanted)
            )


class Migration(migrations.Migration):
    dependencies = [
        ("progressives", "0006_day_close"),
        ("audit", "0002_append_only"),
        ("tables", "0003_roles"),
    ]

    operations = [
        append_only("progressives_closestep"),
        append_only("progressives_meterreading"),
        append_only("progressives_chipcount"),
        migrations.RunSQL(sql=CLOSE_SQL, reverse_sql=CLOSE_UNDO),
        migrations.RunPython(give, take),
    ]
