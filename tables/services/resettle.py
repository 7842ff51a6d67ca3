"""Settle a lane's rounds again from what the log keeps, and compare with what was settled.

Each document is given to the same engine once more, at its place in the lane, with the meters where
the log says they stood when the stretch begins. What comes out must be what the log tells, to the
last line, movement and claim; and the rows of rounds, positions, intake, claims and Envy Bonuses
must be those that come out. ``settle_piece`` does one stretch, for ``audit.crew``.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from audit.canonical import canonical, parse
from audit.models import AuditEvent
from audit.services import chain_of_lane
from audit.verify import hash_at
from audit.walking import Fault, Row, Stretch, told_in
from progressives.levels import Contributed
from progressives.models import Lane
from progressives.retold import CHANGED
from progressives.services.control_terms import give_terms
from progressives.services.ledger import Ledger, LevelMeter
from tables.services.batch import Batch
from tables.services.further import feeds_of, put_in
from tables.services.numbering import Pending
from tables.services.resettle_amended import AMENDED, amended_again
from tables.services.resettled_rows import compare_rows
from tables.services.terms import TermsBook
from tables.services.turn import AtTurn, Lockout, Put

COMPARED = ("outcome", "claims", "entries", "flags", "refusal", "state")
ORDERED = "a person's order"


class Place(NamedTuple):
    """Where a meter stood at one end of a stretch."""

    sequence: int
    value: str


class Blind:
    """No watch: what it noticed hangs on more than the round."""

    def see(self, turn: AtTurn) -> list[Any]:
        return []


class Again(Batch):
    """A batch whose numbers and gaming days were given out long ago."""

    def __init__(self, lane: Lane, book: TermsBook) -> None:
        super().__init__(lane, book, Ledger(lane.pk), datetime.now(UTC))
        self.watching = Blind()  # type: ignore[assignment]
        self.given: tuple[int, date, bool] = (0, date.min, False)

    def _place(self, pending: Pending) -> tuple[date, bool]:
        self.number, day, late = self.given
        return day, late

    def settle(self, pending: Pending, told: Mapping[str, Any]) -> dict[str, Any]:
        """Apply one event at the place that the log gives it; return its page."""
        page: dict[str, Any] = parse(self.page(pending, told, self._at))
        return page

    def page(self, pending: Pending, told: Mapping[str, Any], at: str) -> bytes:
        """Return the page of an event as the log writes it, as of the moment it was written."""
        day = date.fromisoformat(told["gaming_day"])
        self.given, self._at = (told["lane_number"], day, told["late"]), at
        self._apply_one(pending)
        body = self.log[0].body  # what a hit reveals has pages of its own behind it
        self.log.clear()
        return body


class Stretched:
    """One stretch of a lane's chain, settled again."""

    def __init__(self, lane: Lane, chain: str) -> None:
        self.chain = chain
        self.book = TermsBook(retired_too=True)
        self.book.further = feeds_of(self.book.tables.values(), retired_too=True)
        self.again = Again(lane, self.book)
        self.faults: list[Fault] = []
        self.rounds = 0
        self.meters: dict[str, LevelMeter] = {}
        codes = {pk: code for code, pk in self._codes(lane).items()}
        for (progressive, _), level in self.again.ledger.meters.items():
            for held in level.every():
                self.meters[f"{codes[progressive]}:{held.name}"] = held
        self.begun: dict[str, Place] = {}
        self.intake: dict[str, bytes] = {}  # event_id -> the document as the log keeps it

    def _codes(self, lane: Lane) -> dict[str, int]:
        return dict(lane.progressives.values_list("code", "pk"))

    def begin_terms(self, after: int) -> None:
        """Give each level the terms that held when the stretch began: later changes undone."""
        found = AuditEvent.objects.filter(chain__name=self.chain, action=CHANGED)
        later = found.filter(sequence__gt=after).order_by("-sequence")
        for body in later.values_list("body", flat=True):
            facts = told_in(bytes(body)).get("facts", {})
            self._give_terms(facts, facts.get("before", {}))

    def _give_terms(self, facts: Mapping[str, Any], told: Mapping[str, Any]) -> None:
        level = self.meters.get(facts.get("meter", ""))
        if level is not None and told:
            give_terms(level, told)
            self.book.forget_meter_terms()

    def take(self, row: Row) -> None:
        """Settle an event of the chain again, or follow what a person ordered."""
        page: dict[str, Any] = told_in(row.body)  # nothing, where it is no document any more
        facts = page.get("facts", {})
        document = facts.get("document")
        if page.get("action") == CHANGED:
            self._give_terms(facts, facts["after"])
        if isinstance(document, dict) and facts.get("state") in ("applied", "skipped"):
            self._settle(row, page, document)
        elif page.get("action") == AMENDED:
            self._amended(row, facts)
            self._follow(row, page["subject"], facts)
        elif facts.get("entries") and "document" not in facts:
            self._follow(row, page["subject"], facts)

    def _amended(self, row: Row, facts: Mapping[str, Any]) -> None:
        """Settle an amendment's document again; its version must be what the log tells."""
        try:
            made = amended_again(self.book, facts)
        except Exception as error:  # whatever the engine says of it is told
            self._differs(row, f"The engine refuses it: {error}")
            return
        self.rounds += 1
        if made != facts["outcome"]:
            self._differs(row, first_difference("outcome", facts["outcome"], made))

    def _settle(self, row: Row, page: Mapping[str, Any], document: dict[str, Any]) -> None:
        facts = page["facts"]
        table = self.book.by_code.get(document["table"])
        if table is None:
            self._differs(row, f"There is no table {document['table']}.")
            return
        pending = pending_of(table.pk, document, facts)
        self.intake[pending.event_id] = pending.body
        self._begin_meters(table.progressive_id, facts)
        for fed in self.book.further.get(table.pk, ()):
            self._begin_meters(fed.progressive_id, facts, fed.code)
        key = (table.pk, document.get("round", 0))
        if document["type"] in ("settlement", "void") and key not in self.again.open:
            locked = self._lockout(page["subject"], row.sequence, table.pk)
            if locked is not None:
                self.again.open[key] = locked
        try:
            page_made = self.again.page(pending, facts, page["at"])
        except Exception as error:  # whatever the engine says of it is told
            self._differs(row, f"The engine refuses it: {error}")
            return
        self.rounds += document["type"] in ("settlement", "round", "void")
        if page_made == row.body:
            return
        made = parse(page_made)  # it may differ in what the watch noticed, and in no more
        if (made["action"], made["subject"]) != (page["action"], page["subject"]):
            self._differs(row, f"it is {made['action']} of {made['subject']}")
        for name in COMPARED:
            if made["facts"].get(name) != facts.get(name):
                self._differs(row, first_difference(name, facts.get(name), made["facts"].get(name)))
                self._take_over(document["table"], facts)
                return

    def _begin_meters(
        self, progressive: int | None, facts: Mapping[str, Any], code: str | None = None
    ) -> None:
        """Put each meter that is new to the stretch where the log says it stood.

        The entries of a table's further progressives name their ``code``, those of its own do not.
        """
        if progressive is None:
            return
        for level in self.again.ledger.levels(progressive):
            for held in level.every():
                name = self._name_of(held)
                if name in self.begun:
                    continue
                for entry in facts.get("entries", ()):
                    if (entry["level"], entry.get("progressive")) == (held.name, code):
                        self._begin(name, entry["sequence"] - 1, entry["before"])
                        break
                else:
                    for strip in facts.get("outcome", {}).get("meters", ()):
                        if strip["level"] == held.name and code is None:
                            held.running.value = Decimal(strip["before"])

    def _lockout(self, subject: str, before: int, table: int) -> Lockout | None:
        """Return a round's lock-out, with what it put on its further progressives too."""
        meters = {name: held.meter.pk for name, held in self.meters.items()}
        feeds = self.book.further.get(table, ())
        return lockout_of(self.chain, subject, before, lambda told: put_in(told, meters, feeds))

    def _name_of(self, held: LevelMeter) -> str:
        return next(name for name, other in self.meters.items() if other is held)

    def _begin(self, name: str, sequence: int, value: str) -> None:
        held = self.meters[name]
        held.begin_at(sequence, Decimal(value))
        self.begun[name] = Place(sequence, str(held.running.value))

    def _follow(self, row: Row, subject: str, facts: Mapping[str, Any]) -> None:
        """Take the movements that a person ordered; each must begin where the last one ended."""
        table = self.book.by_code.get(subject.partition("/")[0])
        for entry in facts["entries"]:
            code = entry.get("progressive") or facts.get("progressive")
            name = self._found(code, table.progressive_id if table else None, entry["level"])
            if name is None:
                continue
            if name not in self.begun:
                self._begin(name, entry["sequence"] - 1, entry["before"])
            held = self.meters[name]
            stands = (held.sequence + 1, held.running.value)
            after = Decimal(entry["before"]) + Decimal(entry["amount"])
            if (entry["sequence"], Decimal(entry["before"])) != stands or (
                Decimal(entry["after"]) != after
            ):
                self._differs(row, f"{ORDERED} does not begin where meter {name} stood")
            held.sequence, held.running.value = entry["sequence"], Decimal(entry["after"])

    def _found(self, code: str | None, progressive: int | None, level: str) -> str | None:
        if code is not None:
            name = f"{code}:{level}"
            return name if name in self.meters else None
        for name, held in self.meters.items():
            if held.meter.progressive_id == progressive and held.name == level:
                return name
        return None

    def _take_over(self, table: str, facts: Mapping[str, Any]) -> None:
        """Go on from what the log says, so that one difference is told once."""
        found = self.book.by_code[table]
        for entry in facts.get("entries", ()):
            code = entry.get("progressive")
            if name := self._found(code, found.progressive_id, entry["level"]):
                self.meters[name].begin_at(entry["sequence"], Decimal(entry["after"]))

    def _differs(self, row: Row, told: str) -> None:
        detail = f"{row.subject}, settled again, comes to something else: {told}"
        self.faults.append(Fault(self.chain, row.sequence, "settles_otherwise", detail))

    def ends(self) -> dict[str, list[Any]]:
        """Return where each meter stood at the begin and at the end of the stretch."""
        return {
            name: [*place, self.meters[name].sequence, str(self.meters[name].running.value)]
            for name, place in self.begun.items()
        }


