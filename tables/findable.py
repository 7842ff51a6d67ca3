"""What a round can be found by: its keys, its hands as sets of cards, and what was asked for.

Pure. A key is a text such as ``player:P-17`` or ``paid:750.00`` cut down to 32 bits, so that
an inverted index of them stays small; whatever needs to be exact is compared with the rows again.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any
from zlib import crc32

from tables.rules.cards import DECK_AND_JOKER

DEALER = 0  # the dealer's place among the hands
CARD_BITS = {card: 1 << place for place, card in enumerate(DECK_AND_JOKER)}
PLACE_FROM = 53  # above the cards' bits: whose hand it is
ALL_CARDS = (1 << PLACE_FROM) - 1
MOST_DOLLARS = 64  # values of one meter that one round is found by
LEAST_SIZE = 6  # 64 dollars: below it "paid at least" is no key

Paid = Mapping[int, set[Decimal]]  # what the dealer said he paid, by position

#: Spans of days by which the index narrows a search: 1, 8, 64 and 512 days.
LEVELS = (0, 3, 6, 9)


def key(kind: str, value: object) -> int:
    """Return the key of one fact, as a signed number of 32 bits."""
    return crc32(f"{kind}:{value}".encode()) - (1 << 31)


def day_of(moment: datetime) -> int:
    """Return the day's number, in UTC."""
    return int(moment.timestamp()) // 86_400


def span_keys(level: int, first: int, last: int) -> list[int]:
    """Return the keys of the spans of one level that cover these days."""
    return [key(f"days{level}", span) for span in range(first >> level, (last >> level) + 1)]


@dataclass(frozen=True)
class Seat:
    """One position of a round as its row holds it."""

    position: int
    player: str
    wagers: Mapping[str, Any]
    lines: list[dict[str, Any]]

    def wagered(self) -> set[Decimal]:
        """Return each amount wagered here, and their sum."""
        amounts = list(amounts_in(self.wagers))
        return {*amounts, sum(amounts, Decimal(0))} - {Decimal(0)}

    def paid(self) -> set[Decimal]:
        """Return each amount due here, and their sum."""
        amounts = [Decimal(line["pays"]) for line in self.lines if line.get("pays")]
        return {*amounts, sum(amounts, Decimal(0))} - {Decimal(0)}

    def hands(self) -> set[str]:
        """Return the names of the hands that decided its lines."""
        return {line["hand"] for line in self.lines if line.get("hand")}


def amounts_in(wagers: Any) -> Iterator[Decimal]:
    """Yield the amounts of a position's wagers; some stand a level deeper."""
    if isinstance(wagers, Mapping):
        for name, value in wagers.items():
            if name != "on":
                yield from amounts_in(value)
    elif isinstance(wagers, str):
        yield Decimal(wagers)


@dataclass
class Filed:
    """A round with all that it can be found by."""

    table: str
    number: int
    game: str
    state: str
    dealer: str
    floorperson: str
    occurred_at: datetime
    seats: list[Seat]
    meters: list[dict[str, Any]]
    decks: set[str] = field(default_factory=set)
    flags: set[str] = field(default_factory=set)
    documents: list[dict[str, Any]] = field(default_factory=list)
    moved: list[dict[str, Any]] = field(default_factory=list)  # its lock-out's movements

    def keys(self) -> list[int]:
        """Return the round's keys, each once."""
        return sorted({key(kind, value) for kind, value in self._facts()} | self._spans())

    def _spans(self) -> set[int]:
        day = day_of(self.occurred_at)
        return {span for level in LEVELS for span in span_keys(level, day, day)}

    def _facts(self) -> Iterator[tuple[str, object]]:
        yield from (("table", self.table), ("round", self.number), ("game", self.game))
        yield from ((kind, value) for kind, value in self._people() if value)
        yield from (("deck", deck) for deck in self.decks)
        yield from (("flag", flag) for flag in self.flags)
        if self.state == "void":
            yield "flag", "void"
        for seat in self.seats:
            if seat.player:
                yield "player", seat.player
            yield from (("hand", hand) for hand in seat.hands())
            yield from (("wagered", f"{amount:.2f}") for amount in seat.wagered())
            paid = seat.paid()
            yield from (("paid", f"{amount:.2f}") for amount in paid)
            yield from (("size", size) for size in sizes(max(paid, default=Decimal(0))))
        yield from (("paid", amount) for amount in paid_by_dealer(self.documents))
        yield from (("meter", dollar) for strip in self.meters for dollar in self._dollars(strip))

    def _people(self) -> Iterator[tuple[str, str]]:
        yield from (("dealer", self.dealer), ("floorperson", self.floorperson))

    def _dollars(self, strip: Mapping[str, Any]) -> set[int]:
        """Return the whole dollars that a meter showed in the course of the round."""
        before, after = Decimal(strip["before"]), Decimal(strip["after"])
        shown = {int(after)}
        turns = [line["meter_at_turn"] for s in self.seats for line in s.lines
                 if line.get("meter_at_turn")]  # fmt: skip
        shown |= {int(Decimal(value)) for value in turns}
        starts = [before - Decimal(strip["contributed"])]
        starts += [Decimal(entry["before"]) for entry in self.moved]
        lowest = int(min(starts))
        if int(before) - lowest < MOST_DOLLARS:
            return shown | set(range(lowest, int(before) + 1))
        return shown | {int(before), *map(int, starts)}

    def hands(self) -> list[int]:
        """Return each hand of the round: its cards' bits, and above them whose it is."""
        found = set()
        for document in self.documents:
            places = [(seat.get("position"), seat) for seat in document.get("positions", ())]
            for place, hand in [*places, (DEALER, document.get("dealer_hand") or {})]:
                if bits := bits_of(cards_in(hand)):
                    found.add(bits | place << PLACE_FROM)
        return sorted(found)


