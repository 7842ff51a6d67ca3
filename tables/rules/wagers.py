"""What a wager can pay, each kind a type of its own, and the cent.

"To 1" is paid beside the stake, which goes back to the player. "For 1" and a share of the meter
are paid for a chip that was collected at "no more bets", so nothing goes back.
"""

from collections.abc import Iterator
from decimal import ROUND_DOWN, Decimal
from typing import Any, NamedTuple

CENT = Decimal("0.01")
NOTHING = "0.00"

#: Every kind of wager that the round document knows, whatever the game.
KINDS = frozenset(
    "main double_down fortune_bonus insurance progressive emperors_treasure pai_gow_insurance"
    " queens_dragon dynasty_bonus protection red_black ante super super_on bet options_fee"
    " push_22".split()
)


class ToOne(NamedTuple):
    """Odds: ``pays`` to ``per``, the stake returned beside it."""

    pays: int
    per: int = 1

    def __str__(self) -> str:
        return f"{self.pays} to {self.per}"


class ForOne(NamedTuple):
    """So many times the wager, the wager itself gone."""

    pays: int

    def __str__(self) -> str:
        return f"{self.pays} for 1"


class PercentOfMeter(NamedTuple):
    """A share of what the meter shows at the player's turn, whatever was wagered."""

    percent: int

    def __str__(self) -> str:
        return f"{self.percent}% of meter"


class Fixed(NamedTuple):
    """A sum that does not follow from the stake: an Envy Bonus."""

    amount: Decimal

    def __str__(self) -> str:
        return f"fixed ${self.amount}"


Terms = ToOne | ForOne | PercentOfMeter | Fixed


def to_cent(amount: Decimal) -> Decimal:
    """Cut a payout to the cent; the fraction stays with the house."""
    return amount.quantize(CENT, rounding=ROUND_DOWN)


def payout(terms: Terms, stake: Decimal) -> Decimal | None:
    """Return the winnings on ``stake``; None where only the meter can tell."""
    match terms:
        case ToOne(pays, per):
            return to_cent(stake * pays / per)
        case ForOne(pays):
            return to_cent(stake * pays)
        case Fixed(amount):
            return amount
        case PercentOfMeter():
            return None


def amounts_in(wager: Any) -> Iterator[tuple[str, str]]:
    """Yield the sums of a wager with their places in it: one, or one by each key that holds one.

    Super Wagers on others have one by hand (``{"dealer": "5.00"}``).
    """
    if type(wager) is str:
        yield "", wager
        return
    for key, amount in wager.items():
        if key[:1] != "_" and key != "on":
            yield f".{key}", amount


def told_wager(wager: Any) -> str:
    """Return a wager's sum or sums as a dealer reads them."""
    if type(wager) is str:
        return f"${wager}"
    told = (f"{word} {value}" for word, value in wager.items() if word[:1] != "_")
    return ", ".join(told) or "none"


class Amounts(dict[str, Decimal]):
    """Dollars as they stand in documents, each read once: ``AMOUNTS["25.00"]``."""

    def __missing__(self, text: str) -> Decimal:
        if len(self) > 4096:  # stakes are few; a flood of odd ones must not fill the memory
            self.clear()
        amount = self[text] = Decimal(text)
        return amount


AMOUNTS = Amounts()
