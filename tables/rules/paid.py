"""What the dealer actually paid, held against what the round came to.

A difference never changes an outcome or a claim; it is always put before a person.
"""

from decimal import Decimal
from typing import Any

from tables.rules.settle import Reckoning, Seat
from tables.rules.wagers import AMOUNTS, NOTHING

ENVY = "envy"


def flag_payments(reckoning: Reckoning) -> None:
    """Flag every payment that differs from the outcome, a payment that was forgotten included.

    A kind that a present ``paid`` does not name was paid nothing. A share of the meter is never
    paid at the table (§ 670a.11(h)(3)(i)(B)(IV)).
    """
    seats = [seat for seat in reckoning.seats if "paid" in seat.facts]
    if not seats:
        return
    due: dict[int, dict[str, tuple[str, str]]] = {seat.position: {} for seat in seats}
    for line in reckoning.lines:
        at = due.get(line["position"])
        if at is not None and line["pays"] not in (NOTHING, None):
            add_due(at, line)
    for seat in seats:
        compare_seat(reckoning, seat, due[seat.position])


def add_due(at: dict[str, tuple[str, str]], line: dict[str, Any]) -> None:
    """Add a line's winnings to what its position is due."""
    kind = ENVY if line["result"] == ENVY else line["wager"]
    before = at.get(kind)
    if before is None:
        at[kind] = (line["pays"], line["cite"])
    else:
        at[kind] = (str(Decimal(before[0]) + AMOUNTS[line["pays"]]), before[1])


def compare_seat(reckoning: Reckoning, seat: Seat, due: dict[str, tuple[str, str]]) -> None:
    """Flag the kinds of one position whose payment is not what was due."""
    paid: dict[str, str] = seat.facts["paid"]
    for kind, amount in paid.items():
        if kind[:1] != "_" and amount != due.get(kind, (NOTHING,))[0]:
            flag_mispay(reckoning, seat, kind, amount, due.get(kind))
    for kind, owed in due.items():
        if kind not in paid:
            flag_mispay(reckoning, seat, kind, NOTHING, owed)


def flag_mispay(
    reckoning: Reckoning, seat: Seat, kind: str, amount: str, owed: tuple[str, str] | None
) -> None:
    """Put one wrong payment before a person."""
    expected, cite = owed or (NOTHING, "")
    path = f"positions[{seat.index}].paid"
    if kind in seat.facts["paid"]:
        path = f"{path}.{kind}"
    name = kind.replace("_", " ")
    detail = f"Position {seat.position}, {name}: ${amount} was paid, ${expected} is due."
    found = reckoning.flag("mispay", path, cite, detail, seat=seat)
    found.update(wager=kind, paid=amount, due=expected)
