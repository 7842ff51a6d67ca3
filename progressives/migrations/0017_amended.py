"""Amendments: a settled round's next version, agreed on by two people with the authority.

A meter is adjusted only in the transaction of such an agreement, and so are payouts taken back
that were refused before.
"""

from importlib import import_module

import django.db.models.deletion
import django.db.models.functions.datetime
import progressives.models.claims
from django.conf import settings
from django.db import migrations, models

from audit.guards import TRANSITION_STATE, append_only

SEARCH_PATH = "SET search_path = pg_catalog, public, pg_temp"
BEFORE = import_module("progressives.migrations.0016_disputes")
ROUNDS = import_module("progressives.migrations.0013_rounds")

VERSION_SQL = """
CREATE OR REPLACE FUNCTION round_version(asked uuid) RETURNS int LANGUAGE sql STABLE AS $$
    SELECT 1 + count(*)::int FROM progressives_roundadjustment a WHERE a.round_id = asked
$$;
-- Whether a round is being amended in this very transaction.
CREATE FUNCTION round_in_amendment(asked uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM progressives_roundadjustment a WHERE a.round_id = asked
        AND a.transaction = (pg_current_xact_id()::text)::bigint)
$$;
"""
VERSION_UNDO = """
DROP FUNCTION round_in_amendment(uuid);
"""

ADJUSTMENT_SQL = f"""
CREATE FUNCTION round_amended_by_authorities() RETURNS trigger LANGUAGE plpgsql {SEARCH_PATH} AS $$
DECLARE
    person record;
BEGIN
    PERFORM 1 FROM progressives_jackpotclaim c WHERE c.round_id = NEW.round_id
        ORDER BY c.id FOR NO KEY UPDATE;
    PERFORM 1 FROM progressives_lane l WHERE l.id = NEW.lane_id FOR NO KEY UPDATE;
    NEW.transaction := (pg_current_xact_id()::text)::bigint;
    IF NEW.version <> round_version(NEW.round_id) + 1 THEN
        RAISE EXCEPTION 'version % does not follow version % of round % at %', NEW.version,
            round_version(NEW.round_id), NEW.round, NEW.table
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    FOR person IN SELECT * FROM (VALUES
        (NEW.proposed_by_id, 'propose_roundadjustment'),
        (NEW.approved_by_id, 'approve_roundadjustment')) AS v (id, wanted)
    LOOP
        IF NOT EXISTS (
            SELECT 1 FROM audit_user u
            JOIN auth_permission p ON p.codename = person.wanted
            JOIN django_content_type t ON t.id = p.content_type_id AND t.app_label = 'progressives'
            WHERE u.id = person.id AND u.is_active AND coalesce(u.staff_code, '') <> ''
              AND upper(u.staff_code) <> upper(NEW.dealer)
              AND (EXISTS (SELECT 1 FROM audit_user_groups g JOIN auth_group_permissions q
                        ON q.group_id = g.group_id WHERE g.user_id = u.id AND q.permission_id = p.id)
                OR EXISTS (SELECT 1 FROM audit_user_user_permissions o
                        WHERE o.user_id = u.id AND o.permission_id = p.id))) THEN
            RAISE EXCEPTION 'person % may not %', person.id, replace(person.wanted, '_', ' a ')
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
    END LOOP;
    IF EXISTS (SELECT 1 FROM progressives_claimstep s
        JOIN progressives_jackpotclaim c ON c.id = s.claim_id
        WHERE c.round_id = NEW.round_id AND s.by_id = NEW.approved_by_id
          AND s.kind IN ('validated', 'answered', 'approved', 'documented', 'paid')) THEN
        RAISE EXCEPTION 'who decided on a payout of round % does not amend it', NEW.round
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER round_amended_by_authorities BEFORE INSERT ON progressives_roundadjustment
    FOR EACH ROW EXECUTE FUNCTION round_amended_by_authorities();
ALTER TABLE progressives_roundadjustment ENABLE ALWAYS TRIGGER round_amended_by_authorities;
"""
ADJUSTMENT_UNDO = """
DROP TRIGGER round_amended_by_authorities ON progressives_roundadjustment;
DROP FUNCTION round_amended_by_authorities();
"""


