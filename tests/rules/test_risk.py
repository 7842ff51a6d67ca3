"""Risk of a wager, from the text: expected sums by hand, break-even, envies, and played rounds."""

from decimal import Decimal
from fractions import Fraction
from math import sqrt
from random import Random
from typing import Any

import pytest

from tables.rules import Submission
from tables.rules.cards import DECK_AND_JOKER
from tables.rules.odds import FIVE_OF_52, counts_of
from tables.rules.risk import LevelTerms, Pay, WagerRisk, envied, envy_costs
from tables.rules.samples import read_sample
from tables.rules.wager_odds import optional_odds, progressive_risk, push_22_odds
from tests.rules.made import lines, played, seat, settled
from tests.rules.test_645a_counts import MATCHES, SEVEN_SUITED, WITH_JOKER
from tests.rules.test_counts import SEVEN_OF_53, SIX_OF_53

ALL = 22_957_480
ONE, FIVE = Decimal("1.00"), Decimal("5.00")


def six_card(unit: Decimal = ONE, **choices: Any) -> WagerRisk:
    found = progressive_risk(Submission.make("six_card_fortune_pai_gow", choices), unit)
    assert found is not None
    return found[1]


def by_hand(figures: dict[str, int]) -> int:
    return sum(SIX_OF_53[hand] * pays for hand, pays in figures.items())


FOR_ONE = {
    "straight_flush": 300, "four_of_a_kind": 150, "full_house": 15, "flush": 6, "straight": 3,
}  # fmt: skip
ENVIES = {"five_aces": 100, "royal_flush": 50, "straight_flush": 10, "four_of_a_kind": 5}


def test_670a_12_d_1_what_a_wager_is_paid() -> None:
    risk = six_card()
    assert risk.fixed == Fraction(by_hand(FOR_ONE), ALL) == Fraction(12_368_988, ALL)
    assert risk.shares() == {"grand": Fraction(48 * 100 + 1_132 * 10, ALL * 100)}
    assert risk.emptied() == {"grand": Fraction(48, ALL)}
    assert risk.hit_chance == Fraction(48 + 1_132 + by_hand(dict.fromkeys(FOR_ONE, 1)), ALL)
    assert risk.rows[0].wagers_between == Fraction(ALL, 48)
    assert risk.unknown == []
    five = six_card(FIVE)
    assert five.fixed == 5 * risk.fixed
    assert five.shares() == risk.shares()


def test_670a_12_d_4_envies_by_positions_in_play_and_never_for_ones_own_hand() -> None:
    risk = six_card()
    each = Fraction(by_hand(ENVIES), ALL)
    assert risk.envy_each == each
    assert six_card(FIVE).envy_each == 5 * each
    costs = envy_costs(risk, 6)
    assert [cost.per_wager for cost in costs] == [n * each for n in range(6)]
    assert [cost.per_round for cost in costs] == [n * (n - 1) * each for n in range(1, 7)]
    # Two positions of one player pay nothing to each other (§ 670a.7(f)): two pairs less.
    assert costs[5].per_round_pair == 28 * each
    assert costs[1].per_round_pair == 0
    assert costs[0].per_round_pair is None
    assert envied(["a", "b", "a"]) == 4


def test_the_meter_at_which_a_wager_is_worth_its_stake() -> None:
    risk = six_card()
    part = Fraction(48 * 10 + 1_132, ALL * 10)
    even = risk.break_even("grand", {"grand": ONE}, 0)
    assert even == (1 - Fraction(12_368_988, ALL)) / part
    assert round(even) == 65_685
    full = risk.break_even("grand", {"grand": ONE}, 5)
    assert full == even - 5 * risk.envy_each / part
    for others, meter in ((0, even), (5, full)):
        levels = {"grand": Decimal(meter.numerator) / meter.denominator}
        assert abs(risk.advantage(levels, others)) < Fraction(1, 10**12)
    assert risk.advantage({"grand": Decimal(0)}, 0) == 1 - risk.fixed
    with_narrow = six_card(readings={"SC-4": "narrow"})
    assert with_narrow.break_even("grand", {"grand": ONE}, 0) > even


