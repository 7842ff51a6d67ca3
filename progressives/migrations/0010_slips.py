"""Payout slips: numbers without a gap, given by PostgreSQL itself; nothing is paid without one."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from audit.guards import TRANSITION_STATE, append_only

# The number comes from the counter's row, which stays locked until commit: none is left out, and
# none is given twice. Only a slip moves the counter.
NUMBERS_SQL = f"""
INSERT INTO progressives_slipcounter (id, last) VALUES (1, 0);

-- As the owner of the counter, which the application itself has no right to move.
CREATE FUNCTION slip_takes_the_next_number() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE held record;
BEGIN
    SELECT c.*, claim_tier(c.kind, c.amount, c.opened_at) AS tier INTO STRICT held
        FROM progressives_jackpotclaim c WHERE c.id = NEW.claim_id FOR NO KEY UPDATE;
    IF held.state <> (CASE held.tier WHEN 'full' THEN 'approved' ELSE 'validated' END) THEN
        RAISE EXCEPTION 'claim % is %: no slip is issued for it', held.id, held.state
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.amount <> held.amount THEN
        RAISE EXCEPTION 'the slip of claim % is over its amount', held.id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    UPDATE progressives_slipcounter SET last = last + 1 WHERE id = 1
        RETURNING last INTO STRICT NEW.number;
    NEW.facility := coalesce((SELECT f.name FROM tables_facility f WHERE f.id = 1), '');
    RETURN NEW;
END $$;
CREATE TRIGGER slip_takes_the_next_number BEFORE INSERT ON progressives_payoutslip
    FOR EACH ROW EXECUTE FUNCTION slip_takes_the_next_number();
ALTER TABLE progressives_payoutslip ENABLE ALWAYS TRIGGER slip_takes_the_next_number;

CREATE FUNCTION slip_counter_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'UPDATE' OR pg_trigger_depth() < 2 THEN
        RAISE EXCEPTION 'only a slip moves the slip counter' USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF (NEW.id, NEW.last) IS DISTINCT FROM (OLD.id, OLD.last + 1) THEN
        RAISE EXCEPTION 'slips are numbered one by one' USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER slip_counter_counts BEFORE INSERT OR UPDATE OR DELETE ON progressives_slipcounter
    FOR EACH ROW EXECUTE FUNCTION slip_counter_counts();
CREATE TRIGGER claim_truncate BEFORE TRUNCATE ON progressives_slipcounter
    FOR EACH STATEMENT EXECUTE FUNCTION append_only();
