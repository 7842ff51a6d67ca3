"""Rules submissions under two-person control, held by PostgreSQL itself."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from audit.guards import TRANSITION_STATE, append_only

# The service says it in friendlier words; this is for every other way to the table, superusers'
# too. A set-up file's submissions have no proposer and are approved by the set-up.
PERSONS_SQL = f"""
CREATE FUNCTION approval_by_a_second_person() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    asked record;
    code text;
BEGIN
    SELECT s.game, s.effective, s.proposed_by_id INTO STRICT asked
        FROM tables_rulessubmission s WHERE s.id = NEW.submission_id;
    IF (asked.game, asked.effective) IS DISTINCT FROM (NEW.game, NEW.effective) THEN
        RAISE EXCEPTION 'an approval repeats game and day of its submission'
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF (NEW.kind = 'set_up') <> (asked.proposed_by_id IS NULL) THEN
        RAISE EXCEPTION 'a submission is decided on the way it came: set-up or two persons'
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind = 'set_up' THEN
        RETURN NEW;
    END IF;
    IF asked.proposed_by_id = NEW.by_id THEN
        RAISE EXCEPTION 'nobody decides on his own submission'
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    SELECT u.staff_code INTO code FROM audit_user u WHERE u.id = NEW.by_id;
    IF coalesce(code, '') = '' THEN
        RAISE EXCEPTION 'nobody without a staff code decides on a submission'
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER approval_by_a_second_person BEFORE INSERT ON tables_submissionapproval
    FOR EACH ROW EXECUTE FUNCTION approval_by_a_second_person();
ALTER TABLE tables_submissionapproval ENABLE ALWAYS TRIGGER approval_by_a_second_person;
"""

PERSONS_UNDO = """
DROP TRIGGER approval_by_a_second_person ON tables_submissionapproval;
DROP FUNCTION approval_by_a_second_person();
"""

# What was recorded before there were approvals came from set-up files and was in force. Last, since
# its foreign keys are checked at the end of the transaction and nothing may be altered in between.
RECORDED_SQL = """
INSERT INTO tables_submissionapproval (submission_id, kind, game, effective, remark)
SELECT id, 'set_up', game, effective, '' FROM tables_rulessubmission;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0004_watch"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SubmissionApproval",
            fields=[
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="approval",
                        serialize=False,
                        to="tables.rulessubmission",
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("set_up", "Approved with the set-up"),
                            ("approved", "Approved"),
                            ("refused", "Refused"),
                        ],
                        max_length=8,
                    ),
                ),
                ("game", models.CharField(max_length=32)),
                ("effective", models.DateField()),
                ("remark", models.TextField(blank=True)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "permissions": [
                    ("approve_rulessubmission", "Can approve or refuse a rules submission")
                ],
            },
        ),
        migrations.AlterModelOptions(
            name="rulessubmission",
            options={
                "ordering": ["game", "effective", "pk"],
                "permissions": [("propose_rulessubmission", "Can propose a rules submission")],
            },
        ),
        migrations.RemoveConstraint(
            model_name="rulessubmission",
            name="submission_day_once",
        ),
        migrations.AddField(
            model_name="rulessubmission",
            name="proposed_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="proposals",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="rulessubmission",
            name="reason",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="submissionapproval",
            name="by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="approvals",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="submissionapproval",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "refused"), _negated=True),
                fields=("game", "effective"),
                name="approved_submission_day_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="submissionapproval",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("by__isnull", True), ("kind", "set_up")),
                    models.Q(models.Q(("kind", "set_up"), _negated=True), ("by__isnull", False)),
                    _connector="OR",
                ),
                name="approval_by_a_person_unless_set_up",
            ),
        ),
        append_only("tables_submissionapproval"),
        migrations.RunSQL(sql=PERSONS_SQL, reverse_sql=PERSONS_UNDO),
        migrations.RunSQL(sql=RECORDED_SQL, reverse_sql=migrations.RunSQL.noop),
    ]
