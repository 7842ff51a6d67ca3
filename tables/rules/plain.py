"""An outcome's lines in plain words, and the paragraph behind each as a patron may be told it.

Nothing here names another player's cards, amounts or identity. The citation stands beside the
words wherever they are shown.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tables.rules.explained import EXPLAINED
from tables.rules.plain_paragraphs import PARAGRAPHS
from tables.rules.printing import figures
from tables.rules.wagers import NOTHING

WAGER_WORDS = {
    "main": "main wager",
    "double_down": "Double Down",
    "fortune_bonus": "Fortune Bonus Wager",
    "insurance": "Insurance Wager",
    "progressive": "Progressive Payout Wager",
    "emperors_treasure": "Emperor's Treasure Wager",
    "pai_gow_insurance": "Pai Gow Insurance Wager",
    "queens_dragon": "Queen's Dragon Wager",
    "dynasty_bonus": "Dynasty Bonus Wager",
    "protection": "Protection Wager",
    "red_black": "Red/Black Wager",
    "ante": "Ante",
    "super": "Super Wager",
    "super_on": "Super Wager",
    "bet": "Bet Wager",
    "options_fee": "Options fee",
    "push_22": "Push 22 Wager",
}


def paragraph(cite: str | None) -> str:
    """Return what a paragraph does, in plain words; nothing where it is not one of ours."""
    return PARAGRAPHS.get(cite or "", "")


def reading_words(reading: str | None, choice: str | None) -> str:
    """Return how a paragraph that leaves room is read here."""
    explained = EXPLAINED.get(reading or "")
    if explained is None:
        return ""
    told = explained.choices.get(choice or "", "") or next(iter(explained.choices.values()))
    return f"{explained.question} {told}"


def hand_words(hand: str | None) -> str:
    """Write a hand as it is said; a total of points as a number."""
    name = (hand or "").replace("_", " ")
    return name.replace(" high", "-high") if name.endswith(" high") else name


def money(amount: str | None) -> str:
    """Write dollars and cents, of a meter the fractions too: $1,234.50."""
    whole, _, fraction = (amount or NOTHING).partition(".")
    return f"${int(whole):,}.{fraction.rstrip('0').ljust(2, '0')}"


def what_happened(line: Mapping[str, Any]) -> str:
    """Tell an outcome's line as one or two sentences, without any other player's cards."""
    if line["result"] == "envy":
        return (
            f"Envy Bonus on the {WAGER_WORDS[line['wager']]} of {money(line['stake'])}: another"
            f" player has {with_article(line.get('hand'))}. {money(line['pays'])} is paid."
        )
    return f"{subject(line)} {ENDINGS[line['result']](line)}"


def subject(line: Mapping[str, Any]) -> str:
    """Name the wager of a line, its stake and what it is on."""
    words = WAGER_WORDS.get(line["wager"], line["wager"].replace("_", " "))
    target = line.get("on")
    if line["wager"] == "super_on" and target is not None:
        words += " on the dealer's hand" if target == "dealer" else f" on position {target}"
    told = f"The {words} of {money(line['stake'])}"
    if line["stake"] == NOTHING:  # a lammer alone, or a second combination
        told = f"The {words}" if line.get("second_combination") else "The Free Bet lammer"
    if line.get("hand_index") is not None:
        told += f" on hand {line['hand_index'] + 1}"
    if line.get("second_combination"):
        told += ", for a second combination,"
    return told


def with_article(hand: str | None) -> str:
    """Write a hand inside a sentence."""
    words = hand_words(hand)
    bare = ("two pair", "three of a kind", "four of a kind", "five aces", "blackjack")
    if not words or words in bare or words[0].isdigit():
        return words or "a qualifying hand"
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def on_hand(line: Mapping[str, Any]) -> str:
    """Say which hand decided."""
    return f" with {with_article(line['hand'])}" if line.get("hand") else ""


def won(line: Mapping[str, Any]) -> str:
    """Say by what a wager won, and what is paid."""
    terms = figures(line["terms"]) if line.get("terms") else ""
    told = f"wins{on_hand(line)}" + (f", {terms}" if terms else "") + "."
    if line.get("meter_at_turn") is not None:
        told += f" The meter showed {money(line['meter_at_turn'])} at this turn."
    told += f" {money(line['pays'])} is paid"
    if line.get("vigorish"):
        told += f", after a vigorish of {money(line['vigorish'])}"
    if line.get("returned") not in (None, NOTHING):
        told += f", and {money(line['returned'])} goes back"
    return f"{told}."


ENDINGS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "win": won,
    "instant": lambda line: won(line).replace("wins", "is paid at once", 1),
    "lose": lambda line: f"loses{on_hand(line)}.",
    "push": lambda line: f"is a tie{on_hand(line)}: {money(line['returned'])} goes back.",
    "returned": lambda line: f"is returned: {money(line['returned'])} goes back.",
    "fold": lambda line: "is given up: the hand was folded.",
    "surrender": lambda line: "is given up: the hand was surrendered.",
}
