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
), lines AS MATERIALIZED (
    SELECT t.lane_id, (t.facts->>'lane_number')::bigint AS number, t.subject,
           (o.line->>'position')::int AS position, o.line, o.place
    FROM told t
    CROSS JOIN LATERAL jsonb_array_elements(t.facts->'outcome'->'lines')
        WITH ORDINALITY AS o (line, place)
    WHERE jsonb_typeof(t.facts->'outcome'->'lines') = 'array'
), seats AS MATERIALIZED (
    SELECT lane_id, number, subject, position, jsonb_agg(line ORDER BY place) AS lines
    FROM lines GROUP BY 1, 2, 3, 4
    UNION ALL
    SELECT DISTINCT t.lane_id, (t.facts->>'lane_number')::bigint, t.subject,
           (p->>'position')::int, '[]'::jsonb
    FROM told t CROSS JOIN LATERAL jsonb_array_elements(t.facts->'document'->'positions') AS p
    WHERE t.facts ? 'outcome' AND jsonb_typeof(t.facts->'document'->'positions') = 'array'
), reached AS (
    SELECT e.table_id, max(e.sequence) AS sequence FROM tables_appliedevent a
    JOIN tables_tableevent e ON e.id = a.event_id GROUP BY 1
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
UNION ALL
SELECT 'position', count(*) FROM tables_roundposition s
JOIN tables_round r ON r.id = s.round_id JOIN tables_gamingtable g ON g.id = r.table_id
WHERE NOT EXISTS (
    SELECT 1 FROM seats t WHERE t.lane_id = g.lane_id AND t.number = r.lane_number
    AND t.subject = g.code || '/' || r.number AND t.position = s.position AND t.lines = s.lines)
UNION ALL
SELECT 'position', count(*) FROM tables_roundposition s
WHERE NOT EXISTS (SELECT 1 FROM tables_round r WHERE r.id = s.round_id)
UNION ALL
SELECT 'Envy Bonus payout', count(*) FROM progressives_envypayout v WHERE NOT EXISTS (
    SELECT 1 FROM lines t WHERE t.number = v.lane_number AND t.position = v.position
    AND t.subject = v."table" || '/' || v.round AND t.line->>'result' = 'envy'
    AND t.line->>'wager' = v.wager AND (t.line->>'from_position')::int = v.from_position
    AND (t.line->>'pays')::numeric = v.amount)
AND NOT EXISTS (
    SELECT 1 FROM told t CROSS JOIN LATERAL jsonb_array_elements(t.facts->'effects'->'envies_owed')
        AS o WHERE t.action = 'tables.round_amended' AND t.lane_id = v.lane_id
    AND (t.facts->>'lane_number')::bigint = v.lane_number AND o->>'wager' = v.wager
    AND (o->>'position')::int = v.position AND (o->>'from_position')::int = v.from_position
    AND (o->>'amount')::numeric = v.amount)
UNION ALL
SELECT 'Envy Bonus payment', count(*) FROM progressives_envypayment y
JOIN progressives_envypayout v ON v.id = y.envy_id WHERE v.lane_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM told t WHERE t.lane_id = v.lane_id
    AND t.action = 'progressives.envy_' || y.kind AND (t.facts->>'envy')::bigint = v.id)
UNION ALL
SELECT 'round closing', count(*) FROM progressives_roundclosing g
WHERE g.lane_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM told t WHERE t.lane_id = g.lane_id AND t.action = 'progressives.round_closed'
    AND t.facts->>'round_id' = g.round_id::text AND (t.facts->>'version')::int = g.version)
UNION ALL
SELECT 'amendment', count(*) FROM progressives_roundadjustment j WHERE NOT EXISTS (
    SELECT 1 FROM told t WHERE t.lane_id = j.lane_id AND t.action = 'tables.round_amended'
    AND t.subject = j."table" || '/' || j.round AND (t.facts->>'version')::int = j.version
    AND (t.facts->>'lane_number')::bigint = j.lane_number)
UNION ALL
SELECT 'amendment', count(*) FROM tables_roundamendment m
JOIN progressives_roundadjustment j ON j.round_id = m.round_id AND j.version = m.version
    AND j.digest = m.digest
JOIN tables_amendmentdecision d ON d.amendment_id = m.id AND d.kind = 'approved'
WHERE NOT EXISTS (
    SELECT 1 FROM told t WHERE t.lane_id = j.lane_id AND t.action = 'tables.round_amended'
    AND (t.facts->>'lane_number')::bigint = j.lane_number
    AND t.facts->'outcome'->'lines' = m.outcome->'lines')
UNION ALL
SELECT 'applied event', count(*) FROM tables_appliedevent a
LEFT JOIN tables_tableevent e ON e.id = a.event_id WHERE NOT EXISTS (
    SELECT 1 FROM told t WHERE t.lane_id = a.lane_id
    AND (t.facts->>'lane_number')::bigint = a.number AND t.facts->>'state' = a.state
    AND coalesce(t.facts->'document'->>'event_id', t.facts->>'event_id') = e.event_id::text)
UNION ALL
SELECT 'moved cursor', count(*) FROM tables_tablecursor c
LEFT JOIN reached r ON r.table_id = c.table_id
WHERE c.expected <> coalesce(r.sequence, 0) + 1
"""


@transaction.atomic
def unlogged() -> dict[str, int]:
    """Count the rows that no event of the log tells, and the tables whose cursor was moved."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '10min'")
        cursor.execute(UNLOGGED_SQL)
        found: dict[str, int] = {}
        for what, number in cursor.fetchall():
            if number:
                found[what] = found.get(what, 0) + number
        return found
