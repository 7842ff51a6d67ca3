"""What a round would have come to under another submission, or another reading of the chapter.

The round's own documents go through the same engine once more, at their place in the lane and with
the meters where the log says they stood; nothing is stored. Settled by its own rules it must come
to what the log tells.
"""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from audit.canonical import parse
from audit.models import AuditEvent
from progressives.must_hit import MUST_HIT
from tables import rules
from tables.models import GamingTable, RulesSubmission
from tables.rules.choices import progressives_in
from tables.services.reconstruct import NotInTheLog
from tables.services.resettle import Again, lockout_of, pending_of
from tables.services.submission_of import find_submission
from tables.services.terms import TermsBook

#: What of a line may differ, in the order in which it is told.
TELLING = ("result", "hand", "terms", "pays", "returned", "vigorish", "meter_at_turn", "cite",
           "reading")  # fmt: skip
MONEY = ("pays", "returned")


class CannotAsk(Exception):
    """A question that has no answer: why, in words."""


class Change(NamedTuple):
    """A line of the outcome that would be another; None: there is none on that side."""

    position: int
    wager: str
    about: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    differs: list[tuple[str, str, str]]  # what, as it was settled, as it would be

    @property
    def money(self) -> Decimal:
        """By how much the house would pay more, or less."""
        return money_in(self.after) - money_in(self.before)


class Answer(NamedTuple):
    """What the other settlement came to, beside the one in the log."""

    table: str
    round: int
    settled_by: str
    asked: str
    submission: rules.Submission
    refusal: dict[str, str] | None
    changes: list[Change]
    others: list[tuple[str, str, str]]  # dealer's hand, meters, claims, flags
    sums: list[tuple[str, Decimal, Decimal]]  # paid and returned: in the log, and otherwise

    @property
    def same(self) -> bool:
        """Whether nothing would have been otherwise."""
        return not (self.refusal or self.changes or self.others)

    def as_json(self) -> dict[str, Any]:
        """Return the answer as JSON."""
        return {
            "spec": "what_if/1",
            "table": self.table,
            "round": self.round,
            "settled_by": self.settled_by,
            "asked": self.asked,
            "same": self.same,
            "refusal": self.refusal,
            "lines": [
                {**change._asdict(), "money": f"{change.money:.2f}"} for change in self.changes
            ],
            "others": [
                dict(zip(("what", "log", "other"), one, strict=True)) for one in self.others
            ],
            "sums": [
                {"who": who, "log": f"{log:.2f}", "other": f"{other:.2f}"}
                for who, log, other in self.sums
            ],
        }


class OtherBook(TermsBook):
    """The house's terms, but for one submission that holds at every table of its game."""

    def __init__(
        self, table: GamingTable, submission: rules.Submission, like: rules.Submission | None
    ) -> None:
        super().__init__()
        self._other = submission
        if like is not None and like.digest in self._grown:
            self._grown[submission.digest] = self._grown[like.digest]
        elif like is None:
            self._grown[submission.digest] = {
                Decimal(told["wager_unit"]): told for told in progressives_in(submission.choices)
            }
        self._game = table.game

    def at(self, table: GamingTable, moment: datetime) -> rules.TableTerms:
        """Return the table's terms under the other submission."""
        terms = super().at(table, moment)
        return terms._replace(submission=self._other) if table.game == self._game else terms


def what_if(
    table: str,
    number: int,
    *,
    version: str | None = None,
    readings: Mapping[str, str] | None = None,
) -> Answer:
    """Settle a round again as asked; by its own rules where nothing is asked.

    Raises NotInTheLog where it was never settled, CannotAsk for a submission or a reading that
    does not exist.
    """
    chain, sequence, facts = settlement_of(table, number)
    document, outcome = facts["document"], facts["outcome"]
    found = GamingTable.objects.select_related("lane").filter(code=table).first()
    if found is None:
        raise CannotAsk(f"There is no table {table} any more.")
    base, like = submission_asked(document["game"], outcome["rules"], version)
    submission = with_readings(base, readings or {})
    book = OtherBook(found, submission, like)
    made = settled_again(book, found, chain, sequence, facts)
    again = made.get("outcome") or {}
    logged, other = outcome["lines"], again.get("lines", [])
    refusal = made.get("refusal")
    return Answer(
        table,
        number,
        outcome["rules"],
        submission.rules,
        submission,
        refusal,
        [] if refusal else changes_of(logged, other),
        [] if refusal else others_of(facts, made),
        [] if refusal else sums_of(logged, other),
    )


