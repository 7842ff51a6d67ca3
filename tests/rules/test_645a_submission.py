"""§ 645a.13, § 601a.2: every figure is the submission's, and what it says must fit § 645a.11."""

import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tables.rules import Refusal, Submission, TableTerms, check_event, lockout, void
from tables.rules.samples import read_sample
from tables.rules.shell import outcome_of
from tests.rules.made import lines
from tests.rules.made_pai_gow import (
    DEALER,
    DEALER_LOW,
    LOSER,
    LOSER_LOW,
    QUADS,
    QUADS_LOW,
    event,
    played,
    red,
    seat,
    settled,
    terms,
)

ROOT = Path(__file__).parents[2]


def refused(**choices: Any) -> tuple[str, str]:
    with pytest.raises(Refusal) as refusal:
        Submission.make("pai_gow", {**read_sample("645a"), **choices})
    return refusal.value.code, refusal.value.path


def rows(kind: str, *lines_told: tuple[str, str], over: dict | None = None) -> dict[str, Any]:
    sample = read_sample("645a")["paytable_rows"]
    return {**sample, kind: [list(line) for line in lines_told] or sample[kind], **(over or {})}


# ---- Without a submission no round is settled ---------------------------------------------------


def test_601a_2_a_table_without_a_submission_settles_nothing() -> None:
    none = TableTerms("T-1", "pai_gow", 6, Submission.make("pai_gow", {}), Decimal("1.00"))
    document = played(seat(4, QUADS, QUADS_LOW))

    for kind in ("round", "lockout", "void"):
        with pytest.raises(Refusal) as refusal:
            check_event({**document, "type": kind}, none)
        assert (refusal.value.code, refusal.value.path) == ("submission_required", "game")
        assert refusal.value.cite == "§ 601a.2"
    with pytest.raises(Refusal, match="submission_required"):
        none.submission.definition.settle(document, none)
    check_event(event("operation", operation={"kind": "table_open"}), none)


@pytest.mark.parametrize(
    ("told", "refused_as"),
    [
        ({}, ("missing_key", "submission")),
        ({"submission": {}}, ("submission_required", "game")),
        ({"submission": {"version": "1"}}, ("missing_key", "submission.paytable_rows")),
        ({"submission": 5}, ("wrong_type", "submission")),
    ],
)
def test_601a_2_the_shell_asks_for_the_submission(told: dict, refused_as: tuple) -> None:
    document = {"spec": "round/1", "game": "pai_gow", "positions": [], **told}
    document["dealer_hand"] = {"cards": DEALER.split(), "low": DEALER_LOW.split()}

    with pytest.raises(Refusal) as refusal:
        outcome_of(document)
    assert (refusal.value.code, refusal.value.path) == refused_as


# ---- What is settled under the sample says so ---------------------------------------------------


def test_the_sample_marks_every_outcome() -> None:
    outcome = settled(played(seat(4, QUADS, QUADS_LOW))).outcome

    assert outcome["sample"] is True
    assert outcome["source"].startswith("SAMPLE, not from the regulation")
    assert "sample-645a" in outcome["rules"]
    voided = void(event("void", irregularity={"cite": "645a.8"}), terms(), None).outcome
    assert (voided["sample"], voided["source"]) == (True, outcome["source"])


def test_a_submission_of_a_certificate_holder_carries_no_mark() -> None:
    outcome = settled(played(seat(4, QUADS, QUADS_LOW)), terms(sample=False, version="1")).outcome

    assert "sample" not in outcome
    assert "source" not in outcome


# ---- What a submission may not say --------------------------------------------------------------


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"ez": "no"}, ("wrong_type", "ez")),
        ({"commission": {"kind": "ante"}}, ("bad_value", "commission.kind")),
        (
            {"commission": {"kind": "vigorish", "percent": 5, "on": "winnings"}},
            ("bad_value", "commission.percent"),
        ),
        (
            {"commission": {"kind": "vigorish", "percent": "5", "on": "wager"}},
            ("bad_value", "commission.on"),
        ),
        ({"vigorish_rounding": "bankers"}, ("bad_value", "vigorish_rounding")),
        ({"payout_limit": 25000}, ("bad_money", "payout_limit")),
        ({"joker_color": "green"}, ("bad_value", "joker_color")),
        ({"settlement": "losers_first"}, ("bad_value", "settlement")),
        ({"house_way": {"pairs": "low"}}, ("wrong_type", "house_way")),
        ({"progressive": {"wager_unit": "1.00"}}, ("missing_key", "progressive.initial")),
        ({"sample": "yes"}, ("wrong_type", "sample")),
        ({"readings": {"PG-5": "loose"}}, ("bad_value", "readings.PG-5")),
        ({"readings": {"PG-99": "x"}}, ("unknown_key", "readings.PG-99")),
        ({"envy": {}}, ("missing_key", "envy.fortune_bonus")),
        ({"paytable_rows": {}}, ("missing_key", "paytable_rows.fortune_bonus")),
        ({"paytable_rows": {"insurance": []}}, ("unknown_key", "paytable_rows.insurance")),
    ],
)
def test_601a_2_choices_that_cannot_be(choices: dict, told: tuple) -> None:
    assert refused(**choices) == told


