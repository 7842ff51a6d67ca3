"""Dossiers: asked for and answered once each, by two persons where the facility wants it."""

from typing import Any

import django.db.models.deletion
import django.db.models.functions.datetime
from django.apps.registry import Apps
from django.conf import settings
from django.contrib.auth.management import create_permissions
from django.db import migrations, models

from audit.guards import TRANSITION_STATE, append_only

STEP_SQL = f"""
CREATE FUNCTION dossier_step_follows() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE asked tables_dossierrequest; answer text;
BEGIN
    SELECT * INTO asked FROM tables_dossierrequest WHERE id = NEW.request_id;
    SELECT kind INTO answer FROM tables_dossierstep
        WHERE request_id = NEW.request_id AND kind <> 'exported';
    IF NEW.kind <> 'exported' AND (NEW.by_id = asked.by_id OR NOT asked.second_person) THEN
        RAISE EXCEPTION 'another person answers, where one is asked for'
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind = 'exported' AND (answer IS NOT DISTINCT FROM 'refused'
        OR (asked.second_person AND answer IS DISTINCT FROM 'approved')) THEN
        RAISE EXCEPTION 'nobody has agreed that dossier % leaves the house', NEW.request_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER dossier_step_follows BEFORE INSERT ON tables_dossierstep
    FOR EACH ROW EXECUTE FUNCTION dossier_step_follows();
ALTER TABLE tables_dossierstep ENABLE ALWAYS TRIGGER dossier_step_follows;
"""
STEP_UNDO = """
DROP TRIGGER dossier_step_follows ON tables_dossierstep;
DROP FUNCTION dossier_step_follows();
"""
MORE = {
    "surveillance": ["tables.export_round", "tables.approve_export"],
    "administrator": ["tables.approve_export", "audit.add_witness"],
}


def give_more(apps: Apps, schema_editor: Any) -> None:
    """Add these permissions to the groups that the house has."""
    from django.apps import apps as real

    for label in ("audit", "tables"):
        create_permissions(real.get_app_config(label), apps=real, verbosity=0)
    permission_of = apps.get_model("auth", "Permission").objects
    for name, wanted in MORE.items():
        group = apps.get_model("auth", "Group").objects.get(name=name)
        for permission in wanted:
            app, codename = permission.split(".")
            group.permissions.add(permission_of.get(content_type__app_label=app, codename=codename))


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0016_approvals_roles"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="facility",
            name="second_person_exports",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether another person must agree before a round's dossier leaves the house.",
            ),
        ),
        migrations.CreateModel(
            name="DossierRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("table", models.CharField(max_length=16)),
                ("round", models.PositiveBigIntegerField()),
                ("reason", models.TextField()),
                ("recipient", models.CharField(max_length=200)),
                ("second_person", models.BooleanField()),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "permissions": [
                    ("export_round", "Can ask for and take out a round's dossier"),
                    ("approve_export", "Can agree that a dossier leaves the house"),
                ],
            },
        ),
        migrations.CreateModel(
            name="DossierStep",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("approved", "Agreed to"),
                            ("refused", "Refused"),
                            ("exported", "Taken out"),
                        ],
                        max_length=8,
                    ),
                ),
                ("digest", models.CharField(blank=True, max_length=64)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "request",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="steps",
                        to="tables.dossierrequest",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.AddIndex(
            model_name="dossierrequest",
            index=models.Index(fields=["table", "round"], name="dossier_of_round"),
        ),
        migrations.AddConstraint(
            model_name="dossierrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("reason", ""), _negated=True),
                    models.Q(("recipient", ""), _negated=True),
                ),
                name="dossier_for_a_reason_and_a_recipient",
            ),
        ),
        migrations.AddConstraint(
            model_name="dossierstep",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind__in", ["approved", "refused"])),
                fields=("request",),
                name="dossier_answered_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="dossierstep",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("digest__gt", ""), ("kind", "exported")),
                    models.Q(models.Q(("kind", "exported"), _negated=True), ("digest", "")),
                    _connector="OR",
                ),
                name="dossier_taken_out_with_its_digest",
            ),
        ),
        append_only("tables_dossierrequest"),
        append_only("tables_dossierstep"),
        migrations.RunSQL(sql=STEP_SQL, reverse_sql=STEP_UNDO),
        migrations.RunPython(give_more, migrations.RunPython.noop),
    ]
