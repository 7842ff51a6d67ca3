"""How much a payout asks for: tiers by amount, surveillance's answer, a second approver.

The order of the states, who may follow whom, whose turn it is and which terms hold are kept here by
PostgreSQL itself; the services say the same in friendlier words.
"""

from importlib import import_module

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from audit.guards import TRANSITION_STATE, append_only

PERSONS = import_module("progressives.migrations.0003_persons")

# The house begins with the amounts of the slot rule (§ 465a.26(b)(2)); it sets its own by a row.
TERMS_SQL = f"""
INSERT INTO progressives_claimterms
    (effective_at, checklist_from, approval_from, second_factor_required, reason)
VALUES ('2000-01-01 00:00+00', 600, 1200, false, 'What the house begins with');
SET CONSTRAINTS ALL IMMEDIATE; -- else the table could not be altered now
SET CONSTRAINTS ALL DEFERRED;

CREATE FUNCTION claim_terms_go_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.effective_at < now() THEN
        RAISE EXCEPTION 'claim terms hold from now on, never from before'
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.set_by_id IS NULL THEN
        RAISE EXCEPTION 'a person sets the claim terms' USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER claim_terms_go_on BEFORE INSERT ON progressives_claimterms
    FOR EACH ROW EXECUTE FUNCTION claim_terms_go_on();
ALTER TABLE progressives_claimterms ENABLE ALWAYS TRIGGER claim_terms_go_on;

-- Which tier a claim belongs to. Where no terms are found it is the strictest.
CREATE FUNCTION claim_tier(kind text, amount numeric, opened timestamptz) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT coalesce((
        SELECT CASE WHEN kind = 'meter' OR amount >= t.approval_from THEN 'full'
                    WHEN amount >= t.checklist_from THEN 'checked' ELSE 'plain' END
        FROM progressives_claimterms t WHERE t.effective_at <= opened
        ORDER BY t.effective_at DESC, t.id DESC LIMIT 1), 'full')
$$;
"""
TERMS_UNDO = """
DROP FUNCTION claim_tier(text, numeric, timestamptz);
DROP TRIGGER claim_terms_go_on ON progressives_claimterms;
DROP FUNCTION claim_terms_go_on();
"""

# The state machine: which state may follow which, by tier.
MACHINE_SQL = f"""
CREATE FUNCTION claim_may_go(tier text, old text, new text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN new = 'refused' THEN
        old IN ('waiting', 'hand_verified', 'lamp_verified', 'validated', 'approved')
    WHEN tier = 'full' THEN (old, new) IN (
        ('waiting', 'hand_verified'), ('hand_verified', 'lamp_verified'),
        ('lamp_verified', 'validated'), ('validated', 'approved'), ('approved', 'paid'))
    ELSE (old, new) IN (('waiting', 'validated'), ('validated', 'paid')) END
$$;

CREATE OR REPLACE FUNCTION claim_goes_one_way() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'a claim is never deleted' USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF (to_jsonb(NEW) - 'state') IS DISTINCT FROM (to_jsonb(OLD) - 'state') THEN
        RAISE EXCEPTION 'the facts of claim % are frozen', OLD.id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NOT claim_may_go(claim_tier(OLD.kind, OLD.amount, OLD.opened_at), OLD.state, NEW.state) THEN
        RAISE EXCEPTION 'claim % cannot go from % to %', OLD.id, OLD.state, NEW.state
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;

-- A claim begins at the beginning, whoever writes it.
CREATE FUNCTION claim_begins_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state <> 'waiting' THEN
        RAISE EXCEPTION 'a claim begins waiting, not %', NEW.state
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER claim_begins_waiting BEFORE INSERT ON progressives_jackpotclaim
    FOR EACH ROW EXECUTE FUNCTION claim_begins_waiting();
ALTER TABLE progressives_jackpotclaim ENABLE ALWAYS TRIGGER claim_begins_waiting;

-- A step whose state did not follow: the claim could still go there at commit.
CREATE FUNCTION claim_step_moves_its_claim() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE held record;
BEGIN
    SELECT c.state, claim_tier(c.kind, c.amount, c.opened_at) AS tier INTO STRICT held
        FROM progressives_jackpotclaim c WHERE c.id = NEW.claim_id;
    IF claim_may_go(held.tier, held.state, NEW.kind) THEN
        RAISE EXCEPTION 'claim % was not moved to %', NEW.claim_id, NEW.kind
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER claim_step_moves_its_claim
    AFTER INSERT ON progressives_claimstep DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.kind NOT IN ('opened', 'escalated', 'answered', 'returned'))
    EXECUTE FUNCTION claim_step_moves_its_claim();
ALTER TABLE progressives_claimstep ENABLE ALWAYS TRIGGER claim_step_moves_its_claim;
"""
MACHINE_UNDO = """
DROP TRIGGER claim_step_moves_its_claim ON progressives_claimstep;
DROP FUNCTION claim_step_moves_its_claim();
DROP TRIGGER claim_begins_waiting ON progressives_jackpotclaim;
DROP FUNCTION claim_begins_waiting();
"""