FORTUNE = [tuple(row) for row in read_sample("645a")["paytable_rows"]["fortune_bonus"]]
PROGRESSIVE = [tuple(row) for row in read_sample("645a")["paytable_rows"]["progressive"]]


@pytest.mark.parametrize(
    ("kind", "told", "code", "place"),
    [
        ("fortune_bonus", [*FORTUNE, ("two_pair", "1 to 1")], "bad_value", "[11]"),
        ("fortune_bonus", [*FORTUNE[:9], FORTUNE[10], FORTUNE[9]], "bad_value", "[10]"),
        ("fortune_bonus", FORTUNE[:10], "missing_key", ".straight"),
        ("fortune_bonus", [*FORTUNE, FORTUNE[3]], "bad_value", "[11]"),
        ("fortune_bonus", [FORTUNE[1], FORTUNE[0], *FORTUNE[2:]], "bad_value", ""),
        ("fortune_bonus", [*FORTUNE[:10], ("straight", "2 for 1")], "bad_value", "[10][1]"),
        ("fortune_bonus", [*FORTUNE[:10], ("straight", "two")], "bad_value", "[10][1]"),
        ("fortune_bonus", [*FORTUNE[:10], ("straight",)], "bad_value", "[10]"),
        ("progressive", [*PROGRESSIVE, ("flush", "2 for 1")], "bad_value", "[7]"),
        ("progressive", [("five_aces", "100 to 1"), *PROGRESSIVE[3:]], "bad_value", "[0][1]"),
        ("progressive", [("five_aces", "0% of meter"), *PROGRESSIVE[3:]], "bad_value", "[0][1]"),
        ("progressive", [("five_aces", "101% of meter"), *PROGRESSIVE[3:]], "bad_value", "[0][1]"),
        ("protection", [("nine_high", "50 to 1")], "missing_key", ".ten_high"),
        ("protection", [("pair", "50 to 1")], "bad_value", "[0]"),
        ("red_black", [("five_or_more", "2 to 1")], "bad_value", "[0]"),
        ("queens_dragon", [("king_high", "50 to 1")], "bad_value", "[0]"),
    ],
)
def test_645a_11_h_paytables_that_do_not_fit_the_section(
    kind: str, told: list, code: str, place: str
) -> None:
    assert refused(paytable_rows=rows(kind, *told)) == (code, f"paytable_rows.{kind}{place}")


@pytest.mark.parametrize(
    ("pays", "code", "place"),
    [
        ([["pair", "5.00"]], "bad_value", "[0][0]"),
        ([["five_aces", "0.00"]], "bad_money", "[0][1]"),
        ([["five_aces", "5.00"], ["five_aces", "5.00"]], "bad_value", ""),
        ([], "bad_value", ""),
    ],
)
def test_645a_13_envies_that_do_not_fit(pays: list, code: str, place: str) -> None:
    envy = {**read_sample("645a")["envy"], "fortune_bonus": {"minimum_wager": "5.00", "pays": pays}}

    assert refused(envy=envy) == (code, f"envy.fortune_bonus.pays{place}")


def test_645a_11_h_2_an_envy_hand_is_the_highest_that_its_column_knows_in_any_order() -> None:
    pays = [["four_of_a_kind", "5.00"], ["five_aces", "250.00"]]
    envy = {**read_sample("645a")["envy"], "fortune_bonus": {"minimum_wager": "5.00", "pays": pays}}
    taker = seat(2, LOSER, LOSER_LOW, fortune_bonus="5.00")
    giver = seat(5, "AS AH AD AC JK 9H 8S", "9H 8S")

    (paid,) = settled(played(taker, giver), terms(envy=envy)).envies
    assert (paid.hand, str(paid.pays)) == ("five_aces", "250.00")


def test_645a_11_h_paytables_whose_hands_exclude_each_other_stand_in_any_order() -> None:
    told = [tuple(row) for row in read_sample("645a")["paytable_rows"]["protection"]]
    under = terms(paytable_rows=rows("protection", *reversed(told)))
    document = played(seat(4, "AS TH 9D 7S 5S 3H 2D", "TH 9D", protection="5.00"))

    assert lines(settled(document, under), "protection") == [
        "4 protection win ace_high 2 to 1 +10.00 <5.00 645a.11(h)(7)"
    ]


def test_only_wagers_on_offer_need_figures() -> None:
    bare = {"version": "1", "wagers": ["main"], "commission": None}
    under = TableTerms("T-1", "pai_gow", 6, Submission.make("pai_gow", bare), None)

    assert lines(settled(played(seat(4, QUADS, QUADS_LOW)), under)) == [
        "4 main win four_of_a_kind 1 to 1 +25.00 <25.00 645a.11(f)(3)"
    ]
    assert under.submission.progressive is None


