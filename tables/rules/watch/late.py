"""Wagers that a settlement names and its lock-out does not: made after "no more bets"."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any


def late_wagers(
    document: Mapping[str, Any], locked: Mapping[str, Any], later: frozenset[str]
) -> list[dict[str, Any]]:
    """Return the wagers that were made or raised after the lock-out.

    ``later``: those that are made only once the cards are seen.
    """
    before = {seat["position"]: seat["wagers"] for seat in locked["positions"]}
    return [
        {"position": seat["position"], "wager": kind, "amount": amount}
        for seat in document.get("positions", ())
        for kind, amount in seat.get("wagers", {}).items()
        if kind not in later
        and kind[:1] != "_"
        and is_more(amount, before.get(seat["position"], {}).get(kind))
    ]


def is_more(amount: Any, before: Any) -> bool:
    """Whether a wager is new or higher than it was; several sums count as new where one is."""
    if before is None:
        return True
    if isinstance(amount, str) and isinstance(before, str):
        return Decimal(amount) > Decimal(before)
    if isinstance(amount, dict) and isinstance(before, dict):
        return any(
            key[:1] != "_" and key != "on" and is_more(one, before.get(key))
            for key, one in amount.items()
        )
    return False
