"""The terms of a progressive stay, and a lane only goes on."""

from django.db import migrations

from audit.guards import TRANSITION_STATE, append_only

TERMS_SQL = f"""
CREATE FUNCTION meter_reset_and_share_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.reset, NEW.increment_percent) IS DISTINCT FROM (OLD.reset, OLD.increment_percent) THEN
        RAISE EXCEPTION 'the terms of meter % are fixed', OLD.id
            USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER meter_reset_and_share_stay BEFORE UPDATE ON progressives_meter
    FOR EACH ROW EXECUTE FUNCTION meter_reset_and_share_stay();
ALTER TABLE progressives_meter ENABLE ALWAYS TRIGGER meter_reset_and_share_stay;

CREATE FUNCTION lane_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR NEW.name <> OLD.name OR NEW.number < OLD.number THEN
        RAISE EXCEPTION 'lane % only goes on', OLD.name USING ERRCODE = '{TRANSITION_STATE}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER lane_goes_on BEFORE UPDATE OR DELETE ON progressives_lane
    FOR EACH ROW EXECUTE FUNCTION lane_goes_on();
ALTER TABLE progressives_lane ENABLE ALWAYS TRIGGER lane_goes_on;
"""

TERMS_UNDO = """
DROP TRIGGER lane_goes_on ON progressives_lane;
DROP FUNCTION lane_goes_on();
DROP TRIGGER meter_reset_and_share_stay ON progressives_meter;
DROP FUNCTION meter_reset_and_share_stay();
"""


class Migration(migrations.Migration):
    dependencies = [("progressives", "0008_tiers"), ("audit", "0005_working_rows")]

    operations = [
        append_only("progressives_progressive"),
        migrations.RunSQL(sql=TERMS_SQL, reverse_sql=TERMS_UNDO),
    ]
