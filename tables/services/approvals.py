"""Read the payouts that were validated in a stretch of gaming days, for those who watch it."""

from datetime import date
from typing import Any

from tables.approvals import Approval, Watched, watch
from tables.findable import key
from tables.models import Facility
from tables.selectors import rows_of

APPROVALS_SQL = """
SELECT c.id, c."table", c.round, c.position, c.dealer, c.player,
       coalesce(u.staff_code, u.username), c.amount, c.gaming_day,
       floor(((extract(epoch FROM (s.at AT TIME ZONE %(zone)s)::time)
           - extract(epoch FROM %(starts)s::time) + 86400)::int %% 86400) / 28800)::int,
       extract(hour FROM s.at AT TIME ZONE %(zone)s)::int, c.opened_at, s.at,
       EXISTS (SELECT FROM tables_filedround f
               WHERE f.round_id = c.round_id AND f.keys @> ARRAY[%(manual)s]::int[]),
       EXISTS (SELECT FROM progressives_claimstep o
               WHERE o.claim_id = c.id AND o.kind IN ('disputed', 'refused', 'voided', 'returned'))
FROM progressives_claimstep s
JOIN progressives_jackpotclaim c ON c.id = s.claim_id
JOIN audit_user u ON u.id = s.by_id
WHERE s.kind = 'validated' AND c.gaming_day BETWEEN %(first)s AND %(last)s
ORDER BY c.id
"""


def watched(first: date, last: date) -> Watched | None:
    """Return how payouts of these gaming days were approved; None before the set-up is loaded."""
    facility = Facility.objects.first()
    if facility is None:
        return None
    asked: dict[str, Any] = {
        "first": first,
        "last": last,
        "zone": facility.time_zone,
        "starts": facility.gaming_day_starts,
        "manual": key("flag", "manual"),
    }
    return watch([Approval(*row) for row in rows_of(APPROVALS_SQL, asked)])
