"""Small checks of which a document's shape is put together: each takes a value or refuses it.

A check raises ``Refusal`` with the place seen from its own value; whoever called it adds where
that stands. Problems are found in document order.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from tables.rules.cards import DECK, DECK_AND_JOKER, UNSEEN
from tables.rules.refusals import Refusal
from tables.rules.strict import check_strict
from tables.rules.wagers import KINDS

Check = Callable[[Any], None]

CODE_LENGTH = 16  # of staff, tables, decks and devices
NAME_LENGTH = 64
CITE_LENGTH = 48
NOTE_LENGTH = 2000

_MONEY = re.compile(r"(?:0|[1-9][0-9]{0,9})\.[0-9]{2}")
_METER_VALUE = re.compile(r"(?:0|[1-9][0-9]{0,9})\.[0-9]{2,6}")
_PERCENT = re.compile(r"(?:100|[1-9]?[0-9])(?:\.[0-9]{1,4})?")
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?"
    r"(Z|[+-][0-9]{2}:[0-9]{2})"
)
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_CARDS = frozenset(DECK_AND_JOKER)
_CARDS_OR_UNSEEN = _CARDS | {UNSEEN}
_YEARS = range(2000, 2200)  # so that a moment can be told in any time zone


def text(length: int = NAME_LENGTH) -> Check:
    """Make a check for a text that is not empty and not longer than ``length``."""

    def check(value: Any) -> None:
        if type(value) is not str:
            raise Refusal("wrong_type", "", "This must be a text.")
        if not value or len(value) > length or "\0" in value:
            raise Refusal("bad_value", "", f"This text must have 1 to {length} characters.")

    return check


def note(value: Any) -> None:
    """Check free words, which may be none."""
    if type(value) is not str:
        raise Refusal("wrong_type", "", "This must be a text.")
    if len(value) > NOTE_LENGTH or "\0" in value:
        raise Refusal("bad_value", "", f"This text may have {NOTE_LENGTH} characters at most.")


def whole(low: int, high: int = 2**53) -> Check:
    """Make a check for a whole number from ``low`` to ``high``."""
    if high == 2**53:
        bounds = f"This number must be {low} or more."
    else:
        bounds = f"This number must be from {low} to {high}."

    def check(value: Any) -> None:
        if type(value) is not int:
            raise Refusal("wrong_type", "", "This must be a whole number.")
        if not low <= value <= high:
            raise Refusal("bad_value", "", bounds)

    return check


def any_whole(value: Any) -> None:
    """Check a whole number whose bounds another check knows."""
    if type(value) is not int:
        raise Refusal("wrong_type", "", "This must be a whole number.")


def flag(value: Any) -> None:
    """Check true or false."""
    if type(value) is not bool:
        raise Refusal("wrong_type", "", "This must be true or false.")


def one_of(*words: str) -> Check:
    """Make a check for one of a few words."""
    known = frozenset(words)
    detail = f"This must be one of: {', '.join(words)}."

    def check(value: Any) -> None:
        if type(value) is not str:
            raise Refusal("wrong_type", "", "This must be a text.")
        if value not in known:
            raise Refusal("bad_value", "", detail)

    return check


def money(value: Any) -> None:
    """Check dollars and cents, more than zero: a wager."""
    paid(value)
    if value == "0.00":
        raise Refusal("bad_money", "", "A wager must be more than 0.00.")


def paid(value: Any) -> None:
    """Check dollars and cents, which may be none."""
    if type(value) is not str or not _MONEY.fullmatch(value):
        raise Refusal("bad_money", "", 'Money must be a text of dollars and cents, such as "5.00".')


def meter_value(value: Any) -> None:
    """Check what a meter shows: dollars with two to six decimals."""
    if type(value) is not str or not _METER_VALUE.fullmatch(value):
        raise Refusal("bad_money", "", "A meter's value has two to six decimals.")


def percent(value: Any) -> None:
    """Check a rate in percent, as a text."""
    if type(value) is not str or not _PERCENT.fullmatch(value):
        raise Refusal("bad_value", "", 'A rate must be a text such as "21".')


def instant(value: Any) -> None:
    """Check a moment: date, time and offset by RFC 3339."""
    if type(value) is not str:
        raise Refusal("wrong_type", "", "A time must be a text.")
    detail = "A time must be written as 2026-11-12T06:00:15.000-05:00, with its offset."
    if not _INSTANT.fullmatch(value) or int(value[:4]) not in _YEARS:
        raise Refusal("bad_value", "", detail)
    try:
        datetime.fromisoformat(value)
    except ValueError:
        raise Refusal("bad_value", "", detail) from None


def uuid(value: Any) -> None:
    """Check a UUID in its usual form."""
    if type(value) is not str:
        raise Refusal("wrong_type", "", "This must be a text.")
    if not _UUID.fullmatch(value):
        raise Refusal("bad_value", "", "This must be a UUID.")


def cards_among(known: frozenset[str], detail: str) -> Check:
    """Make a check for a list of cards."""

    def check(value: Any) -> None:
        if type(value) is not list:
            raise Refusal("wrong_type", "", "Cards must be a list.")
        for place, card in enumerate(value):
            if type(card) is not str:
                raise Refusal("wrong_type", f"[{place}]", "A card must be a text.")
            if card not in known:
                raise Refusal("bad_card", f"[{place}]", detail)

    return check


CARD_DETAIL = 'A card is a rank of 23456789TJQKA and a suit of SHDC, or "JK".'
cards = cards_among(_CARDS, CARD_DETAIL)
cards_or_unseen = cards_among(_CARDS_OR_UNSEEN, CARD_DETAIL)

WITHOUT_JOKER = frozenset(DECK)
PLAIN_DETAIL = "A card is a rank of 23456789TJQKA and a suit of SHDC; this deck has no joker."
plain_cards = cards_among(WITHOUT_JOKER, PLAIN_DETAIL)
plain_cards_or_unseen = cards_among(WITHOUT_JOKER | {UNSEEN}, PLAIN_DETAIL)


def one_card(check_list: Check) -> Check:
    """Make a check for one card out of the check for a list of them."""

    def check(value: Any) -> None:
        try:
            check_list([value])
        except Refusal as refusal:
            refusal.path = ""
            raise

    return check


def list_of(check_item: Check, at_least: int = 0) -> Check:
    """Make a check for a list whose every item passes ``check_item``."""

    def check(value: Any) -> None:
        if type(value) is not list:
            raise Refusal("wrong_type", "", "This must be a list.")
        if len(value) < at_least:
            raise Refusal("bad_value", "", f"This list must have {at_least} or more entries.")
        for place, item in enumerate(value):
            try:
                check_item(item)
            except Refusal as refusal:
                raise refusal.under(place) from None

    return check


def one_or_list(check_item: Check) -> Check:
    """Make a check for one thing, or a list of at least one."""
    check_list = list_of(check_item, at_least=1)

    def check(value: Any) -> None:
        if type(value) is list:
            check_list(value)
        else:
            check_item(value)

    return check


def sender_own(value: Any) -> None:
    """Check what stands under a key of the sender's own: anything that has a canonical form."""
    check_strict(value, floats=False)


