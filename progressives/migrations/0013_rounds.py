"""Envy Bonuses are ticked off, and a round closes when nothing of it is open.

Both are kept by PostgreSQL: who ticks, when he may, and that no round closes too early.
"""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from audit.guards import TRANSITION_STATE, append_only

SEARCH_PATH = "SET search_path = pg_catalog, public, pg_temp"

# The round's claims are held first, in one order, by everybody who decides on one of them.
ENVY_SQL = f"""
CREATE FUNCTION envy_is_payable() RETURNS trigger LANGUAGE plpgsql {SEARCH_PATH} AS $$
DECLARE
    owed record;
    code text;
    hand record;
BEGIN
    SELECT * INTO STRICT owed FROM progressives_envypayout WHERE id = NEW.envy_id;
    PERFORM 1 FROM progressives_jackpotclaim c WHERE c.round_id = owed.round_id
        ORDER BY c.id FOR NO KEY UPDATE;
    SELECT u.staff_code INTO code FROM audit_user u WHERE u.id = NEW.by_id;
    IF coalesce(code, '') = '' OR upper(code) = upper(owed.dealer) THEN
        RAISE EXCEPTION 'neither the dealer nor anybody without a staff code ticks envy %',
            NEW.envy_id USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF EXISTS (SELECT 1 FROM progressives_jackpotclaim c
               WHERE c.round_id = owed.round_id AND c.state = 'disputed') THEN
        RAISE EXCEPTION 'the round of envy % is disputed', NEW.envy_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    -- The payout of the hand itself, where it has one: it must stand, or have fallen.
    SELECT c.* INTO hand FROM progressives_jackpotclaim c
        WHERE c.round_id = owed.round_id AND c.position = owed.from_position
          AND owed.wager = 'progressive' ORDER BY c.id DESC LIMIT 1;
    IF FOUND AND hand.state IN ('waiting', 'hand_verified', 'lamp_verified') THEN
        RAISE EXCEPTION 'the hand of envy % is not validated yet', NEW.envy_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF (NEW.kind = 'not_owed') <> coalesce(hand.state IN ('refused', 'voided'), false) THEN
        RAISE EXCEPTION 'envy % cannot be %: its hand is %', NEW.envy_id, NEW.kind,
            coalesce(hand.state, 'not in doubt') USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER envy_is_payable BEFORE INSERT ON progressives_envypayment
    FOR EACH ROW EXECUTE FUNCTION envy_is_payable();
ALTER TABLE progressives_envypayment ENABLE ALWAYS TRIGGER envy_is_payable;
"""
ENVY_UNDO = """
DROP TRIGGER envy_is_payable ON progressives_envypayment;
DROP FUNCTION envy_is_payable();
"""

CLOSING_SQL = f"""
-- Which version of its outcome a round stands at.
CREATE FUNCTION round_version(asked uuid) RETURNS int LANGUAGE sql STABLE AS $$ SELECT 1 $$;

CREATE FUNCTION round_is_done() RETURNS trigger LANGUAGE plpgsql {SEARCH_PATH} AS $$
DECLARE
    left_open text;
BEGIN
    PERFORM 1 FROM progressives_jackpotclaim c WHERE c.round_id = NEW.round_id
        ORDER BY c.id FOR NO KEY UPDATE;
    SELECT format('position %s is %s', c.position, c.state) INTO left_open
        FROM progressives_jackpotclaim c WHERE c.round_id = NEW.round_id
        AND c.state NOT IN ('paid', 'refused', 'voided') ORDER BY c.id LIMIT 1;
    IF left_open IS NULL THEN
        SELECT format('the Envy Bonus of position %s is unpaid', e.position) INTO left_open
            FROM progressives_envypayout e WHERE e.round_id = NEW.round_id
            AND NOT EXISTS (SELECT 1 FROM progressives_envypayment p WHERE p.envy_id = e.id)
            ORDER BY e.id LIMIT 1;
    END IF;
    IF left_open IS NOT NULL THEN
        RAISE EXCEPTION 'round % at % cannot close: %', NEW.round, NEW.table, left_open
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.version <> round_version(NEW.round_id)
        OR (NOT EXISTS (SELECT 1 FROM progressives_jackpotclaim c
                WHERE c.round_id = NEW.round_id AND c.lane_id = NEW.lane_id
                AND (c.table, c.round) = (NEW.table, NEW.round))
            AND NOT EXISTS (SELECT 1 FROM progressives_envypayout e
                WHERE e.round_id = NEW.round_id
                AND (e.table, e.round) = (NEW.table, NEW.round))) THEN
        RAISE EXCEPTION 'round % at % has nothing that could close so', NEW.round, NEW.table
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER round_is_done BEFORE INSERT ON progressives_roundclosing
    FOR EACH ROW EXECUTE FUNCTION round_is_done();
ALTER TABLE progressives_roundclosing ENABLE ALWAYS TRIGGER round_is_done;
"""
CLOSING_UNDO = """
DROP TRIGGER round_is_done ON progressives_roundclosing;
DROP FUNCTION round_is_done();
DROP FUNCTION round_version(uuid);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("progressives", "0012_snapshot_guards"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="envypayout",
            name="lane",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="progressives.lane",
            ),
        ),
        migrations.CreateModel(
            name="EnvyPayment",
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
                            ("paid", "Paid from the table inventory"),
                            ("not_owed", "Not owed: its hand does not count"),
                        ],
                        max_length=8,
                    ),
                ),
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
                    "envy",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="payment",
                        to="progressives.envypayout",
                    ),
                ),
            ],
            options={
                "verbose_name": "Envy Bonus payment",
                "ordering": ["pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("kind", "paid"),
                            models.Q(("reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="envy_not_owed_for_a_reason",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RoundClosing",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("round_id", models.UUIDField()),
                ("version", models.PositiveSmallIntegerField(default=1)),
                ("table", models.CharField(max_length=16)),
                ("round", models.PositiveBigIntegerField()),
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
                    "lane",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="progressives.lane",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round_id", "version"), name="round_closed_once"
                    )
                ],
            },
        ),
        append_only("progressives_envypayment"),
        append_only("progressives_roundclosing"),
        migrations.RunSQL(sql=ENVY_SQL, reverse_sql=ENVY_UNDO),
        migrations.RunSQL(sql=CLOSING_SQL, reverse_sql=CLOSING_UNDO),
    ]
