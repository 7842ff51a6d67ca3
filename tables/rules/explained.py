"""Each reading in plain words: what the text leaves open, and what every way to read it means.

For the person who proposes or approves a Rules Submission, and for ``docs/readings.md``.
"""

from typing import NamedTuple


class Explained(NamedTuple):
    """A reading's question, and one sentence for each choice, by the choice's name."""

    question: str
    choices: dict[str, str]


EXPLAINED: dict[str, Explained] = {
    # ---- Six-Card Fortune Pai Gow Poker, and what Pai Gow Poker shares with it ----------------
    "SC-1": Explained(
        "When the joker completes a flush that has its ace already, which card is it?",
        {
            "highest_missing": "The highest card of the suit that the flush does not hold yet.",
            "ace": "A second ace: it is compared as an ace beside the real one.",
        },
    ),
    "SC-2": Explained(
        "How does a five-card hand compare with the single low card, when the high hand may not"
        " be the lower one?",
        {
            "highest_card": "Without a pair the high hand counts by its top card, with a pair it"
            " is above any card; a joker that lies low counts as an ace.",
        },
    ),
    "SC-3": Explained(
        "One of the player's two hands is better and the other a copy of the dealer's: a result"
        " that the list of results does not name. Who has won?",
        {"tie": "Nobody: a copy is the dealer's, so each side has one hand and the wager pushes."},
    ),
    "SC-4": Explained(
        "Which royal flushes may the joker complete?",
        {
            "any": "All of them: four suited cards from ten to ace and the joker.",
            "narrow": "Only the one without the ace. The others are straight flushes, ranked above"
            " the one from ace to five.",
        },
    ),
    "SC-5": Explained(
        "The house has six suited cards in sequence from nine to ace, or with the joker in place of"
        " one of them. What does it play?",
        {
            "lowest": "The straight flush from nine to king, and the ace as its low card.",
            "royal": "The royal flush, and the nine as its low card.",
        },
    ),
    "SC-6": Explained(
        "A straight or a flush shares a card with a pair: only one of them can be kept whole.",
        {"higher_category": "The house keeps the hand that ranks higher and breaks the pair."},
    ),
    "SC-7": Explained(
        "The house has four of a kind and a pair.",
        {
            "four_of_a_kind": "The four stay together, and one card of the pair is played low.",
            "full_house": "The four are broken: a full house high, the fourth card low.",
        },
    ),
    "SC-8": Explained(
        "The envy table prints a column for $1, but only wagers of $5 and more are given a lammer."
        " What does a smaller Fortune Bonus Wager get?",
        {
            "from_five": "Nothing below $5. From $5 on the $5 column is paid, however high the"
            " wager.",
            "table": "From $1 to $4.99 the $1 column is paid, from $5 on the $5 column.",
        },
    ),
    "SC-9": Explained(
        "Envies are printed for Progressive Payout Wagers of $1 and $5 and for no other amount.",
        {"unit": "A table takes exactly the wager unit of its progressive; others are refused."},
    ),
    "SC-10": Explained(
        "A tenth of the meter is seldom a round number of cents.",
        {
            "down": "The award is cut to the cent; what is cut off stays on the meter.",
            "half_up": "The award is rounded to the nearest cent, a half upwards.",
            "up": "The award is raised to the next cent.",
        },
    ),
    "SC-11": Explained(
        "The seed is given once as a multiple of the wager and once as a sum in dollars.",
        {
            "larger": "Each wager unit has a progressive of its own, and its initial and reset"
            " amounts reach the larger of the two.",
        },
    ),
    "SC-12": Explained(
        "An award of a tenth may leave the meter below the reset amount. Is it filled up?",
        {
            "no_top_up": "No. Only an award of the whole meter is followed by the reset amount.",
            "top_up": "Yes: after any award the meter is brought back to the reset amount.",
        },
    ),
    "SC-13": Explained(
        "One person plays two positions. Does one hand of his earn the other an Envy Bonus?",
        {
            "one_person": "No. Other people's hands pay each of his positions by its own wager. A"
            " person on positions that one may not have is settled, and somebody looks at it.",
        },
    ),
    "SC-14": Explained(
        "Where the text settles the side wagers it names the main wager.",
        {"side_wager": "The side wager is meant: a player without one is neither paid nor loses."},
    ),
    "SC-15": Explained(
        "The house has the joker with 2-3-4-5-7: a six would make it a straight of six.",
        {"seven_low": "The seven goes low and the joker is the ace of a straight to five."},
    ),
    "SC-16": Explained(
        "A fouled hand was doubled, and the dealer has less than a pair of eights.",
        {"returned": "The Double Down Wager goes back: it is not in play against such a dealer."},
    ),
    "SC-18": Explained(
        "The rules for setting the house's hand speak of a six-card straight and flush without"
        " saying what that is.",
        {
            "six_cards": "Six cards of which either of two may lie low and the other five are still"
            " one. With five such cards and the joker, the joker goes low.",
        },
    ),
    "SC-19": Explained(
        "A fouled hand has side wagers.",
        {"as_usual": "They are settled by its six cards, and it gives and takes envies as any."},
    ),
    "SC-21": Explained(
        "The dealer exposed a card of a player, who gives his hand up unseen. What of his wagers?",
        {
            "all_returned": "All go back, and what he put on the meter leaves it before the round's"
            " first turn. The hand neither gives nor takes an envy.",
            "side_wagers_stand": "Only wagers against the dealer go back; the side wagers are"
            " settled by his six cards.",
        },
    ),
    "SC-22": Explained(
        "A player leaves during the round and his wagers are treated as lost.",
        {
            "cards_stay": "He takes no envy, but his cards may still earn one for others.",
            "no_envy": "His cards earn nobody an envy either.",
        },
    ),
    "SC-23": Explained(
        "A round is void after its wagers were put on the meter, which may have paid awards since.",
        {
            "below_reset": "The wagers leave the meter, even if it then stands below its reset"
            " amount. Awards that others took stay as they were paid.",
            "not_below_reset": "They leave it only down to the reset amount; the house bears the"
            " rest.",
        },
    ),
    "SC-24": Explained(
        "In which order are the wagers of one position settled?",
        {
            "by_position": "Position by position from the dealer's right, each with its main wager"
            " first and its progressive last; then the envies of each kind.",
        },
    ),
    "SC-25": Explained(
        "A joker lies low on one side or on both.",
        {"player_joker": "The player's beats any low card; the dealer's is an ace and no more."},
    ),
    "SC-26": Explained(
        "Two linked tables settle at the same time. Whose turn is first?",
        {
            "as_applied": "The one that was put first in the lane's order: its whole round comes"
            " before the other's. The order is decided once and kept.",
        },
    ),
    # ---- Lunar Poker --------------------------------------------------------------------------
    "LP-1": Explained(
        "What does a Super Wager pay on a royal flush or a straight flush, which its list omits?",
        {
            "as_written": "What the list has for it: ace-king-queen for a royal flush, five cards"
            " of one colour for another. The instant payout comes on top.",
            "flush": "A flush, since five suited cards are one.",
        },
    ),
    "LP-2": Explained(
        "Five cards can be several of the Super hands at once.",
        {"best_once": "The best paying one is paid, once."},
    ),
    "LP-3": Explained(
        "A winning hand may hold more than one second combination.",
        {
            "best_once": "The best paying one is paid, once. It counts without kickers and needs"
            " a card that the winning combination does not use.",
            "straight_and_pair_both": "A straight and a pair beside the winning combination are"
            " both paid.",
        },
    ),
    "LP-4": Explained(
        "The dealer has no ace-king. By which hand is the Ante paid?",
        {
            "final_hand": "By the hand after any draw: even money, or four to one from a straight"
            " on. The Bet goes back, the options fee does not, and no second combination is paid.",
        },
    ),
    "LP-5": Explained(
        "A player draws a straight flush.",
        {"first_five": "There is no instant payout for it; it is paid on the Bet."},
    ),
    "LP-7": Explained(
        "A player does not declare a winning Super hand.",
        {"lost": "His Super Wager is lost, and with it those that others made on his hand."},
    ),
    "LP-8": Explained(
        "A player with a Super Wager folds.",
        {"settled_first": "The Super Wager is settled before he folds, so a winning one is paid."},
    ),
    "LP-9": Explained(
        "A player has a royal or straight flush among his first five cards.",
        {
            "declared": "Declared, the round ends for him: a Bet or fee goes back, Super Wagers on"
            " him and his on others go on. Not declared, he plays on and is paid on the Bet.",
            "verify": "He is paid at once, declared or not.",
        },
    ),
    "LP-10": Explained(
        "Which Super Wagers must and may a player make?",
        {
            "own_required": "One on his own hand, at least his Ante. Others on the dealer or on"
            " another position that plays, at least the table's minimum, where they are offered.",
        },
    ),
    "LP-11": Explained(
        "In which order are Super Wagers settled, and in which an unqualified dealer's payments?",
        {
            "clockwise": "Super Wagers clockwise from the dealer's left, on each hand its player's"
            " first and then the others'. An unqualified dealer pays the other way round.",
        },
    ),
    "LP-12": Explained(
        "A round is void after Super Wagers, instant payouts, folds or fees were settled.",
        {
            "all_returned": "Everything goes back, lost Antes and fees too. What was paid already"
            " is put before a person.",
            "settled_stands": "What was settled stands; the rest goes back.",
        },
    ),
    "LP-13": Explained(
        "Five players who exchange five cards each need more cards than the deck has left.",
        {"void": "The round is void, and somebody looks at it."},
    ),
    # ---- Free Bet Blackjack -------------------------------------------------------------------
    "FB-1": Explained(
        "A hand goes over 21 and then the dealer has 22.",
        {
            "bust_loses": "The hand lost when it went over 21, whatever the dealer has.",
            "tucked_returned": "A hand with a lammer was only tucked away: its wager goes back, as"
            " all others do.",
        },
    ),
    "FB-2": Explained(
        "What may a player do with split aces?",
        {
            "aces_as_others": "Draw, double and split again as with other pairs. An ace with a ten"
            " after a split counts 21 and is no Blackjack.",
        },
    ),
    "FB-3": Explained(
        "What is a Free Bet lammer worth?",
        {"original_wager": "The original wager, each; it never costs its player anything."},
    ),
    "FB-4": Explained(
        "May a hand that is played for a lammer be doubled for money?",
        {"allowed": "Yes. The money wins or loses with that hand, the lammer only wins."},
    ),
    "FB-5": Explained(
        "Is an ace counted as one in a soft 19, 20 or 21 a hard total of 9, 10 or 11?",
        {"hard_only": "No: a hand that may count its ace as eleven is not doubled for free."},
    ),
    "FB-6": Explained(
        "Half the wager cannot be made up of the chips at the table.",
        {
            "next_chip": "Insurance may go up to the next unit of the smallest chip that the"
            " submission names; where it names none, half is the most.",
        },
    ),
    "FB-7": Explained(
        "When does the dealer draw?",
        {
            "live_hand_or_push_22": "When a hand of 21 or less without Blackjack is still in play,"
            " or a Push 22 Wager stands. Even money counts as settled.",
        },
    ),
    "FB-8": Explained(
        "A player's Blackjack was paid, and the dealer draws 22.",
        {"stays_paid": "It stays paid, and so does even money."},
    ),
    "FB-9": Explained(
        "A hand is dead because it was not dealt to.",
        {
            "real_money_returned": "Its money goes back and its lammers are collected. A Push 22"
            " Wager stands where the hand missed a card, and goes back where it had none.",
        },
    ),
    "FB-10": Explained(
        "Three to two on an odd amount leaves a fraction of a cent.",
        {"down": "It is cut off."},
    ),
    "FB-11": Explained(
        "Two orders of settling are allowed.",
        {"as_submitted": "The submission names one: player by player, or all losing wagers first."},
    ),
    "FB-12": Explained(
        "Does a Push 22 Wager depend on its player's own hand?",
        {
            "independent": "No: it wins on the dealer's 22 whatever became of the hand. Against a"
            " dealer's Blackjack it is lost.",
        },
    ),
    "FB-13": Explained(
        "A card that the dealer draws by mistake is put away when he has 17. Only 17?",
        {"any_standing_total": "On every total that he stands on."},
    ),
    # ---- Pai Gow Poker ------------------------------------------------------------------------
    "PG-1": Explained(
        "At an EZ table the dealer has the Queen's Dragon and a player fouls his hand.",
        {"push": "It pushes like every other hand of that round."},
    ),
    "PG-2": Explained(
        "How do seven cards rank, and what is the Queen's Dragon? The section is not at hand.",
        {
            "as_670a_6": "As in chapter 670a, on seven cards; the Queen's Dragon is a dealer whose"
            " best hand is exactly queen-high. A submission may name its hands otherwise.",
        },
    ),
    "PG-3": Explained(
        "Insurance and Protection pay on nine-high or better without a pair.",
        {"every_hand_without_a_pair": "Every seven-card hand without a pair is at least that."},
    ),
    "PG-4": Explained(
        "One word, Envy lammer, stands for three different wagers.",
        {"lammers_by_wager": "A lammer belongs to the wager it was given for, and to no other."},
    ),
    "PG-5": Explained(
        "Surrender is barred by optional wagers, and the reference ends before the last three.",
        {
            "all_optional_wagers": "Any optional wager bars a surrender.",
            "literal": "Only the first five do: beside one of the later three he may surrender.",
        },
    ),
    "PG-6": Explained(
        "Is the joker red or black?",
        {"by_submission": "The submission says: red, black, or neither."},
    ),
    "PG-7": Explained(
        "What of the cards of a player who surrenders, and of one who banks?",
        {
            "cards_stay": "They stay while somebody has a Qualifying Wager, and may earn another"
            " player an envy. The dealer's own hand never does.",
        },
    ),
    "PG-8": Explained(
        "From which hand on do Fortune Bonus and Emperor's Treasure win?",
        {"own_order": "By the order of the wager's own paytable, down to its last line."},
    ),
    "PG-9": Explained(
        "What does a player who surrenders lose?",
        {"whole_wager": "The whole main wager, also against a Queen's Dragon."},
    ),
    "PG-10": Explained(
        "What is the vigorish taken of?",
        {"percent_of_winnings": "Of what is won, rounded as the submission says."},
    ),
    "PG-11": Explained(
        "A player banks, and the section on banking is not at hand.",
        {
            "bank_hands": "Main wagers meet the bank's hands, and copies are the bank's. The"
            " Queen's Dragon is still the dealer's. Such a round is put before a person.",
        },
    ),
    "PG-12": Explained(
        "What is the royal match beside a royal flush?",
        {"king_and_queen_of_one_suit": "A king and a queen of one suit as the other two cards."},
    ),
    "PG-13": Explained(
        "When are hands without a pair set wrongly?",
        {"card_by_card": "They are compared card by card, the joker as an ace."},
    ),
    "PG-14": Explained(
        "Payouts may be limited.",
        {"by_submission": "To the sum that the submission names; to none where it names none."},
    ),
}
