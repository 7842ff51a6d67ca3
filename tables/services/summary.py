"""The day's summary: what was played, what it came to, and whether everything holds."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, QuerySet, Sum
from django.utils import timezone

from audit.anchors import kept_outside
from audit.models import ExceptionRecord
from audit.verify import verify_log
from progressives.meters import cents
from progressives.models import EnvyPayout, JackpotClaim
from progressives.services.must_hit_verify import must_hit_faults
from progressives.services.reconcile import Reconciliation, reconcile
from tables.models import AppliedEvent, Facility, GamingTable, OpenRound, Round
from tables.services import progress
from tables.services.unlogged import unlogged

WAGERS_SQL = """
SELECT count(*), coalesce(sum((s.wagers->>'progressive')::numeric), 0)
FROM tables_round r JOIN tables_roundposition s ON s.round_id = r.id
WHERE r.gaming_day = %s AND r.state = 'settled' AND s.wagers ? 'progressive'
"""

# Every progressive win of a round's lines against the claim of the same position, over all days:
# the wins that no claim answers, the claims that no win explains, and those of another amount.
UNCLAIMED_SQL = """
WITH wins AS (
    SELECT s.round_id, s.position, (line->>'pays')::numeric AS pays
    FROM tables_roundposition s
    CROSS JOIN LATERAL jsonb_array_elements(s.lines) AS line
    WHERE line->>'wager' = 'progressive' AND line->>'result' = 'win'
)
SELECT count(*) FILTER (WHERE w.round_id IS NOT NULL),
       count(*) FILTER (WHERE c.round_id IS NOT NULL),
       count(*) FILTER (WHERE c.round_id IS NULL OR w.round_id IS NULL OR c.amount <> w.pays)
FROM wins w FULL JOIN (
    SELECT * FROM progressives_jackpotclaim WHERE hand <> 'must_hit_by'
) c ON c.round_id = w.round_id AND c.position = w.position
"""


@dataclass(frozen=True)
class Summary:
    """One gaming day in figures, and what does not hold, in sentences.

    Rounds, wagers, claims and envies are the day's; meters, events and the log are as they stand.
    """

    facility: str
    gaming_day: date
    rounds: int
    voids: int
    wagers: int
    wagered: Decimal
    meters: list[Reconciliation]
    claims: dict[str, dict[str, int]]
    claimed: Decimal
    envies: int
    envied: Decimal
    exceptions: dict[str, int]
    events: progress.Progress
    set_aside: int
    open_rounds: int
    audit_events: int
    audit_head: str
    audit_verified: bool
    faults: list[str]

    @property
    def ok(self) -> bool:
        return not self.faults

    @property
    def count_of_claims(self) -> int:
        """Return how many claims the day opened."""
        return sum(sum(states.values()) for states in self.claims.values())

    def sentence(self) -> str:
        """Say it all in one sentence."""
        agree = sum(meter.ok for meter in self.meters)
        meters = f"{count(agree, 'meter')} reconcile{'s' if agree == 1 else ''} to the cent"
        if agree != len(self.meters):
            meters = f"{agree} of {count(len(self.meters), 'meter')} reconcile"
        log = "verified" if self.audit_verified else "DO NOT VERIFY"
        return (
            f"{count(self.rounds, 'round')}, {count(self.wagers, 'progressive wager')} of "
            f"${self.wagered:,.2f}; {meters}; {count(self.count_of_claims, 'claim')}; "
            f"{count(self.audit_events, 'audit event')} {log}."
        )


def count(number: int, noun: str) -> str:
    """Write a number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def latest_day() -> date:
    """Return the latest gaming day on which a round ended; today where none has yet."""
    days = Round.objects.order_by("-gaming_day").values_list("gaming_day", flat=True)
    return days.first() or timezone.localdate()


