"""Who sits at a simulated table, with what habits."""

from dataclasses import dataclass
from random import Random

MAIN = ["10.00", "15.00", "25.00", "50.00", "100.00"]
FORTUNE = ["1.00", "3.00", "5.00", "10.00"]


@dataclass
class Seated:
    """A person at one position: what he wagers, how bold he is, how long he stays."""

    player: str
    main: str
    fortune: str | None
    insurance: str | None
    feeds_meter: float  # how often he places the Progressive Payout Wager
    doubles: float
    fouls: float
    says_low: bool  # the table's reader tells how he set his hand
    stays: int

    def wagers(self, rng: Random, offered: frozenset[str], unit: str | None) -> dict[str, str]:
        """Return what he wagers before "no more bets"."""
        placed = {"main": self.main}
        if self.fortune and "fortune_bonus" in offered:
            placed["fortune_bonus"] = self.fortune
        if self.insurance and "insurance" in offered:
            placed["insurance"] = self.insurance
        if unit and "progressive" in offered and rng.random() < self.feeds_meter:
            placed["progressive"] = unit
        return placed


class Seats:
    """The positions of one table; people come, stay a while and go."""

    def __init__(self, rng: Random, positions: int) -> None:
        self._rng = rng
        self._free = set(range(1, positions + 1))
        self.seated: dict[int, Seated] = {}
        wanted = rng.randint(min(2, positions), min(5, positions))
        while len(self.seated) < wanted:
            self._seat()

    def next_round(self) -> dict[int, Seated]:
        """Let people come and go between two rounds; at least one sits there."""
        for position, person in list(self.seated.items()):
            person.stays -= 1
            if person.stays <= 0:
                del self.seated[position]
                self._free.add(position)
        if not self.seated or (self._free and self._rng.random() < 0.15):
            self._seat()
        return dict(sorted(self.seated.items()))

    def _seat(self) -> None:
        """Seat a person; some take two adjacent positions (§ 670a.7(f))."""
        rng = self._rng
        position = rng.choice(sorted(self._free))
        self._free.discard(position)
        player, stays = self._newcomer(), rng.randint(8, 45)
        self.seated[position] = self._person(player, stays)
        beside = [near for near in (position - 1, position + 1) if near in self._free]
        if beside and rng.random() < 0.15:
            second = rng.choice(beside)
            self._free.discard(second)
            self.seated[second] = self._person(player, stays)

    def _newcomer(self) -> str:
        """Return the code of a person who does not sit here yet."""
        here = {person.player for person in self.seated.values()}
        while (player := f"P{self._rng.randrange(1000, 10000)}") in here:
            pass
        return player

    def _person(self, player: str, stays: int) -> Seated:
        rng = self._rng
        return Seated(
            player=player,
            main=rng.choices(MAIN, [4, 5, 6, 3, 1])[0],
            fortune=rng.choice(FORTUNE) if rng.random() < 0.6 else None,
            insurance=rng.choice(["1.00", "5.00"]) if rng.random() < 0.25 else None,
            feeds_meter=rng.choice([1.0, 1.0, 0.9, 0.5, 0.0]),
            doubles=rng.choice([0.0, 0.1, 0.4]),
            fouls=0.004,
            says_low=rng.random() < 0.85,
            stays=stays,
        )
