"""The shipped samples play through the ledger: other games than the ones with an engine."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from django.db.models import Sum

from progressives.models import MeterEntry
from progressives.services.claims import refuse_claim
from progressives.services.claims_return import return_refused_award
from progressives.services.feeding import Feed, Unreasonable
from progressives.services.ledger import RoundFacts
from progressives.services.reconcile import reconcile
from tables.services.setup import load_setup
from tables.services.setup_part import SetupRefused
from tests.make import make_claim, make_user
from tests.progressives.samples import FACILITY, SAMPLES, Play, sample, set_up, stand

pytestmark = pytest.mark.django_db


def all_is_well() -> None:
    assert [(found.meter, found.faults) for found in reconcile() if not found.ok] == []


@pytest.mark.parametrize("name", sorted(path.stem for path in SAMPLES.glob("*.json")))
def test_every_sample_sets_up_and_sets_up_again_unchanged(name: str) -> None:
    set_up(sample(name))
    document = {"spec": "setup/1", "facility": FACILITY, "progressives": [sample(name)]}
    assert load_setup({**document, "tables": []}).made == []
    all_is_well()


# ---- a stud link of three levels (§ 655a.12(c)) ----------------------------------------------


def test_655a_12_c_a_wager_raises_every_level_by_its_own_rate() -> None:
    stud = set_up(sample("stud_three_levels"))
    Play(stud, "C").wager(5, 3, 1)
    assert stand(stud) == {
        "mega": Decimal("100000.27"),
        "mega/reserve": Decimal("0.075"),
        "mega/overflow": 0,
        "major": Decimal("2500.21"),
        "major/reserve": Decimal("0.0375"),
        "major/overflow": 0,
        "minor": Decimal("300.135"),
    }
    all_is_well()


def test_655a_12_c_each_hand_is_paid_from_its_level_and_the_others_stay() -> None:
    stud = set_up(sample("stud_three_levels"))
    table = Play(stud, "C")
    table.wager(5, 3, 1)
    assert table.hand("straight_flush").amount == Decimal("2500.21")
    assert table.hand("four_of_a_kind").amount == Decimal("300.13")
    assert table.hand("royal_flush").amount == Decimal("100000.27")
    assert table.hand("royal_flush").amount == Decimal("100000.07")  # reset amount and reserve
    assert table.hand("three_of_a_kind").amount == Decimal("10.00")
    assert table.hand("pair").pays.loses
    assert stand(stud)["major"] == Decimal("2500.0375")
    all_is_well()


def test_beyond_a_limit_a_level_overflows_and_the_next_jackpot_begins_with_it() -> None:
    told = sample("stud_three_levels")
    told["levels"][1]["limit"] = "2500.10"
    stud = set_up(told)
    table = Play(stud, "C")
    table.wager(5, 3, 1)
    assert stand(stud)["major"] == Decimal("2500.10")
    assert stand(stud)["major/overflow"] == Decimal("0.11")
    assert table.hand("straight_flush").amount == Decimal("2500.10")
    assert stand(stud)["major"] == Decimal("2500.10")  # 0.0375 of the reserve, then 0.0625
    assert stand(stud)["major/overflow"] == Decimal("0.0475")
    all_is_well()


def test_a_round_taken_back_leaves_every_meter_as_it_was() -> None:
    told = sample("stud_three_levels")
    told["levels"][1]["limit"] = "2500.10"
    stud = set_up(told)
    table, before = Play(stud, "C"), stand(stud)
    dealt: list[Any] = []

    def lock_out(feed: Feed, facts: RoundFacts) -> list[dict[str, Decimal]]:
        dealt.append(facts)
        return [feed.contribute(facts, position, Decimal(1)) for position in (5, 3, 1)]

    def take_back(feed: Feed, facts: RoundFacts) -> None:
        own = dealt[0]._replace(lane_number=facts.lane_number)
        for position, levels in zip((5, 3, 1), given, strict=True):
            feed.reverse(own, position, levels)

    given = table.round(lock_out)
    table.round(take_back)
    assert stand(stud) == before
    all_is_well()


def test_contributed_overflow_and_reserve_are_rate_times_wager_to_the_last_fraction() -> None:
    told = sample("stud_three_levels")
    told["levels"][0]["limit"] = "100000.50"
    told["levels"][1]["limit"] = "2500.10"
    stud = set_up(told)
    table = Play(stud, "C")
    for number in range(12):
        table.wager(5, 3, 1)
        if number % 5 == 0:
            table.hand("straight_flush")
    total = MeterEntry.objects.filter(kind="contribution").aggregate(total=Sum("amount"))["total"]
    assert Fraction(total) == 36 * Fraction("0.2425")  # 9 + 2.5 + 7 + 1.25 + 4.5 % of a dollar
    all_is_well()


def test_a_refused_award_goes_back_to_reserve_and_overflow_too() -> None:
    told = sample("stud_three_levels")
    told["levels"] = [told["levels"][1] | {"limit": "2500.10"}]
    told["paytables"] = {"C": [{"hand": "straight_flush", "pays": "100% of major"}]}
    stud = set_up(told)
    Play(stud, "C").wager(5, 3, 1)
    before = stand(stud)
    claim = make_claim(stud, percent=100)
    assert stand(stud) != before
    refuse_claim(
        claim_id=claim.pk,
        officer=make_user(),
        cite="§ 670a.11(h)(3)(i)(B)(I)",
        reason="The wager was late.",
    )
    return_refused_award(
        claim_id=claim.pk, officer=make_user("A500", "accounting"), reason="Agreed."
    )
    assert stand(stud) == before
    all_is_well()


def test_the_log_is_told_every_meter_of_every_level_in_order() -> None:
    stud = set_up(sample("stud_three_levels"))
    table = Play(stud, "C")
    table.wager(5)
    assert [entry.level for entry in table.told] == [
        *("mega", "mega/reserve", "major", "major/reserve", "minor"),
    ]


# ---- a blackjack side wager (§ 633b.17) ------------------------------------------------------


@pytest.mark.parametrize(
    ("paytable", "decks", "shown", "kept"),
    [
        ("1", 3, "1.00", "0"),
        ("1", 6, "0.85", "0"),
        ("7", 8, "0.75", "0.125"),
        ("10", 6, "0.725", "0.15625"),
    ],
)
def test_633b_17_rates_follow_paytable_and_number_of_decks(
    paytable: str, decks: int, shown: str, kept: str
) -> None:
    side = set_up(sample("blackjack_side_wager"))
    Play(side, paytable, decks).wager(1)
    assert stand(side) == {"grand": 10000 + Decimal(shown), "grand/reserve": Decimal(kept)}
    all_is_well()


def test_633b_17_the_reserve_pays_part_of_the_reset_amount() -> None:
    side = set_up(sample("blackjack_side_wager"))
    table = Play(side, "10", 6)
    table.wager(1, 2, 3)
    table.hand("aces_kings_declared_suit")
    assert stand(side) == {"grand": Decimal(10000), "grand/reserve": 0}
    reset = MeterEntry.objects.get(kind="reset")
    assert reset.amount == 10000 - Decimal("0.46875") - Decimal("0.005")


def test_633b_17_paytable_10_prints_a_flush_as_a_loss() -> None:
    side = set_up(sample("blackjack_side_wager"))
    assert Play(side, "1", 6).hand("flush").amount == Decimal("15.00")
    assert Play(side, "10", 6).hand("flush").pays.text == "loss"
    assert Play(side, "10", 6).hand("aces_or_kings_suited").amount == Decimal("15000.00")


def test_a_wager_of_another_size_goes_on_no_meter() -> None:
    side = set_up(sample("blackjack_side_wager"))
    with pytest.raises(Unreasonable, match=r"takes 5\.00"):
        Play(side, "1", 6).round(lambda feed, facts: feed.contribute(facts, 1, Decimal("500.00")))
    assert stand(side)["grand"] == 10000


# ---- what no file may say --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "path", "level", "changes"),
    [
        ("bad_limit", "progressives[0].levels[1].limit", 1, {"limit": "2499.99"}),
        ("bad_percent", "progressives[0].levels", 0, {"increment_percent": "90"}),
        ("bad_percent", "progressives[0].levels[0].reserve_percent", 0, {"reserve_percent": "x"}),
        ("bad_value", "progressives[0].levels[0].reserve_at_reset", 0, {"reserve_at_reset": "no"}),
        (
            "bad_value",
            "progressives[0].levels[0].rates",
            0,
            {"rates": [{"paytable": "Z", "decks": [1], "increment_percent": "1"}]},
        ),
        (
            "bad_value",
            "progressives[0].levels[0].rates[0].decks",
            0,
            {"rates": [{"paytable": "C", "decks": [0], "increment_percent": "1"}]},
        ),
        (
            "duplicate_code",
            "progressives[0].levels[0].rates",
            0,
            {"rates": [{"paytable": "C", "decks": [1, 1], "increment_percent": "1"}]},
        ),
        ("duplicate_code", "progressives[0].levels", 0, {"code": "major"}),
        ("bad_paytable", "progressives[0].paytables.C[0].pays", 0, {"code": "huge"}),
    ],
)
def test_terms_that_do_not_hold_together_are_refused_with_their_place(
    code: str, path: str, level: int, changes: dict[str, Any]
) -> None:
    told = sample("stud_three_levels")
    told["levels"][level] |= changes
    with pytest.raises(SetupRefused) as refusal:
        set_up(told)
    assert (refusal.value.code, refusal.value.path) == (code, path)


def test_a_file_with_another_reserve_rate_is_refused_with_both_values() -> None:
    set_up(sample("stud_three_levels"))
    told = sample("stud_three_levels")
    told["levels"][0]["reserve_percent"] = "3"
    with pytest.raises(SetupRefused, match=r"reserve_percent 2\.50; the file says 3\.00"):
        set_up(told)


def test_a_game_with_an_engine_feeds_one_level_at_one_rate() -> None:
    told = sample("stud_three_levels")
    game = "six_card_fortune_pai_gow"
    table = {"code": "T-1", "game": game, "positions": 6, "progressive": told["code"]}
    with pytest.raises(SetupRefused) as refusal:
        set_up(told, tables=[table])
    assert refusal.value.path == "tables[0].progressive"
