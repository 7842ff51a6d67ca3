"""Read what somebody asks for out of an address or a form; every refusal names field and reason."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, tzinfo
from decimal import Decimal, InvalidOperation
from typing import Any

from tables.findable import CARD_BITS, Asked
from tables.rules import Refusal
from tables.rules.games import GAMES

LONGEST = 64
MOST_NUMBER = 1 << 53
TEXTS = ("table", "player", "dealer", "floorperson", "hand", "deck")
NUMBERS = ("round", "claim", "slip")
AMOUNTS = ("wagered", "paid", "paid_at_least", "meter")
#: What a round can be marked as, with how the page says it.
FLAGS = {
    "mispay": "Paid wrongly",
    "void": "Void",
    "disputed": "Disputed",
    "alarm": "Alarm",
    "exception": "Exception",
    "claim": "Progressive payout",
    "refused": "Payout refused",
    "late": "Reported late",
    "manual": "Entered by hand or past the controller",
}
FIELDS = (*TEXTS, *NUMBERS, *AMOUNTS, "from", "to", "zone", "game", "position", "cards", "flags")


def read_asked(told: Mapping[str, Any], zone: tzinfo) -> Asked:
    """Return what was asked for. ``told`` holds texts, of ``flags`` a list of them.

    A time without an offset is one of the facility's ``zone``, or UTC where ``zone`` says so; an
    hour that the clocks repeat is meant both times. Raises ``Refusal``.
    """
    words = {name: str(told.get(name) or "").strip() for name in FIELDS if name != "flags"}
    for name, word in words.items():
        if len(word) > LONGEST:
            raise Refusal("bad_value", name, f"More than {LONGEST} characters are nothing we keep.")
    if words["zone"] == "utc":
        zone = UTC
    told_of: dict[str, Any] = {
        **{name: words[name] for name in TEXTS},
        **{name: number(words[name], name) for name in NUMBERS},
        **{name: amount(words[name], name) for name in AMOUNTS},
    }
    asked = Asked(
        since=moment(words["from"], "from", zone, fold=0),
        until=moment(words["to"], "to", zone, fold=1),
        game=one_of(words["game"], "game", GAMES),
        position=number(words["position"], "position", most=9),
        cards=cards(words["cards"]),
        flags=tuple(one_of(flag, "flags", FLAGS) for flag in told.get("flags") or () if flag),
        **told_of,
    )
    if asked.since and asked.until and asked.since > asked.until:
        raise Refusal("bad_value", "to", "The end lies before the beginning.")
    return asked


def moment(word: str, name: str, zone: tzinfo, fold: int) -> datetime | None:
    """Read a time; the end of a minute that is told without seconds is meant to its last."""
    if not word:
        return None
    try:
        found = datetime.fromisoformat(word)
    except ValueError:
        raise Refusal("bad_value", name, "Write a time as 2026-03-14T21:05.") from None
    if found.tzinfo is None:
        found = found.replace(tzinfo=zone, fold=fold)
    if fold and not found.second:  # the end
        found = found.replace(second=59, microsecond=999_999)
    try:
        found = found.astimezone(UTC)
    except (OverflowError, ValueError):
        raise Refusal("bad_value", name, "This time is out of range.") from None
    if not 2000 <= found.year < 2200:
        raise Refusal("bad_value", name, "This time is out of range.")
    return found


def number(word: str, name: str, most: int = MOST_NUMBER) -> int | None:
    """Read a whole number."""
    if not word:
        return None
    bare = word.replace(",", "").lstrip("0") or "0"
    if not (bare.isascii() and bare.isdecimal()) or len(bare) > 16 or int(bare) > most:
        raise Refusal("bad_value", name, f"Write a whole number, {most:,} at most.")
    return int(bare)


def amount(word: str, name: str) -> Decimal | None:
    """Read dollars, with or without cents, a dollar sign or commas."""
    if not word:
        return None
    bare = word.replace(",", "").removeprefix("$").strip()
    try:
        found = Decimal(bare)
    except InvalidOperation:
        raise Refusal("bad_money", name, "Write dollars as 750 or 750.00.") from None
    if not bare.replace(".", "", 1).isdecimal() or found >= 10**12:
        raise Refusal("bad_money", name, "Write dollars as 750 or 750.00.")
    return found


def cards(word: str) -> tuple[str, ...]:
    """Read cards as AS KD 10H JK, in any case, with blanks or commas."""
    found = []
    for part in word.upper().replace(",", " ").split():
        card = part.replace("10", "T", 1)
        if card not in CARD_BITS:
            raise Refusal("bad_card", "cards", f"{part} is no card: write AS, KD, 10H or JK.")
        found.append(card)
    return tuple(dict.fromkeys(found))


def one_of(word: str, name: str, known: Collection[str]) -> str:
    """Read one of the words that there are."""
    if word and word not in known:
        raise Refusal("bad_value", name, f"Choose one of: {', '.join(known)}.")
    return word
