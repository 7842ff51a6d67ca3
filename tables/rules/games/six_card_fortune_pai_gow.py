"""Six-Card Fortune Pai Gow Poker, 58 Pa. Code ch. 670a.

In the order of the chapter, so that file and regulation can be read side by side.
"""

from decimal import Decimal

from tables.rules import six_card, six_card_plan, six_card_shapes
from tables.rules.cards import DECK_AND_JOKER
from tables.rules.hands import SIX_CARD
from tables.rules.paytables import (
    EnvySchedule,
    GameDefinition,
    Line,
    Paytable,
    ProgressiveTerms,
    Reading,
    Wager,
)
from tables.rules.wagers import Fixed, ForOne, PercentOfMeter, ToOne

# ---- § 670a.2, § 670a.3, § 670a.8. The table, its cards ---------------------------------------

POSITIONS = 6  # § 670a.2(a)
CARDS_EACH = 6  # § 670a.8(d); fifty-two and a joker leave the eleven of § 670a.8(e)


# ---- § 670a.6. Rankings: ``hands.Ranking``; how the house sets its hands: ``house_way`` -------


# ---- § 670a.7. Wagers -------------------------------------------------------------------------

WAGERS = (
    Wager("main",          "§ 670a.7(d)",    "Six-Card Fortune Pai Gow Poker Wager"),
    Wager("double_down",   "§ 670a.7(e)(1)", "Double Down Wager"),
    Wager("fortune_bonus", "§ 670a.7(e)(2)", "Fortune Bonus Wager"),
    Wager("insurance",     "§ 670a.7(e)(3)", "Insurance Wager"),
    Wager("progressive",   "§ 670a.7(e)(4)", "Progressive Payout Wager"),
)  # fmt: skip


# ---- § 670a.12. Payout odds; Envy Bonus; rate of progression ----------------------------------

EVEN_CITE = "§ 670a.12(a)"
EVEN = ToOne(1)  # main and Double Down, whatever the hand

FORTUNE_BONUS = Paytable(
    cite="§ 670a.12(b)(1)",
    wager="fortune_bonus",
    lines=(
        Line("five_aces",       ToOne(1000)),
        Line("royal_flush",     ToOne(250)),
        Line("straight_flush",  ToOne(100)),
        Line("four_of_a_kind",  ToOne(50)),
        Line("full_house",      ToOne(15)),
        Line("flush",           ToOne(10)),
        Line("straight",        ToOne(8)),
        Line("three_of_a_kind", ToOne(5)),
    ),
)  # fmt: skip

FORTUNE_ENVY = EnvySchedule(
    cite="§ 670a.12(b)(2)",
    wager="fortune_bonus",
    columns={
        "1.00": (
            Line("five_aces",      Fixed(Decimal("1000.00"))),
            Line("royal_flush",    Fixed(Decimal("200.00"))),
            Line("straight_flush", Fixed(Decimal("50.00"))),
            Line("four_of_a_kind", Fixed(Decimal("15.00"))),
            Line("full_house",     Fixed(Decimal("5.00"))),
        ),
        "5.00": (
            Line("five_aces",      Fixed(Decimal("5000.00"))),
            Line("royal_flush",    Fixed(Decimal("1000.00"))),
            Line("straight_flush", Fixed(Decimal("250.00"))),
            Line("four_of_a_kind", Fixed(Decimal("75.00"))),
            Line("full_house",     Fixed(Decimal("25.00"))),
        ),
    },
)  # fmt: skip

INSURANCE = Paytable(
    cite="§ 670a.12(c)",
    wager="insurance",
    lines=(
        Line("eight_high", ToOne(100)),
        Line("nine_high",  ToOne(30)),
        Line("ten_high",   ToOne(10)),
        Line("jack_high",  ToOne(7)),
        Line("queen_high", ToOne(4)),
        Line("king_high",  ToOne(3)),
    ),
)  # fmt: skip

PROGRESSIVE = Paytable(
    cite="§ 670a.12(d)(1)",
    wager="progressive",
    lines=(
        Line("five_aces",      PercentOfMeter(100)),
        Line("royal_flush",    PercentOfMeter(10)),
        Line("straight_flush", ForOne(300)),
        Line("four_of_a_kind", ForOne(150)),
        Line("full_house",     ForOne(15)),
        Line("flush",          ForOne(6)),
        Line("straight",       ForOne(3)),
    ),
)  # fmt: skip

METER = ProgressiveTerms(
    cite="§ 670a.12(d)(1)-(2)",
    increment_percent=Decimal("21"),
    seed_for_one=Decimal("5000"),
    reset_at_least=Decimal("5000.00"),
    units=(Decimal("1.00"), Decimal("5.00")),
)