def replaced(sql: str, *pairs: tuple[str, str]) -> str:
    """Return the functions of an earlier migration with these places changed, each found once."""
    for old, new in pairs:
        if sql.count(old) != 1:
            raise ValueError(old)
        sql = sql.replace(old, new)
    return sql


# A payout that was refused is void where an amendment takes its place.
MACHINE_SQL = replaced(
    BEFORE.MACHINE_SQL[
        BEFORE.MACHINE_SQL.index("CREATE OR REPLACE FUNCTION claim_goes_one_way") :
    ].partition("DROP TRIGGER")[0],
    (
        "    IF NOT claim_may_go(claim_tier(OLD.kind",
        """    IF (OLD.state, NEW.state) = ('refused', 'voided') AND round_in_amendment(OLD.round_id) THEN
        RETURN NEW;
    END IF;
    IF NOT claim_may_go(claim_tier(OLD.kind""",
    ),
    (
        "IF NEW.kind IN ('voided', 'returned') AND held.kind = 'meter' AND NOT EXISTS (",
        """IF NEW.kind IN ('voided', 'returned') AND held.kind = 'meter'
        AND NOT (NEW.kind = 'voided' AND round_in_amendment(held.round_id)) AND NOT EXISTS (""",
    ),
)
BRANCHES_SQL = replaced(
    BEFORE.BRANCHES_SQL.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION").partition(
        "CREATE TRIGGER"
    )[0],
    (
        "        AND NOT claim_may_go(tier, held.state, NEW.kind) THEN",
        """        AND NOT claim_may_go(tier, held.state, NEW.kind)
        AND NOT (held.state = 'refused' AND NEW.kind = 'voided'
            AND round_in_amendment(held.round_id)) THEN""",
    ),
    (
        "    IF NEW.kind = 'void_asked' AND",
        """    IF NEW.kind = 'resolved' AND NEW.facts->>'outcome' = 'amended'
        AND NOT round_in_amendment(held.round_id) THEN
        RAISE EXCEPTION 'the round of claim % is not being amended', held.id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind = 'void_asked' AND NOT (held.state = 'refused'
        AND round_in_amendment(held.round_id)) AND""".replace(
            "{TRANSITION_STATE}", TRANSITION_STATE
        ),
    ),
)

# Of an amended round an Envy Bonus may be owed no more though its hand has a payout.
ENVY_SQL = replaced(
    ROUNDS.ENVY_SQL.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION").partition(
        "CREATE TRIGGER"
    )[0],
    (
        "    -- The payout of the hand itself",
        """    IF NEW.kind = 'not_owed' AND round_in_amendment(owed.round_id) THEN
        RETURN NEW;
    END IF;
    -- The payout of the hand itself""",
    ),
)

# The closed list of what moves a meter has one line more.
CAUSES_SQL = replaced(
    BEFORE.CAUSES_SQL,
    (
        "    SELECT n.meter_id, n.sequence INTO broken FROM fresh n\n        JOIN",
        """    SELECT n.meter_id, n.sequence INTO broken FROM fresh n
    WHERE n.kind = 'adjustment' AND NOT EXISTS (
        SELECT 1 FROM progressives_roundadjustment a WHERE a.round_id = n.round_id
        AND a.lane_number = n.lane_number
        AND a.transaction = (pg_current_xact_id()::text)::bigint) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'entry % of meter %: nobody agreed on an adjustment',
            broken.sequence, broken.meter_id USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    SELECT n.meter_id, n.sequence INTO broken FROM fresh n
        JOIN""".replace("{TRANSITION_STATE}", TRANSITION_STATE),
    ),
)