def test_645a_13_e_the_progressive_is_the_submissions() -> None:
    progressive = terms().submission.progressive

    assert progressive is not None
    assert (progressive.units, progressive.increment_percent) == ((Decimal("1.00"),), Decimal(22))
    assert progressive.lowest_reset(Decimal("1.00")) == Decimal("10000.00")


# ---- Lock-outs, voids, the shell ----------------------------------------------------------------


def test_a_lockout_and_its_void_return_every_wager() -> None:
    wagers = {"progressive": "1.00", "red_black": red("7.50"), "fortune_bonus": "5.00"}
    locked = event("lockout", positions=[seat(4, **wagers), seat(3, main=None)], chip_count=1,
                   bank={"position": 3})  # fmt: skip
    check_event(locked, terms())

    assert [(c.position, str(c.stake)) for c in lockout(locked, terms()).contributions] == [
        (4, "1.00")
    ]
    document = event("void", irregularity={"cite": "645a.8"})
    check_event(document, terms())
    outcome = void(document, terms(), locked)
    assert lines(outcome) == [
        "4 main returned +0.00 <25.00 645a.8",
        "4 fortune_bonus returned +0.00 <5.00 645a.8",
        "4 progressive returned +0.00 <1.00 645a.8",
        "4 red_black returned +0.00 <7.50 645a.8",
    ]
    assert outcome.reversals == (4,)


def test_a_lockout_with_another_chip_count_is_refused_by_its_own_chapter() -> None:
    locked = event("lockout", positions=[seat(4, progressive="1.00")], chip_count=2)

    with pytest.raises(Refusal) as refusal:
        check_event(locked, terms())
    assert (refusal.value.code, refusal.value.cite) == ("chip_count_mismatch", "§ 645a.8")


def test_settle_and_rank_from_a_shell() -> None:
    document = {
        **played(seat(4, "AS AH AD AC JK 9H 5D", "AS AH", progressive="1.00")),
        "submission": read_sample("645a"),
        "meter": {"value": "20000.00", "reset": "10000.00"},
    }

    def run(*arguments: str, told: str = "") -> Any:
        command = [sys.executable, "-m", "tables.rules", *arguments]
        return json.loads(subprocess.check_output(command, input=told, text=True, cwd=ROOT))

    outcome = run("settle", told=json.dumps(document))
    assert outcome["sample"] is True
    assert outcome["lines"][1]["pays"] == "2000.02"  # ten percent of 20,000.22
    assert outcome["meters"][0]["contributed"] == "0.22"
    ranked = run("rank", "--game", "pai_gow", *"KH QH AS JK QS JS TS".split())
    assert (ranked["hand"], ranked["joker_as"]) == ("royal_flush", "KS")


# ---- What is odd about a round ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"start": {"random_number": 2, "first": 6}}, None),
        ({"start": {"random_number": 2, "first": 5}}, ("wrong_start", "start.first", "exception")),
        ({"left_count": 4}, None),
        ({"left_count": 5}, ("left_count", "left_count", "exception")),
        ({"chip_count": 1}, None),
        ({"chip_count": 2}, ("chip_count_mismatch", "chip_count", "exception")),
        ({"irregularity": {"cite": "645a.11(j)"}}, None),
        ({"irregularity": {"cite": "later"}}, ("unknown_paragraph", "irregularity", "exception")),
    ],
)
def test_what_is_odd_is_flagged_and_settled_all_the_same(keys: dict, told: tuple | None) -> None:
    outcome = settled(played(seat(4, QUADS, QUADS_LOW, progressive="1.00"), **keys))

    found = [(flag["code"], flag["path"], flag["severity"]) for flag in outcome.flags]
    assert found == ([told] if told else [])
    assert len(outcome.outcome["lines"]) == 2


def test_payments_are_held_against_what_is_due_after_the_vigorish() -> None:
    wagers = {"fortune_bonus": "5.00", "red_black": red(), "progressive": "1.00"}
    right = {
        "main": "23.75",
        "fortune_bonus": "125.00",
        "red_black": "5.00",
        "progressive": "75.00",
    }
    taker = seat(2, LOSER, LOSER_LOW, dynasty_bonus="5.00", paid={"envy": "5.00"})
    good = seat(4, QUADS, QUADS_LOW, paid=right, **wagers)
    wrong = seat(4, QUADS, QUADS_LOW, paid={**right, "main": "25.00"}, **wagers)

    assert settled(played(good, taker)).flags == []
    (flag,) = settled(played(wrong, taker)).flags
    assert (flag["code"], flag["path"]) == ("mispay", "positions[0].paid.main")
    assert (flag["paid"], flag["due"]) == ("25.00", "23.75")
