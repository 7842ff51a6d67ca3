"""Each paragraph that decides a line of an outcome, in plain words: a sentence or two.

In words of our own: what the paragraph does, not what it says. ``plain`` shows them to patrons.
"""

PARAGRAPHS: dict[str, str] = {
    # ---- Six-Card Fortune Pai Gow Poker ----------------------------------------------------------
    "§ 670a.6(c)": (
        "A hand that is identical to the dealer's is the dealer's. One hand was won by each side,"
        " so the wager is a tie and goes back."
    ),
    "§ 670a.7(b)": "Whoever leaves before the round is over gives up its wagers.",
    "§ 670a.8(f)": (
        "The cards left over were not the right number: the whole round is void and every wager"
        " goes back."
    ),
    "§ 670a.11(f)(1)(i)": (
        "Both hands, the high and the low, rank below the dealer's: the wager loses."
    ),
    "§ 670a.11(f)(1)(ii)": (
        "The high hand ranks below the dealer's and the low hands are identical, which counts for"
        " the dealer: the wager loses."
    ),
    "§ 670a.11(f)(1)(iii)": (
        "The high hands are identical, which counts for the dealer, and the low hand ranks below:"
        " the wager loses."
    ),
    "§ 670a.11(f)(1)(iv)": (
        "Both hands are identical to the dealer's, which counts for the dealer: the wager loses."
    ),
    "§ 670a.11(f)(1)(v)": (
        "The high hand has to rank at least as high as the low hand. It did not, so the wager"
        " loses."
    ),
    "§ 670a.11(f)(2)(i)": (
        "The high hand beats the dealer's and the low hand does not: a tie, and the wager goes"
        " back."
    ),
    "§ 670a.11(f)(2)(ii)": (
        "The low hand beats the dealer's and the high hand does not: a tie, and the wager goes"
        " back."
    ),
    "§ 670a.11(f)(3)": "Both hands beat the dealer's: the wager wins and is paid at even money.",
    "§ 670a.11(g)(1)": (
        "The dealer has a pair of eights or better, so the Double Down goes the way of the main"
        " wager."
    ),
    "§ 670a.11(g)(2)": (
        "The dealer has less than a pair of eights: the Double Down goes back, whatever the main"
        " wager did."
    ),
    "§ 670a.11(h)(1)(i)(A)": (
        "A Fortune Bonus Wager wins with three of a kind or better. The best hand of the six cards"
        " is lower."
    ),
    "§ 670a.11(h)(2)(i)": (
        "An Insurance Wager wins when the best hand of the six cards is king-high or lower. This"
        " hand is better."
    ),
    "§ 670a.11(h)(3)(i)(A)": (
        "A Progressive Payout Wager wins with a straight or better. The best hand of the six cards"
        " is lower."
    ),
    "§ 670a.12(b)(1)": (
        "The Fortune Bonus is paid by the best hand of the six cards, at the odds of its paytable."
    ),
    "§ 670a.12(b)(2)": (
        "Another player at the table was dealt a very good hand. Whoever has a Fortune Bonus Wager"
        " that qualifies is paid a fixed sum for it."
    ),
    "§ 670a.12(c)": (
        "Insurance is paid by the highest card of a hand without a pair: the lower the card, the"
        " more."
    ),
    "§ 670a.12(d)(1)": (
        "The progressive is paid by the best hand of the six cards. A share of the meter is taken"
        " of what the meter shows when this player's turn comes."
    ),
    "§ 670a.12(d)(4)": (
        "Another player at the table was dealt a very good hand. Everybody with a Progressive"
        " Payout Wager is paid a fixed sum for it."
    ),
    "§ 670a.13(b)": "The dice did not stay where they belong: they are shaken again.",
    "§ 670a.13(c)": (
        "The first card went to the wrong position: the whole round is void and every wager goes"
        " back."
    ),
    "§ 670a.13(d)": (
        "The dealer exposed a card of this hand and the player chose to void it: its wagers go"
        " back."
    ),
    "§ 670a.13(e)": (
        "A card of the dealer's hand was exposed: the whole round is void and every wager goes"
        " back."
    ),
    "§ 670a.13(f)": (
        "More than one card lay face up in the shoe or deck: the whole round is void and every"
        " wager goes back."
    ),
    "§ 670a.13(g)": "A card that was drawn too early without being seen is used as the next card.",
    "§ 670a.13(h)": (
        "Somebody was dealt too many or too few cards: the whole round is void and every wager"
        " goes back."
    ),
    "§ 670a.13(j)": (
        "A card was seen while the stacks were dealt: the whole round is void and every wager goes"
        " back."
    ),
    "§ 670a.13(k)": (
        "A stack held too many or too few cards: the whole round is void and every wager goes back."
    ),
    "§ 670a.13(m)": (
        "The dealing shoe failed during the round: the round is void and every wager goes back."
    ),
    # ---- Pai Gow Poker ---------------------------------------------------------------------------
    "§ 645a.8": "The round was not dealt as it has to be: it is void and every wager goes back.",
    "§ 645a.11(c)": "This position holds the bank; its main wager meets no hand and goes back.",
    "§ 645a.11(d)": (
        "The hand was surrendered: its main wager is given up and the cards are not compared."
    ),
    "§ 645a.11(f)(1)(i)": (
        "Both hands, the high and the low, rank below the dealer's: the wager loses."
    ),
    "§ 645a.11(f)(1)(ii)": (
        "One hand is identical to the dealer's, which counts for the dealer, and the other is no"
        " better: the wager loses."
    ),
    "§ 645a.11(f)(1)(iii)": (
        "The high hand has to rank at least as high as the low hand. It did not, so the wager"
        " loses."
    ),
    "§ 645a.11(f)(1)(iv)": "The two hands were not set as they have to be: the wager loses.",
    "§ 645a.11(f)(1)(v)": (
        "The dealer has the Queen's Dragon at a table without vigorish: the wager goes back,"
        " whatever the hands are."
    ),
    "§ 645a.11(f)(2)(i)": (
        "The high hand beats the dealer's and the low hand does not: a tie, and the wager goes"
        " back."
    ),
    "§ 645a.11(f)(2)(ii)": (
        "The low hand beats the dealer's and the high hand does not: a tie, and the wager goes"
        " back."
    ),
    "§ 645a.11(f)(2)(iii)": (
        "The dealer has the Queen's Dragon at a table without vigorish: the wager goes back."
    ),
    "§ 645a.11(f)(3)": (
        "Both hands beat the dealer's: the wager wins at even money, less a vigorish where the"
        " table takes one. At a table without vigorish a Queen's Dragon of the dealer makes it a"
        " tie."
    ),
    "§ 645a.11(h)(1)(i)(A)": (
        "A Fortune Bonus Wager wins with a straight or better. The best hand of the seven cards is"
        " lower."
    ),
    "§ 645a.11(h)(1)(i)(B)": (
        "The Fortune Bonus is paid by the best hand of the seven cards, at the odds of its"
        " paytable."
    ),
    "§ 645a.11(h)(1)(ii)": (
        "Another player at the table was dealt a very good hand. Whoever has a Fortune Bonus"
        " lammer is paid a fixed sum for it."
    ),
    "§ 645a.11(h)(2)(i)(A)": (
        "An Emperor's Treasure Wager wins with a straight or better. The best hand of the seven"
        " cards is lower."
    ),
    "§ 645a.11(h)(2)(i)(B)": (
        "The Emperor's Treasure is paid by the best hand of the seven cards, at the odds of its"
        " paytable."
    ),
    "§ 645a.11(h)(2)(ii)": (
        "Another player at the table was dealt a very good hand. Whoever has an Emperor's Treasure"
        " lammer is paid a fixed sum for it."
    ),
    "§ 645a.11(h)(3)(i)": (
        "A Pai Gow Insurance Wager wins when the seven cards hold no pair or better. These do."
    ),
    "§ 645a.11(h)(3)(ii)": (
        "The seven cards hold no pair or better: Pai Gow Insurance is paid by their highest card."
    ),
    "§ 645a.11(h)(4)(i)": (
        "A Progressive Payout Wager wins with a full house or better. The best hand of the seven"
        " cards is lower."
    ),
    "§ 645a.11(h)(4)(ii)(D)": (
        "The progressive is paid by the best hand of the seven cards. A share of the meter is"
        " taken of what the meter shows when this player's turn comes."
    ),
    "§ 645a.11(h)(5)": (
        "The Queen's Dragon Wager is on the dealer's cards: it wins when they are exactly"
        " queen-high, and loses otherwise."
    ),
    "§ 645a.11(h)(6)(i)(A)": (
        "A Dynasty Bonus Wager wins with three of a kind or better. The best hand of the seven"
        " cards is lower."
    ),
    "§ 645a.11(h)(6)(i)(B)": (
        "The Dynasty Bonus is paid by the best hand of the seven cards, at the odds of its"
        " paytable."
    ),
    "§ 645a.11(h)(6)(ii)": (
        "Another player at the table was dealt a very good hand. Whoever has a Dynasty Bonus"
        " lammer is paid a fixed sum for it."
    ),
    "§ 645a.11(h)(7)": (
        "A Protection Wager wins when the seven cards hold no pair or better, and is paid by their"
        " highest card."
    ),
    "§ 645a.11(h)(8)": (
        "A Red/Black Wager is paid by how many of the seven cards have the colour it was placed on."
    ),
    # ---- Lunar Poker -----------------------------------------------------------------------------
    "§ 671a.7(b)": "Whoever leaves before the round is over gives up its wagers.",
    "§ 671a.11(b)(2)": "A hand that is paid at once takes no Bet Wager: it goes back.",
    "§ 671a.11(c)(1)": (
        "The hand shows none of the combinations that a Super Wager wins with, or it was not"
        " declared: every Super Wager on it loses."
    ),
    "§ 671a.11(c)(3)": (
        "The first five cards were paid at once and the hand is over: a fee for more cards goes"
        " back."
    ),
    "§ 671a.11(c)(4)": "The hand was folded before any further card: its Ante is given up.",
    "§ 671a.11(d)": (
        "There were not enough cards for all draws: the round is void and every wager goes back."
    ),
    "§ 671a.11(d)(1)": (
        "A sixth card, or an exchange of cards, costs an Options fee. It is collected before the"
        " cards are dealt."
    ),
    "§ 671a.11(d)(4)": "The hand was folded after the draw: its Ante is given up.",
    "§ 671a.11(e)(1)": (
        "The dealer's hand shows none of the combinations that a Super Wager wins with: every"
        " Super Wager on it loses."
    ),
    "§ 671a.11(f)(1)": (
        "The dealer has less than an ace and a king, so the hands are not compared: the Bet Wager"
        " goes back."
    ),
    "§ 671a.11(f)(2)(i)": "The dealer's hand ranks higher: Ante and Bet Wager lose.",
    "§ 671a.11(f)(2)(ii)": (
        "The dealer's hand ranks lower: the Ante goes back and the Bet Wager is paid by the hand;"
        " a second combination in it is paid too."
    ),
    "§ 671a.11(f)(2)(iii)": "The hands are equal: Ante and Bet Wager go back.",
    "§ 671a.12(a)": (
        "A royal or straight flush among the first five cards is paid at once, on the Ante."
    ),
    "§ 671a.12(b)": (
        "The hand shows a combination of the Super paytable: the Super Wager is paid at its odds."
    ),
    "§ 671a.12(c)": (
        "The dealer has less than an ace and a king: the Ante is paid at even money, at four to"
        " one from a straight on."
    ),
    "§ 671a.12(d)": (
        "The hand beats the dealer's: the Bet Wager is paid by the hand, at the odds of its"
        " paytable."
    ),
    "§ 671a.13(a)": (
        "More than one card lay face up in the shoe or deck: the whole round is void and every"
        " wager goes back."
    ),
    "§ 671a.13(b)": "A card that was drawn too early without being seen is used as the next card.",
    "§ 671a.13(c)": (
        "Somebody was dealt too many or too few cards: the whole round is void and every wager"
        " goes back."
    ),
    "§ 671a.13(d)": (
        "A face-down card of the dealer was seen before everybody had decided: the whole round is"
        " void and every wager goes back."
    ),
    "§ 671a.13(e)": "The shuffling device failed: the cards are shuffled again.",
    "§ 671a.13(f)": (
        "The dealing shoe failed during the round: the round is void and every wager goes back."
    ),
    # ---- Free Bet Blackjack ----------------------------------------------------------------------
    "§ 672a.7(g)(1)": (
        "The dealer has a Blackjack. A player's Blackjack ties with it and its wager goes back;"
        " other wagers lose."
    ),
    "§ 672a.7(g)(2)": "The dealer has a Blackjack and the player has none: the wager loses.",
    "§ 672a.7(h)(1)": "A Blackjack that the dealer cannot match is paid at once, at three to two.",
    "§ 672a.7(n)(1)": (
        "The dealer has 22: every Blackjack Wager still in play goes back, and lammers are"
        " collected."
    ),
    "§ 672a.7(n)(2)": "A Push 22 Wager wins when the dealer has 22. The dealer has something else.",
    "§ 672a.7(o)(1)": "The dealer went over 21 with more than 22: hands of 21 or less win.",
    "§ 672a.7(o)(2)": (
        "The hand counts more than the dealer's without going over 21: it wins at even money, a"
        " lammer like the wager it stands for."
    ),
    "§ 672a.7(p)": "The hand counts as much as the dealer's: a tie, and the wager goes back.",
    "§ 672a.7(q)(1)": "The hand went over 21: it loses.",
    "§ 672a.7(q)(2)": "The dealer's hand counts more without going over 21: the wager loses.",
    "§ 672a.8(d)": "Insurance wins when the dealer has a Blackjack. The dealer has none.",
    "§ 672a.8(e)": (
        "With a Blackjack against an ace the player chose to be paid at even money at once."
    ),
    "§ 672a.10(c)(1)": "The first hand of a split for money went over 21 and is collected at once.",
    "§ 672a.11(b)": "The dealer has a Blackjack: insurance is paid at two to one.",
    "§ 672a.11(c)": (
        "The dealer has 22: the Push 22 Wager is paid by the suits and colours of the dealer's"
        " cards."
    ),
    "§ 672a.12(f)": "The shoe ran out of cards: it is shuffled again and the round goes on.",
    "§ 672a.12(g)": "This position was dealt no cards: its hand is dead and its wagers go back.",
    "§ 672a.12(h)": (
        "A card was left out of this hand and the player chose to call it dead: the money on it"
        " goes back."
    ),
    "§ 672a.12(j)": "The card reader failed: the round was called off and the wagers go back.",
    "§ 672a.12(k)": "The shuffling device failed: the round was called off and the wagers go back.",
}