def settle_piece(chain_id: int, name: str, after: int, last: int) -> dict[str, Any]:
    """Settle one stretch of a chain again; the answer is JSON.

    ``meters`` says per meter (sequence, value) before the stretch and after it.
    """
    lane = next((lane for lane in Lane.objects.all() if chain_of_lane(lane.name) == name), None)
    if lane is None:
        return {"walked": last - after, "rounds": 0, "found": [], "meters": {}}
    stretched = Stretched(lane, name)
    stretched.begin_terms(after)
    for row in Stretch(chain_id, name, last, after, hash_at(chain_id, after)):
        stretched.take(row)
    faults = stretched.faults + list(compare_rows(name, stretched.again, stretched.intake))
    return {
        "walked": last - after,
        "rounds": stretched.rounds,
        "found": [["Fault", *fault] for fault in faults],
        "meters": stretched.ends(),
    }


def pending_of(table_id: int, document: dict[str, Any], facts: Mapping[str, Any]) -> Pending:
    """Return an event as it waited in the intake."""
    return Pending(
        id=0,
        event_id=document["event_id"],
        table_id=table_id,
        sequence=document["sequence"],
        type=document["type"],
        round=document.get("round"),
        body=canonical(document),
        occurred_at=datetime.fromisoformat(document["occurred_at"]),
        accepted_at=datetime.fromisoformat(facts["accepted_at"]),
    )


