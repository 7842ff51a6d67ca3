"""Hits that were against hits that were to be expected, by hand and day after day."""

from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from progressives.models import Progressive
from progressives.services.hits import Hits, hits_of
from tables.rules.chance import Seen, adjusted, seen
from tables.rules.odds import Deal
from tables.rules.risk import loses
from tables.services.risk import GameRisk, RiskUnknown, risks_of

ANY = "any"
ODD, VERY_ODD = 0.05, 0.01  # of the p-value that counts all hands together


@dataclass(frozen=True)
class HandHits:
    """One hand's hits beside what was to be expected; ``together``: its p-value among all."""

    hand: str
    pays: str
    chance: Fraction
    seen: Seen
    together: float

    @property
    def verdict(self) -> str:
        """Return what to think of it: nothing unless it is odd among all the hands looked at."""
        if self.together < VERY_ODD:
            return "look into it"
        return "odd" if self.together < ODD else ""


@dataclass(frozen=True)
class Point:
    """The hits up to a gaming day, with the band of what was to be expected by then."""

    day: date
    wagers: int
    seen: Seen


@dataclass(frozen=True)
class GameHits:
    """A progressive's hits at the tables of one game over some gaming days."""

    risk: GameRisk
    hits: Hits
    hands: list[HandHits]
    together: Seen  # hits of any hand

    def points(self, hand: str) -> list[Point]:
        """Return the hits of a hand, or of any, added up from day to day."""
        chances = {row.hand: row.chance for row in self.hands}
        chance = chances.get(hand, self.risk.risk.hit_chance)
        found, wagers, hits = [], 0, 0
        for day in sorted(set(self.hits.wagers) | {day for day, _ in self.hits.hits}):
            wagers += self.hits.wagers.get(day, 0)
            hits += sum(
                number
                for (of_day, name), number in self.hits.hits.items()
                if of_day == day and (name == hand or hand not in chances)
            )
            found.append(Point(day, wagers, seen(hits, max(wagers, 0), chance)))
        return found


def hits_by_game(
    progressive: Progressive, first: date, last: date, deal: Deal | None = None
) -> list[GameHits]:
    """Return a progressive's hits against expectation, for each game that feeds it.

    Raises RiskUnknown where chances are not known, or where two paytables cannot be told apart.
    """
    risks = risks_of(progressive, deal)
    if progressive.paytables and len(risks) > 1:
        raise RiskUnknown("Its hits are not told apart by paytable: it has more than one.")
    return [compare(progressive, risk, first, last) for risk in risks]


def compare(progressive: Progressive, risk: GameRisk, first: date, last: date) -> GameHits:
    """Return the hits at one game's tables beside what its chances let expect."""
    hits = hits_of(progressive, first, last, risk.tables or None)
    wagers = max(hits.wagered, 0)
    paid = [row for row in risk.risk.rows if not loses(row.pay)]
    counts = [seen(hits.by_hand.get(row.pay.hand, 0), wagers, row.chance) for row in paid]
    together = adjusted([count.p_value for count in counts])
    hands = [
        HandHits(row.pay.hand, row.pay.terms, row.chance, count, among)
        for row, count, among in zip(paid, counts, together, strict=True)
    ]
    known = {row.pay.hand for row in paid}
    number = sum(n for hand, n in hits.by_hand.items() if hand in known)
    return GameHits(risk, hits, hands, seen(number, wagers, risk.risk.hit_chance))


def told(game: GameHits, first: date, last: date) -> dict[str, Any]:
    """Return the comparison as JSON has it."""
    return {
        "game": game.risk.title,
        "tables": list(game.risk.tables),
        "first": first.isoformat(),
        "last": last.isoformat(),
        "wagers": game.hits.wagered,
        "refused": game.hits.refused,
        "band_percent": 95,
        "hands": [
            {
                "hand": row.hand,
                "pays": row.pays,
                **told_seen(row.seen),
                "p_value_among_all": round(row.together, 6),
                "verdict": row.verdict,
            }
            for row in game.hands
        ],
        "any": told_seen(game.together),
    }


def told_seen(count: Seen) -> dict[str, Any]:
    """Return a count beside its expectation as JSON."""
    return {
        "actual": count.actual,
        "expected": round(count.expected, 3),
        "low": count.low,
        "high": count.high,
        "p_value": round(count.p_value, 6),
        "outside": count.outside,
    }
