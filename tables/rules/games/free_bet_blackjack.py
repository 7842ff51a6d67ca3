"""Free Bet Blackjack, 58 Pa. Code ch. 672a.

In the order of the chapter, so that file and regulation can be read side by side.
"""

from tables.rules import blackjack, blackjack_plan, blackjack_play, blackjack_shapes
from tables.rules.cards import DECK
from tables.rules.paytables import GameDefinition, Line, Paytable, Reading, Wager
from tables.rules.wagers import ToOne

# ---- § 672a.2, § 672a.3. The table, its cards; their values: ``blackjack_points`` -------------

POSITIONS = 6  # § 672a.2(a)
DECKS = (6, 8)  # § 672a.3(a)


# ---- § 672a.6, § 672a.8. Wagers; doubles and splits are told with the hands -------------------

WAGERS = (
    Wager("main",      "§ 672a.6(d)", "Blackjack Wager"),
    Wager("push_22",   "§ 672a.6(e)", "Push 22 Wager"),
    Wager("insurance", "§ 672a.8(a)", "Insurance Wager"),
)  # fmt: skip


# ---- § 672a.11. Payout odds -------------------------------------------------------------------

EVEN_CITE = "§ 672a.11(a)"
EVEN = ToOne(1)  # Blackjack Wagers and Free Bet lammers

BLACKJACK = Paytable(
    cite="§ 672a.11(a)",
    wager="main",
    lines=(
        Line("blackjack", ToOne(3, 2)),
    ),
    order=("blackjack",),
)  # fmt: skip

INSURANCE = Paytable(
    cite="§ 672a.11(b)",
    wager="insurance",
    lines=(
        Line("blackjack", ToOne(2)),
    ),
    order=("blackjack",),
)  # fmt: skip

HANDS_OF_22 = ("same_suit_22", "same_color_22", "other_22")

PUSH_22_A = Paytable(
    cite="§ 672a.11(c)",
    wager="push_22",
    lines=(
        Line("same_suit_22",  ToOne(50)),
        Line("same_color_22", ToOne(20)),
        Line("other_22",      ToOne(8)),
    ),
    order=HANDS_OF_22,
)  # fmt: skip

PUSH_22_B = Paytable(
    cite="§ 672a.11(c)",
    wager="push_22",
    lines=(
        Line("same_suit_22",  ToOne(50)),
        Line("same_color_22", ToOne(20)),
        Line("other_22",      ToOne(7)),
    ),
    order=HANDS_OF_22,
)  # fmt: skip


# ---- Where the chapter leaves room ------------------------------------------------------------

READINGS = (
    Reading("FB-1",  "§ 672a.10(c)",    "bust_loses",        ("tucked_returned",)),
    Reading("FB-2",  "§ 672a.10(d)",    "aces_as_others"),
    Reading("FB-3",  "§ 672a.11(a)",    "original_wager"),
    Reading("FB-4",  "§ 672a.9(a)(2)",  "allowed"),
    Reading("FB-5",  "§ 672a.9(a)(1)",  "hard_only"),
    Reading("FB-6",  "§ 672a.8(b)",     "next_chip"),
    Reading("FB-7",  "§ 672a.7(m)",     "live_hand_or_push_22"),
    Reading("FB-8",  "§ 672a.7(h)(1)",  "stays_paid"),
    Reading("FB-9",  "§ 672a.12(h)",    "real_money_returned"),
    Reading("FB-10", "§ 672a.11(a)",    "down"),
    Reading("FB-11", "§ 672a.7(r)",     "as_submitted"),
    Reading("FB-12", "§ 672a.7(n)",     "independent"),
    Reading("FB-13", "§ 672a.12(d)",    "any_standing_total"),
)  # fmt: skip


# ---- § 672a.12. Irregularities ----------------------------------------------------------------

#: No paragraph of the chapter makes a round void.
VOID_PARAGRAPHS: frozenset[str] = frozenset()

#: The paragraph behind each refusal of a round document.
REFUSAL_CITES = {
    "position_out_of_range":        "§ 672a.2(a)",
    "wager_not_offered":            "§ 672a.6",
    "duplicate_card":               "§ 672a.3(a)",
    "wagers_changed_after_lockout": "§ 672a.6(c)",
}  # fmt: skip


DEFINITION = GameDefinition(
    name="free_bet_blackjack",
    title="Free Bet Blackjack",
    chapter="672a",
    version="1",
    positions=POSITIONS,
    deck=DECK,
    decks=DECKS,
    cards_each=0,
    ranking=None,
    wagers=WAGERS,
    main_wager="main",
    always_offered=frozenset({"insurance"}),  # § 672a.8(a): each player may make it
    after_lockout=frozenset({"insurance"}),  # § 672a.6(c)
    paytables={table.wager: table for table in (BLACKJACK, INSURANCE)},
    lettered={"push_22": {"A": PUSH_22_A, "B": PUSH_22_B}},
    even=(EVEN_CITE, EVEN),
    envies={},
    progressive=None,
    readings=READINGS,
    void_paragraphs=VOID_PARAGRAPHS,
    refusal_cites=REFUSAL_CITES,
    position_shapes=blackjack_shapes.POSITION_SHAPES,
    dealer_shapes=blackjack_shapes.DEALER_SHAPES,
    check_position=blackjack_play.check_position,
    check_play=blackjack_play.check_play,
    check_dealer=blackjack_play.check_dealer,
    check_round=blackjack_play.check_round,
    plan=blackjack_plan.Plan,
    settle=blackjack.settle,
    give_back=blackjack.give_back,
)