def test_in_the_long_run_what_comes_in_goes_out() -> None:
    risk = six_card()
    grand = LevelTerms("grand", Fraction(21, 100), Fraction(5000))
    cost = risk.fixed + Fraction(21, 100) + Fraction(48 * 5000, ALL)
    assert risk.long_run_cost([grand], 0) == cost
    mean = risk.long_run_meter(grand)
    assert mean is not None
    assert risk.returned({"grand": Decimal(mean.numerator) / mean.denominator}, 0) == pytest.approx(
        cost
    )


def test_645a_the_sample_by_its_own_order_of_hands() -> None:
    submission = Submission.make("pai_gow", read_sample("645a"))
    found = progressive_risk(submission, ONE)
    assert found is not None
    risk = found[1]
    # No line knows the royal match: it is a royal flush; seven suited cards stand above it.
    royals = SEVEN_OF_53["royal_flush"] - 4 - 36
    ways = {row.pay.hand: row.ways for row in risk.rows}
    assert ways["seven_card_straight_flush_no_joker"] == SEVEN_SUITED
    assert ways["seven_card_straight_flush_with_joker"] == WITH_JOKER
    assert (ways["royal_flush"], ways["five_aces"]) == (royals, 1_128)
    assert risk.envy_each == 0
    odds = {(one.kind, one.stake): one.risk for one in optional_odds(submission)}
    fortune = {row.pay.hand: row.ways for row in odds["fortune_bonus", FIVE].rows}
    assert fortune["royal_flush_and_royal_match"] == MATCHES
    assert odds["fortune_bonus", ONE].envy_each == 0  # below the Qualifying Wager
    assert odds["fortune_bonus", FIVE].envy_each > 0
    protection = odds["protection", ONE]
    assert protection.hit_chance == Fraction(
        sum(SEVEN_OF_53[hand] for hand in SEVEN_OF_53 if hand.endswith("_high")), 154_143_080
    )
    capped = Submission.make("pai_gow", {**read_sample("645a"), "payout_limit": "1000.00"})
    [limited] = [o for o in optional_odds(capped) if (o.kind, o.stake) == ("fortune_bonus", FIVE)]
    assert limited.risk.rows[0].pay.dollars == 1000


def test_670a_12_b_c_odds_of_the_optional_wagers() -> None:
    found = optional_odds(Submission.make("six_card_fortune_pai_gow", {}))
    odds = {(one.kind, one.stake): one.risk for one in found}
    paid = by_hand(
        {
            "five_aces": 1000, "royal_flush": 250, "straight_flush": 100, "four_of_a_kind": 50,
            "full_house": 15, "flush": 10, "straight": 8, "three_of_a_kind": 5,
        }
    )  # fmt: skip
    won = sum(ways for hand, ways in SIX_OF_53.items() if "pair" not in hand and "high" not in hand)
    assert odds["fortune_bonus", ONE].advantage({}, 5) == 1 - Fraction(paid + won, ALL)
    each = by_hand(
        {
            "five_aces": 5000, "royal_flush": 1000, "straight_flush": 250, "four_of_a_kind": 75,
            "full_house": 25,
        }
    )  # fmt: skip
    five = odds["fortune_bonus", FIVE]
    assert five.envy_each == Fraction(each, ALL)
    assert five.advantage({}, 5) == 1 - Fraction(5 * (paid + won) + 5 * each, 5 * ALL)
    insured = odds["insurance", ONE]
    assert insured.rows[0].pay.hand == "eight_high"
    assert insured.fixed == Fraction(
        12_060 * 101 + 64_320 * 31 + 196_980 * 11 + 470_340 * 8 + 968_820 * 5 + 1_804_980 * 4, ALL
    )