ALTER TABLE progressives_slipcounter ENABLE ALWAYS TRIGGER slip_counter_counts;
ALTER TABLE progressives_slipcounter ENABLE ALWAYS TRIGGER claim_truncate;
"""
NUMBERS_UNDO = """
DROP TRIGGER claim_truncate ON progressives_slipcounter;
DROP TRIGGER slip_counter_counts ON progressives_slipcounter;
DROP FUNCTION slip_counter_counts();
DROP TRIGGER slip_takes_the_next_number ON progressives_payoutslip;
DROP FUNCTION slip_takes_the_next_number();
"""

MACHINE_SQL = """
CREATE OR REPLACE FUNCTION claim_may_go(tier text, old text, new text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN new = 'refused' THEN old IN
        ('waiting', 'hand_verified', 'lamp_verified', 'validated', 'approved', 'documented')
    WHEN tier = 'full' THEN (old, new) IN (
        ('waiting', 'hand_verified'), ('hand_verified', 'lamp_verified'),
        ('lamp_verified', 'validated'), ('validated', 'approved'),
        ('approved', 'documented'), ('documented', 'paid'))
    ELSE (old, new) IN (('waiting', 'validated'), ('validated', 'paid')) END
$$;
"""

PERSONS_SQL = f"""
CREATE OR REPLACE FUNCTION claim_step_by_the_right_person() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    held record;
    code text;
    said text;
    first int;
    tier text;
BEGIN
    SELECT c.* INTO STRICT held
        FROM progressives_jackpotclaim c WHERE c.id = NEW.claim_id FOR NO KEY UPDATE;
    tier := claim_tier(held.kind, held.amount, held.opened_at);
    SELECT u.staff_code INTO code FROM audit_user u WHERE u.id = NEW.by_id;
    IF coalesce(code, '') = '' THEN
        RAISE EXCEPTION 'nobody without a staff code decides on claim %', NEW.claim_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF upper(code) = upper(held.dealer) THEN
        RAISE EXCEPTION 'the dealer of the round does not decide on claim %', NEW.claim_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF EXISTS (
        SELECT 1 FROM progressives_claimstep s
        WHERE s.claim_id = NEW.claim_id AND s.by_id = NEW.by_id AND s.kind <> NEW.kind
          AND (tier = 'full' AND s.kind IN ('validated', 'answered', 'approved', 'paid')
                AND NEW.kind IN ('validated', 'answered', 'approved', 'paid')
            OR tier = 'full' AND s.kind = 'documented' AND NEW.kind IN ('paid', 'answered')
            OR s.kind = 'refused' AND NEW.kind = 'returned')
    ) THEN
        RAISE EXCEPTION 'claim % needs a second person to be %', NEW.claim_id, NEW.kind
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind = 'returned' AND (held.kind, held.state) <> ('meter', 'refused') THEN
        RAISE EXCEPTION 'only a refused meter award goes back, not claim %', NEW.claim_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind = 'answered' AND (tier <> 'full'
        OR coalesce(NEW.facts->>'answer', '') NOT IN ('verified', 'problem')
        OR (NEW.facts->>'answer' = 'problem' AND NEW.reason = '')
        OR held.state IN ('paid', 'refused')) THEN
        RAISE EXCEPTION 'surveillance does not answer so on claim %', NEW.claim_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind IN ('validated', 'approved') THEN
        SELECT o.position INTO first FROM progressives_jackpotclaim o
        WHERE o.round_id = held.round_id AND o.id < held.id
          AND (o.state IN ('waiting', 'hand_verified', 'lamp_verified')
            OR o.state = 'validated' AND NEW.kind = 'approved')
          AND (NEW.kind = 'validated' OR claim_tier(o.kind, o.amount, o.opened_at) = 'full')
        ORDER BY o.id LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION 'position % comes before claim %', first, NEW.claim_id
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
    END IF;
    IF NEW.kind = 'approved' AND coalesce(jsonb_array_length(NEW.facts->'proved_by'), 0) = 0 THEN
        RAISE EXCEPTION 'claim % is approved by who proves who he is', NEW.claim_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind IN ('approved', 'paid') AND tier = 'full' THEN
        SELECT s.facts->>'answer' INTO said FROM progressives_claimstep s
        WHERE s.claim_id = NEW.claim_id AND s.kind = 'answered' ORDER BY s.id DESC LIMIT 1;
        IF said IS DISTINCT FROM 'verified' THEN
            RAISE EXCEPTION 'surveillance has not verified claim %', NEW.claim_id
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
    END IF;
    IF NEW.kind IN ('documented', 'paid') AND NOT EXISTS (
        SELECT 1 FROM progressives_payoutslip p WHERE p.claim_id = NEW.claim_id
          AND NOT EXISTS (SELECT 1 FROM progressives_slipvoid v WHERE v.slip_id = p.id)
    ) THEN
        RAISE EXCEPTION 'claim % has no slip that counts', NEW.claim_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind = 'refused' AND EXISTS (
        SELECT 1 FROM progressives_payoutslip p WHERE p.claim_id = NEW.claim_id
          AND NOT EXISTS (SELECT 1 FROM progressives_slipvoid v WHERE v.slip_id = p.id)
    ) THEN
        RAISE EXCEPTION 'the slip of claim % is voided before it is refused', NEW.claim_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("progressives", "0009_terms_stay"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SlipCounter",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("last", models.PositiveBigIntegerField(default=0)),
            ],
        ),
        migrations.AlterModelOptions(
            name="jackpotclaim",
            options={
                "ordering": ["opened_at", "lane_number", "pk"],
                "permissions": [
                    ("validate_jackpotclaim", "Can validate a progressive payout"),
                    ("approve_jackpotclaim", "Can approve a large payout as the second person"),
                    ("document_jackpotclaim", "Can issue the slip of a large payout"),
                    ("answer_jackpotclaim", "Can answer for surveillance"),
                    ("refuse_jackpotclaim", "Can refuse a progressive payout"),
                    ("pay_jackpotclaim", "Can mark a progressive payout paid"),
                    (
                        "return_jackpotclaim",
                        "Can agree that a refused award goes back to its meter",
                    ),
                ],
            },
        ),
        migrations.AlterField(
            model_name="claimstep",
            name="kind",
            field=models.CharField(
                choices=[
                    ("opened", "Opened"),
                    ("escalated", "Escalated"),
                    ("hand_verified", "Hand verified"),
                    ("lamp_verified", "Light verified"),
                    ("validated", "Validated"),
                    ("answered", "Surveillance answered"),
                    ("approved", "Approved by a second person"),
                    ("documented", "Documented"),
                    ("refused", "Refused"),
                    ("paid", "Paid"),
                    ("returned", "Award put back on the meter"),
                ],
                max_length=16,
            ),
        ),
        migrations.AlterField(
            model_name="jackpotclaim",
            name="state",
            field=models.CharField(
                choices=[
                    ("waiting", "Waiting for validation"),
                    ("hand_verified", "Hand verified"),
                    ("lamp_verified", "Light verified"),
                    ("validated", "Validated"),
                    ("approved", "Approved by a second person"),
                    ("documented", "Documented"),
                    ("paid", "Paid"),
                    ("refused", "Refused"),
                ],
                default="waiting",
                max_length=16,
            ),
        ),
        migrations.CreateModel(
            name="PayoutSlip",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveBigIntegerField(db_default=0, unique=True)),
                ("facility", models.CharField(blank=True, db_default="", max_length=80)),
                ("amount", models.DecimalField(decimal_places=2, max_digits=18)),
                ("tax_reportable", models.BooleanField()),
                ("tax_withheld", models.DecimalField(decimal_places=2, max_digits=18)),
                ("tax_reason", models.TextField()),
                ("tax_terms_from", models.DateField()),
                ("payee_sealed", models.TextField(blank=True)),
                ("digest", models.CharField(max_length=64)),
                (
                    "issued_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "claim",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="slip",
                        to="progressives.jackpotclaim",
                    ),
                ),
                (
                    "issued_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
            },
        ),
        migrations.CreateModel(
            name="SlipPrint",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("copy", models.PositiveSmallIntegerField()),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("reason", models.TextField(blank=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "slip",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="prints",
                        to="progressives.payoutslip",
                    ),
                ),
            ],
            options={
                "ordering": ["slip", "copy"],
            },
        ),
        migrations.CreateModel(
            name="SlipVoid",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("reason", models.TextField()),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "slip",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="void",
                        to="progressives.payoutslip",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="payoutslip",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("tax_withheld__gte", 0), ("tax_withheld__lte", models.F("amount"))
                ),
                name="slip_withholds_part_of_the_amount",
            ),
        ),
        migrations.AddConstraint(
            model_name="payoutslip",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("tax_reason", ""), _negated=True),
                    models.Q(("tax_reportable", True), ("tax_withheld", 0), _connector="OR"),
                ),
                name="slip_says_why_of_its_tax",
            ),
        ),
        migrations.AddConstraint(
            model_name="slipprint",
            constraint=models.UniqueConstraint(fields=("slip", "copy"), name="slip_print_once"),
        ),
        migrations.AddConstraint(
            model_name="slipprint",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("copy", 1), models.Q(("reason", ""), _negated=True), _connector="OR"
                ),
                name="slip_reprint_has_a_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="slipvoid",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), _negated=True), name="slip_void_has_a_reason"
            ),
        ),
        append_only("progressives_payoutslip"),
        append_only("progressives_slipvoid"),
        append_only("progressives_slipprint"),
        migrations.RunSQL(sql=NUMBERS_SQL, reverse_sql=NUMBERS_UNDO),
        migrations.RunSQL(sql=MACHINE_SQL, reverse_sql=migrations.RunSQL.noop),
        migrations.RunSQL(sql=PERSONS_SQL, reverse_sql=migrations.RunSQL.noop),
    ]
