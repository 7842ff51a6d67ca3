"""Disputes and voids: a disputed round is frozen, and each branch ends by two people.

The state machine is kept on the row of history itself: no step is written that the claim's state
does not allow.
"""

from importlib import import_module

from django.conf import settings
from django.db import migrations, models

from audit.guards import TRANSITION_STATE

SEARCH_PATH = "SET search_path = pg_catalog, public, pg_temp"

UNDECIDED = "'waiting', 'hand_verified', 'lamp_verified', 'validated', 'approved', 'documented'"


MACHINE_SQL = f"""
CREATE OR REPLACE FUNCTION claim_may_go(tier text, old text, new text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN new IN ('refused', 'voided') THEN old IN ({UNDECIDED})
    WHEN new = 'disputed' THEN old IN ({UNDECIDED}, 'paid', 'refused')
    WHEN tier = 'full' THEN (old, new) IN (
        ('waiting', 'hand_verified'), ('hand_verified', 'lamp_verified'),
        ('lamp_verified', 'validated'), ('validated', 'approved'),
        ('approved', 'documented'), ('documented', 'paid'))
    ELSE (old, new) IN (('waiting', 'validated'), ('validated', 'paid')) END
$$;

-- The last step of a kind that a claim has.
CREATE FUNCTION claim_last_step(claim bigint, asked text) RETURNS progressives_claimstep
LANGUAGE sql STABLE AS $$
    SELECT s.* FROM progressives_claimstep s WHERE s.claim_id = claim AND s.kind = asked
    ORDER BY s.id DESC LIMIT 1
$$;

-- Where a claim stood before it was refused.
CREATE FUNCTION claim_before_refusal(claim bigint) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT s.kind FROM progressives_claimstep s WHERE s.claim_id = claim
        AND s.kind IN ('hand_verified', 'lamp_verified', 'validated', 'approved', 'documented')
        ORDER BY s.id DESC LIMIT 1), 'waiting')
$$;

CREATE OR REPLACE FUNCTION claim_goes_one_way() RETURNS trigger
LANGUAGE plpgsql {SEARCH_PATH} AS $$
DECLARE
    ended progressives_claimstep;
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'a claim is never deleted' USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF (to_jsonb(NEW) - 'state') IS DISTINCT FROM (to_jsonb(OLD) - 'state') THEN
        RAISE EXCEPTION 'the facts of claim % are frozen', OLD.id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF OLD.state = 'disputed' THEN
        ended := claim_last_step(OLD.id, 'resolved');
        IF ended.id IS NULL OR ended.id < (claim_last_step(OLD.id, 'disputed')).id
            OR ended.facts->>'to' IS DISTINCT FROM NEW.state THEN
            RAISE EXCEPTION 'claim % is disputed and goes only where two people agreed', OLD.id
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
        RETURN NEW;
    END IF;
    IF NOT claim_may_go(claim_tier(OLD.kind, OLD.amount, OLD.opened_at), OLD.state, NEW.state) THEN
        RAISE EXCEPTION 'claim % cannot go from % to %', OLD.id, OLD.state, NEW.state
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION claim_step_moves_its_claim() RETURNS trigger
LANGUAGE plpgsql {SEARCH_PATH} AS $$
DECLARE held record;
BEGIN
    SELECT c.*, claim_tier(c.kind, c.amount, c.opened_at) AS tier INTO STRICT held
        FROM progressives_jackpotclaim c WHERE c.id = NEW.claim_id;
    IF claim_may_go(held.tier, held.state, NEW.kind)
        AND NOT (NEW.kind = 'disputed' AND EXISTS (
            SELECT 1 FROM progressives_claimstep s WHERE s.claim_id = NEW.claim_id
            AND s.kind = 'resolved' AND s.id > NEW.id))
        OR (NEW.kind = 'resolved' AND held.state = 'disputed') THEN
        RAISE EXCEPTION 'claim % was not moved to %', NEW.claim_id, NEW.kind
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind IN ('voided', 'returned') AND held.kind = 'meter' AND NOT EXISTS (
        SELECT 1 FROM progressives_meterentry e WHERE e.meter_id = held.meter_id
        AND e.kind = 'award_returned' AND e.round_id = held.round_id
        AND e.position = held.position AND e.amount = held.amount
        AND e.lane_number = (NEW.facts->>'lane_number')::bigint
    ) THEN
        RAISE EXCEPTION 'the award of claim % did not go back on its meter', NEW.claim_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NULL;
END $$;
DROP TRIGGER claim_step_moves_its_claim ON progressives_claimstep;
CREATE CONSTRAINT TRIGGER claim_step_moves_its_claim
    AFTER INSERT ON progressives_claimstep DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.kind NOT IN ('opened', 'escalated', 'answered'))
    EXECUTE FUNCTION claim_step_moves_its_claim();
ALTER TABLE progressives_claimstep ENABLE ALWAYS TRIGGER claim_step_moves_its_claim;
"""

