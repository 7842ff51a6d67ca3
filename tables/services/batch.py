"""Apply a batch of events to one held lane, in memory: settle, move, note what to write.

Everything here is undone by forgetting the object; ``store`` writes it all at once.
"""

from collections import defaultdict
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID, uuid5

from audit.canonical import Fragment, canonical, parse
from audit.copying import jsonb, jsonb_list
from audit.models import ExceptionRecord
from audit.services import LogEvent, timestamp
from progressives.levels import contribution_of
from progressives.models import Lane
from progressives.services.claims_open import ClaimFacts
from progressives.services.ledger import Ledger, LevelMeter, RoundFacts
from tables import rules
from tables.models import AppliedEvent, OpenRound, Round
from tables.services import awards, further, odd
from tables.services.numbering import Pending
from tables.services.on_paper import OnPaper
from tables.services.terms import AHEAD, TermsBook
from tables.services.turn import AtTurn, Lockout, Put
from tables.services.watching import Watching

ROUNDS = UUID("6f0d4a58-0c51-5f1c-9d0e-670a12d30003")  # names a round by table and number

CLOCK_SENTENCE = (
    "The table's clock is ahead of ours; its time decides which rules settle its rounds."
)

WON_SENTENCE = (
    "The wager that won a level was given back afterwards; the level's payout waits at the desk."
)
OWN = 2  # facts of a wager on the game's own progressive, as a working row keeps them

Settled = rules.Settled


def round_uuid(table: str, number: int) -> UUID:
    """Return the id of a table's round: the same wherever it is computed."""
    return uuid5(ROUNDS, f"{table}/{number}")


class Broke(Exception):
    """An event broke the engine. ``place`` says how many events of the batch stand before it."""

    def __init__(self, place: int, pending: Pending, error: Exception) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.place = place
        self.pending = pending


