"""What holds of every round and of every input, tried on many."""

import json
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.rules import Refusal, Settled, TableTerms, check_event, read_json, settle
from tables.rules.cards import DECK_AND_JOKER
from tables.rules.shell import outcome_of
from tests.rules.made import event, played, terms

STAKES = st.sampled_from(["0.50", "1.00", "4.99", "5.00", "12.35", "100.00"])
TERMS = [
    terms(),
    terms(
        readings={
            "SC-1": "ace", "SC-4": "narrow", "SC-5": "royal", "SC-7": "full_house",
            "SC-8": "table", "SC-21": "side_wagers_stand", "SC-22": "no_envy",
        }
    ),
]  # fmt: skip
CITES = {"voided": "670a.13(d)", "abandoned": "670a.7(b)"}


@st.composite
def seats(draw: Any, place: int, cards: list[str]) -> dict[str, Any]:
    wagers = {"main": draw(STAKES)}
    for kind in ("fortune_bonus", "insurance"):
        if draw(st.booleans()):
            wagers[kind] = draw(STAKES)
    if draw(st.booleans()):
        wagers["double_down"] = wagers["main"]
    if draw(st.booleans()):
        wagers["progressive"] = "1.00"
    made: dict[str, Any] = {"position": place, "cards": cards, "wagers": wagers}
    if draw(st.booleans()):
        made["low"] = [draw(st.sampled_from(cards))]
    player = draw(st.sampled_from([None, "P1", "P2"]))
    if player:
        made["player"] = player
    status = draw(st.sampled_from([None, None, None, "voided", "abandoned"]))
    if status:
        made |= {"status": status, "irregularity": {"cite": CITES[status]}}
    return made


@st.composite
def rounds(draw: Any) -> dict[str, Any]:
    """A round whose hands are good more often than dealt ones: from a short deck."""
    short = draw(st.booleans())
    deck = [card for card in DECK_AND_JOKER if not short or card[0] in "AKQJT9" or card == "JK"]
    places = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3 if short else 6, unique=True))
    dealt = draw(st.permutations(deck))[: 6 * (len(places) + 1)]
    hands = [dealt[6 * i : 6 * i + 6] for i in range(len(places) + 1)]
    document = played(*(draw(seats(p, h)) for p, h in zip(places, hands, strict=False)))
    document["dealer_hand"] = {"cards": hands[-1]}
    return document


def checked(document: dict[str, Any], under: TableTerms) -> Settled:
    check_event(document, None)
    check_event(document, under)
    return settle(document, under)


@given(rounds(), st.sampled_from(TERMS), st.randoms())
def test_the_order_in_which_positions_are_listed_does_not_matter(
    document: dict[str, Any], under: TableTerms, random: Any
) -> None:
    shuffled = {
        **document,
        "positions": random.sample(document["positions"], len(document["positions"])),
    }
    one, other = checked(document, under), checked(shuffled, under)

    assert one.outcome["lines"] == other.outcome["lines"]
    assert one.contributions == other.contributions
    assert one.reversals == other.reversals


@given(rounds(), st.sampled_from(TERMS))
def test_nobody_is_paid_an_envy_for_a_hand_of_his_own(
    document: dict[str, Any], under: TableTerms
) -> None:
    players = {
        seat["position"]: seat.get("player", seat["position"]) for seat in document["positions"]
    }

    for envy in checked(document, under).envies:
        assert players[envy.position] != players[envy.from_position]


