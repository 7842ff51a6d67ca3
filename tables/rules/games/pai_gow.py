"""Pai Gow Poker, 58 Pa. Code § 645a.11.

Only that section is in the text. Rankings (§ 645a.6), wagers (§ 645a.7), dealing (§ 645a.8-.10),
the bank (§ 645a.12) and the odds (§ 645a.13) are not: what of it a round needs is data of a rules
submission, without which no round is settled. ``samples/645a.json`` has its shape.
"""

from tables.rules import pai_gow_plan, pai_gow_play, pai_gow_shapes
from tables.rules.cards import DECK_AND_JOKER
from tables.rules.hands import SIX_CARD
from tables.rules.paytables import GameDefinition, Reading, Wager
from tables.rules.wagers import ToOne

# ---- § 645a.11(a), (c). The table, its cards --------------------------------------------------

POSITIONS = 6  # the format's seven places: the dealer's and six others
CARDS_EACH = pai_gow_shapes.CARDS_EACH  # § 645a.11(a)(2); four of fifty-three are left


# ---- § 645a.11(f), (h). Wagers, in the order in which they are settled ------------------------

WAGERS = (
    Wager("main",              "§ 645a.11(f)",    "Pai Gow Poker Wager"),
    Wager("fortune_bonus",     "§ 645a.11(h)(1)", "Fortune Bonus Wager"),
    Wager("emperors_treasure", "§ 645a.11(h)(2)", "Emperor's Treasure Wager"),
    Wager("pai_gow_insurance", "§ 645a.11(h)(3)", "Pai Gow Insurance Wager"),
    Wager("progressive",       "§ 645a.11(h)(4)", "Progressive Payout Wager"),
    Wager("queens_dragon",     "§ 645a.11(h)(5)", "Queen's Dragon Wager"),
    Wager("dynasty_bonus",     "§ 645a.11(h)(6)", "Dynasty Bonus Wager"),
    Wager("protection",        "§ 645a.11(h)(7)", "Protection Wager"),
    Wager("red_black",         "§ 645a.11(h)(8)", "Red/Black Wager"),
)  # fmt: skip

EVEN_CITE = "§ 645a.13(a)"
EVEN = ToOne(1)  # the main wager, less the submission's vigorish (PG-10)


# ---- Where the section leaves room, or the text ends ------------------------------------------

READINGS = (
    Reading("PG-1",  "§ 645a.11(f)(1)(v)",        "push"),
    Reading("PG-2",  "§ 645a.6",                  "as_670a_6"),
    Reading("PG-3",  "§ 645a.11(h)(3), (7)",      "every_hand_without_a_pair"),
    Reading("PG-4",  "§ 645a.11(h)(1)(ii)",       "lammers_by_wager"),
    Reading("PG-5",  "§ 645a.11(d)",              "all_optional_wagers", ("literal",)),
    Reading("PG-6",  "§ 645a.11(h)(8)",           "by_submission"),
    Reading("PG-7",  "§ 645a.11(d), (h)",         "cards_stay"),
    Reading("PG-8",  "§ 645a.11(h)(1)-(2)",       "own_order"),
    Reading("PG-9",  "§ 645a.11(d)",              "whole_wager"),
    Reading("PG-10", "§ 645a.11(f)(3)",           "percent_of_winnings"),
    Reading("PG-11", "§ 645a.11(c)",              "bank_hands"),
    Reading("PG-12", "§ 645a.13(b)",              "king_and_queen_of_one_suit"),
    Reading("PG-13", "§ 645a.11(b)",              "card_by_card"),
    Reading("PG-14", "§ 645a.13",                 "by_submission"),
    # Of chapter 670a, whose rankings and whose progressive this game's are read like.
    Reading("SC-1",  "§ 645a.6",                  "highest_missing",     ("ace",)),
    Reading("SC-4",  "§ 645a.6",                  "any",                 ("narrow",)),
    Reading("SC-10", "§ 645a.11(h)(4)(ii)(D)",    "down",                ("half_up", "up")),
    Reading("SC-12", "§ 645a.11(h)(4)(ii)(D)",    "no_top_up",           ("top_up",)),
    Reading("SC-13", "§ 645a.7",                  "one_person"),
    Reading("SC-23", "§ 645a.11(h)(4)",           "below_reset",         ("not_below_reset",)),
    Reading("SC-24", "§ 645a.11(e)",              "by_position"),
    Reading("SC-26", "§ 645a.11(h)(4)",           "as_applied"),
)  # fmt: skip

#: The paragraph behind each refusal of a round document.
REFUSAL_CITES = {
    "wager_not_offered":            "§ 645a.7(e)",
    "progressive_unit":             "§ 645a.13(e)",
    "stub_mismatch":                "§ 645a.8",
    "chip_count_mismatch":          "§ 645a.8",
    "wagers_changed_after_lockout": "§ 645a.7",
}  # fmt: skip


DEFINITION = GameDefinition(
    name="pai_gow",
    title="Pai Gow Poker",
    chapter="645a",
    version="1",
    positions=POSITIONS,
    deck=DECK_AND_JOKER,
    cards_each=CARDS_EACH,
    ranking=SIX_CARD,
    wagers=WAGERS,
    main_wager="main",
    after_lockout=frozenset(),
    paytables={},  # the submission's
    even=(EVEN_CITE, EVEN),
    envies={},  # the submission's
    progressive=None,  # the submission's
    readings=READINGS,
    void_paragraphs=frozenset(),  # no section on irregularities is in the text
    refusal_cites=REFUSAL_CITES,
    position_shapes=pai_gow_shapes.POSITION_SHAPES,
    dealer_shapes=pai_gow_shapes.DEALER_SHAPES,
    check_position=pai_gow_shapes.check_position,
    check_dealer=pai_gow_shapes.check_dealer,
    plan=pai_gow_plan.plan,
    settle=pai_gow_play.settle,
    give_back=pai_gow_play.give_back,
    needs_submission=True,
    progressive_of=pai_gow_plan.progressive_of,
    event_keys=pai_gow_shapes.EVENT_KEYS,
    without_main=pai_gow_shapes.without_main,
    check_round=pai_gow_shapes.check_round,
)
