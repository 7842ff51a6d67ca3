"""Amendments of settled rounds: proposed by one person, decided by another, both in the ledger."""

from typing import Any

import django.db.models.deletion
import django.db.models.functions.datetime
from django.apps.registry import Apps
from django.conf import settings
from django.contrib.auth.management import create_permissions
from django.db import migrations, models

from audit.guards import TRANSITION_STATE, append_only

SEARCH_PATH = "SET search_path = pg_catalog, public, pg_temp"

DECISION_SQL = f"""
CREATE FUNCTION amendment_decided_by_another() RETURNS trigger
LANGUAGE plpgsql {SEARCH_PATH} AS $$
DECLARE
    asked record;
BEGIN
    SELECT a.* INTO STRICT asked FROM tables_roundamendment a WHERE a.id = NEW.amendment_id;
    IF NEW.by_id = asked.proposed_by_id OR NOT EXISTS (SELECT 1 FROM audit_user u
            WHERE u.id = NEW.by_id AND coalesce(u.staff_code, '') <> '') THEN
        RAISE EXCEPTION 'another person decides on amendment %', NEW.amendment_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind = 'approved' AND NOT EXISTS (
        SELECT 1 FROM progressives_roundadjustment j WHERE j.round_id = asked.round_id
        AND j.version = asked.version AND j.digest = asked.digest
        AND (j.proposed_by_id, j.approved_by_id) = (asked.proposed_by_id, NEW.by_id)
        AND j.transaction = (pg_current_xact_id()::text)::bigint) THEN
        RAISE EXCEPTION 'amendment % is approved and the ledger knows nothing of it',
            NEW.amendment_id USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER amendment_decided_by_another BEFORE INSERT ON tables_amendmentdecision
    FOR EACH ROW EXECUTE FUNCTION amendment_decided_by_another();
ALTER TABLE tables_amendmentdecision ENABLE ALWAYS TRIGGER amendment_decided_by_another;

-- The other way round, by the end of the transaction: no version of a round without its document.
CREATE FUNCTION adjustment_has_its_amendment() RETURNS trigger
LANGUAGE plpgsql {SEARCH_PATH} AS $$
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM tables_roundamendment a
        JOIN tables_amendmentdecision d ON d.amendment_id = a.id AND d.kind = 'approved'
        WHERE a.round_id = NEW.round_id AND a.version = NEW.version AND a.digest = NEW.digest
          AND (a.proposed_by_id, d.by_id) = (NEW.proposed_by_id, NEW.approved_by_id)) THEN
        RAISE EXCEPTION 'version % of round % at % has no approved document',
            NEW.version, NEW.round, NEW.table USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER adjustment_has_its_amendment
    AFTER INSERT ON progressives_roundadjustment DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION adjustment_has_its_amendment();
ALTER TABLE progressives_roundadjustment ENABLE ALWAYS TRIGGER adjustment_has_its_amendment;
"""
DECISION_UNDO = """
DROP TRIGGER adjustment_has_its_amendment ON progressives_roundadjustment;
DROP FUNCTION adjustment_has_its_amendment();
DROP TRIGGER amendment_decided_by_another ON tables_amendmentdecision;
DROP FUNCTION amendment_decided_by_another();
"""

READ = [
    *("tables.view_roundamendment", "tables.view_amendmentdecision"),
    "progressives.view_roundadjustment",
]
MORE: dict[str, list[str]] = {
    "pit manager": [*READ, "progressives.propose_roundadjustment"],
    "surveillance": [*READ, "progressives.propose_roundadjustment"],
    "accounting": [
        *READ,
        "progressives.propose_roundadjustment",
        "progressives.approve_roundadjustment",
    ],
    "auditor": READ,
    "administrator": READ,
}


def give_more(apps: Apps, schema_editor: Any) -> None:
    """Add these permissions to the groups that the house has."""
    from django.apps import apps as real

    for label in ("tables", "progressives"):
        create_permissions(real.get_app_config(label), apps=real, verbosity=0)
    permission_of = apps.get_model("auth", "Permission").objects
    for name, wanted in MORE.items():
        group = apps.get_model("auth", "Group").objects.get(name=name)
        for permission in wanted:
            app, codename = permission.split(".")
            found = permission_of.get(content_type__app_label=app, codename=codename)
            group.permissions.add(found)


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0018_case_roles"),
        ("progressives", "0017_amended"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="RoundAmendment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.PositiveSmallIntegerField()),
                ("document", models.BinaryField()),
                ("rules", models.CharField(max_length=120)),
                ("outcome", models.JSONField()),
                ("effects", models.JSONField()),
                ("digest", models.CharField(max_length=64)),
                ("reason", models.TextField()),
                (
                    "proposed_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "proposed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="amendments",
                        to="tables.round",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="AmendmentDecision",
            fields=[
                (
                    "amendment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="decision",
                        serialize=False,
                        to="tables.roundamendment",
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("approved", "Approved"), ("refused", "Refused")], max_length=8
                    ),
                ),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("remark", models.TextField(blank=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="roundamendment",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), _negated=True), name="amendment_has_a_reason"
            ),
        ),
        migrations.AddConstraint(
            model_name="roundamendment",
            constraint=models.CheckConstraint(
                condition=models.Q(("version__gte", 2)), name="amendment_follows_the_first"
            ),
        ),
        migrations.AddConstraint(
            model_name="amendmentdecision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("kind", "approved"), models.Q(("remark", ""), _negated=True), _connector="OR"
                ),
                name="amendment_refused_for_a_reason",
            ),
        ),
        append_only("tables_roundamendment"),
        append_only("tables_amendmentdecision"),
        migrations.RunSQL(sql=DECISION_SQL, reverse_sql=DECISION_UNDO),
        migrations.RunPython(give_more, migrations.RunPython.noop),
    ]