def sizes(amount: Decimal) -> Iterator[int]:
    """Yield the powers of two that an amount reaches, from ``LEAST_SIZE`` on."""
    yield from range(LEAST_SIZE, int(amount).bit_length())


def paid_by_dealer(documents: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield what the dealer said he paid, which may not be what was due."""
    for document in documents:
        for seat in document.get("positions", ()):
            paid = [Decimal(amount) for amount in (seat.get("paid") or {}).values()]
            yield from (f"{amount:.2f}" for amount in {*paid, sum(paid, Decimal(0))} if amount)


def cards_in(hand: Any) -> Iterator[str]:
    """Yield every card of a position, drawn and split ones too."""
    if isinstance(hand, Mapping):
        for name in ("cards", "hands", "decision", "draw"):
            if name in hand:
                yield from cards_in(hand[name])
    elif isinstance(hand, list):
        for part in hand:
            yield from cards_in(part)
    elif isinstance(hand, str):
        yield hand


def bits_of(cards: Iterable[str]) -> int:
    """Return the bits of a set of cards; a card that nobody saw has none."""
    bits = 0
    for card in cards:
        bits |= CARD_BITS.get(card, 0)
    return bits


@dataclass(frozen=True)
class Asked:
    """What the investigator knows; what he does not know is None or empty.

    ``since`` and ``until`` are inclusive. All that is told of a position must hold of one.
    """

    since: datetime | None = None
    until: datetime | None = None
    table: str = ""
    round: int | None = None
    game: str = ""
    position: int | None = None
    player: str = ""
    dealer: str = ""
    floorperson: str = ""
    hand: str = ""
    cards: tuple[str, ...] = ()
    wagered: Decimal | None = None
    paid: Decimal | None = None
    paid_at_least: Decimal | None = None
    claim: int | None = None
    slip: int | None = None
    meter: Decimal | None = None
    deck: str = ""
    flags: tuple[str, ...] = ()

    def keys(self) -> list[int]:
        """Return the keys that a round must have, all of them."""
        return [key(kind, value) for kind, value in self._facts()]

    def _facts(self) -> Iterator[tuple[str, object]]:
        for kind in ("table", "round", "game", "player", "dealer", "floorperson", "hand", "deck"):
            if value := getattr(self, kind):
                yield kind, value
        for kind in ("wagered", "paid"):
            amount = getattr(self, kind)
            if amount is not None:
                yield kind, f"{amount:.2f}"
        if self.paid_at_least is not None and self.paid_at_least >= 1 << LEAST_SIZE:
            yield "size", int(self.paid_at_least).bit_length() - 1
        if self.meter is not None:
            yield "meter", int(self.meter)
        yield from (("flag", flag) for flag in self.flags)

    @property
    def card_bits(self) -> int:
        """The bits of the cards that lay together."""
        return bits_of(self.cards)

    def positions(self, filed_hands: Iterable[int], seats: Iterable[Seat], paid: Paid) -> list[int]:
        """Return the positions of which all holds that was told of a position.

        ``filed_hands`` are the hands as filed, ``paid`` what the dealer said he paid at each.
        The dealer's place is 0, and nothing but cards can be told of it.
        """
        told = {
            seat.position for seat in seats if self._holds(seat, paid.get(seat.position, set()))
        }
        if not self._is_of_a_seat and self.position in (None, DEALER):
            told.add(DEALER)
        if self.cards:
            bits = self.card_bits
            told &= {hand >> PLACE_FROM for hand in filed_hands if hand & bits == bits}
        return sorted(told)

    @property
    def of_a_position(self) -> bool:
        """Whether anything was told that must hold of one position."""
        return self._is_of_a_seat or self.position is not None or bool(self.cards)

    @property
    def _is_of_a_seat(self) -> bool:
        amounts = (self.wagered, self.paid, self.paid_at_least)
        return bool(self.player or self.hand or any(amount is not None for amount in amounts))

    def _holds(self, seat: Seat, by_dealer: set[Decimal]) -> bool:
        paid = seat.paid() if self.paid is not None or self.paid_at_least is not None else set()
        return (
            (self.position is None or seat.position == self.position)
            and (not self.player or seat.player == self.player)
            and (not self.hand or self.hand in seat.hands())
            and (self.wagered is None or self.wagered in seat.wagered())
            and (self.paid is None or self.paid in paid | by_dealer)
            and (self.paid_at_least is None or max(paid, default=Decimal(0)) >= self.paid_at_least)
        )
