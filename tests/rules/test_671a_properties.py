"""What holds of every round of Lunar Poker, tried on many."""

from collections import Counter
from contextlib import suppress
from decimal import Decimal
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tables.rules import Refusal, check_event, settle, void
from tables.rules.cards import DECK
from tests.rules.made_lunar import LEFT, event, played, seat, terms

ANTES = st.sampled_from(["0.05", "5.00", "12.35", "100.00"])
TERMS = [
    terms(),
    terms(
        readings={"LP-1": "flush", "LP-3": "straight_and_pair_both", "LP-9": "verify"},
        paytables={"instant": "B"},
    ),
]


@st.composite
def seats(draw: Any, place: int, places: list[int], cards: list[str], deck: list[str]) -> Any:
    ante = draw(ANTES)
    wagers: dict[str, Any] = {"ante": ante, "super": draw(st.sampled_from([ante, "150.00"]))}
    targets = [t for t in ("dealer", *map(str, places)) if t != str(place)]
    on = draw(st.lists(st.sampled_from(targets), max_size=2, unique=True))
    if on:
        wagers["super_on"] = {target: draw(ANTES) for target in on}
    action = draw(st.sampled_from(["fold", "bet", "buy", "exchange"]))
    decision: dict[str, Any] = {"action": action}
    count = {"buy": 1, "exchange": draw(st.integers(2, 5))}.get(action, 0)
    if count and count <= len(deck):
        decision |= {"draw": [deck.pop() for _ in range(count)]}
        decision |= {"then": draw(st.sampled_from(["bet", "fold"]))}
        if action == "exchange":
            decision["discard"] = draw(st.permutations(cards))[:count]
    elif count:
        decision = {"action": "bet"}
    made = {"position": place, "cards": cards, "wagers": wagers, "decision": decision}
    if draw(st.integers(0, 5)) == 0:
        made["declares"] = False
    return {**made, **LEFT} if draw(st.integers(0, 7)) == 0 else made


@st.composite
def rounds(draw: Any) -> dict[str, Any]:
    """A round whose hands are good more often than dealt ones: from a short deck."""
    ranks = draw(st.sampled_from(["AKQJT", "AKQJT98", "23456789TJQKA"]))
    deck = [card for card in DECK if card[0] in ranks]
    most = min(5, len(deck) // 5 - 2)
    places = draw(st.lists(st.integers(1, 5), min_size=1, max_size=most, unique=True))
    dealt = draw(st.permutations(deck))
    hands = [[dealt.pop() for _ in range(5)] for _ in range(len(places) + 1)]
    made = [draw(seats(p, places, h, dealt)) for p, h in zip(places, hands, strict=False)]
    return played(*made, dealer=" ".join(hands[-1]))


def staked(told: dict[str, Any]) -> "Counter[tuple[str, str]]":
    """The wagers of a position by the law: (kind, amount); the Bet where one was made."""
    wagers, decision = told["wagers"], told["decision"]
    found = Counter({("ante", wagers["ante"]): 1, ("super", wagers["super"]): 1})
    found.update(("super_on", amount) for amount in wagers.get("super_on", {}).values())
    if "draw" in decision:
        found["options_fee", wagers["ante"]] += 1
    if decision.get("then", decision["action"]) == "bet":
        found["bet", str(2 * Decimal(wagers["ante"]))] += 1
    return found


@settings(max_examples=150)
@given(rounds(), st.sampled_from(TERMS))
def test_every_stake_is_accounted_for_once(document: dict[str, Any], under: Any) -> None:
    check_event(document, under)
    outcome = settle(document, under).outcome

    for told in document["positions"]:
        lines = [line for line in outcome["lines"] if line["position"] == told["position"]]
        once = [line for line in lines if "second_combination" not in line]
        assert Counter((line["wager"], line["stake"]) for line in once) == staked(told)
    for line in outcome["lines"]:
        whole = line["result"] in ("win", "push", "returned", "instant")
        assert line["returned"] == (line["stake"] if whole else "0.00")
        assert (line["pays"] != "0.00") == (line["result"] in ("win", "instant"))
        assert line["cite"].startswith("§ 671a.")


@settings(max_examples=100)
@given(rounds(), st.data())
def test_the_order_of_positions_in_the_document_does_not_matter(
    document: dict[str, Any], data: Any
) -> None:
    shuffled = {**document, "positions": data.draw(st.permutations(document["positions"]))}

    one, other = (settle(each, terms()).outcome for each in (document, shuffled))
    for outcome in (one, other):
        for flag in outcome["flags"]:
            del flag["path"]  # the place in the document, which differs rightly
    assert one == other


@settings(max_examples=100)
@given(rounds())
def test_lines_go_clockwise_before_the_dealers_supers_and_back_after_them(
    document: dict[str, Any],
) -> None:
    lines = settle(document, terms()).outcome["lines"]
    own = [line["position"] for line in lines if line["wager"] == "super"]
    drawn = [line["position"] for line in lines if line["cite"] == "§ 671a.11(d)(1)"]
    late = [
        line["position"] for line in lines if "11(f)" in line["cite"] or "12(c)" in line["cite"]
    ]

    assert own == sorted(own)
    assert drawn == sorted(drawn)
    assert late == sorted(late, reverse=True)


@settings(max_examples=150)
@given(rounds(), st.data())
def test_whatever_stands_in_a_position_it_is_settled_or_refused(
    document: dict[str, Any], data: Any
) -> None:
    anything = st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.sampled_from(["", "5.00", "KS"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("a2_"), inner),
        max_leaves=4,
    )
    place = document["positions"][0]
    inside = data.draw(st.sampled_from([place, place["wagers"], place["decision"]]))
    inside[data.draw(st.sampled_from([*inside, "super_on", "bet", "draw", "paid"]))] = data.draw(
        anything
    )
    with suppress(Refusal):
        check_event(document, terms())
        settle(document, terms())
    under = terms(readings={"LP-12": data.draw(st.sampled_from(["default", "settled_stands"]))})
    with suppress(Refusal):
        evidence = event("void", positions=document["positions"], irregularity={"cite": "x"})
        check_event(evidence, under)
        void(evidence, under, None)


@settings(max_examples=100)
@example(["AS"] * 5, True)
@given(st.lists(st.sampled_from(["AS", "AH", "KD", "??"]), max_size=6), st.booleans())
def test_a_void_holds_any_cards(cards: list[str], stands: bool) -> None:
    under = terms(readings={"LP-12": "settled_stands" if stands else "default"})
    told = {"action": "exchange", "discard": cards[:2], "draw": cards}
    bare = {"position": 2, "cards": cards, "decision": told, "wagers": {"super_on": {"1": "5.00"}}}
    evidence = event(
        "void",
        positions=[seat(1, " ".join(cards), told), bare],
        irregularity={"cite": "671a.13(c)"},
    )
    check_event(evidence, under)

    lines = void(evidence, under, None).outcome["lines"]
    assert {line["result"] for line in lines} <= {"returned", "win", "lose", "fold", "instant"}