# Before the guard on persons, by the order of their names: what no person changes.
BRANCHES_SQL = f"""
CREATE FUNCTION claim_step_branches() RETURNS trigger LANGUAGE plpgsql {SEARCH_PATH} AS $$
DECLARE
    held record;
    tier text;
    said progressives_claimstep;
    asked progressives_claimstep;
BEGIN
    PERFORM 1 FROM progressives_jackpotclaim c WHERE c.round_id = (
        SELECT o.round_id FROM progressives_jackpotclaim o WHERE o.id = NEW.claim_id)
        ORDER BY c.id FOR NO KEY UPDATE;
    SELECT c.* INTO STRICT held FROM progressives_jackpotclaim c WHERE c.id = NEW.claim_id;
    tier := claim_tier(held.kind, held.amount, held.opened_at);
    said := claim_last_step(held.id, 'disputed');
    -- A disputed payout freezes its round: nothing but the end of a dispute is written.
    IF held.state = 'disputed' AND NEW.kind NOT IN ('proposed', 'resolved') THEN
        RAISE EXCEPTION 'claim % is disputed: its dispute is resolved first', held.id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind NOT IN ('disputed', 'proposed', 'resolved') AND EXISTS (
        SELECT 1 FROM progressives_jackpotclaim o
        WHERE o.round_id = held.round_id AND o.state = 'disputed'
    ) AND NOT (NEW.kind = 'refused'
        AND (claim_last_step(held.id, 'resolved')).facts->>'outcome' = 'refused') THEN
        RAISE EXCEPTION 'the round of claim % is disputed', held.id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind IN ('hand_verified', 'lamp_verified', 'validated', 'approved', 'documented',
            'refused', 'paid', 'disputed', 'voided')
        AND NOT claim_may_go(tier, held.state, NEW.kind) THEN
        RAISE EXCEPTION 'claim % cannot go from % to %', held.id, held.state, NEW.kind
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind = 'disputed' THEN
        IF jsonb_typeof(NEW.facts->'video') IS DISTINCT FROM 'array' THEN
            RAISE EXCEPTION 'a dispute on claim % lists its recordings', held.id
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
        -- What froze: where the claim stood, and every meter of its progressive at this moment.
        NEW.facts := NEW.facts || jsonb_build_object('from', held.state, 'meters', (
            SELECT coalesce(jsonb_agg(jsonb_build_object(
                'level', m.level, 'purpose', m.purpose, 'sequence', m.sequence,
                'value', m.value::text) ORDER BY m.id), '[]'::jsonb)
            FROM progressives_meter m WHERE m.progressive_id = held.progressive_id));
    END IF;
    IF NEW.kind IN ('proposed', 'resolved') THEN
        IF held.state <> 'disputed' THEN
            RAISE EXCEPTION 'claim % is not disputed', held.id
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
        IF coalesce(NEW.facts->>'outcome', '') NOT IN ('upheld', 'refused', 'amended')
            OR NEW.facts->>'outcome' = 'refused' AND said.facts->>'from' = 'paid'
            OR NEW.facts->>'outcome' = 'refused' AND said.facts->>'from' <> 'refused'
                AND NEW.cite = ''
            OR NEW.facts->>'outcome' = 'upheld' AND said.facts->>'from' = 'refused' AND (
                EXISTS (SELECT 1 FROM progressives_payoutslip p WHERE p.claim_id = held.id)
                OR (claim_last_step(held.id, 'returned')).id IS NOT NULL) THEN
            RAISE EXCEPTION 'the dispute on claim % cannot end so', held.id
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
    END IF;
    IF NEW.kind = 'resolved' THEN
        asked := claim_last_step(held.id, 'proposed');
        IF asked.id IS NULL OR asked.id < said.id OR asked.by_id = NEW.by_id
            OR (asked.facts->>'outcome', asked.cite) IS DISTINCT FROM
               (NEW.facts->>'outcome', NEW.cite) THEN
            RAISE EXCEPTION 'two people end the dispute on claim %, with one outcome', held.id
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
        NEW.facts := NEW.facts || CASE
            WHEN NEW.facts->>'outcome' = 'upheld' AND said.facts->>'from' = 'refused'
                THEN jsonb_build_object('to', claim_before_refusal(held.id), 'reopened', true)
            ELSE jsonb_build_object('to', said.facts->>'from', 'reopened', false) END;
    END IF;
    IF NEW.kind = 'void_asked' AND held.state NOT IN ({UNDECIDED}) THEN
        RAISE EXCEPTION 'claim % is %: it is not voided any more', held.id, held.state
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind = 'voided' THEN
        asked := claim_last_step(held.id, 'void_asked');
        IF asked.id IS NULL OR asked.by_id = NEW.by_id THEN
            RAISE EXCEPTION 'two people void claim %', held.id
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
        IF EXISTS (SELECT 1 FROM progressives_payoutslip p WHERE p.claim_id = held.id
            AND NOT EXISTS (SELECT 1 FROM progressives_slipvoid v WHERE v.slip_id = p.id)) THEN
            RAISE EXCEPTION 'the slip of claim % is voided first', held.id
                USING ERRCODE = '{TRANSITION_STATE}';
        END IF;
    END IF;
    -- Who ends a branch took none of the steps that are kept apart, nor takes one later.
    IF EXISTS (SELECT 1 FROM progressives_claimstep s
        WHERE s.claim_id = held.id AND s.by_id = NEW.by_id
          AND (NEW.kind IN ('resolved', 'voided') AND s.kind IN
                ('validated', 'answered', 'approved', 'documented', 'paid')
            OR s.kind = 'resolved' AND NEW.kind IN
                ('validated', 'answered', 'approved', 'documented', 'paid'))) THEN
        RAISE EXCEPTION 'claim % needs another person to be %', held.id, NEW.kind
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER claim_step_branches BEFORE INSERT ON progressives_claimstep
    FOR EACH ROW WHEN (NEW.kind NOT IN ('opened', 'escalated'))
    EXECUTE FUNCTION claim_step_branches();
ALTER TABLE progressives_claimstep ENABLE ALWAYS TRIGGER claim_step_branches;
"""