def summarize(day: date | None = None) -> Summary:
    """Sum up a gaming day, by default the latest that was played."""
    day = day or latest_day()
    rounds = {
        state: Round.objects.filter(gaming_day=day, state=state).count() for state in Round.State
    }
    wagers, wagered = row_of(WAGERS_SQL, [day])
    wins, claims, unmatched = row_of(UNCLAIMED_SQL)
    meters, log = reconcile(), verify_log(outside=kept_outside())
    events = progress.of_tables(list(GamingTable.objects.all()))
    aside = AppliedEvent.objects.filter(state=AppliedEvent.State.SET_ASIDE).count()
    claims_of_day = JackpotClaim.objects.filter(gaming_day=day)
    envies = EnvyPayout.objects.filter(gaming_day=day).aggregate(n=Count("pk"), of=Sum("amount"))
    faults = [f"Meter {m.meter} does not reconcile: {m.difference}." for m in meters if not m.ok]
    faults += [f"The log is broken in {f.chain} at {f.sequence}: {f.detail}" for f in log.faults]
    faults += faults_of(events, aside, (wins, claims, unmatched))
    faults += must_hit_faults()
    faults += [f"The log tells nothing of {count(n, what)}." for what, n in unlogged().items()]
    return Summary(
        facility=Facility.objects.values_list("name", flat=True).first() or "",
        gaming_day=day,
        rounds=rounds[Round.State.SETTLED],
        voids=rounds[Round.State.VOID],
        wagers=wagers,
        wagered=wagered,
        meters=meters,
        claims=by_kind_and_state(claims_of_day),
        claimed=claims_of_day.aggregate(of=Sum("amount"))["of"] or Decimal(0),
        envies=envies["n"],
        envied=envies["of"] or Decimal(0),
        exceptions=open_exceptions(),
        events=events,
        set_aside=aside,
        open_rounds=OpenRound.objects.count(),
        audit_events=log.events,
        audit_head=log.head,
        audit_verified=log.ok,
        faults=faults,
    )


def faults_of(events: progress.Progress, aside: int, matched: tuple[int, int, int]) -> list[str]:
    """Say what of the intake and of the claims does not hold."""
    told = []
    if events.waiting:
        told.append(f"{count(events.waiting, 'event')} of the intake not applied yet.")
    if events.gap:
        told.append(f"{count(events.gap, 'event')} held behind a missing one.")
    if aside:
        told.append(f"{count(aside, 'event')} set aside for a person.")
    wins, claims, unmatched = matched
    if unmatched:
        told.append(
            f"{count(wins, 'progressive win')} in the rounds' lines and {count(claims, 'claim')} "
            f"differ at {count(unmatched, 'position')}."
        )
    return told


@transaction.atomic
def row_of(statement: str, parameters: list[Any] | None = None) -> Any:
    """Return the one row of a statement that reads all rounds."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '10min'")
        cursor.execute(statement, parameters)
        return cursor.fetchone()


def by_kind_and_state(claims: QuerySet[JackpotClaim]) -> dict[str, dict[str, int]]:
    """Count claims: kind, then state."""
    found: dict[str, dict[str, int]] = {kind: {} for kind in JackpotClaim.Kind.values}
    for kind, state, number in (
        claims.values_list("kind", "state").annotate(n=Count("pk")).order_by("kind", "state")
    ):
        found[kind][state] = number
    return found


def open_exceptions() -> dict[str, int]:
    """Count what still waits for a person, by severity."""
    rows = ExceptionRecord.objects.filter(state=ExceptionRecord.State.OPEN)
    return dict(rows.values_list("severity").annotate(n=Count("pk")).order_by("severity"))


def as_json(summary: Summary) -> dict[str, Any]:
    """Return the summary as JSON, its money as text."""
    return {
        "facility": summary.facility,
        "gaming_day": summary.gaming_day.isoformat(),
        "rounds": summary.rounds,
        "voids": summary.voids,
        "wagers": {"count": summary.wagers, "amount": f"{summary.wagered:.2f}"},
        "meters": {m.meter: {"value": cents(m.value), "ok": m.ok} for m in summary.meters},
        "claims": {**summary.claims, "amount": f"{summary.claimed:.2f}"},
        "envies": {"count": summary.envies, "amount": f"{summary.envied:.2f}"},
        "exceptions": summary.exceptions,
        "events": {**summary.events._asdict(), "set_aside": summary.set_aside},
        "open_rounds": summary.open_rounds,
        "audit": {
            "events": summary.audit_events,
            "head": summary.audit_head,
            "verified": summary.audit_verified,
        },
        "faults": summary.faults,
        "ok": summary.ok,
        "sentence": summary.sentence(),
    }