def test_671a_12_b_and_672a_11_c_by_letter() -> None:
    lunar = optional_odds(Submission.make("lunar_poker", {}))
    assert [(one.kind, one.letter, one.part) for one in lunar] == [
        ("super", "", False),
        ("instant", "A", True),
        ("instant", "B", True),
        ("instant", "C", True),
    ]
    assert lunar[1].risk.fixed == Fraction(4 * 1501 + 36 * 251, 2_598_960)
    assert progressive_risk(Submission.make("lunar_poker", {}), ONE) is None
    pushes = push_22_odds(Submission.make("free_bet_blackjack", {}))
    assert [(one.letter, one.decks) for one in pushes] == [("A", 6), ("A", 8), ("B", 6), ("B", 8)]
    assert pushes[2].advantage - pushes[0].advantage == pushes[0].rows[2][2]  # 8 to 1, 7 to 1
    assert f"{float(pushes[0].advantage):.4f}" == "0.0684"


def test_every_kind_of_row_and_several_levels() -> None:
    royal, four = Fraction(4, 2_598_960), Fraction(624, 2_598_960)
    pays = [
        Pay("royal_flush", "100% of mega", percent=100, level="mega"),
        Pay("straight_flush", "10% of mega", percent=10, level="mega"),
        Pay("four_of_a_kind", "100% of minor", percent=100, level="minor"),
        Pay("full_house", "fixed $50.00", Fraction(50)),
        Pay("flush", "4 to 1", Fraction(4), given_back=True),
        Pay("straight", "3 for 1", Fraction(3)),
        Pay("three_of_a_kind", "loss"),
    ]
    risk = WagerRisk(counts_of(FIVE_OF_52), ONE, pays, {})
    assert risk.fixed == Fraction(3744 * 50 + 5108 * (4 + 1) + 10_200 * 3, 2_598_960)
    assert risk.shares() == {"mega": royal + Fraction(36, 25_989_600), "minor": four}
    assert risk.hit_chance == Fraction(4 + 36 + 624 + 3744 + 5108 + 10_200, 2_598_960)
    levels = {"mega": Decimal(100_000), "minor": Decimal(300)}
    alone = risk.break_even("minor", levels, 0)
    assert alone == (1 - risk.fixed - 100_000 * risk.shares()["mega"]) / four
    assert risk.break_even("none", levels, 0) is None


ROUNDS, SEATS = 2500, 4


def test_played_rounds_pay_what_is_expected_envies_too() -> None:
    """Real hands through the engine: fixed awards and Envy Bonuses, within five deviations."""
    risk, rng = six_card(), Random(12)
    fixed: list[Decimal] = []
    envies: list[Decimal] = []
    for _ in range(ROUNDS):
        cards = rng.sample(DECK_AND_JOKER, 6 * (SEATS + 1))
        hands = [" ".join(cards[6 * n : 6 * n + 6]) for n in range(SEATS + 1)]
        seats = [seat(n, hands[n], progressive="1.00") for n in range(1, SEATS + 1)]
        outcome = settled(played(*seats, dealer=hands[0]))
        of_round = [line for line in outcome.outcome["lines"] if line["wager"] == "progressive"]
        fixed += [Decimal(line["pays"] or 0) for line in of_round if line["result"] != "envy"]
        envies.append(
            sum((Decimal(x["pays"]) for x in of_round if x["result"] == "envy"), FIVE * 0)
        )
    assert lines(outcome, "progressive")
    for seen, expected in (
        (fixed, risk.fixed),
        (envies, envy_costs(risk, SEATS)[-1].per_round),
    ):
        mean = sum(seen) / len(seen)
        spread = sqrt(float(sum((one - mean) ** 2 for one in seen)) / len(seen))
        assert abs(float(mean - Decimal(float(expected)))) < 5 * spread / sqrt(len(seen))
        assert mean > 0
