"""A level that must hit by an amount: what is drawn for it, and how a draw is committed. Pure.

Before play a secret amount between two bounds is drawn; whoever watches is given only the hash of
it and of a salt. The wager that brings the meter to the amount wins the level. Then amount and
salt are told, and everybody can see that they are what was promised.
"""

from decimal import ROUND_DOWN, Decimal
from hashlib import sha256
from typing import NamedTuple

from progressives.meters import CENT

MUST_HIT = "must_hit_by"  # in place of a hand: none decides
SPEC = "must_hit/1"


class Draw(NamedTuple):
    """What was drawn for a meter: ``value`` and ``salt`` (hexadecimal) are secret until the hit."""

    meter: str  # "MYSTERY:mini"
    number: int
    low: Decimal
    high: Decimal
    value: Decimal
    salt: str

    @property
    def commitment(self) -> str:
        """Return what is published before play: 64 hexadecimal digits of SHA-256.

        Over ``must_hit/1|MYSTERY:mini|1|100.00|250.00|187.31|<salt>`` in ASCII.
        """
        amounts = "|".join(f"{amount:.2f}" for amount in (self.low, self.high, self.value))
        return sha256(
            f"{SPEC}|{self.meter}|{self.number}|{amounts}|{self.salt}".encode()
        ).hexdigest()

    def __repr__(self) -> str:
        """Tell nothing secret: a draw may find its way into an error's text."""
        return f"Draw({self.meter}, {self.number}, {self.commitment})"


def steps_between(low: Decimal, high: Decimal) -> int:
    """Return how many whole cents there are from ``low`` to ``high``, both counted."""
    return int((high - low) / CENT) + 1


def pays(balance: Decimal, high: Decimal) -> Decimal:
    """Return what the level pays when it is won: its whole cents, and never more than it promises.

    The rest stays on the meter, on top of the next reset amount: nobody loses it.
    """
    return min(balance.quantize(CENT, rounding=ROUND_DOWN), high)
