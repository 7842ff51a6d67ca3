"""Everything that is measured, in one run: the three ways in turn, so that noise hits all alike."""

from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from config.bench import engine
from config.bench.copies import CopyWay
from config.bench.draining import HouseWay
from config.bench.games import SIX_CARD, rounds_of, terms_of
from config.bench.ground import make_ground
from config.bench.machine import Meter, facts_of_machine
from config.bench.plain import PlainWay
from config.celery import make_ready_to_drain
from config.environment import say
from config.house import House
from tables.rules import SUPPORTED_GAMES

WAGERS = 6  # progressive wagers a round
RUN_SECONDS = 2.0  # of each way; then the next has its turn, and so on
FEWEST_RUNS = 3  # each way counts with the median of its runs
WARM_UP = 1200  # rounds
SAMPLE = 1000  # rounds that the engine settles and checks by itself
TARGETS = {"drain_vs_plain": 12.0, "drain_vs_copy": 0.35, "rank7_vs_phevaluator": 2.0}


@dataclass
class Figures:
    """What was found; rates are a second, times in seconds."""

    machine: dict[str, str]
    runs: dict[str, list[float]] = field(
        default_factory=lambda: {"plain": [], "drain": [], "copy": []}
    )
    rates: dict[str, float] = field(default_factory=dict)
    settled: dict[str, float] = field(default_factory=dict)
    spent: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def ratios(self) -> dict[str, float]:
        rates = self.rates
        return {
            "drain_vs_plain": rates["drain_wagers_per_second"] / rates["plain_wagers_per_second"],
            "drain_vs_copy": rates["drain_rounds_per_second"] / rates["copy_rounds_per_second"],
            "rank7_vs_phevaluator": rates["rank7_hands_per_second"]
            / rates["phevaluator_hands_per_second"],
        }

    @property
    def met(self) -> bool:
        return all(self.ratios[name] >= target for name, target in TARGETS.items())

    def told(self) -> dict[str, object]:
        """Return everything as one JSON object."""
        return {
            **{name: round(value, 3) for name, value in self.ratios.items()},
            **{name: rounded(value) for name, value in self.rates.items()},
            "settle_rounds_per_second": {
                game: rounded(value) for game, value in self.settled.items()
            },
            "processor_microseconds": {
                work: {who: rounded(value * 1e6) for who, value in found.items()}
                for work, found in self.spent.items()
            },
            "targets": TARGETS,
            "met": self.met,
            "runs": {name: [rounded(one) for one in found] for name, found in self.runs.items()},
            "machine": self.machine,
        }


def rounded(value: float) -> float:
    """Round to what the measurement can bear."""
    return round(value, 4) if value < 10 else round(value)


def measure(house: House, seconds: float) -> Figures:
    """Measure everything on a house that is new; raise ``Wrong`` if any of it comes out wrong."""
    figures = Figures(facts_of_machine(house.data_dir, house.database_url))
    say("Ranking hands of seven cards")
    ranked = engine.rank_hands()
    figures.rates |= {
        "rank7_hands_per_second": ranked.ours,
        "phevaluator_hands_per_second": ranked.theirs,
        "engine_start_seconds": engine.start_seconds(),
    }
    ground = make_ground(house)
    with PlainWay(ground.plain_url) as plain, CopyWay(house.database_url, ground.copy_url) as copy:
        ways = Ways(HouseWay(ground), plain, copy, Meter(house.server_pids()["postgres"]))
        ways.run_in_turn(figures, seconds)
        say("Verifying what was written")
        ways.house.verify()
        copy.verify()
    settle_alone(figures)
    return figures


class Ways(NamedTuple):
    """The three ways of doing the same work, and what they cost."""

    house: HouseWay
    plain: PlainWay
    copy: CopyWay
    meter: Meter

    def run_in_turn(self, figures: Figures, seconds: float) -> None:
        """Warm everything up with other rounds, then run the three ways again and again."""
        make_ready_to_drain()  # as a worker's process does when it begins
        runs = max(FEWEST_RUNS, round(seconds / RUN_SECONDS))
        share = seconds / runs
        say("Warming up")
        self.house.feed(WARM_UP)
        self.plain.run(share / 4)
        rounds = max(1, int(self.house.drain() * share))
        self.copy.read(WARM_UP)
        self.copy.run()
        for run in range(1, runs + 1):
            say(f"Plain wagers, drain and copy of {rounds} rounds, {run} of {runs}")
            self.house.feed(rounds)
            with self.meter.spent_on("plain"):
                figures.runs["plain"].append(self.plain.run(share))
            with self.meter.spent_on("drain"):
                figures.runs["drain"].append(self.house.drain())
            self.copy.read(self.house.applied)
            with self.meter.spent_on("copy"):
                figures.runs["copy"].append(self.copy.run())
        self._sum_up(figures, share, rounds)

    def _sum_up(self, figures: Figures, share: float, rounds: int) -> None:
        found = {name: median(rates) for name, rates in figures.runs.items()}
        figures.rates |= {
            "plain_wagers_per_second": found["plain"],
            "drain_wagers_per_second": found["drain"] * WAGERS,
            "drain_rounds_per_second": found["drain"],
            "copy_rounds_per_second": found["copy"],
            "accept_events_per_second": self.house.accepted / self.house.accept_seconds,
        }
        wagers = sum(figures.runs["plain"]) * share
        drained = rounds * len(figures.runs["drain"])
        counts = {"plain": wagers, "drain": drained, "copy": drained}
        for work, count in counts.items():
            figures.spent[f"{work}_{'wager' if work == 'plain' else 'round'}"] = {
                "python": self.meter.ours[work] / count,
                "postgresql": self.meter.servers[work] / count,
            }


def settle_alone(figures: Figures) -> None:
    """Settle and check rounds of every game without a database."""
    for game in SUPPORTED_GAMES:
        say(f"Settling {game}")
        terms, documents = terms_of(game), rounds_of(game, SAMPLE)
        checked = engine.check_rate(documents, terms)
        figures.settled[game] = engine.settle_rate(documents, terms)
        if game == SIX_CARD:
            figures.rates["check_events_per_second"] = checked