PROGRESSIVE_ENVY = EnvySchedule(
    cite="§ 670a.12(d)(4)",
    wager="progressive",
    columns={
        "1.00": (
            Line("five_aces",      Fixed(Decimal("100.00"))),
            Line("royal_flush",    Fixed(Decimal("50.00"))),
            Line("straight_flush", Fixed(Decimal("10.00"))),
            Line("four_of_a_kind", Fixed(Decimal("5.00"))),
        ),
        "5.00": (
            Line("five_aces",      Fixed(Decimal("500.00"))),
            Line("royal_flush",    Fixed(Decimal("250.00"))),
            Line("straight_flush", Fixed(Decimal("50.00"))),
            Line("four_of_a_kind", Fixed(Decimal("25.00"))),
        ),
    },
)  # fmt: skip


# ---- Where the chapter leaves room ------------------------------------------------------------

READINGS = (
    Reading("SC-1",  "§ 670a.6(b)(6)",      "highest_missing", ("ace",)),
    Reading("SC-2",  "§ 670a.11(b)",        "highest_card"),
    Reading("SC-3",  "§ 670a.6(c)",         "tie"),
    Reading("SC-4",  "§ 670a.6(b)(2)",      "any",             ("narrow",)),
    Reading("SC-5",  "§ 670a.11(d)(2)",     "lowest",          ("royal",)),
    Reading("SC-6",  "§ 670a.11(d)(1)",     "higher_category"),
    Reading("SC-7",  "§ 670a.11(d)(1)",     "four_of_a_kind",  ("full_house",)),
    Reading("SC-8",  "§ 670a.1",            "from_five",       ("table",)),
    Reading("SC-9",  "§ 670a.12(d)(4)",     "unit"),
    Reading("SC-10", "§ 670a.12(d)(1)",     "down",            ("half_up", "up")),
    Reading("SC-11", "§ 670a.12(d)(2)",     "larger"),
    Reading("SC-12", "§ 670a.12(d)(3)",     "no_top_up",       ("top_up",)),
    Reading("SC-13", "§ 670a.7(f)",         "one_person"),
    Reading("SC-14", "§ 670a.11(h)(1)(i)",  "side_wager"),
    Reading("SC-15", "§ 670a.11(d)(2)",     "seven_low"),
    Reading("SC-16", "§ 670a.11(g)(2)",     "returned"),
    Reading("SC-18", "§ 670a.11(d)(2)",     "six_cards"),
    Reading("SC-19", "§ 670a.11(h)",        "as_usual"),
    Reading("SC-21", "§ 670a.13(d)",        "all_returned",    ("side_wagers_stand",)),
    Reading("SC-22", "§ 670a.7(b)",         "cards_stay",      ("no_envy",)),
    Reading("SC-23", "§ 670a.13",           "below_reset",     ("not_below_reset",)),
    Reading("SC-24", "§ 670a.11(e)",        "by_position"),
    Reading("SC-25", "§ 670a.6(c)",         "player_joker"),
    Reading("SC-26", "§ 670a.12(d)(3)",     "as_applied"),
)  # fmt: skip


# ---- § 670a.13. Irregularities ----------------------------------------------------------------

#: The paragraphs that make a round void and return every wager.
VOID_PARAGRAPHS = frozenset(
    "670a.8(f) 670a.9(e) 670a.10(e) 670a.13(c) 670a.13(e) 670a.13(f) 670a.13(h) 670a.13(j)"
    " 670a.13(k) 670a.13(m)".split()
)

#: The paragraph behind each refusal of a round document.
REFUSAL_CITES = {
    "position_out_of_range": "§ 670a.2(a)",
    "wager_not_offered":     "§ 670a.7(e)",
    "double_down_mismatch":  "§ 670a.7(e)(1)",
    "progressive_unit":      "§ 670a.12(d)(4)",
    "wrong_card_count":      "§ 670a.13(h)",
    "low_not_in_hand":       "§ 670a.11(b)",
    "stub_mismatch":         "§ 670a.8(e)",
    "wagers_changed_after_lockout": "§ 670a.7(c)",
    "chip_count_mismatch":   "§ 670a.8(b)(2)",
}  # fmt: skip


DEFINITION = GameDefinition(
    name="six_card_fortune_pai_gow",
    title="Six-Card Fortune Pai Gow Poker",
    chapter="670a",
    version="1",
    positions=POSITIONS,
    deck=DECK_AND_JOKER,
    cards_each=CARDS_EACH,
    ranking=SIX_CARD,
    wagers=WAGERS,
    main_wager="main",
    after_lockout=frozenset({"double_down"}),  # § 670a.11(c)
    paytables={table.wager: table for table in (FORTUNE_BONUS, INSURANCE, PROGRESSIVE)},
    even=(EVEN_CITE, EVEN),
    envies={schedule.wager: schedule for schedule in (FORTUNE_ENVY, PROGRESSIVE_ENVY)},
    progressive=METER,
    readings=READINGS,
    void_paragraphs=VOID_PARAGRAPHS,
    refusal_cites=REFUSAL_CITES,
    position_shapes=six_card_shapes.POSITION_SHAPES,
    dealer_shapes=six_card_shapes.DEALER_SHAPES,
    check_position=six_card_shapes.check_position,
    check_dealer=six_card_shapes.check_dealer,
    plan=lambda readings, _: six_card_plan.Plan(readings),
    settle=six_card.settle,
)
