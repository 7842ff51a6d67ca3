"""Print a reconstructed round for people: one line a step, the meter beside it."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from tables.rules.plain import WAGER_WORDS
from tables.services.reconstruct_amended import (
    PROPOSED,
    REFUSED,
    write_amended,
    write_proposed,
)

ORDER = {kind: place for place, kind in enumerate(WAGER_WORDS)}


def as_text(told: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a reconstruction, in order."""
    yield f"{told['table']}, round {told['round']}: {told['state']}"
    last = None
    for step in told["steps"]:
        log = step.get("log")
        if log is not None and log != last:
            yield ""
            when = step.get("occurred_at") or log["recorded_at"]
            yield f"{when}   (log {log['chain']}, event {log['sequence']})"
            last = log
        yield from (f"  {line}" for line in WRITERS.get(step["step"], write_other)(step))


def money(wagers: dict[str, Any]) -> str:
    """Write a position's wagers; some say what they are on."""
    ordered = sorted(wagers.items(), key=lambda pair: ORDER.get(pair[0], len(ORDER)))
    return ", ".join(one_wager(kind, told) for kind, told in ordered) or "no wagers"


def one_wager(kind: str, told: Any) -> str:
    if not isinstance(told, dict):
        return f"{name(kind)} ${told}"
    if "amount" in told:  # red or black
        return f"{name(kind)} ${told['amount']} on {told.get('on')}"
    return ", ".join(f"{name(kind)} {target} ${amount}" for target, amount in told.items())


def who(step: dict[str, Any]) -> str:
    """Write a position and, where known, its player."""
    player = step.get("player")
    return f"position {step['position']}" + (f" ({player})" if player else "")


def write_no_more_bets(step: dict[str, Any]) -> Iterator[str]:
    staff = ", ".join(
        f"{role} {step[role]}" for role in ("dealer", "floorperson") if step.get(role)
    )
    yield "No more bets" + (f"; {staff}" if staff else "")
    for seat in step["wagers"]:
        yield f"  {who(seat)}: {money(seat['wagers'])}"
    if step.get("chip_count") is not None:
        yield f"  progressive chips counted: {step['chip_count']}"


def write_meter(step: dict[str, Any]) -> Iterator[str]:
    sign = "" if step["amount"].startswith("-") else "+"
    place = f" for position {step['position']}" if step.get("position") else ""
    of = f"{step['progressive']}:" if step.get("progressive") else ""
    yield (
        f"  meter {of}{step['level']} #{step['sequence']}: {short(step['before'])} "
        f"{sign}{short(step['amount'])} = {short(step['after'])}  {step['kind']}{place}"
    )


def short(value: str) -> str:
    """Write a meter value with two decimals, more where it has them."""
    whole, _, fraction = value.partition(".")
    return f"{whole}.{fraction.rstrip('0').ljust(2, '0')}"


def write_dealt(step: dict[str, Any]) -> Iterator[str]:
    how = ", ".join(str(step[key]) for key in ("dealing", "deck") if step.get(key))
    yield "Dealt" + (f" ({how})" if how else "")
    if step.get("start"):
        yield f"  first card to {place_name(step['start'].get('first'))}: {start_of(step['start'])}"
    for gone in step.get("discarded") or ():
        yield f"  out of the round: {gone['card']} (§ {gone['cite']})"
    for hand in step["hands"]:
        notes = f" [{hand['status']}]" if hand.get("status") else ""
        if hand.get("lamp") is not None:
            notes += " (light lit)" if hand["lamp"] else " (light dark)"
        yield f"  {who(hand)}: {shown(hand)}{notes}"


def shown(hand: dict[str, Any]) -> str:
    """Write a position's cards and what its player decided."""
    if hand.get("hands"):  # blackjack: one or more hands in order of play
        played = "; ".join(one_hand(one) for one in hand["hands"])
        return played + ("; even money" if hand.get("even_money") else "")
    cards, lay = hand.get("cards") or [], hand.get("shown") or {}
    low = lay.get("low") or hand.get("low") or []
    if hand.get("surrender"):
        return f"surrendered {' '.join(cards)}".rstrip()
    if low:
        high = [card for card in cards if card not in low]
        way = " (house way)" if lay.get("set_by") else ""
        return f"{two_hands(high, low, lay)}{way}"
    decision = hand.get("decision")
    if decision or "declares" in hand:
        return f"{' '.join(cards)}{'' if hand.get('declares', True) else ' (not declared)'}" + (
            f"; {decided(decision)}" if decision else ""
        )
    return " ".join(cards) or "not exposed"


