"""What PostgreSQL holds of levels that must hit, and of links between different games."""

from typing import Any

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

from audit.guards import TRANSITION_STATE, append_only

DRAW_SQL = f"""
CREATE FUNCTION must_hit_draw_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM progressives_meter m WHERE m.id = NEW.meter_id
        AND (m.must_hit_from, m.must_hit_by) = (NEW.low, NEW.high)
    ) OR NEW.commitment !~ '^[0-9a-f]{{64}}$' OR NEW.number IS DISTINCT FROM 1 + (
        SELECT count(*) FROM progressives_musthitdraw d
        JOIN progressives_musthitreveal r ON r.draw_id = d.id WHERE d.meter_id = NEW.meter_id
    ) THEN
        RAISE EXCEPTION 'draw % of meter % does not follow: the last one is still hidden, or its'
            ' bounds are others', NEW.number, NEW.meter_id USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER must_hit_draw_follows BEFORE INSERT ON progressives_musthitdraw
    FOR EACH ROW EXECUTE FUNCTION must_hit_draw_follows();
ALTER TABLE progressives_musthitdraw ENABLE ALWAYS TRIGGER must_hit_draw_follows;

-- What is told must be what was promised, and the award it was told for must be there.
CREATE FUNCTION must_hit_reveal_is_true() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE d record;
BEGIN
    SELECT w.*, p.code || ':' || m.level AS name INTO STRICT d
        FROM progressives_musthitdraw w JOIN progressives_meter m ON m.id = w.meter_id
        JOIN progressives_progressive p ON p.id = m.progressive_id WHERE w.id = NEW.draw_id;
    IF NEW.value NOT BETWEEN d.low AND d.high OR d.commitment <> encode(sha256(convert_to(
        concat_ws('|', 'must_hit/1', d.name, d.number, d.low, d.high, NEW.value, NEW.salt),
        'UTF8')), 'hex') THEN
        RAISE EXCEPTION 'draw % of meter % was not what is told now', d.number, d.meter_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NOT EXISTS (
        SELECT 1 FROM progressives_meterentry e
        JOIN progressives_meterentry c ON c.meter_id = e.meter_id AND c.sequence = e.sequence - 1
        WHERE e.meter_id = d.meter_id AND e.sequence = NEW.entry_sequence
          AND e.kind = 'award' AND e.before >= NEW.value
          AND -e.amount = least(trunc(e.before, 2), d.high)
          AND c.kind = 'contribution'
          AND (c.round_id, c.position) = (e.round_id, e.position)
    ) THEN
        RAISE EXCEPTION 'meter % was not won by a wager at entry %', d.meter_id, NEW.entry_sequence
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER must_hit_reveal_is_true BEFORE INSERT ON progressives_musthitreveal
    FOR EACH ROW EXECUTE FUNCTION must_hit_reveal_is_true();
ALTER TABLE progressives_musthitreveal ENABLE ALWAYS TRIGGER must_hit_reveal_is_true;

CREATE FUNCTION must_hit_bounds_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.must_hit_from, NEW.must_hit_by) IS DISTINCT FROM (OLD.must_hit_from, OLD.must_hit_by)
    THEN
        RAISE EXCEPTION 'by what amount meter % must hit is fixed', OLD.id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER must_hit_bounds_stay BEFORE UPDATE OF must_hit_from, must_hit_by
    ON progressives_meter FOR EACH ROW EXECUTE FUNCTION must_hit_bounds_stay();
ALTER TABLE progressives_meter ENABLE ALWAYS TRIGGER must_hit_bounds_stay;

-- At each commit one draw is hidden, and every award was revealed.
CREATE FUNCTION must_hit_has_its_draw() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE drawn bigint; told bigint; awarded bigint;
BEGIN
    SELECT count(*), count(r.draw_id) INTO drawn, told FROM progressives_musthitdraw d
        LEFT JOIN progressives_musthitreveal r ON r.draw_id = d.id WHERE d.meter_id = NEW.id;
    SELECT count(*) INTO awarded FROM progressives_meterentry e
        WHERE e.meter_id = NEW.id AND e.kind = 'award';
    IF drawn <> told + 1 OR told <> awarded THEN
        RAISE EXCEPTION 'meter %: % draws, % revealed, % awards', NEW.id, drawn, told, awarded
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER must_hit_has_its_draw AFTER INSERT OR UPDATE ON progressives_meter
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.must_hit_by IS NOT NULL)
    EXECUTE FUNCTION must_hit_has_its_draw();
ALTER TABLE progressives_meter ENABLE ALWAYS TRIGGER must_hit_has_its_draw;
"""

DRAW_UNDO = """
DROP TRIGGER must_hit_has_its_draw ON progressives_meter;
DROP FUNCTION must_hit_has_its_draw();
DROP TRIGGER must_hit_bounds_stay ON progressives_meter;
DROP FUNCTION must_hit_bounds_stay();
DROP TRIGGER must_hit_reveal_is_true ON progressives_musthitreveal;
DROP FUNCTION must_hit_reveal_is_true();
DROP TRIGGER must_hit_draw_follows ON progressives_musthitdraw;
DROP FUNCTION must_hit_draw_follows();
"""

READERS = ("accounting", "auditor", "administrator", "surveillance")
READ = ("view_musthitdraw", "view_musthitreveal", "view_linkstatement")


def give(apps: Apps, schema_editor: Any) -> None:
    """Let whoever reads the ledger read what was promised and told."""
    from django.apps import apps as real

    create_permissions(real.get_app_config("progressives"), apps=real, verbosity=0)
    for group, permissions in found(apps):
        group.permissions.add(*permissions)


def take_away(apps: Apps, schema_editor: Any) -> None:
    for group, permissions in found(apps):
        group.permissions.remove(*permissions)


def found(apps: Apps) -> list[tuple[Any, list[Any]]]:
    wanted = apps.get_model("auth", "Permission").objects.filter(
        content_type__app_label="progressives", codename__in=READ
    )
    groups = apps.get_model("auth", "Group").objects.filter(name__in=READERS)
    return [(group, list(wanted)) for group in groups]


class Migration(migrations.Migration):
    dependencies = [("progressives", "0018_must_hit"), ("tables", "0003_roles")]

    operations = [
        append_only("progressives_musthitdraw"),
        append_only("progressives_musthitreveal"),
        append_only("progressives_linkstatement"),
        migrations.RunSQL(sql=DRAW_SQL, reverse_sql=DRAW_UNDO),
        migrations.RunPython(give, take_away),
    ]