def settlement_of(table: str, number: int) -> tuple[str, int, dict[str, Any]]:
    """Return chain, sequence and facts of the event that ended a round."""
    events = AuditEvent.objects.filter(
        subject=f"{table}/{number}",
        action__in=("tables.settlement_applied", "tables.round_applied", "tables.void_applied"),
    ).order_by("sequence")
    row = events.values_list("chain__name", "sequence", "body").first()
    if row is None:
        raise NotInTheLog(f"The log tells of no settlement of round {number} at {table}.")
    return row[0], row[1], parse(bytes(row[2]))["facts"]


def submission_asked(
    game: str, settled_by: str, version: str | None
) -> tuple[rules.Submission, rules.Submission | None]:
    """Return the submission to settle by, and the one whose meter terms hold (None: its own)."""
    if version is None:
        found = find_submission(game, settled_by)
        if found is None:
            raise CannotAsk(
                f"The rules that settled this round ({settled_by}) are not at hand any more: name"
                " a submission."
            )
        return found, found
    row = RulesSubmission.objects.filter(game=game, version=version).first()
    if row is None:
        known = ", ".join(
            RulesSubmission.objects.filter(game=game).values_list("version", flat=True)
        )
        raise CannotAsk(
            f"There is no submission {version} of {game}; there are: {known or 'none'}."
        )
    made = rules.Submission.make(game, row.choices)
    approved = getattr(row, "approval", None)
    return made, made if approved is not None else None


def with_readings(base: rules.Submission, readings: Mapping[str, str]) -> rules.Submission:
    """Return a submission with other readings; refuse one that the chapter does not know."""
    if not readings:
        return base
    definition = base.definition
    known = {reading.id: reading for reading in (definition.readings if definition else ())}
    for name, choice in readings.items():
        reading = known.get(name)
        if reading is None:
            raise CannotAsk(f"There is no reading {name} of this chapter.")
        allowed = (reading.default, *reading.alternatives)
        if choice not in allowed:
            raise CannotAsk(f"{name} can be read as: {', '.join(allowed)}.")
    chosen = {**base.choices.get("readings", {}), **readings}
    return rules.Submission.make(base.game, {**base.choices, "readings": chosen})