def lockout_of(
    chain: str,
    subject: str,
    before: int,
    put: Callable[[list[dict[str, Any]]], list[Put]] = lambda told: [],
) -> Lockout | None:
    """Return a round's lock-out from the log, with what it put on the meters."""
    rows = AuditEvent.objects.filter(
        chain__name=chain, subject=subject, action="tables.lockout_applied", sequence__lt=before
    )
    body = rows.order_by("-sequence").values_list("body", flat=True).first()
    if body is None:
        return None
    facts = parse(bytes(body))["facts"]
    entries = facts["entries"]
    own = [entry for entry in entries if "progressive" not in entry]
    added = list(contributed_in(own))
    return Lockout(0, facts["document"], added, put(entries), stored=False)


def contributed_in(entries: list[dict[str, Any]]) -> Iterator[tuple[int, Decimal]]:
    """Yield what each position put on its level: a plain amount, or the parts of several meters."""
    parts: dict[int, dict[str, Decimal]] = {}
    split = any("/" in entry["level"] for entry in entries)
    for entry in entries:
        if entry["position"] is not None:
            purpose = entry["level"].partition("/")[2]
            held = parts.setdefault(entry["position"], {})
            held[purpose] = held.get(purpose, Decimal(0)) + Decimal(entry["amount"])
    for position, given in parts.items():
        shown = given.get("", Decimal(0))
        if split:
            over, kept = given.get("overflow", Decimal(0)), given.get("reserve", Decimal(0))
            yield position, Contributed(shown, over, kept)
        else:
            yield position, shown


def first_difference(name: str, told: Any, made: Any) -> str:
    """Say where two JSON values part."""
    if isinstance(told, dict) and isinstance(made, dict):
        for key in sorted({*told, *made}):
            if told.get(key) != made.get(key):
                return first_difference(f"{name}.{key}", told.get(key), made.get(key))
    if isinstance(told, list) and isinstance(made, list):
        for place, (one, other) in enumerate(zip(told, made, strict=False)):
            if one != other:
                return first_difference(f"{name}[{place}]", one, other)
        return f"{name} has {len(told)} in the log, {len(made)} again"
    return f"{name} is {told!r} in the log, {made!r} again"
