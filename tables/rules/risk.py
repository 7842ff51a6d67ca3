"""What a wager costs, exactly: its paytable, its Envy Bonuses and its levels, from counted hands.

Every figure is a fraction of whole numbers. Expectations add up whatever the cards have to do with
each other, so a round's is the sum of its positions'. A share of a level is taken of what the
level shows at the wager's own turn; the cent that a payout is cut to is left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from tables.rules.odds import Counts
from tables.rules.paytables import Line
from tables.rules.settle import LEVEL
from tables.rules.wagers import Fixed, ForOne, PercentOfMeter, Terms, ToOne

NOTHING = Fraction(0)


class Pay(NamedTuple):
    """What one row of a paytable pays: dollars for the stake, or a share of a level.

    ``given_back``: the stake goes back beside it ("to 1").
    """

    hand: str
    terms: str
    dollars: Fraction = NOTHING
    percent: int = 0
    level: str = ""
    given_back: bool = False


class Row(NamedTuple):
    """A row with how many of all hands are paid by it, and what that is worth to one wager."""

    pay: Pay
    ways: int
    chance: Fraction
    envy: Fraction  # dollars that each other position with the wager is paid

    @property
    def worth(self) -> Fraction:
        """Return the expected dollars of the row, shares of levels apart."""
        return self.chance * self.pay.dollars

    @property
    def wagers_between(self) -> Fraction | None:
        """Return how many wagers there are to one hit, in the long run; None where it never is."""
        return 1 / self.chance if self.chance else None


class LevelTerms(NamedTuple):
    """What a level takes of a wager, and what it begins again with, in dollars."""

    level: str
    per_wager: Fraction  # display, reserve and overflow together
    reset: Fraction


class WagerRisk:
    """A wager of one stake by its paytable: chances, costs and the levels that it can win."""

    def __init__(
        self, counts: Counts, stake: Decimal, pays: Sequence[Pay], envies: Mapping[str, Decimal]
    ) -> None:
        hands = [pay.hand for pay in pays]
        ways = counts.ways(hands)
        given = counts.ways(list(envies))  # by the envies' own order of hands
        self.counts, self.stake = counts, Fraction(stake)
        self.rows = [
            Row(
                pay, ways[pay.hand], counts.chance(ways[pay.hand]),
                Fraction(envies.get(pay.hand, 0)),
            )
            for pay in pays
        ]  # fmt: skip
        #: Dollars that one other position's hand pays to this wager, in expectation.
        self.envy_each = sum(
            (counts.chance(given[hand]) * Fraction(sum_) for hand, sum_ in envies.items()), NOTHING
        )
        #: Hands that the deal does not know: what pays on them has no chance that is known here.
        self.unknown = [hand for hand in hands if hand not in counts.known]

    @property
    def hit_chance(self) -> Fraction:
        """Return the chance that the wager wins anything by its paytable."""
        return sum((row.chance for row in self.rows if not loses(row.pay)), NOTHING)

    @property
    def fixed(self) -> Fraction:
        """Return the expected dollars that one wager is paid, shares of levels and envies apart.

        Of rows paid "to 1" the stake that goes back is part of it.
        """
        back = sum((row.chance for row in self.rows if row.pay.given_back), NOTHING)
        return sum((row.worth for row in self.rows), NOTHING) + back * self.stake

    def shares(self) -> dict[str, Fraction]:
        """Return the expected part of each level that one wager is paid."""
        found: dict[str, Fraction] = {}
        for row in self.rows:
            if row.pay.percent:
                part = row.chance * row.pay.percent / 100
                found[row.pay.level] = found.get(row.pay.level, NOTHING) + part
        return found

    def emptied(self) -> dict[str, Fraction]:
        """Return the chance with which one wager wins the whole of each level."""
        found: dict[str, Fraction] = {}
        for row in self.rows:
            if row.pay.percent == 100:
                found[row.pay.level] = found.get(row.pay.level, NOTHING) + row.chance
        return found

    def returned(self, levels: Mapping[str, Decimal], others: int) -> Fraction:
        """Return the expected dollars of one wager, by what the levels show and the others deal.

        ``others``: positions of other players that are dealt a hand; each can pay an envy.
        """
        shares = (part * Fraction(levels[level]) for level, part in self.shares().items())
        return self.fixed + sum(shares, NOTHING) + others * self.envy_each

    def advantage(self, levels: Mapping[str, Decimal], others: int) -> Fraction:
        """Return the house's advantage: the part of a wager that is not expected to be paid."""
        return 1 - self.returned(levels, others) / self.stake

    def break_even(self, level: str, levels: Mapping[str, Decimal], others: int) -> Fraction | None:
        """Return what a level must show for a wager to be worth its stake, the others as they are.

        None where the level pays nothing; below zero where the wager is worth more without it.
        """
        part = self.shares().get(level, NOTHING)
        if not part:
            return None
        rest = self.returned({**levels, level: Decimal(0)}, others)
        return (self.stake - rest) / part

    def long_run_cost(self, levels: Iterable[LevelTerms], others: int) -> Fraction:
        """Return what a wager costs the house in the long run, whatever the levels show now.

        Fixed payouts and envies, what goes onto the meters, and the house's reset money for each
        time that a level is won whole.
        """
        won = self.emptied()
        meters = (one.per_wager + won.get(one.level, NOTHING) * one.reset for one in levels)
        return self.fixed + others * self.envy_each + sum(meters, NOTHING)

    def long_run_meter(self, level: LevelTerms) -> Fraction | None:
        """Return where a level stands on average in the long run, as wagers find it at their turn.

        What comes in, increments and reset money, equals what is paid out of it.
        """
        part = self.shares().get(level.level, NOTHING)
        if not part:
            return None
        put_in = level.per_wager + self.emptied().get(level.level, NOTHING) * level.reset
        return put_in / part


