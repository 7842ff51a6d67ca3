"""Signed checkpoints over the log, their keys, copies and witnesses: written once, in order."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from audit.guards import TRANSITION_STATE, append_only

# Whoever may add rows may not add a checkpoint beside or behind the last one.
ORDER_SQL = f"""
CREATE FUNCTION checkpoint_goes_on() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE last_number bigint; last_size bigint;
BEGIN
    SELECT number, size INTO last_number, last_size FROM audit_checkpoint
        ORDER BY number DESC LIMIT 1;
    IF NEW.number <> coalesce(last_number, 0) + 1 OR NEW.size <= coalesce(last_size, 0) THEN
        RAISE EXCEPTION 'checkpoint % of % does not go on from the last one', NEW.number, NEW.size
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER checkpoint_goes_on BEFORE INSERT ON audit_checkpoint
    FOR EACH ROW EXECUTE FUNCTION checkpoint_goes_on();
ALTER TABLE audit_checkpoint ENABLE ALWAYS TRIGGER checkpoint_goes_on;
"""
ORDER_UNDO = """
DROP TRIGGER checkpoint_goes_on ON audit_checkpoint;
DROP FUNCTION checkpoint_goes_on();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0005_working_rows"),
    ]

    operations = [
        migrations.CreateModel(
            name="SignerKey",
            fields=[
                ("number", models.PositiveIntegerField(primary_key=True, serialize=False)),
                ("key", models.CharField(max_length=200, unique=True)),
                ("endorsement", models.TextField(blank=True)),
                (
                    "made_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("number", 1),
                            models.Q(("endorsement", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="signer_key_named_by_the_one_before",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Checkpoint",
            fields=[
                ("number", models.PositiveBigIntegerField(primary_key=True, serialize=False)),
                ("size", models.PositiveBigIntegerField(unique=True)),
                ("root", models.BinaryField(max_length=32)),
                ("edge", models.JSONField()),
                ("heads", models.JSONField()),
                ("note", models.TextField()),
                (
                    "made_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, to="audit.signerkey"
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
            },
        ),
        migrations.CreateModel(
            name="Witness",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=200, unique=True)),
                (
                    "added_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "added_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "witnesses",
            },
        ),
        migrations.CreateModel(
            name="CheckpointCopy",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sink", models.CharField(max_length=200)),
                (
                    "made_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "checkpoint",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="copies",
                        to="audit.checkpoint",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("checkpoint", "sink"), name="checkpoint_copy_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Cosignature",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("line", models.TextField()),
                ("seen_at", models.DateTimeField()),
                (
                    "checkpoint",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="cosignatures",
                        to="audit.checkpoint",
                    ),
                ),
                (
                    "witness",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, to="audit.witness"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("checkpoint", "witness"), name="cosigned_once")
                ],
            },
        ),
        append_only("audit_signerkey"),
        append_only("audit_checkpoint"),
        append_only("audit_checkpointcopy"),
        append_only("audit_witness"),
        append_only("audit_cosignature"),
        migrations.RunSQL(sql=ORDER_SQL, reverse_sql=ORDER_UNDO),
    ]
