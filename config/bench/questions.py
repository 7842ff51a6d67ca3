"""What investigators ask, also where one fact is rare and the other common, or nothing fits."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

from tables.findable import Asked


def questions(last: dict[str, Any]) -> Iterator[tuple[str, Asked]]:
    """Yield each question by name; ``last`` is the newest round, everything is told by it."""
    at, player = last["at"], last["player"]
    hour = {"since": at - timedelta(hours=1), "until": at}
    long_ago = {"since": at - timedelta(days=6), "until": at - timedelta(days=6, hours=-1)}
    yield "nothing but the newest", Asked()
    yield "an hour", Asked(**hour)
    yield "an hour at a table", Asked(table=last["table"], **hour)
    yield "an hour six days ago, a dealer", Asked(dealer="D1107", **long_ago)
    yield "table and round number", Asked(table=last["table"], round=last["number"])
    yield "a round number alone", Asked(round=last["number"])
    yield "a player", Asked(player=player)
    yield "a frequent player", Asked(player="R-1")
    yield "a visitor of the first day", Asked(player="V-40")
    yield "nobody we know", Asked(player="X-1")
    yield "a dealer", Asked(dealer="D1107")
    yield "dealer and floorperson", Asked(dealer="D1107", floorperson="F203")
    yield (
        "dealer, floorperson, deck of another day",
        Asked(dealer="D1107", floorperson="F203", deck=f"{last['table']}-060-A"),
    )
    yield (
        "a frequent player with one dealer at one table",
        Asked(player="R-2", dealer="D1107", table=last["table"]),
    )
    yield "a royal flush", Asked(hand="royal_flush")
    yield "five aces", Asked(hand="five_aces")
    yield "five aces of a frequent player", Asked(hand="five_aces", player="R-1")
    yield "a pair of a visitor, at position 6", Asked(hand="pair", player="V-90", position=6)
    yield "paid an odd amount", Asked(paid=Decimal("743.00"))
    yield "paid 25.00", Asked(paid=Decimal("25.00"))
    yield "paid at least 1,000", Asked(paid_at_least=Decimal(1000))
    yield (
        "paid at least 1,000 at position 1 by a dealer",
        Asked(paid_at_least=Decimal(1000), position=1, dealer="D1107"),
    )
    yield "wagered 100.00, void", Asked(wagered=Decimal("100.00"), flags=("void",))
    yield "wagered what nobody wagers", Asked(wagered=Decimal("77.00"), table=last["table"])
    yield "a deck", Asked(deck=last["deck"])
    yield "meter value seen", Asked(meter=Decimal("20134.55"))
    yield "meter value and table", Asked(meter=Decimal("31000"), table=last["table"])
    yield "mispaid", Asked(flags=("mispay",))
    yield "mispaid and void (never)", Asked(flags=("mispay", "void"))
    yield "an alarm with a frequent player", Asked(flags=("start_wrong",), player="R-1")
    yield "one card", Asked(cards=("AS",))
    yield "three cards in an hour", Asked(cards=tuple(last["cards"][:3]), **hour)
    yield "six cards, no time", Asked(cards=tuple(last["cards"]))
    yield "three cards of a frequent player", Asked(cards=("AS", "AH", "KD"), player="R-1")
    yield "a claim that is not there", Asked(claim=123_456)
    yield "a slip that is not there", Asked(slip=123_456)
