"""Check levels that must hit: promised before play, told truly, won when reached."""

from typing import Any

from django.db import connection, transaction

from audit.canonical import parse
from audit.models import AuditEvent
from progressives.models import MustHitDraw
from progressives.must_hit import Draw

COMMITTED, REVEALED = "progressives.must_hit_committed", "progressives.must_hit_revealed"

# The draws whose award does not follow the first wager that reached them.
HITS_SQL = """
WITH draws AS (
    SELECT d.meter_id, d.number, r.value, r.entry_sequence AS until,
           lag(r.entry_sequence, 1, 0::bigint) OVER (PARTITION BY d.meter_id ORDER BY d.number)
               AS after
    FROM progressives_musthitdraw d JOIN progressives_musthitreveal r ON r.draw_id = d.id
)
SELECT p.code || ':' || m.level, d.number FROM draws d
JOIN progressives_meter m ON m.id = d.meter_id
JOIN progressives_progressive p ON p.id = m.progressive_id
WHERE d.until - 1 IS DISTINCT FROM (
    SELECT min(e.sequence) FROM progressives_meterentry e
    WHERE e.meter_id = d.meter_id AND e.sequence > d.after AND e.sequence < d.until
      AND e.kind = 'contribution' AND e.after >= d.value)
ORDER BY 1, 2
"""


@transaction.atomic
def must_hit_faults() -> list[str]:
    """Return what does not hold of the levels that must hit, in sentences.

    Each draw's hash stands in the log, the first before any play and each next one with the hit
    before it; what is told at a hit comes to the hash that was promised; and no level was won
    before or after the wager that reached its draw.
    """
    faults: list[str] = []
    pages = pages_of_the_log()
    draws = MustHitDraw.objects.select_related("meter__progressive", "reveal").order_by("pk")
    for row in draws:
        name = f"{row.meter.progressive.code}:{row.meter.level}"
        faults += [f"Draw {row.number} of {name}: {said}" for said in faults_of(row, name, pages)]
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '10min'")
        cursor.execute(HITS_SQL)
        faults += [
            f"Draw {number} of {name}: the level was not won by the wager that reached it."
            for name, number in cursor.fetchall()
        ]
    return faults


Pages = dict[tuple[str, str, int], tuple[int, dict[str, Any]]]


def pages_of_the_log() -> Pages:
    """Return each commitment and reveal of the log with its place in its chain, the first only."""
    found: Pages = {}
    events = AuditEvent.objects.filter(action__in=(COMMITTED, REVEALED))
    rows = events.order_by("chain", "sequence").values_list("action", "sequence", "body")
    for action, sequence, body in rows:
        facts = parse(bytes(body))["facts"]
        found.setdefault((action, facts["meter"], facts["number"]), (sequence, facts))
    return found


def faults_of(row: MustHitDraw, name: str, pages: Pages) -> list[str]:
    """Say what of one draw does not hold."""
    promised = pages.get((COMMITTED, name, row.number))
    if promised is None:
        return ["the log does not promise it."]
    place, facts = promised
    found = []
    if facts["commitment"] != row.commitment:
        found.append("another hash was promised in the log.")
    told = pages.get((REVEALED, name, row.number))
    reveal = getattr(row, "reveal", None)
    if reveal is None:
        return [*found, *(["the log tells it before the hit."] if told else [])]
    draw = Draw(name, row.number, row.low, row.high, reveal.value, reveal.salt)
    if draw.commitment != facts["commitment"]:
        found.append("what was told is not what was promised.")
    if told is None:
        found.append("the log does not tell what it was.")
    elif told[0] < place:
        found.append("it was promised after it was told.")
    elif (told[1]["value"], told[1]["salt"]) != (f"{reveal.value:.2f}", reveal.salt):
        found.append("the log tells something else.")
    return found