def two_hands(high: list[str], low: list[str], lay: dict[str, Any]) -> str:
    """Write the high and the low hand, a joker with what it stood for."""
    stood_for, low_joker = lay.get("joker_as"), lay.get("low_joker")
    above = [f"JK={stood_for}" if card == "JK" and stood_for else card for card in high]
    below = [f"JK={low_joker}" if card == "JK" and low_joker else card for card in low]
    return f"{' '.join(above)} | {' '.join(below)}"


def one_hand(hand: dict[str, Any]) -> str:
    notes = [f"{hand[key]} {word}" for key, word in SPLITS.items() if hand.get(key)]
    return " ".join(hand.get("cards") or ["no cards"]) + (f" ({', '.join(notes)})" if notes else "")


SPLITS = {"from_split": "split", "double": "double", "status": "hand"}


def decided(decision: dict[str, Any]) -> str:
    words = [decision["action"]]
    if decision.get("discard"):
        words.append(f"discards {' '.join(decision['discard'])}")
    if decision.get("draw"):
        words.append(f"draws {' '.join(decision['draw'])}")
    if decision.get("then"):
        words.append(f"then {decision['then']}")
    return " ".join(words)


def place_name(place: int | None) -> str:
    return "the dealer" if place == 0 else f"position {place}"


def start_of(start: dict[str, Any]) -> str:
    if "dice" in start:
        return f"dice {' + '.join(map(str, start['dice']))} = {sum(start['dice'])}"
    return f"number {start.get('random_number')}"


def write_dealer(step: dict[str, Any]) -> Iterator[str]:
    if step.get("high"):
        cards = two_hands(step["high"], step.get("low") or [], step)
    else:
        cards = " ".join(step.get("cards") or [])
    yield f"Dealer: {cards}  {name(step.get('hand'))}".rstrip()


def name(hand: str | None) -> str:
    return (hand or "").replace("_", " ")


def write_settled(step: dict[str, Any]) -> Iterator[str]:
    parts = [f"position {step['position']}", f"{name(step['wager'])} ${step['stake']}"]
    parts.append(step["result"] + (f" on {name(step['hand'])}" if step.get("hand") else ""))
    if step.get("on") is not None:
        parts.append(f"on {step['on']}")
    if step.get("hand_index") is not None:
        parts.append(f"hand {step['hand_index'] + 1}")
    if step.get("second_combination"):
        parts.append("second combination")
    if step.get("from_position"):
        parts.append(f"for position {step['from_position']}'s hand")
    if step.get("terms"):
        parts.append(step["terms"])
    if step.get("meter_at_turn") is not None:
        parts.append(f"meter at turn {step['meter_at_turn']}")
    parts.append(f"pays ${step['pays']}")
    if step.get("returned") not in (None, "0.00"):
        parts.append(f"returned ${step['returned']}")
    if step.get("vigorish"):
        parts.append(f"vigorish ${step['vigorish']}")
    parts.append(step.get("cite") or "")
    if step.get("reading"):
        parts.append(f"reading {step['reading']}")
    yield "  " + "; ".join(part for part in parts if part)
    for entry in step.get("meter", ()):
        yield from write_meter(entry)


def write_end(step: dict[str, Any]) -> Iterator[str]:
    for meter in step["meters"]:
        yield (
            f"Meter {meter['level']}: {short(meter['before'])} before the first turn, "
            f"{short(meter['paid'])} paid, {short(meter['after'])} after the round"
        )
    if step.get("rack"):
        yield f"Discard rack, first to last: {'; '.join(racked(one) for one in step['rack'])}"
    for flag in step["flags"]:
        yield f"Flag: {flagged(flag)}"


def racked(taken: dict[str, Any]) -> str:
    """Write one thing that went into the rack."""
    where = f"position {taken['position']}" if taken["position"] else name(taken["what"])
    if taken["position"] and taken["what"] != "position":
        where += f" {taken['what']}"
    if taken.get("unseen"):
        return f"{where} of {taken['unseen']} cards"
    return f"{where} {' '.join(taken['cards'])}"


