"""The shape of an event: its envelope, and the keys that any game's event may carry.

Positions and the dealer's hand are the game's own; its definition file says what they look like.
"""

from typing import Any

from tables.rules import shapes
from tables.rules.games import GAMES
from tables.rules.refusals import Refusal
from tables.rules.shapes import Check, shape

TYPES = ("lockout", "settlement", "round", "void", "operation")
SPEC = "round/1"

#: The envelope in the order in which it is looked at: key, check.
ENVELOPE: dict[str, Check] = {
    "spec": shapes.one_of(SPEC),
    "event_id": shapes.uuid,
    "table": shapes.text(shapes.CODE_LENGTH),
    "sequence": shapes.whole(1),
    "type": shapes.one_of(*TYPES),
    "round": shapes.whole(1),
    "occurred_at": shapes.instant,
    "game": shapes.one_of(*GAMES),
}
NOT_IN_OPERATIONS = ("round", "game")

IRREGULARITY = shape(
    {
        "cite": shapes.text(shapes.CITE_LENGTH),
        "note": shapes.note,
        "floorperson": shapes.text(shapes.CODE_LENGTH),
        "choice": shapes.one_of("void", "play", "later", "dead", "refuse"),
        "deck_out": shapes.flag,
    },
    required=("cite",),
)
IRREGULARITIES = shapes.one_or_list(IRREGULARITY)

_START = shape(
    {
        "dice": shapes.list_of(shapes.whole(1, 6)),
        "random_number": shapes.whole(1, 7),
        "first": shapes.whole(0, 6),
        "no_rolls": shapes.whole(0),
    },
    required=("first",),
)


def _start(value: Any) -> None:
    """Check how the starting position was found: by three dice or by a number (§ 670a.5(i))."""
    _START(value)
    dice = value.get("dice")
    if dice is None and "random_number" not in value:
        raise Refusal("missing_key", "dice", "Three dice or a random number must be here.")
    if dice is not None and "random_number" in value:
        raise Refusal("bad_value", "random_number", "Dice or a random number, not both.")
    if dice is not None and len(dice) != 3:
        raise Refusal("bad_value", "dice", "The shaker holds three dice.", "§ 670a.2(d)(1)(i)")


_MOMENTS = shape(
    dict.fromkeys(("no_more_bets", "decisions_locked", "reveal"), shapes.instant),
)
_VIDEO = shape(
    {"camera": shapes.text(), "from": shapes.instant, "to": shapes.instant},
    required=("camera", "from", "to"),
)


#: What any event may carry beside its envelope.
ANYWHERE: dict[str, Check] = {
    "dealer": shapes.text(shapes.CODE_LENGTH),
    "floorperson": shapes.text(shapes.CODE_LENGTH),
    "deck": shapes.text(),
    "dealing": shapes.one_of("manual_shoe", "hand", "automated_shoe"),
    "shuffle": shapes.one_of("manual", "device", "preshuffled"),
    "irregularity": IRREGULARITIES,
    "marks": _MOMENTS,
    "video": shapes.list_of(_VIDEO),
}
#: What a round may carry from its lock-out on, and once its cards are dealt.
AT_LOCKOUT: dict[str, Check] = {**ANYWHERE, "start": _start, "chip_count": shapes.whole(0)}


def _once_dealt(check_cards: Check) -> dict[str, Check]:
    entry = {"card": shapes.one_card(check_cards), "cite": shapes.text(shapes.CITE_LENGTH)}
    return {
        **AT_LOCKOUT,
        "stub": check_cards,
        "left_count": shapes.whole(0),
        "discarded": shapes.list_of(shape(entry, required=("card", "cite"))),
    }


def _by_type(known: Check, known_or_unseen: Check) -> dict[str, dict[str, Check]]:
    dealt = _once_dealt(known)
    evidence = _once_dealt(known_or_unseen)
    return {"lockout": AT_LOCKOUT, "settlement": dealt, "round": dealt, "void": evidence}


BY_TYPE = _by_type(shapes.cards, shapes.cards_or_unseen)
BY_TYPE_WITHOUT_JOKER = _by_type(shapes.plain_cards, shapes.plain_cards_or_unseen)
REQUIRED: dict[str, tuple[str, ...]] = {
    "lockout": ("positions",),
    "settlement": ("positions", "dealer_hand"),
    "round": ("positions", "dealer_hand"),
    "void": ("irregularity",),
}

OPERATION_KINDS = (
    "table_open table_close dealer_in deck_in deck_out shoe_in dice_in dice_out shuffle cut recut"
    " cards_spread cover_card card_count reader_inspected device_fault out_of_order"
    " device_restored"
).split()
_OPERATION_KEYS: dict[str, Check] = {
    "kind": shapes.one_of(*OPERATION_KINDS),
    "cite": shapes.text(shapes.CITE_LENGTH),
    "by": shapes.text(),
    "floorperson": shapes.text(shapes.CODE_LENGTH),
    "deck": shapes.text(),
    "device": shapes.text(),
    "position": shapes.whole(0),
    "counted": shapes.whole(0),
    "note": shapes.note,
}
_PLAIN_OPERATION = shape(_OPERATION_KEYS, required=("kind",))
_DECK_IN = shape(
    {
        **_OPERATION_KEYS,
        "jokers": shapes.whole(0),
        "joker_destroyed": shapes.flag,
        "spread": shapes.flag,
        "preshuffled": shapes.flag,
    },
    required=("kind",),
)


def check_operation(value: Any) -> None:
    """Check what was done at the table beside its rounds; a deck brings facts of its own."""
    deck_in = type(value) is dict and value.get("kind") == "deck_in"
    (_DECK_IN if deck_in else _PLAIN_OPERATION)(value)
