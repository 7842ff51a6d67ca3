"""Where the database's tables say something else of a round than the log that was written with it.

The log is what counts. A row that differs was changed past the house, or the log was: both are for
surveillance, and no screen of a round stays silent about it.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from progressives.models import EnvyPayout, JackpotClaim, MeterEntry
from tables.models import GamingTable, Round, RoundPosition

Told = dict[str, Any]

FRACTION = Decimal("0.000001")  # a meter's last place

#: What the reconstruction adds to a line of the outcome.
ADDED = frozenset(("step", "log", "occurred_at", "meter"))


class Disagreement(NamedTuple):
    """One thing of which log and tables tell different stories."""

    what: str
    log: str
    tables: str


def disagreements(told: Told) -> list[Disagreement]:
    """Return what the tables say otherwise of a reconstructed round."""
    round_id = UUID(told["round_id"])
    found = [*of_round(told, round_id), *of_positions(told, round_id)]
    found += [*of_meters(told, round_id), *of_payouts(told, round_id)]
    return found


def differ(what: str, log: Any, tables: Any) -> Iterator[Disagreement]:
    """Yield a disagreement where the two are not the same."""
    if log != tables:
        yield Disagreement(what, words(log), words(tables))


def words(value: Any) -> str:
    """Write a value for people."""
    if value in (None, "", [], {}):
        return "nothing"
    return str(value)


def of_round(told: Told, round_id: UUID) -> Iterator[Disagreement]:
    """Compare the round's own row: there is one as soon as it is over."""
    row = Round.objects.filter(pk=round_id).first()
    if row is None or told["state"] == "open":
        state = None if row is None else row.state
        yield from differ("The round", None if told["state"] == "open" else told["state"], state)
        return
    yield from differ("State", told["state"], row.state)
    yield from differ("Rules", told["rules"], row.rules)
    yield from differ("Gaming day", told["gaming_day"], row.gaming_day.isoformat())
    for step in told["steps"]:
        if step["step"] == "dealer":
            hand = {key: step[key] for key in row.dealer_hand or {} if key in step}
            yield from differ("Dealer's hand", hand, row.dealer_hand)
        elif step["step"] == "end":
            yield from differ("Meters", step["meters"], row.meters)
            yield from differ("Flags", step["flags"], row.flags)


def of_positions(told: Told, round_id: UUID) -> Iterator[Disagreement]:
    """Compare each position's cards and lines."""
    rows = {row.position: row for row in RoundPosition.objects.filter(round=round_id)}
    lines: dict[int, list[Told]] = {position: [] for position in rows}
    for step in told["steps"]:
        if step["step"] == "settled":
            line = {key: value for key, value in step.items() if key not in ADDED}
            lines.setdefault(line["position"], []).append(line)
    for position, logged in sorted(lines.items(), reverse=True):
        stored = rows[position].lines if position in rows else []
        if logged != stored:
            yield from of_lines(position, logged, stored)
    hands = [hand for step in told["steps"] for hand in step.get("hands", ())]
    for hand in hands:
        row = rows.get(hand["position"])
        stored_cards = None if row is None else row.cards
        cards = " ".join(hand.get("cards", ()))
        yield from differ(f"Position {hand['position']}: cards", cards, stored_cards)
        if row is not None:
            wagers = hand.get("wagers", {})
            yield from differ(f"Position {hand['position']}: wagers", wagers, row.wagers)
            player = hand.get("player", "")
            yield from differ(f"Position {hand['position']}: player", player, row.player)


def of_lines(position: int, logged: list[Told], stored: list[Told]) -> Iterator[Disagreement]:
    """Yield what differs in a position's lines, line by line."""
    for place in range(max(len(logged), len(stored))):
        log = logged[place] if place < len(logged) else {}
        row = stored[place] if place < len(stored) else {}
        wager = str((log or row).get("wager", "")).replace("_", " ")
        for key in sorted({*log, *row}):
            what = f"Position {position}, {wager}: {key.replace('_', ' ')}"
            yield from differ(what, log.get(key), row.get(key))


def of_meters(told: Told, round_id: UUID) -> Iterator[Disagreement]:
    """Compare the movements that the log tells with the ledger's entries."""
    logged = {}
    for step in told["steps"]:
        ordered = (step.get("facts") or {}).get("entries", ())  # by a person: an award put back
        entries = [step] if step["step"] == "meter" else step.get("meter") or ordered
        for entry in entries:
            logged[entry["level"], entry["sequence"]] = (
                *(entry["kind"], Decimal(entry["amount"]).quantize(FRACTION)),
                Decimal(entry["after"]).quantize(FRACTION),
            )
    if not logged:
        return
    table = GamingTable.objects.filter(code=told["table"]).first()
    sequences = [sequence for _, sequence in logged]
    rows = MeterEntry.objects.filter(
        meter__progressive=None if table is None else table.progressive_id,
        sequence__range=(min(sequences), max(sequences)),
        round_id=round_id,
    ).values_list("meter__level", "sequence", "kind", "amount", "after")
    stored = {(level, number): (kind, amount, after) for level, number, kind, amount, after in rows}
    for level, number in sorted({*logged, *stored}):
        log, row = logged.get((level, number)), stored.get((level, number))
        if log != row:
            yield Disagreement(f"Meter {level}, entry {number}", entry_words(log), entry_words(row))


def entry_words(entry: tuple[str, Decimal, Decimal] | None) -> str:
    """Write a movement."""
    return "nothing" if entry is None else f"{entry[0]} {entry[1]:+f}, then {entry[2]:f}"


def of_payouts(told: Told, round_id: UUID) -> Iterator[Disagreement]:
    """Compare claims and Envy Bonuses."""
    ends = [step for step in told["steps"] if step["step"] in ("end", "amended")]
    claims = [claim for step in ends for claim in step["claims"]]
    logged = sorted((claim["position"], Decimal(claim["amount"])) for claim in claims)
    rows = JackpotClaim.objects.filter(round_id=round_id).values_list("position", "amount")
    yield from differ("Claims", payouts(logged), payouts(sorted(rows)))
    lines = [line for line in told["steps"] if line.get("result") == "envy"]
    owed = sorted((line["position"], line["from_position"], line["pays"]) for line in lines)
    later = [o for step in ends for o in step.get("effects", {}).get("envies_owed", ())]
    owed = sorted([*owed, *((o["position"], o["from_position"], o["amount"]) for o in later)])
    envies = EnvyPayout.objects.filter(round_id=round_id)
    stored = sorted(
        (e.position, e.from_position, f"{e.amount:.2f}")
        for e in envies.only("position", "from_position", "amount")
    )
    yield from differ("Envy Bonuses", envy_words(owed), envy_words(stored))


def payouts(rows: list[tuple[int, Decimal]]) -> str:
    """Write claims."""
    return ", ".join(f"position {position} ${amount:.2f}" for position, amount in rows)


def envy_words(rows: list[tuple[int, int, str]]) -> str:
    """Write Envy Bonuses."""
    return ", ".join(f"position {to} ${amount} for position {of}" for to, of, amount in rows)