class Batch:
    """One transaction's worth of a lane: what its events came to, ready to be stored."""

    def __init__(
        self,
        lane: Lane,
        book: TermsBook,
        ledger: Ledger,
        now: datetime,
        before: "Batch | None" = None,
    ) -> None:
        self.lane, self.book, self.ledger = lane, book, ledger
        number, gaming_day = lane.number, lane.gaming_day
        if before is not None:
            number, gaming_day = before.number, before.gaming_day
        self.begun_at: int = number
        self.number: int = number
        self.gaming_day: date | None = gaming_day
        self.expected: dict[int, int] = {}
        self.open: dict[tuple[int, int], Lockout] = {}
        self.closed: list[int] = []  # lock-outs whose working rows are to be taken away
        self.over: dict[tuple[int, int], str] = {}  # (table, round) -> settled or void
        self.applied: list[tuple[Any, ...]] = []
        self.rounds: list[tuple[Any, ...]] = []
        self.seats: list[tuple[Any, ...]] = []
        self.claims: list[ClaimFacts] = []
        self.envies: list[tuple[Any, ...]] = []
        self.exceptions: list[ExceptionRecord] = []
        self.log: list[LogEvent] = []
        self._after: list[LogEvent] = []
        self.watching: Watching = Watching(book, None if before is None else before.watching)
        self.on_paper = OnPaper()
        self._at = timestamp(now)
        self._doors: dict[str, Callable[[AtTurn], dict[str, Any]]] = {
            "lockout": self._lock_out,
            "settlement": self._settle,
            "round": self._settle,
            "void": self._void,
            "operation": self._operate,
            "sequence_skipped": self._skip,
        }

    def apply(self, events: list[Pending]) -> None:
        """Apply the events one after the other; raise ``Broke`` at the first the engine cannot."""
        for place, pending in enumerate(events):
            try:
                self._apply_one(pending)
            except Exception as error:  # a person must see it: see apply.set_aside
                raise Broke(place, pending, error) from error
        self.exceptions += self.watching.seal()

    def _apply_one(self, pending: Pending) -> None:
        turn = self._turn(pending)
        state, refusal = AppliedEvent.State.APPLIED, None
        if pending.type == "sequence_skipped":
            state = AppliedEvent.State.SKIPPED
        try:
            action, told = f"tables.{pending.type}_applied", self._doors[pending.type](turn)
        except rules.Refusal as found:
            state, refusal = AppliedEvent.State.REFUSED, found
            action, told = "tables.event_refused", self._refuse(turn, found)
        if state == AppliedEvent.State.APPLIED:
            noticed = [*self.watching.see(turn), *self.on_paper.see(turn)]
            if noticed:
                self._flag(turn, noticed)
                told = {**told, "watched": noticed}
        self._finish(turn, state, refusal, action, told)

    def _place(self, pending: Pending) -> tuple[date, bool]:
        """Give the event its number and its gaming day; tell whether it comes late for its own."""
        self.number += 1
        if pending.type == "sequence_skipped" and self.gaming_day is not None:
            return self.gaming_day, False  # a person's hour, not the table's
        self.gaming_day, late = self.book.day.joined(pending.occurred_at, self.gaming_day)
        return self.gaming_day, late

    def _turn(self, pending: Pending) -> AtTurn:
        """Gather what the event's round needs to know at its turn."""
        table = self.book.tables[pending.table_id]
        day, late = self._place(pending)
        document = parse(pending.body)
        number = document.get("round")
        round_id = round_uuid(table.code, number) if number else None
        dealer = document.get("dealer", "")
        facts = RoundFacts(self.number, day, round_id, table.code, number, dealer)
        meter = self.ledger.of(table.progressive_id) if table.progressive_id else None
        terms = self.book.at(table, pending.occurred_at)
        if meter is not None:
            meter.running.terms = self.book.meter_terms(meter, terms)
        if pending.occurred_at - pending.accepted_at > AHEAD:
            self._except_at(facts, "clock_ahead", CLOCK_SENTENCE, {"event": document["event_id"]})
        further = self.book.further.get(table.pk, ())
        return AtTurn(pending, table, terms, document, late, facts, meter, further)

    def _finish(
        self,
        turn: AtTurn,
        state: str,
        refusal: rules.Refusal | None,
        action: str,
        told: dict[str, Any],
    ) -> None:
        """Note what became of the event, with all that the log needs to tell it again."""
        moved = self.ledger.take_told(turn.table.progressive_id)
        told_entries = [entry.canonical() for entry in moved]
        for fed in turn.further:
            moved = self.ledger.take_told(fed.progressive_id)
            told_entries += [entry.canonical(fed.code) for entry in moved]
        entries = f"[{','.join(told_entries)}]".encode()
        told = {**told, "document": Fragment(turn.pending.body)}
        self._note(turn.pending, turn.facts, turn.late, state, refusal, action, told, entries)
        if self._after:  # what was drawn for a level that this event won, and its next promise
            self.log += self._after
            self._after = []

    def _note(
        self,
        pending: Pending,
        facts: RoundFacts,
        late: bool,
        state: str,
        refusal: rules.Refusal | None,
        action: str,
        told: dict[str, Any],
        entries: bytes,
    ) -> None:
        code, path, detail = (refusal.code, refusal.path, refusal.detail) if refusal else ("",) * 3
        number, day = facts.lane_number, facts.gaming_day
        self.applied.append(
            (pending.id, self.lane.pk, number, state, code, path, detail, day, late)
        )
        self.expected[pending.table_id] = pending.sequence + 1
        page = {
            **told,
            "accepted_at": timestamp(pending.accepted_at),
            "entries": Fragment(entries),
            "gaming_day": day.isoformat(),
            "lane_number": number,
            "late": late,
            "state": state,
        }
        subject = facts.table if pending.round is None else f"{facts.table}/{pending.round}"
        body = {"action": action, "at": self._at, "by": None, "facts": page, "subject": subject}
        self.log.append(LogEvent(action, subject, canonical(body)))

    def set_aside(self, pending: Pending, error: str) -> None:
        """Give the event its number, leave it unapplied and put it before a person.

        Neither its terms nor its document are touched: whatever is wrong with them is the reason.
        """
        day, late = self._place(pending)
        table = self.book.tables[pending.table_id].code
        facts = RoundFacts(self.number, day, None, table, pending.round, "")
        told = {"error": error[:2000], "event_id": pending.event_id}
        sentence = "This event could not be applied and was set aside; nothing of it took effect."
        self._except_at(facts, "event_set_aside", sentence, told)
        state = AppliedEvent.State.SET_ASIDE
        self._note(pending, facts, late, state, None, "tables.event_set_aside", told, b"[]")

    # ---- the doors, one a type of event -------------------------------------------------

    def _lock_out(self, turn: AtTurn) -> dict[str, Any]:
        self._must_not_be_over(turn)
        if turn.key in self.open:
            raise rules.Refusal(
                "round_already_open",
                "round",
                f"Round {turn.key[1]} is locked out already; send its settlement or its void.",
            )
        others = [number for table, number in self.open if table == turn.table.pk]
        if others:
            self._except(
                turn,
                "lockout_while_open",
                f"Round {turn.key[1]} was locked out while round {others[0]} is still open.",
                {"open_rounds": sorted(others)},
            )
        settled = rules.lockout(turn.document, turn.terms)
        added = self._contribute(turn, settled)
        put, claims = self._feed_further(turn, settled)
        self.open[turn.key] = Lockout(turn.pending.id, turn.document, added, put, stored=False)
        self._flag(turn, settled.flags)
        return {"flags": settled.flags} | ({"claims": claims} if claims else {})

    def _settle(self, turn: AtTurn) -> dict[str, Any]:
        self._must_not_be_over(turn)
        locked = self.open.get(turn.key)
        if turn.pending.type == "round":
            if locked is not None:
                raise rules.Refusal(
                    "round_already_open",
                    "round",
                    f"Round {turn.key[1]} was locked out: send its settlement.",
                )
            settled = rules.settle(turn.document, turn.terms)
            added = self._contribute(turn, settled)
            put, claims = self._feed_further(turn, settled)
        else:
            if locked is None:
                raise rules.Refusal(
                    "settlement_without_lockout",
                    "round",
                    f"Round {turn.key[1]} was never locked out; its wagers are not on the meter.",
                )
            rules.check_follows_lockout(turn.document, locked.document, turn.terms)
            settled = rules.settle(turn.document, turn.terms)
            added, put, claims = locked.contributed, locked.further, []
            self._close(turn)
        before = None if turn.meter is None else turn.meter.running.value
        self._take_back(turn, [pair for pair in added if pair[0] in settled.reversals])
        self._take_back_further(turn, further.returned(turn, settled, put))
        claims += [self._claim(turn, win) for win in settled.wins]
        self.envies += [awards.envy_row(self.lane.pk, turn.facts, envy) for envy in settled.envies]
        self._end(turn, Round.State.SETTLED, settled, before, added)
        return self._told(settled, claims)

    def _void(self, turn: AtTurn) -> dict[str, Any]:
        self._must_not_be_over(turn)
        locked = self.open.get(turn.key)
        settled = rules.void(turn.document, turn.terms, locked.document if locked else None)
        before = None if turn.meter is None else turn.meter.running.value
        if locked is not None:
            self._take_back(turn, locked.contributed)
            self._take_back_further(turn, locked.further)
            self._close(turn)
        self._end(turn, Round.State.VOID, settled, before, [])
        return self._told(settled, [])

    def _operate(self, turn: AtTurn) -> dict[str, Any]:
        return {}

    def _skip(self, turn: AtTurn) -> dict[str, Any]:
        return {}

    def _refuse(self, turn: AtTurn, refusal: rules.Refusal) -> dict[str, Any]:
        """The sequence is used up, the table goes on, the round stays as it was: a person looks."""
        told = {"code": refusal.code, "path": refusal.path, "detail": refusal.detail}
        self.exceptions.append(odd.refused(turn, refusal, self.open.get(turn.key)))
        return {"refusal": told}

    # ---- what the doors share -----------------------------------------------------------

    def _must_not_be_over(self, turn: AtTurn) -> None:
        over = self.over.get(turn.key)
        if over is not None:
            code = "round_already_void" if over == Round.State.VOID else "round_already_settled"
            raise rules.Refusal(code, "round", f"Round {turn.key[1]} is {over} already.")

    def _contribute(self, turn: AtTurn, settled: Settled) -> list[tuple[int, Decimal]]:
        """All of the round's contributions are on the meter before any award (SC-12)."""
        meter = turn.meter
        if meter is None:
            return []
        facts = turn.facts
        return [
            (who.position, meter.contribute(facts, who.position, who.stake))
            for who in settled.contributions
        ]

    def _take_back(self, turn: AtTurn, contributed: list[tuple[int, Decimal]]) -> None:
        if turn.meter is not None:
            for position, amount in contributed:
                turn.meter.reverse(turn.facts, position, amount)

    def _feed_further(
        self, turn: AtTurn, settled: Settled
    ) -> tuple[list[Put], list[dict[str, Any]]]:
        """Feed the table's further progressives; note the claims of levels that were won by it."""
        if not turn.further:
            return [], []
        done = further.feed(self.lane.pk, self.ledger, turn, settled)
        self.claims += done.claims
        self._after += done.log
        return done.put, [further.told_claim(claim) for claim in done.claims]

    def _take_back_further(self, turn: AtTurn, put: list[Put]) -> None:
        for position in further.take_back(self.ledger, turn, put) if put else ():
            self._except(turn, "winning_wager_returned", WON_SENTENCE, {"position": position})

    def _close(self, turn: AtTurn) -> None:
        locked = self.open.pop(turn.key)
        if locked.stored:
            self.closed.append(locked.event_id)

    def _claim(self, turn: AtTurn, win: rules.ProgressiveWin) -> dict[str, Any]:
        """Price a win at its turn and open its claim; the meter and the others go on."""
        claim = awards.claim_of(self.lane.pk, turn, win)
        self.claims.append(claim)
        told = {"hand": win.hand, "kind": claim.kind, "position": win.position}
        return {**told, "amount": str(claim.amount)}

    def _end(
        self,
        turn: AtTurn,
        state: str,
        settled: Settled,
        before: Decimal | None,
        added: list[tuple[int, Decimal]],
    ) -> None:
        """Note the round as over: one row, and one a position with its lines.

        Each line is encoded once, for its position's row and for the log.
        """
        outcome, document, facts = settled.outcome, turn.document, turn.facts
        if turn.meter is not None and before is not None:
            outcome["meters"] = [self._meter_strip(turn.meter, before, added)]
        self.over[turn.key] = state
        self._flag(turn, settled.flags)
        self.rounds.append(
            (facts.round_id, turn.table.pk, facts.round, document["game"], state, outcome["rules"])
            + (facts.dealer, document.get("floorperson", ""), jsonb(outcome["dealer"]))
            + (jsonb(outcome["meters"]), jsonb(outcome["flags"]))
            + (facts.lane_number, facts.gaming_day, turn.pending.occurred_at)
        )
        lines: dict[int, list[bytes]] = defaultdict(list)
        told = []
        for position, run in groupby(outcome["lines"], itemgetter("position")):
            text = canonical(list(run))[1:-1]  # without the list's brackets
            told.append(text)
            lines[position].append(text)
        outcome["lines"] = Fragment(b"[" + b",".join(told) + b"]")
        for seat in document.get("positions", ()):
            position = seat["position"]
            self.seats.append(
                (facts.round_id, position, seat.get("player", ""), " ".join(seat.get("cards", ())))
                + (jsonb(seat.get("wagers", {})), jsonb_list(lines.pop(position, ())))
            )
        for position, left in lines.items():  # returned to a position that only its lock-out names
            self.seats.append((facts.round_id, position, "", "", jsonb({}), jsonb_list(left)))

    def _meter_strip(
        self, meter: LevelMeter, before: Decimal, added: list[tuple[int, Decimal]]
    ) -> dict[str, Any]:
        paid = sum((Decimal(e.amount) for e in meter.told if e.kind == "award"), Decimal(0))
        return {
            "level": meter.meter.level,
            "before": str(before),
            "contributed": str(sum((amount for _, amount in added), Decimal(0))),
            "paid": str(-paid),
            "after": str(meter.running.value),
        }

    def _told(self, settled: Settled, claims: list[dict[str, Any]]) -> dict[str, Any]:
        return {"claims": claims, "outcome": settled.outcome}

    def _flag(self, turn: AtTurn, flags: list[dict[str, Any]]) -> None:
        for flag in flags:
            self._except(turn, flag["code"], flag.get("detail", ""), flag)

    def _except(self, turn: AtTurn, kind: str, sentence: str, told: dict[str, Any]) -> None:
        self._except_at(turn.facts, kind, sentence, told)

    def _except_at(self, facts: RoundFacts, kind: str, sentence: str, told: dict[str, Any]) -> None:
        self.exceptions.append(odd.record_of(facts, kind, sentence, told))


def open_lockouts(table_ids: list[int]) -> dict[tuple[int, int], Lockout]:
    """Read the rounds of these tables that are locked out and not over."""
    rows = OpenRound.objects.filter(table_id__in=table_ids).select_related("lockout")
    return {
        (row.table_id, row.number): Lockout(
            row.lockout_id,
            parse(bytes(row.lockout.body)),
            [(told[0], contribution_of(told[1])) for told in row.contributed if len(told) == OWN],
            [
                Put(told[0], contribution_of(told[1]), *told[2:])
                for told in row.contributed
                if len(told) != OWN
            ],
            stored=True,
        )
        for row in rows
    }