NO_SUCH_WAGER = ("unknown_wager", "There is no wager of this name.")


def _other_game(value: Any) -> None:
    """Leave a wager of another game to the check of what the table offers."""


def wagers(own: Mapping[str, Check]) -> Check:
    """Make a check for a position's wagers: a game's own, each with its check."""
    return shape({**dict.fromkeys(KINDS, _other_game), **own}, unknown=NO_SUCH_WAGER)


def payments(kinds: Iterable[str]) -> Check:
    """Make a check for what the dealer paid, by kind of wager."""
    return shape(dict.fromkeys(kinds, paid), unknown=NO_SUCH_WAGER)


def shape(
    keys: Mapping[str, Check],
    required: Iterable[str] = (),
    unknown: tuple[str, str] = ("unknown_key", "There is no such key here."),
) -> Check:
    """Make a check for an object: each key with its check, and those that must be there.

    Keys that begin with ``_`` are the sender's own. ``unknown`` is the code and the sentence for
    any other key.
    """
    needed = tuple(required)
    known = dict(keys)

    def check(value: Any) -> None:
        if type(value) is not dict:
            raise Refusal("wrong_type", "", "This must be an object.")
        for key, item in value.items():
            check_item = known.get(key)
            if check_item is None:
                if key[:1] != "_":
                    code, detail = unknown
                    raise Refusal(code, key, detail)
                check_item = sender_own
            try:
                check_item(item)
            except Refusal as refusal:
                raise refusal.under(key) from None
        for key in needed:
            if key not in value:
                raise Refusal("missing_key", key, f"{key!r} must be here.")

    return check
