"""What holds of every round of Pai Gow Poker, tried on many."""

import json
from contextlib import suppress
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tables.rules import Refusal, TableTerms, check_envelope, check_event, settle, void
from tables.rules.cards import DECK_AND_JOKER
from tables.rules.pai_gow_shapes import OPTIONAL
from tests.rules.made_pai_gow import event, played, settled, terms
from tests.rules.test_rules_properties import JSON

STAKES = st.sampled_from(["0.50", "1.00", "4.99", "5.00", "12.35", "100.00"])
TERMS = [
    terms(),
    terms(ez=True, readings={"PG-5": "literal"}),
    terms(vigorish_rounding="up", payout_limit="500.00", joker_color="red"),
]
MIS_SET = {"status": "mis_set", "irregularity": {"cite": "645a.11(f)(1)(iv)"}}


@st.composite
def seats(draw: Any, place: int, cards: list[str]) -> dict[str, Any]:
    wagers: dict[str, Any] = {"main": draw(STAKES)}
    for kind in draw(st.lists(st.sampled_from(OPTIONAL), unique=True)):
        wagers[kind] = "1.00" if kind == "progressive" else draw(STAKES)
        if kind == "red_black":
            color = draw(st.sampled_from(["red", "black"]))
            wagers[kind] = {"amount": wagers[kind], "on": color}
    made: dict[str, Any] = {"position": place, "cards": cards, "wagers": wagers}
    made["low"] = draw(st.permutations(cards))[:2]
    player = draw(st.sampled_from([None, "P1", "P2"]))
    if player:
        made["player"] = player
    how = draw(st.sampled_from(["set", "set", "set", "mis_set", "surrendered", "unseen"]))
    if how == "mis_set":
        made |= MIS_SET | {"low": made["low"][: draw(st.integers(0, 2))]}
    elif how != "set":
        made |= {"surrender": True, "wagers": {"main": wagers["main"]}}
        if how == "unseen":
            del made["cards"], made["low"]
    return made


@st.composite
def rounds(draw: Any) -> dict[str, Any]:
    """A round whose hands are good more often than dealt ones: from a short deck."""
    short = draw(st.booleans())
    deck = [card for card in DECK_AND_JOKER if not short or card[0] in "AKQJT9" or card == "JK"]
    places = draw(st.lists(st.integers(1, 6), min_size=1, max_size=2 if short else 6, unique=True))
    dealt = draw(st.permutations(deck))[: 7 * (len(places) + 1)]
    hands = [dealt[7 * i : 7 * i + 7] for i in range(len(places) + 1)]
    listed = [draw(seats(p, h)) for p, h in zip(places, hands, strict=False)]
    document = played(*listed, dealer=" ".join(hands[-1]), low=" ".join(hands[-1][:2]))
    bank = listed[0]
    if "status" not in bank and "surrender" not in bank and draw(st.booleans()):
        bank["wagers"].pop("main")
        document["bank"] = {draw(st.sampled_from(["position", "co_bank"])): bank["position"]}
    return document


@given(rounds(), st.sampled_from(TERMS), st.randoms())
def test_the_order_in_which_positions_are_listed_does_not_matter(
    document: dict[str, Any], under: TableTerms, random: Any
) -> None:
    listed = document["positions"]
    shuffled = {**document, "positions": random.sample(listed, len(listed))}
    one, other = settled(document, under), settled(shuffled, under)

    assert one.outcome["lines"] == other.outcome["lines"]
    assert one.outcome["dealer"] == other.outcome["dealer"]
    assert one.contributions == other.contributions


@given(rounds(), st.sampled_from(TERMS))
def test_every_wager_has_one_line_and_its_stake_is_accounted_for(
    document: dict[str, Any], under: TableTerms
) -> None:
    outcome = settled(document, under)
    staked = {
        (seat["position"], kind): told if isinstance(told, str) else told["amount"]
        for seat in document["positions"]
        for kind, told in seat["wagers"].items()
    }
    for line in outcome.outcome["lines"]:
        assert line["cite"].startswith("§ 645a.11(")
        if line["result"] == "envy":
            continue
        assert staked.pop((line["position"], line["wager"])) == line["stake"]
        check_sums(line)
    assert not staked
    assert json.loads(json.dumps(outcome.outcome)) == outcome.outcome


