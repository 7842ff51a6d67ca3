"""Snapshots are true and never go back; a table's payout meters move only when a claim is paid."""

from typing import Any

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

from audit.guards import TRANSITION_STATE, append_only

SNAPSHOT_SQL = f"""
CREATE FUNCTION meter_snapshot_is_true() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE earlier record;
BEGIN
    IF NEW.value <> coalesce((SELECT e.after FROM progressives_meterentry e
            WHERE e.meter_id = NEW.meter_id AND e.sequence = NEW.sequence), 0) THEN
        RAISE EXCEPTION 'meter % did not stand at % after entry %',
            NEW.meter_id, NEW.value, NEW.sequence USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    SELECT * INTO earlier FROM progressives_metersnapshot r
        WHERE r.meter_id = NEW.meter_id AND r.sequence <= NEW.sequence
        ORDER BY r.sequence DESC, r.id DESC LIMIT 1;
    IF FOUND AND (NEW.wagers < earlier.wagers OR NEW.wagered < earlier.wagered
            OR NEW.contributed < earlier.contributed OR NEW.reversed < earlier.reversed
            OR NEW.hits < earlier.hits OR NEW.won < earlier.won
            OR NEW.put_back < earlier.put_back) THEN
        RAISE EXCEPTION 'the counts of meter % never go back', NEW.meter_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER meter_snapshot_is_true BEFORE INSERT ON progressives_metersnapshot
    FOR EACH ROW EXECUTE FUNCTION meter_snapshot_is_true();
ALTER TABLE progressives_metersnapshot ENABLE ALWAYS TRIGGER meter_snapshot_is_true;
"""

SNAPSHOT_UNDO = """
DROP TRIGGER meter_snapshot_is_true ON progressives_metersnapshot;
DROP FUNCTION meter_snapshot_is_true();
"""

PAYOUT_SQL = f"""
INSERT INTO progressives_tablepayout (table_alias, payouts, attendant_paid, machine_paid, cumulative)
SELECT c."table", count(*), sum(c.amount), 0, sum(c.amount) FROM progressives_jackpotclaim c
WHERE c.state = 'paid' GROUP BY c."table";

CREATE FUNCTION table_payout_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO progressives_tablepayout AS p
        (table_alias, payouts, attendant_paid, machine_paid, cumulative)
    SELECT c."table", 1, c.amount, 0, c.amount FROM progressives_jackpotclaim c
        WHERE c.id = NEW.claim_id
    ON CONFLICT (table_alias) DO UPDATE SET payouts = p.payouts + 1,
        attendant_paid = p.attendant_paid + EXCLUDED.attendant_paid,
        cumulative = p.cumulative + EXCLUDED.cumulative;
    RETURN NULL;
END $$;
CREATE TRIGGER table_payout_counts AFTER INSERT ON progressives_claimstep
    FOR EACH ROW WHEN (NEW.kind = 'paid') EXECUTE FUNCTION table_payout_counts();
ALTER TABLE progressives_claimstep ENABLE ALWAYS TRIGGER table_payout_counts;

CREATE FUNCTION table_payout_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP IN ('DELETE', 'TRUNCATE') OR pg_trigger_depth() < 2
        OR TG_OP = 'UPDATE' AND (NEW.payouts <= OLD.payouts
            OR NEW.attendant_paid < OLD.attendant_paid OR NEW.machine_paid < OLD.machine_paid) THEN
        RAISE EXCEPTION 'a table''s payout meters move only when a claim is paid'
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER table_payout_only_grows BEFORE INSERT OR UPDATE OR DELETE
    ON progressives_tablepayout FOR EACH ROW EXECUTE FUNCTION table_payout_only_grows();
CREATE TRIGGER table_payout_truncate BEFORE TRUNCATE ON progressives_tablepayout
    FOR EACH STATEMENT EXECUTE FUNCTION table_payout_only_grows();
ALTER TABLE progressives_tablepayout ENABLE ALWAYS TRIGGER table_payout_only_grows;
ALTER TABLE progressives_tablepayout ENABLE ALWAYS TRIGGER table_payout_truncate;
""".replace("table_alias", '"table"')

PAYOUT_UNDO = """
DROP TRIGGER table_payout_truncate ON progressives_tablepayout;
DROP TRIGGER table_payout_only_grows ON progressives_tablepayout;
DROP FUNCTION table_payout_only_grows();
DROP TRIGGER table_payout_counts ON progressives_claimstep;
DROP FUNCTION table_payout_counts();
"""

READERS = ("accounting", "auditor", "administrator", "surveillance")
READ = ("view_metersnapshot", "view_tablepayout", "view_levelrate")


def give(apps: Apps, schema_editor: Any) -> None:
    """Let whoever reads the ledger read its snapshots."""
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
    dependencies = [("progressives", "0011_snapshots"), ("tables", "0003_roles")]

    operations = [
        append_only("progressives_metersnapshot"),
        migrations.RunSQL(sql=SNAPSHOT_SQL, reverse_sql=SNAPSHOT_UNDO),
        migrations.RunSQL(sql=PAYOUT_SQL, reverse_sql=PAYOUT_UNDO),
        migrations.RunPython(give, take_away),
    ]
