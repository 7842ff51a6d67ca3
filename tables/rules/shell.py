"""The engine from a shell: documents in, outcomes out, one a line; hands in, ranks out.

Plain Python, nothing installed. What is refused becomes an error line, the others go on.
"""

import json
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, BinaryIO, TextIO

from tables.rules.cards import DECK_AND_JOKER
from tables.rules.documents import check_event, check_reduced_envelope
from tables.rules.games import SUPPORTED_GAMES, definition_of
from tables.rules.hands import order_of
from tables.rules.paytables import GameDefinition
from tables.rules.refusals import Refusal
from tables.rules.rounds import Settled, Submission, TableTerms, price_win
from tables.rules.settle import lockout, settle
from tables.rules.shapes import Check, meter_value, money, percent, shape
from tables.rules.strict import read_json
from tables.rules.voids import void
from tables.rules.wagers import AMOUNTS

_METER = shape(
    {"value": meter_value, "reset": meter_value, "increment_percent": percent},
    required=("value", "reset"),
)
_SUBMISSIONS: dict[str, Submission] = {}


def outcome_of(document: dict[str, Any]) -> dict[str, Any]:
    """Check and settle one self-contained document, and price its awards where it has a meter."""
    document = dict(document)
    told = "submission" in document
    meter, choices = document.pop("meter", None), document.pop("submission", {})
    check_reduced_envelope(document)
    definition = definition_of(document["game"])
    if definition is None:
        known = ", ".join(SUPPORTED_GAMES)
        raise Refusal("unsupported_game", "game", f"The games settled here are: {known}.")
    if document.get("type") == "operation":
        raise Refusal("bad_value", "type", "An operation has no outcome.")
    if definition.needs_submission and not told:
        detail = f"{definition.title} is settled by a rules submission: 'submission' must be here."
        raise Refusal("missing_key", "submission", detail, "§ 601a.2")
    terms = terms_of(document, definition, submission_of(document["game"], choices))
    if meter is not None:
        _under("meter", _METER, meter)
    check_event(document, terms)
    settled = {"lockout": lockout, "void": void_alone}.get(document.get("type", ""), settle)(
        document, terms
    )
    if meter is not None and document.get("type") != "void":
        price(settled, terms, meter)
    return settled.outcome


def void_alone(document: dict[str, Any], terms: TableTerms) -> Settled:
    """Void a document by itself: its lock-out is not known here."""
    return void(document, terms, None)


def submission_of(game: str, choices: Any) -> Submission:
    """Return the choices as a submission, made once for a run of documents that repeat them."""
    if type(choices) is not dict:
        raise Refusal("wrong_type", "submission", "This must be an object.")
    key = game + json.dumps(choices, sort_keys=True)
    made = _SUBMISSIONS.get(key)
    if made is None:
        if len(_SUBMISSIONS) > 64:
            _SUBMISSIONS.clear()
        try:
            made = _SUBMISSIONS[key] = Submission.make(game, choices)
        except Refusal as refusal:
            raise refusal.under("submission") from None
    return made


def terms_of(
    document: dict[str, Any], definition: GameDefinition, submission: Submission
) -> TableTerms:
    """Return the terms of the table that a document tells of: all that the chapter allows.

    The progressive takes the units that the submission names, or any of the chapter.
    """
    units = submission.progressive.units if submission.progressive else ()
    chosen = submission.choices.get("progressive_units", [str(unit) for unit in units])
    for place, unit in enumerate(chosen):
        path = f"submission.progressive_units[{place}]"
        _under(path, money, unit)
        if AMOUNTS[unit] not in units:
            known = " or ".join(f"${known}" for known in units)
            raise Refusal("bad_value", path, f"The chapter knows progressive wagers of {known}.")
    return TableTerms(
        document.get("table", "-"),
        document["game"],
        definition.positions,
        submission,
        None,
        tuple(AMOUNTS[unit] for unit in chosen),
    )


def _under(place: str, check: Check, value: Any) -> None:
    try:
        check(value)
    except Refusal as refusal:
        raise refusal.under(place) from None


