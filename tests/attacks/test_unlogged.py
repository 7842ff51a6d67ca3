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


def test_the_summary_names_what_the_log_does_not_tell(committed_db: Any) -> None:
    call_command("load_setup", days.SETUP, stdout=StringIO())
    key, _ = make_key(name="test", kind="gateway", tables=GamingTable.objects.all())
    accept_events(days.read_lines(days.EVENTS), key=key)
    while any(apply_lane(lane_id=lane.pk) for lane in Lane.objects.all()):
        pass
    assert summarize().faults == []
    for forged in (MOVEMENT, ROUND, DECISION.format(by=make_user("F299").pk)):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(forged)

    assert summarize().faults == [
        "The log tells nothing of 1 movement.",
        "The log tells nothing of 1 round.",
        "The log tells nothing of 1 decision.",
    ]