def check_sums(line: dict[str, Any]) -> None:
    """What a wager that was lost, returned or won comes to, whatever it is."""
    stake, returned = Decimal(line["stake"]), Decimal(line["returned"])
    pays = None if line["pays"] is None else Decimal(line["pays"])
    if line["result"] in ("lose", "surrender"):
        assert (pays, returned) == (0, 0)
    elif line["result"] == "push":
        assert (pays, returned) == (0, stake)
    elif line["wager"] == "progressive":
        assert returned == 0
        assert (pays is None) == line["terms"].endswith("% of meter")
    elif line["wager"] == "main":
        assert (pays or 0) + Decimal(line.get("vigorish", 0)) == returned == stake
    else:
        assert returned == stake
        assert pays == 500 or (pays or 0) >= stake


@given(rounds(), st.sampled_from(TERMS))
def test_an_envy_is_for_another_players_hand_and_ones_own_qualifying_wager(
    document: dict[str, Any], under: TableTerms
) -> None:
    listed = {seat["position"]: seat for seat in document["positions"]}
    who = {place: seat.get("player", place) for place, seat in listed.items()}

    for envy in settled(document, under).envies:
        assert who[envy.position] != who[envy.from_position]
        assert Decimal(listed[envy.position]["wagers"][envy.wager]) >= 5
        assert "cards" in listed[envy.from_position]


@given(rounds(), st.sampled_from(TERMS))
def test_at_an_ez_table_with_a_queens_dragon_every_main_wager_is_returned(
    document: dict[str, Any], under: TableTerms
) -> None:
    outcome = settled(document, under).outcome
    pushes = under.submission.plan.ez and outcome["dealer"].get("queens_dragon", False)

    for line in outcome["lines"]:
        if line["wager"] == "main" and line["result"] != "surrender" and pushes:
            assert (line["result"], line["returned"]) == ("push", line["stake"])


@given(rounds())
def test_a_void_returns_every_wager(document: dict[str, Any]) -> None:
    told = {**document, "type": "void", "irregularity": {"cite": "645a.8"}}
    check_event(told, TERMS[0])
    lines = void(told, TERMS[0], None).outcome["lines"]

    assert all((line["pays"], line["returned"]) == ("0.00", line["stake"]) for line in lines)
    assert len(lines) == sum(len(seat["wagers"]) for seat in document["positions"])


PLACES = [
    (), ("positions", 0), ("positions", 0, "wagers"), ("positions", 0, "wagers", "red_black"),
    ("dealer_hand",), ("bank",),
]  # fmt: skip
KEYS = st.sampled_from(
    "positions dealer_hand bank position co_bank player wagers main fortune_bonus red_black amount"
    " on progressive cards low surrender counted status lamp envy_lammer paid irregularity _x"
    .split()
)  # fmt: skip


@settings(max_examples=300)
@given(
    rounds(),
    st.sampled_from(["lockout", "settlement", "round", "void"]),
    st.lists(st.tuples(st.sampled_from(PLACES), KEYS, JSON), max_size=3),
)
def test_a_damaged_event_passes_or_is_refused_and_what_passes_can_be_settled(
    document: dict[str, Any], kind: str, damages: list[Any]
) -> None:
    document |= {"type": kind, "irregularity": {"cite": "645a.8"}}
    if kind == "lockout":
        wagers = {"main": "5.00", "red_black": {"amount": "5.00", "on": "red"}}
        document = event("lockout", positions=[{"position": 1, "wagers": wagers}])
    for way, key, value in damages:
        place: Any = document
        for step in way:
            if isinstance(place, dict):
                place = place.get(step)
            else:
                place = place[step] if isinstance(place, list) and len(place) > step else None
        if isinstance(place, dict):
            place[key] = value
    with suppress(Refusal):  # and nothing else
        check_envelope(document)
        check_event(document, TERMS[0])
        if kind in ("settlement", "round"):
            settle(document, TERMS[0])
        elif kind == "void":
            void(document, TERMS[0], None)