def price(settled: Settled, terms: TableTerms, meter: dict[str, str]) -> None:
    """Price the round's meter awards: its contributions first, then each award at its turn."""
    from progressives.meters import RunningMeter, cents  # noqa: PLC0415 - start-up

    grows = terms.submission.progressive
    assumed = grows.increment_percent if grows else Decimal(0)
    growth = Decimal(meter.get("increment_percent", assumed))
    before = Decimal(meter["value"])
    running = RunningMeter(before, terms.submission.meter_terms(growth, Decimal(meter["reset"])))
    contributed = {c.position: running.contribute(c.stake).amount for c in settled.contributions}
    for position in settled.reversals:
        running.reverse(contributed.pop(position))
    paid = Decimal(0)
    for win in settled.wins:
        if win.percent is not None:
            award = running.award(win.percent)
            price_win(win, award.before, -award.amount)
            paid -= award.amount
    settled.outcome["meters"] = [
        {
            "level": "grand",
            "before": cents(before),
            "contributed": cents(sum(contributed.values(), Decimal(0))),
            "paid": cents(paid),
            "after": cents(running.value),
        }
    ]


def documents_in(source: BinaryIO) -> Iterator[bytes]:
    """Yield each document of the input: one a line, or a single one over many lines."""
    first = b""
    while not first.strip():
        first = source.readline()
        if not first:
            return
    if is_whole(first):
        yield first
        yield from (line for line in source if line.strip())
        return
    rest = source.read()
    if first.strip() in (b"{", b"[") or is_whole(first + rest):
        yield first + rest
    else:
        yield from (line for line in (first + rest).splitlines() if line.strip())


def is_whole(raw: bytes) -> bool:
    """Whether the bytes are one JSON value, good or bad as a document."""
    try:
        json.loads(raw)
    except (ValueError, RecursionError):
        return False
    return True


def settle_lines(source: BinaryIO, out: TextIO) -> int:
    """Settle every document of the input; return the exit status."""
    return answer_each(documents_in(source), lambda raw: outcome_of(read_json(raw)), out)


def answer_each(inputs: Iterable[Any], answer: Any, out: TextIO) -> int:
    """Write one JSON line an input, an error line where it is refused; return the exit status."""
    status = 0
    for told in inputs:
        try:
            found = answer(told)
        except Refusal as refusal:
            found, status = {"error": refusal.as_json()}, 2
        out.write(json.dumps(found, ensure_ascii=False) + "\n")
    return status


def rank(game: str, cards: list[str]) -> dict[str, Any]:
    """Return the best five-card hand of five to seven cards."""
    definition = definition_of(game)
    if definition is None:
        known = ", ".join(SUPPORTED_GAMES)
        raise Refusal("unsupported_game", "game", f"The games ranked here are: {known}.")
    if definition.ranking is None:
        detail = f"Hands of {definition.title} are not ranked: their points count."
        raise Refusal("not_ranked", "game", detail, f"§ {definition.chapter}.3(d)")
    for place, card in enumerate(cards):
        if card not in DECK_AND_JOKER or card not in definition.deck:
            raise Refusal("bad_card", f"cards[{place}]", f"There is no card {card!r}.")
        if card in cards[:place]:
            raise Refusal("duplicate_card", f"cards[{place}]", f"{card} stands here twice.")
    if not 5 <= len(cards) <= 7:
        raise Refusal("wrong_card_count", "cards", "There must be five, six or seven cards.")
    value, five, joker_as = definition.ranking.best(cards)
    return {
        "hand": definition.ranking.name(value),
        "cards": list(five),
        "joker_as": joker_as,
        "order": order_of(value),
    }


def rank_lines(game: str, source: BinaryIO, out: TextIO) -> int:
    """Rank a hand a line; return the exit status."""
    hands = (line.decode(errors="replace").split() for line in source if line.strip())
    return answer_each(hands, lambda cards: rank(game, cards), out)


def rank_hand(game: str, cards: list[str], out: TextIO) -> int:
    """Rank the one hand that was asked for; return the exit status."""
    return answer_each([cards], lambda told: rank(game, told), out)