# Who takes a step, and when it is his turn. The claim's row is held meanwhile, so that two steps
# written at once see each other.
PERSONS_SQL = f"""
CREATE FUNCTION claim_step_by_the_right_person() RETURNS trigger LANGUAGE plpgsql AS $$
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
    RETURN NEW;
END $$;
CREATE TRIGGER claim_step_by_the_right_person BEFORE INSERT ON progressives_claimstep
    FOR EACH ROW WHEN (NEW.kind NOT IN ('opened', 'escalated'))
    EXECUTE FUNCTION claim_step_by_the_right_person();
ALTER TABLE progressives_claimstep ENABLE ALWAYS TRIGGER claim_step_by_the_right_person;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("progressives", "0007_day_close_guards"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        # PostgreSQL does not widen a column that a trigger's condition names.
        migrations.RunSQL(sql=PERSONS.PERSONS_UNDO, reverse_sql=PERSONS.PERSONS_SQL),
        migrations.CreateModel(
            name="ClaimTerms",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "effective_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "checklist_from",
                    models.DecimalField(
                        decimal_places=2,
                        help_text="A fixed award of so much or more is confirmed point by point.",
                        max_digits=12,
                    ),
                ),
                (
                    "approval_from",
                    models.DecimalField(
                        decimal_places=2,
                        help_text="A fixed award of so much or more needs surveillance and a second approver. A share of the meter always does.",
                        max_digits=12,
                    ),
                ),
                (
                    "second_factor_required",
                    models.BooleanField(
                        default=False,
                        help_text="Nobody approves without a code device. Whoever has one is asked in any case.",
                    ),
                ),
                ("reason", models.TextField()),
            ],
            options={
                "verbose_name_plural": "claim terms",
                "ordering": ["effective_at", "pk"],
            },
        ),
        migrations.AlterModelOptions(
            name="jackpotclaim",
            options={
                "ordering": ["opened_at", "lane_number", "pk"],
                "permissions": [
                    ("validate_jackpotclaim", "Can validate a progressive payout"),
                    ("approve_jackpotclaim", "Can approve a large payout as the second person"),
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
        migrations.RemoveConstraint(
            model_name="claimstep",
            name="claim_step_once",
        ),
        migrations.RemoveIndex(
            model_name="jackpotclaim",
            name="claim_open",
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
                    ("paid", "Paid"),
                    ("refused", "Refused"),
                ],
                default="waiting",
                max_length=16,
            ),
        ),
        migrations.AddIndex(
            model_name="jackpotclaim",
            index=models.Index(
                condition=models.Q(("state__in", ["paid", "refused"]), _negated=True),
                fields=["opened_at"],
                name="claim_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="claimstep",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind__in", ["escalated", "answered"]), _negated=True),
                fields=("claim", "kind"),
                name="claim_step_once",
            ),
        ),
        migrations.AddField(
            model_name="claimterms",
            name="set_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="claimterms",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("approval_from__gte", models.F("checklist_from")), ("checklist_from__gt", 0)
                ),
                name="claim_terms_rise",
            ),
        ),
        migrations.AddConstraint(
            model_name="claimterms",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), _negated=True), name="claim_terms_have_a_reason"
            ),
        ),
        append_only("progressives_claimterms"),
        migrations.RunSQL(sql=TERMS_SQL, reverse_sql=TERMS_UNDO),
        migrations.RunSQL(sql=MACHINE_SQL, reverse_sql=MACHINE_UNDO),
        migrations.RunSQL(sql=PERSONS_SQL, reverse_sql=PERSONS.PERSONS_UNDO),
    ]
