"""The rules engine by itself, in processor time: ranking hands, settling, checking, starting."""

import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random
from statistics import median
from time import process_time
from typing import Any, NamedTuple

from phevaluator import evaluate_cards

from config.bench import Wrong
from config.supervisor import BASE_DIR
from tables.rules import Refusal, TableTerms, check_envelope, check_event, settle
from tables.rules.cards import DECK
from tables.rules.hands import Ranking, evaluate

HANDS = 20_000
STARTS = 5
TURNS = 7


class Ranked(NamedTuple):
    """Seven-card hands a second, ours and theirs."""

    ours: float
    theirs: float


def rank_hands() -> Ranked:
    """Rank the same joker-free hands of seven, in turn, by our engine and by phevaluator."""
    rng = Random(7)  # noqa: S311 - a play
    hands = [rng.sample(DECK, 7) for _ in range(HANDS)]
    must_agree(hands)
    ours, theirs = [], []
    for _ in range(TURNS):
        ours.append(rate(HANDS, lambda: rank_ours(hands)))
        theirs.append(rate(HANDS, lambda: rank_theirs(hands)))
    return Ranked(median(ours), median(theirs))


def rank_ours(hands: Sequence[Sequence[str]]) -> None:
    for hand in hands:
        evaluate(hand)


def rank_theirs(hands: Sequence[Sequence[str]]) -> None:
    for hand in hands:
        evaluate_cards(*hand)


def must_agree(hands: Sequence[Sequence[str]]) -> None:
    """See that both put all hands into one order; and warm both up.

    Where A-2-3-4-5 is the lowest straight, as it is elsewhere: § 670a.6 ranks it second.
    """
    ranking = Ranking(wheel="lowest")
    pairs = sorted({(ranking.evaluate(hand), -evaluate_cards(*hand)) for hand in hands})
    for (ours, theirs), (higher, their_higher) in pairwise(pairs):
        if ours == higher or theirs >= their_higher:
            raise Wrong("The two engines rank these hands differently.")
    for hand in hands:
        evaluate(hand)


def rate(count: int, work: Callable[[], None]) -> float:
    """Return how many a second of processor time ``work`` does."""
    begun = process_time()
    work()
    return count / (process_time() - begun)


def settle_rate(documents: Sequence[dict[str, Any]], terms: TableTerms) -> float:
    """Return how many of these rounds a core settles in a second, once it has warmed up."""

    def settle_all() -> None:
        for document in documents:
            settle(document, terms)

    settle_all()
    return median(rate(len(documents), settle_all) for _ in range(3))


def check_rate(documents: Sequence[dict[str, Any]], terms: TableTerms) -> float:
    """Return how many of these rounds a core checks in a second, from the envelope to the cards."""

    def check_all() -> None:
        for document in documents:
            check_envelope(document)
            check_event(document, terms)

    try:
        check_all()
    except Refusal as refusal:
        raise Wrong(f"{terms.game}: {refusal.path}: {refusal.detail}") from refusal
    return median(rate(len(documents), check_all) for _ in range(3))


def start_seconds() -> float:
    """Return the processor time in which a fresh Python ranks a first hand from a shell."""
    command = [sys.executable, "-m", "tables.rules", "rank", "--game", "six_card_fortune_pai_gow"]
    command += "AS KS QS JS JK 4D".split()

    def start() -> float:
        begun = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=BASE_DIR, stdout=subprocess.DEVNULL, check=True)
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime

    return min(start() for _ in range(STARTS))
