"""Rows that the log does not tell of: whoever writes into the ledger past the house leaves them."""

from django.db import connection, transaction

# One statement for all, so one moment. Amounts are compared as the log tells them; an award's
# event names its lane's number, which belongs to one event alone.
UNLOGGED_SQL = """
WITH told AS MATERIALIZED (
    SELECT l.id AS lane_id, e.action, e.subject,
           convert_from(e.body, 'UTF8')::jsonb -> 'facts' AS facts
    FROM audit_auditevent e
    JOIN audit_chain c ON c.id = e.chain_id
    JOIN progressives_lane l ON c.name = 'lane:' || l.name
), moved AS (
    SELECT t.lane_id, (t.facts->>'lane_number')::bigint AS number, m->>'level' AS level,
           (m->>'sequence')::bigint AS sequence, m->>'kind' AS kind,
           (m->>'amount')::numeric AS amount, (m->>'after')::numeric AS after
    FROM told t CROSS JOIN LATERAL jsonb_array_elements(t.facts->'entries') AS m
    WHERE jsonb_typeof(t.facts->'entries') = 'array'
)
SELECT 'movement', count(*) FROM progressives_meterentry e
JOIN progressives_meter m ON m.id = e.meter_id
JOIN progressives_progressive p ON p.id = m.progressive_id
WHERE e.kind <> 'initial' AND NOT EXISTS (
    SELECT 1 FROM moved o WHERE o.lane_id = p.lane_id AND o.number = e.lane_number
    AND o.sequence = e.sequence AND o.kind = e.kind AND o.amount = e.amount AND o.after = e.after)
UNION ALL
SELECT 'round', count(*) FROM tables_round r JOIN tables_gamingtable g ON g.id = r.table_id
WHERE NOT EXISTS (
    SELECT 1 FROM told t WHERE t.lane_id = g.lane_id AND t.subject = g.code || '/' || r.number
    AND (t.facts->>'lane_number')::bigint = r.lane_number AND t.facts ? 'outcome')
UNION ALL
SELECT 'claim', count(*) FROM progressives_jackpotclaim c WHERE NOT EXISTS (
    SELECT 1 FROM told t CROSS JOIN LATERAL jsonb_array_elements(t.facts->'claims') AS o
    WHERE jsonb_typeof(t.facts->'claims') = 'array' AND t.lane_id = c.lane_id
    AND (t.facts->>'lane_number')::bigint = c.lane_number
    AND (o->>'position')::int = c.position AND (o->>'amount')::numeric = c.amount)
UNION ALL
SELECT 'decision', count(*) FROM progressives_claimstep s
JOIN progressives_jackpotclaim c ON c.id = s.claim_id
WHERE s.kind <> 'opened' AND NOT EXISTS (
    SELECT 1 FROM told t WHERE t.lane_id = c.lane_id
    AND t.action = 'progressives.claim_' || s.kind AND (t.facts->>'claim')::bigint = c.id)
UNION ALL
SELECT 'change', count(*) FROM (
    SELECT r.id, r.meter_id, 'requested' AS word FROM progressives_controlrequest r
    UNION ALL SELECT s.request_id, r.meter_id, s.kind FROM progressives_controlstep s
    JOIN progressives_controlrequest r ON r.id = s.request_id
) a JOIN progressives_meter m ON m.id = a.meter_id
JOIN progressives_progressive p ON p.id = m.progressive_id
WHERE NOT EXISTS (
    SELECT 1 FROM told t WHERE t.lane_id = p.lane_id
    AND t.action = 'progressives.control_' || a.word AND (t.facts->>'control')::bigint = a.id)
"""


@transaction.atomic
def unlogged() -> dict[str, int]:
    """Count the movements, rounds, claims, decisions and changes that no event of the log tells."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '10min'")
        cursor.execute(UNLOGGED_SQL)
        return {what: found for what, found in cursor.fetchall() if found}