class EnvyCost(NamedTuple):
    """What a round's Envy Bonuses cost, by how many positions are in play."""

    positions: int
    others: int
    per_wager: Fraction
    per_round: Fraction  # each position has the wager
    per_round_pair: Fraction | None  # two of them are one player's


def envy_costs(risk: WagerRisk, positions: int) -> list[EnvyCost]:
    """Return the expected Envy Bonuses by positions in play: 1 to ``positions``.

    Each position is paid for every hand of another player: never for his own, so that two
    positions of one player pay nothing to each other (§ 670a.7(f)), and never for the dealer's
    (§ 670a.11(h)(1)(ii), (3)(ii)).
    """
    each = risk.envy_each
    return [
        EnvyCost(n, n - 1, (n - 1) * each, envied(range(n)) * each,
                 envied([0, 0, *range(2, n)]) * each if n > 1 else None)
        for n in range(1, positions + 1)
    ]  # fmt: skip


def envied(players: Iterable[int]) -> int:
    """Return how many pairs there are of a position with the wager and another player's hand."""
    seated = list(players)
    return sum(one != other for one in seated for other in seated)


def loses(pay: Pay) -> bool:
    """Whether a row is a printed loss."""
    return not (pay.dollars or pay.percent)


def pay_of(hand: str, terms: Terms, stake: Decimal, limit: Decimal | None = None) -> Pay:
    """Return what a row's terms pay on a stake; a share is of the chapters' one level.

    ``limit``: the most that a wager at odds is paid (PG-14).
    """
    text = str(terms)
    match terms:
        case PercentOfMeter(percent):
            return Pay(hand, text, percent=percent, level=LEVEL)
        case ToOne(pays, per):
            winnings = Fraction(stake) * pays / per
            most = winnings if limit is None else min(winnings, Fraction(limit))
            return Pay(hand, text, most, given_back=True)
        case ForOne(pays):
            return Pay(hand, text, Fraction(stake) * pays)
        case Fixed(amount):
            return Pay(hand, text, Fraction(amount))


def pays_of(lines: Iterable[Line], stake: Decimal, limit: Decimal | None = None) -> list[Pay]:
    """Return what a paytable's lines pay on a stake."""
    return [pay_of(line.hand, line.terms, stake, limit) for line in lines]


def fixed_sums(lines: Iterable[Line]) -> dict[str, Decimal]:
    """Return the Envy Bonuses of a column by hand."""
    return {line.hand: line.terms.amount for line in lines if isinstance(line.terms, Fixed)}
