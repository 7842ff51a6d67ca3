"""Further progressives of a table: all in its lane, and different games only with a reason."""

from importlib import import_module
from typing import Any

import django.db.models.deletion
from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations, models

from audit.guards import TRANSITION_STATE, append_only

LINKS_SQL = f"""
-- Every table of a progressive plays one game, unless it is recorded why that is fair. One link at
-- a time, so that two tables linked at once see each other.
CREATE FUNCTION progressive_links_fairly(linked bigint) RETURNS void LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(605008, linked::int);
    IF (SELECT count(DISTINCT t.game) FROM tables_gamingtable t WHERE t.progressive_id = linked
            OR EXISTS (SELECT 1 FROM tables_tableprogressive f
                       WHERE f.table_id = t.id AND f.progressive_id = linked)) > 1
        AND NOT EXISTS (
            SELECT 1 FROM progressives_linkstatement s WHERE s.progressive_id = linked) THEN
        RAISE EXCEPTION 'progressive % links different games, and nothing says why that is fair',
            linked USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
END $$;

CREATE FUNCTION table_shares_its_lane() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE linked bigint;
BEGIN
    IF EXISTS (
        SELECT 1 FROM progressives_progressive p
        WHERE p.id = NEW.progressive_id AND p.lane_id <> NEW.lane_id
    ) OR EXISTS (
        SELECT 1 FROM tables_tableprogressive f
        JOIN progressives_progressive p ON p.id = f.progressive_id
        WHERE f.table_id = NEW.id
          AND (p.lane_id <> NEW.lane_id OR f.progressive_id = NEW.progressive_id)
    ) THEN
        RAISE EXCEPTION 'table % and all its progressives are in one lane', NEW.code
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    FOR linked IN
        SELECT NEW.progressive_id WHERE NEW.progressive_id IS NOT NULL UNION
        SELECT f.progressive_id FROM tables_tableprogressive f WHERE f.table_id = NEW.id ORDER BY 1
    LOOP
        PERFORM progressive_links_fairly(linked);
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER table_shares_its_lane AFTER INSERT OR UPDATE OF lane_id, progressive_id, game
    ON tables_gamingtable FOR EACH ROW EXECUTE FUNCTION table_shares_its_lane();
ALTER TABLE tables_gamingtable ENABLE ALWAYS TRIGGER table_shares_its_lane;

CREATE FUNCTION table_feeds_in_its_lane() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM tables_gamingtable t WHERE t.id = NEW.table_id FOR NO KEY UPDATE;
    IF NOT EXISTS (
        SELECT 1 FROM tables_gamingtable t
        JOIN progressives_progressive p ON p.id = NEW.progressive_id
        WHERE t.id = NEW.table_id AND p.lane_id = t.lane_id
          AND t.progressive_id IS DISTINCT FROM NEW.progressive_id
    ) THEN
        RAISE EXCEPTION 'table % and all its progressives are in one lane', NEW.table_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    PERFORM progressive_links_fairly(NEW.progressive_id);
    RETURN NULL;
END $$;
CREATE TRIGGER table_feeds_in_its_lane AFTER INSERT ON tables_tableprogressive
    FOR EACH ROW EXECUTE FUNCTION table_feeds_in_its_lane();
ALTER TABLE tables_tableprogressive ENABLE ALWAYS TRIGGER table_feeds_in_its_lane;
"""

# An award of a further progressive has its claim too, by the end of the transaction.
CONTROL = import_module("progressives.migrations.0015_control_guards")
CLAIMED = CONTROL.LEDGER_SQL.partition("CREATE FUNCTION meter_award_is_claimed()")[2]
CLAIMED = "CREATE OR REPLACE FUNCTION meter_award_is_claimed()" + CLAIMED.partition("END $$;")[0]
CLAIMED_UNDO = CLAIMED + "END $$;"
CLAIMED_SQL = CLAIMED_UNDO.replace(
    "JOIN tables_gamingtable t ON t.progressive_id = m.progressive_id WHERE m.id = NEW.meter_id",
    """WHERE m.id = NEW.meter_id AND (EXISTS (
            SELECT 1 FROM tables_gamingtable t WHERE t.progressive_id = m.progressive_id)
        OR EXISTS (
            SELECT 1 FROM tables_tableprogressive f WHERE f.progressive_id = m.progressive_id))""",
)

LINKS_UNDO = """
DROP TRIGGER table_feeds_in_its_lane ON tables_tableprogressive;
DROP FUNCTION table_feeds_in_its_lane();
DROP TRIGGER table_shares_its_lane ON tables_gamingtable;
DROP FUNCTION table_shares_its_lane();
DROP FUNCTION progressive_links_fairly(bigint);
"""

READERS = ("accounting", "auditor", "administrator", "surveillance")


def give(apps: Apps, schema_editor: Any) -> None:
    """Let whoever reads tables' records read which progressives each feeds."""
    from django.apps import apps as real

    create_permissions(real.get_app_config("tables"), apps=real, verbosity=0)
    wanted = apps.get_model("auth", "Permission").objects.get(
        content_type__app_label="tables", codename="view_tableprogressive"
    )
    for group in apps.get_model("auth", "Group").objects.filter(name__in=READERS):
        group.permissions.add(wanted)


class Migration(migrations.Migration):
    dependencies = [
        ("progressives", "0019_must_hit_guards"),
        ("tables", "0019_amendments"),
    ]

    operations = [
        migrations.CreateModel(
            name="TableProgressive",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("wager", models.CharField(max_length=24)),
                (
                    "progressive",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="also_fed_by",
                        to="progressives.progressive",
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="also_feeds",
                        to="tables.gamingtable",
                    ),
                ),
            ],
            options={
                "ordering": ["table", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("table", "progressive"), name="table_feeds_a_progressive_once"
                    )
                ],
            },
        ),
        append_only("tables_tableprogressive"),
        migrations.RunSQL(sql=LINKS_SQL, reverse_sql=LINKS_UNDO),
        migrations.RunSQL(sql=CLAIMED_SQL, reverse_sql=CLAIMED_UNDO),
        migrations.RunPython(give, migrations.RunPython.noop),
    ]