def settled_again(
    book: TermsBook, table: GamingTable, chain: str, sequence: int, facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Give the round's document to the engine again; return what its page would say."""
    document = facts["document"]
    pending = pending_of(table.pk, document, facts)
    again = Again(table.lane, book)
    if document["type"] != "round":
        subject = f"{table.code}/{document['round']}"
        locked = lockout_of(chain, subject, sequence)
        if locked is not None:
            again.open[table.pk, document["round"]] = locked
    try:
        terms = book.at(again.book.by_code[table.code], pending.occurred_at)
        rules.check_event(document, terms)
    except rules.Refusal as refused:
        told = {"code": refused.code, "path": refused.path, "detail": refused.detail}
        return {"refusal": told}
    put_meters(again, table, facts)
    made: dict[str, Any] = again.settle(pending, facts)["facts"]
    return made


def put_meters(again: Again, table: GamingTable, facts: Mapping[str, Any]) -> None:
    """Put the table's meters where the log says they stood when the event came."""
    if table.progressive_id is None:
        return
    strips = {strip["level"]: strip["before"] for strip in facts["outcome"].get("meters", ())}
    own = [entry for entry in facts.get("entries", ()) if "progressive" not in entry]
    first = {entry["level"]: entry for entry in reversed(own)}
    for level in again.ledger.levels(table.progressive_id):
        for held in level.every():
            entry = first.get(held.name)
            if entry is not None:
                held.sequence = entry["sequence"] - 1
                held.running.value = Decimal(entry["before"])
            elif held.name in strips:
                held.running.value = Decimal(strips[held.name])


# ---- what differs ------------------------------------------------------------------------------


def key_of(line: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what makes a line the same one in two outcomes."""
    return (
        line["position"],
        line["wager"],
        line["result"] == "envy",
        line.get("from_position") or 0,
        line.get("hand_index") or 0,
        str(line.get("on") or ""),
        bool(line.get("second_combination")),
    )


def about(line: Mapping[str, Any]) -> str:
    """Say which of a position's lines of a wager it is."""
    told = []
    if line["result"] == "envy":
        told.append(f"Envy Bonus for position {line['from_position']}")
    if line.get("hand_index") is not None:
        told.append(f"hand {line['hand_index'] + 1}")
    if line.get("on") is not None:
        told.append(f"on {line['on']}")
    if line.get("second_combination"):
        told.append("second combination")
    return ", ".join(told)


def changes_of(logged: list[dict[str, Any]], other: list[dict[str, Any]]) -> list[Change]:
    """Return the lines that differ, in settlement order."""
    before = {key_of(line): line for line in logged}
    after = {key_of(line): line for line in other}
    found = []
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        differs = [
            (name, said(old, name), said(new, name))
            for name in TELLING
            if said(old, name) != said(new, name)
        ]
        if differs:
            line = old or new or {}
            found.append(Change(line["position"], line["wager"], about(line), old, new, differs))
    return found


def said(line: Mapping[str, Any] | None, name: str) -> str:
    """Write a part of a line; nothing where there is none."""
    if line is None:
        return "no line" if name == "result" else ""
    value = line.get(name)
    return "" if value is None else str(value)


def money_in(line: Mapping[str, Any] | None) -> Decimal:
    """Return what the house gives for a line: winnings and the stake back."""
    if line is None:
        return Decimal(0)
    return sum((Decimal(line.get(name) or 0) for name in MONEY), Decimal(0))


def others_of(facts: Mapping[str, Any], made: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return what differs beside the lines."""
    found = []
    log, other = facts["outcome"], made["outcome"]
    for name in ("dealer", "meters", "flags"):
        before, after = words(name, log.get(name)), words(name, other.get(name))
        if before != after:
            found.append((name.capitalize(), before, after))
    before, after = claims_in(facts), claims_in(made)
    if before != after:
        found.append(("Claims", before, after))
    return found


def words(name: str, told: Any) -> str:
    """Write the dealer's hand, the meters or the flags."""
    if not told:
        return "none"
    if name == "dealer":
        cards = [" ".join(told[key]) for key in ("high", "low", "cards") if told.get(key)]
        return f"{' | '.join(cards)}, {str(told.get('hand')).replace('_', ' ')}"
    if name == "meters":
        return ", ".join(f"{strip['level']} ends at {strip['after']}" for strip in told)
    return ", ".join(
        str(flag["code"]).replace("_", " ")
        + (f" at position {flag['position']}" if flag.get("position") else "")
        + (f" ({flag['due']} due)" if flag.get("due") is not None else "")
        for flag in told
    )


def claims_in(facts: Mapping[str, Any]) -> str:
    """Write the claims that a settlement opens; what a wager wins hangs on no rules."""
    claims = [one for one in facts.get("claims") or [] if one["hand"] != MUST_HIT]
    told = (f"position {one['position']} {one['amount']}" for one in claims)
    return ", ".join(told) or "none"


def sums_of(
    logged: list[dict[str, Any]], other: list[dict[str, Any]]
) -> list[tuple[str, Decimal, Decimal]]:
    """Return what each position and all together are given, in the log and otherwise."""
    places = sorted({line["position"] for line in [*logged, *other]}, reverse=True)
    sums = [
        (f"Position {place}", of_position(logged, place), of_position(other, place))
        for place in places
    ]
    log = sum((row[1] for row in sums), Decimal(0))
    otherwise = sum((row[2] for row in sums), Decimal(0))
    return [*sums, ("All positions", log, otherwise)]


def of_position(lines: list[dict[str, Any]], position: int) -> Decimal:
    """Return what a position is given."""
    own = (money_in(line) for line in lines if line["position"] == position)
    return sum(own, Decimal(0))
