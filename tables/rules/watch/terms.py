"""What the watch goes by: what each chapter asks of cards and devices, and what a table has."""

from collections.abc import Mapping
from typing import NamedTuple

HOUR = 3600

#: The kinds of equipment a house registers.
DEVICE_KINDS = ("shaker", "generator", "shuffler", "shoe", "reader")


class Clock(NamedTuple):
    """How long cards or dice may stay in play."""

    hours: int
    cite: str


class Chapter(NamedTuple):
    """What one chapter asks at its tables; an empty citation: it asks nothing of the kind."""

    cards: int  # in one deck
    fastest: int  # seconds from the end of a round to the end of the next: see ``FASTEST``
    by_hand: Clock | None = None
    from_shoe: Clock | None = None
    alternate: str = ""  # two decks or batches, in turn
    alternate_by: str = "round"  # or by shoe
    inspect: str = ""
    spread: str = ""
    joker: str = ""
    one_joker: str = ""
    counted: str = ""  # the cards are counted after so many rounds
    count_rounds: int = 0
    dice: Clock | None = None
    shaker: str = ""
    generator: str = ""
    shuffler: str = ""
    sign: str = ""  # out of order, before another method is used
    recut: str = ""
    reader: str = ""
    reader_fault: str = ""
    burn: str = ""
    cover: str = ""


# A round cannot be over sooner after the last one. Chosen low, so that only a wrong clock or a
# made-up round falls below: the hands alone take longer than this at the quickest table.
FASTEST = {
    "six_card_fortune_pai_gow": 15,  # seven stacks dealt, one hand set and compared
    "pai_gow": 15,  # as above, with seven cards each
    "lunar_poker": 12,  # ten cards, one decision, a draw
    "free_bet_blackjack": 8,  # four cards to one player and the dealer, who both stand
}

CHAPTERS = {
    "six_card_fortune_pai_gow": Chapter(
        cards=53,
        fastest=FASTEST["six_card_fortune_pai_gow"],
        by_hand=Clock(4, "§ 670a.3(c)(1)"),
        from_shoe=Clock(8, "§ 670a.3(c)(2)"),
        alternate="§ 670a.3(b)(3)",
        inspect="§ 670a.4(a)",
        spread="§ 670a.4(b)",
        joker="§ 670a.4(b)",
        one_joker="§ 670a.3(a)",
        dice=Clock(24, "§ 670a.2(d)(1)(i)"),
        shaker="§ 670a.2(d)(1)",
        generator="§ 670a.2(d)(2)",
        shuffler="§ 670a.5(h)",
        sign="§ 670a.13(n)",
        recut="§ 670a.5(f)",
    ),
    "lunar_poker": Chapter(
        cards=52,
        fastest=FASTEST["lunar_poker"],
        by_hand=Clock(4, "§ 671a.3(c)(1)"),
        from_shoe=Clock(8, "§ 671a.3(c)(2)"),
        alternate="§ 671a.3(b)(3)",
        inspect="§ 671a.4(a)",
        spread="§ 671a.4(b)",
        counted="§ 671a.11(h)",
        count_rounds=5,
        shuffler="§ 671a.5(g)",
        sign="§ 671a.13(g)",
        recut="§ 671a.5(e)",
    ),
    "free_bet_blackjack": Chapter(
        cards=52,
        fastest=FASTEST["free_bet_blackjack"],
        by_hand=Clock(24, "§ 672a.3(c)"),
        from_shoe=Clock(24, "§ 672a.3(c)"),
        alternate="§ 672a.3(b)(4)",
        alternate_by="shoe",
        inspect="§ 672a.4(a)",
        spread="§ 672a.4(b)",
        shuffler="§ 672a.5(h)",
        sign="§ 672a.12(l)",
        recut="§ 672a.5(e)",
        reader="§ 672a.2(d)",
        reader_fault="§ 672a.12(j)",
        burn="§ 672a.7(c)",
        cover="§ 672a.7(d)",
    ),
    # Of chapter 645a only § 645a.11 is at hand, and that says nothing of decks and devices.
    "pai_gow": Chapter(cards=53, fastest=FASTEST["pai_gow"]),
}


def cite_of_kind(chapter: Chapter, kind: str) -> str:
    """Return the paragraph under which a kind of device is approved."""
    cites = {"shaker": chapter.shaker, "generator": chapter.generator, "reader": chapter.reader}
    return cites.get(kind, chapter.shuffler)


class Device(NamedTuple):
    """A piece of equipment as the house has registered it; days as ISO text."""

    kind: str
    table: str = ""  # empty: not bound to one table
    approved_on: str = ""  # empty: not approved
    removed_on: str = ""
    counting: bool = False

    def approved_at(self, table: str, day: str) -> bool:
        """Whether the device may be used at the table on a gaming day."""
        in_time = bool(self.approved_on) and self.approved_on <= day
        still_there = not self.removed_on or day < self.removed_on
        return in_time and still_there and self.table in ("", table)


class WatchTerms(NamedTuple):
    """What holds at one table on one gaming day.

    ``kinds``: the kinds of approved equipment there, or None where the house keeps no register.
    """

    code: str
    game: str
    day: str
    decks_in_use: int | None = None  # None: the set-up does not say
    decks: int = 1  # in a shoe
    warn_before: int = 900  # seconds
    devices: Mapping[str, Device] = {}
    kinds: frozenset[str] | None = None
    counting: bool = False  # an approved device counts the cards after each shuffle

    @classmethod
    def make(
        cls,
        *,
        code: str,
        game: str,
        day: str,
        devices: Mapping[str, Device],
        decks_in_use: int | None = None,
        decks: int = 1,
        warn_before: int = 900,
    ) -> "WatchTerms":
        """Work out what of the register stands at the table on the day."""
        here = [device for device in devices.values() if device.approved_at(code, day)]
        return cls(
            code,
            game,
            day,
            decks_in_use,
            decks,
            warn_before,
            devices,
            frozenset(device.kind for device in here) if devices else None,
            any(device.counting for device in here),
        )
