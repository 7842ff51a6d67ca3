"""What is written into the ledger past the house holds by itself; the log does not tell of it."""

from io import StringIO
from typing import Any

from django.core.management import call_command
from django.db import connection, transaction

from progressives.models import Lane
from tables.models import GamingTable
from tables.services.accept import accept_events
from tables.services.apply import apply_lane
from tables.services.keys import make_key
from tables.services.summary import summarize
from tables.services.unlogged import unlogged
from tests import days
from tests.make import make_user

MOVEMENT = """
INSERT INTO progressives_meterentry (meter_id, sequence, kind, amount, before, after, lane_number,
    gaming_day, "table", dealer, hand, cards)
SELECT id, sequence + 1, 'reset', 1000, value, value + 1000, 1, '2026-03-14', '', '', '', ''
FROM progressives_meter WHERE value > 1000 ORDER BY id LIMIT 1;
UPDATE progressives_meter SET value = value + 1000, sequence = sequence + 1
WHERE id = (SELECT id FROM progressives_meter WHERE value > 1000 ORDER BY id LIMIT 1)
"""

ROUND = """
INSERT INTO tables_round (id, table_id, number, game, state, rules, dealer, floorperson,
    dealer_hand, meters, flags, lane_number, gaming_day, occurred_at)
SELECT gen_random_uuid(), table_id, 99999, game, state, rules, dealer, floorperson,
    dealer_hand, meters, flags, lane_number, gaming_day, occurred_at FROM tables_round LIMIT 1
"""

DECISION = """
INSERT INTO progressives_claimstep (claim_id, kind, by_id, cite, reason, facts)
SELECT id, 'validated', {by}, '', '', '{{}}' FROM progressives_jackpotclaim
WHERE state = 'waiting' ORDER BY id LIMIT 1;
UPDATE progressives_jackpotclaim SET state = 'validated'
WHERE id = (SELECT min(id) FROM progressives_jackpotclaim WHERE state = 'waiting')
"""

SEAT = """
INSERT INTO tables_roundposition (round_id, position, player, cards, wagers, lines)
SELECT round_id, 0, 'friend', cards, wagers, lines FROM tables_roundposition
WHERE jsonb_array_length(lines) > 0 LIMIT 1
"""

ENVY = """
INSERT INTO progressives_envypayout (lane_id, lane_number, round_id, "table", round, wager,
    position, player, from_position, hand, stake, amount, cite, dealer, gaming_day)
SELECT lane_id, lane_number, round_id, "table", round, wager, position, 'friend', 9, hand, stake,
    amount, cite, dealer, gaming_day FROM progressives_envypayout LIMIT 1
"""

APPLIED = """
INSERT INTO tables_tableevent SELECT * FROM jsonb_populate_record(NULL::tables_tableevent,
    (SELECT to_jsonb(e) || jsonb_build_object('id', e.id + 100000, 'sequence', e.sequence + 100000,
        'event_id', gen_random_uuid()) FROM tables_tableevent e LIMIT 1));
INSERT INTO tables_appliedevent (event_id, lane_id, number, state, code, path, detail, gaming_day,
    late) SELECT event_id + 100000, lane_id, number + 100000, state, code, path, detail,
    gaming_day, late FROM tables_appliedevent WHERE event_id =
    (SELECT id - 100000 FROM tables_tableevent ORDER BY id DESC LIMIT 1)
"""

CURSOR = """
UPDATE tables_tablecursor SET expected = expected + 5
WHERE table_id = (SELECT max(table_id) FROM tables_tablecursor)
"""


def test_the_summary_names_what_the_log_does_not_tell(committed_db: Any) -> None:
    call_command("load_setup", days.SETUP, stdout=StringIO())
    key, _ = make_key(name="test", kind="gateway", tables=GamingTable.objects.all())
    accept_events(days.read_lines(days.EVENTS), key=key)
    while any(apply_lane(lane_id=lane.pk) for lane in Lane.objects.all()):
        pass
    assert summarize().faults == []
    decision = DECISION.format(by=make_user("F299").pk)
    for forged in (MOVEMENT, ROUND, decision, SEAT, ENVY, CURSOR, APPLIED):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(forged)

    assert unlogged() == {
        "movement": 1,
        "round": 1,
        "decision": 1,
        "position": 1,
        "Envy Bonus payout": 1,
        "applied event": 1,
        "moved cursor": 2,  # the forged event lies behind where the other table's stands
    }
    assert "The log tells nothing of 1 Envy Bonus payout." in summarize().faults
