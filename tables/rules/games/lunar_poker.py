"""Lunar Poker, 58 Pa. Code ch. 671a.

In the order of the chapter, so that file and regulation can be read side by side.
"""

from tables.rules import lunar, lunar_hands, lunar_shapes, lunar_voids
from tables.rules.cards import DECK
from tables.rules.paytables import GameDefinition, Line, Paytable, Reading, Wager
from tables.rules.wagers import ToOne

# ---- § 671a.2, § 671a.3, § 671a.8. The table, its cards ---------------------------------------

POSITIONS = 5  # § 671a.2(a)
CARDS_EACH = lunar_shapes.CARDS_EACH  # § 671a.8(c)


# ---- § 671a.6. Rankings: ``hands.Ranking``; Super hands: ``lunar_hands`` ----------------------


# ---- § 671a.7. Wagers -------------------------------------------------------------------------

WAGERS = (
    Wager("ante",        "§ 671a.7(c)(1)",  "Ante Wager"),
    Wager("super",       "§ 671a.7(c)(2)",  "Super Wager"),
    Wager("super_on",    "§ 671a.7(c)(3)",  "Super Wager on the dealer or another player"),
    Wager("bet",         "§ 671a.7(c)(1)",  "Bet Wager"),
    Wager("options_fee", "§ 671a.11(b)(3)", "Options fee"),
)  # fmt: skip

#: What every player makes or may make, whatever a submission offers.
ALWAYS_OFFERED = frozenset({"super", "bet", "options_fee"})
AFTER_LOCKOUT = frozenset({"bet", "options_fee"})  # § 671a.7(d)


# ---- § 671a.12. Payout odds -------------------------------------------------------------------

INSTANT_A = Paytable(
    cite="§ 671a.12(a)",
    wager="ante",
    lines=(
        Line("royal_flush",    ToOne(1500)),
        Line("straight_flush", ToOne(250)),
    ),
)  # fmt: skip

INSTANT_B = Paytable(
    cite="§ 671a.12(a)",
    wager="ante",
    lines=(
        Line("royal_flush",    ToOne(1000)),
        Line("straight_flush", ToOne(300)),
    ),
)  # fmt: skip

INSTANT_C = Paytable(
    cite="§ 671a.12(a)",
    wager="ante",
    lines=(
        Line("royal_flush",    ToOne(1000)),
        Line("straight_flush", ToOne(250)),
    ),
)  # fmt: skip

SUPER = Paytable(
    cite="§ 671a.12(b)",
    wager="super",
    lines=(
        Line("four_of_a_kind",     ToOne(200)),
        Line("five_picture_cards", ToOne(150)),
        Line("full_house",         ToOne(100)),
        Line("flush",              ToOne(60)),
        Line("straight",           ToOne(30)),
        Line("three_of_a_kind",    ToOne(8)),
        Line("ace_king_queen",     ToOne(5)),
        Line("same_colored_five",  ToOne(2)),
    ),
    order=lunar_hands.SUPER_HANDS,
)  # fmt: skip

# The Ante is paid where the dealer does not qualify; otherwise it is returned, or lost.
ANTE_CITE = "§ 671a.12(c)"
ANTE_EVEN = ToOne(1)
ANTE = Paytable(
    cite=ANTE_CITE,
    wager="ante",
    lines=(  # a straight or higher
        Line("royal_flush",    ToOne(4)),
        Line("straight_flush", ToOne(4)),
        Line("four_of_a_kind", ToOne(4)),
        Line("full_house",     ToOne(4)),
        Line("flush",          ToOne(4)),
        Line("straight",       ToOne(4)),
    ),
)  # fmt: skip

BET = Paytable(
    cite="§ 671a.12(d)",
    wager="bet",
    lines=(
        Line("royal_flush",     ToOne(100)),
        Line("straight_flush",  ToOne(50)),
        Line("four_of_a_kind",  ToOne(20)),
        Line("full_house",      ToOne(7)),
        Line("flush",           ToOne(5)),
        Line("straight",        ToOne(4)),
        Line("three_of_a_kind", ToOne(3)),
        Line("two_pair",        ToOne(2)),
        Line("pair",            ToOne(1)),
        Line("ace_king",        ToOne(1)),
    ),
)  # fmt: skip


# ---- Where the chapter leaves room ------------------------------------------------------------

READINGS = (
    Reading("LP-1",  "§ 671a.6(d)",           "as_written",    ("flush",)),
    Reading("LP-2",  "§ 671a.12(b)",          "best_once"),
    Reading("LP-3",  "§ 671a.11(f)(2)(ii)",   "best_once",     ("straight_and_pair_both",)),
    Reading("LP-4",  "§ 671a.11(f)(1)",       "final_hand"),
    Reading("LP-5",  "§ 671a.11(c)(3)",       "first_five"),
    Reading("LP-7",  "§ 671a.11(c)(1)",       "lost"),
    Reading("LP-8",  "§ 671a.11(c)",          "settled_first"),
    Reading("LP-9",  "§ 671a.11(b)(2)",       "declared",      ("verify",)),
    Reading("LP-10", "§ 671a.7(c)",           "own_required"),
    Reading("LP-11", "§ 671a.11(c)",          "clockwise"),
    Reading("LP-12", "§ 671a.13",             "all_returned",  ("settled_stands",)),
    Reading("LP-13", "§ 671a.11(d)(1)(ii)",   "void"),
)  # fmt: skip


# ---- § 671a.13. Irregularities ----------------------------------------------------------------

#: The paragraphs that make a round void and return every wager.
VOID_PARAGRAPHS = frozenset("671a.13(a) 671a.13(c) 671a.13(d) 671a.13(f)".split())

#: The paragraph behind each refusal of a round document.
REFUSAL_CITES = {
    "position_out_of_range":        "§ 671a.2(a)",
    "wager_not_offered":            "§ 671a.7(c)(3)",
    "duplicate_card":               "§ 671a.3(a)",
    "stub_mismatch":                "§ 671a.3(a)",
    "wagers_changed_after_lockout": "§ 671a.7(d)",
}  # fmt: skip


DEFINITION = GameDefinition(
    name="lunar_poker",
    title="Lunar Poker",
    chapter="671a",
    version="1",
    positions=POSITIONS,
    deck=DECK,
    cards_each=CARDS_EACH,
    ranking=lunar_hands.RANKING,
    wagers=WAGERS,
    main_wager="ante",
    always_offered=ALWAYS_OFFERED,
    after_lockout=AFTER_LOCKOUT,
    paytables={table.wager: table for table in (SUPER, ANTE, BET)},
    lettered={"instant": {"A": INSTANT_A, "B": INSTANT_B, "C": INSTANT_C}},
    even=(ANTE_CITE, ANTE_EVEN),
    envies={},
    progressive=None,
    readings=READINGS,
    void_paragraphs=VOID_PARAGRAPHS,
    refusal_cites=REFUSAL_CITES,
    position_shapes=lunar_shapes.POSITION_SHAPES,
    dealer_shapes=lunar_shapes.DEALER_SHAPES,
    check_wagers=lunar_shapes.check_wagers,
    check_position=lunar_shapes.check_position,
    check_dealer=lunar_shapes.check_dealer,
    plan=lambda readings, _: lunar_hands.Plan(readings),
    settle=lunar.settle,
    give_back=lunar_voids.give_back,
    flag_void=lunar_voids.flag_void,
)
