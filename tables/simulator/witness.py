"""Somebody beside the tables with a pencil: meters and chips by his own arithmetic.

He sees each event when it happens and knows the terms of each progressive. He shares no code with
the rules, the ledger or the close: whole numbers of millionths, and his own look at a hand
(§ 670a.12(d)). What he writes down are the independent readings of a simulated day.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

MILLION = 1_000_000
CENT = 10_000  # millionths
PERCENT = 100
ROYAL_RANKS = frozenset("AKQJT")


def millionths(dollars: str) -> int:
    """Read dollars as a whole number of millionths."""
    whole, _, rest = dollars.partition(".")
    return int(whole) * MILLION + int(rest.ljust(6, "0")[:6] or "0")


def dollars_of(amount: int) -> str:
    """Write millionths as dollars with six decimals; never a float."""
    whole, rest = divmod(abs(amount), MILLION)
    return f"{'-' if amount < 0 else ''}{whole}.{rest:06}"


@dataclass
class OwnMeter:
    """One progressive's meter; ``wrong`` is a rate that its sign uses for a while by mistake."""

    value: int
    reset: int
    rate: int  # millionths of each dollar
    wrong: tuple[datetime, datetime, int] | None = None

    @classmethod
    def make(cls, initial: str, reset: str, percent: str) -> "OwnMeter":
        """Begin at the initial amount."""
        return cls(millionths(initial), millionths(reset), millionths(percent) // PERCENT)

    def increment(self, stake: int, at: datetime) -> int:
        """Return what a wager of so many millionths puts on at a moment."""
        rate = self.rate
        if self.wrong is not None and self.wrong[0] <= at < self.wrong[1]:
            rate = self.wrong[2]
        return stake * rate // MILLION

    def pay_share(self, percent: int) -> None:
        """Take off a share of what it shows, in whole cents; all of it lets it begin again."""
        self.value -= self.value * percent // PERCENT // CENT * CENT
        if percent == PERCENT:
            self.value = self.reset


@dataclass
class Witness:
    """The property's meters and racks, by table and dealer, over the days."""

    meters: dict[str, OwnMeter]
    links: Mapping[str, str]  # table: its progressive
    racks: dict[tuple[str, str], int] = field(default_factory=dict)  # cents, of the day
    open: dict[tuple[str, int], list[tuple[int, int, int]]] = field(default_factory=dict)
    took: dict[tuple[str, int], str] = field(default_factory=dict)  # round: who took the chips in

    @classmethod
    def of(cls, setup: Mapping[str, Any]) -> "Witness":
        """Begin with what a set-up file announces."""
        meters = {}
        for made in setup["progressives"]:
            [level] = made["levels"]
            meters[made["code"]] = OwnMeter.make(
                level["initial"], level["reset"], level["increment_percent"]
            )
        tables = setup["tables"]
        return cls(meters, {t["code"]: t["progressive"] for t in tables if "progressive" in t})

    def see_all(self, events: Iterable[Mapping[str, Any]]) -> None:
        """Take a day's events, as they happen."""
        for event in events:
            self.see(event)

    def see(self, event: Mapping[str, Any]) -> None:
        """Take one event when it happens."""
        code = self.links.get(event["table"])
        if code is None or event["type"] not in ("lockout", "round", "settlement", "void"):
            return
        meter, place = self.meters[code], (event["table"], event["round"])
        if event["type"] in ("lockout", "round"):
            self._lock(meter, place, event)
        if event["type"] == "lockout":
            return
        laid, dealer = self.open.pop(place, []), self.took.pop(place, "")
        if event["type"] == "void":
            meter.value -= sum(added for _, _, added in laid)
            if laid:
                self.racks[event["table"], dealer] -= sum(stake for _, stake, _ in laid) // CENT
            return
        hands = {seat["position"]: seat["cards"] for seat in event["positions"]}
        for position in sorted((position for position, _, _ in laid), reverse=True):
            share = share_of(hands[position])
            if share:
                meter.pay_share(share)

    def _lock(self, meter: OwnMeter, place: tuple[str, int], event: Mapping[str, Any]) -> None:
        at = datetime.fromisoformat(event["occurred_at"])
        laid = []
        for seat in event["positions"]:
            if "progressive" in seat["wagers"]:
                stake = millionths(seat["wagers"]["progressive"])
                laid.append((seat["position"], stake, meter.increment(stake, at)))
        meter.value += sum(added for _, _, added in laid)
        self.open[place], self.took[place] = laid, event["dealer"]
        if laid:
            rack = event["table"], event["dealer"]
            taken = sum(stake for _, stake, _ in laid) // CENT
            self.racks[rack] = self.racks.get(rack, 0) + taken

    def readings(self) -> dict[str, str]:
        """Return what each sign shows now, by progressive."""
        return {code: dollars_of(meter.value) for code, meter in sorted(self.meters.items())}

    def count_racks(self) -> list[tuple[str, str, str]]:
        """Count the chips by table and dealer, in dollars, and empty the racks."""
        counted = [
            (table, dealer, f"{Decimal(cents) / 100:.2f}")
            for (table, dealer), cents in sorted(self.racks.items())
        ]
        self.racks = {}
        return counted


def share_of(cards: list[str]) -> int:
    """Return what a hand gets of the meter, in percent: five aces all of it, a royal a tenth."""
    joker = "JK" in cards
    aces = sum(card[0] == "A" for card in cards)
    if aces == 4 and joker:
        return 100
    for suit in "SHDC":
        held = {card[0] for card in cards if card != "JK" and card[1] == suit}
        if len(held & ROYAL_RANKS) + joker >= 5:
            return 10
    return 0