class Migration(migrations.Migration):
    dependencies = [
        ("progressives", "0016_disputes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="RoundAdjustment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("lane_number", models.PositiveBigIntegerField()),
                ("round_id", models.UUIDField()),
                ("version", models.PositiveSmallIntegerField()),
                ("table", models.CharField(max_length=16)),
                ("round", models.PositiveBigIntegerField()),
                ("dealer", models.CharField(blank=True, max_length=16)),
                ("digest", models.CharField(max_length=64)),
                ("reason", models.TextField()),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "transaction",
                    models.BigIntegerField(
                        db_default=progressives.models.claims.CurrentTransaction()
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "permissions": [
                    ("propose_roundadjustment", "Can propose the amendment of a settled round"),
                    (
                        "approve_roundadjustment",
                        "Can approve or refuse the amendment of a settled round",
                    ),
                ],
            },
        ),
        migrations.RemoveConstraint(
            model_name="envypayout",
            name="envy_once",
        ),
        migrations.RemoveConstraint(
            model_name="jackpotclaim",
            name="claim_once",
        ),
        migrations.RemoveConstraint(
            model_name="meterentry",
            name="meter_entry_down_only_for_a_reason",
        ),
        migrations.AddField(
            model_name="envypayout",
            name="version",
            field=models.PositiveSmallIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name="jackpotclaim",
            name="version",
            field=models.PositiveSmallIntegerField(db_default=1, default=1),
        ),
        migrations.AlterField(
            model_name="meterentry",
            name="kind",
            field=models.CharField(
                choices=[
                    ("initial", "Initial amount"),
                    ("contribution", "Contribution"),
                    ("reversal", "Reversal of the round's own contribution"),
                    ("award", "Award"),
                    ("reset", "Reset money put in"),
                    ("award_returned", "Refused award put back"),
                    ("reset_returned", "Reset money taken back"),
                    ("reserve_out", "Reserve given to the display"),
                    ("reserve_in", "Received from the reserve"),
                    ("overflow_out", "Overflow given to the display"),
                    ("overflow_in", "Received from the overflow"),
                    ("pool_returned", "Given back to reserve or overflow"),
                    ("pool_restored", "Received back from the display"),
                    ("limit_cut", "Over the limit, moved to the overflow"),
                    ("limit_kept", "Received from over the limit"),
                    ("transfer_out", "Transferred to another meter"),
                    ("transfer_in", "Transferred from another meter"),
                    ("correction", "Correction of a malfunction"),
                    ("adjustment", "Adjustment of an amended round"),
                ],
                max_length=16,
            ),
        ),
        migrations.AddConstraint(
            model_name="envypayout",
            constraint=models.UniqueConstraint(
                fields=("round_id", "wager", "position", "from_position", "version"),
                name="envy_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="jackpotclaim",
            constraint=models.UniqueConstraint(
                fields=("round_id", "position", "version"), name="claim_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="meterentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("amount__gte", 0),
                        (
                            "kind__in",
                            [
                                "initial",
                                "contribution",
                                "reset",
                                "award_returned",
                                "reserve_in",
                                "overflow_in",
                                "pool_restored",
                                "limit_kept",
                                "transfer_in",
                            ],
                        ),
                    ),
                    models.Q(
                        ("amount__lte", 0),
                        (
                            "kind__in",
                            [
                                "reversal",
                                "award",
                                "reset_returned",
                                "reserve_out",
                                "overflow_out",
                                "pool_returned",
                                "limit_cut",
                                "transfer_out",
                            ],
                        ),
                    ),
                    ("kind__in", ["correction", "adjustment"]),
                    _connector="OR",
                ),
                name="meter_entry_down_only_for_a_reason",
            ),
        ),
        migrations.AddField(
            model_name="roundadjustment",
            name="approved_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="roundadjustment",
            name="lane",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="progressives.lane",
            ),
        ),
        migrations.AddField(
            model_name="roundadjustment",
            name="proposed_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="roundadjustment",
            constraint=models.UniqueConstraint(
                fields=("round_id", "version"), name="round_version_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="roundadjustment",
            constraint=models.CheckConstraint(
                condition=models.Q(("proposed_by", models.F("approved_by")), _negated=True),
                name="round_amended_by_two_people",
            ),
        ),
        migrations.AddConstraint(
            model_name="roundadjustment",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), _negated=True), name="round_amended_for_a_reason"
            ),
        ),
        append_only("progressives_roundadjustment"),
        migrations.RunSQL(sql=VERSION_SQL, reverse_sql=VERSION_UNDO),
        migrations.RunSQL(sql=ADJUSTMENT_SQL, reverse_sql=ADJUSTMENT_UNDO),
        migrations.RunSQL(sql=MACHINE_SQL, reverse_sql=migrations.RunSQL.noop),
        migrations.RunSQL(sql=BRANCHES_SQL, reverse_sql=migrations.RunSQL.noop),
        migrations.RunSQL(sql=ENVY_SQL, reverse_sql=migrations.RunSQL.noop),
        migrations.RunSQL(sql=CAUSES_SQL, reverse_sql=migrations.RunSQL.noop),
    ]