def flagged(flag: dict[str, Any]) -> str:
    """Write a flag with its sentence; of a payment, what was right and by how much it was not."""
    detail = flag.get("detail", "").rstrip(".")
    told = [f"{name(flag['code'])}: {detail}" if detail else name(flag["code"])]
    if "paid" in flag and "due" in flag:
        wrong = Decimal(flag["paid"]) - Decimal(flag["due"])
        told.append(f"{'over' if wrong > 0 else 'under'}paid by ${abs(wrong)}")
    if flag.get("cite"):
        told.append(flag["cite"])
    return "; ".join(told)


def write_void(step: dict[str, Any]) -> Iterator[str]:
    irregular = step.get("irregularity") or {}
    for one in irregular if isinstance(irregular, list) else [irregular]:
        yield f"Void under § {one.get('cite', '?')}: {one.get('note', '')}".rstrip(": ")
    evidence = step.get("evidence") or {}
    for seat in evidence.get("positions", ()):
        if seat.get("cards") or seat.get("hands"):
            yield f"  {who(seat)} lay: {shown({**seat, 'low': []})}"
    dealer = evidence.get("dealer_hand") or {}
    if dealer.get("cards"):
        yield f"  the dealer lay: {' '.join(dealer['cards'])}"
    for flag in step.get("flags", ()):
        yield f"  Flag: {flagged(flag)}"


def write_elsewhere(step: dict[str, Any]) -> Iterator[str]:
    """Write what other tables moved meanwhile: a line a table, and each award by itself."""
    yield "Meanwhile at linked tables"
    for table, number, amount in sums_of(step["moved"]):
        wagers = "1 wager" if number == 1 else f"{number} wagers"
        yield f"  {table}: {wagers}, +{short(str(amount))} on the meter"
    for entry in step["moved"]:
        if entry["kind"] not in ("contribution", "reversal"):
            yield f"  {entry['table']}, round {entry['round']}:"
            yield from (f"  {line}" for line in write_meter(entry))


def sums_of(moved: list[dict[str, Any]]) -> list[tuple[str, int, Decimal]]:
    """Return what each table contributed, less what was taken back: (table, wagers, amount)."""
    found: dict[str, tuple[int, Decimal]] = {}
    for entry in moved:
        if entry["kind"] in ("contribution", "reversal"):
            number, amount = found.get(entry["table"], (0, Decimal(0)))
            found[entry["table"]] = number + 1, amount + Decimal(entry["amount"])
    return [(table, number, amount) for table, (number, amount) in sorted(found.items())]


def write_refused(step: dict[str, Any]) -> Iterator[str]:
    yield f"Refused at its turn: {step['type']}: {step['code']} at {step['path']}: {step['detail']}"


def write_set_aside(step: dict[str, Any]) -> Iterator[str]:
    yield f"Set aside for a person: {step['error']}"


def write_operation(step: dict[str, Any]) -> Iterator[str]:
    known = ("step", "log", "occurred_at", "kind")
    facts = [f"{name(key)} {value}" for key, value in step.items() if value and key not in known]
    yield f"Operation: {name(step['kind'])}" + (f"; {', '.join(facts)}" if facts else "")


def write_watched(step: dict[str, Any]) -> Iterator[str]:
    for found in step["found"]:
        yield f"Watch: {found['detail']} ({found['cite'] or found['code']})"


def write_revealed(step: dict[str, Any]) -> Iterator[str]:
    told = step["facts"]
    yield (
        f"{told['meter']} was won at entry {told['entry']} by position {told['position']}:"
        f" ${told['amount']}"
    )
    yield f"  draw {told['number']} was ${told['value']}, salt {told['salt']}"
    yield f"  promised as {told['commitment']}"


def write_other(step: dict[str, Any]) -> Iterator[str]:
    facts = ", ".join(f"{key} {value}" for key, value in step.get("facts", {}).items() if value)
    yield f"{step['step']} by {step.get('by') or 'the system'}: {facts}"


WRITERS = {
    "no_more_bets": write_no_more_bets,
    "meter": write_meter,
    "dealt": write_dealt,
    "dealer": write_dealer,
    "settled": write_settled,
    "elsewhere": write_elsewhere,
    "end": write_end,
    "void": write_void,
    "refused": write_refused,
    "set_aside": write_set_aside,
    "operation": write_operation,
    "watched": write_watched,
    "amended": write_amended,
    PROPOSED: write_proposed,
    REFUSED: write_proposed,
    "progressives.must_hit_revealed": write_revealed,
}
