"""What the joker stood for, and the rules about persons, held by PostgreSQL itself."""

from django.db import migrations, models

from audit.guards import TRANSITION_STATE

# The services say it in friendlier words; this is for every other way to the table.
PERSONS_SQL = f"""
CREATE FUNCTION claim_step_by_the_right_person() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    held record;
    code text;
    blocks text := CASE NEW.kind WHEN 'paid' THEN 'validated' WHEN 'returned' THEN 'refused' END;
BEGIN
    SELECT c.dealer, c.kind, c.state INTO STRICT held
        FROM progressives_jackpotclaim c WHERE c.id = NEW.claim_id;
    SELECT u.staff_code INTO code FROM audit_user u WHERE u.id = NEW.by_id;
    IF coalesce(code, '') = '' THEN
        RAISE EXCEPTION 'nobody without a staff code decides on claim %', NEW.claim_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF upper(code) = upper(held.dealer) THEN
        RAISE EXCEPTION 'the dealer of the round does not decide on claim %', NEW.claim_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF held.kind = 'meter' AND EXISTS (
        SELECT 1 FROM progressives_claimstep s
        WHERE s.claim_id = NEW.claim_id AND s.kind = blocks AND s.by_id = NEW.by_id
    ) THEN
        RAISE EXCEPTION 'claim % needs a second person to be %', NEW.claim_id, NEW.kind
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    IF NEW.kind = 'returned' AND (held.kind, held.state) <> ('meter', 'refused') THEN
        RAISE EXCEPTION 'only a refused meter award goes back, not claim %', NEW.claim_id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER claim_step_by_the_right_person BEFORE INSERT ON progressives_claimstep
    FOR EACH ROW WHEN (NEW.kind NOT IN ('opened', 'escalated'))
    EXECUTE FUNCTION claim_step_by_the_right_person();
ALTER TABLE progressives_claimstep ENABLE ALWAYS TRIGGER claim_step_by_the_right_person;
"""

PERSONS_UNDO = """
DROP TRIGGER claim_step_by_the_right_person ON progressives_claimstep;
DROP FUNCTION claim_step_by_the_right_person();
"""


class Migration(migrations.Migration):
    dependencies = [("progressives", "0002_guards")]

    operations = [
        migrations.AddField(
            model_name="jackpotclaim",
            name="joker_as",
            field=models.CharField(blank=True, default="", max_length=2),
        ),
        migrations.RunSQL(sql=PERSONS_SQL, reverse_sql=PERSONS_UNDO),
    ]