@given(rounds(), st.sampled_from(TERMS))
def test_every_wager_has_one_line_and_its_stake_is_accounted_for(
    document: dict[str, Any], under: TableTerms
) -> None:
    outcome = checked(document, under)
    staked = {
        (seat["position"], kind): stake
        for seat in document["positions"]
        for kind, stake in seat["wagers"].items()
    }
    for line in outcome.outcome["lines"]:
        assert line["cite"].startswith("§ 670a.")
        if line["result"] == "envy":
            continue
        assert staked.pop((line["position"], line["wager"])) == line["stake"]
        stake, returned = Decimal(line["stake"]), Decimal(line["returned"])
        pays = None if line["pays"] is None else Decimal(line["pays"])
        if line["result"] == "lose":
            assert (pays, returned) == (0, 0)
        elif line["result"] in ("push", "returned"):
            assert (pays, returned) == (0, stake)
        elif line["wager"] == "progressive":
            assert returned == 0
            assert pays is None or pays >= 3 * stake
        else:
            assert returned == stake
            assert pays is not None
            assert pays >= stake
    assert not staked
    assert json.loads(json.dumps(outcome.outcome)) == outcome.outcome


@given(rounds(), st.sampled_from(TERMS))
def test_contributions_and_reversals_are_those_of_the_progressive_wagers(
    document: dict[str, Any], under: TableTerms
) -> None:
    outcome = checked(document, under)
    placed = [s["position"] for s in document["positions"] if "progressive" in s["wagers"]]
    returned = [
        line["position"]
        for line in outcome.outcome["lines"]
        if line["wager"] == "progressive" and line["result"] == "returned"
    ]

    assert [c.position for c in outcome.contributions] == sorted(placed, reverse=True)
    assert list(outcome.reversals) == returned


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(
    LEAVES,
    lambda tree: st.lists(tree, max_size=4) | st.dictionaries(st.text(max_size=8), tree),
    max_leaves=12,
)


@given(JSON)
def test_whatever_the_json_is_it_passes_or_is_refused(document: Any) -> None:
    with pytest.raises(Refusal):
        check_event(document, None)


PLACES = [
    (), ("positions",), ("positions", 0), ("positions", 0, "wagers"), ("positions", 0, "cards"),
    ("positions", 0, "paid"), ("dealer_hand",), ("start",), ("irregularity",), ("discarded",),
    ("discarded", 0), ("video",), ("marks",), ("operation",),
]  # fmt: skip
KEYS = st.sampled_from(
    "spec event_id table sequence type round occurred_at game positions dealer_hand irregularity"
    " dealer deck dealing shuffle start chip_count stub left_count discarded marks video position"
    " player wagers main double_down fortune_bonus progressive super_on cards low status lamp"
    " envy_lammer paid dice first random_number cite choice card operation kind _x".split()
)
TYPES = st.sampled_from(["lockout", "settlement", "round", "void", "operation"])


@settings(max_examples=400)
@given(rounds(), TYPES, st.lists(st.tuples(st.sampled_from(PLACES), KEYS, JSON), max_size=3))
def test_a_damaged_event_passes_or_is_refused_and_what_passes_can_be_settled(
    document: dict[str, Any], kind: str, damages: list[Any]
) -> None:
    document |= {
        "type": kind,
        "irregularity": {"cite": "670a.13(g)"},
        "discarded": [],
        "start": {"random_number": 1, "first": 0},
    }
    if kind == "lockout":
        document = event("lockout", positions=[{"position": 1, "wagers": {"main": "5.00"}}])
    if kind == "operation":
        document = event("operation", operation={"kind": "cut"})
    for way, key, value in damages:
        place: Any = document
        for step in way:
            inside = isinstance(place, dict) or (isinstance(place, list) and len(place) > step)
            place = place.get(step) if isinstance(place, dict) else place[step] if inside else None
        if isinstance(place, dict):
            place[key] = value
    with suppress(Refusal):  # and nothing else
        check_event(document, None)
        check_event(document, TERMS[0])
        outcome_of(document)


@given(st.binary(max_size=200) | JSON.map(lambda tree: json.dumps(tree).encode()))
def test_whatever_the_bytes_are_they_are_read_or_refused(raw: bytes) -> None:
    with suppress(Refusal):
        json.dumps(read_json(raw)).encode()