CLOSING_SQL = f"""
-- How often a dispute opened a round again that may have been closed.
CREATE FUNCTION round_reopened(asked uuid) RETURNS int LANGUAGE sql STABLE AS $$
    SELECT count(*)::int FROM progressives_claimstep s
    JOIN progressives_jackpotclaim c ON c.id = s.claim_id
    WHERE c.round_id = asked AND s.kind = 'resolved' AND (s.facts->>'reopened')::boolean
$$;
CREATE FUNCTION round_closing_counts() RETURNS trigger LANGUAGE plpgsql {SEARCH_PATH} AS $$
BEGIN
    NEW.reopened := round_reopened(NEW.round_id);
    RETURN NEW;
END $$;
CREATE TRIGGER round_closing_counts BEFORE INSERT ON progressives_roundclosing
    FOR EACH ROW EXECUTE FUNCTION round_closing_counts();
ALTER TABLE progressives_roundclosing ENABLE ALWAYS TRIGGER round_closing_counts;
"""

# Reset money comes off also where two people void the award that it followed.
CONTROL = import_module("progressives.migrations.0015_control_guards")
CAUSES = CONTROL.LEDGER_SQL.partition("-- What is left of")[0]
CAUSES = CAUSES.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
CAUSES_SQL = CAUSES.replace(
    "AND c.state = 'refused'",
    """AND (c.state = 'refused' OR EXISTS (SELECT 1 FROM progressives_claimstep s
            WHERE s.claim_id = c.id AND s.kind = 'void_asked'))""",
)

UNDO_SQL = """
DROP TRIGGER round_closing_counts ON progressives_roundclosing;
DROP FUNCTION round_closing_counts();
DROP FUNCTION round_reopened(uuid);
DROP TRIGGER claim_step_branches ON progressives_claimstep;
DROP FUNCTION claim_step_branches();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("progressives", "0015_control_guards"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
                    ("dispute_jackpotclaim", "Can raise a dispute on a progressive payout"),
                    ("resolve_jackpotclaim", "Can propose or confirm how a dispute ends"),
                    (
                        "void_jackpotclaim",
                        "Can ask for or confirm the void of a payout opened in error",
                    ),
                ],
            },
        ),
        migrations.RemoveConstraint(
            model_name="claimstep",
            name="claim_step_once",
        ),
        migrations.RemoveConstraint(
            model_name="roundclosing",
            name="round_closed_once",
        ),
        migrations.RemoveIndex(
            model_name="jackpotclaim",
            name="claim_open",
        ),
        migrations.AddField(
            model_name="roundclosing",
            name="reopened",
            field=models.PositiveSmallIntegerField(db_default=0),
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
                    ("disputed", "Dispute raised"),
                    ("proposed", "Outcome proposed"),
                    ("resolved", "Dispute resolved"),
                    ("void_asked", "Void asked for"),
                    ("voided", "Void: opened in error"),
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
                    ("voided", "Void: opened in error"),
                    ("disputed", "Disputed"),
                ],
                default="waiting",
                max_length=16,
            ),
        ),
        migrations.AddIndex(
            model_name="jackpotclaim",
            index=models.Index(
                condition=models.Q(("state__in", ["paid", "refused", "voided"]), _negated=True),
                fields=["opened_at"],
                name="claim_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="claimstep",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "escalated",
                            "answered",
                            "refused",
                            "disputed",
                            "proposed",
                            "resolved",
                            "void_asked",
                        ],
                    ),
                    _negated=True,
                ),
                fields=("claim", "kind"),
                name="claim_step_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="claimstep",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("kind__in", ["disputed", "proposed", "resolved", "void_asked", "voided"]),
                        _negated=True,
                    ),
                    models.Q(("reason", ""), _negated=True),
                    _connector="OR",
                ),
                name="claim_branches_have_a_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="roundclosing",
            constraint=models.UniqueConstraint(
                fields=("round_id", "version", "reopened"), name="round_closed_once"
            ),
        ),
        migrations.RunSQL(sql=MACHINE_SQL, reverse_sql=migrations.RunSQL.noop),
        migrations.RunSQL(sql=BRANCHES_SQL, reverse_sql=migrations.RunSQL.noop),
        migrations.RunSQL(sql=CLOSING_SQL, reverse_sql=UNDO_SQL),
        migrations.RunSQL(sql=CAUSES_SQL, reverse_sql=CAUSES),
    ]
